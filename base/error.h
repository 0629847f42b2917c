/* What went wrong, in one line for the user.  Functions of the bench that can fail return false and fill one.
 */
#ifndef WIDELOAD_BASE_ERROR_H
#define WIDELOAD_BASE_ERROR_H

#include <stdbool.h>

struct base_error {
    bool usage;      /* the request was wrong (exit status 2), not the machine (exit status 1) */
    char text[1024]; /* no newline; names what, where and what to do */
};

/* Both fill *error and return false, so that a caller can write `return base_usage(error, ...)`. */
bool base_usage(struct base_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool base_failure(struct base_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
