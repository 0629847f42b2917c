#include "lib/sparse/sort.h"

#include "lib/divide.h"
#include "lib/launch.h"
#include "lib/sparse/sort_parameters.h"

enum { MOST_PASSES = 4 };

/* How a matrix is sorted. */
struct plan {
    unsigned passes, bits[MOST_PASSES]; /* of each pass's digit, the lowest and longest first */
    unsigned word;                      /* bytes of an entry between two passes */
    unsigned other_bits, part_bits;     /* of the other index: in a word, and those that its place tells */
    unsigned threads, tile;             /* of a block, and the entries that it places */
    const wl__kernel *kernels;          /* that count, and place: in the first pass, others, the last */
    uint64_t tiles, segment;            /* all, and those that are counted before any of them is placed */
    uint64_t chunks;                    /* of a segment */
};

static unsigned bits_of(uint64_t count) {
    return count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 0;
}

uint64_t wl__sort_wide = (uint64_t)6 << 20;
uint64_t wl__sort_segment = (uint64_t)4096 * WL_SORT_TILE_BYTES(512, WL_SORT_BITS);

/* How a block sorts, and what a device's shared memory has room for. */
struct room {
    unsigned threads, each; /* of a block, and entries of a thread */
    unsigned bits;          /* of a digit */
    unsigned most;          /* of a first digit that saves words of 8 bytes */
};

/* Narrow blocks are those for any device, and for 2^32 entries and more (sort.cu). */
static struct room room_of(unsigned capability, uint64_t entries) {
#define FITS(threads, each, bits, kib)                                                                       \
    _Static_assert(WL_SORT_SHARED(threads, each, 8, bits, 16) <= (kib)*1024, "a block may have this much")
    FITS(512, 32, WL_SORT_BITS, 227);
    FITS(256, 16, 11, 99);
    FITS(256, 16, 10, 64);
#undef FITS
    if (capability >= 90 && capability < 120 && entries >= wl__sort_wide && entries >> 32 == 0)
        return (struct room){.threads = 512, .each = 32, .bits = 11, .most = WL_SORT_BITS};
    const unsigned bits = capability >= 80 ? 11 : 10;
    return (struct room){.threads = 256, .each = 16, .bits = bits, .most = bits};
}

/* Makes words of 4 bytes of a plan of two or three passes, if they do.  A word has room for the digits still
 * to come and for the other index if an entry's place tells at least so many bits: those of the first digit,
 * and if rows have pointers, some of the row's highest ones.  A longer first digit costs less than words of 8
 * bytes.  Before the third pass the place tells two digits, and the word has all of the row. */
static void shorten(struct plan *plan, const struct room *room, unsigned bits, bool has_pointers) {
    const unsigned least = bits + plan->other_bits > 32 ? bits + plan->other_bits - 32 : 0,
                   most = bits - WL_SORT_LEAST < room->most ? bits - WL_SORT_LEAST : room->most;
    unsigned first = plan->bits[0];
    if (plan->passes == 2)
        first = least < first ? first : least < most ? least : most;
    const unsigned parts = least > first ? least - first : 0;
    if (parts > (has_pointers ? WL_SORT_TAG - first : 0))
        return;
    if (plan->passes == 2)
        plan->bits[1] = bits - first;
    else if (plan->passes > 3 || first + plan->bits[1] > WL_SORT_TAG || plan->bits[2] + plan->other_bits > 32)
        return;
    plan->word = 4;
    plan->bits[0] = first;
    plan->part_bits = parts;
    plan->other_bits -= parts;
}

static struct plan plan_of(const wl_context *context, const struct wl__sort *sort) {
#define KERNELS(name, middle)                                                                                \
    {                                                                                                        \
        WL_KERNEL_##name##_count, WL_KERNEL_##name##_first, WL_KERNEL_##name##_##middle,                     \
            WL_KERNEL_##name##_later                                                                         \
    }
    static const wl__kernel narrow[2][4] = {KERNELS(sort4, middle), KERNELS(sort8, later)},
                            wide[2][4] = {KERNELS(sort_wide4, middle), KERNELS(sort_wide8, later)};
#undef KERNELS
    const struct room room = room_of(context->capability, sort->entries);
    const unsigned bits = bits_of(sort->keys) > WL_SORT_LEAST ? bits_of(sort->keys) : WL_SORT_LEAST;
    struct plan plan = {.passes = (bits + room.bits - 1) / room.bits, .other_bits = bits_of(sort->rows)};
    unsigned left = bits;
    for (unsigned i = 0; i < plan.passes; i++) {
        plan.bits[i] = (left + plan.passes - i - 1) / (plan.passes - i);
        left -= plan.bits[i];
    }
    const bool is_short = sort->entries >> 32 == 0;
    plan.word = plan.passes == 1 && is_short ? 4 : 8;
    if (plan.passes > 1 && is_short)
        shorten(&plan, &room, bits, sort->has_pointers);
    plan.threads = room.threads;
    plan.kernels = (room.threads == 512 ? wide : narrow)[plan.word == 8];
    plan.tile = WL_SORT_TILE(room.threads, room.each);
    plan.tiles = wl__divide_up(sort->entries, plan.tile);
    const uint64_t most = wl__sort_segment / WL_SORT_TILE_BYTES(room.threads, plan.bits[0]);
    plan.segment = most >= plan.tiles ? plan.tiles : most ? most : 1;
    plan.chunks = wl__divide_up(plan.segment, WL_SORT_CHUNK);
    return plan;
}

/* ---------------------------------------------------------------- the workspace */

/* The parts of the workspace, as offsets. */
struct parts {
    uint64_t words[2], values, counts, chunks, bins, starts[2], before, firsts, part_rows, end;
};

static uint64_t bins_bytes(const struct plan *plan) {
    return ((uint64_t)8 << plan->bits[0]) + 8;
}

/* Whether all tiles are one segment. */
static bool is_whole(const struct plan *plan) {
    return plan->segment == plan->tiles;
}

/* Whether the output's indices have room for words.  Every second pass before the last one may write there.
 */
static bool output_has_room(const struct plan *plan, const struct wl__sort *sort) {
    return plan->word <= sort->index_bytes;
}

/* Where a pass writes: words of two passes that follow each other are apart, and those that the last pass
 * reads are not in the output. */
static wl_devptr written_by(const struct plan *plan, const struct parts *parts, const struct wl__sort *sort,
                            unsigned pass) {
    const unsigned later = plan->passes - 1 - pass;
    if (later == 0 || (later % 2 == 0 && output_has_room(plan, sort)))
        return sort->to_others;
    const unsigned in = (later + 1) % 2;
    return sort->has_room ? sort->room_words + in * sort->entries * plan->word
                          : sort->workspace + parts->words[in];
}

/* Into how many parts, as bits, a pass's bins are parted for the next one: by rows, or by the first pass's
 * bins. */
static unsigned parts_after(const struct plan *plan, unsigned pass) {
    return pass == 0                                           ? plan->part_bits
           : pass == 1 && plan->passes == 3 && plan->word == 4 ? plan->bits[0]
                                                               : 0;
}

/* What lies between two passes, in the workspace or in the room that the caller has for it: bytes of an
 * entry. */
struct between {
    unsigned words[2], value;
};

static struct between between_of(const struct plan *plan, const struct wl__sort *sort) {
    return (struct between){{plan->passes > 1 ? plan->word : 0,
                             plan->passes > 2 && !output_has_room(plan, sort) ? plan->word : 0},
                            plan->passes > 1 ? sort->width : 0};
}

uint64_t wl__sort_between(const wl_context *context, const struct wl__sort *sort) {
    const struct plan plan = plan_of(context, sort);
    const struct between between = between_of(&plan, sort);
    return sort->entries * (between.words[0] + between.words[1] + between.value);
}

/* Nothing overflows: there are at most WL__MOST_ENTRIES. */
static struct parts parts_of(const struct plan *plan, const struct wl__sort *sort) {
    struct parts parts;
    const struct between between = between_of(plan, sort);
    const uint64_t entries = sort->has_room ? 0 : sort->entries, tables = (uint64_t)1 << plan->bits[0];
    parts.end = 0;
    wl__sort_place(&parts.words[0], &parts.end, entries * between.words[0]);
    wl__sort_place(&parts.words[1], &parts.end, entries * between.words[1]);
    wl__sort_place(&parts.values, &parts.end, entries * between.value);
    wl__sort_place(&parts.counts, &parts.end, plan->segment * 4 * tables);
    wl__sort_place(&parts.chunks, &parts.end, plan->chunks * 8 * tables);
    wl__sort_place(&parts.bins, &parts.end, plan->passes * bins_bytes(plan));
    for (unsigned i = 0; i < 2; i++)
        wl__sort_place(
            &parts.starts[i], &parts.end,
            parts_after(plan, i) ? 8 * (((uint64_t)1 << (plan->bits[i] + parts_after(plan, i))) + 1) : 0);
    wl__sort_place(&parts.before, &parts.end, is_whole(plan) ? 0 : 8 * tables);
    wl__sort_place(&parts.part_rows, &parts.end, (plan->segment * (plan->threads / 32) + 1) * 4);
    wl__sort_place(&parts.firsts, &parts.end, 8 * (sort->keys / WL_SORT_STARTS + 1));
    return parts;
}

uint64_t wl__sort_workspace(const wl_context *context, const struct wl__sort *sort) {
    const struct plan plan = plan_of(context, sort);
    return parts_of(&plan, sort).end;
}

/* ---------------------------------------------------------------- launches */

wl_error wl__sort_launch(wl_context *context, wl__kernel kernel, uint64_t blocks, uint32_t threads,
                         uint32_t shared, void *parameters, wl_stream stream) {
    void *arguments[] = {parameters};
    return wl__launch_shared(context, kernel, (uint32_t)blocks, 1, (struct wl__block){threads, 1}, shared,
                             arguments, stream);
}

static uint32_t shared_of(const struct plan *plan, unsigned bits, unsigned width) {
    return WL_SORT_SHARED(plan->threads, plan->tile / plan->threads, plan->word, bits, width);
}

/* Several segments: counts the digits of all passes, and notes where each pass's bins begin. */
static wl_error add_totals(wl_context *context, const struct plan *plan, const struct wl__sort *sort,
                           wl_devptr failed, wl_devptr bins, wl_stream stream) {
    _Static_assert(WL__MOST_ENTRIES / WL_SORT_SHARES + WL_SORT_TOTAL < UINT32_MAX, "a block adds in 32 bits");
    struct wl_sort_totals totals = {.failed = failed,
                                    .keys = sort->from_keys,
                                    .bins = bins,
                                    .bins_bytes = bins_bytes(plan),
                                    .entries = sort->entries,
                                    .index_bytes = sort->index_bytes,
                                    .passes = plan->passes};
    for (unsigned i = 0, shift = 0; i < plan->passes; shift += plan->bits[i++]) {
        totals.bits |= plan->bits[i] << 8 * i;
        totals.shifts |= shift << 8 * i;
    }
    const uint64_t most = wl__divide_up(sort->entries, WL_SORT_TOTAL * WL_SORT_READS),
                   shares = most < WL_SORT_SHARES ? most : WL_SORT_SHARES;
    wl_error error = wl_fill(context, bins, 0, plan->passes * totals.bins_bytes, stream);
    if (!error)
        error = wl__sort_launch(context, WL_KERNEL_sort_totals, shares * plan->passes, WL_SORT_THREADS, 0,
                                &totals, stream);
    for (unsigned i = 0; i < plan->passes && !error; i++) {
        /* More tiles than in a chunk: so sort_bins adds up what stands in its bins. */
        struct wl_sort_sums sums = {.failed = failed,
                                    .bins = bins + i * totals.bins_bytes,
                                    .tiles = WL_SORT_CHUNK + 1,
                                    .bits = plan->bits[i]};
        error = wl__sort_launch(context, WL_KERNEL_sort_bins, 1, 1024, 0, &sums, stream);
    }
    return error;
}

/* Notes where the bins' parts begin, of those that begin in this segment. */
static wl_error note_parts(wl_context *context, const struct plan *plan, const struct wl_sort_pass *pass,
                           uint64_t tiles, wl_devptr starts, wl_stream stream) {
    const unsigned bytes = pass->first ? pass->index_bytes : plan->word,
                   part_bits = parts_after(plan, pass->first ? 0 : 1);
    struct wl_sort_parts parts = {.failed = pass->failed,
                                  .counts = pass->counts,
                                  .chunks = pass->chunks,
                                  .bins = pass->bins,
                                  .rows = pass->rows,
                                  .keys = pass->from - pass->begin * bytes,
                                  .entries = pass->entries,
                                  .begin = pass->begin,
                                  .tiles = tiles,
                                  .starts = starts,
                                  .index_bytes = bytes,
                                  .tile = (uint32_t)plan->tile,
                                  .bits = pass->bits,
                                  .shift = pass->first ? 0 : pass->other_bits,
                                  .part_bits = part_bits,
                                  .row_shift = pass->first ? pass->other_bits : pass->part_bits};
    return wl__sort_launch(context, WL_KERNEL_sort_parts, (uint64_t)1 << part_bits, WL_SORT_THREADS, 0,
                           &parts, stream);
}

/* Counts a pass's digits in the segment that begins with the tile `first`, adds the counts up, and puts the
 * entries in their places.  before: 0, or of several segments the counts of each bin in those before. starts:
 * 0, or where it is noted where the bins' parts begin.  A grid has few more blocks than a segment has tiles
 * or bins. */
static wl_error run_segment(wl_context *context, const struct plan *plan, const struct wl_sort_pass *pass,
                            uint64_t first, wl_devptr before, wl_devptr starts, wl_stream stream) {
    const uint64_t left = plan->tiles - first, tiles = left < plan->segment ? left : plan->segment,
                   chunks = wl__divide_up(tiles, WL_SORT_CHUNK);
    struct wl_sort_pass p = *pass;
    const uint64_t begin = first * plan->tile, parts_end = pass->begin + begin + tiles * plan->tile + 1;
    p.begin += begin;
    p.left -= begin;
    p.from += begin * (pass->first ? pass->index_bytes : plan->word);
    p.from_values += begin * pass->width;
    p.others += pass->others ? begin * pass->index_bytes : 0;
    struct wl_sort_sums sums = {.failed = pass->failed,
                                .counts = pass->counts,
                                .chunks = pass->chunks,
                                .bins = before ? before : pass->bins,
                                .part_rows = pass->part_rows,
                                .rows = pass->rows,
                                .begin = p.begin,
                                /* The last part looks for the row of the one that follows. */
                                .end = parts_end < pass->entries ? parts_end : pass->entries,
                                .tiles = tiles,
                                .bits = pass->bits,
                                .part = plan->tile / (plan->threads / 32),
                                .later = first > 0};
    const uint64_t bins = (uint64_t)1 << pass->bits, adders = wl__divide_up(bins, WL_SORT_THREADS),
                   rows = pass->rows.array
                              ? wl__divide_up(wl__divide_up(sums.end - p.begin, sums.part), WL_SORT_THREADS)
                              : 0;
    wl_error error = wl__sort_launch(context, plan->kernels[0], tiles, plan->threads,
                                     WL_SORT_COUNT_BYTES(pass->bits), &p, stream);
    if (!error)
        error = wl__sort_launch(context, WL_KERNEL_sort_tiles, chunks * adders + rows, WL_SORT_THREADS, 0,
                                &sums, stream);
    if (!error && (before || chunks > 1))
        error =
            wl__sort_launch(context, WL_KERNEL_sort_chunks, wl__divide_up(bins, 32), 1024, 0, &sums, stream);
    if (!error && !before)
        error = wl__sort_launch(context, WL_KERNEL_sort_bins, 1, 1024, 0, &sums, stream);
    if (!error && starts)
        error = note_parts(context, plan, &p, tiles, starts, stream);
    if (!error)
        error = wl__sort_launch(context,
                                plan->kernels[pass->first  ? 1
                                              : pass->last ? 3
                                                           : 2],
                                tiles, plan->threads, shared_of(plan, pass->bits, pass->width), &p, stream);
    return error;
}

static wl_error fill_starts(wl_context *context, const struct wl__sort *sort, wl_devptr failed,
                            wl_devptr firsts, wl_stream stream) {
    struct wl_sort_starts starts = {failed,     sort->starts,  firsts,
                                    sort->keys, sort->entries, sort->index_bytes};
    const uint64_t blocks = sort->keys / WL_SORT_STARTS + 1;
    wl_error error =
        wl__sort_launch(context, WL_KERNEL_sort_firsts, blocks, WL_SORT_THREADS, 0, &starts, stream);
    if (!error && blocks > 1)
        error = wl__sort_launch(context, WL_KERNEL_sort_nexts, 1, 1024, 0, &starts, stream);
    return error ? error
                 : wl__sort_launch(context, WL_KERNEL_sort_fill, blocks, WL_SORT_THREADS, 0, &starts, stream);
}

wl_error wl__sort_run(wl_context *context, const struct wl__sort *sort, wl_devptr failed, wl_stream stream) {
    const struct plan plan = plan_of(context, sort);
    const struct parts parts = parts_of(&plan, sort);
    const wl_devptr work = sort->workspace, before = is_whole(&plan) ? 0 : work + parts.before,
                    values = sort->has_room ? sort->room_values : work + parts.values;
    wl_error error = WL_ERROR_OK;
    if (before)
        error = add_totals(context, &plan, sort, failed, work + parts.bins, stream);
    unsigned shift = 0;
    for (unsigned i = 0; i < plan.passes && !error; i++) {
        const bool first = i == 0, last = i == plan.passes - 1;
        const wl_devptr bins = work + parts.bins + i * bins_bytes(&plan);
        /* Values go to the output and to the workspace in turn, so that the last ones go to the output. */
        const bool to_output = (plan.passes - i) % 2;
        /* The place tells of words of 4 bytes the digits before: from the bins of the pass before, or their
         * parts. */
        const bool third = i == 2;
        const unsigned before_bits = first ? 0 : plan.bits[i - 1],
                       parted = first ? 0 : parts_after(&plan, i - 1),
                       other_bits = plan.other_bits + (third ? plan.part_bits : 0),
                       part_bits = third ? 0 : plan.part_bits;
        const struct wl_sort_rows lows = {.array = plan.word == 8 ? 0
                                                   : parted       ? work + parts.starts[i - 1]
                                                                  : work + parts.bins,
                                          .count = (uint64_t)1 << (before_bits + parted),
                                          .bytes = 8},
                                  rows = first ? (struct wl_sort_rows){sort->pointers, sort->rows,
                                                                       sort->index_bytes}
                                               : lows;
        const struct wl_sort_pass pass = {
            .entries = first ? sort->before + sort->entries + sort->behind : sort->entries,
            .begin = first ? sort->before : 0,
            .left = sort->entries,
            .failed = failed,
            .from = first ? sort->from_keys : written_by(&plan, &parts, sort, i - 1),
            .from_values = first       ? sort->from_values
                           : to_output ? values
                                       : sort->to_values,
            .to = written_by(&plan, &parts, sort, i),
            .to_values = to_output ? sort->to_values : values,
            .others = first ? sort->others : 0,
            .rows = rows,
            .starts = sort->starts,
            .counts = work + parts.counts,
            .chunks = work + parts.chunks,
            .bins = bins,
            .part_rows = work + parts.part_rows,
            .keys = sort->keys,
            .index_bytes = sort->index_bytes,
            .width = sort->width,
            .bits = plan.bits[i],
            .shift = shift,
            .low_bits = shift,
            .other_bits = other_bits,
            .part_bits = part_bits,
            .other_mask = other_bits < 32 ? (1u << other_bits) - 1 : UINT32_MAX,
            .part_mask = (1u << part_bits) - 1,
            .first = first,
            .last = last,
        };
        for (uint64_t tile = 0; tile < plan.tiles && !error; tile += plan.segment)
            error = run_segment(context, &plan, &pass, tile, before,
                                parts_after(&plan, i) ? work + parts.starts[i] : 0, stream);
        shift += plan.bits[i];
    }
    return error ? error : fill_starts(context, sort, failed, work + parts.firsts, stream);
}
