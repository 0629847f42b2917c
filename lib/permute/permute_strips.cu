/* Permutes rows that stay together and begin anywhere, of a few to a few hundred bytes: through tiles of rows
 * in shared memory that bulk copies fill.
 *
 * Single rows of so few bytes have partial sectors at both ends, so that copying them one by one
 * (copy_seams.cu) reads up to twice as many sectors as there are.  A tile has about 26 to 48 loads of a KB
 * and more.  A load is rows that are contiguous in the input.  One row from each load in turn makes a run of
 * the output, also of a KB and more.
 *
 * Traffic: every byte is written once and read once, but for the sectors at the ends of loads, and one row
 * per 31 bytes, by which tiles overlap so that each has whole sectors of a run.  The rest at the ends of a
 * dimension goes by bytes, one per lane.
 *
 * Loads keep their places modulo 128 bytes, and their pitch in shared memory is constant, so that each
 * follows from the first.  A lane makes a vector of the output from the three 8-byte words around its bytes:
 * two of 16 bytes would need 12 selections instead of 5, and rows of 37 bytes were 7 % slower.  If the row
 * ends within the vector, the next row's bytes come from the next load in the same way. */
#define WL_WIDTH 1
#define WL_PART  1
#include "lib/cuda/slots.cuh"
#include "lib/permute/permute.cuh"
#include "lib/permute/permute_turns.cuh"
#include "lib/permute/permute_window.cuh"

extern __shared__ __align__(128) unsigned char memory[];

/* The 16 bytes from `at` on. */
static __device__ __forceinline__ uint4 bytes_at(const unsigned char *at) {
    const unsigned shift = (unsigned)(uintptr_t)at & 7, bits = 8 * shift;
    const uint2 *word = (const uint2 *)(at - shift);
    uint2 a = word[0], b = word[1], c = word[2];
    if (shift & 4) {
        a = make_uint2(a.y, b.x);
        b = make_uint2(b.y, c.x);
        c.x = c.y;
    }
    return make_uint4(__funnelshift_r(a.x, a.y, bits), __funnelshift_r(a.y, b.x, bits),
                      __funnelshift_r(b.x, b.y, bits), __funnelshift_r(b.y, c.x, bits));
}

/* A word with the bytes of a before byte `end`, and the others of b. */
static __device__ __forceinline__ uint32_t join(uint32_t a, uint32_t b, int end) {
    const uint32_t before = wl_bits_before(end);
    return (a & before) | (b & ~before);
}

/* Byte x of run `run`. */
static __device__ __forceinline__ const unsigned char *
place_of(const struct wl_permute_strips &p, const unsigned char *tile, uint32_t run, uint32_t x, int *left) {
    uint32_t rest, load = wl_divide(x, p.row_bytes, &rest);
    *left = (int)(p.row_bytes.count - rest);
    return tile + load * p.pitch + run * p.row_bytes.count + rest;
}

/* Stores the runs' parts of sectors that are not wholly theirs, one byte per lane. */
static __device__ __forceinline__ void store_ends(const struct wl_permute_strips &p,
                                                  const unsigned char *tile, uint64_t first, uint32_t ends) {
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t run = threadIdx.x / 32; run < p.runs; run += WL_THREADS / 32) {
        const uint64_t out = first + run * p.out;
        const uint32_t before = (0u - (uint32_t)out) % WL_PERMUTE_SECTOR,
                       tail = before + (p.run - before) / WL_PERMUTE_SECTOR * WL_PERMUTE_SECTOR + lane;
        int left;
        if (ends & 1 && lane < before)
            *(uint8_t *)(out + lane) = *place_of(p, tile, run, lane, &left);
        if (ends & 2 && tail < p.run)
            *(uint8_t *)(out + tail) = *place_of(p, tile, run, tail, &left);
    }
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 4)
    wl_permute_strips(const __grid_constant__ struct wl_permute_strips p) {
    wl_await_earlier();
    wl_barrier *barrier = (wl_barrier *)(memory + p.barrier);
    uint64_t from, to;
    uint32_t joined, ends = wl_tile_place(p.tiles, blockIdx.x, &from, &to, &joined);
    if (threadIdx.x == 0) {
        wl_take_turn(p.start);
        wl_barrier_init(barrier, WL_THREADS);
    }
    __syncthreads();
    unsigned char *tile = memory + from % WL_PERMUTE_LINE;
    uint32_t bytes = 0;
    for (uint32_t i = threadIdx.x; i < p.loads; i += WL_THREADS)
        bytes += wl_load_window(p.tiles, tile + i * p.pitch, from + i * p.in, p.load, barrier);
    if (bytes)
        wl_barrier_expect(barrier, bytes);
    else
        wl_barrier_arrive(barrier);
    uint32_t vector, run = wl_divide(threadIdx.x, p.vectors, &vector);
    wl_barrier_wait(barrier, 0);

#pragma unroll 1
    while (run < p.runs) {
        const uint64_t out = to + run * p.out;
        const uint32_t before = (0u - (uint32_t)out) % WL_PERMUTE_SECTOR;
        if (before + (vector / 2 + 1) * WL_PERMUTE_SECTOR <= p.run) {
            const uint32_t x = before + vector * 16;
            int left;
            const unsigned char *at = place_of(p, tile, run, x, &left);
            uint4 moved = bytes_at(at);
            for (; left < 16; left += (int)p.row_bytes.count) {
                at += p.pitch - p.row_bytes.count;
                const uint4 next = bytes_at(at);
                moved = make_uint4(join(moved.x, next.x, left), join(moved.y, next.y, left - 4),
                                   join(moved.z, next.z, left - 8), join(moved.w, next.w, left - 12));
            }
            *(uint4 *)(out + x) = moved;
        }
        vector += p.next_vector;
        run += p.next_run;
        if (vector >= p.vectors.count) {
            vector -= p.vectors.count;
            run++;
        }
    }
    if (ends)
        store_ends(p, tile, to, ends);
}
