/* Sorts of a sparse matrix's entries on the host: each thread counts the keys of its share of the entries,
 * then knows where its entries of a key go.
 *
 * Traffic: keys are read twice, values and indices once, and what is written goes to scattered places. */
#include <stdlib.h>
#include <string.h>

#include "lib/divide.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/host/threads.h"

/* Entries for which another thread is worth its counts. */
#define SHARE 65536

struct job {
    const struct wl__sort *sort;
    uint64_t shares;
    uint64_t *counts; /* [share][key] */
    uint64_t *sums;   /* [range of keys]: entries of it, then of those before */
    const unsigned char *keys, *others, *pointers, *from_values;
    unsigned char *starts, *to_others, *to_values;
};

static uint64_t get(const unsigned char *array, unsigned bytes, uint64_t i) {
    return bytes == 4 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

static void set(unsigned char *array, unsigned bytes, uint64_t i, uint64_t value) {
    if (bytes == 4)
        ((uint32_t *)array)[i] = (uint32_t)value;
    else
        ((uint64_t *)array)[i] = value;
}

/* The first item of a share of `count` items. */
static uint64_t share_of(const struct job *job, uint64_t count, uint64_t share) {
    const uint64_t each = wl__divide_up(count, job->shares);
    return share * each < count ? share * each : count;
}

static void count_keys(const void *problem, uint64_t first, uint64_t end) {
    const struct job *job = problem;
    const struct wl__sort *sort = job->sort;
    for (uint64_t share = first; share < end; share++) {
        uint64_t *counts = job->counts + share * sort->keys;
        const uint64_t last = share_of(job, sort->entries, share + 1);
        memset(counts, 0, sort->keys * sizeof *counts);
        for (uint64_t i = share_of(job, sort->entries, share); i < last; i++) {
            const uint64_t key = get(job->keys, sort->index_bytes, i);
            if (key < sort->keys)
                counts[key]++;
        }
    }
}

static void add_keys(const void *problem, uint64_t first, uint64_t end) {
    const struct job *job = problem;
    const uint64_t keys = job->sort->keys;
    for (uint64_t range = first; range < end; range++) {
        uint64_t sum = 0;
        for (uint64_t share = 0; share < job->shares; share++)
            for (uint64_t key = share_of(job, keys, range); key < share_of(job, keys, range + 1); key++)
                sum += job->counts[share * keys + key];
        job->sums[range] = sum;
    }
}

/* Makes of counts the places where a share's entries of a key begin. */
static void start_keys(const void *problem, uint64_t first, uint64_t end) {
    const struct job *job = problem;
    const uint64_t keys = job->sort->keys;
    for (uint64_t range = first; range < end; range++) {
        uint64_t sum = job->sums[range];
        for (uint64_t key = share_of(job, keys, range); key < share_of(job, keys, range + 1); key++) {
            set(job->starts, job->sort->index_bytes, key, sum);
            for (uint64_t share = 0; share < job->shares; share++) {
                const uint64_t count = job->counts[share * keys + key];
                job->counts[share * keys + key] = sum;
                sum += count;
            }
        }
    }
}

/* The last row that begins at `at` or before. */
static uint64_t row_of(const struct job *job, uint64_t at) {
    uint64_t low = 0, high = job->sort->rows;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (get(job->pointers, job->sort->index_bytes, middle) <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static inline __attribute__((always_inline)) void place_entries(const struct job *job, uint64_t share,
                                                                unsigned index_bytes, unsigned width) {
    const struct wl__sort *sort = job->sort;
    uint64_t *places = job->counts + share * sort->keys;
    const uint64_t begin = share_of(job, sort->entries, share), end = share_of(job, sort->entries, share + 1);
    uint64_t row = job->pointers && begin < end ? row_of(job, begin) : 0;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t key = get(job->keys, index_bytes, i);
        while (job->pointers && row + 1 < sort->rows && get(job->pointers, index_bytes, row + 1) <= i)
            row++;
        if (key >= sort->keys)
            continue;
        const uint64_t to = places[key]++;
        set(job->to_others, index_bytes, to, job->pointers ? row : get(job->others, index_bytes, i));
        memcpy(job->to_values + to * width, job->from_values + i * width, width);
    }
}

static void place(const void *problem, uint64_t first, uint64_t end) {
    const struct job *job = problem;
    for (uint64_t share = first; share < end; share++) {
#define PLACE(bytes)                                                                                         \
    case bytes:                                                                                              \
        if (job->sort->index_bytes == 4)                                                                     \
            place_entries(job, share, 4, bytes);                                                             \
        else                                                                                                 \
            place_entries(job, share, 8, bytes);                                                             \
        break;
        switch (job->sort->width) {
            PLACE(0)
            PLACE(1)
            PLACE(2)
            PLACE(4)
            PLACE(8)
            PLACE(16)
        }
#undef PLACE
    }
}

wl_error wl__host_sort(const wl_context *context, struct wl__choice *choice, const struct wl__sort *sort) {
    struct job job = {.sort = sort,
                      .keys = wl__host_pointer(sort->from_keys),
                      .others = wl__host_pointer(sort->others),
                      .pointers = wl__host_pointer(sort->pointers),
                      .from_values = wl__host_pointer(sort->from_values),
                      .starts = wl__host_pointer(sort->starts),
                      .to_others = wl__host_pointer(sort->to_others),
                      .to_values = wl__host_pointer(sort->to_values)};
    choice->kernel = "host-counts";
    choice->why = "each thread counts its entries' keys, and then knows where they go";
    /* Each share has a count of each key. */
    const uint64_t threads = wl__host_threads(), worth = sort->entries / (SHARE + sort->keys);
    job.shares = worth < threads ? worth + 1 : threads;
    job.counts = malloc((job.shares * sort->keys + 1) * sizeof *job.counts);
    job.sums = malloc(job.shares * sizeof *job.sums);
    if (!job.counts || !job.sums) {
        free(job.counts);
        free(job.sums);
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "%s: counts of %llu keys for each of %llu threads",
                        choice->operation, (unsigned long long)sort->keys, (unsigned long long)job.shares);
    }
    wl__host_share(count_keys, &job, job.shares, 1);
    wl__host_share(add_keys, &job, job.shares, 1);
    uint64_t sum = 0;
    for (uint64_t range = 0; range < job.shares; range++) {
        const uint64_t entries = job.sums[range];
        job.sums[range] = sum;
        sum += entries;
    }
    wl__host_share(start_keys, &job, job.shares, 1);
    set(job.starts, sort->index_bytes, sort->keys, sum);
    wl__host_share(place, &job, job.shares, 1);
    free(job.counts);
    free(job.sums);
    wl__chose(context, choice);
    return WL_ERROR_OK;
}
