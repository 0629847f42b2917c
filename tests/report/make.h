/* Makes results for the tests from JSON in C's quotes. */
#ifndef WIDELOAD_TESTS_REPORT_MAKE_H
#define WIDELOAD_TESTS_REPORT_MAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "report/view.h"

#define GPU       "{'name': 'A', 'kind': 'gpu', 'arch': 'sm_90', 'peak_gbps': 5000.0}"
#define SIMULATOR "{'name': 'S', 'kind': 'sim', 'arch': 'sm_90', 'peak_gbps': null}"

/* Puts rows into a document; ' stands for ". */
static inline bool make_results(struct report_results *results, const char *device, const char *rows,
                                struct report_pool *pool, struct base_error *error) {
    char *text = report_format(
        pool, "{'schema': 'wideload-bench/1', 'version': '1', 'device': %s, 'rows': [%s]}", device, rows);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_error_t fault;
    json_t *document = json_loads(text, 0, &fault);
    if (!document)
        fail_msg("%s: %s", fault.text, text);
    bool right = report_take(results, "file.json", document, pool, error);
    json_decref(document);
    return right;
}

static inline struct report_data make_data(const char *gpu_rows, const char *simulator_rows,
                                           struct report_pool *pool) {
    struct report_results files[2];
    struct report_data data = {0};
    struct base_error error;
    if (!make_results(&files[0], GPU, gpu_rows, pool, &error) ||
        (simulator_rows && !make_results(&files[1], SIMULATOR, simulator_rows, pool, &error)) ||
        !report_join(&data, files, simulator_rows ? 2 : 1, pool, &error))
        fail_msg("%s", error.text);
    return data;
}

/* A timed row; params and more: members, each with a comma before it. */
#define ROW(kernel, gbps, params, more)                                                                      \
    "{'experiment': 'copy', 'kernel': '" kernel "', 'verified': true, 'gbps': " gbps                         \
    ", 'params': {'x': 0" params "}" more "}"

#endif
