/* What every kernel file shares: indices, and the elements that wide accesses leave over.
 *
 * A grid has at most 2^31 - 1 blocks; a problem may need more.  Then the library launches several times;
 * `first` is the index at which a launch starts, 0 for all but gigantic problems.  So kernels keep the shape
 * of the texts at every size: one thread per element, and no loop.
 */
#ifndef WIDELOAD_KERNELS_INDEX_CUH
#define WIDELOAD_KERNELS_INDEX_CUH

#include <stdint.h>

/* The largest block.  Without it a kernel with many registers could not be launched with 1024 threads. */
#define WL_ANY_BLOCK __launch_bounds__(1024)
/* The same if a thread's loads in flight fill more than 16 registers.  By default ptxas keeps to 32 per
 * thread for a full multiprocessor, and puts stores between such loads; if one block is enough it takes
 * 64. */
#define WL_ANY_BLOCK_WIDE __launch_bounds__(1024, 1)

/* One thread per element. */
static __device__ __forceinline__ uint64_t wl_index(uint64_t first) {
    return first + (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* The first element of a block whose threads take `each` elements, blockDim.x apart. */
static __device__ __forceinline__ uint64_t wl_block_index(uint64_t first, unsigned each) {
    return first + (uint64_t)blockIdx.x * (blockDim.x * each);
}

/* Wide accesses cut an array of n elements in three: `head` elements before the first aligned address, a body
 * of whole vectors, and a tail.  Threads past the last vector take one element each of head and tail:
 * wl_edge() is the i-th element outside the body.  If arrays differ in alignment, the body is empty and this
 * covers every element. */
static __device__ __forceinline__ uint64_t wl_edge(uint64_t i, uint64_t head, uint64_t body) {
    return i < head ? i : i + body;
}

#endif
