#include "lib/copy/rows.h"

#include "lib/arguments.h"
#include "lib/launch.h"
#include "lib/slots.h"

/* Accesses that one launch may number: with a block's at the end, less than 2^32. */
#define ITEMS_LIMIT (((uint64_t)1 << 32) - ((uint64_t)1 << 16))

/* Bytes that one launch may have where they are numbered: with a block's at the end, less than 2^32. */
#define DENSE_LIMIT ITEMS_LIMIT
/* Of a row then. */
#define DENSE_LONGEST (1u << 25)

/* Slots are counted from a sector, so that no two warps write to one. */
#define GRAIN 32

#define SLOTS_4 "long rows at multiples of 4 bytes, by 16-byte slots"
#define DENSE   "long rows that follow each other in the output: its vectors, of one row or two"
#define SEAMS   "rows that follow each other in the output: its vectors, the rows' seams made apart"

/* The first that applies is taken.  Slots move wide rows at the speed of a copy, but a warp that has an end
 * of a row among its slots does twice the work; where most warps have, words are faster, as long as they are
 * not too small themselves (docs/notes/copy.md has the measurements). */
static const struct wl__rows_way ways[] = {
    {"run", "rows lie side by side: one run of bytes", 1, 16, 1, 0, WL_KERNEL_copy_any},
    {"vectors", "rows are whole aligned vectors of 16 bytes", 16, 16, 1, 0, WL_KERNEL_copy_rows_16_16},
    {"slots-8", "long rows at multiples of 8 bytes, by 16-byte slots", 8, 16, 1, 320,
     WL_KERNEL_copy_rows_16_8},
    {"words-8", "short rows of 8-byte words", 8, 8, 2, 0, WL_KERNEL_copy_rows_8_8},
    {"slots-4", SLOTS_4, 4, 16, 1, 2048, WL_KERNEL_copy_rows_16_4},
    {"dense", DENSE, 4, 16, 1, 768, WL_KERNEL_copy_dense},
    {"seams", SEAMS, 4, 16, 1, 320, WL_KERNEL_copy_seams},
    {"slots-4", SLOTS_4, 4, 16, 1, 320, WL_KERNEL_copy_rows_16_4},
    {"words-4", "short rows of 4-byte words", 4, 4, 4, 0, WL_KERNEL_copy_rows_4_4},
    {"dense", DENSE, 1, 16, 1, 768, WL_KERNEL_copy_dense},
    {"seams", SEAMS, 1, 16, 1, WL_SEAMS_LEAST, WL_KERNEL_copy_seams},
    {"slots-2", "long rows at multiples of 2 bytes, by 16-byte slots", 2, 16, 1, 512,
     WL_KERNEL_copy_rows_16_2},
    {"words-2", "short rows of 2-byte words", 2, 2, 4, 0, WL_KERNEL_copy_rows_2_2},
    {"slots-1", "long rows that lie anywhere, by 16-byte slots", 1, 16, 1, 208, WL_KERNEL_copy_rows_16_1},
    {"bytes", "short rows that lie anywhere", 1, 1, 4, 0, WL_KERNEL_copy_rows_1_1},
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

static bool needs_dense(const struct wl__rows_way *way) {
    return way->kernel == WL_KERNEL_copy_dense || way->kernel == WL_KERNEL_copy_seams;
}

/* Whether rows follow each other in the output, in the order of its dimensions. */
static bool is_dense(const struct wl__rows *rows) {
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

const struct wl__rows_way *wl__rows_way(const struct wl__rows *rows) {
    if (rows->rank == 0)
        return &ways[0];
    uint64_t places = rows->to | rows->from | rows->row_bytes;
    for (unsigned i = 0; i < rows->rank; i++)
        places |= rows->outer[i].to_pitch | rows->outer[i].from_pitch;
    const struct wl__rows_way *way = &ways[1];
    while (places % way->part || rows->row_bytes < way->shortest || (needs_dense(way) && !is_dense(rows)) ||
           WL_MASKED(way->kernel)) {
        if (WL_MASKING && way == &ways[sizeof(ways) / sizeof(ways[0]) - 1])
            break;
        way++;
    }
    return way;
}

/* Accesses that a row takes, a multiple of those in a grain.  A grain may begin before the row does. */
static uint64_t items_a_row(const struct wl__rows_way *way, const struct wl__rows *rows, uint64_t grain) {
    uint64_t pitches = 0;
    for (unsigned i = 0; i < rows->rank; i++)
        pitches |= rows->outer[i].to_pitch;
    uint64_t lead = pitches % grain ? grain - way->part : rows->to % grain;
    return (lead + rows->row_bytes + grain - 1) / grain * (grain / way->word);
}

/* Half of the rows, or of the row, and then the other. */
static wl_error halves(wl_context *context, const struct wl__rows_way *way, const struct wl__rows *rows,
                       wl_stream stream) {
    struct wl__rows half = *rows, rest = *rows;
    unsigned slowest = rows->rank - 1;
    half.outer[slowest].size /= 2;
    rest.outer[slowest].size -= half.outer[slowest].size;
    rest.to += half.outer[slowest].size * half.outer[slowest].to_pitch;
    rest.from += half.outer[slowest].size * half.outer[slowest].from_pitch;
    wl_error error = wl__rows_launch(context, way, &half, stream);
    return error ? error : wl__rows_launch(context, way, &rest, stream);
}

static wl_error launch_dense(wl_context *context, const struct wl__rows_way *way, const struct wl__rows *rows,
                             wl_stream stream) {
    struct wl_dense_rows p = {.to = rows->to & ~(uint64_t)15,
                              .from = rows->from,
                              .lead = rows->to & 15,
                              .row_bytes = wl_divisor(rows->row_bytes),
                              .rank = rows->rank};
    uint64_t bytes = rows->row_bytes, last = rows->from;
    for (unsigned i = 0; i < rows->rank; i++) {
        p.outer[i].size = wl_divisor(rows->outer[i].size);
        p.outer[i].from = rows->outer[i].from_pitch;
        bytes = wl__multiply(bytes, rows->outer[i].size);
        last += (rows->outer[i].size - 1) * rows->outer[i].from_pitch;
    }
    if (bytes > DENSE_LIMIT)
        return halves(context, way, rows, stream);
    p.end = p.lead + (uint32_t)bytes;
    uint64_t whole_end = (last + rows->row_bytes) & ~(uint64_t)15;
    p.first = (rows->from + 15) & ~(uint64_t)15;
    /* Two rows of 16 bytes have 32 in whole vectors, or none. */
    if (whole_end < p.first + 32)
        p.first = UINT64_MAX;
    else
        p.room = whole_end - 32 - p.first;
    const uint32_t block = way->kernel == WL_KERNEL_copy_dense ? WL_DENSE_BLOCK : WL_SEAMS_BLOCK;
    void *arguments[] = {&p};
    return wl__launch(context, way->kernel, (p.end + block - 1) / block, 1,
                      (struct wl__block){WL__SLOTS_THREADS, 1}, arguments, stream);
}

wl_error wl__rows_launch(wl_context *context, const struct wl__rows_way *way, const struct wl__rows *rows,
                         wl_stream stream) {
    struct wl__rows left = *rows;
    while (left.rank && left.outer[left.rank - 1].size == 1)
        left.rank--;
    if (left.rank == 0)
        return wl__slots_launch(context, WL_KERNEL_copy_any, left.to, &left.from, 1, left.row_bytes, stream);
    if (needs_dense(way))
        return launch_dense(context, way, &left, stream);
    uint64_t grain = way->word > way->part ? GRAIN : way->word;
    uint64_t slots = items_a_row(way, &left, grain), items = slots;
    for (unsigned i = 0; i < left.rank; i++)
        items = wl__multiply(items, left.outer[i].size);
    if (items > ITEMS_LIMIT)
        return halves(context, way, &left, stream);
    struct wl_rows p = {.to = left.to,
                        .from = left.from,
                        .row_bytes = left.row_bytes,
                        .slots = wl_divisor(slots),
                        .items = (uint32_t)items,
                        .rank = left.rank,
                        .grain = (uint32_t)grain};
    for (unsigned i = 0; i < left.rank; i++) {
        p.outer[i].size = wl_divisor(left.outer[i].size);
        p.outer[i].to = left.outer[i].to_pitch;
        p.outer[i].from = left.outer[i].from_pitch;
    }
    void *arguments[] = {&p};
    uint64_t each = (uint64_t)WL__SLOTS_THREADS * way->each;
    return wl__launch(context, way->kernel, (uint32_t)((items + each - 1) / each), 1,
                      (struct wl__block){WL__SLOTS_THREADS, 1}, arguments, stream);
}
