#include "redistributions.h"

#include <string.h>

/* ---------------------------------------------------------------- drawing */

static void draw_order(struct draw *draw, wl_box *box, unsigned dimensions) {
    for (unsigned i = 0; i < dimensions; i++)
        box->order[i] = i;
    for (unsigned i = dimensions; i > 1; i--) {
        const unsigned other = (unsigned)draw_below(draw, i), kept = box->order[i - 1];
        box->order[i - 1] = box->order[other];
        box->order[other] = kept;
    }
}

/* Shares out a box among ranks by cuts at any place, also at its ends. */
static void draw_parts(struct draw *draw, const struct redistribution *all, const wl_box *whole,
                       unsigned count, const unsigned *ranks, wl_box *boxes) {
    if (count == 1) {
        boxes[*ranks] = *whole;
        return;
    }
    const unsigned first = 1 + (unsigned)draw_below(draw, count - 1),
                   d = (unsigned)draw_below(draw, all->dimensions);
    const uint64_t size = whole->sizes[d],
                   at = draw_one_in(draw, 2) ? size * first / count : draw_below(draw, size + 1);
    wl_box part = *whole;
    part.sizes[d] = at;
    draw_parts(draw, all, &part, first, ranks, boxes);
    part.begin[d] += at;
    part.sizes[d] = size - at;
    draw_parts(draw, all, &part, count - first, ranks + first, boxes);
}

static void draw_partition(struct draw *draw, const struct redistribution *all, wl_box *boxes) {
    unsigned ranks[RANKS_MOST];
    wl_box whole = {0};
    memcpy(whole.sizes, all->sizes, sizeof(whole.sizes));
    for (unsigned r = 0; r < all->ranks; r++) {
        const unsigned other = (unsigned)draw_below(draw, r + 1);
        ranks[r] = ranks[other];
        ranks[other] = r;
    }
    if (all->dimensions)
        draw_parts(draw, all, &whole, all->ranks, ranks, boxes);
    for (unsigned r = 0; !all->dimensions && r < all->ranks; r++)
        boxes[r] = whole;
}

static void draw_anything(struct draw *draw, const struct redistribution *all, wl_box *boxes) {
    for (unsigned r = 0; r < all->ranks; r++)
        for (unsigned d = 0; d < all->dimensions; d++) {
            const uint64_t size = all->sizes[d];
            boxes[r].begin[d] = size ? draw_below(draw, size) : 0;
            boxes[r].sizes[d] =
                draw_one_in(draw, 12) || !size ? 0 : 1 + draw_below(draw, size - boxes[r].begin[d]);
        }
}

/* Orders; and nonsense where there are no elements. */
static void finish(struct draw *draw, const struct redistribution *all, wl_box *boxes) {
    for (unsigned r = 0; r < all->ranks; r++) {
        draw_order(draw, &boxes[r], all->dimensions);
        if (box_bytes(all, &boxes[r]))
            continue;
        for (unsigned d = 0; d < WL_RANK_MAX; d++) {
            boxes[r].order[d] = (unsigned)draw_bits(draw);
            boxes[r].begin[d] = draw_bits(draw);
        }
    }
}

static void draw_shape(struct draw *draw, struct redistribution *all, uint64_t bytes) {
    static const uint64_t few[] = {1, 2, 3, 5, 7};
    all->dimensions = (unsigned)draw_below(draw, WL_RANK_MAX + 1);
    if (all->ranks > 1 && !all->dimensions)
        all->dimensions = 2;
    all->element_bytes = draw_one_in(draw, 2) ? draw_width(draw) : 1 + draw_below(draw, 24);
    uint64_t left = bytes / all->element_bytes;
    for (unsigned d = 0; d < all->dimensions; d++) {
        const bool small = draw_one_in(draw, 3) || (d + 1 < all->dimensions && left < 64);
        uint64_t size = small ? few[draw_below(draw, 5)] : 1 + draw_below(draw, left < 300 ? left : 300);
        if (draw_one_in(draw, 200))
            size = 0;
        all->sizes[d] = size <= left ? size : 1;
        left = all->sizes[d] ? left / all->sizes[d] : left;
    }
}

struct redistribution redistribution_draw(struct draw *draw, unsigned ranks, uint64_t bytes) {
    struct redistribution all = {.ranks = ranks};
    draw_shape(draw, &all, bytes);
    draw_partition(draw, &all, all.from);
    if (draw_one_in(draw, 3))
        draw_anything(draw, &all, all.to);
    else
        draw_partition(draw, &all, all.to);
    finish(draw, &all, all.from);
    finish(draw, &all, all.to);
    return all;
}

struct redistribution redistribution_of_matrix(unsigned ranks, size_t element_bytes, uint64_t rows,
                                               uint64_t cols, const uint64_t *from_rows,
                                               const uint64_t *to_rows) {
    struct redistribution all = {
        .ranks = ranks, .dimensions = 2, .element_bytes = element_bytes, .sizes = {rows, cols}};
    uint64_t row = 0, col = 0;
    for (unsigned r = 0; r < ranks; r++) {
        all.from[r] = (wl_box){{row, 0}, {from_rows[r], cols}, {0, 1}};
        all.to[r] = (wl_box){{0, col}, {rows, to_rows[r]}, {1, 0}};
        row += from_rows[r];
        col += to_rows[r];
    }
    return all;
}

/* ---------------------------------------------------------------- what is right */

uint64_t box_bytes(const struct redistribution *all, const wl_box *box) {
    uint64_t bytes = all->element_bytes;
    for (unsigned d = 0; d < all->dimensions; d++)
        bytes *= box->sizes[d];
    return bytes;
}

void box_fill(const struct redistribution *all, const wl_box *box, uint64_t seed, unsigned char *out) {
    const uint64_t count = box_bytes(all, box) / all->element_bytes;
    uint64_t strides[WL_RANK_MAX], stride = 1;
    for (unsigned d = all->dimensions; d-- > 0; stride *= all->sizes[d])
        strides[d] = stride;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t rest = i, place = 0;
        for (unsigned k = all->dimensions; k-- > 0;) {
            const unsigned d = box->order[k];
            place += (box->begin[d] + rest % box->sizes[d]) * strides[d];
            rest /= box->sizes[d];
        }
        struct draw bits = draw_from(seed, place);
        for (size_t byte = 0; byte < all->element_bytes; byte += 8) {
            const uint64_t word = draw_bits(&bits);
            const size_t left = all->element_bytes - byte;
            memcpy(out + i * all->element_bytes + byte, &word, left < 8 ? left : 8);
        }
    }
}
