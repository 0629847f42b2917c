#include "bench/workspace.h"

#include <stdlib.h>
#include <string.h>

#include "bench/parallel.h"
#include "bench/reference.h"

static bool allocate_part(wl_context *context, struct bench_part *part, struct base_error *error) {
    if (wl_alloc(context, &part->allocation, part->bytes + 2 * BENCH_GUARD_BYTES)) {
        part->allocation = 0;
        return base_failure(error, "%llu bytes of device memory: %s", (unsigned long long)part->bytes,
                            wl_message());
    }
    part->data = part->allocation + BENCH_GUARD_BYTES;
    return true;
}

static bool allocate_parts(const struct bench_workspace *workspace, struct bench_array *array,
                           struct base_error *error) {
    bool right = true;
    for (unsigned r = 0; r < workspace->devices && right; r++)
        right = allocate_part(workspace->contexts[r], &array->parts[r], error);
    return right;
}

static bool allocate(struct bench_array *array, const struct bench_extent *extent, struct base_error *error) {
    array->kind = extent->kind;
    array->width = extent->width;
    array->bytes = 4 * extent->elements;
    if (extent->kind == BENCH_KIND_NONE)
        return true;
    array->host = malloc(array->bytes ? array->bytes : 1);
    return array->host ||
           base_failure(error, "%llu bytes of host memory: out of memory", (unsigned long long)array->bytes);
}

/* One device has all of an array.  Several share it out by its rows, of which each has so many elements. */
static void share_out(const struct bench_workspace *workspace, struct bench_array *array, uint64_t rows,
                      uint64_t row_elements) {
    array->parts[0] = (struct bench_part){.bytes = array->bytes};
    for (unsigned r = 0; r < workspace->devices && workspace->devices > 1; r++) {
        uint64_t first = wl__share(rows, workspace->devices, r);
        uint64_t count = wl__share(rows, workspace->devices, r + 1) - first;
        array->parts[r] = (struct bench_part){.first = first * row_elements * array->width,
                                              .bytes = count * row_elements * array->width};
    }
}

static bool fill_sparse(struct bench_workspace *workspace, const struct wl_problem *problem,
                        struct base_error *error) {
    struct bench_sparse matrix = {
        .rows = problem->rows,
        .cols = problem->cols,
        .nnz = problem->nnz,
        .row_starts = workspace->in[0].host,
        .columns = workspace->in[1].host,
        .entry_rows = workspace->in[3].host,
        .values = workspace->in[2].host,
    };
    /* COO has no row starts, but bench_sparse_fill() needs them. */
    uint32_t *starts = NULL;
    if (!matrix.row_starts) {
        matrix.row_starts = starts = malloc(4 * (problem->rows + 1));
        if (!starts)
            return base_failure(error, "out of host memory");
    }
    bench_sparse_fill(problem->matrix, workspace->seed, &matrix);
    free(starts);
    return true;
}

static bool generate(struct bench_workspace *workspace, const struct wl_problem *problem,
                     struct base_error *error) {
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        if (workspace->in[i].kind == BENCH_KIND_INDEX)
            return fill_sparse(workspace, problem, error);
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        if (workspace->in[i].kind != BENCH_KIND_NONE)
            bench_fill_input(workspace->in[i].kind, workspace->seed, i, workspace->in[i].host,
                             workspace->in[i].bytes / 4);
    return true;
}

static bool allocate_all(struct bench_workspace *workspace, const struct bench_needs *needs,
                         const struct wl_problem *problem, struct base_error *error) {
    workspace->chunk = malloc(BENCH_CHUNK_BYTES);
    bool right = workspace->chunk || base_failure(error, "out of host memory");
    for (unsigned i = 0; i < BENCH_INPUTS && right; i++) {
        right = allocate(&workspace->in[i], &needs->extents.in[i], error);
        share_out(workspace, &workspace->in[i], problem->rows, problem->cols);
        if (right && workspace->in[i].kind != BENCH_KIND_NONE)
            right = allocate_parts(workspace, &workspace->in[i], error);
    }
    for (unsigned i = 0; i < BENCH_OUTPUTS && right; i++) {
        right = allocate(&workspace->out[i], &needs->extents.out[i], error);
        share_out(workspace, &workspace->out[i], problem->cols, problem->rows);
        if (right && workspace->out[i].kind != BENCH_KIND_NONE && needs->device_outputs >> i & 1)
            right = allocate_parts(workspace, &workspace->out[i], error);
    }
    if (!right || !needs->work_bytes)
        return right;
    workspace->work.bytes = needs->work_bytes;
    for (unsigned r = 0; r < workspace->devices; r++)
        workspace->work.parts[r].bytes = needs->work_bytes;
    return allocate_parts(workspace, &workspace->work, error);
}

static void note_parts(struct bench_workspace *workspace) {
    for (unsigned r = 0; r < workspace->devices; r++) {
        workspace->parts.in[r] = workspace->in[0].parts[r].data;
        workspace->parts.out[r] = workspace->out[0].parts[r].data;
        workspace->parts.work[r] = workspace->work.parts[r].data;
    }
}

bool bench_workspace_open(struct bench_workspace *workspace, wl_context *context,
                          const struct bench_needs *needs, const struct wl_problem *problem, uint64_t seed,
                          struct base_error *error) {
    memset(workspace, 0, sizeof *workspace);
    workspace->devices = problem->group ? problem->group->count : 1;
    for (unsigned r = 0; r < workspace->devices; r++)
        workspace->contexts[r] = problem->group ? problem->group->contexts[r] : context;
    workspace->seed = seed;
    bool right = allocate_all(workspace, needs, problem, error) && generate(workspace, problem, error) &&
                 bench_workspace_restore(workspace, error);
    note_parts(workspace);
    if (!right)
        bench_workspace_close(workspace);
    return right;
}

static void release(const struct bench_workspace *workspace, struct bench_array *array) {
    for (unsigned r = 0; r < workspace->devices; r++)
        if (array->parts[r].allocation)
            wl_free(workspace->contexts[r], array->parts[r].allocation);
    free(array->host);
}

void bench_workspace_close(struct bench_workspace *workspace) {
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        release(workspace, &workspace->in[i]);
    for (unsigned i = 0; i < BENCH_OUTPUTS; i++)
        release(workspace, &workspace->out[i]);
    release(workspace, &workspace->work);
    free(workspace->chunk);
    memset(workspace, 0, sizeof *workspace);
}

wl_error bench_workspace_synchronize(const struct bench_workspace *workspace) {
    wl_error error = WL_ERROR_OK;
    for (unsigned r = 0; r < workspace->devices && !error; r++)
        error = wl_synchronize(workspace->contexts[r]);
    return error;
}

/* Writes a byte to all of a part and its guards. */
static bool fill(wl_context *context, const struct bench_part *part, uint8_t value) {
    return !part->allocation || wl_fill(context, part->allocation, value, part->bytes + 2 * BENCH_GUARD_BYTES,
                                        NULL) == WL_ERROR_OK;
}

static bool upload(wl_context *context, const struct bench_array *array, const struct bench_part *part) {
    return fill(context, part, BENCH_INPUT_GUARD) && wl_synchronize(context) == WL_ERROR_OK &&
           wl_upload(context, part->data, (const unsigned char *)array->host + part->first, part->bytes) ==
               WL_ERROR_OK;
}

bool bench_workspace_restore(struct bench_workspace *workspace, struct base_error *error) {
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        for (unsigned r = 0; r < workspace->devices; r++) {
            const struct bench_array *array = &workspace->in[i];
            if (array->parts[r].allocation && !upload(workspace->contexts[r], array, &array->parts[r]))
                return base_failure(error, "inputs cannot be uploaded: %s", wl_message());
        }
    return true;
}

void bench_workspace_bind(const struct bench_workspace *workspace, const struct wl_rung *rung,
                          struct wl_problem *problem) {
    struct bench_extents extents = bench_extents_of(rung->reference, problem);
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        problem->in[i] = extents.in[i].kind != BENCH_KIND_NONE ? workspace->in[i].parts[0].data : 0;
    for (unsigned i = 0; i < BENCH_OUTPUTS; i++)
        problem->out[i] = rung->outputs >> i & 1 ? workspace->out[i].parts[0].data : 0;
    problem->work = rung->work_bytes && rung->work_bytes(workspace->contexts[0], problem)
                        ? workspace->work.parts[0].data
                        : 0;
    problem->parts = &workspace->parts;
}

static void poison_range(void *host, uint64_t first, uint64_t last) {
    memset((unsigned char *)host + first, BENCH_POISON, last - first);
}

void bench_workspace_expect(struct bench_workspace *workspace, const struct wl_rung *rung,
                            const struct wl_problem *problem) {
    /* All rows of a workspace have the same sizes and seed; only these parameters differ. */
    if (workspace->expected_known && workspace->expected_reference == rung->reference &&
        workspace->expected_problem.offset == problem->offset &&
        workspace->expected_problem.stride == problem->stride &&
        workspace->expected_problem.from_shift == problem->from_shift &&
        workspace->expected_problem.to_shift == problem->to_shift)
        return;
    const uint32_t *in[BENCH_INPUTS];
    uint32_t *out[BENCH_OUTPUTS];
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        in[i] = workspace->in[i].host;
    for (unsigned i = 0; i < BENCH_OUTPUTS; i++) {
        out[i] = workspace->out[i].host;
        /* This runs on all cores, since touching the pages for the first time takes most of the time. */
        if (out[i])
            bench_parallel(workspace->out[i].bytes, 1 << 20, poison_range, out[i]);
    }
    bench_reference_of(rung->reference)(problem, in, out);
    workspace->expected_known = true;
    workspace->expected_reference = rung->reference;
    workspace->expected_problem = *problem;
}

static bool poison(const struct bench_workspace *workspace, const struct bench_array *array) {
    bool right = true;
    for (unsigned r = 0; r < workspace->devices && right; r++)
        right = fill(workspace->contexts[r], &array->parts[r], BENCH_POISON);
    return right;
}

bool bench_workspace_poison(struct bench_workspace *workspace, const struct wl_rung *rung,
                            struct base_error *error) {
    bool right = poison(workspace, &workspace->work);
    for (unsigned i = 0; i < BENCH_OUTPUTS && right; i++)
        if (rung->outputs >> i & 1)
            right = poison(workspace, &workspace->out[i]);
    if (!right || bench_workspace_synchronize(workspace))
        return base_failure(error, "outputs cannot be poisoned: %s", wl_message());
    return true;
}
