#include "bench/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/ratios.h"
#include "base/text.h"
#include "base/utf8.h"
#include "bench/host.h"
#include "bench/variant.h"

/* Sets a member.  False: out of memory, also if it was short when `value` was made (NULL). */
static bool set(json_t *object, const char *name, json_t *value) {
    return json_object_set_new(object, name, value) == 0;
}

/* JSON has no NaN and no infinity. */
static json_t *number_or_null(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *integer(uint64_t value) {
    return json_integer((json_int_t)value);
}

static json_t *positive_or_null(double value) {
    return value > 0 ? json_real(value) : json_null();
}

static json_t *device_object(const struct bench_plan *plan) {
    const wl_device_info *device = &plan->device;
    json_t *object = json_object();
    bool right = set(object, "name", base_json_text(device->name)) &&
                 set(object, "kind", base_json_text(device->kind)) &&
                 set(object, "arch", base_json_text(device->arch)) &&
                 set(object, "peak_gbps", positive_or_null(plan->peak_gbps)) &&
                 set(object, "driver_version", json_integer(device->driver_version)) &&
                 set(object, "multiprocessors", json_integer(device->multiprocessors)) &&
                 set(object, "l2_bytes", json_integer(device->l2_bytes)) &&
                 set(object, "memory_bytes", integer(device->memory_bytes)) &&
                 set(object, "sm_mhz_max", number_or_null(plan->sm_mhz_most)) &&
                 set(object, "memory_mhz_max", number_or_null(plan->memory_mhz_most));
    if (right)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *host_object(void) {
    struct bench_host host;
    bench_get_host(&host);
    json_t *object = json_object();
    if (set(object, "cpu", host.cpu[0] ? base_json_text(host.cpu) : json_null()) &&
        set(object, "cores", json_integer(host.cores)))
        return object;
    json_decref(object);
    return NULL;
}

/* 512 or "32x8", as --block takes it. */
static json_t *block_value(const struct bench_row *row) {
    struct bench_block block = bench_row_block(row);
    if (!block.x)
        return json_null();
    return block.y > 1 ? json_sprintf("%ux%u", (unsigned)block.x, (unsigned)block.y) : json_integer(block.x);
}

static json_t *size_value(const struct bench_row *row) {
    char text[80];
    if (row->experiment->shape == BENCH_SHAPE_ARRAY)
        return integer(row->problem.n);
    bench_size_text(row->experiment, &row->problem, text, sizeof text);
    return json_string(text);
}

static json_t *fields_value(const struct wl_problem *problem) {
    return problem->structure ? json_string(problem->structure->text) : integer(problem->fields);
}

static json_t *order_value(const struct wl_problem *problem) {
    char text[WL_RANK_MAX + 1];
    bench_order_text(problem, text, sizeof text);
    return json_string(text);
}

static json_t *matrix_value(const struct wl_problem *problem) {
    char text[80];
    bench_matrix_text(problem->matrix, text, sizeof text);
    return json_string(text);
}

/* Sets the parameters of the library's operations, and the kind of a sparse matrix. */
static bool set_variant(json_t *object, const struct bench_row *row) {
    const struct bench_experiment *experiment = row->experiment;
    const struct wl_problem *problem = &row->problem;
    bool tensor = experiment->shape == BENCH_SHAPE_TENSOR, width = experiment->has_width && problem->width;
    return set(object, "width", width ? integer(problem->width) : json_null()) &&
           set(object, "type",
               experiment->has_type ? json_string(bench_type_name(problem->type)) : json_null()) &&
           set(object, "fields", experiment->has_fields ? fields_value(problem) : json_null()) &&
           set(object, "order", tensor ? order_value(problem) : json_null()) &&
           set(object, "from_shift", experiment->has_shift ? integer(problem->from_shift) : json_null()) &&
           set(object, "to_shift", experiment->has_shift ? integer(problem->to_shift) : json_null()) &&
           set(object, "batch",
               experiment->shape == BENCH_SHAPE_BATCH ? integer(problem->batch) : json_null()) &&
           set(object, "matrix", bench_has_matrix(row) ? matrix_value(problem) : json_null()) &&
           set(object, "gpus", experiment->has_gpus ? integer(problem->gpus) : json_null());
}

json_t *bench_params_json(const struct bench_row *row) {
    enum bench_shape shape = row->experiment->shape;
    bool matrix = shape == BENCH_SHAPE_MATRIX || shape == BENCH_SHAPE_SPARSE || shape == BENCH_SHAPE_BATCH;
    bool sparse = shape == BENCH_SHAPE_SPARSE;
    json_t *object = json_object();
    bool right =
        set(object, "size", size_value(row)) &&
        set(object, "offset", row->experiment->has_offset ? integer(row->problem.offset) : json_null()) &&
        set(object, "stride", row->experiment->has_stride ? integer(row->problem.stride) : json_null()) &&
        set(object, "block", block_value(row)) &&
        set(object, "unroll", row->problem.unroll ? integer(row->problem.unroll) : json_null()) &&
        set(object, "rows", matrix ? integer(row->problem.rows) : json_null()) &&
        set(object, "cols", matrix ? integer(row->problem.cols) : json_null()) &&
        set(object, "nnz", sparse ? integer(row->problem.nnz) : json_null()) && set_variant(object, row);
    if (right)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *time_object(const struct bench_row *row) {
    if (!row->has_time)
        return json_null();
    json_t *object = json_object();
    if (set(object, "median", json_real(row->time_ms.median)) &&
        set(object, "iqr", json_real(row->time_ms.iqr)) && set(object, "min", json_real(row->time_ms.min)) &&
        set(object, "n", integer(row->time_ms.n)) &&
        set(object, "stop", json_string(bench_stop_name(row->stop))) &&
        set(object, "launches", integer(row->launches)) &&
        set(object, "replay", json_string(row->replayed ? "graph" : "launch")))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *occupancy_object(const struct bench_row *row) {
    if (!row->occupancy.most_warps)
        return json_null();
    json_t *object = json_object();
    if (set(object, "blocks", integer(row->occupancy.blocks)) &&
        set(object, "warps", integer(row->occupancy.warps)) &&
        set(object, "pct", json_real(bench_occupancy_pct(row))))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *throttle_array(uint64_t reasons) {
    json_t *array = json_array();
    const char *name;
    for (size_t i = 0; (name = bench_throttle_name(reasons, i)) != NULL; i++)
        if (json_array_append_new(array, json_string(name))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *clocks_object(const struct bench_row *row) {
    if (!row->has_clocks)
        return json_null();
    json_t *object = json_object();
    if (set(object, "sm_mhz", number_or_null(row->clocks.sm_mhz)) &&
        set(object, "memory_mhz", number_or_null(row->clocks.memory_mhz)) &&
        set(object, "throttle", throttle_array(row->clocks.reasons)))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *counters_object(const struct bench_row *row) {
    if (!row->has_counters)
        return json_null();
    json_t *object = json_object();
    bool right = object != NULL;
#define SET_COUNTER(name) right = right && set(object, #name, integer(row->counters.name));
    WL_COUNTER_MAP(SET_COUNTER)
#undef SET_COUNTER
    for (size_t i = 0; i < base_ratio_count && right; i++)
        right = set(object, base_ratios[i].name, number_or_null(base_ratios[i].of(&row->counters)));
    if (right)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *peer_object(const struct bench_row *row) {
    if (!row->rung->library)
        return json_null();
    json_t *object = json_object();
    if (set(object, "library", base_json_text(row->rung->library)) &&
        set(object, "version", row->library_version[0] ? base_json_text(row->library_version) : json_null()))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *row_object(const struct bench_row *row) {
    json_t *object = json_object();
    bool ran = row->status == BENCH_VERIFIED || row->status == BENCH_FAILED;
    bool absent = row->status == BENCH_SKIPPED || row->status == BENCH_PENDING;
    const char *skipped = absent ? bench_row_remark(row) : NULL;
    bool right =
        set(object, "experiment", json_string(row->experiment->name)) &&
        set(object, "kernel", json_string(row->rung->name)) && set(object, "peer", peer_object(row)) &&
        set(object, "params", bench_params_json(row)) &&
        set(object, "verified", ran ? json_boolean(row->status == BENCH_VERIFIED) : json_null()) &&
        set(object, "error", row->status == BENCH_FAILED ? base_json_text(row->note) : json_null()) &&
        set(object, "skipped", skipped ? base_json_text(skipped) : json_null()) &&
        set(object, "bytes", integer(row->bytes)) && set(object, "time_ms", time_object(row)) &&
        set(object, "gbps", number_or_null(row->gbps)) &&
        set(object, "pct_peak", number_or_null(row->pct_peak)) &&
        set(object, "pct_copy", number_or_null(row->pct_copy)) &&
        set(object, "gops", number_or_null(row->gops)) &&
        set(object, "l2", row->has_time ? json_string(bench_l2_name(row->l2)) : json_null()) &&
        set(object, "fits_l2", row->has_time ? json_boolean(row->fits_l2) : json_null()) &&
        set(object, "occupancy", occupancy_object(row)) && set(object, "clocks", clocks_object(row)) &&
        set(object, "counters", counters_object(row));
    if (right)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *rows_array(const struct bench_plan *plan) {
    json_t *rows = json_array();
    for (size_t s = 0; s < plan->section_count; s++)
        for (size_t i = 0; i < plan->sections[s].row_count; i++)
            if (json_array_append_new(rows, row_object(&plan->sections[s].rows[i]))) {
                json_decref(rows);
                return NULL;
            }
    return rows;
}

static json_t *command_array(const struct bench_plan *plan) {
    json_t *array = json_array();
    for (size_t i = 0; i < plan->command_count; i++)
        if (json_array_append_new(array, base_json_text(plan->command[i]))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *date_value(void) {
    char text[32];
    time_t now = time(NULL);
    struct tm utc;
    if (now == (time_t)-1 || !gmtime_r(&now, &utc) ||
        !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
        return json_null();
    return json_string(text);
}

bool bench_write_json(FILE *file, const struct bench_plan *plan) {
    json_t *document = json_object();
    bool right = set(document, "schema", json_string(BENCH_SCHEMA)) &&
                 set(document, "version", json_string(wl_version())) && set(document, "date", date_value()) &&
                 set(document, "command", command_array(plan)) &&
                 set(document, "seed", integer(plan->seed)) && set(document, "host", host_object()) &&
                 set(document, "device", device_object(plan)) && set(document, "rows", rows_array(plan));
    right = right && json_dumpf(document, file, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0 &&
            fputc('\n', file) != EOF && fflush(file) == 0;
    json_decref(document);
    return right;
}
