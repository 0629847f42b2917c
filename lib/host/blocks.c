/* Moves the blocks of a plan. */
#include <stdlib.h>
#include <string.h>

#include "lib/divide.h"
#include "lib/host/lines.h"
#include "lib/host/plan.h"

/* Rows that are fetched into the cache ahead of the one that is read: so many bytes, and fewer rows than a
 * set of the first or second level has lines, because rows may all begin at the same set. */
#define FETCHED_BYTES 2048
#define FETCHED_ROWS  6

/* Memory of one thread, for blocks that are made in the cache.  Rows in it have gaps between them. */
struct scratch {
    _Alignas(WL_HOST_LINE) unsigned char in[2 * WL_HOST_TILES], out[2 * WL_HOST_TILES];
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

/* A block: its place among the others, its elements along each dimension, and where it begins. */
struct block {
    uint64_t at[WL_RANK_MAX], n[WL_RANK_MAX];
    unsigned char *to;
    const unsigned char *from;
};

static void place(const struct wl__host_plan *plan, struct block *block) {
    const struct wl__strided *all = &plan->all;
    block->to = wl__host_pointer(all->to);
    block->from = wl__host_pointer(all->from);
    for (unsigned d = 0; d < all->rank; d++) {
        const uint64_t begin = block->at[d] * plan->block[d], left = all->dim[d].size - begin;
        block->n[d] = left < plan->block[d] ? left : plan->block[d];
        block->to += (int64_t)begin * all->dim[d].to;
        block->from += (int64_t)begin * all->dim[d].from;
    }
}

/* Finds a block by its number, in the plan's order. */
static void find_block(const struct wl__host_plan *plan, uint64_t number, struct block *block) {
    for (unsigned i = 0; i < plan->all.rank; i++) {
        const unsigned d = plan->order[i];
        block->at[d] = number % plan->count[d];
        number /= plan->count[d];
    }
    place(plan, block);
}

/* Goes on to the next; after the last comes the first. */
static void find_next(const struct wl__host_plan *plan, struct block *block) {
    for (unsigned i = 0; i < plan->all.rank; i++) {
        const unsigned d = plan->order[i];
        if (++block->at[d] < plan->count[d])
            break;
        block->at[d] = 0;
    }
    place(plan, block);
}

/* Reads a block's rows one by one, transposes them in scratch memory, and writes its rows one by one.
 * `ahead`: the block that comes after it, or NULL. */
static void stage_tiles(const struct wl__host_plan *plan, struct scratch *scratch, const struct block *block,
                        const unsigned char *ahead) {
    const int64_t from_pitch = plan->all.dim[plan->across].from, to_pitch = plan->all.dim[plan->down].to;
    const uint64_t width = plan->all.bytes, rows = block->n[plan->across], cols = block->n[plan->down];
    const uint64_t in_pitch = pitch_of(cols * width, 16), out_pitch = pitch_of(rows * width, 32);
    if (cols * width >= WL_HOST_LINE) {
        for (uint64_t i = 0; i < rows; i++)
            memcpy(scratch->in + i * in_pitch, block->from + (int64_t)i * from_pitch, cols * width);
        plan->transpose(scratch->out, (int64_t)out_pitch, scratch->in, (int64_t)in_pitch, rows, cols, ahead,
                        from_pitch);
    } else
        plan->transpose(scratch->out, (int64_t)out_pitch, block->from, from_pitch, rows, cols, NULL, 0);
    for (uint64_t i = 0; i < cols; i++)
        memcpy(block->to + (int64_t)i * to_pitch, scratch->out + i * out_pitch, rows * width);
}

/* Where a block's rows are read into scratch memory, and how far this is. */
struct reader {
    const unsigned char *from, *after; /* the next row; the block that is read after this, or NULL */
    unsigned char *to;
    int64_t pitch;
    uint64_t to_pitch, bytes;
    uint64_t rows;  /* that are left */
    uint64_t ahead; /* rows between one that is fetched into the cache and the one that is read */
};

static struct reader reader_of(const struct wl__host_plan *plan, struct scratch *scratch,
                               const struct block *block, const struct block *after) {
    struct reader reader = {.from = block->from, .after = after ? after->from : NULL, .to = scratch->in};
    reader.pitch = plan->all.dim[plan->across].from;
    reader.bytes = block->n[plan->down] * plan->all.bytes;
    reader.to_pitch = pitch_of(reader.bytes, 16);
    reader.rows = reader.bytes < WL_HOST_LINE ? 0 : block->n[plan->across];
    reader.ahead = wl__divide_up(FETCHED_BYTES, reader.bytes);
    if (reader.ahead > FETCHED_ROWS)
        reader.ahead = FETCHED_ROWS;
    return reader;
}

static inline void read_row(struct reader *reader) {
    const uint64_t ahead = reader->ahead;
    if (ahead < reader->rows)
        wl__host_fetch_row(reader->from + (int64_t)ahead * reader->pitch, reader->bytes);
    else if (reader->after)
        wl__host_fetch_row(reader->after + (int64_t)(ahead - reader->rows) * reader->pitch, reader->bytes);
    wl__host_copy_row(reader->to, reader->from, reader->bytes);
    reader->from += reader->pitch;
    reader->to += reader->to_pitch;
    reader->rows--;
}

/* Writes a row of `bytes` to the output past the caches.  What the block has of the row's last line stays in
 * front of that row in scratch memory, and is written together with the next block's part of the line: so
 * each line is written once, wherever rows begin.  `starts` and `ends`: no block of these rows was before, or
 * comes after.  Only at the end are there fewer bytes than a line. */
static inline void stream_row(unsigned char *to, unsigned char *out, uint64_t bytes, bool starts, bool ends) {
    const uint64_t kept = (uintptr_t)to % WL_HOST_LINE, end = kept + bytes;
    unsigned char *line = to - kept;
    const unsigned char *made = out - kept;
    uint64_t done = 0;
    if (starts && kept) {
        done = end < WL_HOST_LINE ? end : WL_HOST_LINE;
        memcpy(to, out, done - kept);
    }
    for (; done + WL_HOST_LINE <= end; done += WL_HOST_LINE)
        wl__host_stream_line(line + done, made + done);
    if (ends)
        memcpy(line + done, made + done, end - done);
    else
        memcpy(out - WL_HOST_LINE, out + bytes - WL_HOST_LINE, WL_HOST_LINE);
}

/* Writes a block from scratch memory, and reads the next one's rows between the rows that are written: so
 * memory reads and writes at the same time, as it does in a copy. */
static void write_and_read(const struct wl__host_plan *plan, unsigned char *out, uint64_t out_pitch,
                           const struct block *block, bool starts, bool ends, struct reader *reader) {
    const uint64_t cols = block->n[plan->down], bytes = block->n[plan->across] * plan->all.bytes;
    const uint64_t read = reader->rows;
    unsigned char *to = block->to;
    uint64_t due = 0;
    for (uint64_t i = 0; i < cols; i++, out += out_pitch, to += plan->all.dim[plan->down].to) {
        stream_row(to, out, bytes, starts, ends);
        for (due += read; due >= cols; due -= cols)
            read_row(reader);
    }
}

/* Reads, transposes and writes blocks as stage_tiles() does, but past the caches.  They follow each other
 * along the output's rows. */
static void stream_tiles(const struct wl__host_plan *plan, struct scratch *scratch, uint64_t first,
                         uint64_t end) {
    const unsigned a = plan->across, b = plan->down;
    const int64_t pitch = plan->all.dim[a].from;
    /* The last block of a row, which may be smaller, finds the lines where the others leave them. */
    const uint64_t out_pitch = pitch_of(WL_HOST_LINE + plan->block[a] * plan->all.bytes, 32);
    unsigned char *out = scratch->out + WL_HOST_LINE;
    struct block block, next, after;
    find_block(plan, first, &next);
    after = next;
    find_next(plan, &after);
    struct reader reader = reader_of(plan, scratch, &next, first + 1 < end ? &after : NULL);
    while (reader.rows)
        read_row(&reader);
    for (uint64_t i = first; i < end; i++) {
        const bool whole = reader.bytes >= WL_HOST_LINE, last = i + 1 == end;
        block = next;
        next = after;
        plan->transpose(out, (int64_t)out_pitch, whole ? scratch->in : block.from,
                        whole ? (int64_t)reader.to_pitch : pitch, block.n[a], block.n[b],
                        whole && !last ? next.from : NULL, pitch);
        find_next(plan, &after);
        reader = reader_of(plan, scratch, &next, i + 2 < end ? &after : NULL);
        if (last)
            reader.rows = 0;
        write_and_read(plan, out, out_pitch, &block, i == first || block.at[a] == 0, last || next.at[a] == 0,
                       &reader);
    }
}

static void move_each(const struct wl__host_plan *plan, struct scratch *scratch, uint64_t first,
                      uint64_t end) {
    int64_t strides[WL_RANK_MAX];
    for (unsigned d = 0; d < plan->all.rank; d++)
        strides[d] = plan->all.dim[d].to;
    struct block block, next;
    find_block(plan, first, &next);
    for (uint64_t i = first; i < end; i++) {
        block = next;
        find_next(plan, &next);
        /* Without scratch memory, elements go where they belong. */
        if (!scratch)
            move_block(plan, block.n, block.to, strides, block.from);
        else if (plan->stores == STAGED_TILES)
            stage_tiles(plan, scratch, &block, i + 1 < end ? next.from : NULL);
        else
            stage(plan, scratch, block.n, block.to, block.from);
    }
}

void wl__host_move_blocks(const void *problem, uint64_t first, uint64_t end) {
    const struct wl__host_plan *plan = problem;
    const bool staged = plan->stores == STAGED || plan->stores == STAGED_TILES;
    struct scratch *scratch = staged ? aligned_alloc(WL_HOST_LINE, sizeof(*scratch)) : NULL;
    if (scratch && plan->stores == STAGED_TILES && plan->past)
        stream_tiles(plan, scratch, first, end);
    else
        move_each(plan, scratch, first, end);
    free(scratch);
    if (plan->past)
        wl__host_stream_end();
}
