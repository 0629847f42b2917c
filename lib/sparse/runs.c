#include "lib/sparse/runs.h"

#include "lib/divide.h"
#include "lib/launch.h"
#include "lib/sparse/ranges.h"
#include "lib/sparse/runs_parameters.h"

/* A run's words of two passes, of 8 bytes each, lie in the output's indices.  With five runs they take less
 * than 4 bytes per entry, whatever the alignment, from LEAST entries on.  Then there are five, and behind
 * each but the last there are as many entries as a warp has in a tile, whose row the sort looks for. */
enum { LEAST = 8192 };

uint64_t wl__runs_spare = 64;

/* What lies between two passes is more than the output's indices and values only if indices have 4 bytes and
 * words 8. Then those of a run have 8, too. */
static bool is_one_run(const wl_context *context, const struct wl__sort *sort) {
    return sort->entries < LEAST || wl__sort_between(context, sort) <=
                                        sort->entries * (sort->index_bytes + sort->width) +
                                            wl__runs_spare * (sort->keys + sort->rows + ((uint64_t)1 << 20));
}

/* The workspace, as offsets.  It begins with whether ranges of columns failed, and the rest of theirs is not
 * wanted when entries are sorted. */
struct places {
    bool is_one_run;
    uint64_t others, values, starts, sort, end; /* of all runs, and what the sort of a run needs */
};

/* The run that begins with an entry: all but its addresses. */
static struct wl__sort run_of(const struct wl__sort *sort, uint64_t begin) {
    const uint64_t most = wl__divide_up(sort->entries, WL_RUNS), left = sort->entries - begin;
    struct wl__sort run = *sort;
    run.before = begin;
    run.entries = most < left ? most : left;
    run.behind = left - run.entries;
    run.has_room = true;
    return run;
}

static struct places places_of(const wl_context *context, const struct wl__sort *sort) {
    struct places places = {.is_one_run = is_one_run(context, sort), .end = WL__SORT_ALIGNMENT};
    uint64_t most;
    if (places.is_one_run) {
        most = wl__sort_workspace(context, sort);
    } else {
        const struct wl__sort first = run_of(sort, 0), last = run_of(sort, (WL_RUNS - 1) * first.entries);
        wl__sort_place(&places.others, &places.end, sort->entries * sort->index_bytes);
        wl__sort_place(&places.values, &places.end, sort->entries * sort->width);
        wl__sort_place(&places.starts, &places.end, WL_RUNS * (sort->keys + 1) * sort->index_bytes);
        /* The last run may be shorter, and blocks of another kind need other counts. */
        const uint64_t bytes[2] = {wl__sort_workspace(context, &first), wl__sort_workspace(context, &last)};
        most = bytes[0] > bytes[1] ? bytes[0] : bytes[1];
    }
    wl__sort_place(&places.sort, &places.end, most);
    if (wl__ranges_suit(context, sort) && wl__ranges_workspace(sort) > places.end)
        places.end = wl__ranges_workspace(sort);
    return places;
}

uint64_t wl__runs_workspace(const wl_context *context, const struct wl__sort *sort) {
    return places_of(context, sort).end;
}

/* Sorts each run into the workspace, with the output as room for what lies between passes.  Then it merges
 * them. */
static wl_error sort_runs(wl_context *context, const struct wl__sort *sort, const struct places *places,
                          wl_devptr failed, wl_stream stream) {
    const wl_devptr work = sort->workspace;
    const uint64_t starts_bytes = (sort->keys + 1) * sort->index_bytes;
    struct wl_runs merge = {.failed = failed,
                            .run_starts = work + places->starts,
                            .starts = sort->starts,
                            .others = work + places->others,
                            .values = work + places->values,
                            .to_others = sort->to_others,
                            .to_values = sort->to_values,
                            .keys = sort->keys,
                            .entries = sort->entries,
                            .run = run_of(sort, 0).entries,
                            .width = sort->width};
    wl_error error = wl_fill(context, merge.run_starts, 0xff, WL_RUNS * starts_bytes, stream);
    for (uint64_t i = 0; i < WL_RUNS && !error; i++) {
        struct wl__sort run = run_of(sort, i * merge.run);
        const uint64_t indices = run.before * sort->index_bytes, values = run.before * sort->width;
        run.from_keys += indices;
        run.from_values += values;
        run.others += run.others ? indices : 0;
        run.starts = merge.run_starts + i * starts_bytes;
        run.to_others = merge.others + indices;
        run.to_values = merge.values + values;
        run.workspace = work + places->sort;
        run.room_words = wl__divide_up(sort->to_others, 8) * 8;
        run.room_values = sort->to_values;
        error = wl__sort_run(context, &run, failed, stream);
    }
    enum { BLOCK = WL_RUNS_THREADS * WL_RUNS_EACH };
    if (!error)
        error = wl__sort_launch(context, WL_KERNEL_runs_starts, sort->keys / BLOCK + 1, WL_RUNS_THREADS, 0,
                                &merge, stream);
    return error ? error
                 : wl__sort_launch(context, WL_KERNEL_runs_merge, wl__divide_up(sort->entries, BLOCK),
                                   WL_RUNS_THREADS, WL_RUNS_SHARED, &merge, stream);
}

wl_error wl__runs_sort(wl_context *context, const struct wl__sort *sort, wl_stream stream) {
    const struct places places = places_of(context, sort);
    const wl_devptr failed = wl__ranges_suit(context, sort) ? sort->workspace : 0;
    wl_error error = WL_ERROR_OK;
    if (failed)
        error = wl__ranges_run(context, sort, failed, stream);
    else if (places.is_one_run)
        error = wl_fill(context, sort->starts, 0xff, (sort->keys + 1) * sort->index_bytes, stream);
    if (error)
        return error;
    if (!places.is_one_run)
        return sort_runs(context, sort, &places, failed, stream);
    struct wl__sort all = *sort;
    all.workspace += places.sort;
    return wl__sort_run(context, &all, failed, stream);
}
