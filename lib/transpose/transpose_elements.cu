/* Transposes elements of 4, 8 or 16 bytes (wl_element) at any alignment and pitch, of either side.  A tile is
 * 32 vectors of 16 bytes across the input, and WL_DOWN lines of 128 bytes, which are 32 rows, across the
 * output.
 *
 * A store that fills part of a sector costs a read of it.  A load of part of a sector costs nothing if a
 * neighbour wants the rest.  So in each row of the output the tile begins at a multiple of 32 bytes, up to
 * WL_BEFORE rows before the tile's own first row, and that many more rows are loaded.  Rows of the input are
 * loaded as aligned 16-byte vectors too, from up to WL_EACH - 1 columns early.  Tiles are narrower by that
 * many columns, unless all rows begin at vectors.  All elements of a vector are stored to their columns in
 * shared memory, even past the tile's columns (there is room), so no element needs a test.
 *
 * When it loads, a warp's vectors are 512 bytes of a row: a request is for four or five lines, and rows and
 * shifts are the same for all lanes.  A thread's rows are 16 bytes of elements apart, or a multiple: there
 * the misalignment is the same.  When it stores, a thread's rows of the output are 32 bytes of elements
 * apart, for the same reason.  So shifts are computed once per thread.
 *
 * Bank conflicts: none.  Rows that are WL_EACH apart are neighbours in a column, and columns are an odd
 * number of slots apart.  When a warp loads, lanes are WL_EACH columns apart: eight of them take every
 * WL_EACH-th place of 128 bytes.  Every 8 * WL_EACH columns begin one slot later than the previous ones, so
 * that the next eight lanes take places between.  When it reads, the lanes of an output row read neighbours.
 *
 * Traffic: every byte is read once from memory and written once.  From the L2 cache, the extra rows and a
 * sector per row are read twice: for 4 bytes, 39 rows for 32 and 17 sectors for 16; for 8, 35 for 32; for 16,
 * 33 for 32, and 17 sectors if rows begin within a sector.  That is not what takes time:
 * docs/notes/transpose.md.  As pieces of rows begin anywhere, a load brings the 256 bytes around it, which
 * the neighbouring tile wants soon.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/read_once.cuh"
#include "lib/transpose/transpose_tiles.h"

#define WL_THREADS 256
#define WL_WIDTH   ((int)sizeof(wl_element))
#define WL_DOWN    (WL_WIDTH / 4)
#define WL_EACH    (16 / WL_WIDTH) /* elements per vector */
#define WL_VECTORS (32 * WL_EACH)  /* columns of a row's vectors */
#define WL_ROWS    (WL_DOWN * 8 * WL_EACH)
#define WL_SECTOR  (32 / WL_WIDTH) /* elements per sector */
#define WL_BEFORE  (WL_SECTOR - 1) /* rows before the tile's own */
#define WL_LOADED  (WL_ROWS + WL_BEFORE)
#define WL_WARPS   (WL_THREADS / 32)
#define WL_LOADS   ((WL_LOADED + WL_WARPS - 1) / WL_WARPS)
/* A column's slots, an odd number; and the places of the row and the column. */
#define WL_RUN            ((WL_LOADED + WL_EACH - 1) / WL_EACH)
#define WL_PITCH          (WL_EACH * WL_RUN + WL_EACH - 1 | 1)
#define WL_SLOT(row)      ((row) % WL_EACH * WL_RUN + (row) / WL_EACH)
#define WL_COLUMN(column) ((column)*WL_PITCH + ((column) >> (WL_EACH == 4 ? 5 : 4) & (WL_EACH - 1)))
/* For stores: rows of the output that a warp handles at once, and the columns between them. */
#define WL_LINE     (WL_DOWN * 8)
#define WL_TOGETHER (32 / WL_LINE)
#define WL_APART    (32 / WL_TOGETHER)
#define WL_STORES   (WL_VECTORS * WL_LINE / WL_THREADS)
/* Distance from a thread's first row of the output to its j-th. */
#define WL_STORED(j) ((j)*WL_WARPS % WL_APART + (j)*WL_WARPS / WL_APART * (WL_APART * WL_TOGETHER))

template <typename wl_element> union wl_vector {
    uint4 whole;
    wl_element each[WL_EACH];
};

/* Elements `column` to `column` + WL_EACH - 1 of a row; those from `low` to `high` - 1 exist. */
template <typename wl_element>
static __device__ __forceinline__ wl_vector<wl_element> wl_load(const char *address, int column, int low,
                                                                int high) {
    wl_vector<wl_element> vector;
    if (column >= low && column + WL_EACH <= high) {
        vector.whole = wl_load_once_256(address, true);
        return vector;
    }
#pragma unroll
    for (int i = 0; i < WL_EACH; i++)
        if (column + i >= low && column + i < high)
            vector.each[i] = ((const wl_element *)address)[i];
    return vector;
}

/* Longer than other functions, as the loads and the stores share the places that come first.  whole_rows:
 * those of the input begin at vectors. */
template <typename wl_element, bool whole_rows>
static __device__ __forceinline__ void wl_transpose(const wl_transpose_tiles &all) {
    constexpr int tile_cols = WL_VECTORS - (whole_rows ? 0 : WL_EACH - 1);
    static_assert(WL_WARPS % WL_SECTOR == 0, "a thread's rows of either side have one misalignment");
    static_assert(32 % WL_LINE == 0 && WL_VECTORS % (WL_TOGETHER * WL_APART) == 0,
                  "a warp stores whole rows");
    static_assert(WL_APART % WL_WARPS == 0, "a block stores rows that are side by side");
    /* WL_EACH - 1 columns before the tile's are stored too, and never read. */
    __shared__ wl_element tile[(WL_VECTORS + WL_EACH - 1) * WL_PITCH + WL_EACH - 1];
    wl_element *const first_column = tile + (WL_EACH - 1) * WL_PITCH;
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    const int64_t row =
        (int64_t)at.down * WL_ROWS - WL_BEFORE; /* the first that is loaded, perhaps before the matrix */
    const uint64_t column = (uint64_t)at.across * tile_cols;
    const int low = row < 0 ? (int)-row : 0, high = wl_rest(all.rows, row, WL_LOADED); /* rows that exist */
    const int first = column > 0 ? -WL_EACH : 0, last = wl_rest(all.cols, column, tile_cols + WL_EACH);
    const char *from = at.from + row * all.from_pitch + column * WL_WIDTH;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    wl_vector<wl_element> moved[WL_LOADS];
    const char *address = from + warp * all.from_pitch;
    const int early = (int)((uintptr_t)address / WL_WIDTH % WL_EACH), load_column = lane * WL_EACH - early;
    address += load_column * WL_WIDTH;
    if (!wl_is_tile(&all, &at))
        return;
    const bool whole = load_column >= first && load_column + WL_EACH <= last;
    if (whole) {
#pragma unroll
        for (int j = 0; j < WL_LOADS; j++)
            moved[j].whole = wl_load_once_256(address + j * (WL_WARPS * all.from_pitch),
                                              warp + j * WL_WARPS >= low && warp + j * WL_WARPS < high);
    } else {
#pragma unroll
        for (int j = 0; j < WL_LOADS; j++)
            if (warp + j * WL_WARPS >= low && warp + j * WL_WARPS < high)
                moved[j] =
                    wl_load<wl_element>(address + j * (WL_WARPS * all.from_pitch), load_column, first, last);
    }
    wl_element *slot[WL_EACH];
#pragma unroll
    for (int i = 0; i < WL_EACH; i++)
        slot[i] = first_column + WL_COLUMN(load_column + i) + WL_SLOT(warp);
#pragma unroll
    for (int j = 0; j < WL_LOADS; j++)
        if (warp + j * WL_WARPS >= low && warp + j * WL_WARPS < high) {
#pragma unroll
            for (int i = 0; i < WL_EACH; i++)
                slot[i][WL_SLOT(j * WL_WARPS)] = moved[j].each[i];
        }
    __syncthreads();

    /* A row of the output begins `late` rows after the first loaded one. */
    const int cols = last < tile_cols ? last : tile_cols;
    const int own = warp + lane / WL_LINE * WL_APART; /* the thread's first */
    char *to = at.to + (column + own) * all.to_pitch + row * WL_WIDTH;
    const int late = (int)(-(uintptr_t)to / WL_WIDTH % WL_SECTOR);
    const int store_row = late + lane % WL_LINE * WL_EACH;
    const bool full = store_row >= low && store_row + WL_EACH <= high;
    to += store_row * WL_WIDTH;
    const wl_element *read[WL_EACH];
#pragma unroll
    for (int i = 0; i < WL_EACH; i++)
        read[i] = first_column + WL_COLUMN(own) + WL_SLOT(store_row + i);
    if (full) {
#pragma unroll
        for (int j = 0; j < WL_STORES; j++) {
            const int c = WL_STORED(j);
            wl_vector<wl_element> out;
#pragma unroll
            for (int i = 0; i < WL_EACH; i++)
                out.each[i] = read[i][WL_COLUMN(c)];
            if (own + c < cols)
                *(uint4 *)(to + c * all.to_pitch) = out.whole;
        }
        return;
    }
    for (int j = 0; j < WL_STORES; j++) {
        const int c = WL_STORED(j);
#pragma unroll
        for (int i = 0; i < WL_EACH; i++)
            if (own + c < cols && store_row + i >= low && store_row + i < high)
                ((wl_element *)(to + c * all.to_pitch))[i] = read[i][WL_COLUMN(c)];
    }
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 6)
    wl_transpose_elements4(const wl_transpose_tiles all) {
    wl_await_earlier();
    wl_transpose<uint32_t, false>(all);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 5)
    wl_transpose_elements8(const wl_transpose_tiles all) {
    wl_await_earlier();
    wl_transpose<uint64_t, false>(all);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 3)
    wl_transpose_elements16(const wl_transpose_tiles all) {
    wl_await_earlier();
    wl_transpose<uint4, false>(all);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 6)
    wl_transpose_elements_whole4(const wl_transpose_tiles all) {
    wl_await_earlier();
    wl_transpose<uint32_t, true>(all);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 5)
    wl_transpose_elements_whole8(const wl_transpose_tiles all) {
    wl_await_earlier();
    wl_transpose<uint64_t, true>(all);
}
