/* Work that is shared among the machine's threads. */
#ifndef WIDELOAD_MATRIX_SHARE_H
#define WIDELOAD_MATRIX_SHARE_H

#include <stddef.h>

/* How many threads there are: 1 or more. */
size_t matrix_threads(void);

/* Calls work(argument, i) for each i below count, each in any thread and in any order. */
void matrix_share(void (*work)(void *argument, size_t i), void *argument, size_t count);

#endif
