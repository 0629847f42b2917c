/* Copies long rows, at some pitch in up to seven dimensions, into an array without gaps.  Rows begin
 * anywhere; dense.cuh says how it works and what it reads and writes.
 *
 * Each thread has a vector, and finds its row by divisions.  Most warps have no seam.  In one that has, a
 * lane loads a second window, and all work is done twice.  So this is for rows that seldom end in a warp's
 * 512 bytes; copy_seams.cu is for others.  Rows have at least 16 bytes. */
#include "lib/copy/dense.cuh"
#include "lib/cuda/earlier.cuh"

extern "C" __global__ void WL_FULL_SM wl_copy_dense(const __grid_constant__ struct wl_dense_rows p) {
    wl_await_earlier();
    uint32_t at = 16 * (blockIdx.x * WL_SLOT_THREADS + threadIdx.x);
    if (at >= p.end)
        return;
    /* Bytes [begin, stop) of the vector belong to the output; those before `turn` to the first row. */
    unsigned begin = at < p.lead ? p.lead - at : 0, stop = min(p.end - at, 16u);
    uint32_t offset, row = wl_divide(at + begin - p.lead, p.row_bytes, &offset);
    unsigned turn = min(begin + (p.row_bytes.count - offset), 16u);
    uint64_t a = wl_row_at(p, row) + offset - begin, b = a;
    if (turn < stop)
        b = wl_row_at(p, row + 1) - turn;
    uint8_t *out = (uint8_t *)p.to + at;
    const unsigned shift_a = (unsigned)a & 15, shift_b = (unsigned)b & 15;
    const uint4 *first_a = (const uint4 *)(a - shift_a), *first_b = (const uint4 *)(b - shift_b);
    if (begin == 0 && stop == 16 && (uint64_t)first_a - p.first <= p.room &&
        (uint64_t)first_b - p.first <= p.room) {
        /* No vector is loaded that has nothing of the row. */
        uint4 low_a = *wl_once(first_a), high_a = low_a, low_b = low_a, high_b = low_a;
        if (turn + shift_a > 16)
            high_a = *wl_once(first_a + 1);
        if (turn < 16 && turn + shift_b < 16)
            low_b = *wl_once(first_b);
        if (turn < 16 && shift_b)
            high_b = *wl_once(first_b + 1);
        uint4 moved = wl_window(low_a, high_a, shift_a);
        if (turn < 16)
            moved = wl_join(moved, wl_window(low_b, high_b, shift_b), wl_bits_of((int)turn));
        *(uint4 *)out = moved;
    } else {
        /* At the ends of the arrays: nothing beyond them is touched. */
#pragma unroll 1
        for (unsigned half = 0; half < 16; half += 8) {
            uint8_t byte[8];
#pragma unroll
            for (unsigned i = half; i < half + 8; i++)
                if (i >= begin && i < stop)
                    byte[i - half] = *(const uint8_t *)((i < turn ? a : b) + i);
#pragma unroll
            for (unsigned i = half; i < half + 8; i++)
                if (i >= begin && i < stop)
                    out[i] = byte[i - half];
        }
    }
}
