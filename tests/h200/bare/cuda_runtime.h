/* Stands in for CUDA's header, which nvcc includes before every file: choice.cu needs these two words of it,
 * and parsing the rest would take most of nvcc's time, once for each architecture.  nvcc's output is the
 * same. */
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
