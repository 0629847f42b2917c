#include "sim/exec/memory/share.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC    UINT64_C(0x314350496d697377) /* "wsimIPC1" */
#define FILENAME "wideload-ipc"
#define CHUNK    ((size_t)2 << 20) /* bytes moved at once: this much memory exists twice for a moment */

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* A row of the table; nonce 0: no such allocation. */
struct row {
    uint64_t nonce, size;
};
#define TABLE_BYTES (SIM_SHARE_ENTRIES * sizeof(struct row))

struct exported {
    struct exported *next;
    uint64_t base, nonce;
};

struct sim_share {
    struct sim_share *next;
    int file;
    dev_t device; /* with inode, detects that the program closed the file and opened another */
    ino_t inode;
    uint64_t first;
    size_t bytes;
    struct exported *allocations;
};

static void *pointer(uint64_t address) {
    return (void *)(uintptr_t)address;
}

static uint64_t host_page(void) {
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool write_all(int file, const void *from, size_t size, uint64_t offset) {
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(file, (const char *)from + done, size - done, (off_t)(offset + done));
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* ---------------------------------------------------------------- the owner */

static bool is_ours(const struct sim_share *share) {
    struct stat now;
    return !fstat(share->file, &now) && now.st_dev == share->device && now.st_ino == share->inode;
}

static bool map_shared(int file, uint64_t offset, uint64_t at, size_t bytes) {
    if (mmap(pointer(at), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, (off_t)offset) ==
        MAP_FAILED)
        return false;
    /* A child of this process may not use the device, and must not write to shared memory. */
    (void)madvise(pointer(at), bytes, MADV_DONTFORK);
    return true;
}

/* Writing all pages to the file allocates its memory now.  A later store without memory would be fatal. */
static bool move(const struct sim_share *share) {
    for (size_t at = 0, n; at < share->bytes; at += n) {
        n = share->bytes - at < CHUNK ? share->bytes - at : CHUNK;
        if (!write_all(share->file, pointer(share->first + at), n, at) ||
            !map_shared(share->file, at, share->first + at, n))
            return false;
    }
    return true;
}

static void destroy(struct sim_share *share) {
    if (is_ours(share))
        close(share->file);
    while (share->allocations) {
        struct exported *next = share->allocations->next;
        free(share->allocations);
        share->allocations = next;
    }
    free(share);
}

/* Growing a file past the process's limit would kill the process. */
static bool may_have(size_t bytes) {
    struct rlimit limit;
    return !getrlimit(RLIMIT_FSIZE, &limit) && (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

static struct sim_share *create(uint64_t first, size_t bytes) {
    struct sim_share *share = may_have(bytes + TABLE_BYTES) ? calloc(1, sizeof *share) : NULL;
    if (!share)
        return NULL;
    share->first = first;
    share->bytes = bytes;
    share->file = memfd_create(FILENAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct stat status;
    if (share->file < 0 || fstat(share->file, &status)) {
        free(share);
        return NULL;
    }
    share->device = status.st_dev;
    share->inode = status.st_ino;
    /* If this fails after a part was moved, that part keeps the file's memory and its contents. */
    if (ftruncate(share->file, (off_t)(bytes + TABLE_BYTES)) || fcntl(share->file, F_ADD_SEALS, SEALS) ||
        !move(share)) {
        destroy(share);
        return NULL;
    }
    return share;
}

static bool covers(const struct sim_share *share, uint64_t address) {
    return address - share->first < share->bytes;
}

static uint64_t row_offset(const struct sim_share *share, uint64_t base) {
    return share->bytes + (base - share->first) / SIM_SHARE_UNIT * sizeof(struct row);
}

/* Adds an allocation; NULL on out-of-memory. */
static struct exported *enter(struct sim_share *share, uint64_t base, size_t size) {
    struct exported *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->base = base;
    while (!made->nonce)
        if (getrandom(&made->nonce, sizeof made->nonce, 0) != (ssize_t)sizeof made->nonce) {
            free(made);
            return NULL;
        }
    const struct row row = {made->nonce, size};
    if (!write_all(share->file, &row, sizeof row, row_offset(share, base))) {
        free(made);
        return NULL;
    }
    made->next = share->allocations;
    share->allocations = made;
    return made;
}

static void drop(struct sim_share **link) {
    struct sim_share *share = *link;
    *link = share->next;
    destroy(share);
}

/* The share that contains base, created if necessary; NULL if out of files, mappings or memory. */
static struct sim_share **find(struct sim_share **shares, uint64_t first, size_t bytes, uint64_t base) {
    struct sim_share **link = shares;
    while (*link && !covers(*link, base))
        link = &(*link)->next;
    /* A program that closes all files closed this one: the pages go onto a new one, under new names. */
    if (*link && is_ours(*link))
        return link;
    if (*link)
        drop(link);
    struct sim_share *share = create(first, bytes);
    if (!share)
        return NULL;
    share->next = *shares;
    *shares = share;
    return shares;
}

bool sim_share_export(struct sim_share **shares, uint64_t first, size_t bytes, uint64_t base, size_t size,
                      struct sim_share_name *name) {
    if ((base - first) / SIM_SHARE_UNIT >= SIM_SHARE_ENTRIES)
        return false;
    struct sim_share **share = find(shares, first, bytes, base);
    if (!share)
        return false;
    const struct exported *allocation = (*share)->allocations;
    while (allocation && allocation->base != base)
        allocation = allocation->next;
    if (!allocation)
        allocation = enter(*share, base, size);
    if (!allocation) {
        if (!(*share)->allocations)
            drop(share);
        return false;
    }
    *name = (struct sim_share_name){.magic = MAGIC,
                                    .process = getpid(),
                                    .file = (*share)->file,
                                    .offset = base - (*share)->first,
                                    .nonce = allocation->nonce};
    return true;
}

void sim_share_end(struct sim_share **shares, uint64_t base) {
    struct sim_share **share = shares;
    while (*share && !covers(*share, base))
        share = &(*share)->next;
    struct exported **link = *share ? &(*share)->allocations : NULL;
    while (link && *link && (*link)->base != base)
        link = &(*link)->next;
    if (!link || !*link)
        return;
    struct exported *allocation = *link;
    *link = allocation->next;
    free(allocation);
    const struct row none = {0, 0};
    if (is_ours(*share))
        (void)write_all((*share)->file, &none, sizeof none, row_offset(*share, base));
    if (!(*share)->allocations)
        drop(share);
}

void sim_share_end_all(struct sim_share **shares) {
    while (*shares)
        drop(shares);
}

void sim_share_close_copies(const struct sim_share *shares) {
    for (; shares; shares = shares->next)
        if (is_ours(shares))
            close(shares->file);
}

/* ---------------------------------------------------------------- other processes */

/* Opening a file can have side effects if it is not the expected one, so its name is checked first. */
static int open_file(const struct sim_share_name *name) {
    static const char wanted[] = "/memfd:" FILENAME " (deleted)";
    char path[64], link[sizeof wanted + 1];
    snprintf(path, sizeof path, "/proc/%" PRId32 "/fd/%" PRId32, name->process, name->file);
    const ssize_t length = readlink(path, link, sizeof link);
    if (length != sizeof wanted - 1 || memcmp(link, wanted, sizeof wanted - 1) != 0)
        return -1;
    return open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

/* Whether the file is sealed and contains the allocation that the name says; *size is its size then. */
static bool verify(int file, const struct sim_share_name *name, size_t *size) {
    struct stat status;
    struct row row;
    const int seals = fcntl(file, F_GET_SEALS);
    if (seals < 0 || (seals & SEALS) != SEALS || fstat(file, &status) || status.st_size < (off_t)TABLE_BYTES)
        return false;
    const uint64_t bytes = (uint64_t)status.st_size - TABLE_BYTES, index = name->offset / SIM_SHARE_UNIT;
    /* The table is at the end of the file, so an entry beyond it cannot be read. */
    if (bytes % host_page() || name->offset % SIM_SHARE_UNIT ||
        pread(file, &row, sizeof row, (off_t)(bytes + index * sizeof row)) != (ssize_t)sizeof row)
        return false;
    *size = (size_t)row.size;
    return row.nonce && row.nonce == name->nonce && row.size && sim_within(name->offset, row.size, bytes);
}

bool sim_share_is_name(const struct sim_share_name *name) {
    return name->magic == MAGIC && name->process > 0 && name->file >= 0;
}

bool sim_share_open(const struct sim_share_name *name, struct sim_shared *out) {
    if (!sim_share_is_name(name))
        return false;
    out->file = open_file(name);
    if (out->file < 0)
        return false;
    out->offset = name->offset;
    if (verify(out->file, name, &out->size))
        return true;
    close(out->file);
    return false;
}

size_t sim_share_inset(const struct sim_shared *shared) {
    return (size_t)(shared->offset % host_page());
}

size_t sim_share_span(const struct sim_shared *shared) {
    const size_t page = (size_t)host_page();
    return (sim_share_inset(shared) + shared->size + page - 1) / page * page;
}

bool sim_share_map(const struct sim_shared *shared, uint64_t at) {
    return map_shared(shared->file, shared->offset - sim_share_inset(shared), at, sim_share_span(shared));
}
