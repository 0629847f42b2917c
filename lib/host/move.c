/* Copies between strides on the host: a plan, and blocks that threads share. */
#include <string.h>

#include "lib/host/host.h"
#include "lib/host/kernels.h"
#include "lib/host/threads.h"

/* Bytes of a block: with its output in `scratch`, it stays in a first- or second-level cache. */
#define BLOCK_BYTES 32768
/* Bytes of a block that should be contiguous on either side. */
#define RUN_BYTES 256
/* Longer elements are cut. */
#define ELEMENT_BYTES 16384
/* Rows of at least so many bytes may be streamed. */
#define STREAMED_ROW 128
/* Bytes of output that make a thread worth waking. */
#define SHARE_BYTES (1 << 18)

struct plan {
    struct wl__strided all;
    /* The dimensions that are closest to contiguous in the output and in the input; across is 0. */
    unsigned across, down;
    uint64_t block[WL_RANK_MAX]; /* elements of a block along each dimension */
    uint64_t count[WL_RANK_MAX]; /* blocks */
    unsigned order[WL_RANK_MAX]; /* dimensions in which blocks follow each other, the fastest first */
    uint64_t blocks, block_bytes;
    wl__host_transpose *transpose; /* NULL: by lines */
    wl__host_line *line;
    enum { STORED, STREAMED, STREAMED_ROWS } stores; /* STREAMED: from a block in the cache */
};

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

/* ---------------------------------------------------------------- one block */

/* Adds one to indices below n, of all dimensions but `inner`, first dimension fastest; keeps the two offsets.
 * False after the last. */
static inline bool next(const struct wl__strided_dimension *dim, unsigned rank, unsigned inner,
                        const uint64_t *n, const int64_t *to_strides, uint64_t *index, int64_t *to,
                        int64_t *from) {
    for (unsigned d = 0; d < rank; d++) {
        if (d == inner)
            continue;
        *to += to_strides[d];
        *from += dim[d].from;
        if (++index[d] < n[d])
            return true;
        *to -= (int64_t)n[d] * to_strides[d];
        *from -= (int64_t)n[d] * dim[d].from;
        index[d] = 0;
    }
    return false;
}

/* Moves a block of n[d] elements to memory with these strides. */
static void move_lines(const struct plan *plan, const uint64_t *n, unsigned char *to, const int64_t *strides,
                       const unsigned char *from) {
    const struct wl__strided *all = &plan->all;
    unsigned inner = 0;
    for (unsigned d = 1; d < all->rank; d++)
        if (n[d] > n[inner])
            inner = d;
    uint64_t index[WL_RANK_MAX] = {0};
    int64_t to_offset = 0, from_offset = 0;
    do
        plan->line(to + to_offset, strides[inner], from + from_offset, all->dim[inner].from, n[inner],
                   all->bytes);
    while (next(all->dim, all->rank, inner, n, strides, index, &to_offset, &from_offset));
}

static void move_tiles(const struct plan *plan, const uint64_t *n, unsigned char *to, const int64_t *strides,
                       const unsigned char *from) {
    const unsigned a = plan->across, b = plan->down;
    plan->transpose(to, strides[b], from, plan->all.dim[a].from, n[a], n[b]);
}

static void move_block(const struct plan *plan, const uint64_t *n, unsigned char *to, const int64_t *strides,
                       const unsigned char *from) {
    if (plan->transpose)
        move_tiles(plan, n, to, strides, from);
    else
        move_lines(plan, n, to, strides, from);
}

/* By way of a dense block in the cache, whose rows then go to memory as whole lines. */
static void stream_block(const struct plan *plan, const uint64_t *n, unsigned char *to,
                         const unsigned char *from) {
    const struct wl__strided *all = &plan->all;
    _Alignas(WL_HOST_LINE) unsigned char scratch[BLOCK_BYTES];
    int64_t strides[WL_RANK_MAX], dense = (int64_t)all->bytes;
    for (unsigned d = 0; d < all->rank; d++) {
        strides[d] = dense;
        dense *= (int64_t)n[d];
    }
    move_block(plan, n, scratch, strides, from);
    /* Rows of several dimensions, if those are dense in the output as well. */
    int64_t row = (int64_t)all->bytes;
    unsigned d = 0;
    for (; d < all->rank && (n[d] == 1 || all->dim[d].to == row); d++)
        row *= (int64_t)n[d];
    uint64_t index[WL_RANK_MAX] = {0};
    for (int64_t at = 0; at < dense; at += row) {
        wl__host_stream(to, scratch + at, (uint64_t)row);
        for (unsigned i = d; i < all->rank; i++) {
            to += all->dim[i].to;
            if (++index[i] < n[i])
                break;
            to -= (int64_t)n[i] * all->dim[i].to;
            index[i] = 0;
        }
    }
}

/* Blocks first .. end - 1, numbered in the plan's order. */
static void move_blocks(const void *problem, uint64_t first, uint64_t end) {
    const struct plan *plan = problem;
    const struct wl__strided *all = &plan->all;
    uint64_t at[WL_RANK_MAX];
    int64_t strides[WL_RANK_MAX];
    for (unsigned d = 0; d < all->rank; d++)
        strides[d] = all->dim[d].to;
    uint64_t rest = first;
    for (unsigned i = 0; i < all->rank; i++) {
        const unsigned d = plan->order[i];
        at[d] = rest % plan->count[d];
        rest /= plan->count[d];
    }
    for (uint64_t block = first; block < end; block++) {
        uint64_t n[WL_RANK_MAX];
        int64_t to = 0, from = 0;
        for (unsigned d = 0; d < all->rank; d++) {
            const uint64_t begin = at[d] * plan->block[d], left = all->dim[d].size - begin;
            n[d] = left < plan->block[d] ? left : plan->block[d];
            to += (int64_t)begin * all->dim[d].to;
            from += (int64_t)begin * all->dim[d].from;
        }
        if (plan->stores == STREAMED)
            stream_block(plan, n, wl__host_pointer(all->to) + to, wl__host_pointer(all->from) + from);
        else
            move_block(plan, n, wl__host_pointer(all->to) + to, strides, wl__host_pointer(all->from) + from);
        for (unsigned i = 0; i < all->rank; i++) {
            const unsigned d = plan->order[i];
            if (++at[d] < plan->count[d])
                break;
            at[d] = 0;
        }
    }
    if (plan->stores != STORED)
        wl__host_stream_end();
}

/* ---------------------------------------------------------------- plans */

/* Grows a block along a dimension to at most `most` elements, as far as its bytes allow. */
static void grow(struct plan *plan, unsigned d, uint64_t most, uint64_t *bytes) {
    const uint64_t size = plan->all.dim[d].size, others = *bytes / plan->block[d];
    uint64_t block = most < size ? most : size;
    if (block > BLOCK_BYTES / others)
        block = BLOCK_BYTES / others;
    if (block <= plan->block[d])
        return;
    /* Equal blocks, rather than a small one at the end. */
    if (block < size)
        block = divide_up(size, divide_up(size, block));
    plan->block[d] = block;
    *bytes = others * block;
}

static void choose_blocks(struct plan *plan) {
    const struct wl__strided *all = &plan->all;
    uint64_t bytes = all->bytes;
    const uint64_t run = divide_up(RUN_BYTES, all->bytes);
    for (unsigned d = 0; d < all->rank; d++)
        plan->block[d] = 1;
    grow(plan, plan->across, run, &bytes);
    grow(plan, plan->down, run, &bytes);
    grow(plan, plan->down, UINT64_MAX, &bytes);
    grow(plan, plan->across, UINT64_MAX, &bytes);
    for (unsigned d = 0; d < all->rank && !plan->transpose; d++)
        grow(plan, d, UINT64_MAX, &bytes);
    plan->blocks = 1;
    for (unsigned d = 0; d < all->rank; d++) {
        plan->count[d] = divide_up(all->dim[d].size, plan->block[d]);
        plan->blocks *= plan->count[d];
    }
    plan->block_bytes = bytes;
}

/* Blocks follow each other along the input, then in the output's order. */
static void choose_order(struct plan *plan) {
    unsigned i = 0;
    plan->order[i++] = plan->down;
    for (unsigned d = 0; d < plan->all.rank; d++)
        if (d != plan->down)
            plan->order[i++] = d;
}

static int width_of(uint64_t bytes) {
    return bytes <= 16 && (bytes & (bytes - 1)) == 0 ? __builtin_ctz((unsigned)bytes) : -1;
}

/* Whether two dimensions change places, each contiguous on one side, and are long enough for it to pay. */
static bool are_tiles(const struct plan *plan, int width) {
    const struct wl__strided_dimension *a = &plan->all.dim[plan->across], *b = &plan->all.dim[plan->down];
    return width >= 0 && plan->across != plan->down && a->to == (int64_t)plan->all.bytes &&
           b->from == (int64_t)plan->all.bytes && a->size * b->size >= 64;
}

/* Turns a dimension around. */
static void reverse(struct wl__strided *all, unsigned d) {
    struct wl__strided_dimension *dim = &all->dim[d];
    all->to += (dim->size - 1) * (uint64_t)dim->to;
    all->from += (dim->size - 1) * (uint64_t)dim->from;
    dim->to = -dim->to;
    dim->from = -dim->from;
}

static void plan_move(struct plan *plan, const struct wl__host *host) {
    struct wl__strided *all = &plan->all;
    const struct wl__host_kernels *kernels = host->kernels;
    const int width = width_of(all->bytes);
    plan->across = 0;
    plan->down = wl__strided_down(all);
    if (plan->down != 0 && all->dim[plan->down].from < 0)
        reverse(all, plan->down);
    plan->transpose = are_tiles(plan, width) ? kernels->transpose[width] : NULL;
    plan->line = width < 0 ? kernels->line_any : kernels->line[width];
    choose_blocks(plan);
    choose_order(plan);
}

/* Elements that are streamed by themselves. */
static void stream_line(unsigned char *to, int64_t to_stride, const unsigned char *from, int64_t from_stride,
                        uint64_t n, uint64_t bytes) {
    for (uint64_t i = 0; i < n; i++, to += to_stride, from += from_stride)
        wl__host_stream(to, from, bytes);
}

/* Streaming stores fill whole lines, so rows must have some. */
static void choose_stores(struct plan *plan) {
    const struct wl__strided *all = &plan->all;
    uint64_t row = all->bytes;
    for (unsigned d = 0; d < all->rank && all->dim[d].to == (int64_t)row; d++)
        row *= plan->block[d];
    if (all->bytes >= STREAMED_ROW) {
        plan->stores = STREAMED_ROWS;
        plan->line = stream_line;
    } else if (row >= STREAMED_ROW)
        plan->stores = STREAMED;
}

static void run(const struct wl__host *host, const struct wl__strided *all, bool stream) {
    struct plan plan = {.all = *all};
    if (all->rank == 0) {
        memcpy(wl__host_pointer(all->to), wl__host_pointer(all->from), all->bytes);
        return;
    }
    plan_move(&plan, host);
    if (stream)
        choose_stores(&plan);
    wl__host_share(move_blocks, &plan, plan.blocks, divide_up(SHARE_BYTES, plan.block_bytes));
}

/* Makes long elements a dimension of shorter ones.  Returns the bytes at their end that remain. */
static uint64_t cut(struct wl__strided *all) {
    if (all->bytes <= ELEMENT_BYTES || all->rank == WL_RANK_MAX)
        return 0;
    const uint64_t tail = all->bytes % ELEMENT_BYTES;
    memmove(all->dim + 1, all->dim, all->rank * sizeof(all->dim[0]));
    all->dim[0] = (struct wl__strided_dimension){all->bytes / ELEMENT_BYTES, ELEMENT_BYTES, ELEMENT_BYTES};
    all->rank++;
    all->bytes = ELEMENT_BYTES;
    return tail;
}

static void explain(const struct wl__host *host, struct wl__choice *choice, const struct wl__strided *all) {
    (void)host;
    choice->kernel = all->rank == 0 ? "host-copy" : "host-move";
    choice->why = all->rank == 0 ? "one run of bytes" : "blocks";
}

wl_error wl__host_move(const wl_context *context, struct wl__choice *choice,
                       const struct wl__strided *asked) {
    const struct wl__host *host = context->host;
    struct wl__strided all = *asked;
    wl__strided_reduce(&all);
    uint64_t bytes = all.bytes;
    for (unsigned d = 0; d < all.rank; d++)
        bytes *= all.dim[d].size;
    explain(host, choice, &all);
    wl__chose(context, choice);
    const bool stream = bytes >= host->stream_from;
    struct wl__strided rest = all;
    const uint64_t tail = cut(&all);
    run(host, &all, stream);
    if (tail) {
        rest.to += rest.bytes - tail;
        rest.from += rest.bytes - tail;
        rest.bytes = tail;
        run(host, &rest, stream);
    }
    return WL_ERROR_OK;
}
