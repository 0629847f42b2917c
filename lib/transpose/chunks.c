/* Where the pieces mover stores whole chunks of the output's rows. */
#include "lib/transpose/problem.h"

#define LEAST 4 /* strips, a power of two */
#define MOST  16

/* Bytes that a tile of so many strips loads. */
static uint64_t loaded(const struct wl__problem *p, uint32_t strips) {
    return (strips * WL_PIECE_STRIP + WL_CHUNK) * p->layout.cols;
}

/* As many strips as give a tile enough bytes. */
static uint32_t strips_of(const struct wl__problem *p) {
    uint32_t strips = LEAST;
    while (strips < MOST && loaded(p, strips) < p->tuned->pieces.chunks.tile[p->row])
        strips *= 2;
    return strips;
}

/* Whether bank conflicts are few enough: of bytes none, of pairs less than eight-way, and of 16-byte elements
 * less than that where tiles of lines have as much. */
static bool has_few_conflicts(const struct wl__problem *p) {
    const uint64_t cols = p->layout.cols;
    return p->width == 1    ? cols % 2 != 0
           : p->width == 2  ? cols % 8 != 0
           : p->width == 16 ? cols % 16 != 0 || cols <= 32
                            : true;
}

/* Whether other movers of structures, which ask for rows of the output that begin at sectors, are as fast. */
static bool have_others(const struct wl__problem *p) {
    return p->to_places % SECTOR == 0 && (p->width <= 2 || p->layout.cols == 32);
}

uint32_t wl__chunk_strips(const struct wl__problem *p) {
    const struct wl__tuned_chunks *tuned = &p->tuned->pieces.chunks;
    const wl_transpose_layout *l = &p->layout;
    const uint64_t row = p->width * l->cols, stream = p->width * l->rows,
                   bytes = wl__matrix_bytes(p) * l->batch;
    if (p->to_places % WL_CHUNK == 0 || stream < tuned->stream || bytes < tuned->array ||
        l->cols < tuned->cols[p->row] || row > tuned->long_row[p->row] || !has_few_conflicts(p) ||
        have_others(p))
        return 0;
    const uint32_t strips = strips_of(p);
    const uint64_t tile = loaded(p, strips);
    const bool fits = tile + WL_PIECE_BESIDE <= wl__shared_for(p->context, 1, 0);
    return fits && bytes / tile >= tuned->tiles ? strips : 0;
}
