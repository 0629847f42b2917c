/* The parameters of the kernels that sort a sparse matrix's entries: the same structs on both sides. */
#ifndef WIDELOAD_KERNELS_SORT_PARAMETERS_H
#define WIDELOAD_KERNELS_SORT_PARAMETERS_H

#include <stdint.h>

/* A pass sorts by one digit of so many bits at least and at most. */
#define WL_SORT_LEAST 2
#define WL_SORT_BITS  12
/* Of a tag, which says behind a word of 4 bytes what its place told. */
#define WL_SORT_TAG 16
/* Tiles whose counts one thread adds up for a bin. */
#define WL_SORT_CHUNK   64
#define WL_SORT_THREADS 256 /* of the kernels that add */
/* Columns whose starts a block fills in. */
#define WL_SORT_STARTS 4096
/* Entries that a block which counts all digits reads at once; how often it does so, if not for the last
 * entries, before it adds its counts to those of others; and the most blocks that share a digit out.  Then
 * each has less than 2^32 entries, and counts in 32 bits. */
#define WL_SORT_TOTAL  4096
#define WL_SORT_READS  16
#define WL_SORT_SHARES 2048

/* A tile is what a block sorts: `each` entries of each of its threads. */
#define WL_SORT_TILE(threads, each) ((threads) * (each))
/* Bytes of the counts of a tile, of its share of a chunk's, and of its warps' rows. */
#define WL_SORT_TILE_BYTES(threads, bits) ((4u << (bits)) + (8u << (bits)) / WL_SORT_CHUNK + (threads) / 8)
/* The kernel that counts has so many copies of its bins in shared memory: 16 KiB at most. */
#define WL_SORT_COPIES(bits)      ((bits) <= 10 ? 4u : 1u << (12 - (bits)))
#define WL_SORT_COUNT_BYTES(bits) (WL_SORT_COPIES(bits) * (4u << (bits)))
/* Bytes of the shared memory of a block that places.  The room is for counts of each warp, then for the
 * tile's words, and behind words of 4 bytes their tags, then for its values (those of 16 bytes by halves).
 * After it come, for words of 8 bytes, their lower halves in the input's order; of each bin where it goes;
 * and a sum of each warp. */
#define WL_SORT_GREATER(a, b) ((a) > (b) ? (a) : (b))
#define WL_SORT_ROOM(threads, each, word, bits, width)                                                       \
    WL_SORT_GREATER((threads) / 32 * (2u << (bits)),                                                         \
                    WL_SORT_TILE(threads, each) * ((word) == 8 || (width) >= 8 ? 8u : 6u))
#define WL_SORT_LOWS(threads, each, word) ((word) == 8 ? WL_SORT_TILE(threads, each) * 4u : 0u)
#define WL_SORT_SHARED(threads, each, word, bits, width)                                                     \
    (WL_SORT_ROOM(threads, each, word, bits, width) + WL_SORT_LOWS(threads, each, word) +                    \
     ((uint32_t)(word) << (bits)) + (threads) / 8)

/* Starts of rows, or of bins: ascending, and behind the last one the end. */
struct wl_sort_rows {
    uint64_t array, count; /* no array: 0 */
    uint32_t bytes;        /* of a start */
};

/* An entry between two passes is a word of 4 or 8 bytes.  Of 8: the key above, the other index below.  Of 4:
 * the digits that are still to come above the other index.  The digits before follow from where the entry
 * lies. If that leaves too few bits, the other index's highest bits do so too after the first pass, as the
 * entries of a bin are in the order of their rows: a bin has 2^part_bits parts. */
struct wl_sort_pass {
    uint64_t entries; /* all */
    uint64_t begin;   /* the first one of the segment: arrays that are read begin with it */
    uint64_t left;    /* entries - begin */
    uint64_t failed;  /* uint32_t: 0 if the result is there already; no address: it is not */
    uint64_t from, from_values, to, to_values; /* words, or in the first and the last pass indices */
    uint64_t others;                           /* the first pass: indices that go with the keys, or 0: */
    struct wl_sort_rows rows; /* what says where an entry lies: rows, or later bins and their parts */
    uint64_t part_rows;       /* uint32_t [warp's part of a tile]: the row of the first entry; also of the
                               * part that follows on the segment */
    uint64_t starts;          /* the last pass: of the output's rows */
    uint64_t counts;          /* uint32_t [the segment's tile][bin]: entries, then those in the chunk's
                               * tiles before */
    uint64_t chunks;          /* uint64_t [chunk][bin]: entries in chunks before, and in segments before */
    uint64_t bins;            /* uint64_t [bin + 1]: entries in bins before */
    uint64_t keys;            /* how many there are */
    uint32_t index_bytes;     /* 4 or 8 */
    uint32_t width;           /* bytes of a value: 0, 1, 2, 4, 8 or 16 */
    uint32_t bits, shift;     /* of the digit, and of the key's bits below it */
    uint32_t low_bits;        /* words of 4 bytes: bits of the digits before */
    uint32_t other_bits;      /* words of 4 bytes: of the other index, without its highest part_bits */
    uint32_t part_bits;
    uint32_t other_mask, part_mask; /* of so many bits: made here, they take no registers */
    uint32_t first, last;           /* whether it is the first pass, and the last */
};

struct wl_sort_sums {
    uint64_t failed, counts, chunks, bins, part_rows; /* as above */
    struct wl_sort_rows rows;
    uint64_t begin, end; /* the segment's first entry, and one behind the last whose row may be noted */
    uint64_t tiles;      /* of the segment */
    uint32_t bits, part; /* part: entries of a warp's part of a tile */
    uint32_t later;      /* whether bins have the counts of segments before, for sort_chunks to add to */
};

/* Where the parts of a pass's bins begin.  Part i has the rows i << row_shift and on.  Before the third pass,
 * rows are the first pass's bins. */
struct wl_sort_parts {
    uint64_t failed, counts, chunks, bins; /* as above */
    struct wl_sort_rows rows;
    uint64_t keys;         /* [entry], of index_bytes, or words of 4 bytes */
    uint64_t entries;      /* all */
    uint64_t begin, tiles; /* of the segment: the first entry, and how many tiles */
    uint64_t starts;       /* uint64_t [bin][part], and behind them the end */
    uint32_t index_bytes, tile, bits, shift, part_bits, row_shift;
};

/* A sort of several segments counts all digits first.  A byte of `bits` and `shifts` is a pass's. */
struct wl_sort_totals {
    uint64_t failed;     /* as above */
    uint64_t keys;       /* [entry], of index_bytes */
    uint64_t bins;       /* uint64_t [pass][bin]: 0, then entries in this bin */
    uint64_t bins_bytes; /* of a pass's */
    uint64_t entries;
    uint32_t index_bytes, passes, bits, shifts;
};

struct wl_sort_starts {
    uint64_t failed; /* as above */
    uint64_t starts; /* [keys + 1], of index_bytes; all bits set: no entry has this key */
    uint64_t firsts; /* uint64_t [block]: the first start that a block's keys have, or all bits set */
    uint64_t keys, entries;
    uint32_t index_bytes;
};

#endif
