/* Reads an earlier run's JSON and finds rows in it. */
#include "bench/earlier.h"

#include <stdlib.h>
#include <string.h>

#include "bench/json.h"
#include "bench/result_file.h"

static bool check(const struct bench_earlier *earlier, struct base_error *error) {
    const json_t *document = earlier->document;
    if (!bench_result_check(earlier->path, document, error))
        return false;
    if (!json_is_object(json_object_get(document, "device")) ||
        !json_is_array(json_object_get(document, "rows")))
        return base_usage(error, "%.300s: no device or no rows, as schema %s has them", earlier->path,
                          BENCH_SCHEMA);
    if (json_array_size(json_object_get(document, "rows")) == 0)
        return base_usage(error, "%.300s holds no rows: there is nothing to compare with", earlier->path);
    return true;
}

bool bench_earlier_read(struct bench_earlier **out, const char *path, struct base_error *error) {
    struct bench_earlier *earlier = calloc(1, sizeof *earlier);
    *out = earlier;
    if (!earlier || !(earlier->path = strdup(path)))
        return base_failure(error, "out of memory");
    return bench_result_load(path, &earlier->document, error) && check(earlier, error);
}

void bench_earlier_free(struct bench_earlier *earlier) {
    if (!earlier)
        return;
    json_decref(earlier->document);
    free(earlier->path);
    free(earlier);
}

static const char *device_text(const struct bench_earlier *earlier, const char *member) {
    const char *text =
        json_string_value(json_object_get(json_object_get(earlier->document, "device"), member));
    return text ? text : "(unnamed)";
}

bool bench_earlier_check(const struct bench_earlier *earlier, const struct bench_plan *plan,
                         struct base_error *error) {
    const char *name = device_text(earlier, "name"), *arch = device_text(earlier, "arch");
    if (strcmp(name, plan->device.name) == 0 && strcmp(arch, plan->device.arch) == 0)
        return true;
    return base_usage(error,
                      "--compare: %.300s is of %.100s (%.40s), this is %.100s (%.40s): ratios between "
                      "devices say nothing; choose with --device and --arch",
                      earlier->path, name, arch, plan->device.name, plan->device.arch);
}

/* A missing parameter counts as null: an earlier version may not have had it. */
static bool same_params(const json_t *a, const json_t *b) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)a, name, value) {
        const json_t *other = json_object_get(b, name);
        if (json_is_null(value) ? other && !json_is_null(other) : !other || !json_equal(value, other))
            return false;
    }
    return true;
}

static bool is_text(const json_t *object, const char *member, const char *text) {
    const char *value = json_string_value(json_object_get(object, member));
    return value && strcmp(value, text) == 0;
}

const json_t *bench_earlier_row(const struct bench_earlier *earlier, const struct bench_row *row,
                                const json_t *params) {
    const json_t *rows = json_object_get(earlier->document, "rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *before = json_array_get(rows, i), *its = json_object_get(before, "params");
        if (is_text(before, "experiment", row->experiment->name) &&
            is_text(before, "kernel", row->rung->name) && json_is_object(its) && same_params(params, its) &&
            same_params(its, params))
            return before;
    }
    return NULL;
}
