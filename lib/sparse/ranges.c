#include "lib/sparse/ranges.h"

#include "lib/divide.h"
#include "lib/launch.h"
#include "lib/sparse/ranges_parameters.h"
#include "lib/sparse/sort_parameters.h"

/* A matrix is tried if its rows and columns have so many entries in the mean. */
enum { ROW_MEAN_MOST = 64, COLUMN_MEAN_MOST = 32 };
/* Groups that are looked at first. */
enum { SAMPLE = 128 };

uint64_t wl__ranges_least = (uint64_t)4 << 20;

/* The most columns whose entries, in the mean, take nine tenths of a block's room. */
static unsigned bits_of_range(const struct wl__sort *sort) {
    unsigned bits = WL_RANGES_BITS;
    while (bits > WL_RANGES_LEAST && sort->entries << bits > sort->keys * (WL_RANGE_ENTRIES * 9 / 10))
        bits--;
    return bits;
}

static uint64_t ranges_of(const struct wl__sort *sort) {
    return wl__divide_up(sort->keys, (uint64_t)1 << bits_of_range(sort));
}

/* Whether the ranges' lists have room for all groups.  Else rows are many beside entries, and the survey
 * reads the starts of all. */
static bool lists_have_room(const struct wl__sort *sort) {
    return sort->rows <= ranges_of(sort) * WL_RANGE_GROUPS * WL_GROUP;
}

bool wl__ranges_suit(const wl_context *context, const struct wl__sort *sort) {
    return sort->has_pointers && context->capability >= 80 && sort->entries >= wl__ranges_least &&
           sort->entries >> 32 == 0 && sort->entries >= sort->keys &&
           sort->entries / COLUMN_MEAN_MOST <= sort->keys && sort->entries / ROW_MEAN_MOST <= sort->rows &&
           ranges_of(sort) > 1 && ranges_of(sort) <= (uint64_t)1 << 16 && lists_have_room(sort);
}

/* Bits of the sum over ranges, which sort_bins makes. */
static unsigned sum_bits(uint64_t ranges) {
    const unsigned bits = 64 - (unsigned)__builtin_clzll(ranges - 1);
    return bits > WL_SORT_LEAST ? bits : WL_SORT_LEAST;
}

/* The workspace: whether it failed; entries of each range, groups of each, and the lists of groups. */
struct places {
    uint64_t entries_of, groups_of, groups, end;
};

static struct places places_of(uint64_t ranges) {
    struct places places = {.entries_of = WL__SORT_ALIGNMENT};
    places.groups_of = places.entries_of + 8 * (((uint64_t)1 << sum_bits(ranges)) + 1);
    places.groups = places.groups_of + 8 * wl__divide_up(ranges, 2);
    places.end = places.groups + 8 * ranges * WL_RANGE_GROUPS;
    return places;
}

uint64_t wl__ranges_workspace(const struct wl__sort *sort) {
    return places_of(ranges_of(sort)).end;
}

_Static_assert(WL_RANGE_SHARED(WL_RANGES_BITS) <= 99 * 1024, "a block may have this much from 8.0 on");

/* A hundred groups or two come first.  Most matrices that are not fit are known by them, and then the others
 * are not read: for a uniform matrix of 2^24 entries that takes 16 us in place of 130. */
static wl_error survey(wl_context *context, wl__kernel kernel, struct wl_ranges *p, wl_stream stream) {
    const uint64_t groups = wl__divide_up(p->rows, WL_GROUP), apart[2] = {wl__divide_up(groups, SAMPLE), 1};
    wl_error error = WL_ERROR_OK;
    for (unsigned i = apart[0] == 1; i < 2 && !error; i++) {
        p->step = apart[i];
        error = wl__sort_launch(context, kernel,
                                wl__divide_up(wl__divide_up(groups, p->step), WL_SURVEY_THREADS / 32),
                                WL_SURVEY_THREADS, 0, p, stream);
    }
    return error;
}

/* As many blocks as run at once share the ranges out. */
static wl_error place(wl_context *context, wl__kernel kernel, struct wl_ranges *p, uint64_t ranges,
                      wl_stream stream) {
    const uint32_t shared = WL_RANGE_SHARED(p->bits);
    uint64_t blocks;
    wl_error error = wl__blocks_at_once(context, kernel, WL_RANGE_THREADS, shared, &blocks);
    if (error)
        return error;
    return wl__sort_launch(context, kernel, blocks && blocks < ranges ? blocks : ranges, WL_RANGE_THREADS,
                           shared, p, stream);
}

wl_error wl__ranges_run(wl_context *context, const struct wl__sort *sort, wl_devptr workspace,
                        wl_stream stream) {
#define KERNELS(name)                                                                                        \
    { WL_KERNEL_##name##_survey, WL_KERNEL_##name##_place, WL_KERNEL_##name##_clear }
    static const wl__kernel kernels[2][3] = {KERNELS(ranges4), KERNELS(ranges8)};
#undef KERNELS
    const wl__kernel *of = kernels[sort->index_bytes == 8];
    const uint64_t ranges = ranges_of(sort);
    const struct places places = places_of(ranges);
    struct wl_ranges p = {.pointers = sort->pointers,
                          .indices = sort->from_keys,
                          .values = sort->from_values,
                          .starts = sort->starts,
                          .to_indices = sort->to_others,
                          .to_values = sort->to_values,
                          .failed = workspace,
                          .entries_of = workspace + places.entries_of,
                          .groups_of = workspace + places.groups_of,
                          .groups = workspace + places.groups,
                          .rows = sort->rows,
                          .cols = sort->keys,
                          .entries = sort->entries,
                          .bits = bits_of_range(sort),
                          .width = sort->width};
    /* More tiles than in a chunk: so sort_bins adds up what stands in its bins. */
    struct wl_sort_sums sums = {.bins = p.entries_of, .tiles = WL_SORT_CHUNK + 1, .bits = sum_bits(ranges)};
    wl_error error = wl_fill(context, workspace, 0, places.groups, stream);
    if (!error)
        error = survey(context, of[0], &p, stream);
    if (!error)
        error = wl__sort_launch(context, WL_KERNEL_sort_bins, 1, 1024, 0, &sums, stream);
    if (!error)
        error = place(context, of[1], &p, ranges, stream);
    if (!error)
        error = wl__sort_launch(context, of[2], sort->keys / WL_SORT_STARTS + 1, WL_SURVEY_THREADS, 0, &p,
                                stream);
    return error;
}
