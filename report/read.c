/* Reads one JSON file into struct report_results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result_file.h"
#include "report/fields.h"
#include "report/results.h"

enum { SECTOR = 32 };

const char *const report_param_names[REPORT_PARAMS] = {"size",     "offset", "stride", "block", "unroll",
                                                       "order",    "type",   "fields", "width", "from_shift",
                                                       "to_shift", "matrix", "gpus"};

static bool may_be_numbers(enum report_param which) {
    return which == REPORT_SIZE || which == REPORT_BLOCK;
}

static bool may_be_a_word(enum report_param which) {
    return which == REPORT_ORDER || which == REPORT_TYPE || which == REPORT_FIELDS || which == REPORT_MATRIX;
}

bool report_is_simulator(const struct report_device *device) {
    return strcmp(device->kind, "sim") == 0;
}

/* 1048576 for "1024x1024"; NaN if the text is not a product of numbers. */
static double product(const char *text) {
    double result = 1;
    for (;;) {
        char *end;
        if (*text < '0' || *text > '9')
            return NAN;
        result *= (double)strtoull(text, &end, 10);
        if (!*end)
            return result;
        if (*end != 'x')
            return NAN;
        text = end + 1;
    }
}

/* "2^28" for 268435456, and other numbers as they are. */
static const char *number_text(struct report_pool *pool, json_int_t value) {
    if (value >= 1 << 16 && (value & (value - 1)) == 0)
        return report_format(pool, "2^%d", __builtin_ctzll((unsigned long long)value));
    return report_format(pool, "%" JSON_INTEGER_FORMAT, value);
}

static void take_param(struct report_fields *params, enum report_param which, struct report_row *row) {
    const char *name = report_param_names[which];
    json_t *value = params->object ? json_object_get(params->object, name) : NULL;
    row->param[which] = NAN;
    if (!value || json_is_null(value))
        return;
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        row->param[which] = (double)json_integer_value(value);
        row->param_text[which] = number_text(params->pool, json_integer_value(value));
    } else if (json_is_string(value) && may_be_a_word(which)) {
        row->param_text[which] = report_plain(params->pool, json_string_value(value));
    } else if (json_is_string(value) && may_be_numbers(which) && product(json_string_value(value)) >= 0) {
        row->param[which] = product(json_string_value(value));
        row->param_text[which] = report_plain(params->pool, json_string_value(value));
    } else {
        report_fault(params, name,
                     may_be_numbers(which)  ? "a number or numbers such as \"32x8\""
                     : may_be_a_word(which) ? "a number, a word or null"
                                            : "a number of 0 or more, or null");
    }
}

static void take_counters(struct report_fields *row_fields, struct report_row *row) {
    static const char *const names[REPORT_RATIOS] = {
        "gld_efficiency",    "gst_efficiency", "gld_transactions_per_request", "gst_transactions_per_request",
        "shared_efficiency", "bound_pct"};
    struct report_fields counters = report_object(row_fields, "counters", false);
    row->has_counters = counters.object != NULL;
    for (int i = 0; i < REPORT_RATIOS; i++)
        row->ratio[i] = report_number(&counters, names[i]);
    row->moved = report_number(&counters, "gld_moved_bytes") + report_number(&counters, "gst_moved_bytes");
    double bulk = report_number(&counters, "bulk_load_transactions") +
                  report_number(&counters, "bulk_store_transactions");
    if (!isnan(bulk)) /* older files have no counters of bulk copies */
        row->moved += SECTOR * bulk;
    report_end(row_fields, &counters);
}

static const char *joined(struct report_fields *fields, const char *name, const char *between) {
    json_t *array = report_array(fields, name, false), *item;
    char *text = NULL;
    size_t i, size;
    if (!json_array_size(array))
        return NULL;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        report_out_of_memory();
    json_array_foreach(array, i, item) {
        if (!json_is_string(item)) {
            report_fault(fields, name, "an array of strings");
            break;
        }
        fprintf(memory, "%s%s", i ? between : "", json_string_value(item));
    }
    if (fclose(memory))
        report_out_of_memory();
    text = report_keep(fields->pool, text);
    report_blank(text);
    return fields->right ? text : NULL;
}

static void take_time(struct report_fields *fields, struct report_row *row) {
    struct report_fields time = report_object(fields, "time_ms", false);
    row->median = report_number(&time, "median");
    row->iqr = report_number(&time, "iqr");
    row->min = report_number(&time, "min");
    row->samples = report_number(&time, "n");
    row->stop = report_string(&time, "stop", false);
    /* Older files have "stalled". */
    if (row->stop && strcmp(row->stop, "stalled") == 0)
        row->stop = "steady";
    report_end(fields, &time);
    row->gbps = report_number(fields, "gbps");
    row->pct_peak = report_number(fields, "pct_peak");
    row->pct_copy = report_number(fields, "pct_copy");
    row->gops = report_number(fields, "gops");
    row->fits_l2 = report_boolean(fields, "fits_l2") == 1;
    row->l2 = report_string(fields, "l2", false);
    struct report_fields clocks = report_object(fields, "clocks", false);
    row->sm_mhz = report_number(&clocks, "sm_mhz");
    row->memory_mhz = report_number(&clocks, "memory_mhz");
    row->throttle = joined(&clocks, "throttle", ", ");
    report_end(fields, &clocks);
}

static void take_status(struct report_fields *fields, struct report_row *row) {
    const char *error = report_string(fields, "error", false);
    const char *skipped = report_string(fields, "skipped", false);
    int verified = report_boolean(fields, "verified");
    row->status = verified == 1 ? REPORT_VERIFIED : verified == 0 || error ? REPORT_FAILED : REPORT_SKIPPED;
    row->note = row->status == REPORT_VERIFIED ? NULL
                : row->status == REPORT_FAILED ? (error ? error : "the file does not say why")
                                               : (skipped ? skipped : "the file does not say why");
}

static bool take_row(struct report_fields *fields, struct report_row *row) {
    row->experiment = report_string(fields, "experiment", true);
    row->kernel = report_string(fields, "kernel", true);
    struct report_fields params = report_object(fields, "params", true);
    for (int i = 0; i < REPORT_PARAMS; i++)
        take_param(&params, (enum report_param)i, row);
    report_end(fields, &params);
    struct report_fields peer = report_object(fields, "peer", false);
    row->library = report_string(&peer, "library", peer.object != NULL);
    row->library_version = report_string(&peer, "version", false);
    report_end(fields, &peer);
    take_status(fields, row);
    row->bytes = report_number(fields, "bytes");
    take_time(fields, row);
    struct report_fields occupancy = report_object(fields, "occupancy", false);
    row->occupancy = report_number(&occupancy, "pct");
    report_end(fields, &occupancy);
    take_counters(fields, row);
    return fields->right;
}

static void take_device(struct report_fields *top, struct report_device *device) {
    struct report_fields fields = report_object(top, "device", true);
    device->name = report_string(&fields, "name", true);
    device->kind = report_string(&fields, "kind", true);
    device->arch = report_string(&fields, "arch", true);
    if (fields.right && strcmp(device->kind, "gpu") && strcmp(device->kind, "sim"))
        report_fault(&fields, "kind", "\"gpu\" or \"sim\"");
    device->peak_gbps = report_number(&fields, "peak_gbps");
    device->driver_version = report_number(&fields, "driver_version");
    device->multiprocessors = report_number(&fields, "multiprocessors");
    device->l2_bytes = report_number(&fields, "l2_bytes");
    device->memory_bytes = report_number(&fields, "memory_bytes");
    device->sm_mhz_max = report_number(&fields, "sm_mhz_max");
    device->memory_mhz_max = report_number(&fields, "memory_mhz_max");
    report_end(top, &fields);
}

bool report_take(struct report_results *results, const char *path, json_t *document, struct report_pool *pool,
                 struct base_error *error) {
    struct report_fields top = {
        .path = path, .object = document, .right = true, .pool = pool, .error = error};
    memset(results, 0, sizeof *results);
    if (!bench_result_check(path, document, error))
        return false;
    results->path = path;
    results->version = report_string(&top, "version", true);
    results->date = report_string(&top, "date", false);
    results->command = joined(&top, "command", " ");
    results->seed = report_number(&top, "seed");
    struct report_fields host = report_object(&top, "host", false);
    results->cpu = report_string(&host, "cpu", false);
    results->cores = report_number(&host, "cores");
    report_end(&top, &host);
    take_device(&top, &results->device);
    json_t *rows = report_array(&top, "rows", true), *item;
    results->row_count = json_array_size(rows);
    results->rows = report_alloc(pool, results->row_count * sizeof *results->rows);
    size_t i;
    json_array_foreach(rows, i, item) {
        struct report_fields fields = top;
        snprintf(fields.where, sizeof fields.where, "rows[%zu]", i);
        if (!json_is_object(item)) {
            report_fault(&fields, "", "an object");
            return false;
        }
        snprintf(fields.where, sizeof fields.where, "rows[%zu].", i);
        fields.object = item;
        if (!take_row(&fields, &results->rows[i]))
            return false;
    }
    if (top.right && !results->row_count)
        return base_usage(error, "%.400s: it has no rows; nothing was run", path);
    return top.right;
}

bool report_read(struct report_results *results, const char *path, struct report_pool *pool,
                 struct base_error *error) {
    json_t *document;
    if (!bench_result_load(path, &document, error))
        return false;
    bool right = report_take(results, path, document, pool, error);
    json_decref(document);
    return right;
}
