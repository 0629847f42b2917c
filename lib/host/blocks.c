/* Moves the blocks of a plan. */
#include <stdlib.h>
#include <string.h>

#include "lib/host/plan.h"

/* Memory of one thread, for blocks that are made in the cache.  Rows in it have gaps between them. */
struct scratch {
    _Alignas(WL_HOST_LINE) unsigned char in[2 * WL_HOST_BLOCK], out[2 * WL_HOST_BLOCK];
};

/* An index of all dimensions but some, the first dimension fastest, and where it lies. */
struct cursor {
    uint64_t index[WL_RANK_MAX];
    int64_t to, from;
};

/* Goes on to the next index below n; false after the last.  Bits of `without`: dimensions that stay. */
static inline bool step(struct cursor *at, const struct wl__strided *all, unsigned without, const uint64_t *n,
                        const int64_t *to_strides) {
    for (unsigned d = 0; d < all->rank; d++) {
        if (without >> d & 1)
            continue;
        at->to += to_strides[d];
        at->from += all->dim[d].from;
        if (++at->index[d] < n[d])
            return true;
        at->to -= (int64_t)n[d] * to_strides[d];
        at->from -= (int64_t)n[d] * all->dim[d].from;
        at->index[d] = 0;
    }
    return false;
}

/* Moves a block of n[d] elements to memory with these strides. */
static void move_block(const struct wl__host_plan *plan, const uint64_t *n, unsigned char *to,
                       const int64_t *strides, const unsigned char *from) {
    const struct wl__strided *all = &plan->all;
    const unsigned a = plan->across, b = plan->down;
    struct cursor at = {0};
    if (plan->transpose) {
        do
            plan->transpose(to + at.to, strides[b], from + at.from, all->dim[a].from, n[a], n[b], NULL, 0);
        while (step(&at, all, 1u << a | 1u << b, n, strides));
        return;
    }
    unsigned longest = 0;
    for (unsigned d = 1; d < all->rank; d++)
        if (n[d] > n[longest])
            longest = d;
    do
        plan->line(to + at.to, strides[longest], from + at.from, all->dim[longest].from, n[longest],
                   all->bytes);
    while (step(&at, all, 1u << longest, n, strides));
}

/* By way of a block without gaps in scratch memory. */
static void stage(const struct wl__host_plan *plan, struct scratch *scratch, const uint64_t *n,
                  unsigned char *to, const unsigned char *from) {
    const struct wl__strided *all = &plan->all;
    int64_t strides[WL_RANK_MAX], dense = (int64_t)all->bytes, row = dense;
    for (unsigned d = 0; d < all->rank; d++) {
        strides[d] = dense;
        dense *= (int64_t)n[d];
    }
    move_block(plan, n, scratch->out, strides, from);
    /* Rows of several dimensions, if those have no gaps in the output either. */
    unsigned whole = 0;
    for (unsigned d = 0; d < all->rank && (n[d] == 1 || all->dim[d].to == row); d++) {
        whole |= 1u << d;
        row *= (int64_t)n[d];
    }
    struct cursor at = {0};
    int64_t to_strides[WL_RANK_MAX];
    for (unsigned d = 0; d < all->rank; d++)
        to_strides[d] = all->dim[d].to;
    const unsigned char *made = scratch->out;
    do {
        wl__host_stream(to + at.to, made, (uint64_t)row);
        made += row;
    } while (step(&at, all, whole, n, to_strides));
}

/* A pitch of rows in scratch memory: an odd multiple of the unit, so that few rows share a set of the cache.
 */
static uint64_t pitch_of(uint64_t bytes, uint64_t unit) {
    return ((bytes + unit - 1) / unit | 1) * unit;
}

/* Reads a block's rows one by one, transposes it in scratch memory, and writes its rows one by one.
 *
 * Blocks follow each other along the output's rows.  What a block has of a row's last line stays in front of
 * that row in scratch memory, and is written together with the next block's part of the line: so each line is
 * written once, wherever rows begin.  `starts` and `ends`: no block of these rows was before, or comes after.
 */
static void stage_tiles(const struct wl__host_plan *plan, struct scratch *scratch, const uint64_t *n,
                        unsigned char *to, const unsigned char *from, bool starts, bool ends) {
    const struct wl__strided_dimension *across = &plan->all.dim[plan->across],
                                       *down = &plan->all.dim[plan->down];
    const uint64_t width = plan->all.bytes, rows = n[plan->across], cols = n[plan->down];
    const uint64_t in_row = cols * width, out_row = rows * width, in_pitch = pitch_of(in_row, 16);
    /* The last block, which may be smaller, finds the lines where the others leave them. */
    const uint64_t out_pitch = pitch_of(WL_HOST_LINE + plan->block[plan->across] * width, 32);
    unsigned char *out = scratch->out + WL_HOST_LINE;
    if (in_row >= WL_HOST_LINE) {
        for (uint64_t i = 0; i < rows; i++)
            memcpy(scratch->in + i * in_pitch, from + (int64_t)i * across->from, in_row);
        plan->transpose(out, (int64_t)out_pitch, scratch->in, (int64_t)in_pitch, rows, cols,
                        ends ? NULL : from + (int64_t)rows * across->from, across->from);
    } else
        plan->transpose(out, (int64_t)out_pitch, from, across->from, rows, cols, NULL, 0);
    for (uint64_t i = 0; i < cols; i++, out += out_pitch, to += down->to) {
        if (!plan->past) {
            memcpy(to, out, out_row);
            continue;
        }
        const uint64_t kept = starts ? 0 : (uintptr_t)to % WL_HOST_LINE, bytes = kept + out_row;
        unsigned char *line = to - kept;
        const unsigned char *made = out - kept;
        const uint64_t done = wl__host_stream_lines(line, made, bytes);
        if (ends)
            memcpy(line + done, made + done, bytes - done);
        else
            memcpy(out - WL_HOST_LINE, made + bytes - WL_HOST_LINE, WL_HOST_LINE);
    }
}

/* Finds block number `block`, in the plan's order. */
static void find_block(const struct wl__host_plan *plan, uint64_t block, uint64_t *at) {
    for (unsigned i = 0; i < plan->all.rank; i++) {
        const unsigned d = plan->order[i];
        at[d] = block % plan->count[d];
        block /= plan->count[d];
    }
}

static void find_next(const struct wl__host_plan *plan, uint64_t *at) {
    for (unsigned i = 0; i < plan->all.rank; i++) {
        const unsigned d = plan->order[i];
        if (++at[d] < plan->count[d])
            return;
        at[d] = 0;
    }
}

void wl__host_move_blocks(const void *problem, uint64_t first, uint64_t end) {
    const struct wl__host_plan *plan = problem;
    const struct wl__strided *all = &plan->all;
    struct scratch *scratch = NULL;
    uint64_t at[WL_RANK_MAX], n[WL_RANK_MAX];
    int64_t strides[WL_RANK_MAX];
    if (plan->stores == STAGED || plan->stores == STAGED_TILES)
        scratch = aligned_alloc(WL_HOST_LINE, sizeof(*scratch));
    for (unsigned d = 0; d < all->rank; d++)
        strides[d] = all->dim[d].to;
    find_block(plan, first, at);
    for (uint64_t block = first; block < end; block++, find_next(plan, at)) {
        unsigned char *to = wl__host_pointer(all->to);
        const unsigned char *from = wl__host_pointer(all->from);
        for (unsigned d = 0; d < all->rank; d++) {
            const uint64_t begin = at[d] * plan->block[d], left = all->dim[d].size - begin;
            n[d] = left < plan->block[d] ? left : plan->block[d];
            to += (int64_t)begin * all->dim[d].to;
            from += (int64_t)begin * all->dim[d].from;
        }
        /* Without scratch memory, elements go where they belong. */
        if (!scratch)
            move_block(plan, n, to, strides, from);
        else if (plan->stores == STAGED_TILES)
            stage_tiles(plan, scratch, n, to, from, block == first || at[plan->across] == 0,
                        block + 1 == end || at[plan->across] + 1 == plan->count[plan->across]);
        else
            stage(plan, scratch, n, to, from);
    }
    free(scratch);
    if (plan->past)
        wl__host_stream_end();
}
