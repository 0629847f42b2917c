/* Writes fields of a CSV file, quoted as in RFC 4180.  Each function writes a comma first, so the caller
 * writes a line's first field itself. */
#ifndef WIDELOAD_BASE_CSV_FIELDS_H
#define WIDELOAD_BASE_CSV_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void base_put_text(FILE *file, const char *text);
/* An absent value gives an empty field. */
void base_put_integer(FILE *file, bool present, uint64_t value);
/* An absent value, NaN or infinity gives an empty field. */
void base_put_number(FILE *file, bool present, double value);

#endif
