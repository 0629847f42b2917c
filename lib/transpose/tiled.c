/* Transposes by tiles: the kernels, how blocks walk over tiles, and how many run at a time. */
#include "lib/launch.h"
#include "lib/transpose/groups.h"
#include "lib/transpose/problem.h"
#include "lib/transpose/tiles.h"

/* ---------------------------------------------------------------- the kernels */

/* Blocks walk down whole columns of tiles, so that neighbours in time write whole rows of the output.
 * wl__async has 16-byte elements and narrow ones too. */
const struct wl__tiled wl__vectors[5] = {
    [2] = {WL_KERNEL_transpose_vectors4, 512, {64, 64, 0}},
    [3] = {WL_KERNEL_transpose_vectors8, 256, {32, 32, 0}},
};
const struct wl__tiled wl__async[5] = {
    [0] = {WL_KERNEL_transpose_async1, 128, {128, 256, 0}},
    [1] = {WL_KERNEL_transpose_async2, 256, {64, 128, 0}},
    [2] = {WL_KERNEL_transpose_async4, 256, {64, 64, 0}},
    [4] = {WL_KERNEL_transpose_async16, 256, {32, 32, 0}},
};
static const struct wl__tiled windows[] = {
    {WL_KERNEL_transpose_window1, 256, {128, 240, 31}},
    {WL_KERNEL_transpose_window2, 256, {128, 120, 15}},
};
static const struct wl__tiled clusters = {WL_KERNEL_transpose_clusters1, 256, {128, 240, 31}};
/* The same if all rows of the input begin at vectors. */
static const struct wl__tiled whole_windows[] = {
    {WL_KERNEL_transpose_window_whole1, 256, {128, 256, 31}},
    {WL_KERNEL_transpose_window_whole2, 256, {128, 128, 15}},
};
static const struct wl__tiled whole_clusters = {WL_KERNEL_transpose_clusters_whole1, 256, {128, 256, 31}};
static const struct wl__tiled whole_elements[] = {
    {WL_KERNEL_transpose_elements_whole4, 256, {32, 128, 7}},
    {WL_KERNEL_transpose_elements_whole8, 256, {32, 64, 3}},
};
/* For 2 and 4 bytes. */
#define SLOT_BYTES 512
const struct wl__tiled wl__slots_of_rows[2] = {
    {WL_KERNEL_transpose_slots2, 256, {64, 248, 15}},
    {WL_KERNEL_transpose_slots4, 256, {64, 124, 7}},
};
#define PIECE_THREADS   256
#define COLUMNS_THREADS 256
static const wl__kernel pieces[5] = {WL_KERNEL_transpose_pieces1, WL_KERNEL_transpose_pieces2,
                                     WL_KERNEL_transpose_pieces4, WL_KERNEL_transpose_pieces8,
                                     WL_KERNEL_transpose_pieces16};
/* One line per row of the input; for 4 bytes also two. */
static const wl__kernel columns[] = {WL_KERNEL_transpose_columns1_1, WL_KERNEL_transpose_columns2_1,
                                     WL_KERNEL_transpose_columns4_1};
static const wl__kernel two_columns4 = WL_KERNEL_transpose_columns4_2;
const struct wl__tiled wl__shifted[5] = {
    {WL_KERNEL_transpose_any1, 256, {64, 64, 0}},       {WL_KERNEL_transpose_any2, 256, {64, 64, 0}},
    {WL_KERNEL_transpose_elements4, 256, {32, 125, 7}}, {WL_KERNEL_transpose_elements8, 256, {32, 63, 3}},
    {WL_KERNEL_transpose_elements16, 256, {32, 32, 1}},
};

/* ---------------------------------------------------------------- the walk */

/* How blocks walk over tiles: in pairs of tile columns this far apart (0: one by one), in bands of so many
 * rows of tiles (0: all); the number of blocks that a grid is a multiple of; and the bytes between groups of
 * rows in shared memory. */
struct walk {
    uint32_t pair, band, cluster, pad;
};

/* Whether neighbouring tiles in a row of the input may share a line of memory. */
static bool lines_are_shared(const struct wl__problem *p, const struct wl__tiled *tiled) {
    return (p->from | p->width * p->layout.from_ld | p->width * tiled->tile.cols) % 128 != 0;
}

/* Whole columns of tiles, one after the other, are fastest except for two kinds of matrices.  If rows of the
 * input are `channels_apart` apart, a column lies in too few of the memory's channels: so columns are taken
 * in pairs.  If neighbours share lines, the second finds them in the L2 only if the previous column was
 * short: so tall matrices are cut into bands of rows.  Wide matrices have as few bands as possible.  Others
 * have low bands: their ends in the output's rows are still in the L2 when the next band continues there. */
static struct walk walk_of(const struct wl__problem *p, const struct wl__tiled *tiled) {
    const struct wl__tuned_transpose *tuned = p->tuned;
    const wl_transpose_layout *l = &p->layout;
    struct walk walk = {0, 0, 1, 0};
    if ((p->width * l->from_ld & (tuned->channels_apart - 1)) == 0) {
        /* For tiles of 128, 256 and 512 bytes; others would be nearer or further apart. */
        const uint64_t step = tuned->channels_step, bytes = p->width * tiled->tile.cols,
                       row = p->width * l->cols;
        if (step % bytes == 0 && (row >= 8 * step || row % (2 * step) == 0))
            walk.pair = (uint32_t)(step / bytes);
    } else if (l->rows > (tiled->tile.extra ? tuned->cached_windows : tuned->cached_rows) &&
               lines_are_shared(p, tiled)) {
        const uint64_t bands = wl__tiles_along(l->rows, tuned->wide_band),
                       rows =
                           l->cols > tuned->wide_cols ? wl__tiles_along(l->rows, bands) : tuned->narrow_band;
        walk.band = (uint32_t)wl__tiles_along(rows, tiled->tile.rows);
    }
    return walk;
}

/* launch: the kernel's parameters, of which it sets these, that come first. */
static wl_error run_walk_of(const struct wl__problem *p, const struct wl__tiled *tiled, struct walk walk,
                            uint32_t shared, struct wl_transpose_tiles *launch) {
    struct wl__tiles tiles;
    void *arguments[] = {launch};
    wl_error error = WL_ERROR_OK;
    const struct wl__tile_shape shape = {tiled->tile.rows, tiled->tile.cols, tiled->tile.extra,
                                         walk.pair,        walk.band,        walk.pad};
    wl__tiles_start(&tiles, shape, p->width, p->to, p->from, &p->layout, &p->digits,
                    WL_GRID_X_LIMIT / walk.cluster * walk.cluster);
    while (!error && wl__tiles_next(&tiles, launch)) {
        const uint32_t blocks = (launch->blocks + walk.cluster - 1) / walk.cluster * walk.cluster;
        error = wl__launch_clusters(p->context, tiled->kernel, blocks, walk.cluster, tiled->threads, shared,
                                    arguments, p->stream);
    }
    return error;
}

static wl_error run_walk(const struct wl__problem *p, const struct wl__tiled *tiled, struct walk walk,
                         uint32_t shared) {
    struct wl_transpose_tiles launch;
    return run_walk_of(p, tiled, walk, shared, &launch);
}

/* ---------------------------------------------------------------- the runs */

uint64_t wl__all_tiles(const struct wl__problem *p, const struct wl__tiled *tiled) {
    const wl_transpose_layout *l = &p->layout;
    return l->batch * wl__tiles_along(l->rows, tiled->tile.rows) * wl__tiles_along(l->cols, tiled->tile.cols);
}

bool wl__fills_tiles(const struct wl__problem *p, const struct wl__tiled *tiled, unsigned hundredths) {
    const wl_transpose_layout *l = &p->layout;
    const uint64_t rows = wl__tiles_along(l->rows + tiled->tile.extra, tiled->tile.rows) * tiled->tile.rows,
                   cols = wl__tiles_along(l->cols, tiled->tile.cols) * tiled->tile.cols;
    return 100 * l->rows * l->cols >= hundredths * rows * cols;
}

/* Bytes of an average tile: tiles at a matrix's ends may be smaller. */
static uint64_t tile_bytes(const struct wl__problem *p, const struct wl__tiled *tiled) {
    const wl_transpose_layout *l = &p->layout;
    return p->width * (l->rows / wl__tiles_along(l->rows, tiled->tile.rows)) *
           (l->cols / wl__tiles_along(l->cols, tiled->tile.cols));
}

/* Kernels with static shared memory. */
static wl_error run_tiled(const struct wl__problem *p, const struct wl__tiled *tiled) {
    return run_walk(p, tiled, walk_of(p, tiled), 0);
}

/* Kernels that load tiles asynchronously to shared memory that they are given, for a tile and `extra` bytes:
 * as few blocks on a multiprocessor as keep enough in flight while one stores, and `more`. */
static wl_error run_loaded(const struct wl__problem *p, const struct wl__tiled *tiled, uint32_t pad,
                           uint32_t extra, unsigned more) {
    struct walk walk = walk_of(p, tiled);
    walk.pad = pad;
    const uint32_t least = tiled->tile.rows * tiled->tile.cols * p->width + extra;
    const uint32_t blocks = wl__blocks_in_flight(p->tuned->in_flight, tile_bytes(p, tiled)) + more;
    return run_walk(p, tiled, walk, p->tuned->in_flight ? wl__shared_for(p->context, blocks, least) : least);
}

wl_error wl__run_vectors(const struct wl__problem *p) {
    return run_tiled(p, &wl__vectors[p->row]);
}

/* Whether tiles are full but for a twentieth. */
static bool fills(const struct wl__problem *p, const struct wl__tiled *tiled) {
    return tile_bytes(p, tiled) * 20 >= (uint64_t)tiled->tile.rows * tiled->tile.cols * p->width * 19;
}

wl_error wl__run_async(const struct wl__problem *p) {
    const struct wl__tiled *tiled = &wl__async[p->row];
    const bool few = p->width == 1 && fills(p, tiled) && wl__all_tiles(p, tiled) < p->tuned->few_tiles;
    return run_loaded(p, tiled, 0, 0, few ? p->tuned->few_more : 0);
}

/* `whole` if all rows of the input begin at vectors, and it is not left out. */
static const struct wl__tiled *either(const struct wl__problem *p, const struct wl__tiled *whole,
                                      const struct wl__tiled *any) {
    return p->from_places % VECTOR == 0 && !WL_MASKED(whole->kernel) ? whole : any;
}

/* Windows whose rows of the output begin at sectors have no rows before them. */
static wl_error run_windows(const struct wl__problem *p, const struct wl__tiled *any, struct walk walk) {
    struct wl__tiled tiled = *any;
    if (p->to_places % SECTOR == 0)
        tiled.tile.extra = 0;
    return run_walk(p, &tiled, walk, 0);
}

wl_error wl__run_windows(const struct wl__problem *p) {
    const struct wl__tiled *tiled = either(p, &whole_windows[p->row], &windows[p->row]);
    return run_windows(p, tiled, walk_of(p, tiled));
}

bool wl__fills_clusters(const struct wl__problem *p, unsigned rows, unsigned cols) {
    const wl_transpose_layout *l = &p->layout;
    const uint32_t extra = p->to_places % SECTOR == 0 ? 0 : clusters.tile.extra, high = clusters.tile.rows,
                   wide = clusters.tile.cols;
    return 100 * l->rows >= rows * high * wl__tiles_along(l->rows + extra, high) &&
           100 * l->cols >= cols * wide * wl__tiles_along(l->cols, wide);
}

wl_error wl__run_clusters(const struct wl__problem *p) {
    const struct wl__tiled *tiled = either(p, &whole_clusters, &clusters);
    struct walk walk = walk_of(p, tiled);
    if (!walk.pair && !walk.band)
        walk.pair = 1;
    walk.cluster = 8; /* as the kernel was compiled */
    return run_windows(p, tiled, walk);
}

wl_error wl__run_slots(const struct wl__problem *p) {
    const struct wl__tuned_transpose *tuned = p->tuned;
    const struct wl__tiled *tiled = &wl__slots_of_rows[p->width == 4];
    const uint32_t least = (tiled->tile.rows + tiled->tile.extra) * SLOT_BYTES;
    const bool large = p->layout.rows >= tuned->slots_large.rows &&
                       p->layout.cols >= tuned->slots_large.cols &&
                       wl__all_tiles(p, tiled) >= tuned->slots_large.tiles;
    struct walk walk = walk_of(p, tiled);
    walk.cluster = large ? tuned->slots_large.cluster : 1;
    return run_walk(p, tiled, walk,
                    wl__shared_for(p->context,
                                   large ? tuned->slots_large.blocks : tuned->slots_large.else_blocks,
                                   least));
}

/* Moves bytes by words, if single bytes would have bank conflicts and enough rows fit; otherwise returns
 * false.  A tile has twice as many rows in addition to 64 as it loads for their ends, or as many where single
 * bytes have the most conflicts. */
static bool run_group_pieces(const struct wl__problem *p, wl_error *error) {
    const wl_transpose_layout *l = &p->layout;
    const struct wl__tuned_groups *tuned = &p->tuned->groups;
    const uint32_t cols = (uint32_t)l->cols, places = (uint32_t)(p->to_places | l->rows),
                   extra = places % SECTOR == 0 ? 0 : SECTOR, fit = tuned->pieces / cols / SECTOR * SECTOR;
    if (p->width > 1 || cols % 2 != 0 || wl__even_strips(p) > 0 ||
        fit < tuned->piece_rows + (cols % 8 == 0 ? 1 : 2) * extra ||
        WL_MASKED(WL_KERNEL_transpose_group_pieces))
        return false;
    const uint64_t all = wl__tiles_along(l->rows, SECTOR) * SECTOR;
    const uint32_t rows = fit - extra < all ? fit - extra : (uint32_t)all, units = (cols + 3) / 4;
    const struct wl__tiled tiled = {WL_KERNEL_transpose_group_pieces, 128, {rows, cols, extra}};
    struct walk walk = walk_of(p, &tiled);
    walk.pad = cols % 4 == 0 ? WL_PIECE_PAD : 0;
    struct wl_transpose_group_pieces launch;
    wl__groups_share(&(struct wl__groups){.threads = tiled.threads,
                                          .units = units,
                                          .of_matrix = units,
                                          .length = (rows + extra) / 4,
                                          .row = cols,
                                          .column = rows + 2 * SECTOR,
                                          .pad = walk.pad,
                                          .aligned = (cols | p->from_places) % 4 == 0,
                                          .even = places % 4 == 0},
                     &launch.lanes);
    /* Lanes may take some rows more than the tile has, and the words after their last step. */
    const uint32_t parts = launch.lanes.tasks / units, taken = parts * launch.lanes.steps * 4,
                   in = (taken + 4) * cols + (parts + 1) * walk.pad;
    launch.image = (WL_PIECE_BESIDE + in + 2 * VECTOR - 1) / VECTOR * VECTOR;
    launch.pitch = (taken + VECTOR - 1) / VECTOR * VECTOR + 2 * SECTOR;
    launch.by_vectors = wl_divisor(rows / VECTOR);
    const uint32_t least = launch.image + launch.pitch * units * 4,
                   blocks = wl__blocks_in_flight(p->tuned->in_flight, tile_bytes(p, &tiled)) + 4;
    *error = run_walk_of(p, &tiled, walk, wl__shared_for(p->context, blocks, least), &launch.tiles);
    return true;
}

/* Rows that begin within sectors of the output, or within chunks that are to be stored whole, need some rows
 * before them; a tile that has all rows need not, if their vectors are whole. */
wl_error wl__run_pieces(const struct wl__problem *p) {
    const uint32_t chunk_strips = wl__chunk_strips(p);
    wl_error error;
    if (!chunk_strips && run_group_pieces(p, &error))
        return error;
    const wl_transpose_layout *l = &p->layout;
    const uint32_t strip = WL_PIECE_STRIP / p->width, cols = (uint32_t)l->cols, each = VECTOR / p->width,
                   bytes = strip * cols * p->width;
    const uint32_t least = chunk_strips ? chunk_strips : wl__even_strips(p),
                   few = l->rows > strip && bytes <= p->tuned->small_tile / 2 ? 2 : 1,
                   strips = least > few ? least : few, rows = strips * strip;
    const uint64_t places = p->to_places | p->width * l->rows;
    const bool whole = places % SECTOR == 0 || (places % VECTOR == 0 && l->rows <= rows);
    const uint32_t extra = (chunk_strips ? WL_CHUNK : whole ? 0 : SECTOR) / p->width;
    const uint32_t pad = wl__pieces_padded(p) ? WL_PIECE_PAD : 0;
    const struct wl__tiled tiled = {pieces[p->row], PIECE_THREADS, {rows, cols, extra}};
    return run_loaded(p, &tiled, pad, extra * cols * p->width + (rows + extra) / each * pad + WL_PIECE_BESIDE,
                      1);
}

wl_error wl__run_columns(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const uint32_t rows = (uint32_t)l->rows, cols = WL_COLUMNS_LINE / p->width;
    bool two = p->width == 4 && l->cols > cols && rows * WL_COLUMNS_LINE <= p->tuned->small_tile / 2;
    if (p->width == 4 && WL_MASKED(two ? two_columns4 : columns[p->row]))
        two = !two;
    const struct wl__tiled tiled = {
        two ? two_columns4 : columns[p->row], COLUMNS_THREADS, {rows, two ? 2 * cols : cols, 0}};
    return run_loaded(p, &tiled, 0, 0, p->tuned->columns_more[p->row]);
}

wl_error wl__run_shifted(const struct wl__problem *p) {
    const struct wl__tiled *any = &wl__shifted[p->row];
    return run_tiled(p, p->width == 4 || p->width == 8 ? either(p, &whole_elements[p->row - 2], any) : any);
}
