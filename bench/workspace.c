#include "bench/workspace.h"

#include <stdlib.h>
#include <string.h>

#include "bench/parallel.h"
#include "bench/reference.h"

static bool allocate_device(wl_context *context, struct bench_array *array, struct base_error *error) {
    if (wl_alloc(context, &array->allocation, array->bytes + 2 * BENCH_GUARD_BYTES)) {
        array->allocation = 0;
        return base_failure(error, "%llu bytes of device memory: %s", (unsigned long long)array->bytes,
                            wl_message());
    }
    array->data = array->allocation + BENCH_GUARD_BYTES;
    return true;
}

static bool allocate(wl_context *context, struct bench_array *array, const struct bench_extent *extent,
                     bool on_device, struct base_error *error) {
    array->kind = extent->kind;
    array->width = extent->width;
    array->bytes = 4 * extent->elements;
    if (extent->kind == BENCH_KIND_NONE)
        return true;
    array->host = malloc(array->bytes ? array->bytes : 1);
    if (!array->host)
        return base_failure(error, "%llu bytes of host memory: out of memory",
                            (unsigned long long)array->bytes);
    return !on_device || allocate_device(context, array, error);
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

bool bench_workspace_open(struct bench_workspace *workspace, wl_context *context,
                          const struct bench_needs *needs, const struct wl_problem *problem, uint64_t seed,
                          struct base_error *error) {
    memset(workspace, 0, sizeof *workspace);
    workspace->context = context;
    workspace->seed = seed;
    workspace->chunk = malloc(BENCH_CHUNK_BYTES);
    bool right = workspace->chunk || base_failure(error, "out of host memory");
    for (unsigned i = 0; i < BENCH_INPUTS && right; i++)
        right = allocate(context, &workspace->in[i], &needs->extents.in[i], true, error);
    for (unsigned i = 0; i < BENCH_OUTPUTS && right; i++)
        right = allocate(context, &workspace->out[i], &needs->extents.out[i], needs->device_outputs >> i & 1,
                         error);
    if (right && needs->work_bytes) {
        workspace->work.bytes = needs->work_bytes;
        right = allocate_device(context, &workspace->work, error);
    }
    right = right && generate(workspace, problem, error) && bench_workspace_restore(workspace, error);
    if (!right)
        bench_workspace_close(workspace);
    return right;
}

static void release(wl_context *context, struct bench_array *array) {
    if (array->allocation)
        wl_free(context, array->allocation);
    free(array->host);
}

void bench_workspace_close(struct bench_workspace *workspace) {
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        release(workspace->context, &workspace->in[i]);
    for (unsigned i = 0; i < BENCH_OUTPUTS; i++)
        release(workspace->context, &workspace->out[i]);
    release(workspace->context, &workspace->work);
    free(workspace->chunk);
    memset(workspace, 0, sizeof *workspace);
}

bool bench_workspace_restore(struct bench_workspace *workspace, struct base_error *error) {
    for (unsigned i = 0; i < BENCH_INPUTS; i++) {
        const struct bench_array *array = &workspace->in[i];
        if (!array->allocation)
            continue;
        if (wl_fill(workspace->context, array->allocation, BENCH_INPUT_GUARD,
                    array->bytes + 2 * BENCH_GUARD_BYTES, NULL) ||
            wl_synchronize(workspace->context) ||
            wl_upload(workspace->context, array->data, array->host, array->bytes))
            return base_failure(error, "inputs cannot be uploaded: %s", wl_message());
    }
    return true;
}

void bench_workspace_bind(const struct bench_workspace *workspace, const struct wl_rung *rung,
                          struct wl_problem *problem) {
    struct bench_extents extents = bench_extents_of(rung->reference, problem);
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        problem->in[i] = extents.in[i].kind != BENCH_KIND_NONE ? workspace->in[i].data : 0;
    for (unsigned i = 0; i < BENCH_OUTPUTS; i++)
        problem->out[i] = rung->outputs >> i & 1 ? workspace->out[i].data : 0;
    problem->work =
        rung->work_bytes && rung->work_bytes(workspace->context, problem) ? workspace->work.data : 0;
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

static bool poison(wl_context *context, const struct bench_array *array) {
    return !array->allocation || wl_fill(context, array->allocation, BENCH_POISON,
                                         array->bytes + 2 * BENCH_GUARD_BYTES, NULL) == WL_ERROR_OK;
}

bool bench_workspace_poison(struct bench_workspace *workspace, const struct wl_rung *rung,
                            struct base_error *error) {
    bool right = poison(workspace->context, &workspace->work);
    for (unsigned i = 0; i < BENCH_OUTPUTS && right; i++)
        if (rung->outputs >> i & 1)
            right = poison(workspace->context, &workspace->out[i]);
    if (!right || wl_synchronize(workspace->context))
        return base_failure(error, "outputs cannot be poisoned: %s", wl_message());
    return true;
}
