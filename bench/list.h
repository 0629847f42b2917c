/* Shared by the parsers of lists: splitting at commas, and room for items. */
#ifndef WIDELOAD_BENCH_LIST_H
#define WIDELOAD_BENCH_LIST_H

#include "bench/parse.h"

/* Takes one piece of a list into `list`. */
typedef bool bench_take_fn(const char *option, const char *piece, void *list, struct base_error *error);

bool bench_list_each(const char *option, const char *text, bench_take_fn *take, void *list,
                     struct base_error *error);

/* Returns the items with room for one more item of `size` bytes.  They are reallocated when count is a power
 * of two.  NULL: an error; the items are unchanged. */
void *bench_list_room(const char *option, void *items, size_t count, size_t size, struct base_error *error);

/* Both add a value unless the list has it already, as with overlapping ranges. */
bool bench_list_number(const char *option, struct bench_numbers *list, uint64_t value,
                       struct base_error *error);
bool bench_list_size(const char *option, struct bench_sizes *list, const struct bench_size *size,
                     struct base_error *error);

#endif
