#include "sim/cuda/record/records.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char path[PATH_MAX];             /* written once, before `on` is set */
static bool on;                         /* accessed atomically, as account is */
static struct records_account *account; /* NULL: the file has none */

bool records_are_on(void) {
    return __atomic_load_n(&on, __ATOMIC_ACQUIRE);
}

/* The mapping is never removed: another thread may still launch while the process ends. */
static bool map_account(int file) {
    char magic[8];
    ssize_t got = pread(file, magic, sizeof magic, 0);
    if (got != sizeof magic || memcmp(magic, RECORDS_MAGIC, sizeof magic) != 0)
        return got >= 0;
    void *map = mmap(NULL, RECORDS_ACCOUNT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED)
        return false;
    account = map;
    return true;
}

static bool open_named(const char *name) {
    int file = open(name, O_RDWR | O_APPEND | O_CLOEXEC);
    if (file < 0)
        return false;
    bool good = map_account(file) && strlen(name) < sizeof path;
    if (good)
        strcpy(path, name);
    int error = errno;
    close(file);
    errno = error;
    return good;
}

bool records_open(void) {
    const char *name = getenv("WIDELOAD_PROF_OUT");
    if (records_are_on() || !name || !*name)
        return true;
    pthread_mutex_lock(&lock);
    bool good = records_are_on() || open_named(name);
    if (good)
        __atomic_store_n(&on, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return good;
}

/* ---------------------------------------------------------------- records */

static void count_lost(int error) {
    int64_t none = 0;
    if (!account)
        return;
    __atomic_compare_exchange_n(&account->error, &none, (int64_t)error, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    __atomic_fetch_add(&account->lost, 1, __ATOMIC_RELAXED);
}

/* 0, or the errno that explains why not everything was written. */
static int write_all(int file, const char *data, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t wrote = write(file, data + done, size - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return wrote < 0 ? errno : EIO;
        done += (size_t)wrote;
    }
    return 0;
}

/* Writing beyond RLIMIT_FSIZE raises a signal that would end the program.  This thread blocks and consumes
 * it, so that it is only an error. */
static int write_quietly(int file, const char *data, size_t size) {
    static const struct timespec now = {0, 0};
    sigset_t limit, old, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigemptyset(&pending);
    sigpending(&pending);
    bool earlier = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &limit, &old);
    int error = write_all(file, data, size);
    if (error == EFBIG && !earlier)
        (void)sigtimedwait(&limit, NULL, &now); /* does not wait, so nothing interrupts it */
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

static int append(const struct profile_text *text) {
    if (text->failed)
        return ENOMEM;
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0)
        return errno;
    int error = write_quietly(file, text->data, text->size);
    /* Some file systems report a full disk only here. */
    if (close(file) && !error && errno != EINTR)
        error = errno;
    return error;
}

bool records_append(struct profile_text *text) {
    int kept = errno;
    profile_put(text, "\n");
    int error = append(text);
    if (error)
        count_lost(error);
    else if (account)
        __atomic_fetch_add(&account->written, 1, __ATOMIC_RELAXED);
    errno = error ? error : kept;
    return !error;
}

/* ---------------------------------------------------------------- launches */

unsigned records_begin(const char *kernel) {
    unsigned slot = 0;
    if (!account)
        return RECORDS_SLOTS;
    __atomic_fetch_add(&account->begun, 1, __ATOMIC_RELAXED);
    for (; slot < RECORDS_SLOTS; slot++) {
        int64_t none = 0;
        struct records_slot *s = &account->slots[slot];
        if (!__atomic_compare_exchange_n(&s->pid, &none, (int64_t)getpid(), false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        size_t length = strnlen(kernel, sizeof s->kernel - 1);
        memcpy(s->kernel, kernel, length);
        s->kernel[length] = '\0';
        break;
    }
    return slot;
}

void records_end(unsigned slot) {
    if (!account)
        return;
    if (slot < RECORDS_SLOTS)
        __atomic_store_n(&account->slots[slot].pid, 0, __ATOMIC_RELEASE);
    __atomic_fetch_add(&account->ended, 1, __ATOMIC_RELAXED);
}
