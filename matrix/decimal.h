/* Numbers as text, read and written exactly and faster than strtod() and printf() do it. */
#ifndef WIDELOAD_MATRIX_DECIMAL_H
#define WIDELOAD_MATRIX_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Fills the table of powers of ten.  Call it before the functions below; any thread may, at any time. */
void decimal_prepare(void);

/* Reads digits with an optional sign and point, and an exponent after e or E; or inf, infinity or nan.  The
 * text ends with a character that is none of these.  *number is the double nearest to what stands there, the
 * even one of two.  Returns the end, or NULL: there is no number. */
const char *decimal_read(const char *text, double *number);

/* Digits alone.  NULL, too, if they do not fit. */
const char *decimal_read_unsigned(const char *text, uint64_t *number);
/* Digits with an optional sign. */
const char *decimal_read_signed(const char *text, int64_t *number);

#endif
