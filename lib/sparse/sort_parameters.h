/* The parameters of the kernels that sort a sparse matrix's entries: the same structs on both sides. */
#ifndef WIDELOAD_KERNELS_SORT_PARAMETERS_H
#define WIDELOAD_KERNELS_SORT_PARAMETERS_H

#include <stdint.h>

/* A tile is what a block sorts: so many entries of each of its threads. */
#define WL_SORT_EACH 16
/* A pass sorts by one digit of so many bits at most. */
#define WL_SORT_BITS 12
/* Tiles whose counts one thread adds up for a bin. */
#define WL_SORT_CHUNK   64
#define WL_SORT_THREADS 256 /* of the kernels that count and add */
/* Columns whose starts a block fills in. */
#define WL_SORT_STARTS 4096

/* Bytes of a block's shared memory: counts of each warp, or the tile's words, and behind words of 4 bytes
 * their first digits; of each bin where it goes, and where it begins in the tile; a digit of each entry; a
 * sum of each warp. */
#define WL_SORT_WORDS(threads, word) ((threads)*WL_SORT_EACH * ((word) == 4 ? 6u : 8u))
#define WL_SORT_EXCHANGE(threads, word, bits)                                                                \
    ((threads) / 32 * (2u << (bits)) > WL_SORT_WORDS(threads, word) ? (threads) / 32 * (2u << (bits))        \
                                                                    : WL_SORT_WORDS(threads, word))
#define WL_SORT_SHARED(threads, word, bits)                                                                  \
    (WL_SORT_EXCHANGE(threads, word, bits) + (10u << (bits)) + (threads)*WL_SORT_EACH * 2 + (threads) / 8)

/* An entry between two passes is a word of 4 or 8 bytes.  Of 8: the key above, the other index below.  Of 4:
 * the digits that are still to come above the other index; the first digit follows from where the entry lies.
 */
struct wl_sort_pass {
    uint64_t entries;
    uint64_t from, from_values, to, to_values; /* words, or in the first and the last pass indices */
    uint64_t pointers;    /* the first pass: rows' starts, or 0 if `others` has an index for each entry */
    uint64_t others;      /* the first pass: indices that go with the keys, or 0 */
    uint64_t starts;      /* the last pass: of the output's rows */
    uint64_t counts;      /* uint32_t [tile][bin]: entries, then those in the chunk's tiles before */
    uint64_t chunks;      /* uint64_t [chunk][bin]: entries in chunks before */
    uint64_t bins;        /* uint64_t [bin + 1]: entries in bins before */
    uint64_t low_bins;    /* the last pass, words of 4 bytes: those of the first pass, or 0 */
    uint64_t rows, keys;  /* the number of rows that `pointers` has, and of keys */
    uint32_t index_bytes; /* 4 or 8 */
    uint32_t width;       /* bytes of a value: 0, 1, 2, 4, 8 or 16 */
    uint32_t bits, shift; /* of the digit, and of the key's bits below it */
    uint32_t low_bits;    /* words of 4 bytes: bits of the first digit */
    uint32_t other_bits;  /* words of 4 bytes: of the other index */
    uint32_t first, last; /* whether it is the first pass, and the last */
};

struct wl_sort_sums {
    uint64_t counts, chunks, bins; /* as above */
    uint64_t tiles;
    uint32_t bits;
};

struct wl_sort_starts {
    uint64_t starts; /* [keys + 1], of index_bytes; all bits set: no entry has this key */
    uint64_t firsts; /* uint64_t [block]: the first start that a block's keys have, or all bits set */
    uint64_t keys, entries;
    uint32_t index_bytes;
};

#endif
