/* The movers of transposes: what each can do, and where it is fastest. */
#include "lib/copy/rows.h"
#include "lib/small/small.h"
#include "lib/transpose/narrow.h"
#include "lib/transpose/problem.h"

/* ---------------------------------------------------------------- what a problem is */

/* Rows of both sides begin and end at vectors. */
static bool is_aligned(const struct wl__problem *p) {
    return (p->from_places | p->to_places | p->width * (p->layout.rows | p->layout.cols)) % VECTOR == 0;
}

/* Rows of the output that a tile of narrow elements has wholly, while the input's are long: panels and
 * columns are 0.72 to 0.96 as fast, though these rows are no whole sectors. */
static bool is_low(const struct wl__problem *p) {
    const uint64_t row = p->width * p->layout.rows;
    return p->width < 4 && p->layout.to_ld == p->layout.rows && row > p->tuned->low.least &&
           row <= p->tuned->low.most && p->width * p->layout.cols >= p->tuned->low.stream;
}

/* Rows that tiles of whole vectors move fastest: the output's begin at sectors too, or are low.  Otherwise
 * the movers of any alignment are as fast. */
static bool suits_vectors(const struct wl__problem *p) {
    return is_aligned(p) && (p->to_places % SECTOR == 0 || is_low(p));
}

/* ---------------------------------------------------------------- lines, structures and streams */

/* Its transpose is a row or column too. */
static bool can_line(const struct wl__problem *p) {
    return !p->is_mixed && (p->layout.rows == 1 || p->layout.cols == 1);
}

/* Moves the elements of a line one by one, or as a row if they are contiguous: wl__rows_join() finds that. */
static wl_error run_line(const struct wl__problem *p) {
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
    return wl__rows_move(p->context, &(struct wl__choice){0}, &rows, p->stream);
}

static bool can_narrow(const struct wl__problem *p) {
    return wl__narrow_can(&p->layout);
}

/* Whether streams serve a batch of matrices that lie anywhere.  Streams must be long.  Rows that end within
 * vectors must be longer: a chunk loads a vector more of each.  Matrices whose streams end within vectors,
 * and matrices of narrow elements, must not be small. */
static bool suits_narrow_batch(const struct wl__problem *p) {
    const struct wl__tuned_stream_batches *tuned = &p->tuned->batches.streams;
    const wl_transpose_layout *l = &p->layout;
    const bool tall = l->rows > l->cols;
    const uint64_t stream = p->width * (tall ? l->rows : l->cols);
    const bool torn = stream % VECTOR != 0;
    return stream >= (tall || !torn ? tuned->least : tuned->torn_rows[p->width > 2]) &&
           ((!torn && p->width > 2) || wl__matrix_bytes(p) >= tuned->matrix) &&
           wl__narrow_fits(&p->tuned->narrow, p->width, l);
}

static double cost_narrow(const struct wl__problem *p) {
    return wl__cost_where(p->is_mixed ? suits_narrow_batch(p) : p->is_narrow);
}

/* Whether panels are faster than rows as streams: by up to 1.2 times where rows are no whole vectors, from
 * some number of rows on; of a dozen rows of bytes panels are, but not whole matrices, which would come
 * before them unless panels are faster than these, too.  Rows of bytes that are whole vectors but no whole
 * lines are up to 1.4 times as fast by panels, except for multiples of 32 of them, whose panels have bank
 * conflicts.  6 to 8 rows of 16-byte elements are 1.04 to 1.2 times as fast. */
static bool breaks_streams(const struct wl__problem *p) {
    const struct wl__tuned_broken *tuned = &p->tuned->narrow.broken;
    const wl_transpose_layout *l = &p->layout;
    const uint64_t row = p->width * l->cols, bytes = wl__matrix_bytes(p) * l->batch;
    if (!p->is_narrow || l->rows >= l->cols)
        return false;
    if (bytes < tuned->least)
        return row % VECTOR != 0 && l->rows >= tuned->small[p->row];
    if (p->width == 16)
        return l->rows >= tuned->rows[4] && l->rows <= p->tuned->narrow.most_few;
    if (row % VECTOR == 0)
        return p->width == 1 && row % LINE != 0 && l->rows >= tuned->whole && l->rows % 32 != 0;
    if (p->width == 1 && l->rows < VECTOR && p->is_matrices)
        return wl__panels_beat_whole(p);
    return l->rows >= (p->width == 2 && bytes <= tuned->pairs_most ? tuned->pairs : tuned->rows[p->row]) &&
           l->rows <= tuned->most[p->row];
}

/* Streams that begin at sectors, or are long: faster than whole matrices and panels. */
static bool is_long_narrow(const struct wl__problem *p) {
    const struct wl__tuned_narrow *tuned = &p->tuned->narrow;
    const wl_transpose_layout *l = &p->layout;
    const uint64_t stream = p->width * (l->rows > l->cols ? l->rows : l->cols);
    if (!p->is_narrow)
        return false;
    return (stream >= tuned->sectors && stream % SECTOR == 0) || stream >= tuned->any[p->width >= 4] ||
           (p->width < 4 ? stream >= tuned->vectors && stream % VECTOR == 0
                         : stream >= tuned->words && wl__matrix_bytes(p) > tuned->large) ||
           (p->width == 1 && l->cols <= tuned->few && stream >= tuned->bytes);
}

wl_error wl__run_narrow(const struct wl__problem *p) {
    return wl__narrow_transpose(p->context, p->width, p->to, p->from, &p->layout, &p->digits, p->stream);
}

/* ---------------------------------------------------------------- matrices and panels */

/* With gaps between the output's rows, each row ends within sectors, and panels have few advantages except
 * for small matrices. */
static bool fills_lines_of_gaps(const struct wl__problem *p, const struct wl__tiled *tiled) {
    const wl_transpose_layout *l = &p->layout;
    const struct wl__tuned_full *tuned = &p->tuned->full;
    if (p->is_narrow && (p->width * l->rows >= tuned->gap_stream || p->width >= 8))
        return true;
    if (p->width < 4)
        return l->rows > tuned->gap_rows[p->row] && l->cols > tuned->gap_cols[p->row];
    return wl__fills_tiles(p, tiled, tuned->gap[p->row - 2]) ||
           (l->rows < tuned->gap_few && l->cols >= tuned->gap_long);
}

/* Whether tiles of both sides' lines are full enough to beat panels. */
static bool fills_lines(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const struct wl__tuned_full *tuned = &p->tuned->full;
    const bool aligned = suits_vectors(p);
    const struct wl__tiled *tiled =
        aligned ? &(p->width == 16 ? wl__async : wl__vectors)[p->row] : &wl__shifted[p->row];
    if (l->to_ld > l->rows)
        return fills_lines_of_gaps(p, tiled);
    if (p->width < 4)
        return wl__has_async(p->context) && aligned &&
               wl__fills_tiles(p, &wl__async[p->row], tuned->narrow_async);
    const unsigned wide = p->row - 2;
    const unsigned least = aligned                                           ? tuned->aligned[wide]
                           : (p->from_places & (tuned->line[wide] - 1)) == 0 ? tuned->lined[wide]
                           : p->width == 8 && l->rows <= tuned->low_rows     ? tuned->low_torn
                                                                             : tuned->torn[wide];
    return wl__fills_tiles(p, tiled, least);
}

bool wl__panels_lose(const struct wl__problem *p) {
    return !wl__whole_beat_streams(p) && !breaks_streams(p) && (is_long_narrow(p) || fills_lines(p));
}

/* Large blocks are slower than smaller tiles unless there are many of them. */
static bool is_many(const struct wl__problem *p, const struct wl__panels *panels) {
    return panels->bytes / panels->together <= p->tuned->panel_large ||
           p->layout.batch / panels->together * wl__tiles_along(p->layout.cols, panels->cols) >=
               p->tuned->panels_many;
}

static bool can_matrices(const struct wl__problem *p) {
    return p->is_matrices;
}

static bool is_matrices(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const bool joined = l->from_stride == l->rows * l->from_ld && l->to_stride == l->rows * l->cols;
    return p->is_matrices && !p->panels_lose && is_many(p, &p->matrices) && !wl__panels_beat_whole(p) &&
           !(p->width == 16 && !joined && p->is_narrow);
}

static double cost_matrices(const struct wl__problem *p) {
    return wl__cost_where(is_matrices(p));
}

wl_error wl__run_matrices(const struct wl__problem *p) {
    return wl__panels_transpose(p->context, p->width, p->to, p->from, &p->layout, &p->digits, &p->matrices,
                                p->stream);
}

static double cost_slots(const struct wl__problem *p);

static bool can_panels(const struct wl__problem *p) {
    return p->is_columns;
}

/* Whether all of the output's rows begin at multiples of so many bytes. */
static bool begins_at(const struct wl__problem *p, unsigned bytes) {
    return (p->to_places | p->width * p->layout.rows) % bytes == 0;
}

/* Rows up to which panels beat tiles.  Windows of bytes are faster where the output's rows are whole sectors
 * and the input's are long, or where the output's are whole vectors. */
static uint64_t rows_of_panels(const struct wl__problem *p) {
    const struct wl__tuned_transpose *tuned = p->tuned;
    if (p->width == 4 && suits_vectors(p))
        return tuned->aligned_rows;
    if (p->width == 1 && begins_at(p, SECTOR) && p->layout.cols >= tuned->batches.windows.row)
        return tuned->even_rows;
    return p->width == 1 && begins_at(p, VECTOR) ? tuned->whole_rows : tuned->panel_rows[p->row];
}

/* Whether slots or windows of pairs beat panels: their tiles are full, and the output's rows are whole
 * vectors, or whole lines. */
static bool tiles_of_pairs_win(const struct wl__problem *p) {
    const struct wl__tuned_transpose *tuned = p->tuned;
    if (p->width != 2)
        return false;
    return (p->layout.rows >= tuned->lined_rows && begins_at(p, LINE)) ||
           (p->layout.rows >= tuned->slots_rows && begins_at(p, VECTOR) && cost_slots(p) <= WL_AS_COPY &&
            wl__fills_tiles(p, &wl__slots_of_rows[0], tuned->slots_full));
}

/* Few columns of many rows fit a multiprocessor; and small problems finish sooner by tiles of lines. */
static double cost_panels(const struct wl__problem *p) {
    const struct wl__tuned_transpose *tuned = p->tuned;
    const wl_transpose_layout *l = &p->layout;
    const bool torn = p->width == 4 && p->from_places % VECTOR != 0;
    const uint64_t enough = suits_vectors(p) ? tuned->aligned_bytes
                            : torn           ? tuned->torn_bytes
                                             : tuned->panel_bytes,
                   stream = p->width * l->cols;
    if (l->rows > rows_of_panels(p) || p->panels_lose || tiles_of_pairs_win(p))
        return WL_DEAR;
    if (breaks_streams(p))
        return wl__cost_where(p->width >= 4 || is_many(p, &p->columns));
    return wl__cost_where(
        (!p->is_narrow || (stream < tuned->stream && p->columns.bytes >= tuned->panel_least)) &&
        (p->width < 4 ? is_many(p, &p->columns) : wl__matrix_bytes(p) * l->batch >= enough));
}

wl_error wl__run_panels(const struct wl__problem *p) {
    return wl__panels_transpose(p->context, p->width, p->to, p->from, &p->layout, &p->digits, &p->columns,
                                p->stream);
}

/* ---------------------------------------------------------------- pieces and columns */

/* Bulk copies load whole rows of the input, which are contiguous; vectors store the output.  With a strip
 * may come two vectors' rows before it, each with a pad.  A load begins at the vector that its rows begin in.
 * So the first matrix has to begin at one: else the load would reach out of the array. */
static bool can_pieces(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    if (p->is_mixed || !wl__has_bulk(p->context) || l->from_ld != l->cols)
        return false;
    const uint64_t beside = WL_PIECE_BESIDE + (WL_PIECE_STRIP / VECTOR + 2) * WL_PIECE_PAD;
    const uint64_t room = wl__shared_for(p->context, 1, beside) - beside;
    return l->cols <= room / (WL_PIECE_STRIP + 2 * VECTOR) && p->from % VECTOR == 0;
}

/* Requests to shared memory per 512 bytes of such a tile without pads, by the rows per vector and the bank
 * conflicts of so many columns. */
static unsigned piece_requests(const struct wl__problem *p) {
    const unsigned each = VECTOR / p->width, even = (unsigned)__builtin_ctz((unsigned)p->layout.cols | 8);
    return each << even;
}

/* Words have so few requests that even these conflicts cost nothing. */
bool wl__pieces_padded(const struct wl__problem *p) {
    return (p->width < 4 && p->layout.cols % 8 == 0) || wl__even_strips(p) > 0;
}

/* Of 8-byte elements whole matrices are as fast, and so are tiles of lines for long rows. */
static bool is_no_wide_piece(const struct wl__problem *p) {
    return p->width == 8 &&
           (p->is_matrices || p->width * p->layout.cols > p->tuned->pieces.torn_row[p->row][0]);
}

/* Whether bulk copies bring the structures of streams that begin at sectors: 1.06 to 1.2 times as fast as
 * pieces, if few of their blocks are partial. */
static bool suits_bulk_streams(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const uint32_t block = p->tuned->narrow.of_narrow.whole;
    return p->width == 1 && p->is_narrow && l->cols <= p->tuned->narrow.torn && begins_at(p, SECTOR) &&
           l->rows > p->tuned->pieces.all_rows[p->row] && (l->rows % block == 0 || l->rows >= 8 * block);
}

/* Rows are not whole vectors, columns are not few, and rows are so short that two blocks fit.  Of long rows
 * windows are 1.03 to 1.06 times as fast unless bank conflicts are few. */
static bool suits_pieces(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const uint64_t row = p->width * l->cols, strip = WL_PIECE_STRIP / p->width;
    const uint64_t room =
        wl__shared_for(p->context, p->tuned->pieces.blocks, WL_PIECE_BESIDE) - WL_PIECE_BESIDE;
    return l->cols > p->tuned->narrow.fields && row % VECTOR != 0 && row <= room / strip &&
           l->rows >= strip && !is_no_wide_piece(p) && !suits_bulk_streams(p) &&
           (row < p->tuned->pieces.long_row || piece_requests(p) <= p->tuned->pieces.few) &&
           (piece_requests(p) <= (p->is_narrow ? p->tuned->pieces.few : p->tuned->pieces.most) ||
            (!p->is_narrow && wl__pieces_padded(p) && row <= p->tuned->pieces.padded_row));
}

/* Whether there are blocks enough: a few of long rows leave most multiprocessors idle. */
static bool has_pieces(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    return l->cols <= p->tuned->pieces.short_row ||
           l->batch * wl__tiles_along(p->width * l->rows, 2 * WL_PIECE_STRIP) >= p->tuned->pieces.least;
}

/* Fastest if whole chunks are stored; if the output's rows begin at sectors, or a tile has all of them, and
 * bank conflicts are few.  With some conflicts, small whole matrices are faster. */
static double cost_pieces(const struct wl__problem *p) {
    const bool chunks = wl__chunk_strips(p) > 0;
    if (chunks || p->width == 16)
        return wl__cost_where(chunks);
    const unsigned requests = piece_requests(p);
    const bool all = begins_at(p, VECTOR) && p->layout.rows <= p->tuned->pieces.all_rows[p->row] &&
                     requests <= p->tuned->pieces.few;
    return wl__cost_where(
        has_pieces(p) && suits_pieces(p) && (all || begins_at(p, SECTOR)) &&
        (requests <= p->tuned->pieces.few ||
         (requests <= p->tuned->pieces.some && wl__matrix_bytes(p) > p->tuned->pieces.large) ||
         !is_matrices(p)));
}

/* So few pairs that the L2 has them. */
static bool is_of_few_pairs(const struct wl__problem *p) {
    return p->width == 2 && wl__matrix_bytes(p) * p->layout.batch <= p->tuned->pieces.torn_small;
}

/* Whether others are as fast as pieces whose output begins anywhere, or faster: streams for few columns, and
 * for bytes of large arrays; tiles of lines for up to wide_few columns of 8 bytes.  A few columns less than
 * elsewhere are 1.03 to 1.1 times as fast by pieces, if bank conflicts are few, or arrays small; pairs in the
 * L2 are 1.01 to 2.1 times as fast.  Bytes move by words: 16 of them, and numbers that are even but no
 * multiple of 4, are up to 1.27 times as fast. */
static bool others_beat_torn_pieces(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const bool even = l->cols % 2 == 0;
    const uint64_t bytes = wl__matrix_bytes(p) * l->batch;
    const bool few_streams = l->cols <= (begins_at(p, VECTOR) ? p->tuned->narrow.most_few : 2);
    if (!few_streams && is_of_few_pairs(p))
        return false;
    if (p->width == 1 && !few_streams &&
        (l->cols == VECTOR || (l->cols % 4 == 2 && l->cols <= p->tuned->pieces.torn_even)))
        return false;
    const bool some = l->cols % 4 || bytes <= p->tuned->pieces.torn_fours[p->row];
    const uint64_t few = p->width == 8 && even ? p->tuned->pieces.wide_few
                         : some                ? p->tuned->pieces.torn_few[p->row]
                                               : p->tuned->narrow.fields;
    /* Streams of 40 bytes have bank conflicts. */
    return l->cols <= few ||
           (p->width == 1 && p->is_narrow && l->cols != 40 && bytes > p->tuned->pieces.torn_most[even]);
}

/* Many short rows, while the output's begin anywhere. */
static bool suits_torn_pieces(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const unsigned even = (unsigned)__builtin_ctz((unsigned)l->cols | 16);
    return !begins_at(p, SECTOR) && !others_beat_torn_pieces(p) && !is_no_wide_piece(p) &&
           (p->width * l->rows >= p->tuned->pieces.torn_stream || is_of_few_pairs(p)) &&
           (p->width * l->cols <= p->tuned->pieces.torn_row[p->row][even ? even - 1 : 0] ||
            wl__even_strips(p) > 0);
}

/* Fastest where panels do not fit, or are few.  Where the output's rows begin within sectors a tile has some
 * rows more, but windows of such short rows would have more still. */
static double cost_torn_pieces(const struct wl__problem *p) {
    if (p->width == 16)
        return WL_DEAR;
    const wl_transpose_layout *l = &p->layout;
    return wl__cost_where(has_pieces(p) && (suits_torn_pieces(p) ||
                                            (suits_pieces(p) && begins_at(p, VECTOR) &&
                                             ((p->width == 1 && begins_at(p, SECTOR)) || l->to_ld > l->rows ||
                                              (p->width == 4 && l->rows <= p->tuned->pieces.torn_rows)))));
}

/* The output's rows are contiguous, have at least a vector and less than 2^10 elements, and a line of the
 * input for each fits.  The input's rows begin and end at vectors. */
static bool can_columns(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    if (p->is_mixed || !wl__has_async(p->context) || p->width > 4 || l->to_ld != l->rows)
        return false;
    const uint64_t to = p->width * (l->batch > 1 ? l->to_stride : 0) | p->to;
    return p->width * l->rows >= VECTOR && l->rows < 1 << 10 &&
           l->rows <= wl__shared_for(p->context, 1, 0) / WL_COLUMNS_LINE &&
           p->width * l->cols >= WL_COLUMNS_LINE && (to | p->from_places | p->width * l->cols) % VECTOR == 0;
}

/* The output's rows are not whole vectors, or of 2-byte elements not whole sectors, and so short that several
 * blocks fit.  Structures and streams take few rows; whole matrices take bytes, and small matrices of 2-byte
 * elements.  Panels are 1.15 times as fast that move bytes by words (34 shapes, H200), and those of few rows
 * of pairs in large arrays (15). */
static double cost_columns(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const uint64_t room = wl__shared_for(p->context, p->tuned->columns_blocks[p->row], 0);
    const bool panels_win = p->is_columns && cost_panels(p) <= WL_AS_COPY &&
                            (p->columns.image || (p->width == 2 && l->rows <= p->tuned->columns_few &&
                                                  wl__matrix_bytes(p) * l->batch >= p->tuned->columns_large));
    return wl__cost_where(!panels_win && l->rows > p->tuned->narrow.fields &&
                          p->width * l->rows % (p->width == 2 ? SECTOR : VECTOR) != 0 && !suits_vectors(p) &&
                          l->rows <= room / WL_COLUMNS_LINE && (p->width == 4 || !p->is_narrow) &&
                          (p->width == 4 || !p->is_matrices ||
                           (p->width == 2 && wl__matrix_bytes(p) >= p->tuned->columns_matrix)));
}

/* ---------------------------------------------------------------- tiles of both sides' lines */

static bool can_async(const struct wl__problem *p) {
    return wl__has_async(p->context) && p->width != 8 && is_aligned(p);
}

/* For 4-byte elements, pieces of 256 bytes that begin within 256 bytes of memory load faster when all of
 * these come along (transpose_vectors.cu), unless a row has few of them, or the array is small.  Small arrays
 * need no whole sectors either.  For 16-byte elements pieces are longer. */
static double cost_async(const struct wl__problem *p) {
    const bool small = p->width == 4 && wl__matrix_bytes(p) * p->layout.batch <= p->tuned->async_small,
               suits = p->width != 4 || p->from_places % 256 == 0 || small ||
                       p->layout.cols <= p->tuned->async_cols;
    return wl__cost_where((small || suits_vectors(p)) && (p->width < 4 || (p->tuned->async_words && suits)));
}

static bool can_vectors(const struct wl__problem *p) {
    return (p->width == 4 || p->width == 8) && is_aligned(p);
}

static double cost_vectors(const struct wl__problem *p) {
    return wl__cost_where(suits_vectors(p));
}

static bool can_slots(const struct wl__problem *p) {
    return wl__has_async(p->context) && (p->width == 2 || p->width == 4);
}

/* Lanes gather elements from rows that are a vector of the output apart; these lie in different banks if the
 * input's rows begin at different places.  So do those of neighbouring columns, unless vectors of the one
 * side begin at vectors of the other.  Words have too few conflicts for that to matter, and matrices of few
 * rows are faster anyway.  128 and 256 rows of pairs fill the tiles of windows, which are 1.01 to 1.07 times
 * as fast then. */
static double cost_slots(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const struct wl__tuned_slots *least = &p->tuned->slots[p->width == 4];
    const struct wl__tiled *tiled = &wl__slots_of_rows[p->width == 4];
    const bool conflicts = l->from_ld * l->to_ld % 4 == 1 && l->rows >= least->conflict_rows,
               very_tall = l->cols > tiled->tile.cols && l->rows / least->tall > l->cols,
               of_windows = l->rows <= least->windows && l->rows % (least->windows / 2) == 0;
    return wl__cost_where(l->from_ld % 4 != 0 && !(p->width == 2 && (conflicts || very_tall || of_windows)) &&
                          l->rows >= least->rows && l->cols >= least->cols &&
                          wl__all_tiles(p, tiled) >= least->tiles);
}

static bool can_windows(const struct wl__problem *p) {
    return wl__has_async(p->context) && p->width < 4;
}

static bool can_clusters(const struct wl__problem *p) {
    return wl__has_async(p->context) && p->width == 1;
}

/* Faster than windows if few tiles are partial, as clusters wait for their slowest block.  Windows of large
 * matrices are as fast where rows begin at vectors. */
static double cost_clusters(const struct wl__problem *p) {
    const struct wl__tuned_clusters *tuned = &p->tuned->clusters;
    return wl__cost_where((p->layout.rows >= tuned->row && p->layout.cols >= tuned->row) ||
                          (wl__matrix_bytes(p) >= tuned->large && p->from_places % VECTOR != 0 &&
                           wl__fills_clusters(p, tuned->full_rows, tuned->full_cols)));
}

/* ---------------------------------------------------------------- small arrays */

static struct wl__permute_shape shape_of(const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    return (struct wl__permute_shape){
        .width = p->width,
        .rank = l->batch > 1 ? 3 : 2,
        .dim = {{l->cols, 1, l->to_ld}, {l->rows, l->from_ld, 1}, {l->batch, l->from_stride, l->to_stride}},
        .by_out = {1, 0, 2}};
}

static bool can_small(const struct wl__problem *p) {
    const struct wl__permute_shape shape = shape_of(p);
    return !p->is_mixed && wl__small_can(&shape);
}

static bool is_up_to(uint32_t rows_or_columns, const wl_transpose_layout *l) {
    return l->rows <= rows_or_columns || l->cols <= rows_or_columns;
}

/* Wide elements in so few rows or columns that tiles of lines would be nearly empty. */
static bool is_thin(const struct wl__problem *p) {
    return p->width >= 4 && is_up_to(p->tuned->thin, &p->layout);
}

/* Whether streams are the fastest of what else can move a few rows or columns.  Panels in place of streams
 * that end within a vector count as these: the small mover beats them up to the same size. */
static bool goes_by_streams(const struct wl__problem *p) {
    const bool pieces = can_pieces(p) && (cost_pieces(p) <= WL_AS_COPY || cost_torn_pieces(p) <= WL_AS_COPY),
               columns = can_columns(p) && cost_columns(p) <= WL_AS_COPY,
               matrices = can_matrices(p) && cost_matrices(p) <= WL_AS_COPY,
               panels = can_panels(p) && !breaks_streams(p) && cost_panels(p) <= WL_AS_COPY;
    return !pieces && !columns && !matrices && !panels;
}

/* Nanoseconds that the others take for their first bytes.  A few streams are quick, which threads hold a
 * vector of each of, and so are tiles of vectors: asynchronous loads fill those of 4-byte elements, and those
 * of 8 go through registers.  Slow are more streams, as many bytes by other movers, and tiles whose rows
 * begin anywhere. */
static uint32_t first_of_others(const struct wl__problem *p) {
    const struct wl__tuned_small *tuned = &p->context->tuned->small;
    if (p->is_narrow && goes_by_streams(p))
        return is_up_to(p->tuned->narrow.most_few, &p->layout) ? tuned->vectors : tuned->torn;
    if (p->is_narrow)
        return p->width == 1 ? tuned->torn : tuned->tiles;
    if (suits_vectors(p) && (p->width == 8 || (p->width == 4 && wl__has_async(p->context))))
        return tuned->vectors;
    return p->width <= 4 && !is_aligned(p) ? tuned->torn : tuned->tiles;
}

/* Thin arrays of any size are for other movers that suit them, and for this one before the floor. */
static double cost_small(const struct wl__problem *p) {
    const struct wl__tuned_small *tuned = &p->context->tuned->small;
    const struct wl__permute_shape shape = shape_of(p);
    /* Only some sizes depend on the others. */
    double cost = wl__small_cost(p->context, &shape, tuned->vectors);
    if (cost > WL_AS_COPY && wl__small_cost(p->context, &shape, tuned->torn) <= WL_AS_COPY)
        cost = wl__small_cost(p->context, &shape, first_of_others(p));
    return cost > WL_SECOND && is_thin(p) ? WL_SECOND : cost;
}

static wl_error run_small(const struct wl__problem *p) {
    const struct wl__permute_shape shape = shape_of(p);
    return wl__small_move(p->context, &shape, p->to, p->from, p->stream);
}

/* ---------------------------------------------------------------- the table */

static const struct wl__mover movers[] = {
    {"line", "one row or one column: a copy of elements", can_line, NULL, run_line},
    {"small", "a small array, or a thin one: many short blocks", can_small, cost_small, run_small},
    {"pieces", "short rows that lie back to back: bulk copies of contiguous rows", can_pieces, cost_pieces,
     wl__run_pieces},
    {"columns", "rows become short ones that are no whole vectors, back to back: tiles are contiguous there",
     can_columns, cost_columns, wl__run_columns},
    {"matrices", "small, of any alignment: whole matrices, brought by bulk copies and gathered", can_matrices,
     cost_matrices, wl__run_matrices},
    {"panels", "few rows, of any alignment: all rows of some columns, gathered", can_panels, cost_panels,
     wl__run_panels},
    {"pieces", "short rows that lie back to back: bulk copies of contiguous rows", can_pieces,
     cost_torn_pieces, wl__run_pieces},
    {"narrow", "few columns, or rows, that lie back to back: structures and streams", can_narrow, cost_narrow,
     wl__run_narrow},
    {"async",
     "rows of both sides begin and end at 16 bytes: 16-byte accesses, large tiles loaded asynchronously",
     can_async, cost_async, wl__run_async},
    {"vectors", "rows of both sides begin and end at 16 bytes: 16-byte accesses, tiles", can_vectors,
     cost_vectors, wl__run_vectors},
    {"slots", "rows begin at different places in 16 bytes: tiles of their windows, gathered from there once",
     can_slots, cost_slots, wl__run_slots},
    {"clusters", "any alignment, large: tiles of rows' windows, in clusters of blocks", can_clusters,
     cost_clusters, wl__run_clusters},
    {"windows", "any alignment: tiles of rows' windows, loaded asynchronously; the output in whole sectors",
     can_windows, NULL, wl__run_windows},
    {"shifted", "any alignment: tiles, moved so that each row of the output is written in whole sectors",
     NULL, wl__cost_floor, wl__run_shifted},
};

const struct wl__movers wl__transpose_movers = WL_MOVERS(movers);
