#include "lib/permute/permute_matrices.h"

#include "lib/context.h"
#include "lib/permute/permute_plan.h"

#define BANKS  32
#define MEMORY (96 * 1024) /* bytes of a block's matrices at most: any device with bulk copies has these */

bool wl__permute_is_matrices(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape) {
    const uint64_t most = tuned->matrices.most;
    uint64_t all = 1;
    if (shape->rank < 4 || shape->width > 8 || shape->by_out[0] != 1 || shape->by_out[1] != 0 ||
        shape->dim[0].size > most || shape->dim[0].size * shape->dim[1].size * shape->width > most)
        return false;
    for (unsigned d = 2; d < shape->rank; d++)
        all = shape->dim[d].size < INT32_MAX / all ? all * shape->dim[d].size : INT32_MAX;
    return all < INT32_MAX;
}

/* The least distance of cells of so many bytes. */
static uint64_t least_pitch(uint64_t load) {
    return (load + WL_PERMUTE_SECTOR - 1) / WL_PERMUTE_SECTOR * WL_PERMUTE_SECTOR + WL_PERMUTE_SECTOR;
}

/* As many matrices as make up `together` bytes, and fit with the gaps between cells; whole cells of them, and
 * of these as many as begin at sectors. */
static uint64_t together_of(const struct wl__tuned_matrices *tuned, uint64_t matrix, uint64_t close,
                            uint64_t all) {
    uint64_t count = tuned->together / matrix, even = 1;
    if (count > close) {
        const uint64_t cells = MEMORY / (least_pitch(close * matrix) + 4 * close);
        count = count / close < cells ? count - count % close : cells * close;
    }
    while (even < WL_PERMUTE_SECTOR && even * matrix % WL_PERMUTE_SECTOR)
        even *= 2;
    if (count > even && (count <= close || close % even == 0))
        count -= count % even;
    return count > all ? all : count ? count : 1;
}

/* ---------------------------------------------------------------- banks */

/* The place of matrix m of the first block. */
static uint32_t place_of(const struct wl_permute_matrices *p, uint32_t m) {
    const uint32_t cell = m / p->close.count;
    uint32_t rest = cell, from = (uint32_t)p->tiles.from, at = cell * p->pitch;
    for (uint32_t i = 0; i < p->tiles.digits; i++) {
        from += rest % p->tiles.digit[i].by.count * (uint32_t)p->tiles.digit[i].in;
        rest /= p->tiles.digit[i].by.count;
    }
    return at + ((from - at) & (p->phase - 1)) + m % p->close.count * p->matrix;
}

/* Lanes of a warp that want one bank at the same time, for four of the first block's accesses. */
static unsigned conflicts(const struct wl_permute_matrices *p, unsigned width) {
    const uint32_t side = width == 1 ? 2 : 4, each = WL_PERMUTE_ACCESS / width, elements = p->rows * p->cols;
    unsigned sum = 0;
    for (uint32_t sample = 0; sample < 4; sample++) {
        uint32_t in_bank[BANKS] = {0}, worst = 0;
        for (uint32_t lane = 0; lane < 32; lane++) {
            const uint32_t e =
                (lane / side * p->apart + lane % side + sample % 2 * (p->apart / 2 / side * side)) * each +
                sample / 2 * (each / 2);
            const uint32_t m = e / elements, rest = e % elements;
            if (m >= p->together)
                continue;
            const uint32_t at = place_of(p, m) + (rest % p->rows * p->cols + rest / p->rows) * width;
            if (++in_bank[at / 4 % BANKS] > worst)
                worst = in_bank[at / 4 % BANKS];
        }
        sum += worst;
    }
    return sum;
}

/* The cells' distance, and the distance of lanes: those with the fewest conflicts. */
static void lay_out(struct wl_permute_matrices *p, unsigned width, uint32_t load) {
    const uint32_t side = width == 1 ? 2 : 4,
                   vectors = (p->together * p->matrix + 16 * side - width + WL_PERMUTE_ACCESS - 1) /
                             WL_PERMUTE_ACCESS,
                   least = (vectors + 31) / 32 * side;
    const uint32_t close = (uint32_t)least_pitch(load), cells = p->together / p->close.count;
    unsigned fewest = UINT32_MAX;
    struct wl_permute_matrices best = *p;
    for (uint32_t pad = 0; pad < 4 && (pad == 0 || cells * (close + pad * p->phase) <= MEMORY); pad++)
        for (uint32_t i = 0; i < 6 && i * side <= least / 10 + side; i++) {
            p->pitch = close + pad * p->phase;
            p->apart = least + i * side;
            const unsigned now = conflicts(p, width);
            if (now < fewest) {
                fewest = now;
                best.pitch = p->pitch;
                best.apart = p->apart;
            }
        }
    *p = best;
}

/* ---------------------------------------------------------------- the plan */

void wl__permute_plan_matrices(const struct wl__tuned_permute *permute,
                               struct wl__permute_matrices_plan *plan, const struct wl__permute_shape *shape,
                               uint64_t from) {
    const struct wl__tuned_matrices *tuned = &permute->matrices;
    struct wl_permute_matrices *out = &plan->matrices;
    const uint64_t cols = shape->dim[0].size, rows = shape->dim[1].size, matrix = rows * cols * shape->width;
    /* Neighbours in both arrays. */
    const bool are_close = shape->by_out[2] == 2;
    const uint64_t close = are_close ? shape->dim[2].size : 1;
    uint64_t all = 1;
    out->tiles.digits = 0;
    for (unsigned i = 2; i < shape->rank; i++) {
        const unsigned d = shape->by_out[i];
        all *= shape->dim[d].size;
        if (i > 2 || !are_close)
            out->tiles.digit[out->tiles.digits++] = (struct wl_permute_digit){
                .by = wl__permute_divisor(shape->dim[d].size), .in = shape->dim[d].in * shape->width};
    }
    const uint64_t together = together_of(tuned, matrix, close, all);
    const uint32_t load = (uint32_t)((close < together ? close : together) * matrix);
    out->tiles.from = from;
    out->tiles.bytes = matrix * all;
    out->tiles.tiles = (uint32_t)wl__divide_up(all, together);
    out->rows = (uint32_t)rows;
    out->cols = (uint32_t)cols;
    out->matrix = (uint32_t)matrix;
    out->matrices = (uint32_t)all;
    out->together = (uint32_t)together;
    out->close = wl__permute_divisor(close);
    out->phase = WL_PERMUTE_SECTOR;
    lay_out(out, shape->width, load);
    const uint64_t cells = together / close + (together % close ? 2 : 0);
    out->table = (uint32_t)cells * out->pitch;
    out->barrier = (out->table + 4 * ((uint32_t)together + 1) + 7) / 8 * 8;
    out->by_matrix = together > 1 ? (uint32_t)(UINT32_MAX / (rows * cols) + 1) : 0;
    out->by_rows = (uint32_t)(UINT32_MAX / rows + 1);
    plan->width = shape->width;
    plan->memory = out->barrier + 8;
    plan->blocks = wl__blocks_in_flight(tuned->in_flight, together * matrix) + tuned->more[shape->width >= 4];
}
