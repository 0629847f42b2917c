/* The table for people: one section an experiment, aligned, at most 100 columns wide. */
#ifndef WIDELOAD_BENCH_TABLE_H
#define WIDELOAD_BENCH_TABLE_H

#include <stdio.h>

#include "bench/plan.h"

/* The device's line, and it alone as text. */
void bench_table_header(FILE *file, const struct bench_plan *plan);
void bench_table_device(const struct bench_plan *plan, char *text, size_t size);
/* Prints the table that ends with this section, if one does (bench_section_table).  False when memory is
 * exhausted. */
bool bench_table_section(FILE *file, const struct bench_plan *plan, const struct bench_section *section,
                         bool colour);

/* The whole plan as Markdown: a heading and a table an experiment.  False when memory is exhausted or the
 * file takes no more. */
bool bench_write_markdown(FILE *file, const struct bench_plan *plan);

#endif
