/* PTX of the functions of CUDA's device runtime (libcudadevrt.a) that the simulator implements: the grid
 * barrier of cooperative launches (cudaCGGetIntrinsicHandle and the functions that take its result), which
 * Numba's kernels call. */
#ifndef WIDELOAD_SIM_CUDA_DEVICE_RUNTIME_H
#define WIDELOAD_SIM_CUDA_DEVICE_RUNTIME_H

extern const char device_runtime[];

#endif
