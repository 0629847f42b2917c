/* Checks of a sparse matrix's data: pointers that ascend, and indices in range. */
#include <string.h>

#include "lib/arguments.h"
#include "lib/choice.h"
#include "lib/divide.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/launch.h"
#include "lib/sparse/sparse.h"

/* A call, and its names of the two arrays. */
struct check {
    const char *call, *names[2];
    wl_context *context;
    const wl_sparse_shape *shape;
    wl_stream stream;
    struct wl_check data;
};

static wl_error check_arguments(const struct check *check, const char *const arguments[2]) {
    const unsigned index = check->shape->index_bytes;
    const bool host = wl__is_host(check->context);
    struct wl__reach reach = {.context = check->context};
    const struct wl__array room = {"workspace", check->data.wrong, host ? 0 : WL_SPARSE_CHECK_BYTES};
    wl_error error = wl__check_array(check->call, &reach, &room, WL_SPARSE_CHECK_BYTES);
    for (unsigned i = 0; i < 2 && !error; i++) {
        const struct wl_check_array *array = &check->data.arrays[i];
        const struct wl__array argument = {arguments[i], array->address, array->count * index};
        error = wl__check_array(check->call, &reach, &argument, index);
        if (!error)
            error = wl__check_apart(check->call, &room, &argument);
    }
    return error;
}

/* ---------------------------------------------------------------- on a device */

/* Before anything is put on the stream. */
static wl_error check_stream(const struct check *check) {
    const struct wl__driver *driver = &check->context->driver;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    wl_error error = wl__enter(check->context);
    if (error)
        return error;
    error =
        wl__driver_check(driver, driver->cuStreamIsCapturing(check->stream, &status), "cuStreamIsCapturing");
    wl__leave(check->context);
    if (!error && status != CU_STREAM_CAPTURE_STATUS_NONE)
        error = wl__fail(
            WL_ERROR_INVALID_ARGUMENT,
            "%s: stream captures a graph, which this call cannot be part of: it waits for its result",
            check->call);
    return error;
}

static wl_error launch(struct check *check) {
    const uint64_t tiles = check->data.arrays[0].tiles + check->data.arrays[1].tiles;
    const wl__kernel kernel = check->shape->index_bytes == 4 ? WL_KERNEL_check4 : WL_KERNEL_check8;
    void *arguments[] = {&check->data};
    return wl__launch(check->context, kernel, (uint32_t)(tiles < WL_GRID_X_LIMIT ? tiles : WL_GRID_X_LIMIT),
                      1, (struct wl__block){WL_CHECK_THREADS, 1}, arguments, check->stream);
}

/* Copies what the device has when the stream has done all that was put on it. */
static wl_error fetch(const struct check *check, void *to, wl_devptr from, size_t bytes) {
    if (wl__is_host(check->context)) {
        memcpy(to, wl__host_pointer(from), bytes);
        return WL_ERROR_OK;
    }
    const struct wl__driver *driver = &check->context->driver;
    wl_error error = wl__enter(check->context);
    if (error)
        return error;
    error = wl__driver_check(driver, driver->cuMemcpyDtoHAsync(to, from, bytes, check->stream),
                             "cuMemcpyDtoHAsync");
    if (!error)
        error = wl__driver_check(driver, driver->cuStreamSynchronize(check->stream), "cuStreamSynchronize");
    wl__leave(check->context);
    return error;
}

static wl_error find_wrong(struct check *check, uint64_t *wrong) {
    wl_error error = check_stream(check);
    if (!error)
        error = wl_fill(check->context, check->data.wrong, 0xff, sizeof *wrong, check->stream);
    if (!error)
        error = launch(check);
    return error ? error : fetch(check, wrong, check->data.wrong, sizeof *wrong);
}

/* ---------------------------------------------------------------- what is wrong */

/* The array's element i, after the one before it, if there is one. */
static wl_error fetch_element(const struct check *check, unsigned array, uint64_t i, long long values[2]) {
    const unsigned bytes = check->shape->index_bytes, count = i ? 2 : 1;
    int64_t wide[2] = {0};
    int32_t narrow[2] = {0};
    void *to = bytes == 4 ? (void *)(narrow + 2 - count) : (void *)(wide + 2 - count);
    const wl_devptr from = check->data.arrays[array].address + (i + 1 - count) * bytes;
    wl_error error = fetch(check, to, from, (size_t)count * bytes);
    for (unsigned k = 0; k < 2; k++)
        values[k] = bytes == 4 ? narrow[k] : wide[k];
    return error;
}

static wl_error fail_pointer(const struct check *check, uint64_t i, const long long values[2]) {
    const unsigned long long at = i, entries = check->shape->entries;
    const long long before = values[0], pointer = values[1];
    const char *call = check->call;
    if (!i)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: pointers[0] is %lld; the first row begins at 0", call,
                        pointer);
    if (pointer < before)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                        "%s: pointers[%llu] is %lld, less than pointers[%llu], which is %lld", call, at,
                        pointer, at - 1, before);
    return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: pointers[%llu]%s is %lld; there are %llu entries", call,
                    at, i == check->shape->rows ? ", the last," : "", pointer, entries);
}

static wl_error fail_element(const struct check *check, uint64_t place) {
    const struct wl_check_array *second = &check->data.arrays[1];
    const bool in_second = place >= second->place && (place - second->place) % second->step == 0;
    const struct wl_check_array *array = &check->data.arrays[in_second];
    const uint64_t i = (place - array->place) / array->step;
    long long values[2];
    wl_error error = fetch_element(check, in_second, i, values);
    if (error)
        return error;
    if (check->data.pointers && !in_second)
        return fail_pointer(check, i, values);
    const bool rows = !check->data.pointers && !in_second;
    return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s[%llu] is %lld; the %s are 0 to %llu", check->call,
                    check->names[in_second], (unsigned long long)i, values[1], rows ? "rows" : "columns",
                    (unsigned long long)array->limit - 1);
}

/* ---------------------------------------------------------------- calls */

static void count_tiles(struct wl_check_array *array, unsigned index_bytes) {
    const uint64_t bytes = array->address % 16 + array->count * index_bytes;
    array->tiles = array->count ? wl__divide_up(bytes, 16 * WL_CHECK_THREADS * WL_CHECK_EACH) : 0;
}

static wl_error run(struct check *check) {
    const wl_sparse_shape *shape = check->shape;
    const struct wl__choice choice = {.operation = check->call,
                                      .kernel = wl__is_host(check->context) ? "host-check" : "check",
                                      .why = "each pointer and index is read once",
                                      .facts = {{"rows", shape->rows},
                                                {"cols", shape->cols},
                                                {"entries", shape->entries},
                                                {"index_bytes", shape->index_bytes}}};
    uint64_t wrong = WL_CHECK_NONE;
    wl_error error = WL_ERROR_OK;
    wl__chose(check->context, &choice);
    for (unsigned i = 0; i < 2; i++)
        count_tiles(&check->data.arrays[i], shape->index_bytes);
    if (wl__is_host(check->context))
        wrong = wl__host_check(&check->data, shape->index_bytes);
    else if (check->data.arrays[0].count)
        error = find_wrong(check, &wrong);
    return error || wrong == WL_CHECK_NONE ? error : fail_element(check, wrong);
}

wl_error wl_csr_check(wl_context *context, const wl_sparse_shape *shape, const wl_csr *matrix,
                      wl_devptr workspace, wl_stream stream) {
    static const char call[] = "wl_csr_check";
    static const char *const arguments[2] = {"matrix->pointers", "matrix->indices"};
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_sparse_shape(call, shape);
    if (!error && !matrix)
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: matrix is NULL", call);
    if (error)
        return error;
    struct check check = {
        .call = call,
        .names = {"pointers", "indices"},
        .context = context,
        .shape = shape,
        .stream = stream,
        .data = {.arrays = {{matrix->pointers, shape->rows + 1, shape->entries, 0, 1, 0},
                            {matrix->indices, shape->entries, shape->cols, shape->rows + 1, 1, 0}},
                 .wrong = workspace,
                 .pointers = true}};
    error = check_arguments(&check, arguments);
    return error ? error : run(&check);
}

/* An entry's row has the place before its column's. */
wl_error wl_coo_check(wl_context *context, const wl_sparse_shape *shape, wl_devptr rows, wl_devptr cols,
                      wl_devptr workspace, wl_stream stream) {
    static const char call[] = "wl_coo_check";
    static const char *const names[2] = {"rows", "cols"};
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_sparse_shape(call, shape);
    if (error)
        return error;
    struct check check = {.call = call,
                          .names = {names[0], names[1]},
                          .context = context,
                          .shape = shape,
                          .stream = stream,
                          .data = {.arrays = {{rows, shape->entries, shape->rows, 0, 2, 0},
                                              {cols, shape->entries, shape->cols, 1, 2, 0}},
                                   .wrong = workspace}};
    error = check_arguments(&check, names);
    return error ? error : run(&check);
}
