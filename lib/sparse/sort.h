/* A stable radix sort of a sparse matrix's entries by one of their indices: what CSR -> CSC and COO -> CSR
 * have in common. */
#ifndef WIDELOAD_LIB_SORT_H
#define WIDELOAD_LIB_SORT_H

#include "lib/context.h"
#include "lib/divide.h"

/* The indices of keys and rows take 32 bits of a word.  A block counts less than 2^32 entries. */
#define WL__MOST_INDICES ((uint64_t)1 << 32)
#define WL__MOST_ENTRIES ((uint64_t)1 << 42)
/* The workspace's. */
#define WL__SORT_ALIGNMENT 256

/* Gives a part of the workspace its offset, behind those before, and moves their end. */
static inline void wl__sort_place(uint64_t *part, uint64_t *end, uint64_t bytes) {
    *part = *end;
    *end += wl__divide_up(bytes, WL__SORT_ALIGNMENT) * WL__SORT_ALIGNMENT;
}

/* Entries are sorted by a key, 0 to keys - 1.  The other index of an entry, 0 to rows - 1, goes along, and
 * its value.  The addresses have been checked. */
struct wl__sort {
    uint64_t keys, rows, entries;
    unsigned index_bytes, width; /* 4 or 8; 0, 1, 2, 4, 8 or 16 */
    /* Known before the addresses are, as the workspace depends on them. */
    bool has_pointers;
    bool has_room; /* what lies between two passes has room outside of the workspace */
    /* Entries of the matrix before these and behind them: the rows' starts count all.  There are some only
     * where words have 8 bytes. */
    uint64_t before, behind;
    wl_devptr from_keys, from_values;
    wl_devptr pointers; /* rows' starts, rows + 1 of them, or 0: */
    wl_devptr others;   /* an index of each entry */
    wl_devptr starts, to_others, to_values;
    wl_devptr workspace; /* of wl__sort_workspace() bytes */
    /* has_room: 16 bytes an entry, aligned to 8, and as much as the values have. */
    wl_devptr room_words, room_values;
};

/* From so many entries on, blocks are wide: then there are enough of them for all SMs of a large GPU.  A test
 * lowers it. */
extern uint64_t wl__sort_wide;
/* A sort of more entries has several segments.  The workspace has at most so many bytes of counts and of what
 * else there is for each tile: those of 2^26 entries in wide blocks with the longest digits.  A test lowers
 * it, and a segment then has one tile at least. */
extern uint64_t wl__sort_segment;

/* In bytes: all, and of that what lies between two passes. */
uint64_t wl__sort_workspace(const wl_context *context, const struct wl__sort *sort);
uint64_t wl__sort_between(const wl_context *context, const struct wl__sort *sort);
/* There is at least one entry, and all bits of `starts` are set.  failed: 0, or where a uint32_t is 0 if the
 * result is there already. */
wl_error wl__sort_run(wl_context *context, const struct wl__sort *sort, wl_devptr failed, wl_stream stream);

/* A row of blocks; the kernel's one argument is a struct of parameters. */
wl_error wl__sort_launch(wl_context *context, wl__kernel kernel, uint64_t blocks, uint32_t threads,
                         uint32_t shared, void *parameters, wl_stream stream);

#endif
