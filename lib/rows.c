#include "lib/rows.h"

#include "lib/arguments.h"
#include "lib/launch.h"
#include "lib/slots.h"

/* Accesses that one launch may number: with a block's at the end, less than 2^32. */
#define ITEMS_LIMIT (((uint64_t)1 << 32) - ((uint64_t)1 << 16))

/* The first that applies is taken. */
static const struct wl__rows_way ways[] = {
    {"run", "the rows lie side by side: one run of bytes", 1, 16, 1, 0, WL_KERNEL_copy_any},
    {"vectors", "rows are whole aligned vectors", 16, 16, 2, 0, WL_KERNEL_copy_rows_16_16},
    {"slots-8", "16-byte slots of rows that lie at multiples of 8 bytes", 8, 16, 1, 64,
     WL_KERNEL_copy_rows_16_8},
    {"words-8", "rows are few words of 8 bytes", 8, 8, 2, 0, WL_KERNEL_copy_rows_8_8},
    {"slots-4", "16-byte slots of rows that lie at multiples of 4 bytes", 4, 16, 1, 64,
     WL_KERNEL_copy_rows_16_4},
    {"words-4", "rows are few words of 4 bytes", 4, 4, 4, 0, WL_KERNEL_copy_rows_4_4},
    {"slots-2", "16-byte slots of rows that lie at multiples of 2 bytes", 2, 16, 1, 64,
     WL_KERNEL_copy_rows_16_2},
    {"words-2", "rows are few words of 2 bytes", 2, 2, 4, 0, WL_KERNEL_copy_rows_2_2},
    {"slots-1", "16-byte slots of rows that lie anywhere", 1, 16, 1, 64, WL_KERNEL_copy_rows_16_1},
    {"bytes", "rows are few bytes", 1, 1, 4, 0, WL_KERNEL_copy_rows_1_1},
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

const struct wl__rows_way *wl__rows_way(const struct wl__rows *rows) {
    if (rows->rank == 0)
        return &ways[0];
    uint64_t places = rows->to | rows->from | rows->row_bytes;
    for (unsigned i = 0; i < rows->rank; i++)
        places |= rows->outer[i].to_pitch | rows->outer[i].from_pitch;
    const struct wl__rows_way *way = &ways[1];
    while (places % way->part || rows->row_bytes < way->shortest)
        way++;
    return way;
}

static struct wl_divisor divisor(uint64_t count) {
    return (struct wl_divisor){(uint32_t)count, (uint32_t)(UINT32_MAX / count)};
}

/* Accesses that a row takes.  A slot may begin before the row does. */
static uint64_t items_a_row(const struct wl__rows_way *way, const struct wl__rows *rows) {
    uint64_t pitches = 0;
    for (unsigned i = 0; i < rows->rank; i++)
        pitches |= rows->outer[i].to_pitch;
    uint64_t lead = pitches % way->word ? way->word - way->part : rows->to % way->word;
    return (lead + rows->row_bytes + way->word - 1) / way->word;
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

wl_error wl__rows_launch(wl_context *context, const struct wl__rows_way *way, const struct wl__rows *rows,
                         wl_stream stream) {
    struct wl__rows left = *rows;
    while (left.rank && left.outer[left.rank - 1].size == 1)
        left.rank--;
    if (left.rank == 0)
        return wl__slots_launch(context, WL_KERNEL_copy_any, left.to, &left.from, 1, left.row_bytes, stream);
    uint64_t slots = items_a_row(way, &left), items = slots;
    for (unsigned i = 0; i < left.rank; i++)
        items = wl__multiply(items, left.outer[i].size);
    if (items > ITEMS_LIMIT)
        return halves(context, way, &left, stream);
    struct wl_rows p = {.to = left.to,
                        .from = left.from,
                        .row_bytes = left.row_bytes,
                        .slots = divisor(slots),
                        .items = (uint32_t)items,
                        .rank = left.rank};
    for (unsigned i = 0; i < left.rank; i++) {
        p.outer[i].size = divisor(left.outer[i].size);
        p.outer[i].to = left.outer[i].to_pitch;
        p.outer[i].from = left.outer[i].from_pitch;
    }
    void *arguments[] = {&p};
    uint64_t each = (uint64_t)WL__SLOTS_THREADS * way->each;
    return wl__launch(context, way->kernel, (uint32_t)((items + each - 1) / each), 1,
                      (struct wl__block){WL__SLOTS_THREADS, 1}, arguments, stream);
}
