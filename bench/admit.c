/* Checks whether the device and the host can run a plan, and allocates nothing. */
#include "bench/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* The sum saturates instead of wrapping: that much memory is refused in any case. */
static uint64_t plus(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void widen(struct bench_extent *to, const struct bench_extent *by) {
    if (by->kind == BENCH_KIND_NONE)
        return;
    to->kind = by->kind;
    to->width = by->width;
    if (by->elements > to->elements)
        to->elements = by->elements;
}

void bench_needs_add(struct bench_needs *needs, wl_context *context, const struct wl_rung *rung,
                     const struct wl_problem *problem) {
    struct bench_extents extents = bench_extents_of(rung->reference, problem);
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        widen(&needs->extents.in[i], &extents.in[i]);
    for (unsigned i = 0; i < BENCH_OUTPUTS; i++)
        widen(&needs->extents.out[i], &extents.out[i]);
    needs->device_outputs |= rung->outputs;
    uint64_t work = rung->work_bytes ? rung->work_bytes(context, problem) : 0;
    if (work > needs->work_bytes)
        needs->work_bytes = work;
}

static uint64_t guarded(uint64_t bytes) {
    return plus(bytes, 2 * BENCH_GUARD_BYTES + 256);
}

/* Each of several devices has its share of the arrays, with guards, and its own work area. */
uint64_t bench_device_bytes(const struct bench_needs *needs, unsigned gpus) {
    uint64_t bytes = 0;
    for (unsigned r = 0; r < gpus && needs->work_bytes; r++)
        bytes = plus(bytes, guarded(needs->work_bytes));
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        if (needs->extents.in[i].kind != BENCH_KIND_NONE)
            bytes = plus(bytes, plus(4 * needs->extents.in[i].elements, gpus * guarded(0)));
    for (unsigned i = 0; i < BENCH_OUTPUTS; i++)
        if (needs->extents.out[i].kind != BENCH_KIND_NONE && needs->device_outputs >> i & 1)
            bytes = plus(bytes, plus(4 * needs->extents.out[i].elements, gpus * guarded(0)));
    return bytes;
}

uint64_t bench_host_bytes(const struct bench_needs *needs) {
    uint64_t bytes = 32 << 20; /* the buffer for downloads, and the program */
    for (unsigned i = 0; i < BENCH_INPUTS; i++) {
        bytes = plus(bytes, 4 * needs->extents.in[i].elements);
        /* Sparse results are sorted before they are compared. */
        if (needs->extents.in[i].kind == BENCH_KIND_INDEX)
            bytes = plus(bytes, 8 * needs->extents.in[i].elements);
    }
    for (unsigned i = 0; i < BENCH_OUTPUTS; i++)
        bytes = plus(bytes, 4 * needs->extents.out[i].elements);
    return bytes;
}

uint64_t bench_flush_bytes(const wl_device_info *device) {
    /* Twice the cache, so that no replacement policy keeps much.  If the driver does not report its size, a
     * size larger than any of today's caches. */
    return device->l2_bytes > 0 ? 2 * (uint64_t)device->l2_bytes : (uint64_t)256 << 20;
}

/* Bytes of the sectors that the row's accesses touch: for strided elements, more than by the formula. */
static uint64_t working_set(const struct wl_rung *rung, const struct wl_problem *problem) {
    enum { ELEMENT = 4, SECTOR = 32 };
    uint64_t bytes = rung->bytes(problem);
    /* Of several devices, each has its share of both arrays, most of which may stay there. */
    if (problem->gpus)
        return 2 * wl__bytes_a_side(problem) / problem->gpus;
    if (problem->stride <= 1)
        return bytes;
    uint64_t apart = problem->stride < SECTOR / ELEMENT ? problem->stride * ELEMENT : SECTOR;
    return bytes / (2 * ELEMENT) * (apart + ELEMENT);
}

static void section_needs(struct bench_section *section, wl_context *context) {
    memset(&section->needs, 0, sizeof section->needs);
    for (size_t i = 0; i < section->row_count; i++)
        bench_needs_add(&section->needs, context, section->rows[i].rung, &section->rows[i].problem);
}

static void bytes_text(uint64_t bytes, char out[32]) {
    static const char *const units[] = {"MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes == UINT64_MAX) {
        snprintf(out, 32, "over 2^64 bytes");
        return;
    }
    double value = (double)bytes / (1 << 20);
    size_t unit = 0;
    while (value >= 10000 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    snprintf(out, 32, "%.1f %s", value, units[unit]);
}

static bool enough_memory(const struct bench_plan *plan, const struct bench_section *section,
                          const struct bench_request *request, struct base_error *error) {
    char size[80], needed[32], there[32];
    bench_size_text(section->experiment, &section->rows[0].problem, size, sizeof size);
    unsigned gpus = section->rows[0].problem.gpus ? section->rows[0].problem.gpus : 1;
    uint64_t all = bench_device_bytes(&section->needs, gpus), device = all / gpus + (all % gpus != 0);
    if (!plan->simulator && !request->hot)
        device = plus(device, bench_flush_bytes(&plan->device));
    if (device > plan->device.free_bytes) {
        bytes_text(device, needed);
        bytes_text(plan->device.free_bytes, there);
        return base_usage(error,
                          "--size: %s at %s needs %s of device memory, %s has %s free; give a smaller size",
                          section->experiment->name, size, needed, plan->device.name, there);
    }
    uint64_t host = plus(bench_host_bytes(&section->needs), plan->simulator ? all : 0);
    uint64_t available = base_available_memory();
    if (host > available) {
        bytes_text(host, needed);
        bytes_text(available, there);
        return base_usage(error,
                          "--size: %s at %s needs %s of host memory, %s are available; give a smaller size",
                          section->experiment->name, size, needed, there);
    }
    return true;
}

static bool admit_sparse(const struct bench_plan *plan, struct bench_section *section, wl_context *context,
                         const struct bench_request *request, struct base_error *error) {
    const struct wl_problem *size = &section->rows[0].problem;
    /* First without the entries: a matrix of too many rows is refused before its entries are counted. */
    if (!enough_memory(plan, section, request, error))
        return false;
    uint64_t nnz = bench_sparse_entries(size->matrix, request->seed, size->rows, size->cols);
    char matrix[80];
    bench_matrix_text(size->matrix, matrix, sizeof matrix);
    if (nnz > UINT32_MAX)
        return base_usage(error,
                          "--size: %s counts its entries in 32 bits: %" PRIu64 " rows of %s are too many",
                          section->experiment->name, size->rows, matrix);
    for (size_t i = 0; i < section->row_count; i++)
        section->rows[i].problem.nnz = nnz;
    section_needs(section, context);
    return true;
}

static bool has_memory(struct bench_plan *plan, struct bench_section *section, wl_context *context,
                       const struct bench_request *request, struct base_error *error) {
    section_needs(section, context);
    return (section->experiment->shape != BENCH_SHAPE_SPARSE ||
            admit_sparse(plan, section, context, request, error)) &&
           enough_memory(plan, section, request, error);
}

static bool resize(struct bench_section *section, const struct bench_size *size, struct base_error *error) {
    for (size_t i = 0; i < section->row_count; i++)
        if (!bench_set_size(section->experiment, size, &section->rows[i].problem, error))
            return false;
    return true;
}

/* The smallest working set of the rows, at offset 0 and the largest default stride: the requested offsets and
 * strides may leave no work at any size. */
static uint64_t least_working_set(const struct bench_section *section) {
    const struct bench_numbers *strides = bench_default_strides();
    uint64_t least = UINT64_MAX, most_stride = strides->items[strides->count - 1];
    for (size_t i = 0; i < section->row_count; i++) {
        struct wl_problem problem = section->rows[i].problem;
        problem.offset = 0;
        if (problem.stride > most_stride)
            problem.stride = most_stride;
        uint64_t bytes = working_set(section->rows[i].rung, &problem);
        least = bytes < least ? bytes : least;
    }
    return least;
}

/* Doubles a default size until the cache holds little of it, or memory has no room for more. */
static bool suit_device(struct bench_plan *plan, struct bench_section *section, wl_context *context,
                        const struct bench_request *request, struct base_error *error) {
    uint64_t enough = 2 * bench_flush_bytes(&plan->device); /* 4 times the cache */
    struct bench_size size = section->experiment->size, next;
    for (unsigned step = 0; least_working_set(section) < enough; step++) {
        struct base_error ignored;
        next = bench_size_doubled(section->experiment, &size, step);
        if (!resize(section, &next, &ignored) || !has_memory(plan, section, context, request, &ignored))
            return resize(section, &size, error) && has_memory(plan, section, context, request, error);
        size = next;
    }
    return true;
}

static bool admit_section(struct bench_plan *plan, struct bench_section *section, wl_context *context,
                          const struct bench_request *request, struct base_error *error) {
    if (!has_memory(plan, section, context, request, error) ||
        (section->default_size && !plan->simulator && !suit_device(plan, section, context, request, error)))
        return false;
    for (size_t i = 0; i < section->row_count; i++) {
        struct bench_row *row = &section->rows[i];
        const char *reason = NULL;
        if (section->experiment->has_gpus && !plan->group)
            reason = plan->group_absent;
        else if (row->rung->applicable)
            reason = row->rung->applicable(context, &row->problem);
        row->problem.group = section->experiment->has_gpus ? plan->group : NULL;
        if (reason) {
            row->status = BENCH_SKIPPED;
            snprintf(row->note, sizeof row->note, "%s", reason);
        }
        row->bytes = row->rung->bytes(&row->problem);
        row->operations = row->rung->operations ? row->rung->operations(&row->problem) : 0;
        uint64_t l2 = plan->device.l2_bytes > 0 ? (uint64_t)plan->device.l2_bytes : 0;
        row->fits_l2 = !plan->simulator && working_set(row->rung, &row->problem) / 4 < l2;
    }
    return true;
}

bool bench_plan_admit(struct bench_plan *plan, wl_context *context, const struct bench_request *request,
                      struct base_error *error) {
    if (wl_get_device_info(context, &plan->device))
        return base_failure(error, "the device's properties cannot be read: %s", wl_message());
    plan->simulator = wl__is_simulator(context);
    plan->peak_gbps = request->peak_gbps > 0 ? request->peak_gbps : plan->device.peak_gbps;
    const struct bench_row *skipped = NULL;
    size_t runnable = 0;
    for (size_t s = 0; s < plan->section_count; s++) {
        struct bench_section *section = &plan->sections[s];
        if (!admit_section(plan, section, context, request, error))
            return false;
        for (size_t i = 0; i < section->row_count; i++)
            if (section->rows[i].status == BENCH_SKIPPED)
                skipped = &section->rows[i];
            else
                runnable++;
    }
    if (runnable == 0 && skipped) {
        char name[200];
        bench_row_text(skipped, name, sizeof name);
        return base_usage(error, "nothing to run: %s: %s", name, skipped->note);
    }
    return true;
}
