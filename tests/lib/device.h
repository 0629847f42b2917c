/* The device that tests of kernels run on: the simulator, or the device that WIDELOAD_DEVICE names. */
#ifndef WIDELOAD_TESTS_DEVICE_H
#define WIDELOAD_TESTS_DEVICE_H

#include <stdbool.h>

#include "wideload.h"

/* Opened by open_device() and closed by close_device(), a group's set-up and teardown. */
extern wl_context *context;

int open_device(void **state);
int close_device(void **state);
/* The same set-up on the host device. */
int open_host(void **state);
/* The same set-up without the mover of small arrays (without_small.h). */
int open_without_small(void **state);

/* Whether only the release build's tests run this case.  Under a sanitizer, which takes several times as
 * long, one of six cases runs.  A loop inside a case may ask again, and then skips as many of what is left.
 * The choice is the same in each run. */
bool left_to_release(void);
/* Whether only the tests for sm_90 run this case.  For another device, whose movers lib_floors tests too, one
 * of three runs. */
bool left_to_newer(void);

#endif
