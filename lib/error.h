/* How the library's functions fail: one call sets the thread's message and gives the error back. */
#ifndef WIDELOAD_LIB_ERROR_H
#define WIDELOAD_LIB_ERROR_H

#include "wideload.h"

/* Keeps the message for wl_message() and returns error, so that a caller can write
 * `return wl__fail(...)`. */
wl_error wl__fail(wl_error error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
