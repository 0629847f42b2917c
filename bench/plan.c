#include "bench/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "bench/variant.h"

static const uint64_t greatest_step = (uint64_t)1
                                      << 48; /* of an offset or stride: n x stride stays in 64 bits */

/* Whether `known`, a sum of powers of two, includes `unroll`. */
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

static bool unknown_experiment(const char *name, struct base_error *error) {
    size_t count;
    const struct bench_experiment *experiments = bench_experiments(&count);
    const char *names[64];
    for (size_t i = 0; i < count && i < 64; i++)
        names[i] = experiments[i].name;
    const char *near = base_nearest(name, names, count);
    return base_usage(error, "unknown experiment '%.80s'%s%s%s; see `wideload list`", name,
                      near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool check_experiments(const struct bench_request *request, struct base_error *error) {
    for (size_t i = 0; i < request->experiment_count; i++)
        if (!bench_find_experiment(request->experiments[i]))
            return unknown_experiment(request->experiments[i], error);
    return true;
}

/* Each name of --kernel must be a rung of a selected experiment. */
static bool check_kernels(const struct bench_request *request, struct base_error *error) {
    size_t count, candidates = 0;
    const struct wl_rung *ladder = bench_ladder(&count);
    const char **names = calloc(count + 1, sizeof *names);
    if (!names)
        return base_failure(error, "out of memory");
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
            const char *near = base_nearest(name, names, candidates);
            right = base_usage(
                error, "--kernel: no kernel '%.80s' in the chosen experiments%s%s%s; see `wideload list`",
                name, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
    }
    free(names);
    return right;
}

/* `known`: the bits of all unrolls (accesses per thread) of the chosen kernels. */
static bool check_unrolls(const struct bench_request *request, unsigned known, struct base_error *error) {
    if (request->unrolls.count && !known)
        return base_usage(error,
                          "--unroll: each chosen kernel has its own number of accesses per thread; see "
                          "`wideload list` for those that let it be chosen");
    for (size_t i = 0; i < request->unrolls.count; i++)
        if (!has_unroll(known, request->unrolls.items[i])) {
            char text[80];
            bench_unrolls_text(known, text, sizeof text);
            return base_usage(error,
                              "--unroll: no chosen kernel has %" PRIu64 " accesses per thread; there are %s",
                              request->unrolls.items[i], text);
        }
    return true;
}

/* Refuses a list that no chosen row uses: it is a mistake. */
static bool check_lists(const struct bench_request *request, struct base_error *error) {
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
    if (!bench_variants_check(request, is_selected, error))
        return false;
    if (request->offsets.count && !offset_used)
        return base_usage(
            error, "--offset: none of the chosen experiments has an offset; read-offset and write-offset do");
    if (request->strides.count && !stride_used)
        return base_usage(error, "--stride: none of the chosen experiments has a stride; stride does");
    if (request->blocks.count && !block_used)
        return base_usage(error, "--block: the tile of each chosen kernel fixes its block; choose other "
                                 "kernels or leave --block out");
    if (!check_unrolls(request, unrolls, error))
        return false;
    for (size_t i = 0; i < request->offsets.count; i++)
        if (request->offsets.items[i] > greatest_step)
            return base_usage(error, "--offset: %" PRIu64 " is beyond 2^48; give less",
                              request->offsets.items[i]);
    for (size_t i = 0; i < request->strides.count; i++)
        if (request->strides.items[i] == 0 || request->strides.items[i] > greatest_step)
            return base_usage(error, "--stride: %" PRIu64 " is not within 1 .. 2^48",
                              request->strides.items[i]);
    for (size_t i = 0; i < request->from_shifts.count; i++)
        if (request->from_shifts.items[i] > greatest_step)
            return base_usage(error, "--from-shift: %" PRIu64 " is beyond 2^48; give less",
                              request->from_shifts.items[i]);
    for (size_t i = 0; i < request->to_shifts.count; i++)
        if (request->to_shifts.items[i] > greatest_step)
            return base_usage(error, "--to-shift: %" PRIu64 " is beyond 2^48; give less",
                              request->to_shifts.items[i]);
    return true;
}

/* The values of each parameter for a rung. */
struct lists {
    struct bench_numbers offsets, strides, unrolls, from_shifts, to_shifts;
    struct bench_blocks blocks;
};

static struct lists lists_of(const struct wl_rung *rung, const struct bench_experiment *experiment,
                             const struct bench_request *request) {
    static uint64_t zero[] = {0}, one[] = {1};
    static struct bench_block own[] = {{0, 0}};
    struct lists lists = {{zero, 1}, {one, 1}, {zero, 1}, {zero, 1}, {zero, 1}, {own, 1}};
    if (experiment->has_offset)
        lists.offsets = request->offsets.count ? request->offsets : *bench_default_offsets();
    if (experiment->has_stride)
        lists.strides = request->strides.count ? request->strides : *bench_default_strides();
    if (experiment->has_shift) {
        lists.from_shifts = request->from_shifts.count ? request->from_shifts : *bench_default_from_shifts();
        lists.to_shifts = request->to_shifts.count ? request->to_shifts : *bench_default_to_shifts();
    }
    if (request->unrolls.count && rung->unrolls)
        lists.unrolls = request->unrolls;
    if (request->blocks.count && !rung->fixed_block && rung->block_x)
        lists.blocks = request->blocks;
    return lists;
}

/* The number of rows of a rung at one size; saturates at UINT64_MAX. */
static uint64_t combinations(const struct lists *lists) {
    const size_t counts[] = {lists->blocks.count,  lists->unrolls.count,     lists->offsets.count,
                             lists->strides.count, lists->from_shifts.count, lists->to_shifts.count};
    uint64_t product = 1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (__builtin_mul_overflow(product, counts[i], &product))
            return UINT64_MAX;
    return product;
}

/* Adds one row for each combination of block, unroll, offset, stride and shifts of the rung. */
static void add_rows(struct bench_section *section, const struct wl_rung *rung, const struct lists *lists,
                     const struct wl_problem *size) {
    uint64_t count = combinations(lists);
    for (uint64_t i = 0; i < count; i++) {
        struct wl_problem problem = *size;
        uint64_t rest = i;
        problem.to_shift = lists->to_shifts.items[rest % lists->to_shifts.count];
        rest /= lists->to_shifts.count;
        problem.from_shift = lists->from_shifts.items[rest % lists->from_shifts.count];
        rest /= lists->from_shifts.count;
        problem.stride = lists->strides.items[rest % lists->strides.count];
        rest /= lists->strides.count;
        problem.offset = lists->offsets.items[rest % lists->offsets.count];
        rest /= lists->offsets.count;
        problem.unroll = (uint32_t)lists->unrolls.items[rest % lists->unrolls.count];
        rest /= lists->unrolls.count;
        problem.block_x = lists->blocks.items[rest].x;
        problem.block_y = lists->blocks.items[rest].y;
        if (problem.unroll && !has_unroll(rung->unrolls, problem.unroll))
            continue;
        section->rows[section->row_count++] = (struct bench_row){.experiment = section->experiment,
                                                                 .rung = rung,
                                                                 .problem = problem,
                                                                 .gbps = NAN,
                                                                 .pct_peak = NAN,
                                                                 .pct_copy = NAN,
                                                                 .gops = NAN};
    }
}

static bool is_rung_of(const struct wl_rung *rung, const struct bench_experiment *experiment,
                       const struct bench_request *request) {
    return strcmp(rung->experiment, experiment->name) == 0 && kernel_is_selected(request, rung->name) &&
           bench_peer_is_chosen(rung, &request->peers);
}

/* The number of rows of an experiment at one size and variant; stops counting above BENCH_ROW_LIMIT. */
static uint64_t count_rows(const struct bench_experiment *experiment, const struct bench_request *request) {
    size_t count;
    const struct wl_rung *ladder = bench_ladder(&count);
    uint64_t rows = 0;
    for (size_t i = 0; i < count && rows <= BENCH_ROW_LIMIT; i++)
        if (is_rung_of(&ladder[i], experiment, request)) {
            struct lists lists = lists_of(&ladder[i], experiment, request);
            uint64_t each = combinations(&lists);
            rows += each <= BENCH_ROW_LIMIT ? each : BENCH_ROW_LIMIT + 1;
        }
    return rows;
}

/* The sizes are those of --bytes or --size, else the experiment's own; bench_plan_admit() may increase it. */
static size_t count_sizes(const struct bench_request *request) {
    return request->bytes.count ? request->bytes.count : request->sizes.count ? request->sizes.count : 1;
}

static const struct bench_size *size_at(const struct bench_experiment *experiment,
                                        const struct bench_request *request, size_t i) {
    bool own = !request->sizes.count || request->bytes.count || request->sizes.items[i].text;
    return own ? &experiment->size : &request->sizes.items[i];
}

static size_t count_variants(const struct bench_experiment *experiment, const struct bench_request *request,
                             const struct bench_size *size) {
    struct bench_own_variant own;
    struct bench_variants variants = bench_variants_of(experiment, request, size, &own);
    return bench_variant_count(&variants);
}

static bool check_rows(const struct bench_request *request, struct base_error *error) {
    size_t count;
    const struct bench_experiment *experiments = bench_experiments(&count);
    uint64_t rows = 0;
    /* Checked at each step, so that the sum does not wrap either. */
    for (size_t i = 0; i < count; i++) {
        if (!is_selected(request, experiments[i].name))
            continue;
        uint64_t each = count_rows(&experiments[i], request);
        for (size_t s = 0; s < count_sizes(request) && each <= BENCH_ROW_LIMIT && rows <= BENCH_ROW_LIMIT;
             s++) {
            size_t variants = count_variants(&experiments[i], request, size_at(&experiments[i], request, s));
            rows += variants <= BENCH_ROW_LIMIT ? each * variants : BENCH_ROW_LIMIT + 1;
        }
        if (each > BENCH_ROW_LIMIT || rows > BENCH_ROW_LIMIT)
            return base_usage(error, "this sweep has more than %d rows; give shorter lists, or --kernel",
                              BENCH_ROW_LIMIT);
    }
    return true;
}

/* Sets n to as many elements as make the experiment's first rung move this many bytes. */
static bool set_bytes(const struct bench_experiment *experiment, uint64_t bytes, struct wl_problem *problem,
                      struct base_error *error) {
    size_t count;
    const struct wl_rung *ladder = bench_ladder(&count);
    if (experiment->shape != BENCH_SHAPE_ARRAY)
        return base_usage(error, "--bytes: a size of %s is more than a number of elements; give --size",
                          experiment->name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(ladder[i].experiment, experiment->name) == 0) {
            problem->n = 1;
            uint64_t each = ladder[i].bytes(problem);
            problem->n = each ? bytes / each : 0;
            return true;
        }
    return true;
}

/* The size of a matrix that stands in the request with its size; NULL: of any other. */
static const struct bench_size *own_size(const struct wl_problem *problem) {
    const struct bench_matrix *matrix = problem->matrix;
    return matrix && matrix->size.dimensions ? &matrix->size : NULL;
}

/* Adds a section with its rows, unless there are none. */
static bool fill_section(struct bench_plan *plan, const struct bench_experiment *experiment,
                         const struct bench_request *request, const struct wl_problem *problem,
                         struct base_error *error) {
    uint64_t most = count_rows(experiment, request);
    if (most == 0)
        return true;
    struct bench_section *section = &plan->sections[plan->section_count];
    section->experiment = experiment;
    section->default_size = !request->sizes.count && !request->bytes.count && !own_size(problem);
    section->rows = calloc(most, sizeof *section->rows);
    if (!section->rows)
        return base_failure(error, "out of memory");
    plan->section_count++;
    size_t count;
    const struct wl_rung *ladder = bench_ladder(&count);
    for (size_t i = 0; i < count; i++)
        if (is_rung_of(&ladder[i], experiment, request)) {
            struct lists lists = lists_of(&ladder[i], experiment, request);
            add_rows(section, &ladder[i], &lists, problem);
        }
    plan->row_count += section->row_count;
    return true;
}

/* Adds a section for each variant of the i-th size. */
static bool add_sections(struct bench_plan *plan, const struct bench_experiment *experiment,
                         const struct bench_request *request, size_t i, struct base_error *error) {
    const struct bench_size *size = size_at(experiment, request, i);
    struct bench_own_variant own;
    struct bench_variants variants = bench_variants_of(experiment, request, size, &own);
    size_t count = bench_variant_count(&variants);
    struct bench_section *sections =
        realloc(plan->sections, (plan->section_count + count) * sizeof *sections);
    if (!sections)
        return base_failure(error, "out of memory");
    plan->sections = sections;
    memset(sections + plan->section_count, 0, count * sizeof *sections);
    for (size_t v = 0; v < count; v++) {
        struct wl_problem problem = {.stride = 1};
        if (experiment->has_gpus)
            problem.gpus = request->gpus ? request->gpus : WL_DEVICES_LEAST;
        if (!bench_variant_set(&variants, v, &problem) || (i && own_size(&problem)))
            continue;
        if (experiment->has_type)
            problem.width = bench_type_bytes(problem.type);
        if (experiment->counts_bytes)
            problem.width = 1;
        bool right =
            request->bytes.count
                ? set_bytes(experiment, request->bytes.items[i], &problem, error)
                : bench_set_size(experiment, own_size(&problem) ? own_size(&problem) : size, &problem, error);
        /* Beyond this, the sum of all arrays' bytes could wrap. */
        if (right && wl__bytes_a_side(&problem) > BENCH_GREATEST_SIZE)
            right =
                base_usage(error, "--size: %s: arrays of more than 2^60 bytes; give less", experiment->name);
        if (!right || !fill_section(plan, experiment, request, &problem, error))
            return false;
    }
    return true;
}

static bool add_experiment(struct bench_plan *plan, const struct bench_experiment *experiment,
                           const struct bench_request *request, struct base_error *error) {
    for (size_t i = 0; i < count_sizes(request); i++)
        if (!add_sections(plan, experiment, request, i, error))
            return false;
    return true;
}

bool bench_plan_make(struct bench_plan *plan, const struct bench_request *request, struct base_error *error) {
    memset(plan, 0, sizeof *plan);
    if (request->bytes.count && request->sizes.count)
        return base_usage(error, "--bytes and --size: both say how many elements; give one");
    if (request->graph && !request->hot)
        return base_usage(error, "--graph: only a hot cache can be timed as a graph; give --hot as well");
    if (!check_experiments(request, error) || !check_kernels(request, error) ||
        !check_lists(request, error) || !check_rows(request, error))
        return false;
    size_t count;
    const struct bench_experiment *experiments = bench_experiments(&count);
    for (size_t i = 0; i < count; i++)
        if (is_selected(request, experiments[i].name) &&
            !add_experiment(plan, &experiments[i], request, error))
            return false;
    return plan->row_count || base_failure(error, "the ladder has no rung for this request");
}

unsigned bench_plan_gpus(const struct bench_plan *plan) {
    unsigned most = 1;
    for (size_t s = 0; s < plan->section_count; s++) {
        unsigned gpus = plan->sections[s].rows[0].problem.gpus;
        most = gpus > most ? gpus : most;
    }
    return most;
}

bool bench_section_goes_on(const struct bench_plan *plan, const struct bench_section *section) {
    return section > plan->sections && section[-1].experiment == section->experiment;
}

static bool has_variants(const struct bench_experiment *experiment) {
    return experiment->has_width || experiment->has_type;
}

static bool ends_table(const struct bench_plan *plan, const struct bench_section *section) {
    if (!has_variants(section->experiment) || section + 1 == plan->sections + plan->section_count ||
        section[1].experiment != section->experiment)
        return true;
    for (size_t i = 0; i < section->row_count; i++)
        if (section->rows[i].status == BENCH_FAILED)
            return true;
    return false;
}

size_t bench_section_table(const struct bench_plan *plan, const struct bench_section *section) {
    if (!ends_table(plan, section))
        return 0;
    size_t count = 1;
    while (section - plan->sections >= (ptrdiff_t)count && !ends_table(plan, section - count))
        count++;
    return count;
}

void bench_plan_free(struct bench_plan *plan) {
    for (size_t i = 0; i < plan->section_count; i++)
        free(plan->sections[i].rows);
    free(plan->sections);
    memset(plan, 0, sizeof *plan);
}
