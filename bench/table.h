/* The table for people: one section per experiment, aligned, at most 100 columns wide. */
#ifndef WIDELOAD_BENCH_TABLE_H
#define WIDELOAD_BENCH_TABLE_H

#include <stdio.h>

#include "bench/plan.h"

/* Prints the device's line; the second function returns it as text. */
void bench_table_header(FILE *file, const struct bench_plan *plan);
void bench_table_device(const struct bench_plan *plan, char *text, size_t size);
/* Prints the table that ends with this section, if one does (bench_section_table).  False: out of memory. */
bool bench_table_section(FILE *file, const struct bench_plan *plan, const struct bench_section *section,
                         bool colour);

/* Writes the whole plan as Markdown: a heading and a table per experiment.  False: out of memory, or a write
 * failed. */
bool bench_write_markdown(FILE *file, const struct bench_plan *plan);

#endif
