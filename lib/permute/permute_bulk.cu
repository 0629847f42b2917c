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

/* One run: its place in the output, where its first row's place is noted, and its offset along the rows. */
struct run {
    uint64_t to;
    uint32_t places, along;
};

static __device__ __forceinline__ void note_runs(const struct wl_permute_bulk &p, uint64_t tile) {
    struct run *table = (struct run *)(wl_permute_memory + p.run_table);
    for (uint32_t r = threadIdx.x; r < p.runs; r += blockDim.x) {
        struct run run = {tile, p.row_table, 0};
        uint32_t number = r;
        for (uint32_t i = 0; i < p.run_parts; i++) {
            uint32_t digit = wl_digit_of(&number, &p.run[i].by);
            run.to += digit * p.run[i].out;
            run.places += digit * p.run[i].rows * (uint32_t)sizeof(uint32_t);
            run.along += digit * p.run[i].along;
        }
        *(uint4 *)&table[r] = *(uint4 *)&run;
    }
}

/* Writes elements of 16 bytes of the output at `to`, of which element `begin` of a run is the first, perhaps
 * one before the run: all of them, or those that the run has. */
static __device__ __forceinline__ void store(const struct run &run, uint64_t to, int32_t begin,
                                             int32_t length) {
    const uint32_t *place = (const uint32_t *)(wl_permute_memory + run.places) + begin;
    const unsigned char *along = wl_permute_memory + run.along;
    if (begin >= 0 && begin + WL_EACH <= length) {
        union {
            uint4 word;
            wl_element element[WL_EACH];
        } access;
#pragma unroll
        for (int j = 0; j < WL_EACH; j++)
            access.element[j] = *(const wl_element *)(along + place[j]);
        *(uint4 *)to = access.word;
    } else {
#pragma unroll
        for (int j = 0; j < WL_EACH; j++)
            if (begin + j >= 0 && begin + j < length)
                *(wl_element *)(to + j * WL_WIDTH) = *(const wl_element *)(along + place[j]);
    }
}

extern "C" __global__ void __launch_bounds__(512, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_bulk p) {
    wl_barrier *barrier = (wl_barrier *)(wl_permute_memory + p.barrier);
    /* One warp finds the tile for all: what it takes was a fifth of all instructions. */
    if (threadIdx.x < 32)
        find_tile(p);
    __syncthreads();
    wl_await_earlier();
    wl_load_rows(p, tile_place(p).in, tile_place(p).first, barrier);
    note_runs(p, tile_place(p).out);
    /* A warp's cells follow from the first by additions. */
    const uint32_t across = threadIdx.x % 32 & (p.lanes - 1), down = wl_lanes_before(p),
                   deep = wl_lanes_groups(p), next_group = wl_divide_any(WL_THREADS / 32, &p.along),
                   next_part = WL_THREADS / 32 - next_group * p.along.count;
    uint32_t group = wl_divide_any(threadIdx.x / 32, &p.along),
             part = threadIdx.x / 32 - group * p.along.count;
    /* Where a run's sectors that this tile writes begin: also parts of some, at the array's ends. */
    const uint32_t ends = tile_place(p).ends;
    const int32_t length = (int32_t)p.length, first = ends & 1 ? 1 - SECTOR : 0,
                  last = ends & 2 ? length - 1 : length - SECTOR;
    __syncthreads();
    wl_barrier_wait(barrier, 0);
    wl_let_next(p.start);
#pragma unroll 2
    for (uint32_t cell = threadIdx.x / 32; cell < p.cells; cell += WL_THREADS / 32) {
        const uint32_t vector = part * p.lanes + across, r = group * deep + down;
        if (r < p.runs) {
            const uint4 word = *(const uint4 *)(wl_permute_memory + p.run_table + r * sizeof(struct run));
            const struct run run = {(uint64_t)word.y << 32 | word.x, word.z, word.w};
            const uint32_t past = (uint32_t)run.to % WL_PERMUTE_LINE;
            const int32_t begin = (int32_t)(vector * WL_EACH - past / WL_WIDTH),
                          sector = begin - (int32_t)(vector % 2 * WL_EACH);
            if (sector >= first && sector <= last)
                store(run, run.to - past + vector * WL_PERMUTE_ACCESS, begin, length);
        }
        group += next_group;
        part += next_part;
        if (part >= p.along.count) {
            part -= p.along.count;
            group++;
        }
    }
}
