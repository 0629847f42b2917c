/* Copies rows of a few dozen to a few hundred bytes, at some pitch in up to seven dimensions, into an array
 * without gaps.  Rows begin anywhere; dense.cuh says how it works and what it reads and writes.
 *
 * Every warp has seams here, and instructions are the limit.  With one vector per thread, which finds its
 * place and makes its seam itself (copy_dense.cu), a warp has 200 of them per 512 bytes, and selecting and
 * shifting keep the arithmetic units busy longer than memory takes.  So a warp has a KB.  Its lanes first
 * find its rows' places, one each.  Later they make its seams, one each, in shared memory, while all other
 * loads are in flight.  The lanes' vectors look up both.  The only barriers are of warps.
 *
 * A warp at an end of either array goes by bytes, so that nothing beyond is touched. */
#include "lib/copy/dense.cuh"
#include "lib/cuda/earlier.cuh"

#define WARPS 4
#define EACH  2            /* vectors per lane */
#define PIECE (512 * EACH) /* bytes per warp */

/* The bytes of a vector after a row's end, the others 0; and a mask of those others. */
struct seam {
    uint4 bytes, before;
};

/* place: where the piece's first byte would lie if it belonged to row `lane`. */
static __device__ __noinline__ void go_by_bytes(const struct wl_dense_rows &p, uint32_t piece, int into,
                                                uint64_t place) {
    uint8_t *out = (uint8_t *)p.to + piece;
#pragma unroll 1
    for (uint32_t first = threadIdx.x % 32; first < PIECE; first += 8 * 32) {
        uint8_t byte[8];
#pragma unroll
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t x = first + i * 32, rest,
                     row = wl_divide((uint32_t)max((int)x + into, 0), p.row_bytes, &rest);
            uint64_t from = __shfl_sync(0xffffffff, place, row) + x;
            if (piece + x >= p.lead && piece + x < p.end)
                byte[i] = *(const uint8_t *)from;
        }
#pragma unroll
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t x = first + i * 32;
            if (piece + x >= p.lead && piece + x < p.end)
                out[x] = byte[i];
        }
    }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 10)
    wl_copy_seams(const __grid_constant__ struct wl_dense_rows p) {
    wl_await_earlier();
    __shared__ struct seam all_seams[WARPS][32];
    struct seam *seams = all_seams[threadIdx.x / 32]; /* where each row begins */
    const uint32_t lane = threadIdx.x % 32, piece = (blockIdx.x * WARPS + threadIdx.x / 32) * PIECE,
                   row_bytes = p.row_bytes.count;
    if (piece >= p.end)
        return;
    uint32_t rest, row = wl_divide(piece < p.lead ? 0 : piece - p.lead, p.row_bytes, &rest);
    /* The offset of the piece in that row, and the offset of the lane's row in the piece. */
    const int into = piece < p.lead ? (int)piece - (int)p.lead : (int)rest;
    const int start = (int)(lane * row_bytes) - into;
    const uint64_t place = wl_row_at(p, row + lane) - start;
    uint64_t begin = place + max(start, 0), end = place + min(start + (int)row_bytes, PIECE);
    bool at_end = piece < p.lead || p.end - piece < PIECE ||
                  (start < PIECE && (begin - 16 - p.first > p.room || end - p.first > p.room));
    if (__any_sync(0xffffffff, at_end)) {
        go_by_bytes(p, piece, into, place);
        return;
    }

    uint4 low[EACH], high[EACH];
    unsigned shift[EACH];
    int turn[EACH]; /* the row's bytes from the vector on */
    uint32_t next[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint32_t x = lane * 16 + i * 512, its = wl_divide(x + into, p.row_bytes, &rest);
        next[i] = its + 1;
        turn[i] = (int)(row_bytes - rest);
        const uint64_t from = __shfl_sync(0xffffffff, place, its) + x;
        shift[i] = (unsigned)from & 15;
        const uint4 *vector = (const uint4 *)(from - shift[i]);
        low[i] = *wl_once(vector);
        if (shift[i] && turn[i] + shift[i] > 16)
            high[i] = *wl_once(vector + 1);
    }
    if (start > 0 && start < PIECE && start % 16) {
        const uint64_t from = place + start / 16 * 16;
        const unsigned by = (unsigned)from & 15;
        const uint4 *vector = (const uint4 *)(from - by);
        uint4 first, second, before = wl_bits_of(start % 16);
        if (start % 16 + by < 16)
            first = *wl_once(vector);
        if (by)
            second = *wl_once(vector + 1);
        seams[lane].bytes = wl_join(make_uint4(0, 0, 0, 0), wl_window(first, second, by), before);
        seams[lane].before = before;
    }
    __syncwarp();
    uint4 *out = (uint4 *)((uint8_t *)p.to + piece) + lane;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        uint4 moved = wl_window(low[i], high[i], shift[i]);
        if (turn[i] < 16) {
            const struct seam seam = seams[next[i]];
            moved.x = (moved.x & seam.before.x) | seam.bytes.x;
            moved.y = (moved.y & seam.before.y) | seam.bytes.y;
            moved.z = (moved.z & seam.before.z) | seam.bytes.z;
            moved.w = (moved.w & seam.before.w) | seam.bytes.w;
        }
        out[i * 32] = moved;
    }
}
