/* The device that tests of kernels run on: the simulator, or the one that WIDELOAD_DEVICE names. */
#ifndef WIDELOAD_TESTS_DEVICE_H
#define WIDELOAD_TESTS_DEVICE_H

#include "wideload.h"

/* Open between open_device() and close_device(), a group's set-up and its end. */
extern wl_context *context;

int open_device(void **state);
int close_device(void **state);

#endif
