/* How transpose_pieces.cu and transpose_group_pieces.cu load whole rows of the input, which are contiguous.
 */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_PIECE_CUH
#define WIDELOAD_KERNELS_TRANSPOSE_PIECE_CUH

#include "lib/cuda/bulk.cuh"

/* Loads bytes low to high - 1 of those at `from` into shared memory, where byte 0 belongs at `in`, as far
 * past 16 bytes as `from` is, and waits for them.  All threads of a block call it, at least 32.  Where `pad`
 * is 16, each `group` bytes lie so much further, and all warps issue their loads; low is the begin of a row.
 *
 * A load begins at the vector that its rows begin in, which may lie before the matrix but not before the
 * array, and ends with the vector that they end in: two of groups overlap by one, which their pad has room
 * for. Single bytes bring a vector that reaches out of the last row. */
static __device__ __forceinline__ void wl_load_piece(char *in, const char *from, int low, int high, int group,
                                                     int pad, wl_barrier *loaded) {
    const int past = (uintptr_t)from % 16, begin = low - past, whole = (high + past) / 16 * 16 - past;
    const int warps = pad ? (int)blockDim.x / 32 : 1;
    if (threadIdx.x == 0)
        wl_barrier_init(loaded, warps);
    if (const int last = whole + (int)threadIdx.x - 32; last >= whole && last < high)
        in[last + (pad ? last / group * pad : 0)] = from[last];
    __syncthreads();
    if (!pad) {
        if (threadIdx.x == 0) {
            wl_barrier_expect(loaded, whole - begin);
            if (whole > begin)
                wl_bulk_load_once(in + begin, from + begin, whole - begin, loaded);
        }
    } else {
        int bytes = 0;
        for (int i = (int)threadIdx.x % 32 * warps + (int)threadIdx.x / 32; i * group < whole;
             i += (int)blockDim.x) {
            const int first = max(begin, i * group - past),
                      load = min(whole, (i + 1) * group + (past ? 16 - past : 0)) - first;
            if (load > 0) {
                wl_bulk_load_once(in + i * pad + first, from + first, load, loaded);
                bytes += load;
            }
        }
        bytes = __reduce_add_sync(~0u, bytes);
        if (threadIdx.x % 32 == 0)
            wl_barrier_expect(loaded, bytes);
    }
    __syncthreads();
    wl_barrier_wait(loaded, 0);
}

#endif
