/* A block's panel, and how it comes to shared memory: for transpose_panels.cu and transpose_group_panels.cu.
 * Elements have WL_WIDTH bytes, blocks WL_THREADS threads.
 *
 * WL_BULK 1: panels are contiguous in the input too, except for a few bytes between rows or matrices.  One
 * bulk load brings the whole vectors around them.  0: panels are columns of longer rows, and asynchronous
 * loads bring windows of whole vectors.  In shared memory rows are as far apart as in global memory, modulo
 * 128 bytes, so that a line stays a line (async.cuh says why); or modulo 32, where no such panel fits. Either
 * way element (r, c) is at r * pitch + c. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_PANEL_FILL_CUH
#define WIDELOAD_KERNELS_TRANSPOSE_PANEL_FILL_CUH

#if WL_BULK
#include "lib/cuda/bulk.cuh"
#else
#include "lib/cuda/async.cuh"
#endif
#include "lib/cuda/element.cuh"
#include "lib/transpose/transpose_panels.h"
#include "lib/transpose/transpose_tile.cuh"

struct wl_panel {
    const char *from;
    char *to;
    int matrices, cols; /* that there are */
    uint32_t in;        /* where it begins in shared memory, at its place in a line */
};

/* batch: the digits of matrices' numbers, or NULL. */
static __device__ __forceinline__ wl_panel wl_find_panel(const wl_transpose_panels &all,
                                                         const wl_batch *batch) {
    uint32_t panel;
    uint64_t matrix = (uint64_t)wl_divide(blockIdx.x, all.by_panels, &panel) * all.together;
    const uint64_t column = (uint64_t)panel * all.panel_cols;
    wl_panel p;
    p.matrices = wl_rest(all.matrices, matrix, all.together);
    uint64_t from = 0, to = 0;
    /* With digits a panel has one matrix. */
    if (batch && batch->digits)
        matrix = wl_find_matrix(batch, (uint32_t)matrix, &from, &to);
    p.from = all.from + from + matrix * all.from_stride + column * WL_WIDTH;
    p.to = all.to + to + matrix * all.to_stride + column * all.to_pitch;
    p.cols = wl_rest(all.cols, column, all.panel_cols);
    p.in = 128 * WL_BULK + (uint32_t)((uintptr_t)p.from % 128);
    return p;
}

#if WL_BULK
/* The barrier is the first line of shared memory. */
static __device__ __forceinline__ void wl_load_panel(const wl_transpose_panels &all, const wl_panel &p,
                                                     char *shared) {
    const char *const from = p.from;
    char *const in = shared + p.in;
    const int bytes =
        ((p.matrices - 1) * (int)all.stride + ((int)all.rows - 1) * (int)all.pitch + p.cols) * WL_WIDTH;
    int begin = -(int)((uintptr_t)from % 16), end = bytes + (int)(-(uintptr_t)(from + bytes) % 16);
    if (from + begin < all.from)
        begin += 16;
    if (from + end > all.end)
        end -= 16;
    if (end <= begin)
        begin = end = 0;
    wl_barrier *const loaded = (wl_barrier *)shared;
    if (threadIdx.x == 0) {
        wl_barrier_init(loaded, 1);
        wl_barrier_expect(loaded, end - begin);
        if (end > begin)
            wl_bulk_load_once(in + begin, from + begin, end - begin, loaded);
    }
    /* Elements in vectors that reach out of the array. */
    const int first = ((int)threadIdx.x - 32) * WL_WIDTH, last = end + first;
    if (first >= 0 && first < begin)
        *(wl_element *)(in + first) = *(const wl_element *)(from + first);
    if (first >= 0 && last < bytes)
        *(wl_element *)(in + last) = *(const wl_element *)(from + last);
    __syncthreads();
    wl_barrier_wait(loaded, 0);
}
#else
static __device__ __forceinline__ void wl_load_panel(const wl_transpose_panels &all, const wl_panel &p,
                                                     char *shared) {
    uint32_t vector;
    int r = (int)wl_divide(threadIdx.x, all.by_vectors, &vector);
    const int rows = (int)all.rows, bytes = p.cols * WL_WIDTH, step = (int)all.row_step,
              pitch = (int)all.pitch * WL_WIDTH;
    const char *address = p.from + r * all.from_pitch + vector * 16;
    uint32_t slot = wl_async_address(shared) + p.in + r * pitch + vector * 16;
    const int beyond = (int)vector * 16 - bytes; /* vectors of rows that begin later reach into the row */
    /* Whether no row's window reaches out of the array. */
    if (p.from - all.from >= 16 && all.end - p.from >= (int64_t)((rows - 1) * all.from_pitch + bytes + 16)) {
        if (r < step)
#pragma unroll 4
            for (; r < rows; r += step, address += step * all.from_pitch, slot += step * pitch)
                if ((int)((uintptr_t)address % 16) > beyond)
                    wl_async_load(slot & ~15u, (const char *)((uintptr_t)address & ~(uintptr_t)15));
    } else if (r < step) {
#pragma unroll 1
        for (; r < rows; r += step, address += step * all.from_pitch, slot += step * pitch) {
            if ((int)((uintptr_t)address % 16) <= beyond)
                continue;
            const char *const begin = (const char *)((uintptr_t)address & ~(uintptr_t)15);
            if (begin >= all.from && begin + 16 <= all.end) {
                wl_async_load(slot & ~15u, begin);
                continue;
            }
            char *const place = shared + ((slot & ~15u) - wl_async_address(shared));
#pragma unroll 1
            for (int i = 0; i < 16; i += WL_WIDTH)
                if (begin + i >= all.from && begin + i < all.end)
                    *(wl_element *)(place + i) = *(const wl_element *)(begin + i);
        }
    }
    wl_async_wait();
    __syncthreads();
}
#endif

#endif
