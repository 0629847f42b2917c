/* Sorts of a sparse matrix's entries on the host.
 *
 * With few keys, each thread counts the keys of its share of the entries, and then knows where its entries of
 * a key go. With many, these places would be all over memory.  So the entries go to buckets of neighbouring
 * keys first, in the same way; a bucket's output fits a cache, where its entries find their places.
 *
 * Traffic: directly, keys are read twice, other indices and values once, and all is written once; by buckets,
 * each entry is written and read once more with its key. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/divide.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/host/threads.h"

#define SHARE        262144      /* entries that are worth a thread */
#define BUCKET_BYTES (256 << 10) /* of output */
#define MOST_BUCKETS 1024        /* streams that are written at a time */
#define FEW_KEYS     2048
#define CACHED       (8 << 20) /* bytes of output that go to their places directly */

struct job {
    const struct wl__sort *sort;
    uint64_t shares;
    unsigned shift; /* of a key, to its bucket; 0: each key is one */
    uint64_t buckets;
    unsigned char *between; /* the entries by buckets; NULL: they go to the output directly */
    uint64_t *counts;       /* [share][bucket]: entries, then where they go */
    uint64_t *first;        /* [bucket + 1]: where a bucket's entries begin */
    const unsigned char *keys, *others, *pointers, *from_values;
    unsigned char *starts, *to_others, *to_values;
};

/* An entry between the two ways: its key and its other index, of 32 bits, and its value. */
enum { HEAD = 8 };

static uint64_t get(const unsigned char *array, unsigned bytes, uint64_t i) {
    return bytes == 4 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

static void set(unsigned char *array, unsigned bytes, uint64_t i, uint64_t value) {
    if (bytes == 4)
        ((uint32_t *)array)[i] = (uint32_t)value;
    else
        ((uint64_t *)array)[i] = value;
}

/* The first entry of a share. */
static uint64_t share_of(const struct job *job, uint64_t share) {
    const uint64_t entries = job->sort->entries, each = wl__divide_up(entries, job->shares);
    return share * each < entries ? share * each : entries;
}

static inline __attribute__((always_inline)) void count_keys(const struct job *job, uint64_t share,
                                                             unsigned index_bytes, unsigned width) {
    const struct wl__sort *sort = job->sort;
    uint64_t *counts = job->counts + share * job->buckets;
    const uint64_t end = share_of(job, share + 1);
    (void)width;
    memset(counts, 0, job->buckets * sizeof *counts);
    for (uint64_t i = share_of(job, share); i < end; i++) {
        const uint64_t key = get(job->keys, index_bytes, i);
        if (key < sort->keys)
            counts[key >> job->shift]++;
    }
}

/* Makes of counts the places where a share's entries of a bucket begin. */
static void add_counts(const struct job *job) {
    uint64_t sum = 0;
    for (uint64_t bucket = 0; bucket < job->buckets; bucket++) {
        job->first[bucket] = sum;
        for (uint64_t share = 0; share < job->shares; share++) {
            uint64_t *count = &job->counts[share * job->buckets + bucket];
            const uint64_t entries = *count;
            *count = sum;
            sum += entries;
        }
    }
    job->first[job->buckets] = sum;
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

static inline __attribute__((always_inline)) void place_entry(const struct job *job, uint64_t *places,
                                                              uint64_t i, uint64_t other,
                                                              unsigned index_bytes, unsigned width) {
    const uint64_t key = get(job->keys, index_bytes, i);
    if (key >= job->sort->keys)
        return;
    const uint64_t to = places[key >> job->shift]++;
    if (job->between) {
        const uint32_t head[2] = {(uint32_t)key, (uint32_t)other};
        unsigned char *entry = job->between + to * (HEAD + width);
        memcpy(entry, head, HEAD);
        if (width)
            memcpy(entry + HEAD, job->from_values + i * width, width);
    } else {
        set(job->to_others, index_bytes, to, other);
        if (width)
            memcpy(job->to_values + to * width, job->from_values + i * width, width);
    }
}

static inline __attribute__((always_inline)) void place_entries(const struct job *job, uint64_t share,
                                                                unsigned index_bytes, unsigned width) {
    uint64_t *places = job->counts + share * job->buckets, i = share_of(job, share);
    const uint64_t end = share_of(job, share + 1), rows = job->sort->rows;
    if (!job->pointers)
        for (; i < end; i++)
            place_entry(job, places, i, get(job->others, index_bytes, i), index_bytes, width);
    /* The last row has all that is left, whatever the pointers say. */
    for (uint64_t row = i < end ? row_of(job, i) : 0; i < end; row++) {
        const uint64_t next = row + 1 < rows ? get(job->pointers, index_bytes, row + 1) : end;
        for (const uint64_t most = next < end ? next : end; i < most; i++)
            place_entry(job, places, i, row, index_bytes, width);
    }
}

/* Sorts a bucket's entries by their keys.  The starts of its keys count first, and then say where the next
 * entry goes, so that at the end each is the next one's. */
static inline __attribute__((always_inline)) void sort_bucket(const struct job *job, uint64_t bucket,
                                                              unsigned index_bytes, unsigned width) {
    const struct wl__sort *sort = job->sort;
    const uint64_t low = bucket << job->shift, most = (bucket + 1) << job->shift,
                   high = most < sort->keys ? most : sort->keys;
    const uint64_t begin = job->first[bucket], end = job->first[bucket + 1];
    const unsigned char *entries = job->between;
    uint32_t head[2];
    for (uint64_t key = low; key < high; key++)
        set(job->starts, index_bytes, key, 0);
    for (uint64_t i = begin; i < end; i++) {
        memcpy(head, entries + i * (HEAD + width), HEAD);
        set(job->starts, index_bytes, head[0], get(job->starts, index_bytes, head[0]) + 1);
    }
    uint64_t sum = begin;
    for (uint64_t key = low; key < high; key++) {
        const uint64_t count = get(job->starts, index_bytes, key);
        set(job->starts, index_bytes, key, sum);
        sum += count;
    }
    for (uint64_t i = begin; i < end; i++) {
        memcpy(head, entries + i * (HEAD + width), HEAD);
        const uint64_t to = get(job->starts, index_bytes, head[0]);
        set(job->starts, index_bytes, head[0], to + 1);
        set(job->to_others, index_bytes, to, head[1]);
        if (width)
            memcpy(job->to_values + to * width, entries + i * (HEAD + width) + HEAD, width);
    }
    for (uint64_t key = high; key-- > low + 1;)
        set(job->starts, index_bytes, key, get(job->starts, index_bytes, key - 1));
    if (low < high)
        set(job->starts, index_bytes, low, begin);
}

/* Calls a function of a job and an item for each item, compiled for the job's widths. */
#define EACH(name, function)                                                                                 \
    static void name(const void *problem, uint64_t begin, uint64_t end) {                                    \
        const struct job *job = problem;                                                                     \
        for (uint64_t item = begin; item < end; item++)                                                      \
            switch (job->sort->width | (job->sort->index_bytes == 4 ? 32 : 0)) {                             \
                CASE(function, 0)                                                                            \
                CASE(function, 1)                                                                            \
                CASE(function, 2)                                                                            \
                CASE(function, 4)                                                                            \
                CASE(function, 8)                                                                            \
                CASE(function, 16)                                                                           \
            }                                                                                                \
    }
#define CASE(function, width)                                                                                \
    case width:                                                                                              \
        function(job, item, 8, width);                                                                       \
        break;                                                                                               \
    case width | 32:                                                                                         \
        function(job, item, 4, width);                                                                       \
        break;
EACH(count_shares, count_keys)
EACH(place_shares, place_entries)
EACH(sort_buckets, sort_bucket)

/* How many buckets, and which bits of a key say which. */
static void choose_buckets(struct job *job) {
    const struct wl__sort *sort = job->sort;
    const uint64_t bytes = sort->entries * (sort->index_bytes + sort->width);
    job->shift = 0;
    if (sort->keys > FEW_KEYS && (bytes > CACHED || sort->keys > sort->entries))
        while (
            (sort->keys - 1) >> job->shift >= MOST_BUCKETS ||
            ((sort->keys - 1) >> job->shift > 0 && bytes / ((sort->keys - 1) >> job->shift) < BUCKET_BYTES))
            job->shift++;
    job->buckets = sort->keys ? ((sort->keys - 1) >> job->shift) + 1 : 0;
}

/* Memory in large pages, if the system has some: most of its first use would be the faults of small ones. */
static void *large_pages(uint64_t bytes) {
    const uint64_t page = 2 << 20;
    if (bytes < page)
        return malloc(bytes + 1);
    void *memory = aligned_alloc(page, wl__divide_up(bytes, page) * page);
    if (memory)
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static wl_error run(struct job *job, const char *operation) {
    const struct wl__sort *sort = job->sort;
    const uint64_t threads = wl__host_threads(), worth = sort->entries / SHARE;
    choose_buckets(job);
    job->shares = worth < threads ? worth + 1 : threads;
    job->counts = malloc((job->shares * job->buckets + 1) * sizeof *job->counts);
    job->first = malloc((job->buckets + 1) * sizeof *job->first);
    job->between = job->shift ? large_pages(sort->entries * (HEAD + sort->width)) : NULL;
    if (!job->counts || !job->first || (job->shift && !job->between))
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "%s: the host has no room for %llu entries in %llu buckets",
                        operation, (unsigned long long)sort->entries, (unsigned long long)job->buckets);
    wl__host_share(count_shares, job, job->shares, 1);
    add_counts(job);
    if (!job->shift)
        for (uint64_t key = 0; key < sort->keys; key++)
            set(job->starts, sort->index_bytes, key, job->first[key]);
    set(job->starts, sort->index_bytes, sort->keys, job->first[job->buckets]);
    wl__host_share(place_shares, job, job->shares, 1);
    if (job->shift)
        wl__host_share(sort_buckets, job, job->buckets, 1);
    return WL_ERROR_OK;
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
    const wl_error error = run(&job, choice->operation);
    choice->kernel = job.shift ? "host-buckets" : "host-counts";
    choice->why = job.shift ? "entries go to buckets of keys, and in each, within a cache, to their places"
                            : "each thread counts its entries' keys, and then knows where they go";
    free(job.counts);
    free(job.first);
    free(job.between);
    if (!error)
        wl__chose(context, choice);
    return error;
}
