/* Permutes dimensions of elements of WL_BYTES bytes, whose bytes stay together, through tiles in shared
 * memory that bulk copies fill.  Tiles are those of permute_narrow.cu, which serves the elements that have no
 * kernel here.
 *
 * A lane takes GROUP elements that follow each other in a run of the output, and begin and end at multiples
 * of PIECE bytes there.  So it knows at compile time where each of their bytes goes.  It reads an element by
 * words, shifts them to where the element begins, and packs them into whole pieces.  Words may have bytes
 * before and behind the element that nothing has written: they are shifted out.  A warp has ACROSS groups of
 * a run by as many columns as make up 32 lanes.  Each column's lanes hand their pieces over through shared
 * memory and store vectors in order.
 *
 * Places are looked up once for all columns of the tile that are `alike` apart: runs begin alike within a
 * sector there, and elements within a word.
 *
 * Traffic: every byte is written once and read once, but for the sectors that two tiles share at the ends of
 * their rows.  Only whole sectors are written, except at the ends of the array's rows, or of a tile whose
 * runs cannot overlap with its neighbours': the rest there is written by units of WL_WIDTH bytes, one per
 * lane.
 *
 * Bank conflicts: columns lie side by side along a row, and `swizzle` parts the rows that are GROUP apart.
 * Where columns begin differently within a sector, their lanes are at different rows, whose distance decides.
 * Groups have an odd number of pieces. */
#include "lib/permute/permute_units.h"

#if WL_BYTES % 2
#define WL_WIDTH 1
#else
#define WL_WIDTH 2
#endif
#define WL_NARROW  1
#define WL_THREADS WL_PERMUTE_UNITS_THREADS
#define GROUP      WL_PERMUTE_UNITS_GROUP(WL_BYTES)
#define WL_APART   GROUP
#include "lib/permute/permute_fill.cuh"

enum {
    UNITS = WL_BYTES / WL_WIDTH,              /* per element */
    WHOLE = WL_PERMUTE_UNITS_GRAIN(WL_BYTES), /* elements begin at multiples of so many bytes of the output */
    PLACE = WHOLE < 4 ? WHOLE : 4,            /* and of shared memory */
    ALIKE = WL_PERMUTE_UNITS_ALIKE(WL_BYTES), /* elements after which sectors begin again */
    PIECE = 8,                                /* bytes that a group is put in the stage by */
    PIECES = GROUP * WL_BYTES / PIECE,        /* an odd number */
    FEWER = WL_PERMUTE_UNITS_LANES,           /* lanes along a run: so many, or twice as many */
    WORDS = (WL_BYTES + 3) / 4,               /* of an element */
    READ = (WL_BYTES + 7 - PLACE) / 4,        /* words that it may touch */
};

static_assert(GROUP * WL_BYTES % PIECE == 0 && PIECES % 2 == 1, "no bank conflicts");

/* The number by which WL_BYTES / WHOLE must be multiplied to be 1 modulo ALIKE. */
static __device__ __forceinline__ constexpr uint32_t inverse() {
    uint32_t n = 1;
    while (n * (WL_BYTES / WHOLE) % ALIKE != 1 % ALIKE)
        n += 2;
    return n;
}

/* A table has the rows' places twice, so that any two that follow each other are one number in one of them:
 * row i is entry i, and entry i - 1.  Groups may begin before a run, and end behind it. */
static __device__ __forceinline__ void note_entry(const struct wl_permute_bulk &p, uint32_t turn, int32_t i,
                                                  uint32_t place) {
    unsigned char *table = wl_permute_memory + p.row_table + turn * p.table + i * 2;
    *(uint16_t *)table = (uint16_t)place;
    if (p.before)
        *(uint16_t *)(table + p.table / 2 - 2) = (uint16_t)place;
}

/* Notes a row's place, and the place where a run continues along the rows. */
static __device__ __forceinline__ void note_row(const struct wl_permute_bulk &p, uint32_t turn, uint32_t i,
                                                uint32_t place) {
#pragma unroll 1
    for (; i < p.table_rows; i += p.turn.count) {
        note_entry(p, turn, i, place);
        place += p.next_in;
    }
}

/* Notes some place for what lies outside the runs: it is not stored. */
static __device__ __forceinline__ void note_others(const struct wl_permute_bulk &p) {
    const uint32_t others = p.others.count;
    for (uint32_t i = threadIdx.x; i < p.others_in_all; i += WL_THREADS) {
        const uint32_t turn = wl_divide_any(i, &p.others), n = i - turn * others;
        note_entry(p, turn, n < p.before ? -1 - (int32_t)n : (int32_t)(p.table_rows + n - p.before), 0);
    }
}

static __device__ __forceinline__ uint32_t word_at(uint32_t at) {
    return *(const uint32_t *)(wl_permute_memory + at);
}

/* Where a group's elements begin: words of shared memory, and bits that are before each in its first
 * word, two of them per number. */
struct group {
    uint32_t two[GROUP / 2], bits[GROUP / 2];
};

/* first: the number of the group's first element in the run. */
static __device__ __forceinline__ void look_up(const struct wl_permute_bulk &p, struct group &group,
                                               uint32_t table, int32_t first, uint32_t along) {
    table += first * 2;
    if (first % 2) /* then it begins in the second half */
        table += p.table / 2 - 2;
#pragma unroll
    for (int i = 0; i < GROUP / 2; i++) {
        const uint32_t two = word_at(table + i * 4) + along * 0x10001;
        group.two[i] = two & 0xfffcfffc;
        group.bits[i] = (two & 0x00030003) * 8;
    }
}

/* Where byte b of a group is among the words of its elements. */
static __device__ __forceinline__ constexpr int word_of(int b) {
    return b / WL_BYTES * WORDS + b % WL_BYTES / 4;
}

static __device__ __forceinline__ constexpr int byte_of(int b) {
    return b % WL_BYTES % 4;
}

/* The word that bytes b to b + 3 of a group make: they lie in up to three words. */
static __device__ __forceinline__ uint32_t packed_word(const uint32_t *words, int b) {
    const int first = word_of(b), last = word_of(b + 3),
              second = word_of(b + 1) != first   ? word_of(b + 1)
                       : word_of(b + 2) != first ? word_of(b + 2)
                                                 : last;
    if (first == last)
        return words[first];
    unsigned two = 0, three = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int word = word_of(b + i), byte = byte_of(b + i);
        two |= (word == first ? byte : word == second ? 4 + byte : 0) << 4 * i;
        three |= (word == first || word == second ? i : 4 + byte) << 4 * i;
    }
    const uint32_t low = __byte_perm(words[first], words[second], two);
    return last == second ? low : __byte_perm(low, words[last], three);
}

/* Takes element i of a group. */
static __device__ __forceinline__ void take_element(const struct group &group, int i, uint32_t *words) {
    const uint32_t at = i % 2 ? group.two[i / 2] >> 16 : group.two[i / 2] & 0xffff,
                   bits = i % 2 ? group.bits[i / 2] >> 16 : group.bits[i / 2];
    uint32_t read[READ + 1];
#pragma unroll
    for (int k = 0; k < READ; k++)
        read[k] = word_at(at + 4 * k);
    read[READ] = 0;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        words[k] = PLACE < 4 ? __funnelshift_r(read[k], read[k + 1], bits) : read[k];
}

/* Puts a group's pieces into the warp's stage.  Each is put before the next one's elements are taken, so that
 * few words are held at a time. */
static __device__ __forceinline__ void put_group(const struct group &group, unsigned char *stage) {
    uint32_t words[GROUP * WORDS];
#pragma unroll
    for (int v = 0; v < PIECES; v++) {
        const int b = v * PIECE;
#pragma unroll
        for (int i = (b + WL_BYTES - 1) / WL_BYTES; i * WL_BYTES < b + PIECE; i++)
            take_element(group, i, words + i * WORDS);
        *(uint2 *)(stage + b) = make_uint2(packed_word(words, b), packed_word(words, b + 4));
    }
}

/* The column of a warp's lanes, ACROSS by ACROSS.  Where four have an even number of vectors of a column,
 * those of every other one have the banks between. */
template <int ACROSS> static __device__ __forceinline__ uint32_t column_of(uint32_t number) {
    return ACROSS == 4 ? (number & 4) | (number & 1) << 1 | (number & 2) >> 1 : number;
}

/* Bytes up to the next sector. */
static __device__ __forceinline__ int32_t round_up(int32_t bytes) {
    return (bytes + WL_PERMUTE_SECTOR - 1) & ~(WL_PERMUTE_SECTOR - 1);
}

/* Stores whole sectors: lanes are groups along runs, and columns. */
template <int ACROSS> static __device__ __forceinline__ void store_sectors(const struct wl_permute_bulk &p) {
    constexpr int DEEP = 32 / ACROSS, VECTORS = ACROSS * GROUP * WL_BYTES / 16;
    const uint32_t lane = threadIdx.x % 32, across = lane % ACROSS, down = column_of<ACROSS>(lane / ACROSS);
    unsigned char *const stage =
        wl_permute_memory + p.stage + threadIdx.x / 32 * WL_PERMUTE_UNITS_STAGE(WL_BYTES);
    unsigned char *const put = stage + (down * ACROSS + across) * (GROUP * WL_BYTES);
    const uint4 *const get = (const uint4 *)stage + down * VECTORS + across;
    const int32_t span = p.span.count * WL_WIDTH;
    for (uint32_t cell = threadIdx.x / 32; cell < p.cells; cell += WL_THREADS / 32) {
        const uint32_t rest = wl_divide_any(cell, &p.along), r = wl_divide_any(rest, &p.kinds);
        const int32_t set = (cell - rest * p.along.count) * ACROSS;
        uint32_t base = (rest - r * p.kinds.count) * DEEP, column = base + down;
        const struct run run = run_of(p, r);
        uint64_t to = run.to + column * p.column_out;
        /* The run's first group begins with a sector, at the run's begin or before it. */
        const int32_t before = (0u - (uint32_t)to % WL_PERMUTE_SECTOR / WHOLE) * inverse() % ALIKE,
                      begin = set * GROUP + (before ? before - ALIKE : 0);
        struct group group;
        if (column < p.columns)
            look_up(p, group, run.table, begin + across * GROUP, run.along + column * p.column_in);
        to += (int64_t)begin * WL_BYTES + across * 16;
        /* Sectors are stored that begin between `low` and `high` bytes after the group's first.  Runs that
         * continue along the rows have each where it begins, up to the end of all columns. */
        const int32_t from = -begin * WL_BYTES, vector = across * 16, low = round_up(from) - vector,
                      most = round_up(from + span) - vector;
        int32_t left = from + (p.wraps ? (p.total - column * p.span.count) * WL_WIDTH : span);
#pragma unroll 1
        for (; base < p.columns; base += p.alike) {
            const bool live = base + down < p.columns;
            if (live)
                put_group(group, put);
            __syncwarp();
            int32_t high = (left & ~(WL_PERMUTE_SECTOR - 1)) - vector;
            if (p.wraps)
                high = min(high, most);
            if (!live)
                high = low;
#pragma unroll
            for (int u = 0; u < VECTORS; u += ACROSS)
                if ((u + ACROSS <= VECTORS || u + across < VECTORS) && u * 16 >= low && u * 16 < high)
                    *(uint4 *)(to + u * 16) = get[u];
            __syncwarp();
            to += p.alike * p.column_out;
            left -= p.wraps ? p.alike * p.span.count * WL_WIDTH : 0;
#pragma unroll
            for (int i = 0; i < GROUP / 2; i++)
                group.two[i] += p.alike * p.column_in * 0x10001;
        }
    }
}

static __device__ __forceinline__ uint32_t place_of(const struct wl_permute_bulk &p, const struct run &run,
                                                    uint32_t i) {
    const uint32_t element = i / UNITS, turns = p.wraps ? wl_divide_any(element, &p.turn) : 0,
                   row = element - turns * p.turn.count;
    return *(const uint16_t *)(wl_permute_memory + run.table + row * 2) + run.along + turns * p.next_in +
           (i - element * UNITS) * WL_WIDTH;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_bulk p) {
    note_others(p);
    fill(p);
    if (p.lanes == FEWER)
        store_sectors<FEWER>(p);
    else
        store_sectors<2 * FEWER>(p);
    if (p.torn && tile_place(p).ends)
        store_ends(p, tile_place(p).ends);
}
