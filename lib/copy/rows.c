#include "lib/copy/rows.h"

#include "lib/arguments.h"
#include "lib/launch.h"
#include "lib/mover.h"
#include "lib/slots.h"

/* Bytes per row if bytes are numbered. */
#define DENSE_LONGEST (1u << 25)
/* Slots are counted from a sector, so that no two warps write to one. */
#define GRAIN 32

struct wl__problem {
    wl_context *context;
    wl_stream stream;
    const struct wl__tuned_rows *tuned;
    const struct wl__rows *rows; /* joined */
    uint64_t places;             /* the bits of all places where rows begin and end, on both sides */
};

static bool joins(const struct wl__rows_dimension *fast, uint64_t fast_extent_to, uint64_t fast_extent_from) {
    return fast->to_pitch == fast_extent_to && fast->from_pitch == fast_extent_from;
}

void wl__rows_join(struct wl__rows *rows) {
    unsigned rank = 0;
    for (unsigned i = 0; i < rows->rank; i++) {
        const struct wl__rows_dimension next = rows->outer[i];
        if (next.size == 1)
            continue;
        struct wl__rows_dimension *last = rank ? &rows->outer[rank - 1] : NULL;
        if (!last && joins(&next, rows->row_bytes, rows->row_bytes))
            rows->row_bytes *= next.size;
        else if (last && joins(&next, last->size * last->to_pitch, last->size * last->from_pitch))
            last->size *= next.size;
        else
            rows->outer[rank++] = next;
    }
    rows->rank = rank;
}

/* Whether rows are consecutive in the output, in the order of its dimensions. */
static bool is_dense(const struct wl__problem *p) {
    const struct wl__rows *rows = p->rows;
    if (rows->row_bytes > DENSE_LONGEST)
        return false;
    uint64_t pitch = rows->row_bytes;
    for (unsigned i = 0; i < rows->rank; i++) {
        if (rows->outer[i].to_pitch != pitch)
            return false;
        pitch *= rows->outer[i].size;
    }
    return true;
}

/* ---------------------------------------------------------------- launches */

/* A kernel, and how it cuts rows. */
struct way {
    /* copy_rows.cu: it takes `word` bytes per access, and cuts the rest at either end of a row into parts
     * of `part` bytes.  0: copy_dense.cu and copy_seams.cu. */
    unsigned word, part;
    unsigned each; /* accesses per thread; bytes of the output per block */
    wl__kernel kernel;
};

/* Accesses per row, a multiple of those in a grain.  A grain may begin before the row does. */
static uint64_t items_a_row(const struct way *way, const struct wl__rows *rows, uint64_t grain) {
    uint64_t pitches = 0;
    for (unsigned i = 0; i < rows->rank; i++)
        pitches |= rows->outer[i].to_pitch;
    uint64_t lead = pitches % grain ? grain - way->part : rows->to % grain;
    return (lead + rows->row_bytes + grain - 1) / grain * (grain / way->word);
}

static wl_error launch_run(const struct wl__problem *p) {
    return wl__slots_launch(p->context, WL_KERNEL_copy_any, p->rows->to, &p->rows->from, 1,
                            p->rows->row_bytes, p->stream);
}

static wl_error launch(const struct wl__problem *p, const struct way *way);

/* Moves one half of the rows, then the other. */
static wl_error halves(const struct wl__problem *p, const struct way *way) {
    const unsigned last = p->rows->rank - 1;
    struct wl__rows rows = *p->rows;
    struct wl__problem half = *p;
    half.rows = &rows;
    const uint64_t done = rows.outer[last].size / 2, sizes[2] = {done, rows.outer[last].size - done};
    wl_error error = WL_ERROR_OK;
    for (unsigned i = 0; !error && i < 2; i++) {
        rows.outer[last].size = sizes[i];
        rows.rank = sizes[i] == 1 ? last : last + 1;
        error = launch(&half, way);
        rows.to += done * rows.outer[last].to_pitch;
        rows.from += done * rows.outer[last].from_pitch;
    }
    return error;
}

static wl_error launch_dense(const struct wl__problem *p, const struct way *way) {
    const struct wl__rows *rows = p->rows;
    struct wl_dense_rows all = {.to = rows->to & ~(uint64_t)15,
                                .from = rows->from,
                                .lead = rows->to & 15,
                                .row_bytes = wl_divisor(rows->row_bytes),
                                .rank = rows->rank};
    uint64_t bytes = rows->row_bytes, last = rows->from;
    for (unsigned i = 0; i < rows->rank; i++) {
        all.outer[i].size = wl_divisor(rows->outer[i].size);
        all.outer[i].from = rows->outer[i].from_pitch;
        bytes = wl__multiply(bytes, rows->outer[i].size);
        last += (rows->outer[i].size - 1) * rows->outer[i].from_pitch;
    }
    if (bytes > WL_ITEMS_LIMIT)
        return halves(p, way);
    all.end = all.lead + (uint32_t)bytes;
    uint64_t whole_end = (last + rows->row_bytes) & ~(uint64_t)15;
    all.first = (rows->from + 15) & ~(uint64_t)15;
    /* Two rows of 16 bytes have 32 in whole vectors, or none. */
    if (whole_end < all.first + 32)
        all.first = UINT64_MAX;
    else
        all.room = whole_end - 32 - all.first;
    void *arguments[] = {&all};
    return wl__launch(p->context, way->kernel, (all.end + way->each - 1) / way->each, 1,
                      (struct wl__block){WL__SLOTS_THREADS, 1}, arguments, p->stream);
}

static wl_error launch_accesses(const struct wl__problem *p, const struct way *way) {
    const struct wl__rows *rows = p->rows;
    const uint64_t grain = way->word > way->part ? GRAIN : way->word;
    const uint64_t slots = items_a_row(way, rows, grain);
    uint64_t items = slots;
    for (unsigned i = 0; i < rows->rank; i++)
        items = wl__multiply(items, rows->outer[i].size);
    if (items > WL_ITEMS_LIMIT)
        return halves(p, way);
    struct wl_rows all = {.to = rows->to,
                          .from = rows->from,
                          .row_bytes = rows->row_bytes,
                          .slots = wl_divisor(slots),
                          .items = (uint32_t)items,
                          .rank = rows->rank,
                          .grain = (uint32_t)grain};
    for (unsigned i = 0; i < rows->rank; i++) {
        all.outer[i].size = wl_divisor(rows->outer[i].size);
        all.outer[i].to = rows->outer[i].to_pitch;
        all.outer[i].from = rows->outer[i].from_pitch;
    }
    void *arguments[] = {&all};
    const uint64_t each = (uint64_t)WL__SLOTS_THREADS * way->each;
    return wl__launch(p->context, way->kernel, (uint32_t)((items + each - 1) / each), 1,
                      (struct wl__block){WL__SLOTS_THREADS, 1}, arguments, p->stream);
}

static wl_error launch(const struct wl__problem *p, const struct way *way) {
    if (p->rows->rank == 0)
        return launch_run(p);
    return way->word ? launch_accesses(p, way) : launch_dense(p, way);
}

/* ---------------------------------------------------------------- the movers */

static bool can_run(const struct wl__problem *p) {
    return p->rows->rank == 0;
}

/* Slots move long rows at the speed of a copy, but a warp with an end of a row among its slots does twice the
 * work.  If most warps have one, words are faster unless they are too small (docs/notes/copy.md has the
 * measurements).  Both are for rows that wider parts do not divide. */
#define WAY(name, word, part, each)                                                                          \
    static bool can_##name(const struct wl__problem *p) {                                                    \
        return p->places % (part) == 0;                                                                      \
    }                                                                                                        \
    static wl_error run_##name(const struct wl__problem *p) {                                                \
        return launch(p, &(const struct way){word, part, each, WL_KERNEL_copy_rows_##word##_##part});        \
    }
#define SLOTS(bytes)                                                                                         \
    WAY(slots_##bytes, 16, bytes, 1)                                                                         \
    static double cost_slots_##bytes(const struct wl__problem *p) {                                          \
        return wl__cost_where(p->places % (2 * bytes) && p->rows->row_bytes >= p->tuned->slots_##bytes);     \
    }
#define WORDS(bytes, each)                                                                                   \
    WAY(words_##bytes, bytes, bytes, each)                                                                   \
    static double cost_words_##bytes(const struct wl__problem *p) {                                          \
        return wl__cost_where(p->places % (2 * bytes) && p->rows->row_bytes < p->tuned->slots_##bytes);      \
    }

WAY(vectors, 16, 16, 1)
WAY(words_8, 8, 8, 2)
WAY(slots_4, 16, 4, 1)
WORDS(4, 4)
SLOTS(2)
WORDS(2, 4)
SLOTS(1)

static double cost_slots_4(const struct wl__problem *p) {
    return p->rows->row_bytes >= p->tuned->slots_4_first ? WL_AS_COPY
           : p->rows->row_bytes >= p->tuned->slots_4     ? WL_SECOND
                                                         : WL_DEAR;
}

static wl_error run_bytes(const struct wl__problem *p) {
    return launch(p, &(const struct way){1, 1, 4, WL_KERNEL_copy_rows_1_1});
}

static bool can_dense(const struct wl__problem *p) {
    return p->rows->row_bytes >= WL_DENSE_LEAST && is_dense(p);
}

/* Rows too short for their seams to be made apart are faster so than byte by byte. */
static double cost_dense(const struct wl__problem *p) {
    return wl__cost_where(p->rows->row_bytes >= p->tuned->dense ||
                          (p->places % 2 && p->rows->row_bytes < WL_SEAMS_LEAST));
}

static wl_error run_dense(const struct wl__problem *p) {
    return launch(p, &(const struct way){0, 1, WL_DENSE_BLOCK, WL_KERNEL_copy_dense});
}

static bool can_seams(const struct wl__problem *p) {
    return p->rows->row_bytes >= WL_SEAMS_LEAST && is_dense(p);
}

static double cost_seams(const struct wl__problem *p) {
    uint64_t bytes = p->rows->row_bytes;
    for (unsigned i = 0; i < p->rows->rank; i++)
        bytes = wl__multiply(bytes, p->rows->outer[i].size);
    return wl__cost_where(bytes >= p->context->tuned->seams_bytes &&
                          (p->places % 4 || p->rows->row_bytes >= p->tuned->seams_4));
}

static wl_error run_seams(const struct wl__problem *p) {
    return launch(p, &(const struct way){0, 1, WL_SEAMS_BLOCK, WL_KERNEL_copy_seams});
}

static const struct wl__mover movers[] = {
    {"run", "rows lie side by side: one run of bytes", can_run, NULL, launch_run},
    {"vectors", "rows are whole aligned vectors of 16 bytes", can_vectors, NULL, run_vectors},
    {"words-8", "rows of 8-byte words", can_words_8, NULL, run_words_8},
    {"slots-4", "long rows at multiples of 4 bytes, by 16-byte slots", can_slots_4, cost_slots_4,
     run_slots_4},
    {"dense", "long rows that follow each other in the output: its vectors, of one row or two", can_dense,
     cost_dense, run_dense},
    {"seams", "rows that follow each other in the output: its vectors, the rows' seams made apart", can_seams,
     cost_seams, run_seams},
    {"words-4", "short rows of 4-byte words", can_words_4, cost_words_4, run_words_4},
    {"slots-2", "long rows at multiples of 2 bytes, by 16-byte slots", can_slots_2, cost_slots_2,
     run_slots_2},
    {"words-2", "short rows of 2-byte words", can_words_2, cost_words_2, run_words_2},
    {"slots-1", "long rows that lie anywhere, by 16-byte slots", can_slots_1, cost_slots_1, run_slots_1},
    {"bytes", "short rows that lie anywhere", NULL, wl__cost_floor, run_bytes},
};

wl_error wl__rows_move(wl_context *context, struct wl__choice *choice, const struct wl__rows *rows,
                       wl_stream stream) {
    struct wl__problem p = {context, stream, &context->tuned->rows, rows,
                            rows->to | rows->from | rows->row_bytes};
    for (unsigned i = 0; i < rows->rank; i++)
        p.places |= rows->outer[i].to_pitch | rows->outer[i].from_pitch;
    return wl__move(context, WL_MOVERS(movers), choice, &p);
}
