/* The device that tests of kernels run on: the simulator, or the one that WIDELOAD_DEVICE names. */
#ifndef WIDELOAD_TESTS_DEVICE_H
#define WIDELOAD_TESTS_DEVICE_H

#include <stdbool.h>

#include "wideload.h"

/* Open between open_device() and close_device(), a group's set-up and its end. */
extern wl_context *context;

int open_device(void **state);
int close_device(void **state);

/* Whether a case is left to the release build's tests.  Under a sanitizer, which takes several times as long,
 * two of three are; which ones is drawn, the same each time. */
bool left_to_release(void);

#endif
