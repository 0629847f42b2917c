/* The file of records that the driver writes for `wideload prof`: how much is written, and what is lost if
 * the file may not grow. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/cuda/record/records.h"
#include "sim/exec/sample/sample.h"
#include "tests/cuda/api.h"

static char path[] = "/tmp/recorder_test_XXXXXX";
static struct records_account account;

/* Returns what was recorded since the last call, as a text, with the current account. */
static const char *recorded(size_t *all) {
    static char text[1 << 18];
    static long seen = RECORDS_ACCOUNT;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(&account, sizeof account, 1, file), 1);
    assert_int_equal(fseek(file, seen, SEEK_SET), 0);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    assert_true(size < sizeof text - 1);
    text[size] = '\0';
    seen = ftell(file);
    fclose(file);
    if (all)
        *all = (size_t)seen;
    return text;
}

static unsigned count_of(const char *text, const char *word) {
    unsigned count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

static CUfunction function;

static void launch(void) {
    assert_ok(api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
}

/* A launch that repeats an earlier one refers to it. */
static void launches(void **state) {
    (void)state;
    char program[PATH_MAX] = "", wanted[PATH_MAX + 32];
    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    snprintf(wanted, sizeof wanted, "\"program\":\"%s\"", program);
    CUmodule module;
    assert_ok(api.cuModuleLoad(&module, api_path("default.fatbin")));
    assert_ok(api.cuModuleGetFunction(&function, module, "no_parameters"));
    launch();
    const char *text = recorded(NULL);
    assert_int_equal(count_of(text, "{\"process\":"), 1);
    assert_non_null(strstr(text, wanted));
    assert_int_equal(count_of(text, "{\"launch\":"), 1);
    assert_int_equal(count_of(text, "\"same\":"), 0);
    for (int i = 0; i < 2; i++) {
        launch();
        text = recorded(NULL);
        assert_int_equal(count_of(text, "{\"launch\":"), 1);
        assert_int_equal(count_of(text, "\"same\":1}"), 1);
    }
    assert_int_equal(account.lost, 0);
}

/* The number of messages per process is limited, whatever goes wrong in it. */
static void messages(void **state) {
    (void)state;
    enum { MOST = 200 };
    unsigned count = count_of(recorded(NULL), "\n{\"error\":");
    assert_int_equal(count, 0);
    for (unsigned i = 0; i < MOST + 5; i++) {
        CUmodule module;
        assert_int_equal(api.cuModuleLoad(&module, "no such file"), CUDA_ERROR_FILE_NOT_FOUND);
        if (i == MOST - 2) {
            count = count_of(recorded(NULL), "{\"error\":");
            assert_int_equal(count, MOST - 1);
        }
    }
    assert_int_equal(count_of(recorded(NULL), "{\"error\":"), 1);
    assert_int_equal(account.lost, 0);
}

/* If the file lacks room for a record's last byte, the record is lost and the process continues. */
static void no_room(void **state) {
    (void)state;
    size_t size;
    struct rlimit kept, less;
    launch();
    const size_t record = strlen(recorded(&size));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &kept), 0);
    for (size_t missing = 0; missing <= 1; missing++) {
        less = (struct rlimit){size + record - missing, kept.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
        launch();
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &kept), 0);
        assert_int_equal(strlen(recorded(&size)), record - missing);
        assert_int_equal(account.lost, missing);
        assert_int_equal(account.error, missing ? EFBIG : 0);
    }
}

#ifndef __SANITIZE_ADDRESS__ /* which has its own calloc() */
static size_t failing;       /* allocations of this size fail; 0: none */
void *__libc_calloc(size_t count, size_t size);

/* The driver's, too. */
__attribute__((visibility("default"))) void *calloc(size_t count, size_t size) {
    return failing && size == failing ? NULL : __libc_calloc(count, size);
}

/* The record of a launch that had no memory for its samples is lost, and the program continues. */
static void no_samples(void **state) {
    (void)state;
    static const size_t sizes[] = {sizeof(struct sim_kind), sizeof(struct sim_array)};
    CUmodule module;
    CUfunction store;
    CUdeviceptr to;
    int value = 5;
    void *parameters[] = {&to, &value};
    assert_ok(api.cuModuleLoad(&module, api_path("default.fatbin")));
    assert_ok(api.cuModuleGetFunction(&store, module, "store_at"));
    assert_ok(api.cuMemAlloc(&to, 4));
    for (unsigned i = 0; i < 2; i++) {
        (void)recorded(NULL);
        const uint64_t lost = account.lost;
        failing = sizes[i];
        assert_ok(api.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
        failing = 0;
        assert_ok(api.cuCtxSynchronize());
        assert_int_equal(count_of(recorded(NULL), "{\"launch\":"), 0);
        assert_int_equal(account.lost, lost + 1);
    }
    assert_ok(api.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    const char *text = recorded(NULL);
    assert_int_equal(count_of(text, "{\"launch\":"), 1);
    assert_int_equal(count_of(text, "\"kinds\":"), 1);
    assert_int_equal(count_of(text, "\"arrays\":"), 1);
    assert_ok(api.cuMemFree(to));
}
#endif

static int setup(void **state) {
    const int file = mkstemp(path);
    if (file < 0)
        return -1;
    memcpy(account.magic, RECORDS_MAGIC, sizeof account.magic);
    const bool written = write(file, &account, sizeof account) == (ssize_t)sizeof account;
    close(file);
    return written && !setenv("WIDELOAD_PROF_OUT", path, 1) && !setenv("WIDELOAD_PROF_PAGE", "1", 1)
               ? api_setup(state)
               : -1;
}

static int teardown(void **state) {
    unlink(path);
    return api_teardown(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches),
        cmocka_unit_test(messages),
        cmocka_unit_test(no_room),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(no_samples),
#endif
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
