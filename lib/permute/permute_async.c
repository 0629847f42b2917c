/* Tiles that asynchronous loads fill: lib/permute/permute_async.cu. */
#include "lib/permute/permute_plan.h"

/* A tile in the input's order: contiguous rows, each of one dimension or of several. */
struct rows {
    const struct wl__permute_shape *shape;
    const uint64_t *extent;
    unsigned merged;                   /* dimensions that a row runs through */
    uint64_t bytes;                    /* of a row */
    uint64_t pitch[WL_RANK_MAX], span; /* bytes in the tile's memory */
};

#define SHORT_ROW 3 /* vectors of a row of the output: see out_axes() */

/* Elements that are transposed together in registers: as many rows as columns. */
static unsigned group_of(unsigned width) {
    return width < 4 ? 4 / width : 1;
}

/* Whether all accesses to both arrays begin at multiples of 16 bytes. */
static bool is_whole(struct rows *rows, uint64_t to, uint64_t from) {
    const struct wl__permute_shape *shape = rows->shape;
    unsigned width = shape->width, out0 = shape->by_out[0], vector = WL_PERMUTE_ACCESS / width;
    uint64_t bits = (to | from) & (WL_PERMUTE_ACCESS - 1);
    if (width > 8 || out0 == 0 || rows->extent[out0] % vector || shape->dim[out0].size % vector ||
        rows->extent[0] % group_of(width))
        return false;
    rows->merged = 0;
    rows->bytes = width;
    unsigned d;
    do {
        d = rows->merged++;
        rows->bytes *= rows->extent[d];
    } while (rows->extent[d] == shape->dim[d].size && d + 1 < shape->rank && rows->extent[d + 1] > 1);
    bits |= rows->bytes;
    for (d = 0; d < shape->rank; d++) {
        uint64_t extent = rows->extent[d], size = shape->dim[d].size, step = shape->dim[d].in * width;
        if (extent < size)
            bits |= extent * step | (size - extent) * step;
        if (d >= rows->merged && extent > 1)
            bits |= step;
    }
    return bits % WL_PERMUTE_ACCESS == 0;
}

/* Every vector keeps its place modulo 128 bytes.  Rows of the output's first dimension are `more` times 128
 * bytes further apart than necessary, unless they lie within a row. */
static void lay_out(struct rows *rows, unsigned more) {
    const struct wl__permute_shape *shape = rows->shape;
    rows->span = rows->bytes;
    for (unsigned d = 0; d < shape->rank; d++) {
        uint64_t step = shape->dim[d].in * shape->width;
        rows->pitch[d] = step;
        if (d < rows->merged || rows->extent[d] == 1)
            continue;
        rows->pitch[d] = rows->span + (step - rows->span) % WL_PERMUTE_LINE;
        if (d == shape->by_out[0])
            rows->pitch[d] += more * WL_PERMUTE_LINE;
        rows->span += rows->pitch[d] * (rows->extent[d] - 1);
    }
}

static unsigned in_axes(struct wl__permute_axis *axis, const struct rows *rows) {
    const struct wl__permute_shape *shape = rows->shape;
    unsigned n = 0;
    if (rows->bytes > WL_PERMUTE_ACCESS)
        axis[n++] = (struct wl__permute_axis){rows->bytes / WL_PERMUTE_ACCESS, WL_PERMUTE_ACCESS,
                                              WL_PERMUTE_ACCESS, 0};
    for (unsigned d = rows->merged; d < shape->rank; d++)
        if (rows->extent[d] > 1)
            axis[n++] = (struct wl__permute_axis){rows->extent[d], rows->pitch[d],
                                                  shape->dim[d].in * shape->width, 0};
    return n;
}

/* Two neighbours of a row go first, so that a warp stores 256 bytes of two rows of the output and uses all
 * banks.  Then comes what lies along the output; the row itself comes last, unless the output's rows are side
 * by side along it and have up to three vectors: lanes that lie apart would store parts of sectors. */
static unsigned out_axes(struct wl__permute_axis *axis, const struct rows *rows) {
    const struct wl__permute_shape *shape = rows->shape;
    unsigned n = 0, width = shape->width, group = group_of(width), out0 = shape->by_out[0],
             vector = WL_PERMUTE_ACCESS / width;
    uint64_t words = rows->extent[0] / group, word = group * width, column = shape->dim[0].out * word;
    uint64_t beside = words % 2 == 0 ? 2 : 1;
    if (beside > 1)
        axis[n++] = (struct wl__permute_axis){beside, word, column, 0};
    if (rows->extent[out0] > vector)
        axis[n++] = (struct wl__permute_axis){rows->extent[out0] / vector, rows->pitch[out0] * vector,
                                              WL_PERMUTE_ACCESS, 0};
    const struct wl__permute_axis row = {words / beside, beside * word, beside * column, 0};
    const bool along = shape->by_out[1] == 0 && rows->extent[out0] <= SHORT_ROW * vector;
    if (along && words > beside)
        axis[n++] = row;
    for (unsigned i = 1; i < shape->rank; i++) {
        unsigned d = shape->by_out[i];
        if (d != 0 && rows->extent[d] > 1)
            axis[n++] =
                (struct wl__permute_axis){rows->extent[d], rows->pitch[d], shape->dim[d].out * width, 0};
    }
    if (!along && words > beside)
        axis[n++] = row;
    return n;
}

/* The wavefronts in which warps read a word per lane: the worst of a sample. */
static unsigned wavefronts(const struct wl_permute_sides *sides, unsigned word) {
    const struct wl_permute_side *side = &sides->out;
    unsigned lanes = word <= 4 ? 32 : 128 / word, worst = 0;
    for (unsigned first = 0; first < 128 && first < side->limit[0]; first += lanes) {
        unsigned in_bank[32] = {0};
        for (unsigned thread = first; thread < first + lanes && thread < side->limit[0]; thread++) {
            uint32_t at = side->step * (first / lanes), rest = thread;
            for (unsigned i = 0; i < side->parts; i++) {
                at += rest % side->part[i].by.count * side->part[i].shared;
                rest /= side->part[i].by.count;
            }
            at ^= at >> sides->turn & (WL_PERMUTE_LINE - WL_PERMUTE_ACCESS);
            unsigned now = ++in_bank[at / word % (128 / word)];
            worst = now > worst ? now : worst;
        }
    }
    return worst;
}

/* What vectors are swizzled by: from the number of their 128 bytes to that of 32 times as many. */
#define LEAST_TURN 3
#define MOST_TURN  8

static unsigned find_turn(struct wl_permute_sides *sides, unsigned word) {
    unsigned least = UINT32_MAX, best = LEAST_TURN, enough = word == 4 ? 2 : 1;
    for (sides->turn = LEAST_TURN; sides->turn <= MOST_TURN && least > enough; sides->turn++) {
        unsigned wave = wavefronts(sides, word);
        if (wave < least) {
            least = wave;
            best = sides->turn;
        }
    }
    sides->turn = best;
    return least;
}

bool wl__permute_async(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                       const struct wl__permute_shape *shape, const uint64_t *extent) {
    struct wl_permute_sides *sides = &plan->sides;
    unsigned width = shape->width, word = width < 4 ? 4 : width, out0 = shape->by_out[0];
    struct rows rows = {.shape = shape, .extent = plan->extent};
    plan->traffic = 1;
    for (unsigned d = 0; d < shape->rank; d++) {
        uint64_t size = shape->dim[d].size;
        plan->extent[d] = plan->step[d] = extent[d];
        plan->traffic *= (double)(wl__divide_up(size, extent[d]) * extent[d]) / (double)size;
    }
    if (!is_whole(&rows, sides->tiles.to, sides->tiles.from))
        return false;
    struct wl__permute_accesses in, out;
    unsigned wave = UINT32_MAX;
    /* Two wavefronts cost nothing measurable. */
    for (unsigned more = 0; more < 3 && wave > 2; more++) {
        struct wl__permute_axis axis[WL_PERMUTE_AXES + 1];
        struct wl__permute_plan trial = *plan;
        lay_out(&rows, more);
        if (!wl__permute_share(&trial.sides.in, &in, axis, in_axes(axis, &rows), WL__PERMUTE_THREADS,
                               WL_PERMUTE_PASSES) ||
            !wl__permute_share(&trial.sides.out, &out, axis, out_axes(axis, &rows), WL__PERMUTE_THREADS,
                               WL_PERMUTE_PASSES))
            return false;
        trial.sides.out.step = (uint32_t)rows.pitch[out0];
        unsigned now = find_turn(&trial.sides, word);
        if (now < wave) {
            wave = now;
            *plan = trial;
            plan->memory = (unsigned)(wl__divide_up(rows.span, WL_PERMUTE_LINE) + 1) * WL_PERMUTE_LINE;
        }
        if (out0 < rows.merged)
            break;
    }
    sides->column = shape->dim[0].out * width;
    plan->width = width;
    plan->is_async = true;
    plan->in_shifted = plan->out_shifted = false;
    plan->in_run = wl__permute_run(plan->extent, shape, false);
    plan->out_run = wl__permute_run(plan->extent, shape, true);
    plan->in_wave = 1;
    plan->out_wave = wave;
    unsigned threads = in.threads > out.threads ? in.threads : out.threads;
    plan->threads = (threads + 31) / 32 * 32;
    plan->in_passes = in.passes;
    plan->out_passes = out.passes;
    plan->passes = in.passes > out.passes ? in.passes : out.passes;
    plan->lanes = out.lanes;
    return wl__permute_number(tuned, &sides->tiles, shape, plan->extent, plan->step, WL_PERMUTE_NEAR);
}
