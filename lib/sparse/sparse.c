/* Sparse matrices: CSR -> CSC, which is the transposed matrix's CSR, and COO -> CSR. */
#include "lib/sparse/sparse.h"
#include "lib/arguments.h"
#include "lib/choice.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/sparse/runs.h"

wl_error wl__check_sparse_shape(const char *call, const wl_sparse_shape *shape) {
    if (!shape)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: shape is NULL", call);
    if (shape->index_bytes != 4 && shape->index_bytes != 8)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: index_bytes is %u, which is not 4 or 8", call,
                        shape->index_bytes);
    if (shape->width) {
        wl_error error = wl__check_width(call, shape->width);
        if (error)
            return error;
    }
    const uint64_t most = shape->index_bytes == 4 ? INT32_MAX : WL__MOST_ENTRIES;
    if (shape->entries > most)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                        "%s: %llu entries, but with indices of %u bytes there may be %llu", call,
                        (unsigned long long)shape->entries, shape->index_bytes, (unsigned long long)most);
    const uint64_t limit = shape->index_bytes == 4 ? (uint64_t)INT32_MAX + 1 : WL__MOST_INDICES;
    if (shape->rows > limit || shape->cols > limit)
        return wl__fail(
            WL_ERROR_INVALID_ARGUMENT,
            "%s: %llu rows and %llu columns, but with indices of %u bytes there may be %llu of each", call,
            (unsigned long long)shape->rows, (unsigned long long)shape->cols, shape->index_bytes,
            (unsigned long long)limit);
    if (shape->entries && (!shape->rows || !shape->cols))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: a matrix without rows or columns has no entries",
                        call);
    return WL_ERROR_OK;
}

static struct wl__sort sort_of(const wl_sparse_shape *shape, bool by_columns) {
    return (struct wl__sort){.keys = by_columns ? shape->cols : shape->rows,
                             .rows = by_columns ? shape->rows : shape->cols,
                             .entries = shape->entries,
                             .index_bytes = shape->index_bytes,
                             .width = shape->width,
                             .has_pointers = by_columns};
}

static wl_error workspace(const char *call, wl_context *context, const wl_sparse_shape *shape,
                          bool by_columns, size_t *bytes) {
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_sparse_shape(call, shape);
    if (!error && !bytes)
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: bytes is NULL", call);
    if (error)
        return error;
    const struct wl__sort sort = sort_of(shape, by_columns);
    *bytes = shape->entries && !wl__is_host(context) ? wl__runs_workspace(context, &sort) : 0;
    return WL_ERROR_OK;
}

wl_error wl_csr_transpose_workspace(wl_context *context, const wl_sparse_shape *shape, size_t *bytes) {
    return workspace("wl_csr_transpose_workspace", context, shape, true, bytes);
}

wl_error wl_coo_to_csr_workspace(wl_context *context, const wl_sparse_shape *shape, size_t *bytes) {
    return workspace("wl_coo_to_csr_workspace", context, shape, false, bytes);
}

enum {
    TO_POINTERS,
    TO_INDICES,
    TO_VALUES,
    WORKSPACE,
    FROM_FIRST,
    FROM_SECOND,
    FROM_VALUES,
    ARRAYS,
    OUTPUTS = 4
};

static wl_error check_arrays(const char *call, const wl_context *context,
                             const struct wl__array arrays[ARRAYS], const wl_sparse_shape *shape) {
    struct wl__reach reach = {.context = context};
    const unsigned index = shape->index_bytes, value = shape->width ? shape->width : 1;
    const unsigned alignment[ARRAYS] = {index, index, value, 1, index, index, value};
    const struct wl__array *room = &arrays[WORKSPACE];
    wl_error error = WL_ERROR_OK;
    if (room->bytes && room->address % WL__SORT_ALIGNMENT)
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: workspace is 0x%llx, which is not a multiple of %d",
                         call, (unsigned long long)room->address, WL__SORT_ALIGNMENT);
    for (unsigned i = 0; i < ARRAYS && !error; i++)
        error = wl__check_array(call, &reach, &arrays[i], alignment[i]);
    for (unsigned out = 0; out < OUTPUTS; out++)
        for (unsigned i = out + 1; i < ARRAYS && !error; i++)
            error = wl__check_apart(call, &arrays[out], &arrays[i]);
    return error;
}

static wl_error check_workspace(const char *call, wl_context *context, const wl_sparse_shape *shape,
                                bool by_columns, size_t bytes, size_t *needed) {
    wl_error error = workspace(call, context, shape, by_columns, needed);
    if (!error && bytes < *needed)
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT,
                         "%s: workspace_bytes is %zu: %zu are needed, as %s_workspace says", call, bytes,
                         *needed, call);
    return error;
}

/* Checks the arrays and sorts: CSR by columns, its first array the rows' starts; or COO by rows, its first
 * array the rows. */
static wl_error run(const char *call, wl_context *context, const wl_sparse_shape *shape, bool by_columns,
                    const struct wl__array arrays[ARRAYS], wl_stream stream) {
    wl_error error = check_arrays(call, context, arrays, shape);
    if (error)
        return error;
    struct wl__sort sort = sort_of(shape, by_columns);
    sort.from_keys = arrays[by_columns ? FROM_SECOND : FROM_FIRST].address;
    sort.pointers = by_columns ? arrays[FROM_FIRST].address : 0;
    sort.others = by_columns ? 0 : arrays[FROM_SECOND].address;
    sort.from_values = arrays[FROM_VALUES].address;
    sort.starts = arrays[TO_POINTERS].address;
    sort.to_others = arrays[TO_INDICES].address;
    sort.to_values = arrays[TO_VALUES].address;
    sort.workspace = arrays[WORKSPACE].address;
    struct wl__choice choice = {.operation = call,
                                .kernel = "radix-sort",
                                .why = "entries move by digits of their key; if neighbouring rows have "
                                       "neighbouring columns, by ranges of these",
                                .facts = {{"rows", shape->rows},
                                          {"cols", shape->cols},
                                          {"entries", shape->entries},
                                          {"index_bytes", shape->index_bytes},
                                          {"width", shape->width}}};
    if (wl__is_host(context))
        return wl__host_sort(context, &choice, &sort);
    if (!sort.entries) {
        choice.kernel = "fill";
        choice.why = "a matrix without entries has pointers of 0 alone";
        wl__chose(context, &choice);
        return wl_fill(context, sort.starts, 0, (sort.keys + 1) * sort.index_bytes, stream);
    }
    wl__choice_begin(context, &choice);
    error = wl__runs_sort(context, &sort, stream);
    wl__choice_end();
    return error;
}

wl_error wl_csr_transpose(wl_context *context, const wl_sparse_shape *shape, const wl_csr *to,
                          const wl_csr *from, wl_devptr work, size_t workspace_bytes, wl_stream stream) {
    static const char call[] = "wl_csr_transpose";
    size_t needed;
    wl_error error = check_workspace(call, context, shape, true, workspace_bytes, &needed);
    if (!error && (!to || !from))
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", call, to ? "from" : "to");
    if (error)
        return error;
    const uint64_t indices = shape->entries * shape->index_bytes, values = shape->entries * shape->width;
    const struct wl__array arrays[ARRAYS] = {
        {"to->pointers", to->pointers, (shape->cols + 1) * shape->index_bytes},
        {"to->indices", to->indices, indices},
        {"to->values", to->values, values},
        {"workspace", work, needed},
        {"from->pointers", from->pointers, shape->entries ? (shape->rows + 1) * shape->index_bytes : 0},
        {"from->indices", from->indices, indices},
        {"from->values", from->values, values}};
    return run(call, context, shape, true, arrays, stream);
}

wl_error wl_coo_to_csr(wl_context *context, const wl_sparse_shape *shape, const wl_csr *to, wl_devptr rows,
                       wl_devptr cols, wl_devptr values, wl_devptr work, size_t workspace_bytes,
                       wl_stream stream) {
    static const char call[] = "wl_coo_to_csr";
    size_t needed;
    wl_error error = check_workspace(call, context, shape, false, workspace_bytes, &needed);
    if (!error && !to)
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: to is NULL", call);
    if (error)
        return error;
    const uint64_t indices = shape->entries * shape->index_bytes;
    const struct wl__array arrays[ARRAYS] = {
        {"to->pointers", to->pointers, (shape->rows + 1) * shape->index_bytes},
        {"to->indices", to->indices, indices},
        {"to->values", to->values, shape->entries * shape->width},
        {"workspace", work, needed},
        {"rows", rows, indices},
        {"cols", cols, indices},
        {"values", values, shape->entries * shape->width}};
    return run(call, context, shape, false, arrays, stream);
}
