/* Permutes dimensions through tiles in shared memory that bulk copies fill.  Elements have WL_WIDTH bytes,
 * and rows begin anywhere.
 *
 * Traffic: every byte is written once and read once, but for the 32-byte sectors that two tiles share at the
 * ends of their rows.  The L2 is the limit, and a sector that two tiles write in parts costs it as much as
 * four whole ones.  So tiles overlap by up to 28 bytes where their runs would end within a sector, and each
 * writes the whole sectors in it.  Runs that continue from one dimension of the output into the next (joined
 * dimensions) avoid partial sectors at the ends of the array's rows, and may have any length: whole pieces of
 * 256 bytes are written 2 to 3 % faster than other lengths.
 *
 * A load in flight takes only shared memory.  So a tile may have 56 KB, four per multiprocessor: runs and
 * rows of about 256 to 1024 bytes.  Elements are picked from it singly.  A warp writes 8 vectors of each of 4
 * runs at 128-byte lines, whose rows lie in different banks.
 *
 * A copy is cheapest where it keeps its place modulo 128 bytes.  So where rows begin anywhere, two rows have
 * the same distance in shared memory as in the array, modulo whole lines.  They are further apart only where
 * a digit of the row's number wraps. */
#define WL_NARROW  0
#define WL_THREADS blockDim.x
#include "lib/permute/permute_bulk.cuh"
#include "lib/permute/permute_turns.cuh"

/* One run: its place in the output, its first row, and its offset along the rows. */
struct run {
    uint64_t to;
    uint32_t row, along;
};

static __device__ __forceinline__ void note_runs(const struct wl_permute_bulk &p, uint64_t tile) {
    struct run *table = (struct run *)(wl_permute_memory + p.run_table);
    for (uint32_t r = threadIdx.x; r < p.runs; r += blockDim.x) {
        struct run run = {tile, 0, 0};
        uint32_t number = r;
        for (uint32_t i = 0; i < p.run_parts; i++) {
            uint32_t digit = wl_digit_of(&number, &p.run[i].by);
            run.to += digit * p.run[i].out;
            run.row += digit * p.run[i].rows;
            run.along += digit * p.run[i].along;
        }
        *(uint4 *)&table[r] = *(uint4 *)&run;
    }
}

/* Writes this tile's part of the 16 bytes of the output from element `begin` of a run on, which may be before
 * the run. */
static __device__ __forceinline__ void store(const struct wl_permute_bulk &p, const struct run &run,
                                             uint64_t to, int32_t begin, uint32_t ends) {
    int32_t length = (int32_t)p.length;
    int32_t sector = begin - (int32_t)((uint32_t)to % WL_PERMUTE_SECTOR / WL_WIDTH);
    bool mine = (sector >= 0 || ends & 1) && (sector + SECTOR <= length || ends & 2);
    const uint32_t *place = (const uint32_t *)(wl_permute_memory + p.row_table) + (int32_t)run.row + begin;
    const unsigned char *along = wl_permute_memory + run.along;
    if (begin >= 0 && begin + WL_EACH <= length) {
        if (mine) {
            union {
                uint4 word;
                wl_element element[WL_EACH];
            } access;
#pragma unroll
            for (int j = 0; j < WL_EACH; j++)
                access.element[j] = *(const wl_element *)(along + place[j]);
            *(uint4 *)to = access.word;
        }
    } else if (mine) {
#pragma unroll
        for (int j = 0; j < WL_EACH; j++)
            if (begin + j >= 0 && begin + j < length)
                *(wl_element *)(to + j * WL_WIDTH) = *(const wl_element *)(along + place[j]);
    }
}

extern "C" __global__ void __launch_bounds__(512, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_bulk p) {
    wl_barrier *barrier = (wl_barrier *)(wl_permute_memory + p.barrier);
    uint64_t in_tile, out_tile;
    uint32_t first, ends = wl_tile_place(p.tiles, blockIdx.x, &in_tile, &out_tile, &first);
    if (p.joined_rows)
        ends = (first == 0) + 2 * (first + p.turn.count == p.joined_rows);
    if (threadIdx.x == 0) {
        wl_take_turn(p.start);
        wl_barrier_init(barrier, blockDim.x);
    }
    __syncthreads();
    wl_await_earlier();
    wl_load_rows(p, in_tile, first, barrier);
    note_runs(p, out_tile);
    __syncthreads();
    wl_barrier_wait(barrier, 0);
    wl_let_next(p.start);
    const struct run *table = (const struct run *)(wl_permute_memory + p.run_table);
    uint32_t lane = threadIdx.x % 32, across = lane % p.lanes, down = lane / p.lanes, deep = 32 / p.lanes;
#pragma unroll 4
    for (uint32_t cell = threadIdx.x / 32; cell < p.cells; cell += blockDim.x / 32) {
        uint32_t group = p.along.count == 1 ? cell : wl_divide(cell, &p.along);
        uint32_t vector = (cell - group * p.along.count) * p.lanes + across, r = group * deep + down;
        if (r < p.runs) {
            uint4 word = *(const uint4 *)&table[r];
            struct run run = {(uint64_t)word.y << 32 | word.x, word.z, word.w};
            uint32_t past = (uint32_t)run.to % WL_PERMUTE_LINE;
            int32_t begin = ((int32_t)(vector * WL_PERMUTE_ACCESS) - (int32_t)past) / WL_WIDTH;
            if (begin > -WL_EACH && begin < (int32_t)p.length)
                store(p, run, run.to - past + vector * WL_PERMUTE_ACCESS, begin, ends);
        }
    }
}
