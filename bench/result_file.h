/* Reading what `wideload bench --json` wrote. */
#ifndef WIDELOAD_BENCH_RESULT_FILE_H
#define WIDELOAD_BENCH_RESULT_FILE_H

#include <jansson.h>

#include "base/error.h"

/* The JSON of a file, whatever it holds; the caller gives it back with json_decref().  An error names the
 * file, and the place where it is no JSON. */
bool bench_result_load(const char *path, json_t **out, struct base_error *error);

/* Whether it is of the schema that this program writes; an error says what it is instead. */
bool bench_result_check(const char *path, const json_t *document, struct base_error *error);

#endif
