/* Reads results of `wideload bench --json`. */
#ifndef WIDELOAD_BENCH_RESULT_FILE_H
#define WIDELOAD_BENCH_RESULT_FILE_H

#include <jansson.h>

#include "base/error.h"

/* Loads a file's JSON of any schema; the caller releases it with json_decref().  An error names the file and
 * the place of a syntax error. */
bool bench_result_load(const char *path, json_t **out, struct base_error *error);

/* Whether the document has the schema that this program writes; if not, the error says which it has. */
bool bench_result_check(const char *path, const json_t *document, struct base_error *error);

#endif
