/* One transpose beside a plain loop, on the device of device.h. */
#ifndef WIDELOAD_TESTS_CHECK_TRANSPOSE_H
#define WIDELOAD_TESTS_CHECK_TRANSPOSE_H

#include <stdbool.h>

#include "wideload.h"

/* Whether the device has asynchronous loads: not if WIDELOAD_ARCH names one before compute capability 8.0. */
bool has_async(void);

/* Fails the test unless the output is right, byte for byte, and its guards are as they were.  The input's
 * allocation begins and ends with its array, so that the simulator checks the bounds of each read.  to_shift,
 * from_shift: distance of the arrays from an aligned address, in elements.  kernel: the kernel that must be
 * chosen, or NULL. */
void check_transpose(unsigned width, wl_transpose_layout layout, unsigned to_shift, unsigned from_shift,
                     const char *kernel);

#endif
