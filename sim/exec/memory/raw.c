#include "sim/exec/memory/raw.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/exec/memory/share.h"

enum {
    ALIGNMENT = 512,
    RED_ZONE = 512,       /* before and after each allocation */
    MAP_FROM = 256 << 10, /* allocations from this size on have their own mapping */
    HUGE_FROM = 8 << 20,  /* larger mappings use huge pages */
};

/* Kernels' pieces come in few sizes, so that memory freed in one loop can be reused in the next.  This limits
 * what a launch keeps to a small multiple of its heap. */
static size_t room_for(size_t size) {
    size_t room = ALIGNMENT;
    while (room < size)
        room *= 2;
    return room;
}

static unsigned number_of(size_t room) {
    return (unsigned)__builtin_ctzll(room);
}

static bool take_small(struct sim_raw *raw, size_t size) {
    const size_t rounded = size ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    if (posix_memalign(&raw->at, ALIGNMENT, RED_ZONE + rounded + RED_ZONE))
        return false;
    raw->base = (uint64_t)(uintptr_t)raw->at + RED_ZONE;
    return true;
}

static bool take_mapping(struct sim_raw *raw, size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    raw->mapped = (page + size + RED_ZONE + page - 1) / page * page;
    raw->at = mmap(NULL, raw->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw->at == MAP_FAILED) {
        raw->mapped = 0;
        return false;
    }
#ifdef MADV_HUGEPAGE
    if (size >= HUGE_FROM)
        (void)madvise(raw->at, raw->mapped, MADV_HUGEPAGE); /* only a hint */
#endif
    raw->base = (uint64_t)(uintptr_t)raw->at + page;
    return true;
}

struct sim_raw *sim_raw_take(struct sim_raws *raws, size_t size, bool again, bool apart) {
    const size_t room = again ? room_for(size) : 0;
    struct sim_raw **spare = again ? &raws->spare[number_of(room)] : NULL;
    if (spare && *spare) {
        struct sim_raw *raw = *spare;
        *spare = raw->next;
        return raw;
    }
    struct sim_raw *raw = calloc(1, sizeof *raw);
    if (!raw)
        return NULL;
    raw->room = room;
    if (room)
        size = room;
    if (((size >= MAP_FROM || apart) && take_mapping(raw, size)) ||
        (size < MAP_FROM && take_small(raw, size)))
        return raw;
    free(raw);
    return NULL;
}

struct sim_raw *sim_raw_map(const struct sim_shared *shared) {
    struct sim_raw *raw = calloc(1, sizeof *raw);
    if (!raw || !take_mapping(raw, sim_share_span(shared))) {
        free(raw);
        return NULL;
    }
    if (sim_share_map(shared, raw->base))
        return raw;
    munmap(raw->at, raw->mapped);
    free(raw);
    return NULL;
}

bool sim_raw_drop(const struct sim_raw *raw, bool running) {
    return mmap(raw->at, raw->mapped, running ? PROT_READ | PROT_WRITE : PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void give(struct sim_raw *raw) {
    if (raw->mapped)
        munmap(raw->at, raw->mapped);
    else
        free(raw->at);
    free(raw);
}

void sim_raw_give(struct sim_raws *raws, struct sim_raw *raw, bool running) {
    if (!running) {
        give(raw);
        return;
    }
    struct sim_raw **list = raw->room ? &raws->spare[number_of(raw->room)] : &raws->kept;
    raw->next = *list;
    *list = raw;
}

static void settle(struct sim_raw **list) {
    while (*list) {
        struct sim_raw *raw = *list;
        *list = raw->next;
        give(raw);
    }
}

void sim_raws_settle(struct sim_raws *raws) {
    for (int i = 0; i < SIM_RAW_SIZES; i++)
        settle(&raws->spare[i]);
    settle(&raws->kept);
}
