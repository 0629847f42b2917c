/* An error message of one line for the user.  A function that can fail returns false and fills one. */
#ifndef WIDELOAD_BASE_ERROR_H
#define WIDELOAD_BASE_ERROR_H

#include <stdbool.h>

struct base_error {
    bool usage;      /* true: the request is wrong (exit status 2); false: something failed (exit status 1) */
    char text[1024]; /* no newline; says what is wrong, where, and what to do */
};

/* Both fill *error and return false, so that a caller can write `return base_usage(error, ...)`. */
bool base_usage(struct base_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool base_failure(struct base_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
