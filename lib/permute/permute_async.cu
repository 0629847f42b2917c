/* Permutes dimensions where the rows of both arrays lie at multiples of 16 bytes.  Asynchronous 16-byte loads
 * fill tiles, and 16-byte stores from registers empty them.  Elements have WL_WIDTH bytes.
 *
 * A tile lies in shared memory as it does in the input.  A row is what is contiguous there, in however many
 * dimensions, and every vector keeps its place modulo 128 bytes (async.cuh says why).  A thread reads a word
 * from each of the rows that become 16 bytes of the output, transposes what is narrower than a word in
 * registers, and stores 16 bytes to each of the word's columns.  So the data crosses shared memory once, and
 * loads in flight take no registers: tiles may have 64 KB, and each thread has few registers.
 *
 * Banks: vectors are swizzled within 128 bytes, by XOR with the number of the 128 bytes, or of 2, 4, ... of
 * them.  The library takes what is best for the tile: neighbours in the output are rows of the tile, and then
 * have different banks.
 *
 * Traffic: every byte is read once and written once, but for tiles that overlap at the end of a dimension.
 * Where a row ends within a line, the rest of the line comes into the L2 too: the neighbour reads it there.
 */
#include "lib/cuda/async.cuh"
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"
#include "lib/permute/permute.cuh"
#include "lib/transpose/transpose_tile.cuh"

/* One read from shared memory: a word of narrow elements, or one element. */
#if WL_WIDTH < 4
typedef uint32_t wl_word;
#else
typedef wl_element wl_word;
#endif

#define WL_WORDS (16 / (int)sizeof(wl_word)) /* per vector */

/* The XOR term of a vector's place in the tile's memory. */
static __device__ __forceinline__ uint32_t wl_turn(uint32_t at, uint32_t bits) {
    return at >> bits & (WL_PERMUTE_LINE - WL_PERMUTE_ACCESS);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_NAME(const __grid_constant__ struct wl_permute_sides p) {
    wl_await_earlier();
    extern __shared__ __align__(128) unsigned char tile[];
    uint64_t in_tile, out_tile, place;
    uint32_t row, shared;
    wl_tile_place(p.tiles, blockIdx.x, &in_tile, &out_tile, &row);
    const uint32_t phase = (uint32_t)in_tile % WL_PERMUTE_LINE;
    const uint32_t memory = wl_async_address(tile);
    wl_thread_place(p.in, &shared, &place);
    in_tile += place;
    shared += phase;
#pragma unroll
    for (int k = 0; k < WL_PERMUTE_PASSES; k++) {
        if (p.in.limit[k] == 0)
            break;
        if (threadIdx.x < p.in.limit[k]) {
            const uint32_t at = shared + p.in.shared[k];
            wl_async_load_line((memory + at) ^ wl_turn(at, p.turn), (const void *)(in_tile + p.in.global[k]));
        }
    }
    wl_async_wait();
    wl_thread_place(p.out, &shared, &place);
    out_tile += place;
    shared += phase;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < WL_PERMUTE_PASSES; k++) {
        if (p.out.limit[k] == 0)
            break;
        if (threadIdx.x < p.out.limit[k]) {
            uint32_t at = shared + p.out.shared[k];
            union {
                uint4 vector;
                wl_word word[WL_WORDS];
            } out[WL_GROUP];
#pragma unroll
            for (int i = 0; i < WL_WORDS; i++) {
                wl_word words[WL_GROUP];
#pragma unroll
                for (int j = 0; j < WL_GROUP; j++, at += p.out.step)
                    words[j] = *(const wl_word *)(tile + (at ^ wl_turn(at, p.turn)));
                wl_transpose_group(words);
#pragma unroll
                for (int j = 0; j < WL_GROUP; j++)
                    out[j].word[i] = words[j];
            }
            uint64_t to = out_tile + p.out.global[k];
#pragma unroll
            for (int j = 0; j < WL_GROUP; j++, to += p.column)
                *(uint4 *)to = out[j].vector;
        }
    }
}
