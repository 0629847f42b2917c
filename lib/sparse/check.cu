/* Checks a sparse matrix's data: pointers begin with 0, ascend and end with the number of entries, and
 * indices are below a limit.  Elements have 4 or 8 bytes (wl_unsigned).
 *
 * A block checks a tile of 16 KiB: each thread loads four vectors of 16 bytes, and then compares.  A tile
 * that is not whole in the array is loaded by elements, so nothing outside the array is read, whatever its
 * alignment.
 *
 * Traffic: each element is read once, and nothing is written unless one is wrong.  A pointer's predecessor
 * comes from the lane before; each warp's first lane reads its own, whose sector its neighbour loads anyway.
 * 2^20 rows of 16 entries with 4-byte indices take 4 + 64 MiB.  Loads are ordinary ones: what is checked is
 * mostly used next, and may stay in the cache.
 *
 * The wrong element of the least place is the answer, so it is the same in each run. */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/global.cuh"
#include "lib/sparse/check_parameters.h"

#define WL_ELEMENTS (16 / (int)sizeof(wl_unsigned)) /* of a vector */
#define WL_TILE     (WL_CHECK_THREADS * WL_CHECK_EACH * WL_ELEMENTS)

/* The elements of the vector at an address. */
static __device__ __forceinline__ void wl_load_vector(const uint32_t *at, uint32_t out[4]) {
    const uint4 vector = *(const uint4 *)at;
    out[0] = vector.x, out[1] = vector.y, out[2] = vector.z, out[3] = vector.w;
}
static __device__ __forceinline__ void wl_load_vector(const uint64_t *at, uint64_t out[2]) {
    const ulonglong2 vector = *(const ulonglong2 *)at;
    out[0] = vector.x, out[1] = vector.y;
}

/* The first element of the thread's j-th vector of a tile: less than 0, or past the array, in a tile that is
 * not whole in it. */
template <typename wl_unsigned>
static __device__ __forceinline__ int64_t wl_first(const struct wl_check_array &a, uint64_t tile,
                                                   uint32_t j) {
    const uint64_t vector = (tile * WL_CHECK_EACH + j) * WL_CHECK_THREADS + threadIdx.x;
    return (int64_t)(vector * WL_ELEMENTS) - (int64_t)(a.address % 16 / (int)sizeof(wl_unsigned));
}

/* The thread's vectors of a tile; elements that are not in the array are 0.  Which way is the same for all of
 * a block's threads, so that no branch comes between the vectors' loads. */
template <typename wl_unsigned>
static __device__ __forceinline__ void wl_load(const struct wl_check_array &a, uint64_t tile,
                                               wl_unsigned out[WL_CHECK_EACH][WL_ELEMENTS]) {
    const wl_unsigned *array = (const wl_unsigned *)wl_global(a.address);
    const int64_t begin = wl_first<wl_unsigned>(a, tile, 0) - threadIdx.x * WL_ELEMENTS,
                  count = (int64_t)a.count;
    if (begin >= 0 && begin + WL_TILE <= count) {
#pragma unroll
        for (uint32_t j = 0; j < WL_CHECK_EACH; j++)
            wl_load_vector(array + wl_first<wl_unsigned>(a, tile, j), out[j]);
        return;
    }
#pragma unroll
    for (uint32_t j = 0; j < WL_CHECK_EACH; j++)
#pragma unroll
        for (uint32_t k = 0; k < WL_ELEMENTS; k++) {
            const int64_t i = wl_first<wl_unsigned>(a, tile, j) + k;
            out[j][k] = i >= 0 && i < count ? array[i] : 0;
        }
}

/* The place of the thread's first wrong index in a tile.  Negative ones are large numbers. */
template <typename wl_unsigned>
static __device__ __forceinline__ uint64_t wl_wrong_index(const struct wl_check_array &a, uint64_t tile) {
    const wl_unsigned limit = (wl_unsigned)a.limit;
    wl_unsigned at[WL_CHECK_EACH][WL_ELEMENTS];
    uint64_t wrong = WL_CHECK_NONE;
    bool any = false;
    wl_load(a, tile, at);
#pragma unroll
    for (uint32_t j = 0; j < WL_CHECK_EACH; j++)
#pragma unroll
        for (uint32_t k = 0; k < WL_ELEMENTS; k++)
            any |= at[j][k] >= limit;
    if (!any)
        return wrong;
#pragma unroll
    for (uint32_t j = 0; j < WL_CHECK_EACH; j++)
#pragma unroll
        for (uint32_t k = 0; k < WL_ELEMENTS; k++)
            if (wrong == WL_CHECK_NONE && at[j][k] >= limit)
                wrong = a.place + a.step * (uint64_t)(wl_first<wl_unsigned>(a, tile, j) + k);
    return wrong;
}

/* Whether pointer i of the array is wrong; `before` is the one before it, if there is one. */
template <typename wl_signed>
static __device__ __forceinline__ bool wl_is_wrong(const struct wl_check_array &a, int64_t i,
                                                   wl_signed pointer, wl_signed before) {
    const wl_signed limit = (wl_signed)a.limit, least = i == (int64_t)a.count - 1 ? limit
                                                        : i > 0                   ? before
                                                                                  : 0;
    return pointer < least || pointer > (i > 0 ? limit : 0);
}

/* The same for pointers.  All threads of a warp take part. */
template <typename wl_unsigned, typename wl_signed>
static __device__ __forceinline__ uint64_t wl_wrong_pointer(const struct wl_check_array &a, uint64_t tile) {
    const int64_t count = (int64_t)a.count;
    const wl_signed limit = (wl_signed)a.limit;
    const uint32_t lane = threadIdx.x % 32;
    wl_unsigned at[WL_CHECK_EACH][WL_ELEMENTS], before[WL_CHECK_EACH];
    uint64_t wrong = WL_CHECK_NONE;
    wl_load(a, tile, at);
#pragma unroll
    for (uint32_t j = 0; j < WL_CHECK_EACH; j++) {
        const int64_t first = wl_first<wl_unsigned>(a, tile, j);
        before[j] = lane == 0 && first > 0 && first < count
                        ? ((const wl_unsigned *)wl_global(a.address))[first - 1]
                        : 0;
    }
#pragma unroll
    for (uint32_t j = 0; j < WL_CHECK_EACH; j++) {
        const int64_t first = wl_first<wl_unsigned>(a, tile, j);
        const wl_unsigned other = __shfl_up_sync(0xffffffff, at[j][WL_ELEMENTS - 1], 1);
        wl_signed last = (wl_signed)(lane ? other : before[j]);
        /* A vector with one of the array's ends always gets the longer look. */
        bool look = first <= 0 || first + WL_ELEMENTS >= count;
#pragma unroll
        for (uint32_t k = 0; k < WL_ELEMENTS; k++)
            look |= (wl_signed)at[j][k] < (k ? (wl_signed)at[j][k - 1] : last) || (wl_signed)at[j][k] > limit;
        if (!look)
            continue;
#pragma unroll
        for (uint32_t k = 0; k < WL_ELEMENTS; k++) {
            const int64_t i = first + k;
            const wl_signed pointer = (wl_signed)at[j][k];
            if (wrong == WL_CHECK_NONE && i >= 0 && i < count && wl_is_wrong(a, i, pointer, last))
                wrong = a.place + a.step * (uint64_t)i;
            last = pointer;
        }
    }
    return wrong;
}

template <typename wl_unsigned, typename wl_signed>
static __device__ __forceinline__ void wl_check_data(const struct wl_check &p) {
    const uint64_t first = p.arrays[0].tiles, tiles = first + p.arrays[1].tiles;
    uint64_t wrong = WL_CHECK_NONE;
    for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const bool second = tile >= first;
        const struct wl_check_array &a = p.arrays[second];
        const uint64_t found = p.pointers && !second
                                   ? wl_wrong_pointer<wl_unsigned, wl_signed>(a, tile)
                                   : wl_wrong_index<wl_unsigned>(a, second ? tile - first : tile);
        wrong = min((unsigned long long)wrong, (unsigned long long)found);
    }
    if (wrong != WL_CHECK_NONE)
        atomicMin((unsigned long long *)wl_global(p.wrong), (unsigned long long)wrong);
}

extern "C" __global__ void __launch_bounds__(WL_CHECK_THREADS)
    wl_check4(const __grid_constant__ struct wl_check p) {
    wl_await_earlier();
    wl_check_data<uint32_t, int32_t>(p);
}

extern "C" __global__ void __launch_bounds__(WL_CHECK_THREADS)
    wl_check8(const __grid_constant__ struct wl_check p) {
    wl_await_earlier();
    wl_check_data<uint64_t, int64_t>(p);
}
