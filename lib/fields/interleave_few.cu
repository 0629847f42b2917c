/* Structures of 2 to 8 equal fields <-> as many streams, all of them aligned to 16 bytes.  Compiled for each
 * WL_WIDTH.
 *
 * A thread has 16 / WL_WIDTH structures: k vectors of 16 bytes on either side, in registers.  The compiler
 * knows where each byte goes, since it knows the number of fields.  A warp moves a stream's vectors 512 bytes
 * at a time.  It moves the structures' vectors so too, and hands them over to the threads that need them
 * through shared memory of its own, so that no warp waits for another.
 *
 * few_words.cuh says how banks are kept apart.
 *
 * Traffic: every byte is read once and written once.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/read_once.cuh"

#include "lib/fields/few_words.cuh"
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
