#include "lib/host/plan.h"

#include "lib/divide.h"

/* Bytes that a block should have side by side on either side: from the least to the most in turns, as far as
 * the block's bytes go.  The input's runs are twice as long, because the lines at their ends are read again.
 */
#define RUN_LEAST 128
#define RUN_MOST  256
/* The same where tiles go past the caches: shorter runs take longer on either side, and both sides' are
 * alike. */
#define TILES_RUN_LEAST 256
#define TILES_RUN_MOST  512
/* Rows of at least so many bytes may go past the caches: most of their lines are whole. */
#define STREAMED_ROW 128
/* Bytes of output from which on scratch memory is faster where pitches are multiples of COLLIDING. */
#define STAGED_BYTES (1 << 20)
#define COLLIDING    1024
/* Elements of two dimensions below which tiles are mostly empty. */
#define TILES_LEAST 64
/* Bytes of a block of two dimensions past the caches below which one of more dimensions is faster. */
#define TILES_BYTES 8192

/* ---------------------------------------------------------------- blocks */

/* Grows a block along a dimension to at most `most` elements, as far as its bytes allow. */
static void grow(struct wl__host_plan *plan, unsigned d, uint64_t most) {
    const uint64_t size = plan->all.dim[d].size, others = plan->block_bytes / plan->block[d];
    uint64_t block = most < size ? most : size;
    if (block > plan->block_most / others)
        block = plan->block_most / others;
    if (block <= plan->block[d])
        return;
    /* Equal blocks, rather than a small one at the end. */
    if (block < size)
        block = wl__divide_up(size, wl__divide_up(size, block));
    plan->block[d] = block;
    plan->block_bytes = others * block;
}

/* Grows it along dimensions that follow each other without gaps on one side, until a run has so many bytes.
 */
static void grow_run(struct wl__host_plan *plan, bool output, uint64_t bytes) {
    const struct wl__strided *all = &plan->all;
    uint64_t run = all->bytes;
    unsigned d = output ? plan->across : plan->down;
    while (d < all->rank && run < bytes) {
        grow(plan, d, wl__divide_up(bytes, run));
        if (plan->block[d] < all->dim[d].size)
            break;
        run *= all->dim[d].size;
        for (d = 0; d < all->rank; d++)
            if ((output ? all->dim[d].to : all->dim[d].from) == (int64_t)run)
                break;
    }
}

static void begin_blocks(struct wl__host_plan *plan, uint64_t most) {
    plan->block_most = most;
    plan->block_bytes = plan->all.bytes;
    for (unsigned d = 0; d < plan->all.rank; d++)
        plan->block[d] = 1;
}

static void choose_blocks(struct wl__host_plan *plan) {
    const struct wl__strided *all = &plan->all;
    begin_blocks(plan, WL_HOST_BLOCK);
    for (uint64_t run = RUN_LEAST; run <= RUN_MOST; run *= 2) {
        grow_run(plan, true, run);
        grow_run(plan, false, 2 * run);
    }
    /* Long runs of the input are worth more than long ones of the output. */
    grow(plan, plan->down, UINT64_MAX);
    grow(plan, plan->across, UINT64_MAX);
    for (unsigned d = 0; d < all->rank; d++)
        grow(plan, d, UINT64_MAX);
}

/* Blocks of two dimensions that go past the caches; false if rows or blocks of these are too small. */
static bool choose_tiles(struct wl__host_plan *plan) {
    const uint64_t bytes = plan->all.bytes;
    begin_blocks(plan, WL_HOST_TILES);
    for (uint64_t run = TILES_RUN_LEAST; run <= TILES_RUN_MOST; run *= 2) {
        grow(plan, plan->across, wl__divide_up(run, bytes));
        grow(plan, plan->down, wl__divide_up(run, bytes));
    }
    grow(plan, plan->down, UINT64_MAX);
    grow(plan, plan->across, UINT64_MAX);
    return plan->block[plan->across] * bytes >= STREAMED_ROW &&
           plan->block[plan->down] * bytes >= WL_HOST_LINE && plan->block_bytes >= TILES_BYTES;
}

/* ---------------------------------------------------------------- kernels and stores */

static int width_of(uint64_t bytes) {
    return bytes <= 16 && (bytes & (bytes - 1)) == 0 ? __builtin_ctz((unsigned)bytes) : -1;
}

/* Whether two dimensions change places, each contiguous on one side, and are long enough for it to pay. */
static bool are_tiles(const struct wl__host_plan *plan, int width) {
    const struct wl__strided_dimension *a = &plan->all.dim[plan->across], *b = &plan->all.dim[plan->down];
    return width >= 0 && plan->across != plan->down && a->to == (int64_t)plan->all.bytes &&
           b->from == (int64_t)plan->all.bytes && a->size * b->size >= TILES_LEAST;
}

/* A line of elements that go past the caches. */
static void stream_line(unsigned char *to, int64_t to_stride, const unsigned char *from, int64_t from_stride,
                        uint64_t n, uint64_t bytes) {
    for (uint64_t i = 0; i < n; i++, to += to_stride, from += from_stride)
        wl__host_stream(to, from, bytes);
}

/* Whether rows on a side begin at the same few sets of the caches, so that a block's lines push each other
 * out. */
static bool collide(const struct wl__host_plan *plan) {
    return plan->all.dim[plan->down].to % COLLIDING == 0 || plan->all.dim[plan->across].from % COLLIDING == 0;
}

static void choose_stores(struct wl__host_plan *plan, uint64_t bytes) {
    const struct wl__strided *all = &plan->all;
    const uint64_t across = plan->block[plan->across] * all->bytes;
    const bool tiles =
        plan->transpose && across >= STREAMED_ROW && across * plan->block[plan->down] == plan->block_bytes;
    uint64_t row = all->bytes;
    for (unsigned d = 0; d < all->rank && all->dim[d].to == (int64_t)row; d++)
        row *= plan->block[d];
    if (!plan->past)
        plan->stores =
            tiles && all->bytes < 16 && bytes >= STAGED_BYTES && collide(plan) ? STAGED_TILES : STORED;
    else if (all->bytes >= STREAMED_ROW) {
        plan->stores = STREAMED;
        plan->line = stream_line;
    } else
        plan->stores = tiles ? STAGED_TILES : row >= STREAMED_ROW ? STAGED : STORED;
}

void wl__host_plan(struct wl__host_plan *plan, const struct wl__host *host, const struct wl__strided *all,
                   uint64_t bytes) {
    const int width = width_of(all->bytes);
    plan->all = *all;
    plan->across = 0;
    plan->down = wl__strided_down(all);
    if (plan->down != 0 && all->dim[plan->down].from < 0)
        wl__strided_turn(&plan->all, plan->down);
    plan->transpose = are_tiles(plan, width) ? host->kernels->transpose[width] : NULL;
    plan->line = width < 0 ? host->kernels->line_any : host->kernels->line[width];
    plan->past = bytes >= host->stream_from;
    if (plan->transpose && plan->past && choose_tiles(plan))
        plan->stores = STAGED_TILES;
    else {
        choose_blocks(plan);
        choose_stores(plan, bytes);
    }
    plan->blocks = 1;
    for (unsigned d = 0; d < all->rank; d++) {
        plan->count[d] = wl__divide_up(all->dim[d].size, plan->block[d]);
        plan->blocks *= plan->count[d];
    }
    /* Tiles follow each other along the output's rows, so that none of its lines is written twice; other
     * blocks along the input. */
    const unsigned first = plan->stores == STAGED_TILES ? plan->across : plan->down;
    unsigned next = 0;
    plan->order[next++] = first;
    for (unsigned d = 0; d < all->rank; d++)
        if (d != first)
            plan->order[next++] = d;
}
