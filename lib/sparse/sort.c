#include "lib/sparse/sort.h"

#include "lib/arguments.h"
#include "lib/divide.h"
#include "lib/launch.h"
#include "lib/sparse/sort_parameters.h"

enum { MOST_PASSES = 4, ALIGNMENT = 256 };

/* How a matrix is sorted. */
struct plan {
    unsigned passes, bits[MOST_PASSES]; /* of each pass's digit, the lowest first */
    unsigned word;                      /* bytes of an entry between two passes */
    unsigned other_bits;
    unsigned threads;
    const wl__kernel *kernels; /* that count, and place in the first pass and in others */
    uint64_t tiles, chunks;
};

static unsigned bits_of(uint64_t count) {
    return count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 0;
}

static struct plan plan_of(const wl_context *context, const struct wl__sort *sort) {
#define KERNELS(name)                                                                                        \
    { WL_KERNEL_##name##_count, WL_KERNEL_##name##_first, WL_KERNEL_##name##_later }
    static const wl__kernel narrow[2][3] = {KERNELS(sort4), KERNELS(sort8)},
                            wide[2][3] = {KERNELS(sort_wide4), KERNELS(sort_wide8)};
#undef KERNELS
    /* Devices of 9.0 to 11.0, and 8.0 and 8.7, have the shared memory for large tiles. */
    const unsigned capability = context->capability;
    const bool is_wide = capability == 80 || capability == 87 || (capability >= 90 && capability < 120);
    const unsigned most = is_wide ? 11 : 10, bits = bits_of(sort->keys);
    struct plan plan = {.passes = bits ? (bits + most - 1) / most : 1, .other_bits = bits_of(sort->rows)};
    unsigned left = bits;
    for (unsigned i = 0; i < plan.passes; i++) {
        plan.bits[i] = (left + plan.passes - i - 1) / (plan.passes - i);
        left -= plan.bits[i];
    }
    /* A longer first digit costs less than words of 8 bytes. */
    while (is_wide && plan.passes == 2 && plan.bits[0] < WL_SORT_BITS &&
           plan.bits[1] + plan.other_bits > 32) {
        plan.bits[0]++;
        plan.bits[1]--;
    }
    plan.word = plan.passes == 1 || (plan.passes == 2 && plan.bits[1] + plan.other_bits <= 32) ? 4 : 8;
    plan.threads = is_wide ? 512 : 256;
    plan.kernels = (is_wide ? wide : narrow)[plan.word == 8];
    plan.tiles = wl__divide_up(sort->entries, plan.threads * WL_SORT_EACH);
    plan.chunks = wl__divide_up(plan.tiles, WL_SORT_CHUNK);
    return plan;
}

static unsigned most_bits(const struct plan *plan) {
    return plan->bits[0]; /* the first digit is the longest */
}

/* ---------------------------------------------------------------- the workspace */

/* The parts of the workspace, as offsets. */
struct parts {
    uint64_t words[2], values, counts, chunks, bins, firsts, end;
};

static uint64_t bins_bytes(const struct plan *plan) {
    return ((uint64_t)8 << most_bits(plan)) + 8;
}

static void place(uint64_t *part, uint64_t *end, uint64_t bytes) {
    *part = *end;
    *end = wl__add(*end, wl__add(bytes, ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static struct parts parts_of(const struct plan *plan, const struct wl__sort *sort) {
    struct parts parts;
    const uint64_t words = wl__multiply(sort->entries, plan->word), tables = (uint64_t)1 << most_bits(plan);
    parts.end = 0;
    place(&parts.words[0], &parts.end, plan->passes > 1 ? words : 0);
    place(&parts.words[1], &parts.end, plan->passes > 2 ? words : 0);
    place(&parts.values, &parts.end, plan->passes > 1 ? wl__multiply(sort->entries, sort->width) : 0);
    place(&parts.counts, &parts.end, wl__multiply(plan->tiles, 4 * tables));
    place(&parts.chunks, &parts.end, wl__multiply(plan->chunks, 8 * tables));
    place(&parts.bins, &parts.end, plan->passes * bins_bytes(plan));
    place(&parts.firsts, &parts.end, 8 * (sort->keys / WL_SORT_STARTS + 1));
    return parts;
}

uint64_t wl__sort_workspace(const wl_context *context, const struct wl__sort *sort) {
    const struct plan plan = plan_of(context, sort);
    return parts_of(&plan, sort).end;
}

/* ---------------------------------------------------------------- launches */

static wl_error launch(wl_context *context, wl__kernel kernel, uint64_t blocks, uint32_t threads,
                       uint32_t shared, void *parameters, wl_stream stream) {
    void *arguments[] = {parameters};
    return wl__launch_shared(context, kernel, (uint32_t)blocks, 1, (struct wl__block){threads, 1}, shared,
                             arguments, stream);
}

static uint32_t shared_of(const struct plan *plan, unsigned bits) {
    return WL_SORT_SHARED(plan->threads, plan->word, bits);
}

/* Counts a pass's digits, adds the counts up, and puts the entries in their places. */
static wl_error run_pass(wl_context *context, const struct plan *plan, const struct wl_sort_pass *pass,
                         wl_stream stream) {
    struct wl_sort_pass p = *pass;
    struct wl_sort_sums sums = {pass->counts, pass->chunks, pass->bins, plan->tiles, pass->bits};
    const uint64_t parts = wl__divide_up((uint64_t)1 << pass->bits, WL_SORT_THREADS);
    wl_error error =
        launch(context, plan->kernels[0], plan->tiles, plan->threads, 4u << pass->bits, &p, stream);
    if (!error)
        error =
            launch(context, WL_KERNEL_sort_tiles, plan->chunks * parts, WL_SORT_THREADS, 0, &sums, stream);
    if (!error)
        error = launch(context, WL_KERNEL_sort_chunks, wl__divide_up((uint64_t)1 << pass->bits, 32), 1024, 0,
                       &sums, stream);
    if (!error)
        error = launch(context, WL_KERNEL_sort_bins, 1, 1024, 0, &sums, stream);
    if (!error)
        error = launch(context, plan->kernels[pass->first ? 1 : 2], plan->tiles, plan->threads,
                       shared_of(plan, pass->bits), &p, stream);
    return error;
}

static wl_error fill_starts(wl_context *context, const struct wl__sort *sort, wl_devptr firsts,
                            wl_stream stream) {
    struct wl_sort_starts starts = {sort->starts, firsts, sort->keys, sort->entries, sort->index_bytes};
    const uint64_t blocks = sort->keys / WL_SORT_STARTS + 1;
    wl_error error = launch(context, WL_KERNEL_sort_firsts, blocks, WL_SORT_THREADS, 0, &starts, stream);
    return error ? error : launch(context, WL_KERNEL_sort_fill, blocks, WL_SORT_THREADS, 0, &starts, stream);
}

wl_error wl__sort_run(wl_context *context, const struct wl__sort *sort, wl_stream stream) {
    const struct plan plan = plan_of(context, sort);
    const struct parts parts = parts_of(&plan, sort);
    const wl_devptr work = sort->workspace;
    wl_error error = wl_fill(context, sort->starts, 0xff, (sort->keys + 1) * sort->index_bytes, stream);
    unsigned shift = 0;
    for (unsigned i = 0; i < plan.passes && !error; i++) {
        const bool first = i == 0, last = i == plan.passes - 1;
        const wl_devptr bins = work + parts.bins + i * bins_bytes(&plan);
        /* Values go to the output and to the workspace in turn, so that the last ones go to the output. */
        const bool to_output = (plan.passes - i) % 2;
        const struct wl_sort_pass pass = {
            .entries = sort->entries,
            .from = first ? sort->from_keys : work + parts.words[(i + 1) % 2],
            .from_values = first       ? sort->from_values
                           : to_output ? work + parts.values
                                       : sort->to_values,
            .to = last ? sort->to_others : work + parts.words[i % 2],
            .to_values = to_output ? sort->to_values : work + parts.values,
            .pointers = first ? sort->pointers : 0,
            .others = first ? sort->others : 0,
            .starts = sort->starts,
            .counts = work + parts.counts,
            .chunks = work + parts.chunks,
            .bins = bins,
            .low_bins = plan.word == 4 && !first ? work + parts.bins : 0,
            .rows = sort->rows,
            .keys = sort->keys,
            .index_bytes = sort->index_bytes,
            .width = sort->width,
            .bits = plan.bits[i],
            .shift = shift,
            .low_bits = plan.bits[0],
            .other_bits = plan.other_bits,
            .first = first,
            .last = last,
        };
        error = run_pass(context, &plan, &pass, stream);
        shift += plan.bits[i];
    }
    return error ? error : fill_starts(context, sort, work + parts.firsts, stream);
}
