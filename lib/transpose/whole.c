/* Where a batch's matrices are faster whole than as streams, and where they are too large for that. */
#include "lib/transpose/problem.h"

/* Whether streams of a batch of narrow elements fill the blocks that move them, as measured.  A block takes
 * `whole` bytes of each of 17 streams and more, and of 15 and 16 columns of bytes; twice as many of each of
 * others of 11 to 16, and so on, as groups_of() in lib/fields/streams_chunks.c has it for streams of any
 * alignment. */
static bool fills_blocks(const struct wl__problem *p, uint64_t fields, uint64_t stream, bool tall) {
    enum { FIELDS = 32, STRUCTURE = 15 };
    const bool one = fields >= FIELDS || (tall && p->width == 1 && fields >= STRUCTURE);
    return stream % (p->tuned->narrow.of_narrow.whole * (one ? 1 : FIELDS / fields)) == 0;
}

/* Whether a small matrix of narrow elements is faster whole than as streams: by 1.05 to 2.6 times if its
 * streams end within vectors or sectors, or are short.  Of up to most_few streams that are whole vectors only
 * short ones of pairs are slower than the matrix, and most_few short ones of bytes; of more only those that
 * fill no blocks are.  Many columns of bytes, which bulk copies bring, are as fast as the matrix. */
static bool is_small_of_narrow(const struct wl__problem *p, uint64_t fields, uint64_t stream, bool tall) {
    const struct wl__tuned_small_narrow *tuned = &p->tuned->narrow.of_narrow;
    const uint64_t matrix = wl__matrix_bytes(p);
    if (fields <= p->tuned->narrow.most_few) {
        if (stream % VECTOR != 0)
            return matrix <= (tall                               ? tuned->torn
                              : p->width == 1 && fields % 2 == 0 ? tuned->torn_even
                                                                 : tuned->torn_few);
        return p->width == 2 ? stream <= tuned->short_pairs
                             : !tall && fields == p->tuned->narrow.most_few && stream < tuned->short_eight;
    }
    if (fills_blocks(p, fields, stream, tall))
        return false;
    if (!tall)
        return p->width == 2 ? matrix <= tuned->pairs : stream < tuned->short_rows;
    if (stream % SECTOR != 0)
        return matrix <= tuned->tall_torn;
    return p->width == 2 ? matrix <= p->tuned->narrow.small
                         : fields <= tuned->tall_cols && matrix <= tuned->tall;
}

bool wl__whole_beat_streams(const struct wl__problem *p) {
    const struct wl__tuned_narrow *tuned = &p->tuned->narrow;
    const wl_transpose_layout *l = &p->layout;
    const bool tall = l->rows > l->cols, joined = l->to_ld == l->rows && l->from_ld == l->cols;
    const uint64_t fields = tall ? l->cols : l->rows, stream = p->width * (tall ? l->rows : l->cols);
    if (!p->is_narrow || !p->is_matrices || !joined || l->batch == 1)
        return false;
    if (p->width < 4)
        return is_small_of_narrow(p, fields, stream, tall);
    return wl__matrix_bytes(p) <= (p->width == 16 || fields <= tuned->most_few ? tuned->tiny : tuned->small);
}

bool wl__panels_beat_whole(const struct wl__problem *p) {
    const struct wl__tuned_groups *tuned = &p->tuned->groups;
    const wl_transpose_layout *l = &p->layout;
    /* Panels of 16 rows have bank conflicts. */
    return p->is_columns && p->columns.image && l->rows != VECTOR && wl__matrix_bytes(p) > tuned->whole &&
           wl__matrix_bytes(p) * l->batch >= p->tuned->narrow.broken.least && l->rows >= tuned->few &&
           l->rows <= (l->from_ld % 2 ? tuned->many_odd : tuned->many);
}
