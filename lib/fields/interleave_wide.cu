/* Structures of many equal fields <-> streams: a tile of 32 structures and 32 fields in shared memory, one
 * element per access, 32 contiguous elements per row on either side.  One module has all widths: few
 * structures are so wide.
 *
 * interleave.cu moves wider vectors, but holds whole structures.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/global.cuh"

#include "lib/fields/interleave_wide.h"

/* A block's part: at most WL_WIDE_TILE fields of as many structures. */
struct wl_tile {
    uint64_t structure;
    unsigned structures, field, fields;
};

static __device__ __forceinline__ struct wl_tile wl_tile_of(const struct wl_wide_shape *shape,
                                                            uint64_t block) {
    struct wl_tile tile;
    tile.field = (unsigned)(block % shape->tiles) * WL_WIDE_TILE;
    tile.fields = min(shape->fields - tile.field, WL_WIDE_TILE);
    tile.structure = block / shape->tiles * WL_WIDE_TILE;
    tile.structures = (unsigned)min(shape->n - tile.structure, (uint64_t)WL_WIDE_TILE);
    return tile;
}

template <typename wl_element>
static __device__ __forceinline__ wl_element *wl_structure(const struct wl_wide_shape *shape,
                                                           const struct wl_tile *tile, unsigned number) {
    return (wl_element *)wl_global(shape->packed + (tile->structure + number) * shape->pitch) + tile->field;
}
template <typename wl_element>
static __device__ __forceinline__ wl_element *wl_stream(const struct wl_wide_shape *shape,
                                                        const struct wl_tile *tile, unsigned number) {
    return (wl_element *)wl_global(shape->streams[tile->field + number]) + tile->structure;
}

template <typename wl_element>
static __device__ __forceinline__ void wl_deinterleave(const struct wl_wide_shape &shape, uint64_t block) {
    __shared__ wl_element moved[WL_WIDE_TILE][WL_WIDE_TILE + 1];
    const struct wl_tile tile = wl_tile_of(&shape, block);
    const unsigned x = threadIdx.x;
#pragma unroll
    for (unsigned y = threadIdx.y; y < WL_WIDE_TILE; y += WL_WIDE_ROWS)
        if (y < tile.structures && x < tile.fields)
            moved[y][x] = wl_structure<wl_element>(&shape, &tile, y)[x];
    __syncthreads();
#pragma unroll
    for (unsigned y = threadIdx.y; y < WL_WIDE_TILE; y += WL_WIDE_ROWS)
        if (y < tile.fields && x < tile.structures)
            wl_stream<wl_element>(&shape, &tile, y)[x] = moved[x][y];
}

template <typename wl_element>
static __device__ __forceinline__ void wl_interleave(const struct wl_wide_shape &shape, uint64_t block) {
    __shared__ wl_element moved[WL_WIDE_TILE][WL_WIDE_TILE + 1];
    const struct wl_tile tile = wl_tile_of(&shape, block);
    const unsigned x = threadIdx.x;
#pragma unroll
    for (unsigned y = threadIdx.y; y < WL_WIDE_TILE; y += WL_WIDE_ROWS)
        if (y < tile.fields && x < tile.structures)
            moved[x][y] = wl_stream<wl_element>(&shape, &tile, y)[x];
    __syncthreads();
#pragma unroll
    for (unsigned y = threadIdx.y; y < WL_WIDE_TILE; y += WL_WIDE_ROWS)
        if (y < tile.structures && x < tile.fields)
            wl_structure<wl_element>(&shape, &tile, y)[x] = moved[y][x];
}

#define WL_WIDE_KERNEL(name, move, element)                                                                  \
    extern "C" __global__ void __launch_bounds__(WL_WIDE_TILE *WL_WIDE_ROWS)                                 \
        name(const __grid_constant__ struct wl_wide_shape shape, uint64_t first) {                           \
        wl_await_earlier();                                                                                  \
        move<element>(shape, first + blockIdx.x);                                                            \
    }

WL_WIDE_KERNEL(wl_wide_deinterleave1, wl_deinterleave, uint8_t)
WL_WIDE_KERNEL(wl_wide_deinterleave2, wl_deinterleave, uint16_t)
WL_WIDE_KERNEL(wl_wide_deinterleave4, wl_deinterleave, uint32_t)
WL_WIDE_KERNEL(wl_wide_deinterleave8, wl_deinterleave, uint2)
WL_WIDE_KERNEL(wl_wide_deinterleave16, wl_deinterleave, uint4)
WL_WIDE_KERNEL(wl_wide_interleave1, wl_interleave, uint8_t)
WL_WIDE_KERNEL(wl_wide_interleave2, wl_interleave, uint16_t)
WL_WIDE_KERNEL(wl_wide_interleave4, wl_interleave, uint32_t)
WL_WIDE_KERNEL(wl_wide_interleave8, wl_interleave, uint2)
WL_WIDE_KERNEL(wl_wide_interleave16, wl_interleave, uint4)
