/* Where the pieces mover has pads for bytes in an even number of columns. */
#include "lib/transpose/problem.h"

uint32_t wl__even_strips(const struct wl__problem *p) {
    const struct wl__tuned_even *tuned = &p->tuned->pieces.even;
    const wl_transpose_layout *l = &p->layout;
    const uint64_t bytes = wl__matrix_bytes(p) * l->batch;
    if (p->width > 1 || l->cols % 2 != 0 || l->cols < tuned->least || l->cols > tuned->most ||
        (p->to_places | l->rows) % SECTOR == 0 || l->rows < p->tuned->pieces.torn_stream ||
        bytes < tuned->array)
        return 0;
    return bytes < tuned->large ? 1 : l->cols <= tuned->large_most ? 4 : 2;
}
