#include "bench/result_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/json.h"

static const char family[] = "wideload-bench/";

bool bench_result_load(const char *path, json_t **out, struct base_error *error) {
    json_error_t fault;
    *out = NULL;
    FILE *file = fopen(path, "re");
    if (!file)
        return base_usage(error, "%.400s cannot be read: %s", path, strerror(errno));
    errno = 0;
    json_t *document = json_loadf(file, JSON_REJECT_DUPLICATES, &fault);
    int reason = ferror(file) ? errno : 0;
    fclose(file);
    if (document && !reason) {
        *out = document;
        return true;
    }
    json_decref(document);
    if (reason)
        return base_usage(error, "%.400s cannot be read: %s", path, strerror(reason));
    bool cut = json_error_code(&fault) == json_error_premature_end_of_input;
    return base_usage(error, "%.400s:%d:%d: %s: %.300s", path, fault.line, fault.column,
                      cut ? "the file is cut off" : "no JSON", fault.text);
}

bool bench_result_check(const char *path, const json_t *document, struct base_error *error) {
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (!schema)
        return base_usage(error,
                          "%.400s: not a result of wideload bench: it has no member \"schema\"; give what "
                          "`wideload bench --json FILE` wrote",
                          path);
    if (strcmp(schema, BENCH_SCHEMA) == 0)
        return true;
    if (strncmp(schema, family, sizeof family - 1) == 0)
        return base_usage(error, "%.400s: schema \"%.80s\": this program reads %s; a newer wideload reads it",
                          path, schema, BENCH_SCHEMA);
    return base_usage(error, "%.400s: schema \"%.80s\", where %s is read", path, schema, BENCH_SCHEMA);
}
