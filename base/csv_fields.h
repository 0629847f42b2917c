/* Fields of a CSV file, as RFC 4180 quotes them.  Each writes its own comma first: a line's first field is
 * written by hand. */
#ifndef WIDELOAD_BASE_CSV_FIELDS_H
#define WIDELOAD_BASE_CSV_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void base_put_text(FILE *file, const char *text);
/* Nothing where it is not present. */
void base_put_integer(FILE *file, bool present, uint64_t value);
/* Nothing for what is no number, too. */
void base_put_number(FILE *file, bool present, double value);

#endif
