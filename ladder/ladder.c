#include "ladder/ladder.h"

#include <pthread.h>
#include <string.h>

#include "ladder/kernels.h"
#include "ladder/tables.h"

#define RUNG_LIMIT 128

static struct wl_rung ladder[RUNG_LIMIT];
static size_t ladder_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Each experiment's file has its own table; callers need a single one. */
static void join(void) {
    wl__ladder_kernels();
    static const struct wl__rungs *const tables[] = {
        &wl__ladder_copy,          &wl__ladder_add,
        &wl__ladder_read_offset,   &wl__ladder_write_offset,
        &wl__ladder_stride,        &wl__ladder_layout,
        &wl__ladder_transpose,     &wl__ladder_shared,
        &wl__ladder_matmul,        &wl__ladder_csr_transpose,
        &wl__ladder_copy_any,      &wl__ladder_add_any,
        &wl__ladder_transpose_any, &wl__ladder_transpose_inplace,
        &wl__ladder_deinterleave,  &wl__ladder_interleave,
        &wl__ladder_permute,       &wl__ladder_redistribute,
    };
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        size_t room = RUNG_LIMIT - ladder_count;
        size_t count = tables[i]->count < room ? tables[i]->count : room;
        memcpy(ladder + ladder_count, tables[i]->rungs, count * sizeof(*ladder));
        ladder_count += count;
    }
}

const struct wl_rung *wl__ladder(size_t *count) {
    pthread_once(&once, join);
    *count = ladder_count;
    return ladder;
}
