/* What the parsers of lists share: pieces between commas, and room for items. */
#ifndef WIDELOAD_BENCH_LIST_H
#define WIDELOAD_BENCH_LIST_H

#include "bench/parse.h"

/* Takes one piece of a list into `list`. */
typedef bool bench_take_fn(const char *option, const char *piece, void *list, struct base_error *error);

bool bench_list_each(const char *option, const char *text, bench_take_fn *take, void *list,
                     struct base_error *error);

/* The items with room for one more of `size` bytes, which they gain at powers of two; NULL after a failure.
 */
void *bench_list_room(const char *option, void *items, size_t count, size_t size, struct base_error *error);

/* A value that a list names twice, as overlapping ranges do, is in it once. */
bool bench_list_number(const char *option, struct bench_numbers *list, uint64_t value,
                       struct base_error *error);
bool bench_list_size(const char *option, struct bench_sizes *list, const struct bench_size *size,
                     struct base_error *error);

#endif
