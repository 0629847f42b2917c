/* wl_transpose, wl_transpose_batched: matrices of any shape, alignment and leading dimension. */
#include "lib/arguments.h"
#include "lib/choice.h"
#include "lib/copy/rows.h"
#include "lib/error.h"
#include "lib/launch.h"
#include "lib/transpose/narrow.h"
#include "lib/transpose/panels.h"
#include "lib/transpose/tiles.h"

/* ---------------------------------------------------------------- the table */

struct problem {
    unsigned width;
    wl_devptr to, from;
    wl_transpose_layout layout;   /* complete: no 0 stands for a default */
    bool async, bulk;             /* the device has asynchronous loads; bulk copies */
    bool is_matrices, is_columns; /* whole matrices fit, and columns */
    struct wl__panels matrices, columns;
    uint32_t half, part; /* shared memory of a block where two fit a multiprocessor; three or four */
};

/* A tiled kernel and the tile it was compiled with.  Blocks walk down whole columns of tiles, so that
 * neighbours in time write whole rows of the output. */
struct tiled {
    wl__kernel kernel;
    uint32_t threads;
    struct {
        uint32_t rows, cols; /* of the input */
        uint32_t extra;      /* it begins up to so many rows early in a row of the output */
    } tile;
};

/* By width, from 4 on. */
static const struct tiled vectors[5] = {
    [2] = {WL_KERNEL_transpose_vectors4, 512, {64, 64, 0}},
    [3] = {WL_KERNEL_transpose_vectors8, 256, {32, 32, 0}},
    [4] = {WL_KERNEL_transpose_vectors16, 512, {32, 32, 0}},
};
/* Where there are asynchronous loads: aligned; and 1 and 2 bytes anywhere. */
static const struct tiled asynchronous[] = {
    {WL_KERNEL_transpose_async1, 128, {128, 256, 0}}, {WL_KERNEL_transpose_async2, 256, {64, 128, 0}},
    {WL_KERNEL_transpose_async4, 256, {64, 64, 0}},   {WL_KERNEL_transpose_async8, 128, {32, 32, 0}},
    {WL_KERNEL_transpose_async16, 256, {32, 32, 0}},
};
static const struct tiled windows[] = {
    {WL_KERNEL_transpose_window1, 256, {128, 240, 31}},
    {WL_KERNEL_transpose_window2, 256, {128, 120, 15}},
};
/* The same for large matrices, in clusters of blocks. */
static const struct tiled clusters[] = {
    {WL_KERNEL_transpose_clusters1, 256, {128, 240, 31}},
    {WL_KERNEL_transpose_clusters2, 256, {64, 248, 15}},
};

/* Pairs of bytes and words whose rows begin at different places in a vector, and of how many rows, columns
 * and tiles at least: of fewer the others are faster. */
#define SLOT_BYTES 512
static const struct slots {
    struct tiled tiled;
    uint32_t rows, cols, tiles;
    uint32_t conflicts; /* rows from which on bank conflicts matter */
} slots[] = {
    {{WL_KERNEL_transpose_slots2, 256, {64, 248, 15}}, 48, 121, 264, 900},
    {{WL_KERNEL_transpose_slots4, 256, {64, 124, 7}}, 48, 48, 32, UINT32_MAX},
};

/* Tiles that are whole on one side, in which they are contiguous; they may be twice as large as they need be
 * where that is few bytes. */
#define FEW_BYTES (26 << 10)
/* Contiguous rows, all columns: one strip or two of as many rows as are 128 bytes of the output. */
static const wl__kernel pieces[] = {WL_KERNEL_transpose_pieces1, WL_KERNEL_transpose_pieces2,
                                    WL_KERNEL_transpose_pieces4};
#define PIECE_THREADS 256
#define PIECE_STRIP   128
#define PIECE_BESIDE  256 /* bytes of shared memory: the barrier's line, and what the tile lies off a line */
/* Contiguous rows of the output, all of them: one line of each row of the input, or two. */
static const wl__kernel columns[][2] = {
    {WL_KERNEL_transpose_columns1_1, WL_KERNEL_transpose_columns1_2},
    {WL_KERNEL_transpose_columns2_1, WL_KERNEL_transpose_columns2_2},
    {WL_KERNEL_transpose_columns4_1, WL_KERNEL_transpose_columns4_2},
};
#define COLUMNS_THREADS 256
#define COLUMNS_LINE    128
/* Any alignment: tiles begin up to 31 bytes early in a row of the output.  Of a width's, the first that
 * matrices have the rows for: where they are few, low tiles waste less, and are up to 27 % faster. */
static const struct shifted {
    unsigned width;
    uint32_t least_rows;
    struct tiled tiled;
} shifted[] = {
    {1, 0, {WL_KERNEL_transpose_any1, 256, {64, 64, 0}}},
    {2, 0, {WL_KERNEL_transpose_any2, 256, {64, 64, 0}}},
    {4, 512, {WL_KERNEL_transpose_medium4, 512, {64, 125, 7}}},
    {4, 0, {WL_KERNEL_transpose_low4, 256, {32, 125, 7}}},
    {8, 512, {WL_KERNEL_transpose_elements8, 512, {64, 64, 3}}},
    {8, 0, {WL_KERNEL_transpose_low8, 256, {32, 63, 3}}},
    {16, 0, {WL_KERNEL_transpose_elements16, 256, {32, 32, 1}}},
};

#define SHIFTED (sizeof(shifted) / sizeof(shifted[0]))

/* ceil(n / each) */
static uint64_t count(uint64_t n, uint64_t each) {
    return n / each + (n % each != 0);
}

/* How blocks walk over the tiles: columns of tiles in pairs, so many columns from one to the other (0:
 * singly), in bands of so many rows of tiles (0: all); and blocks that a grid is a multiple of. */
struct walk {
    uint32_t pair, band, cluster;
};

/* Whether tiles that are neighbours in a row of the input may share a line of memory. */
static bool lines_are_shared(const struct problem *p, const struct tiled *tiled) {
    return (p->from | p->width * p->layout.from_ld | p->width * tiled->tile.cols) % 128 != 0;
}

/* One whole column of tiles after the other is the fastest (docs/notes/transpose.md), but for two kinds of
 * matrices. Where rows of the input are multiples of 128 KB apart, a column lies in too few of the memory's
 * channels: two columns, 8 KB from each other, are up to 6 % faster.  And where neighbours share lines, the
 * second finds them in the L2 only if the column before it was short.  So tall matrices are cut into bands of
 * rows: wide ones into as few as that takes, others into low ones, whose ends in the output's rows are still
 * in the L2 when the next goes on there.  That is up to 34 % faster. */
static struct walk walk_of(const struct problem *p, const struct tiled *tiled) {
    const uint32_t far = 128 << 10, distance = 8 << 10, wide = 4096, high = 14336, low = 256;
    const uint32_t many =
        tiled->tile.extra ? 24576 : 32000; /* rows of which the L2 holds lines and windows */
    const wl_transpose_layout *l = &p->layout;
    struct walk walk = {0, 0, 1};
    if (p->width * l->from_ld % far == 0) {
        /* Tiles of 128, 256 and 512 bytes; others would be nearer or further apart. */
        const uint64_t bytes = p->width * tiled->tile.cols, row = p->width * l->cols;
        if (distance % bytes == 0 && (row >= 8 * distance || row % (2 * distance) == 0))
            walk.pair = (uint32_t)(distance / bytes);
    } else if (l->rows > many && lines_are_shared(p, tiled)) {
        const uint64_t bands = count(l->rows, high), rows = l->cols > wide ? count(l->rows, bands) : low;
        walk.band = (uint32_t)count(rows, tiled->tile.rows);
    }
    return walk;
}

/* Bytes of an average tile: those at a matrix's ends may be smaller. */
static uint64_t tile_bytes(const struct problem *p, const struct tiled *tiled) {
    const wl_transpose_layout *l = &p->layout;
    return p->width * (l->rows / count(l->rows, tiled->tile.rows)) *
           (l->cols / count(l->cols, tiled->tile.cols));
}

/* Tiles of all matrices.  It does not overflow: the matrices lie in memory. */
static uint64_t all_tiles(const struct problem *p, const struct tiled *tiled) {
    const wl_transpose_layout *l = &p->layout;
    return l->batch * count(l->rows, tiled->tile.rows) * count(l->cols, tiled->tile.cols);
}

/* Row i of a table by width. */
static unsigned width_index(unsigned width) {
    return (unsigned)__builtin_ctz(width);
}

static const struct slots *slots_of(const struct problem *p) {
    return &slots[p->width == 4];
}

static bool has_async(const struct problem *p) {
    return p->async && p->width < 4;
}

/* Rows of both sides begin and end at multiples of 16 bytes, and those of the output begin at sectors of 32,
 * as the kernels of any alignment are as fast otherwise.  Strides matter where there are several matrices. */
static bool is_aligned(const struct problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const uint64_t vector = 16, sector = 32;
    uint64_t from = p->width * (l->cols | l->from_ld | (l->batch > 1 ? l->from_stride : 0)) | p->from;
    uint64_t to = p->width * (l->to_ld | (l->batch > 1 ? l->to_stride : 0)) | p->to;
    return from % vector == 0 && to % sector == 0 && l->rows * p->width % vector == 0;
}

static bool is_vectors(const struct problem *p) {
    return p->width >= 4 && is_aligned(p);
}

/* Words and wider elements are 0.1 to 1.3 % faster so where they were measured, on GPUs that have bulk
 * copies, and batches of small matrices up to 4 %.  But pieces of 256 bytes that begin within 256 bytes of
 * memory are better loaded with all of these (transpose_vectors.cu); of 16 bytes pieces are longer. */
static bool is_async(const struct problem *p) {
    if (p->width < 4)
        return has_async(p) && is_aligned(p);
    const wl_transpose_layout *l = &p->layout;
    const uint64_t piece = p->width == 16 ? 1 : 256;
    uint64_t from = p->width * (l->from_ld | (l->batch > 1 ? l->from_stride : 0)) | p->from;
    return p->bulk && is_aligned(p) && from % piece == 0;
}

/* Its transpose is a row or column too. */
static bool is_line(const struct problem *p) {
    return p->layout.rows == 1 || p->layout.cols == 1;
}

static bool is_narrow(const struct problem *p) {
    return wl__narrow_fits(p->width, &p->layout);
}

/* Requests to shared memory for 512 bytes of such a tile: how many rows make a vector, and the bank conflicts
 * of so many columns. */
static unsigned piece_requests(const struct problem *p) {
    const unsigned each = 16 / p->width, even = (unsigned)__builtin_ctz((unsigned)p->layout.cols | 8);
    return each << even;
}

/* Rows of the input that are no whole vectors, back to back, and so short that a strip of them fits; tiles
 * begin at vectors, and those that are stored at multiples of `unit` bytes. */
static bool fits_pieces(const struct problem *p, unsigned unit) {
    const wl_transpose_layout *l = &p->layout;
    const uint64_t vector = 16;
    if (!p->bulk || p->width > 4 || l->cols <= WL_NARROW_LIMIT || l->from_ld != l->cols)
        return false;
    const uint64_t row = p->width * l->cols, strip = PIECE_STRIP / p->width;
    uint64_t to = p->width * (l->to_ld | l->rows | (l->batch > 1 ? l->to_stride : 0)) | p->to;
    uint64_t from = p->width * (l->batch > 1 ? l->from_stride : 0) | p->from;
    return row % vector != 0 && row <= (p->half - PIECE_BESIDE) / strip && l->rows >= strip &&
           to % unit == 0 && from % vector == 0 && piece_requests(p) <= (is_narrow(p) ? 16 : 64);
}

/* Rows of the output that are no whole vectors, back to back, and so short that a line of the input for each
 * fits, for three blocks, or four where tiles of both sides' lines are not much slower; the input's rows
 * begin and end at vectors.  Few rows are left to their kernel but for words. */
static bool fits_columns(const struct problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const uint64_t vector = 16;
    if (!p->async || p->width > 4 || l->rows <= WL_NARROW_LIMIT || l->to_ld != l->rows)
        return false;
    uint64_t to = p->width * (l->batch > 1 ? l->to_stride : 0) | p->to;
    uint64_t from = p->width * (l->cols | l->from_ld | (l->batch > 1 ? l->from_stride : 0)) | p->from;
    return p->width * l->rows % vector != 0 && l->rows <= p->part / COLUMNS_LINE &&
           p->width * l->cols >= COLUMNS_LINE && (to | from) % vector == 0 &&
           (p->width == 4 || !is_narrow(p));
}

static uint64_t matrix_bytes(const struct problem *p) {
    return p->width * p->layout.rows * p->layout.cols;
}

/* Bytes are faster in whole matrices, and small matrices of pairs. */
static bool is_columns(const struct problem *p) {
    return fits_columns(p) &&
           (p->width == 4 || !p->is_matrices || (p->width == 2 && matrix_bytes(p) >= 12 << 10));
}

/* Streams that begin at sectors, or are long. */
static bool is_long_narrow(const struct problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const uint64_t stream = p->width * (l->rows > l->cols ? l->rows : l->cols);
    return is_narrow(p) && ((stream >= 192 && stream % 32 == 0) || stream >= (p->width < 4 ? 4096 : 8192) ||
                            (p->width < 4 ? stream >= 1000 && stream % 16 == 0
                                          : stream >= 2400 && matrix_bytes(p) > 48 << 10) ||
                            (p->width == 1 && l->cols <= 4 && stream >= 512));
}

/* Where parts of tiles are few, as clusters wait for their slowest block: bytes win from 4095 x 4097 on,
 * pairs of bytes from 2047 x 2049 (docs/notes/transpose.md). */
static bool is_clusters(const struct problem *p) {
    const uint64_t least = 4000; /* bytes of a row, of either side */
    return has_async(p) && p->bulk && p->width * p->layout.rows >= least &&
           p->width * p->layout.cols >= least;
}

/* ceil((n + extra) / each) */
static uint64_t tiles_of(uint64_t n, uint64_t extra, uint64_t each) {
    return n / each + (n % each + extra + each - 1) / each;
}

/* Whether so many hundredths of the tiles are the matrix's. */
static bool fills_tiles(const struct problem *p, const struct tiled *tiled, unsigned hundredths) {
    const wl_transpose_layout *l = &p->layout;
    const uint64_t rows = tiles_of(l->rows, tiled->tile.extra, tiled->tile.rows) * tiled->tile.rows;
    const uint64_t cols = tiles_of(l->cols, 0, tiled->tile.cols) * tiled->tile.cols;
    return 100 * l->rows * l->cols >= hundredths * rows * cols;
}

/* Any alignment: of a width's kernels, the first that matrices have the rows for. */
static const struct tiled *shifted_of(const struct problem *p) {
    const struct shifted *at = shifted;
    while (at->width != p->width || p->layout.rows < at->least_rows)
        at++;
    /* The others of the width are as right. */
    for (const struct shifted *other = shifted; WL_MASKED(at->tiled.kernel) && other < shifted + SHIFTED;
         other++)
        if (other->width == p->width && !WL_MASKED(other->tiled.kernel))
            at = other;
    return &at->tiled;
}

/* Tiles of both sides' lines are faster than panels where they are full enough: how much of them, by width
 * and alignment, was measured (docs/notes/transpose.md).  Where each row of the output has torn ends, panels
 * have few advantages but for small matrices. */
static bool fills_lines(const struct problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const struct tiled *tiled = is_aligned(p) ? &vectors[width_index(p->width)] : shifted_of(p);
    const uint64_t place = p->from | p->width * (l->from_ld | (l->batch > 1 ? l->from_stride : 0));
    unsigned least = 0;
    if (l->to_ld > l->rows && is_narrow(p) && p->width * l->rows >= 640)
        return true;
    if (l->to_ld > l->rows)
        switch (p->width) {
        case 1:
            return l->rows > 192 && l->cols > 80;
        case 2:
            return l->rows > 96 && l->cols > 56;
        case 4:
            return fills_tiles(p, tiled, 40) || (l->rows < 16 && l->cols >= 64);
        default:
            return is_narrow(p) || fills_tiles(p, tiled, 30) || (l->rows < 16 && l->cols >= 64);
        }
    switch (p->width) {
    case 1:
    case 2:
        return is_async(p) && fills_tiles(p, &asynchronous[width_index(p->width)], 25);
    case 4:
        least = is_aligned(p) ? 75 : place % 16 == 0 ? 60 : 90;
        break;
    case 8:
        least = is_aligned(p) ? 85 : place % 32 == 0 ? 50 : l->rows <= 260 ? 80 : 66;
        break;
    default:
        least = 72;
    }
    return fills_tiles(p, tiled, least);
}

/* Blocks that have much to do are slower than smaller tiles unless they are many. */
static bool is_many(const struct problem *p, const struct wl__panels *panels) {
    return panels->bytes / panels->together <= 20 << 10 ||
           p->layout.batch / panels->together * tiles_of(p->layout.cols, 0, panels->cols) >= 96;
}

static bool is_matrices(const struct problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const bool joined = l->from_stride == l->rows * l->from_ld && l->to_stride == l->rows * l->cols;
    return p->is_matrices && !is_long_narrow(p) && !fills_lines(p) && is_many(p, &p->matrices) &&
           !(p->width == 16 && !joined && is_narrow(p));
}

/* The fastest where rows begin at sectors, or a tile has all of them, and there are few bank conflicts; where
 * there are some, whole matrices are faster if they are small. */
static bool is_pieces(const struct problem *p) {
    const uint64_t all = p->width == 1 ? 256 : 0; /* rows */
    return fits_pieces(p, p->layout.rows <= all && piece_requests(p) <= 16 ? 16 : 32) &&
           (piece_requests(p) <= 16 || (piece_requests(p) <= 32 && matrix_bytes(p) > 48 << 10) ||
            !is_matrices(p));
}

/* Where panels do not fit, or are few.  Rows that begin in a sector's middle cost a third; tiles of both
 * sides' lines are faster than that where they are full enough. */
static bool is_torn_pieces(const struct problem *p) {
    return fits_pieces(p, 16) &&
           (p->width == 1 || p->layout.to_ld > p->layout.rows || (p->width == 4 && p->layout.rows <= 400));
}

/* Of many rows little fits a multiprocessor; and of little in all, tiles of lines are done sooner. */
static bool is_panels(const struct problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const bool aligned = is_aligned(p);
    const uint64_t rows = p->width == 1 ? 520 : p->width == 2 ? 430 : p->width == 4 && aligned ? 270 : 340;
    const uint64_t enough = (uint64_t)(aligned ? 96 : 32) << 20, stream = p->width * l->cols;
    return p->is_columns && l->rows <= rows && !is_long_narrow(p) && !fills_lines(p) &&
           (!is_narrow(p) || (stream < 1000 && p->columns.bytes >= 5000)) &&
           (p->width < 4 ? is_many(p, &p->columns) : matrix_bytes(p) * l->batch >= enough);
}

/* Lanes gather elements of rows a vector of the output apart, which are in different banks where the input's
 * rows begin at different places; those of neighbouring columns, too, where bytes of the output's rows that
 * begin at vectors are not from such bytes of the input's.  Words have too few conflicts for that to matter,
 * and matrices of few rows are faster all the same.  Pairs of bytes were up to 3 % slower in tall matrices of
 * more than one tile across. */
static bool is_slots(const struct problem *p) {
    const wl_transpose_layout *l = &p->layout;
    if (!p->bulk || (p->width != 2 && p->width != 4) || l->from_ld % 4 == 0)
        return false;
    const struct slots *least = slots_of(p);
    const bool conflicts = l->from_ld * l->to_ld % 4 == 1 && l->rows >= least->conflicts,
               very_tall = l->cols > least->tiled.tile.cols && l->rows / 64 > l->cols;
    if (p->width == 2 && (conflicts || very_tall))
        return false;
    return l->rows >= least->rows && l->cols >= least->cols && all_tiles(p, &least->tiled) >= least->tiles;
}

static bool always(const struct problem *p) {
    (void)p;
    return true;
}

/* The elements of a line one by one, in a row where they lie side by side, which wl__rows_join() finds. */
static wl_error run_line(wl_context *context, const struct problem *p, wl_stream stream) {
    const wl_transpose_layout *l = &p->layout;
    const uint64_t width = p->width;
    const bool row = l->rows == 1;
    struct wl__rows rows = {.to = p->to, .from = p->from, .row_bytes = width, .rank = 2};
    rows.outer[0].size = row ? l->cols : l->rows;
    rows.outer[0].to_pitch = width * (row ? l->to_ld : 1);
    rows.outer[0].from_pitch = width * (row ? 1 : l->from_ld);
    rows.outer[1].size = l->batch;
    rows.outer[1].to_pitch = width * l->to_stride;
    rows.outer[1].from_pitch = width * l->from_stride;
    wl__rows_join(&rows);
    return wl__rows_launch(context, wl__rows_way(&rows), &rows, stream);
}

static wl_error run_narrow(wl_context *context, const struct problem *p, wl_stream stream) {
    return wl__narrow_transpose(context, p->width, p->to, p->from, &p->layout, stream);
}

static wl_error run_walk(wl_context *context, const struct tiled *tiled, const struct problem *p,
                         struct walk walk, uint32_t shared, wl_stream stream) {
    struct wl__tiles tiles;
    struct wl_transpose_tiles launch;
    void *arguments[] = {&launch};
    wl_error error = WL_ERROR_OK;
    const struct wl__tile_shape shape = {tiled->tile.rows, tiled->tile.cols, tiled->tile.extra, walk.pair,
                                         walk.band};
    wl__tiles_start(&tiles, shape, p->width, p->to, p->from, &p->layout,
                    WL_GRID_X_LIMIT / walk.cluster * walk.cluster);
    while (!error && wl__tiles_next(&tiles, &launch)) {
        const uint32_t blocks = (launch.blocks + walk.cluster - 1) / walk.cluster * walk.cluster;
        error = wl__launch_clusters(context, tiled->kernel, blocks, walk.cluster, tiled->threads, shared,
                                    arguments, stream);
    }
    return error;
}

static wl_error run_shared(wl_context *context, const struct tiled *tiled, const struct problem *p,
                           uint32_t shared, wl_stream stream) {
    return run_walk(context, tiled, p, walk_of(p, tiled), shared, stream);
}

/* Kernels that have their shared memory. */
static wl_error run_tiled(wl_context *context, const struct tiled *tiled, const struct problem *p,
                          wl_stream stream) {
    return run_shared(context, tiled, p, 0, stream);
}

/* Kernels that load tiles asynchronously to shared memory that they are given, for a tile and `extra` bytes:
 * as few blocks on a multiprocessor as keep enough under way while one stores, 44 KB, and `more`.  Of tiles
 * from 6 to 46 KB the count that this makes was the fastest, or within 1 % of it; as many as fit lose 1 to 5
 * %, one less up to 10 % (docs/notes/transpose.md).  That was measured of GPUs that have bulk copies. */
static wl_error run_loaded(wl_context *context, const struct tiled *tiled, const struct problem *p,
                           uint32_t extra, unsigned more, wl_stream stream) {
    const uint64_t beside = 44544, bytes = tile_bytes(p, tiled), whole = 1 + (beside + bytes / 2) / bytes;
    const uint32_t least = tiled->tile.rows * tiled->tile.cols * p->width + extra;
    const uint64_t blocks = (whole > 1 ? whole : 2) + more;
    return run_shared(context, tiled, p, p->bulk ? wl__shared_for(context, blocks, least) : least, stream);
}

static wl_error run_vectors(wl_context *context, const struct problem *p, wl_stream stream) {
    return run_tiled(context, &vectors[width_index(p->width)], p, stream);
}

/* Whether tiles are full but for a twentieth. */
static bool fills(const struct problem *p, const struct tiled *tiled) {
    return tile_bytes(p, tiled) * 20 >= (uint64_t)tiled->tile.rows * tiled->tile.cols * p->width * 19;
}

/* Bytes have slower blocks; five at a time end together sooner than two where a multiprocessor of an H200
 * gets fewer than some 32. */
static wl_error run_async(wl_context *context, const struct problem *p, wl_stream stream) {
    const struct tiled *tiled = &asynchronous[width_index(p->width)];
    const bool few = p->width == 1 && fills(p, tiled) && all_tiles(p, tiled) < 4224;
    return run_loaded(context, tiled, p, 0, few ? 3 : 0, stream);
}

static wl_error run_windows(wl_context *context, const struct problem *p, wl_stream stream) {
    return run_tiled(context, &windows[width_index(p->width)], p, stream);
}

static wl_error run_clusters(wl_context *context, const struct problem *p, wl_stream stream) {
    const struct tiled *tiled = &clusters[width_index(p->width)];
    struct walk walk = walk_of(p, tiled);
    if (p->width == 1 && !walk.pair && !walk.band)
        walk.pair = 1;
    walk.cluster = 8;
    return run_walk(context, tiled, p, walk, 0, stream);
}

/* Three blocks keep 73 KB under way, which is enough of large matrices, and clusters of four 1 % faster;
 * smaller ones want a fourth, and each by itself. */
static wl_error run_slots(wl_context *context, const struct problem *p, wl_stream stream) {
    const struct tiled *tiled = &slots_of(p)->tiled;
    const uint64_t large = 1000, many = 3000;
    const uint32_t least = (tiled->tile.rows + tiled->tile.extra) * SLOT_BYTES;
    const bool together = p->layout.rows >= large && p->layout.cols >= large && all_tiles(p, tiled) >= many;
    struct walk walk = walk_of(p, tiled);
    walk.cluster = together ? 4 : 1;
    return run_walk(context, tiled, p, walk, wl__shared_for(context, together ? 3 : 4, least), stream);
}

static wl_error run_pieces(wl_context *context, const struct problem *p, wl_stream stream) {
    const wl_transpose_layout *l = &p->layout;
    const uint32_t strip = PIECE_STRIP / p->width, cols = (uint32_t)l->cols, bytes = strip * cols * p->width;
    const uint32_t strips = l->rows > strip && bytes <= FEW_BYTES / 2 ? 2 : 1;
    const struct tiled tiled = {pieces[width_index(p->width)], PIECE_THREADS, {strips * strip, cols, 0}};
    return run_loaded(context, &tiled, p, PIECE_BESIDE, 0, stream);
}

/* Lanes have more to do for 16 bytes than in the others: one block more, and two for bytes. */
static wl_error run_columns(wl_context *context, const struct problem *p, wl_stream stream) {
    const wl_transpose_layout *l = &p->layout;
    const uint32_t rows = (uint32_t)l->rows, cols = COLUMNS_LINE / p->width;
    uint32_t lines = l->cols > cols && rows * COLUMNS_LINE <= FEW_BYTES / 2 ? 2 : 1;
    if (WL_MASKED(columns[width_index(p->width)][lines - 1]))
        lines = 3 - lines;
    const struct tiled tiled = {
        columns[width_index(p->width)][lines - 1], COLUMNS_THREADS, {rows, lines * cols, 0}};
    return run_loaded(context, &tiled, p, 0, p->width == 1 ? 2 : 1, stream);
}

static wl_error run_matrices(wl_context *context, const struct problem *p, wl_stream stream) {
    return wl__panels_transpose(context, p->width, p->to, p->from, &p->layout, &p->matrices, stream);
}

static wl_error run_panels(wl_context *context, const struct problem *p, wl_stream stream) {
    return wl__panels_transpose(context, p->width, p->to, p->from, &p->layout, &p->columns, stream);
}

static wl_error run_shifted(wl_context *context, const struct problem *p, wl_stream stream) {
    return run_tiled(context, shifted_of(p), p, stream);
}

/* The first that applies is taken. */
static const struct strategy {
    const char *name, *why;
    bool (*applies)(const struct problem *p);
    wl_error (*run)(wl_context *context, const struct problem *p, wl_stream stream);
} strategies[] = {
    {"line", "one row or one column: a copy of elements", is_line, run_line},
    {"pieces", "short rows that are no whole vectors, back to back: bulk copies of contiguous rows",
     is_pieces, run_pieces},
    {"columns", "rows become short ones that are no whole vectors, back to back: tiles are contiguous there",
     is_columns, run_columns},
    {"matrices", "small, of any alignment: whole matrices, brought by bulk copies and gathered", is_matrices,
     run_matrices},
    {"panels", "few rows, of any alignment: all rows of some columns, gathered", is_panels, run_panels},
    {"pieces", "short rows that are no whole vectors, back to back: bulk copies of contiguous rows",
     is_torn_pieces, run_pieces},
    {"narrow", "few columns, or rows, that lie back to back: structures and streams", is_narrow, run_narrow},
    {"async",
     "rows of both sides begin and end at 16 bytes: 16-byte accesses, large tiles loaded asynchronously",
     is_async, run_async},
    {"vectors", "rows of both sides begin and end at 16 bytes: 16-byte accesses, tiles", is_vectors,
     run_vectors},
    {"slots", "rows begin at different places in 16 bytes: tiles of their windows, gathered from there once",
     is_slots, run_slots},
    {"clusters", "any alignment, large: tiles of rows' windows, in clusters of blocks", is_clusters,
     run_clusters},
    {"windows", "any alignment: tiles of rows' windows, loaded asynchronously; the output in whole sectors",
     has_async, run_windows},
    {"shifted", "any alignment: tiles, moved so that each row of the output is written in whole sectors",
     always, run_shifted},
};

/* ---------------------------------------------------------------- the calls */

/* Elements from a matrix's first to its last: (outer - 1) * ld + inner. */
static uint64_t span(uint64_t outer, uint64_t ld, uint64_t inner) {
    return wl__add(wl__multiply(outer - 1, ld), inner);
}

static wl_error check_at_least(const char *call, const char *name, uint64_t value, uint64_t least) {
    if (value >= least)
        return WL_ERROR_OK;
    return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is %llu elements: it must be at least %llu", call,
                    name, (unsigned long long)value, (unsigned long long)least);
}

static wl_error transpose(const char *call, wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                          const wl_transpose_layout *asked, wl_stream stream) {
    struct problem p = {.width = width, .to = to, .from = from, .layout = *asked};
    wl_transpose_layout *l = &p.layout;
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_width(call, width);
    if (error || !l->rows || !l->cols || !l->batch)
        return error;

    l->from_ld = l->from_ld ? l->from_ld : l->cols;
    l->to_ld = l->to_ld ? l->to_ld : l->rows;
    error = check_at_least(call, "from_ld", l->from_ld, l->cols);
    if (!error)
        error = check_at_least(call, "to_ld", l->to_ld, l->rows);
    if (error)
        return error;
    uint64_t from_span = span(l->rows, l->from_ld, l->cols), to_span = span(l->cols, l->to_ld, l->rows);
    l->from_stride = l->from_stride ? l->from_stride : wl__multiply(l->rows, l->from_ld);
    l->to_stride = l->to_stride ? l->to_stride : wl__multiply(l->cols, l->to_ld);
    error = check_at_least(call, "from_stride", l->from_stride, from_span);
    if (!error)
        error = check_at_least(call, "to_stride", l->to_stride, to_span);
    struct wl__reach reach = {.context = context};
    const struct wl__array target = {"to", to, wl__multiply(span(l->batch, l->to_stride, to_span), width)};
    const struct wl__array source = {"from", from,
                                     wl__multiply(span(l->batch, l->from_stride, from_span), width)};
    if (!error)
        error = wl__check_array(call, &reach, &target, width);
    if (!error)
        error = wl__check_array(call, &reach, &source, width);
    if (!error)
        error = wl__check_apart(call, &target, &source);
    if (error)
        return error;

    p.async = wl__has_async(context);
    p.bulk = wl__has_bulk(context);
    p.half = wl__shared_for(context, 2, PIECE_BESIDE);
    p.part = wl__shared_for(context, width == 4 ? 4 : 3, 0);
    p.is_matrices = wl__panels_matrices(context, width, l, &p.matrices);
    p.is_columns = wl__panels_columns(context, width, l, &p.columns);
    const struct strategy *strategy = strategies,
                          *end = strategies + sizeof(strategies) / sizeof(strategies[0]);
next:
    while (!strategy->applies(&p))
        if (++strategy == end)
            return WL_ERROR_MASKED;
    wl__chose(context, &(struct wl__choice){
                           .operation = call,
                           .kernel = strategy->name,
                           .why = strategy->why,
                           .facts = {{"width", width},
                                     {"rows", l->rows},
                                     {"cols", l->cols},
                                     {"batch", l->batch},
                                     {"from_ld", l->from_ld},
                                     {"to_ld", l->to_ld}},
                       });
    wl__choice_hold();
    error = strategy->run(context, &p, stream);
    wl__choice_release();
    if (error == WL_ERROR_MASKED && ++strategy < end)
        goto next;
    return error;
}

wl_error wl_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from, uint64_t rows,
                      uint64_t cols, wl_stream stream) {
    const wl_transpose_layout layout = {.rows = rows, .cols = cols, .batch = 1};
    return transpose("wl_transpose", context, width, to, from, &layout, stream);
}

wl_error wl_transpose_batched(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                              const wl_transpose_layout *layout, wl_stream stream) {
    static const char call[] = "wl_transpose_batched";
    wl_error error = wl__check_context(call, context);
    if (!error && !layout)
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: layout is NULL", call);
    return error ? error : transpose(call, context, width, to, from, layout, stream);
}
