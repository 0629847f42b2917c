/* Transpose of elements of 2 bytes at any alignment and pitch, of either side.  Compiled once for each
 * width WL_WIDTH and tile, as WL_NAME: WL_ACROSS lines of 128 bytes across the input, WL_DOWN across the
 * output, WL_THREADS threads.
 *
 * As transpose_elements.cu: in each row of the output the tile begins at a multiple of 32 bytes, so 32 bytes'
 * worth of rows are loaded in addition; rows of the input are loaded as aligned vectors, from up to one
 * vector early, and each element is put to its column in shared memory, past the tile's columns also.  The
 * columns are read as words, which a shift by the bytes that the output's row is off turns into the row's.
 *
 * A warp's 32 lanes are 8 vectors of 4 rows that are 16 bytes' worth of rows apart: there the misalignment is
 * the same, and it stays the same in all of a thread's rows.  Storing, they are 8 vectors of 4 rows of the
 * output that are 32 bytes' worth of rows apart, so that their misalignment is the warp's.
 *
 * Bank conflicts: none.  Byte x of the tile lies at x + 4 * (x / 16).  A column is an odd multiple of 4
 * elements, so that vectors are 4 * odd times 16 bytes apart, rows 16 bytes: all 32 lanes are in 16 bytes of
 * their own, which begin 5 banks apart.  Reading, 8 lanes follow each other by 16 bytes and the 4 columns by
 * 128 * odd: 32 times 16 bytes again.
 *
 * Traffic: every byte is read once from memory (the rest is the neighbour's: the cache has it), and written
 * once.
 */
#include "lib/transpose/transpose_tile.cuh"

#define WL_EACH   (16 / WL_WIDTH)           /* elements a vector */
#define WL_COLS   (WL_ACROSS * 8 * WL_EACH) /* of a tile */
#define WL_ROWS   (WL_DOWN * 8 * WL_EACH)
#define WL_EXTRA  (32 / WL_WIDTH) /* rows before the tile's own */
#define WL_LOADED (WL_ROWS + WL_EXTRA)
#define WL_WARPS  (WL_THREADS / 32)
/* Rows from one of a thread's to the next, when it loads, and how many there are. */
#define WL_STEP  (4 * WL_WARPS / WL_ACROSS)
#define WL_LOADS ((WL_LOADED + WL_STEP - 1) / WL_STEP)
static_assert(WL_WIDTH == 2, "bytes are faster in groups: transpose_groups.cu");

/* Bytes of a column, and where byte x of the tile lies. */
#define WL_PITCH    ((WL_LOADED % 8 == 4 ? WL_LOADED : WL_LOADED + 4) * WL_WIDTH)
#define WL_PLACE(x) ((x) + (x) / 16 * 4)
/* The tile's columns, and those before and after it that hold the rest of vectors. */
#define WL_TILE ((WL_COLS + 2 * (WL_EACH - 1)) * WL_PITCH)
/* A warp's stores: 8 vectors of 4 rows of the output. */
#define WL_STORES (WL_COLS * WL_DOWN * 8 / WL_THREADS)

static_assert(WL_WARPS / WL_ACROSS % WL_EACH == 0, "a thread's rows have one misalignment");
static_assert(WL_LOADED % 4 == 0 && WL_LOADED <= WL_THREADS, "a thread for each row's last vector");
static_assert(WL_COLS * WL_DOWN * 8 % WL_THREADS == 0, "stores for all threads");

typedef uint16_t wl_element;

/* Elements `column` to `column` + WL_EACH - 1 of a row, of which those from `low` to `high` - 1 exist. */
static __device__ __forceinline__ uint4 wl_load(const char *address, int column, int low, int high) {
    if (column >= low && column + WL_EACH <= high)
        return *(const uint4 *)address;
    uint32_t word[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < WL_EACH; i++)
        if (column + i >= low && column + i < high)
            word[i / WL_GROUP] |= (uint32_t)((const wl_element *)address)[i] << i % WL_GROUP * 8 * WL_WIDTH;
    return make_uint4(word[0], word[1], word[2], word[3]);
}

static __device__ __forceinline__ wl_element wl_element_of(const uint4 &vector, int i) {
    int word = i / WL_GROUP;
    uint32_t value = word == 0 ? vector.x : word == 1 ? vector.y : word == 2 ? vector.z : vector.w;
    return (wl_element)(value >> i % WL_GROUP * 8 * WL_WIDTH);
}

/* 16 bytes of column c from byte `start` on, which need not be a word's first. */
static __device__ __forceinline__ uint4 wl_column(const uint32_t *tile, int c, int start) {
    int x = (c + WL_EACH - 1) * WL_PITCH + start;
    uint32_t word[5];
#pragma unroll
    for (int i = 0; i < 5; i++) {
        int w = x / 4 + i;
        word[i] = tile[w + w / 4];
    }
    int shift = x % 4 * 8;
    return make_uint4(__funnelshift_r(word[0], word[1], shift), __funnelshift_r(word[1], word[2], shift),
                      __funnelshift_r(word[2], word[3], shift), __funnelshift_r(word[3], word[4], shift));
}

/* What a thread writes in its j-th store: a vector of column c's row of the output. */
struct wl_stored {
    int c, vector;
};
static __device__ __forceinline__ wl_stored wl_stored_at(int j) {
    int i = j * WL_WARPS + (int)threadIdx.x / 32, lane = threadIdx.x % 32, apart = 32 / WL_WIDTH;
    int c = i / WL_DOWN;
    wl_stored stored = {c % apart + c / apart * (4 * apart) + lane / 8 * apart, i % WL_DOWN * 8 + lane % 8};
    return stored;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_tiles all) {
    __shared__ uint4 space[WL_PLACE(WL_TILE + 16) / 16 + 1];
    char *const tile = (char *)space;
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    if (!wl_is_tile(&all, &at))
        return;
    const int64_t row = (int64_t)at.down * WL_ROWS - WL_EXTRA; /* the first loaded, or before the matrix */
    const uint64_t column = (uint64_t)at.across * WL_COLS;
    const int low = row < 0 ? (int)-row : 0, high = wl_rest(all.rows, row, WL_LOADED); /* rows that exist */
    const int first = column > 0 ? -WL_EACH : 0, last = wl_rest(all.cols, column, WL_COLS + WL_EACH);
    const char *from = at.from + row * all.from_pitch + column * WL_WIDTH;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    uint4 moved[WL_LOADS], end = make_uint4(0, 0, 0, 0);
    const int vector = warp % WL_ACROSS * 8 + lane % 8, group = warp / WL_ACROSS;
    const int load_row = group % WL_EACH + group / WL_EACH * (4 * WL_EACH) + lane / 8 * WL_EACH;
    const char *address = from + load_row * all.from_pitch;
    const int early = (int)((uintptr_t)address / WL_WIDTH % WL_EACH), load_column = vector * WL_EACH - early;
    address += load_column * WL_WIDTH;
    if (load_column >= first && load_column + WL_EACH <= last) {
#pragma unroll
        for (int j = 0; j < WL_LOADS; j++)
            if (load_row + j * WL_STEP >= low && load_row + j * WL_STEP < high)
                moved[j] = *(const uint4 *)(address + j * (WL_STEP * all.from_pitch));
    } else {
#pragma unroll
        for (int j = 0; j < WL_LOADS; j++)
            if (load_row + j * WL_STEP >= low && load_row + j * WL_STEP < high)
                moved[j] = wl_load(address + j * (WL_STEP * all.from_pitch), load_column, first, last);
    }
    /* The vector that a row which begins early has in addition. */
    const int end_row = threadIdx.x;
    int end_early = 0;
    if (end_row >= low && end_row < high) {
        const char *end_address = from + end_row * all.from_pitch;
        end_early = (int)((uintptr_t)end_address / WL_WIDTH % WL_EACH);
        if (end_early)
            end = wl_load(end_address + (WL_COLS - end_early) * WL_WIDTH, WL_COLS - end_early, first, last);
    }

    int x = (load_column + WL_EACH - 1) * WL_PITCH + load_row * WL_WIDTH;
#pragma unroll
    for (int i = 0; i < WL_EACH; i++, x += WL_PITCH) {
        char *place = tile + WL_PLACE(x);
#pragma unroll
        for (int j = 0; j < WL_LOADS; j++)
            if (load_row + j * WL_STEP < WL_LOADED)
                *(wl_element *)(place + WL_PLACE(j * WL_STEP * WL_WIDTH)) = wl_element_of(moved[j], i);
    }
    if (end_early) {
        x = (WL_COLS - end_early + WL_EACH - 1) * WL_PITCH + end_row * WL_WIDTH;
#pragma unroll
        for (int i = 0; i < WL_EACH; i++, x += WL_PITCH)
            *(wl_element *)(tile + WL_PLACE(x)) = wl_element_of(end, i);
    }
    __syncthreads();

    char *to = at.to + column * all.to_pitch + row * WL_WIDTH;
    const int cols = last < WL_COLS ? last : WL_COLS;
    if (low == 0 && high == WL_LOADED && cols == WL_COLS) {
#pragma unroll
        for (int j = 0; j < WL_STORES; j++) {
            const wl_stored stored = wl_stored_at(j);
            char *start = to + stored.c * all.to_pitch;
            const int byte = 32 - (int)((uintptr_t)(start + 32) % 32) + stored.vector * 16;
            *(uint4 *)(start + byte) = wl_column((const uint32_t *)tile, stored.c, byte);
        }
        return;
    }
    for (int j = 0; j < WL_STORES; j++) {
        const wl_stored stored = wl_stored_at(j);
        char *start = to + stored.c * all.to_pitch;
        const int byte = 32 - (int)((uintptr_t)(start + 32) % 32) + stored.vector * 16, r = byte / WL_WIDTH;
        const uint4 out = wl_column((const uint32_t *)tile, stored.c, byte);
        if (stored.c >= cols)
            continue;
        if (r >= low && r + WL_EACH <= high) {
            *(uint4 *)(start + byte) = out;
        } else {
#pragma unroll
            for (int i = 0; i < WL_EACH; i++)
                if (r + i >= low && r + i < high)
                    ((wl_element *)(start + byte))[i] = wl_element_of(out, i);
        }
    }
}
