/* A transpose whose arguments have been checked, and what its movers share. */
#ifndef WIDELOAD_LIB_TRANSPOSE_PROBLEM_H
#define WIDELOAD_LIB_TRANSPOSE_PROBLEM_H

#include "lib/mover.h"
#include "lib/transpose/panels.h"

/* Bytes: of the widest access, of what memory moves at least, and of a line. */
#define VECTOR 16
#define SECTOR 32
#define LINE   128

struct wl__problem {
    wl_context *context;
    wl_stream stream;
    const struct wl__tuned_transpose *tuned;
    unsigned width, row; /* in bytes; its row in tables by width */
    wl_devptr to, from;
    wl_transpose_layout layout;      /* complete: no 0 stands for a default */
    struct wl__digits digits;        /* of its batch */
    uint64_t to_places, from_places; /* the bits of all places where rows begin */
    bool is_mixed;  /* the batch has digits, or rows of several matrices lie between each other */
    bool is_narrow; /* wl__narrow_fits() is true */
    bool is_matrices, is_columns; /* panels of whole matrices fit; panels of columns fit */
    bool panels_lose;             /* to streams, or to tiles of both sides' lines; set if either fits */
    struct wl__panels matrices, columns;
};

/* A tiled kernel and the tile that it was compiled with. */
struct wl__tiled {
    wl__kernel kernel;
    uint32_t threads;
    struct {
        uint32_t rows, cols; /* of the input */
        uint32_t extra;      /* it begins up to so many rows early in an output row */
    } tile;
};

/* Finds the facts that follow from the context, the width, the places, the layout and the digits. */
void wl__transpose_prepare(struct wl__problem *p);

/* movers.c */
bool wl__panels_lose(const struct wl__problem *p);
/* whole.c: whether a batch's matrices are faster whole than as streams, as they leave a block of streams
 * partly empty, or their streams end within vectors.  They are up to 3 times as fast, and at most 12 %
 * slower.
 */
bool wl__whole_beat_streams(const struct wl__problem *p);
/* Whether matrices of bytes are faster as panels that go by words than whole, as few of them fit a
 * multiprocessor: by up to 1.6 times, and at most 9 % slower. */
bool wl__panels_beat_whole(const struct wl__problem *p);
/* chunks.c: strips of the pieces mover's tiles if it stores whole chunks of the output's rows, as it does
 * where these are long, end within chunks, and lie in large arrays, if the tiles fit a block's shared
 * memory: up to 1.10 times as fast as the kernels before.  Else 0. */
uint32_t wl__chunk_strips(const struct wl__problem *p);
/* even.c: strips that the pieces mover's tiles have at least where it has pads for bytes in an even number of
 * columns: the output's rows begin anywhere, and arrays are large.  These pads leave no bank conflicts.
 * Else 0. */
uint32_t wl__even_strips(const struct wl__problem *p);
/* Whether pads keep the pieces mover from bank conflicts. */
bool wl__pieces_padded(const struct wl__problem *p);
extern const struct wl__movers wl__transpose_movers;

/* The kernels by width (tiled.c). */
extern const struct wl__tiled wl__vectors[5], wl__async[5], wl__shifted[5], wl__slots_of_rows[2];
uint64_t wl__all_tiles(const struct wl__problem *p, const struct wl__tiled *tiled);
/* Whether the matrix fills at least so many hundredths of the tiles. */
bool wl__fills_tiles(const struct wl__problem *p, const struct wl__tiled *tiled, unsigned hundredths);
/* Whether the matrix's rows and columns fill so many hundredths of the tiles of clusters, where rows
 * begin anywhere. */
bool wl__fills_clusters(const struct wl__problem *p, unsigned rows, unsigned cols);

static inline uint64_t wl__matrix_bytes(const struct wl__problem *p) {
    return p->width * p->layout.rows * p->layout.cols;
}

/* ceil(n / each) */
static inline uint64_t wl__tiles_along(uint64_t n, uint64_t each) {
    return n / each + (n % each != 0);
}

/* How pieces and columns are cut: elements per strip, which is a line. */
#define WL_PIECE_STRIP 128 /* bytes of the output */
#define WL_PIECE_BESIDE                                                                                      \
    256 /* bytes of shared memory: the barrier's line, and what the tile lies off a line */
#define WL_PIECE_PAD 16
/* What an H200 stores whole faster than in parts, where rows of the output are long: bytes. */
#define WL_CHUNK        256
#define WL_COLUMNS_LINE 128 /* bytes of the input */

/* The movers' runs. */
wl_error wl__run_matrices(const struct wl__problem *p);
wl_error wl__run_panels(const struct wl__problem *p);
wl_error wl__run_vectors(const struct wl__problem *p);
wl_error wl__run_async(const struct wl__problem *p);
wl_error wl__run_windows(const struct wl__problem *p);
wl_error wl__run_narrow(const struct wl__problem *p);
wl_error wl__run_clusters(const struct wl__problem *p);
wl_error wl__run_slots(const struct wl__problem *p);
wl_error wl__run_pieces(const struct wl__problem *p);
wl_error wl__run_columns(const struct wl__problem *p);
wl_error wl__run_shifted(const struct wl__problem *p);

#endif
