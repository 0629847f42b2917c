/* Structures of 2 to 8 equal fields <-> as many streams, all of them aligned to 16 bytes.  Compiled for each
 * WL_WIDTH.
 *
 * A thread has 16 / WL_WIDTH structures: k vectors of 16 bytes on either side, in registers.  The compiler
 * knows where each byte goes, since it knows the number of fields.  A warp moves a stream's vectors 512 bytes
 * at a time.  It moves the structures' vectors so too, and hands them over to the threads that need them
 * through shared memory of its own, so that no warp waits for another.
 *
 * Banks: threads' vectors lie k apart, without conflicts for odd k; for even k there is an empty vector after
 * every k.
 *
 * Traffic: every byte is read once and written once.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"
#include "lib/cuda/read_once.cuh"

#include "lib/fields/interleave_few.h"

#define WL_WARPS (WL_FEW_THREADS / 32)

struct wl_few_part {
    uint64_t group;  /* the thread's vector of each stream */
    uint64_t groups; /* whole ones */
    uint64_t packed; /* address of the matrix's structures */
    uint64_t stream_shift;
    uint64_t warp; /* the warp's first vector of each stream */
};

static __device__ __forceinline__ struct wl_few_part wl_few_part_find(const struct wl_few_shape *shape,
                                                                      uint64_t block) {
    uint64_t batch = 0;
    if (block >= shape->blocks) {
        batch = wl_divide(block, shape->blocks);
        block -= batch * shape->blocks;
    }
    struct wl_few_part part;
    part.group = block * WL_FEW_THREADS + threadIdx.x;
    part.warp = part.group - threadIdx.x % 32;
    part.groups = shape->n / WL_EACH;
    part.packed = shape->packed + batch * shape->packed_stride;
    part.stream_shift = batch * shape->stream_batch;
    return part;
}

/* The word that bytes b0 to b3 of an array of words make.  They are consecutive for elements of 4 bytes and
 * more; for 2-byte elements each two of them are. */
static __device__ __forceinline__ uint32_t wl_word_of(const uint32_t *words, unsigned b0, unsigned b1,
                                                      unsigned b2, unsigned b3) {
#if WL_WIDTH >= 4
    return words[b0 / 4];
#elif WL_WIDTH == 2
    return __byte_perm(words[b0 / 4], words[b2 / 4], (b0 % 4 ? 0x32 : 0x10) | (b2 % 4 ? 0x7600 : 0x5400));
#else
    uint32_t low = __byte_perm(words[b0 / 4], words[b1 / 4], b0 % 4 | (4 + b1 % 4) << 4);
    uint32_t high = __byte_perm(words[b2 / 4], words[b3 / 4], b2 % 4 | (4 + b3 % 4) << 4);
    return __byte_perm(low, high, 0x5410);
#endif
}

#define WL_FIELDS 2
#include "lib/fields/interleave_few.cuh"
#define WL_FIELDS 3
#include "lib/fields/interleave_few.cuh"
#define WL_FIELDS 4
#include "lib/fields/interleave_few.cuh"
#define WL_FIELDS 5
#include "lib/fields/interleave_few.cuh"
#define WL_FIELDS 6
#include "lib/fields/interleave_few.cuh"
#define WL_FIELDS 7
#include "lib/fields/interleave_few.cuh"
#define WL_FIELDS 8
#include "lib/fields/interleave_few.cuh"
