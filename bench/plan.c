#include "bench/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/nearest.h"

static const uint64_t greatest_step = (uint64_t)1
                                      << 48; /* of an offset or stride: n x stride stays in 64 bits */

/* Whether a sum of powers of two has this one. */
static bool has_unroll(unsigned known, uint64_t unroll) {
    return unroll && (unroll & (unroll - 1)) == 0 && unroll <= UINT32_MAX && (known & unroll);
}

static bool is_selected(const struct bench_request *request, const char *experiment) {
    for (size_t i = 0; i < request->experiment_count; i++)
        if (strcmp(request->experiments[i], experiment) == 0)
            return true;
    return request->experiment_count == 0;
}

static bool kernel_is_selected(const struct bench_request *request, const char *kernel) {
    for (size_t i = 0; i < request->kernels.count; i++)
        if (strcmp(request->kernels.items[i], kernel) == 0)
            return true;
    return request->kernels.count == 0;
}

static bool unknown_experiment(const char *name, struct bench_error *error) {
    size_t count;
    const struct bench_experiment *experiments = bench_experiments(&count);
    const char *names[64];
    for (size_t i = 0; i < count && i < 64; i++)
        names[i] = experiments[i].name;
    const char *near = bench_nearest(name, names, count);
    return bench_usage(error, "unknown experiment '%.80s'%s%s%s; see `wideload list`", name,
                       near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool check_experiments(const struct bench_request *request, struct bench_error *error) {
    for (size_t i = 0; i < request->experiment_count; i++)
        if (!bench_find_experiment(request->experiments[i]))
            return unknown_experiment(request->experiments[i], error);
    return true;
}

/* Each name of --kernel must be a rung of a selected experiment. */
static bool check_kernels(const struct bench_request *request, struct bench_error *error) {
    size_t count, candidates = 0;
    const struct wl_rung *ladder = bench_ladder(&count);
    const char **names = calloc(count + 1, sizeof *names);
    if (!names)
        return bench_failure(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (is_selected(request, ladder[i].experiment))
            names[candidates++] = ladder[i].name;
    bool right = true;
    for (size_t k = 0; k < request->kernels.count && right; k++) {
        const char *name = request->kernels.items[k];
        bool found = false;
        for (size_t i = 0; i < candidates; i++)
            found = found || strcmp(names[i], name) == 0;
        if (!found) {
            const char *near = bench_nearest(name, names, candidates);
            right = bench_usage(
                error, "--kernel: no kernel '%.80s' in the chosen experiments%s%s%s; see `wideload list`",
                name, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
    }
    free(names);
    return right;
}

/* `known`: the sum of the accesses a thread that the chosen kernels have. */
static bool check_unrolls(const struct bench_request *request, unsigned known, struct bench_error *error) {
    if (request->unrolls.count && !known)
        return bench_usage(error, "--unroll: each chosen kernel has its own number of accesses a thread; see "
                                  "`wideload list` for those that let it be chosen");
    for (size_t i = 0; i < request->unrolls.count; i++)
        if (!has_unroll(known, request->unrolls.items[i])) {
            char text[80];
            bench_unrolls_text(known, text, sizeof text);
            return bench_usage(error,
                               "--unroll: no chosen kernel has %" PRIu64 " accesses a thread; there are %s",
                               request->unrolls.items[i], text);
        }
    return true;
}

/* A list that no chosen row would use is a mistake worth telling. */
static bool check_lists(const struct bench_request *request, struct bench_error *error) {
    size_t count;
    const struct wl_rung *ladder = bench_ladder(&count);
    bool offset_used = false, stride_used = false, block_used = false;
    unsigned unrolls = 0;
    for (size_t i = 0; i < count; i++) {
        const struct bench_experiment *experiment = bench_find_experiment(ladder[i].experiment);
        if (!experiment || !is_selected(request, experiment->name) ||
            !kernel_is_selected(request, ladder[i].name))
            continue;
        offset_used = offset_used || experiment->has_offset;
        stride_used = stride_used || experiment->has_stride;
        block_used = block_used || (!ladder[i].fixed_block && ladder[i].block_x);
        unrolls |= ladder[i].unrolls;
    }
    if (request->offsets.count && !offset_used)
        return bench_usage(
            error, "--offset: none of the chosen experiments has an offset; read-offset and write-offset do");
    if (request->strides.count && !stride_used)
        return bench_usage(error, "--stride: none of the chosen experiments has a stride; stride does");
    if (request->blocks.count && !block_used)
        return bench_usage(error, "--block: the tile of each chosen kernel fixes its block; choose other "
                                  "kernels or leave --block out");
    if (!check_unrolls(request, unrolls, error))
        return false;
    for (size_t i = 0; i < request->offsets.count; i++)
        if (request->offsets.items[i] > greatest_step)
            return bench_usage(error, "--offset: %" PRIu64 " is beyond 2^48; give less",
                               request->offsets.items[i]);
    for (size_t i = 0; i < request->strides.count; i++)
        if (request->strides.items[i] == 0 || request->strides.items[i] > greatest_step)
            return bench_usage(error, "--stride: %" PRIu64 " is not within 1 .. 2^48",
                               request->strides.items[i]);
    return true;
}

/* The values of each parameter that a rung runs with. */
struct lists {
    struct bench_numbers offsets, strides, unrolls;
    struct bench_blocks blocks;
};

static struct lists lists_of(const struct wl_rung *rung, const struct bench_experiment *experiment,
                             const struct bench_request *request) {
    static uint64_t zero[] = {0}, one[] = {1};
    static struct bench_block own[] = {{0, 0}};
    struct lists lists = {{zero, 1}, {one, 1}, {zero, 1}, {own, 1}};
    if (experiment->has_offset)
        lists.offsets = request->offsets.count ? request->offsets : *bench_default_offsets();
    if (experiment->has_stride)
        lists.strides = request->strides.count ? request->strides : *bench_default_strides();
    if (request->unrolls.count && rung->unrolls)
        lists.unrolls = request->unrolls;
    if (request->blocks.count && !rung->fixed_block && rung->block_x)
        lists.blocks = request->blocks;
    return lists;
}

/* Rows that a rung makes at one size, at most; a list has 2^12 values, so this does not wrap. */
static uint64_t combinations(const struct lists *lists) {
    return (uint64_t)lists->blocks.count * lists->unrolls.count * lists->offsets.count * lists->strides.count;
}

/* One row for each combination of block, unroll, offset and stride that the rung knows. */
static void add_rows(struct bench_section *section, const struct wl_rung *rung, const struct lists *lists,
                     const struct wl_problem *size) {
    for (size_t b = 0; b < lists->blocks.count; b++)
        for (size_t u = 0; u < lists->unrolls.count; u++) {
            uint64_t unroll = lists->unrolls.items[u];
            if (unroll && !has_unroll(rung->unrolls, unroll))
                continue;
            for (size_t o = 0; o < lists->offsets.count; o++)
                for (size_t s = 0; s < lists->strides.count; s++) {
                    struct bench_row *row = &section->rows[section->row_count++];
                    *row =
                        (struct bench_row){.experiment = section->experiment, .rung = rung, .problem = *size};
                    row->problem.offset = lists->offsets.items[o];
                    row->problem.stride = lists->strides.items[s];
                    row->problem.unroll = (uint32_t)unroll;
                    row->problem.block_x = lists->blocks.items[b].x;
                    row->problem.block_y = lists->blocks.items[b].y;
                    row->gbps = row->pct_peak = row->pct_copy = row->gops = NAN;
                }
        }
}

static bool is_rung_of(const struct wl_rung *rung, const struct bench_experiment *experiment,
                       const struct bench_request *request) {
    return strcmp(rung->experiment, experiment->name) == 0 && kernel_is_selected(request, rung->name) &&
           bench_peer_is_chosen(rung, &request->peers);
}

/* Rows of an experiment at one size. */
static uint64_t count_rows(const struct bench_experiment *experiment, const struct bench_request *request) {
    size_t count;
    const struct wl_rung *ladder = bench_ladder(&count);
    uint64_t rows = 0;
    for (size_t i = 0; i < count; i++)
        if (is_rung_of(&ladder[i], experiment, request)) {
            struct lists lists = lists_of(&ladder[i], experiment, request);
            rows += combinations(&lists);
        }
    return rows;
}

static bool check_rows(const struct bench_request *request, struct bench_error *error) {
    size_t count;
    const struct bench_experiment *experiments = bench_experiments(&count);
    uint64_t rows = 0;
    /* Checked at each step, so that the sum does not wrap either. */
    for (size_t i = 0; i < count; i++)
        if (is_selected(request, experiments[i].name)) {
            uint64_t each = count_rows(&experiments[i], request);
            size_t sizes = request->sizes.count ? request->sizes.count : 1;
            if (each > BENCH_ROW_LIMIT || (rows += each * sizes) > BENCH_ROW_LIMIT)
                return bench_usage(error, "this sweep has more than %d rows; give shorter lists, or --kernel",
                                   BENCH_ROW_LIMIT);
        }
    return true;
}

static bool add_section(struct bench_plan *plan, const struct bench_experiment *experiment,
                        const struct bench_request *request, const struct bench_size *size,
                        struct bench_error *error) {
    struct wl_problem problem = {.stride = 1};
    if (!bench_set_size(experiment, size, &problem, error))
        return false;
    uint64_t most = count_rows(experiment, request);
    if (most == 0)
        return true;
    struct bench_section *section = &plan->sections[plan->section_count];
    section->experiment = experiment;
    section->rows = calloc(most, sizeof *section->rows);
    if (!section->rows)
        return bench_failure(error, "out of memory");
    plan->section_count++;
    size_t count;
    const struct wl_rung *ladder = bench_ladder(&count);
    for (size_t i = 0; i < count; i++)
        if (is_rung_of(&ladder[i], experiment, request)) {
            struct lists lists = lists_of(&ladder[i], experiment, request);
            add_rows(section, &ladder[i], &lists, &problem);
        }
    plan->row_count += section->row_count;
    return true;
}

static bool add_experiment(struct bench_plan *plan, const struct bench_experiment *experiment,
                           const struct bench_request *request, struct bench_error *error) {
    if (!request->sizes.count)
        return add_section(plan, experiment, request, &experiment->size, error);
    for (size_t i = 0; i < request->sizes.count; i++)
        if (!add_section(plan, experiment, request, &request->sizes.items[i], error))
            return false;
    return true;
}

bool bench_plan_make(struct bench_plan *plan, const struct bench_request *request,
                     struct bench_error *error) {
    memset(plan, 0, sizeof *plan);
    if (!check_experiments(request, error) || !check_kernels(request, error) ||
        !check_lists(request, error) || !check_rows(request, error))
        return false;
    size_t count;
    const struct bench_experiment *experiments = bench_experiments(&count);
    plan->sections =
        calloc(count * (request->sizes.count ? request->sizes.count : 1), sizeof *plan->sections);
    if (!plan->sections)
        return bench_failure(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (is_selected(request, experiments[i].name) &&
            !add_experiment(plan, &experiments[i], request, error))
            return false;
    return plan->row_count || bench_failure(error, "the ladder has no rung for this request");
}

bool bench_section_goes_on(const struct bench_plan *plan, const struct bench_section *section) {
    return section > plan->sections && section[-1].experiment == section->experiment;
}

void bench_plan_free(struct bench_plan *plan) {
    for (size_t i = 0; i < plan->section_count; i++)
        free(plan->sections[i].rows);
    free(plan->sections);
    memset(plan, 0, sizeof *plan);
}
