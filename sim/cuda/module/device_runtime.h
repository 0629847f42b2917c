/* PTX of the functions of CUDA's device runtime (libcudadevrt.a) that the simulator has: those by which a
 * grid of a cooperative launch meets (cudaCGGetIntrinsicHandle and what takes its result), which Numba's
 * kernels call. */
#ifndef WIDELOAD_SIM_CUDA_DEVICE_RUNTIME_H
#define WIDELOAD_SIM_CUDA_DEVICE_RUNTIME_H

extern const char device_runtime[];

#endif
