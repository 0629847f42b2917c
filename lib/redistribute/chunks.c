/* Chunks: what one rank sends to another, cut so that both of them know where. */
#include "lib/redistribute/exchange.h"

/* Level 0 is an element's bytes, and level d + 1 is dimension d: of the receiver's dense order, the fastest
 * first. */
static uint64_t size_at(const struct wl__strided *all, unsigned level) {
    return level ? all->dim[level - 1].size : all->bytes;
}

/* Bytes of one index of a level. */
static uint64_t bytes_at(const struct wl__strided *all, unsigned level) {
    uint64_t bytes = 1;
    for (unsigned below = 0; below < level; below++)
        bytes *= size_at(all, below);
    return bytes;
}

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

/* Parts of about the same length.  Long ones are a multiple of 64 elements, so that a transpose reads whole
 * lines. */
static uint64_t choose_step(uint64_t size, uint64_t most) {
    const uint64_t line = 64;
    uint64_t step = divide_up(size, divide_up(size, most));
    if (step > line)
        step = divide_up(step, line) * line;
    return step < most ? step : most;
}

void wl__find_cut(struct wl__cut *cut, const struct wl__strided *all, uint64_t limit) {
    *cut = (struct wl__cut){.step = all->bytes, .parts = 1, .chunks = 1};
    if (all->rank == 0)
        return;
    while (cut->level < all->rank && bytes_at(all, cut->level + 1) <= limit)
        cut->level++;
    const uint64_t size = size_at(all, cut->level), most = limit / bytes_at(all, cut->level);
    cut->step = choose_step(size, most > size ? size : most);
    cut->parts = cut->chunks = divide_up(size, cut->step);
    for (unsigned d = cut->level; d < all->rank; d++)
        cut->chunks *= all->dim[d].size;
}

uint64_t wl__chunk_most(const struct wl__cut *cut, const struct wl__strided *all) {
    return cut->step * bytes_at(all, cut->level);
}

static void move_on(struct wl__strided *chunk, const struct wl__strided_dimension *dim, uint64_t index) {
    chunk->to += index * (uint64_t)dim->to;
    chunk->from += index * (uint64_t)dim->from;
}

uint64_t wl__chunk(struct wl__strided *chunk, const struct wl__strided *all, const struct wl__cut *cut,
                   uint64_t number) {
    const struct wl__strided_dimension byte = {.to = 1, .from = 1};
    const unsigned level = cut->level;
    const uint64_t first = number % cut->parts * cut->step, left = size_at(all, level) - first,
                   count = left < cut->step ? left : cut->step;
    uint64_t rest = number / cut->parts;
    *chunk = *all;
    chunk->rank = level;
    move_on(chunk, level ? &all->dim[level - 1] : &byte, first);
    *(level ? &chunk->dim[level - 1].size : &chunk->bytes) = count;
    for (unsigned d = level; d < all->rank; d++) {
        move_on(chunk, &all->dim[d], rest % all->dim[d].size);
        rest /= all->dim[d].size;
    }
    return count * bytes_at(all, level);
}

bool wl__chunk_is_dense(const struct wl__strided *all, const struct wl__cut *cut, bool from) {
    uint64_t bytes = all->bytes;
    for (unsigned d = 0; d < cut->level; d++) {
        const struct wl__strided_dimension *dim = &all->dim[d];
        if (d + 1 == cut->level && cut->step == 1)
            break;
        if ((uint64_t)(from ? dim->from : dim->to) != bytes)
            return false;
        bytes *= dim->size;
    }
    return true;
}

void wl__chunk_pack(struct wl__strided *chunk, wl_devptr to) {
    uint64_t bytes = chunk->bytes;
    chunk->to = to;
    for (unsigned d = 0; d < chunk->rank; bytes *= chunk->dim[d++].size)
        chunk->dim[d].to = (int64_t)bytes;
    wl__strided_reduce(chunk);
}

void wl__chunk_unpack(struct wl__strided *chunk, wl_devptr from) {
    uint64_t bytes = chunk->bytes;
    chunk->from = from;
    for (unsigned d = 0; d < chunk->rank; bytes *= chunk->dim[d++].size)
        chunk->dim[d].from = (int64_t)bytes;
    wl__strided_reduce(chunk);
}
