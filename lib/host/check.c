/* Checks of a sparse matrix's data on the host.
 *
 * Traffic: each element is read once.  The first look at a block is arithmetic without branches, of which
 * compilers make vectors; only a block in which something looks wrong is searched. */
#include <stdatomic.h>

#include "lib/host/host.h"
#include "lib/host/threads.h"

#define BLOCK 2048
#define SHARE 65536 /* elements that are worth a thread */

struct job {
    const struct wl_check_array *array;
    bool pointers;
    unsigned index_bytes;
    _Atomic uint64_t *wrong; /* the least place of a wrong element */
};

/* Whether a sign bit is set: of an index, or of what it is below the largest one.  Of a pointer: of what it
 * is below the largest one, or above the one before it; if that one is right, one of the two is set for every
 * wrong pointer. */
#define LOOKS_WRONG(type, name)                                                                              \
    static bool name(const type *v, uint64_t begin, uint64_t end, type most, bool pointers) {                \
        type signs = 0;                                                                                      \
        if (pointers)                                                                                        \
            for (uint64_t i = begin; i < end; i++)                                                           \
                signs |= (most - v[i]) | (v[i] - v[i - 1]);                                                  \
        else                                                                                                 \
            for (uint64_t i = begin; i < end; i++)                                                           \
                signs |= v[i] | (most - v[i]);                                                               \
        return signs >> (8 * sizeof(type) - 1);                                                              \
    }
LOOKS_WRONG(uint32_t, looks_wrong_4)
LOOKS_WRONG(uint64_t, looks_wrong_8)

static bool looks_wrong(const struct job *job, uint64_t begin, uint64_t end) {
    const struct wl_check_array *array = job->array;
    const unsigned char *data = wl__host_pointer(array->address);
    /* The ends of the pointers are different. */
    if (job->pointers && (!begin || end == array->count))
        return true;
    const uint64_t most = job->pointers ? array->limit : array->limit - 1;
    return job->index_bytes == 4
               ? looks_wrong_4((const uint32_t *)data, begin, end, (uint32_t)most, job->pointers)
               : looks_wrong_8((const uint64_t *)data, begin, end, most, job->pointers);
}

static int64_t element(const struct job *job, uint64_t i) {
    const unsigned char *data = wl__host_pointer(job->array->address);
    return job->index_bytes == 4 ? ((const int32_t *)data)[i] : ((const int64_t *)data)[i];
}

static bool is_wrong(const struct job *job, uint64_t i) {
    const struct wl_check_array *array = job->array;
    const int64_t value = element(job, i), limit = (int64_t)array->limit;
    if (!job->pointers)
        return value < 0 || value >= limit;
    const int64_t least = i + 1 == array->count ? limit : i ? element(job, i - 1) : 0;
    return value < least || value > (i ? limit : 0);
}

static void note(const struct job *job, uint64_t place) {
    uint64_t known = atomic_load_explicit(job->wrong, memory_order_relaxed);
    while (place < known && !atomic_compare_exchange_weak(job->wrong, &known, place)) {
    }
}

/* Ends at its first wrong element, and where another share's has an earlier place. */
static void check(const void *problem, uint64_t first, uint64_t end) {
    const struct job *job = problem;
    const struct wl_check_array *array = job->array;
    for (uint64_t block = first; block < end; block += BLOCK) {
        const uint64_t stop = end - block < BLOCK ? end : block + BLOCK;
        if (array->place + block * array->step > atomic_load_explicit(job->wrong, memory_order_relaxed))
            return;
        if (!looks_wrong(job, block, stop))
            continue;
        for (uint64_t i = block; i < stop; i++)
            if (is_wrong(job, i)) {
                note(job, array->place + i * array->step);
                return;
            }
    }
}

uint64_t wl__host_check(const struct wl_check *all, unsigned index_bytes) {
    _Atomic uint64_t wrong = WL_CHECK_NONE;
    for (unsigned i = 0; i < 2; i++) {
        const struct job job = {.array = &all->arrays[i],
                                .pointers = all->pointers && !i,
                                .index_bytes = index_bytes,
                                .wrong = &wrong};
        wl__host_share(check, &job, all->arrays[i].count, SHARE);
    }
    return wrong;
}
