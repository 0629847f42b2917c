/* Reports its compilation target: 9002 with -arch=compute_90a, 10001 with compute_100f, 7500 with
 * compute_75. */
extern "C" {
__device__ int chosen =
#if defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __CUDA_ARCH__ * 10 + 2;
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
    __CUDA_ARCH__ * 10 + 1;
#elif defined(__CUDA_ARCH__)
    __CUDA_ARCH__ * 10;
#else
    0;
#endif

__global__ void choose(int *out) {
    *out = chosen;
}
}
