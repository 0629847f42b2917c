/* What tests of several devices share.  The process has three (WIDELOAD_SIM_DEVICES=3). */
#ifndef WIDELOAD_TESTS_CUDA_DEVICES_H
#define WIDELOAD_TESTS_CUDA_DEVICES_H

#include "tests/cuda/api.h"

enum { DEVICES = 3 };

/* Set by devices_start(): each device's primary context, a module in it, and two of its kernels. */
extern CUcontext primary[DEVICES];
extern CUmodule module[DEVICES];
extern CUfunction vadd[DEVICES], store_at[DEVICES];

/* A group's set-up and teardown, and a test's.  A test begins on device 0. */
int devices_open(void **state);
int devices_close(void **state);
int devices_start(void **state);
int devices_end(void **state);
/* Retains one device's context and loads its module: after a fault has ended the context. */
void device_start(int d);

/* Makes the device's primary context the current one. */
void use_device(int d);
CUdeviceptr alloc_on(int d, size_t bytes);
/* Launches the device's kernel in the current context; c = a + b. */
CUresult add_on(int d, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, int n, CUstream stream);
/* The same for a kernel that stores one value, and waits for it. */
CUresult store_on(int d, CUdeviceptr to, int value);
int read_word(CUdeviceptr at);
/* A kernel of device d must not store there: the driver says so for this reason, and the device begins anew.
 */
void is_refused(int d, CUdeviceptr to, const char *reason);

#endif
