#include "bench/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/nearest.h"

static const uint64_t greatest_step = (uint64_t)1
                                      << 48; /* of an offset or stride: n x stride stays in 64 bits */

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

/* A list that no chosen row would use is a mistake worth telling. */
static bool check_lists(const struct bench_request *request, struct bench_error *error) {
    size_t count;
    const struct wl_rung *ladder = bench_ladder(&count);
    bool offset_used = false, stride_used = false, block_used = false;
    for (size_t i = 0; i < count; i++) {
        const struct bench_experiment *experiment = bench_find_experiment(ladder[i].experiment);
        if (!experiment || !is_selected(request, experiment->name) ||
            !kernel_is_selected(request, ladder[i].name))
            continue;
        offset_used = offset_used || experiment->has_offset;
        stride_used = stride_used || experiment->has_stride;
        block_used = block_used || (!ladder[i].fixed_block && ladder[i].block_x);
    }
    if (request->offsets.count && !offset_used)
        return bench_usage(
            error, "--offset: none of the chosen experiments has an offset; read-offset and write-offset do");
    if (request->strides.count && !stride_used)
        return bench_usage(error, "--stride: none of the chosen experiments has a stride; stride does");
    if (request->blocks.count && !block_used)
        return bench_usage(error, "--block: the tile of each chosen kernel fixes its block; choose other "
                                  "kernels or leave --block out");
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

static bool add_row(struct bench_section *section, const struct bench_row *row) {
    struct bench_row *rows = realloc(section->rows, (section->row_count + 1) * sizeof *rows);
    if (!rows)
        return false;
    section->rows = rows;
    section->rows[section->row_count++] = *row;
    return true;
}

/* One row for each combination of offset, stride and block that the rung knows. */
static bool add_rung(struct bench_section *section, const struct wl_rung *rung,
                     const struct bench_request *request, const struct wl_problem *size) {
    const struct bench_experiment *experiment = section->experiment;
    static uint64_t zero[] = {0}, one[] = {1};
    static struct bench_block own[] = {{0, 0}};
    struct bench_numbers offsets = {zero, 1}, strides = {one, 1};
    struct bench_blocks blocks = {own, 1};
    if (experiment->has_offset)
        offsets = request->offsets.count ? request->offsets : *bench_default_offsets();
    if (experiment->has_stride)
        strides = request->strides.count ? request->strides : *bench_default_strides();
    if (request->blocks.count && !rung->fixed_block && rung->block_x)
        blocks = request->blocks;
    for (size_t b = 0; b < blocks.count; b++)
        for (size_t o = 0; o < offsets.count; o++)
            for (size_t s = 0; s < strides.count; s++) {
                struct bench_row row = {.experiment = experiment, .rung = rung, .problem = *size};
                row.problem.offset = offsets.items[o];
                row.problem.stride = strides.items[s];
                row.problem.block_x = blocks.items[b].x;
                row.problem.block_y = blocks.items[b].y;
                row.gbps = row.pct_peak = row.pct_copy = row.gops = NAN;
                if (!add_row(section, &row))
                    return false;
            }
    return true;
}

static bool add_section(struct bench_plan *plan, const struct bench_experiment *experiment,
                        const struct bench_request *request, struct bench_error *error) {
    struct wl_problem size = {.stride = 1};
    if (!bench_set_size(experiment, request->has_size ? &request->size : &experiment->size, &size, error))
        return false;
    struct bench_section *section = &plan->sections[plan->section_count];
    section->experiment = experiment;
    size_t count;
    const struct wl_rung *ladder = bench_ladder(&count);
    bool enough = true;
    for (size_t i = 0; i < count && enough; i++)
        if (strcmp(ladder[i].experiment, experiment->name) == 0 &&
            kernel_is_selected(request, ladder[i].name) && bench_peer_is_chosen(&ladder[i], &request->peers))
            enough = add_rung(section, &ladder[i], request, &size);
    if (section->row_count)
        plan->section_count++;
    plan->row_count += section->row_count;
    return enough || bench_failure(error, "out of memory");
}

bool bench_plan_make(struct bench_plan *plan, const struct bench_request *request,
                     struct bench_error *error) {
    memset(plan, 0, sizeof *plan);
    if (!check_experiments(request, error) || !check_kernels(request, error) || !check_lists(request, error))
        return false;
    size_t count;
    const struct bench_experiment *experiments = bench_experiments(&count);
    plan->sections = calloc(count, sizeof *plan->sections);
    if (!plan->sections)
        return bench_failure(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (is_selected(request, experiments[i].name) && !add_section(plan, &experiments[i], request, error))
            return false;
    return plan->row_count || bench_failure(error, "the ladder has no rung for this request");
}

void bench_plan_free(struct bench_plan *plan) {
    for (size_t i = 0; i < plan->section_count; i++)
        free(plan->sections[i].rows);
    free(plan->sections);
    memset(plan, 0, sizeof *plan);
}
