/* The parameters of the kernels that transpose a matrix by ranges of columns: the same struct on both sides.
 */
#ifndef WIDELOAD_KERNELS_RANGES_PARAMETERS_H
#define WIDELOAD_KERNELS_RANGES_PARAMETERS_H

#include <stdint.h>

/* A range is 2^bits neighbouring columns, a group so many neighbouring rows. */
#define WL_RANGES_LEAST 5
#define WL_RANGES_BITS  11
#define WL_GROUP        64
/* Ranges that a group may have, and groups of a range's list. */
#define WL_GROUP_RANGES 12
#define WL_RANGE_GROUPS 128
/* Ranges in which, in the mean, those entries of a group lie that have one position in their rows. */
#define WL_POSITION_RANGES 4
/* Entries of a row and of a column. */
#define WL_ROW_MOST    256
#define WL_COLUMN_MOST 96
/* Entries of a range that a block has room for. */
#define WL_RANGE_ENTRIES  5120
#define WL_RANGE_THREADS  512
#define WL_RANGE_BLOCKS   3 /* on a multiprocessor */
#define WL_SURVEY_THREADS 256
/* Bytes of the shared memory of a block that places: a sum of each warp; of each column where its entries
 * end; of each entry its number, its row and its column's place in the range. */
#define WL_RANGE_SHARED(bits) (128 + (4u << (bits)) + WL_RANGE_ENTRIES * 10u)

struct wl_ranges {
    uint64_t pointers, indices, values;     /* of the matrix */
    uint64_t starts, to_indices, to_values; /* of the result */
    uint64_t failed;                        /* uint32_t: not 0 if the matrix is not fit for this */
    uint64_t entries_of; /* uint64_t [range + 1]: entries, then those in the ranges before */
    uint64_t groups_of;  /* uint32_t [range]: groups that have entries there */
    uint64_t groups;     /* uint64_t [range][WL_RANGE_GROUPS]: which, in any order; in the upper
                          * half the positions of these entries in their rows */
    uint64_t rows, cols, entries;
    uint64_t step; /* the survey looks at each step-th group, and notes what it finds if that is each */
    uint32_t bits, width;
};

#endif
