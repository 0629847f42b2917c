#include "bench/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/verify.h"

/* The bandwidth of the best copy kernel at a number of bytes. */
struct copy {
    uint64_t bytes;
    double gbps; /* 0: the measurement failed */
};

struct run {
    struct bench_plan *plan;
    wl_context *context;
    const struct bench_request *request;
    const struct bench_observer *observer;
    struct bench_result *result;
    struct bench_clocks *clocks;
    size_t done;
    /* From the plan's own copy experiment, and measured in addition. */
    struct copy *copies;
    size_t copy_count;
};

static void announce(struct run *run, const struct bench_row *row) {
    if (run->observer->progress)
        run->observer->progress(run->observer->argument, row, run->done, run->plan->row_count);
}

static void verify_row(struct run *run, struct bench_row *row, struct bench_workspace *workspace) {
    wl__forget_launch();
    enum bench_verdict verdict = bench_verify(workspace, row->rung, &row->problem, &row->counters,
                                              &row->has_counters, row->note, sizeof row->note);
    /* Of the rung's last kernel if it has several; none after a failure. */
    if (verdict != BENCH_RIGHT || wl__last_occupancy(run->context, &row->occupancy))
        row->occupancy = (struct wl_occupancy){0};
    row->status = verdict == BENCH_RIGHT ? BENCH_VERIFIED : BENCH_FAILED;
    /* The counters of a wrong result mean nothing. */
    row->has_counters = row->has_counters && verdict == BENCH_RIGHT;
    if (verdict == BENCH_BROKEN) {
        char name[200];
        bench_row_text(row, name, sizeof name);
        run->result->broken = true;
        snprintf(run->result->reason, sizeof run->result->reason, "the device failed at %s", name);
    }
}

static void verify_section(struct run *run, struct bench_section *section,
                           struct bench_workspace *workspace) {
    for (size_t i = 0; i < section->row_count && !run->result->broken; i++) {
        struct bench_row *row = &section->rows[i];
        announce(run, row);
        if (row->status == BENCH_PENDING)
            verify_row(run, row, workspace);
        run->done++;
    }
}

static void derive_row(const struct run *run, double copy_gbps, struct bench_row *row) {
    if (!row->has_time || !(row->time_ms.median > 0))
        return;
    row->gbps = (double)row->bytes / row->time_ms.median * 1e-6;
    if (run->plan->peak_gbps > 0 && !row->experiment->has_gpus)
        row->pct_peak = 100 * row->gbps / run->plan->peak_gbps;
    if (copy_gbps > 0)
        row->pct_copy = 100 * row->gbps / copy_gbps;
    if (row->operations)
        row->gops = (double)row->operations / row->time_ms.median * 1e-6;
}

/* The bandwidth of the section's fastest kernel, the driver's own copy excluded. */
static double best_kernel_gbps(const struct bench_section *section) {
    double best = 0;
    for (size_t i = 0; i < section->row_count; i++) {
        const struct bench_row *row = &section->rows[i];
        if (row->has_time && !row->rung->library && row->time_ms.median > 0) {
            double gbps = (double)row->bytes / row->time_ms.median * 1e-6;
            if (gbps > best)
                best = gbps;
        }
    }
    return best;
}

/* Across links, the copy that rows are compared with is the section's own. */
static double engine_gbps(const struct bench_section *section) {
    for (size_t i = 0; i < section->row_count; i++) {
        const struct bench_row *row = &section->rows[i];
        if (strcmp(row->rung->name, "copy-engine") == 0 && row->has_time && row->time_ms.median > 0)
            return (double)row->bytes / row->time_ms.median * 1e-6;
    }
    return 0;
}

static uint64_t most_bytes(const struct bench_section *section) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < section->row_count; i++)
        if (section->rows[i].bytes > bytes)
            bytes = section->rows[i].bytes;
    return bytes;
}

/* Whether copies of a and b bytes have about the same bandwidth.  Far beyond the L2 cache it does not depend
 * on the size.  Below, it rises on an H200 by 6 % from 128 MiB to 2 GiB, so it differs by less than 1 % if
 * the sizes differ by less than an eighth.  Of arrays near the cache's size and smaller ones a launch's fixed
 * time is a large part, so that bandwidth is nearly proportional to the size: it differs by 3 % at most. */
static bool copies_alike(const struct run *run, uint64_t a, uint64_t b) {
    uint64_t cache = (uint64_t)run->plan->device.l2_bytes, more = a > b ? a : b, less = a > b ? b : a;
    return less >= 16 * cache || more - less <= less / (less >= 2 * cache ? 8 : 32);
}

/* The bandwidth of the alike copy that is nearest in size; 0: there is none. */
static double copy_like(const struct run *run, uint64_t bytes) {
    const struct copy *best = NULL;
    for (size_t i = 0; i < run->copy_count; i++) {
        const struct copy *copy = &run->copies[i];
        uint64_t distance = copy->bytes > bytes ? copy->bytes - bytes : bytes - copy->bytes;
        uint64_t least = best ? best->bytes > bytes ? best->bytes - bytes : bytes - best->bytes : UINT64_MAX;
        if (copies_alike(run, bytes, copy->bytes) && distance < least)
            best = copy;
    }
    return best ? best->gbps : 0;
}

static bool note_copy(struct run *run, uint64_t bytes, double gbps, struct base_error *error) {
    struct copy *copies = realloc(run->copies, (run->copy_count + 1) * sizeof *copies);
    if (!copies)
        return base_failure(error, "out of memory");
    run->copies = copies;
    copies[run->copy_count++] = (struct copy){bytes, gbps};
    return true;
}

/* Measures the copy ladder at the section's number of bytes, without reporting it, unless an alike one was
 * measured.  After a failure there is no copy figure; the next row reports a broken device. */
static bool measure_copy(struct run *run, const struct bench_section *like, struct base_error *error) {
    uint64_t bytes = most_bytes(like);
    if (copy_like(run, bytes) > 0)
        return true;
    struct bench_size size = {.dimensions = 1, .extent = {bytes / 8}};
    const char *const copy[] = {"copy"};
    struct bench_request request = {.experiments = copy,
                                    .experiment_count = 1,
                                    .sizes = {&size, 1},
                                    .hot = run->request->hot,
                                    .graph = run->request->graph,
                                    .seed = run->request->seed,
                                    .samples = run->request->samples,
                                    .seconds = run->request->seconds};
    struct bench_plan plan;
    struct bench_workspace workspace;
    bool right = bench_plan_make(&plan, &request, error) &&
                 bench_plan_admit(&plan, run->context, &request, error) &&
                 bench_workspace_open(&workspace, run->context, &plan.sections[0].needs,
                                      &plan.sections[0].rows[0].problem, request.seed, error);
    if (right) {
        struct bench_section *section = &plan.sections[0];
        struct bench_result result = {0};
        struct bench_observer silent = {0};
        struct run inner = {.plan = &plan,
                            .context = run->context,
                            .request = &request,
                            .observer = &silent,
                            .result = &result};
        verify_section(&inner, section, &workspace);
        right = result.broken
                    ? base_failure(error, "%s", result.reason)
                    : bench_measure(&plan, run->clocks, section, &workspace, &request, NULL, NULL, error);
        if (right)
            right = note_copy(run, bytes, best_kernel_gbps(section), error);
        bench_workspace_close(&workspace);
    }
    bench_plan_free(&plan);
    return right;
}

struct timing {
    const struct run *run;
    const struct bench_section *section;
};

static void announce_timing(void *argument, size_t done, size_t total) {
    const struct timing *timing = argument;
    if (timing->run->observer->timing)
        timing->run->observer->timing(timing->run->observer->argument, timing->section, done, total);
}

static bool time_section(struct run *run, struct bench_section *section, struct bench_workspace *workspace,
                         struct base_error *error) {
    struct timing timing = {run, section};
    if (!bench_measure(run->plan, run->clocks, section, workspace, run->request, announce_timing, &timing,
                       error))
        return false;
    uint64_t bytes = most_bytes(section);
    if (strcmp(section->experiment->name, "copy") == 0 &&
        !note_copy(run, bytes, best_kernel_gbps(section), error))
        return false;
    double copy_gbps = section->experiment->has_gpus ? engine_gbps(section) : copy_like(run, bytes);
    for (size_t i = 0; i < section->row_count; i++)
        derive_row(run, copy_gbps, &section->rows[i]);
    return true;
}

static bool run_section(struct run *run, struct bench_section *section, struct base_error *error) {
    struct bench_workspace workspace;
    announce(run, &section->rows[0]);
    bool is_copy = strcmp(section->experiment->name, "copy") == 0;
    bool has_copy = is_copy || section->experiment->has_gpus;
    if (!run->plan->simulator && !has_copy && !measure_copy(run, section, error))
        return false;
    if (!bench_workspace_open(&workspace, run->context, &section->needs, &section->rows[0].problem,
                              run->request->seed, error))
        return false;
    verify_section(run, section, &workspace);
    bool right = run->result->broken || run->plan->simulator || time_section(run, section, &workspace, error);
    bench_workspace_close(&workspace);
    if (run->observer->section)
        run->observer->section(run->observer->argument, run->plan, section);
    return right;
}

static void count_statuses(const struct bench_plan *plan, struct bench_result *result) {
    for (size_t s = 0; s < plan->section_count; s++)
        for (size_t i = 0; i < plan->sections[s].row_count; i++)
            switch (plan->sections[s].rows[i].status) {
            case BENCH_VERIFIED:
                result->verified++;
                break;
            case BENCH_FAILED:
                result->failed++;
                break;
            case BENCH_SKIPPED:
                result->skipped++;
                break;
            case BENCH_PENDING:
                result->pending++;
                break;
            }
}

bool bench_run(struct bench_plan *plan, wl_context *context, const struct bench_request *request,
               const struct bench_observer *observer, struct bench_result *result, struct base_error *error) {
    memset(result, 0, sizeof *result);
    struct run run = {
        .plan = plan, .context = context, .request = request, .observer = observer, .result = result};
    bool right = true;
    run.clocks = bench_clocks_open(context);
    bench_clocks_most(run.clocks, &plan->sm_mhz_most, &plan->memory_mhz_most);
    plan->seed = request->seed;
    for (size_t s = 0; s < plan->section_count && right && !result->broken; s++)
        right = run_section(&run, &plan->sections[s], error);
    bench_clocks_close(run.clocks);
    free(run.copies);
    count_statuses(plan, result);
    if (!right) {
        result->broken = true;
        snprintf(result->reason, sizeof result->reason, "%s", error->text);
    }
    return right;
}
