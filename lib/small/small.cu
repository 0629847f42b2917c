/* Permutes the dimensions of a small array, of elements of WL_WIDTH bytes at any alignment.
 *
 * A block moves one box of up to 1024 elements through shared memory: it loads them in the input's order and
 * stores them in the output's, one element per thread at a time.  A box is contiguous for some 32 elements in
 * either order, through as many dimensions as that takes.  So there are many short blocks, and all of them
 * run at once: a call takes hardly longer than one access to the L2 each way.  Large tiles, which move more
 * bytes per instruction, need several times as long for their first byte.
 *
 * Traffic: every byte is read once and written once, in pieces of 32 elements.
 *
 * Banks: the box's memory has the input's order, and one word more after each 128 bytes.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"
#include "lib/small/small_parameters.h"

static __device__ __forceinline__ uint32_t wl_padded(uint32_t element) {
    const uint32_t byte = element * WL_WIDTH;
    return byte + byte / 128 * WL_SMALL_PAD(WL_WIDTH);
}

static __device__ __forceinline__ uint32_t wl_cut(const struct wl_small_cut &cut, uint32_t *block,
                                                  uint64_t *to, uint64_t *from) {
    uint32_t place;
    *block = wl_divide(*block, cut.boxes, &place);
    *from += place * cut.in;
    *to += place * cut.out;
    return place;
}

/* Finds element number i of a box of `parts` parts on one side: its places in the array and in the box.
 * Returns whether the array has it. */
template <int parts, bool out>
static __device__ __forceinline__ bool wl_find(const struct wl_small &p, const uint32_t *left, uint32_t i,
                                               uint32_t *global, uint32_t *shared) {
    bool inside = i < p.elements;
    *global = *shared = 0;
#pragma unroll
    for (int k = 0; k < parts; k++) {
        const struct wl_small_part &part = out ? p.pair[k / 2].out[k % 2] : p.pair[k / 2].in[k % 2];
        uint32_t at = i;
        if (k + 1 < parts) {
            i = i * part.magic >> WL_SMALL_SHIFT;
            at -= i * part.count;
        }
        *global += at * part.global;
        *shared += at * part.shared;
        inside &= at < left[k];
    }
    *shared = wl_padded(*shared);
    return inside;
}

template <int parts, int each>
static __device__ __forceinline__ void wl_move(const struct wl_small &p, unsigned char *box) {
    uint64_t from = p.from, to = p.to;
    uint32_t block = blockIdx.x, in_left[parts], out_left[parts];
#pragma unroll
    for (int k = 0; k < parts; k++) {
        const struct wl_small_cut &cut = p.pair[k / 2].cut[k % 2];
        const struct wl_small_part &part = p.pair[k / 2].in[k % 2];
        const uint32_t place = wl_cut(cut, &block, &to, &from);
        in_left[k] = place == cut.boxes.count - 1 ? part.last : part.count;
    }
#pragma unroll 1
    for (uint32_t d = 0; d < p.others; d++)
        wl_cut(p.other[d], &block, &to, &from);
    wl_await_earlier();
    wl_element moved[each];
    uint32_t in_place[each], out_place[each], out[each];
    bool in_inside[each], out_inside[each];
#pragma unroll
    for (int k = 0; k < each; k++) {
        uint32_t global;
        in_inside[k] = wl_find<parts, false>(p, in_left, threadIdx.x + k * blockDim.x, &global, &in_place[k]);
        if (in_inside[k])
            moved[k] = *(const wl_element *)wl_global(from + global);
    }
    /* While the loads are in flight. */
#pragma unroll
    for (int k = 0; k < parts; k++) {
        const uint32_t d = p.pair[k / 2].out[k % 2].dimension;
        out_left[k] = d & 1 ? in_left[1] : in_left[0];
        if (parts > 2 && d & 2)
            out_left[k] = parts > 3 && d & 1 ? in_left[parts - 1] : in_left[2];
    }
#pragma unroll
    for (int k = 0; k < each; k++)
        out_inside[k] =
            wl_find<parts, true>(p, out_left, threadIdx.x + k * blockDim.x, &out[k], &out_place[k]);
#pragma unroll
    for (int k = 0; k < each; k++)
        if (in_inside[k])
            *(wl_element *)(box + in_place[k]) = moved[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < each; k++)
        if (out_inside[k])
            *(wl_element *)wl_global(to + out[k]) = *(const wl_element *)(box + out_place[k]);
}

template <int each>
static __device__ __forceinline__ void wl_move_box(const struct wl_small &p, unsigned char *box) {
    if (p.parts <= 2)
        wl_move<2, each>(p, box);
    else if (p.parts == 3)
        wl_move<3, each>(p, box);
    else
        wl_move<4, each>(p, box);
}

extern "C" __global__ void __launch_bounds__(WL_SMALL_MOST / WL_SMALL_FEW)
    WL_JOIN(small_few, WL_WIDTH, )(const __grid_constant__ struct wl_small p) {
    __shared__ uint4 memory[WL_SMALL_BYTES(WL_WIDTH) / 16];
    wl_move_box<WL_SMALL_FEW>(p, (unsigned char *)memory);
}

extern "C" __global__ void __launch_bounds__(WL_SMALL_MOST / WL_SMALL_MORE)
    WL_JOIN(small_more, WL_WIDTH, )(const __grid_constant__ struct wl_small p) {
    __shared__ uint4 memory[WL_SMALL_BYTES(WL_WIDTH) / 16];
    wl_move_box<WL_SMALL_MORE>(p, (unsigned char *)memory);
}
