/* What every kernel file shares: indices and the elements that wide accesses leave over.
 *
 * A grid has at most 2^31 - 1 blocks, a problem may have more.  The library then launches several
 * times; `first` is the index that a launch starts from, 0 for all but gigantic problems.  So kernels
 * keep the texts' shape, one thread an element and no loop, at every size.
 */
#ifndef WIDELOAD_KERNELS_INDEX_CUH
#define WIDELOAD_KERNELS_INDEX_CUH

#include <stdint.h>

/* The largest block.  Without it a kernel of many registers could not be launched with 1024 threads. */
#define WL_ANY_BLOCK __launch_bounds__(1024)
/* The same where a thread's loads in flight fill more than 16 registers.  ptxas keeps to 32 a thread for the
 * sake of a full multiprocessor, and puts stores between such loads; told that one block is enough it
 * takes 64. */
#define WL_ANY_BLOCK_WIDE __launch_bounds__(1024, 1)

/* One thread an element. */
static __device__ __forceinline__ uint64_t wl_index(uint64_t first) {
    return first + (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* The first element of a block of which each thread takes `each`, blockDim.x apart. */
static __device__ __forceinline__ uint64_t wl_block_index(uint64_t first, unsigned each) {
    return first + (uint64_t)blockIdx.x * (blockDim.x * each);
}

/* An array of n elements is cut in three for wide accesses: `head` elements before the first aligned
 * address, a body of whole vectors, and a tail.  Threads past the last vector take one element each of
 * head and tail, by this: the i-th element that is not in the body.  Where arrays disagree in their
 * alignment the body is empty and every element is such a one. */
static __device__ __forceinline__ uint64_t wl_edge(uint64_t i, uint64_t head, uint64_t body) {
    return i < head ? i : i + body;
}

#endif
