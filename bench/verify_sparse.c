#include "bench/verify_sparse.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/parallel.h"

struct job {
    const uint32_t *starts, *expected_rows, *expected_values;
    uint64_t *entries; /* row in the upper half, the value's bits in the lower */
    _Atomic uint64_t first_wrong;
};

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort(uint64_t *entries, uint64_t count) {
    if (count > 32) {
        qsort(entries, count, sizeof *entries, ascending);
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        uint64_t entry = entries[i], at = i;
        for (; at > 0 && entries[at - 1] > entry; at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

/* A row occurs once in a column, so sorting gives the order of the expected entries, ascending by row. */
static void compare_columns(void *argument, uint64_t first, uint64_t last) {
    struct job *job = argument;
    for (uint64_t c = first; c < last; c++) {
        uint64_t begin = job->starts[c], end = job->starts[c + 1];
        sort(job->entries + begin, end - begin);
        for (uint64_t e = begin; e < end; e++) {
            uint64_t expected = (uint64_t)job->expected_rows[e] << 32 | job->expected_values[e];
            if (job->entries[e] == expected)
                continue;
            uint64_t known = atomic_load(&job->first_wrong);
            while (e < known && !atomic_compare_exchange_weak(&job->first_wrong, &known, e)) {
            }
            return;
        }
    }
}

static bool download(const struct bench_workspace *workspace, uint64_t *entries, uint64_t count) {
    const uint32_t *chunk = (const uint32_t *)(const void *)workspace->chunk;
    for (unsigned half = 0; half < 2; half++) {
        const struct bench_array *array = &workspace->out[half == 0 ? 1 : 2];
        for (uint64_t at = 0; at < count; at += BENCH_CHUNK_BYTES / 4) {
            uint64_t length = count - at < BENCH_CHUNK_BYTES / 4 ? count - at : BENCH_CHUNK_BYTES / 4;
            if (wl_download(workspace->contexts[0], workspace->chunk, array->parts[0].data + 4 * at,
                            4 * length))
                return false;
            for (uint64_t i = 0; i < length; i++)
                entries[at + i] = half == 0 ? (uint64_t)chunk[i] << 32 : entries[at + i] | chunk[i];
        }
    }
    return true;
}

enum bench_verdict bench_verify_entries(struct bench_workspace *workspace, const struct wl_problem *problem,
                                        char *text, size_t text_size) {
    struct job job = {
        .starts = workspace->out[0].host,
        .expected_rows = workspace->out[1].host,
        .expected_values = workspace->out[2].host,
        .entries = malloc(8 * (problem->nnz ? problem->nnz : 1)),
    };
    atomic_init(&job.first_wrong, UINT64_MAX);
    if (!job.entries) {
        snprintf(text, text_size, "out of host memory");
        return BENCH_REFUSED;
    }
    enum bench_verdict verdict = BENCH_RIGHT;
    if (!download(workspace, job.entries, problem->nnz)) {
        snprintf(text, text_size, "download: %s", wl_message());
        verdict = BENCH_BROKEN;
    } else {
        bench_parallel(problem->cols, 1024, compare_columns, &job);
        uint64_t wrong = atomic_load(&job.first_wrong);
        if (wrong != UINT64_MAX) {
            snprintf(text, text_size,
                     "entry %" PRIu64 " (each column sorted by row): got row %" PRIu64 " value 0x%08" PRIx64
                     ", expected row %" PRIu32 " value 0x%08" PRIx32,
                     wrong, job.entries[wrong] >> 32, job.entries[wrong] & UINT32_MAX,
                     job.expected_rows[wrong], job.expected_values[wrong]);
            verdict = BENCH_WRONG;
        }
    }
    free(job.entries);
    return verdict;
}
