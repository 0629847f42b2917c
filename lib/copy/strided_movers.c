/* Strided copies on a GPU.  What other operations do is theirs: permutations of arrays without gaps,
 * matrices, rows.  The rest has one kernel for units, and one for tiles of them. */
#include "lib/copy/rows.h"
#include "lib/copy/strided.h"
#include "lib/copy/strided_parameters.h"
#include "lib/divide.h"
#include "lib/launch.h"
#include "lib/mover.h"
#include "lib/transpose/transpose.h"

/* Bytes of an element from which on rows are as fast as tiles where dimensions change places. */
#define ROW_BYTES 32
/* Elements of a dimension from which on tiles are not mostly empty. */
#define TILE_LEAST 8
/* The same of larger tiles. */
#define MIXED_LEAST 16

struct wl__problem {
    wl_context *context;
    wl_stream stream;
    const struct wl__strided *all; /* reduced */
    unsigned unit;                 /* bytes, to a multiple of which everything lies: 1, 2, 4, 8 or 16 */
    unsigned down;                 /* the dimension in which elements of the input are nearest */
};

static bool can_copy(const struct wl__problem *p) {
    return p->all->rank == 0;
}

static wl_error run_copy(const struct wl__problem *p) {
    return wl_copy(p->context, p->all->to, p->all->from, p->all->bytes, p->stream);
}

/* ---------------------------------------------------------------- permutations */

/* The dimensions in the input's order, the smallest stride first.  False if that is not a dense array. */
static bool sort_dense(const struct wl__strided *all, unsigned order[WL_RANK_MAX]) {
    uint64_t bytes = all->bytes;
    unsigned done = 0;
    for (unsigned i = 0; i < all->rank; i++) {
        unsigned d = 0;
        while (d < all->rank && (done >> d & 1 || (uint64_t)all->dim[d].from != bytes))
            d++;
        if (d == all->rank)
            return false;
        order[i] = d;
        done |= 1u << d;
        bytes *= all->dim[d].size;
    }
    return true;
}

/* Neither side has gaps.  An element of several units is one more dimension. */
static bool can_permute(const struct wl__problem *p) {
    const struct wl__strided *all = p->all;
    unsigned order[WL_RANK_MAX];
    uint64_t bytes = all->bytes;
    for (unsigned d = 0; d < all->rank; bytes *= all->dim[d++].size)
        if ((uint64_t)all->dim[d].to != bytes)
            return false;
    return sort_dense(all, order) && all->rank + (all->bytes > p->unit) <= WL_RANK_MAX;
}

static wl_error run_permute(const struct wl__problem *p) {
    const struct wl__strided *all = p->all;
    unsigned inputs[WL_RANK_MAX], order[WL_RANK_MAX], rank = all->rank;
    uint64_t sizes[WL_RANK_MAX];
    sort_dense(all, inputs);
    /* Both orders have the largest stride first. */
    for (unsigned i = 0; i < rank; i++) {
        sizes[rank - 1 - i] = all->dim[inputs[i]].size;
        order[rank - 1 - inputs[i]] = rank - 1 - i;
    }
    if (all->bytes > p->unit) {
        sizes[rank] = all->bytes / p->unit;
        order[rank] = rank;
        rank++;
    }
    return wl_permute(p->context, p->unit, all->to, all->from, rank, sizes, order, p->stream);
}

/* ---------------------------------------------------------------- matrices */

/* Rows become dimension 0, and columns are what is nearest in the input.  A third dimension counts matrices.
 * If a matrix begins before the one ahead of it ends, only tiles can, which must not be mostly empty. */
static bool can_transpose(const struct wl__problem *p) {
    const struct wl__strided *all = p->all;
    const struct wl__strided_dimension *a = &all->dim[0], *b = &all->dim[p->down];
    const int64_t bytes = (int64_t)all->bytes;
    if (all->rank < 2 || all->rank > 3 || all->bytes != p->unit || p->down == 0 || a->to != bytes ||
        b->from != bytes || a->from < (int64_t)b->size * bytes || b->to < (int64_t)a->size * bytes)
        return false;
    if (all->rank == 2)
        return true;
    const struct wl__strided_dimension *batch = &all->dim[3 - p->down];
    const int64_t from = (int64_t)(a->size - 1) * a->from + (int64_t)b->size * bytes,
                  to = (int64_t)(b->size - 1) * b->to + (int64_t)a->size * bytes;
    return (batch->from >= from && batch->to >= to) ||
           (batch->from >= 0 && batch->to >= 0 && a->size >= MIXED_LEAST && b->size >= MIXED_LEAST);
}

static wl_error run_transpose(const struct wl__problem *p) {
    const struct wl__strided *all = p->all;
    const struct wl__strided_dimension *a = &all->dim[0], *b = &all->dim[p->down];
    const uint64_t bytes = all->bytes;
    wl_transpose_layout layout = {.rows = a->size,
                                  .cols = b->size,
                                  .from_ld = (uint64_t)a->from / bytes,
                                  .to_ld = (uint64_t)b->to / bytes,
                                  .batch = 1};
    if (all->rank == 3) {
        const struct wl__strided_dimension *batch = &all->dim[3 - p->down];
        layout.batch = batch->size;
        layout.from_stride = (uint64_t)batch->from / bytes;
        layout.to_stride = (uint64_t)batch->to / bytes;
    }
    return wl__transpose_any(p->context, p->unit, all->to, all->from, &layout, NULL, p->stream);
}

/* ---------------------------------------------------------------- rows */

/* Kernels of rows look at the input from its first byte to its last, so it must not run backwards. */
static bool can_rows(const struct wl__problem *p) {
    bool can = p->all->rank <= WL_ROWS_RANK;
    for (unsigned d = 0; d < p->all->rank; d++)
        can = can && p->all->dim[d].from >= 0;
    return can;
}

static double cost_rows(const struct wl__problem *p) {
    return wl__cost_where(p->all->bytes >= ROW_BYTES);
}

static wl_error run_rows(const struct wl__problem *p) {
    const struct wl__strided *all = p->all;
    struct wl__rows rows = {.to = all->to, .from = all->from, .row_bytes = all->bytes, .rank = all->rank};
    for (unsigned d = 0; d < all->rank; d++)
        rows.outer[d] = (struct wl__rows_dimension){all->dim[d].size, (uint64_t)all->dim[d].to,
                                                    (uint64_t)all->dim[d].from};
    return wl__rows_move(p->context, &(struct wl__choice){0}, &rows, p->stream);
}

/* ---------------------------------------------------------------- the rest */

/* Tiles of the whole problem; 0 if a launch cannot have as many blocks. */
static uint64_t count_tiles(const struct wl__problem *p) {
    uint64_t tiles = 1;
    for (unsigned d = 0; d < p->all->rank; d++) {
        const uint64_t size = p->all->dim[d].size,
                       count = d == 0 || d == p->down ? wl__divide_up(size, WL_STRIDED_TILE) : size;
        if (count > WL_GRID_X_LIMIT / tiles)
            return 0;
        tiles *= count;
    }
    return tiles;
}

static bool can_tiles(const struct wl__problem *p) {
    return p->all->rank > 1 && p->all->bytes == p->unit && p->down != 0 && count_tiles(p);
}

static double cost_tiles(const struct wl__problem *p) {
    const struct wl__strided_dimension *dim = p->all->dim;
    return dim[0].size >= TILE_LEAST && dim[p->down].size >= TILE_LEAST ? WL_SECOND : WL_DEAR;
}

static wl_error run_tiles(const struct wl__problem *p) {
    static const wl__kernel kernels[] = {WL_KERNEL_copy_tiles1, WL_KERNEL_copy_tiles2, WL_KERNEL_copy_tiles4,
                                         WL_KERNEL_copy_tiles8, WL_KERNEL_copy_tiles16};
    const struct wl__strided *all = p->all;
    struct wl_strided tiles = {.to = all->to,
                               .from = all->from,
                               .sizes = {all->dim[0].size, all->dim[p->down].size},
                               .rank = all->rank};
    unsigned next = 2;
    for (unsigned d = 0; d < all->rank; d++) {
        const bool sides = d == 0 || d == p->down;
        const unsigned i = d == 0 ? 0 : d == p->down ? 1 : next++;
        tiles.dim[i].count =
            wl_divisor(sides ? wl__divide_up(all->dim[d].size, WL_STRIDED_TILE) : all->dim[d].size);
        tiles.dim[i].to = all->dim[d].to;
        tiles.dim[i].from = all->dim[d].from;
    }
    void *arguments[] = {&tiles};
    return wl__launch(p->context, kernels[__builtin_ctz(p->unit)], (uint32_t)count_tiles(p), 1,
                      (struct wl__block){WL_STRIDED_TILE, WL_STRIDED_ROWS}, arguments, p->stream);
}

static wl_error launch_units(const struct wl__problem *p, const struct wl_strided *units,
                             const uint64_t *sizes);

/* Moves one half of the largest dimension, then the other. */
static wl_error halves(const struct wl__problem *p, const struct wl_strided *units, const uint64_t *sizes) {
    struct wl_strided half = *units;
    uint64_t half_sizes[WL_STRIDED_RANK];
    unsigned largest = 0;
    for (unsigned d = 0; d < units->rank; d++) {
        half_sizes[d] = sizes[d];
        if (sizes[d] > sizes[largest])
            largest = d;
    }
    const uint64_t done = sizes[largest] / 2;
    half_sizes[largest] = done;
    wl_error error = launch_units(p, &half, half_sizes);
    half_sizes[largest] = sizes[largest] - done;
    half.to += done * (uint64_t)units->dim[largest].to;
    half.from += done * (uint64_t)units->dim[largest].from;
    return error ? error : launch_units(p, &half, half_sizes);
}

static wl_error launch_units(const struct wl__problem *p, const struct wl_strided *units,
                             const uint64_t *sizes) {
    static const wl__kernel kernels[] = {WL_KERNEL_copy_strided1, WL_KERNEL_copy_strided2,
                                         WL_KERNEL_copy_strided4, WL_KERNEL_copy_strided8,
                                         WL_KERNEL_copy_strided16};
    const uint64_t each = WL_STRIDED_THREADS * WL_STRIDED_EACH;
    struct wl_strided now = *units;
    uint64_t items = 1;
    for (unsigned d = 0; d < units->rank; d++) {
        if (sizes[d] > WL_ITEMS_LIMIT / items)
            return halves(p, units, sizes);
        items *= sizes[d];
        now.dim[d].count = wl_divisor(sizes[d]);
    }
    now.items = (uint32_t)items;
    void *arguments[] = {&now};
    return wl__launch(p->context, kernels[__builtin_ctz(p->unit)], (uint32_t)wl__divide_up(items, each), 1,
                      (struct wl__block){WL_STRIDED_THREADS, 1}, arguments, p->stream);
}

static wl_error run_units(const struct wl__problem *p) {
    const struct wl__strided *all = p->all;
    struct wl_strided units = {.to = all->to, .from = all->from};
    uint64_t sizes[WL_STRIDED_RANK];
    /* An element of several units; or one of one, for a kernel has at least one dimension. */
    sizes[0] = all->bytes / p->unit;
    units.dim[0].to = units.dim[0].from = p->unit;
    units.rank = sizes[0] > 1 || all->rank == 0;
    for (unsigned d = 0; d < all->rank; d++, units.rank++) {
        sizes[units.rank] = all->dim[d].size;
        units.dim[units.rank].to = all->dim[d].to;
        units.dim[units.rank].from = all->dim[d].from;
    }
    return launch_units(p, &units, sizes);
}

static const struct wl__mover movers[] = {
    {"copy", "one run of bytes", can_copy, NULL, run_copy},
    {"permute", "neither side has gaps: a permutation of dimensions", can_permute, NULL, run_permute},
    {"transpose", "matrices without gaps between elements", can_transpose, NULL, run_transpose},
    {"rows", "elements are rows", can_rows, cost_rows, run_rows},
    {"tiles", "neighbours on either side are in different dimensions: tiles through shared memory", can_tiles,
     cost_tiles, run_tiles},
    {"units", "any strides: units of 1 to 16 bytes, one by one", NULL, wl__cost_floor, run_units},
};

wl_error wl__strided_move(wl_context *context, struct wl__choice *choice, const struct wl__strided *all,
                          wl_stream stream) {
    struct wl__problem p = {context, stream, all, 16, wl__strided_down(all)};
    uint64_t places = all->bytes | all->to | all->from;
    for (unsigned d = 0; d < all->rank; d++)
        places |= (uint64_t)all->dim[d].to | (uint64_t)all->dim[d].from;
    while (places % p.unit)
        p.unit /= 2;
    return wl__move(context, WL_MOVERS(movers), choice, &p);
}
