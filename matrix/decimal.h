/* Numbers as text, read and written exactly and faster than strtod() and printf() do it. */
#ifndef WIDELOAD_MATRIX_DECIMAL_H
#define WIDELOAD_MATRIX_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
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

/* Room for a number's text, which ends with no 0. */
enum { DECIMAL_INTEGER = 20, DECIMAL_SIGNED = 21, DECIMAL_REAL = 32 };

/* Each returns the length of what it writes. */
size_t decimal_write_unsigned(char *text, uint64_t number);
size_t decimal_write_signed(char *text, int64_t number);
/* A float of 2, 4 or 8 bytes, which decimal_read() and a rounding to as many bytes read back bit for bit.  It
 * is the shortest such text, but for some powers of two and some integers above 2^53.  "inf", and "nan" for
 * every NaN. */
size_t decimal_write(char *text, const void *number, unsigned bytes);

#endif
