#include "bench/variant.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct bench_variants bench_variants_of(const struct bench_experiment *experiment,
                                        const struct bench_request *request, const struct bench_size *size,
                                        struct bench_own_variant *own) {
    static uint64_t none[] = {0};
    static struct bench_field_choice no_fields[] = {{0}};
    static struct bench_order no_order[] = {{0}};
    static struct bench_matrix no_matrix[1];
    struct bench_variants variants = {{none, 1}, {none, 1}, {no_fields, 1}, {no_order, 1}, {no_matrix, 1}};
    if (experiment->shape == BENCH_SHAPE_SPARSE)
        variants.matrices = request->matrices.count ? request->matrices : *bench_default_matrices();
    if (experiment->has_width)
        variants.widths = request->widths.count ? request->widths : *bench_default_widths(experiment);
    *own = (struct bench_own_variant){size->width, size->order};
    if (own->width)
        variants.widths = (struct bench_numbers){&own->width, 1};
    if (experiment->has_type)
        variants.types = request->types.count ? request->types : *bench_default_types();
    if (experiment->has_fields)
        variants.fields = request->fields.count ? request->fields : *bench_default_fields();
    if (experiment->shape != BENCH_SHAPE_TENSOR)
        return variants;
    variants.orders = own->order.rank         ? (struct bench_orders){&own->order, 1}
                      : request->orders.count ? request->orders
                                              : *bench_default_orders();
    return variants;
}

size_t bench_variant_count(const struct bench_variants *variants) {
    return variants->widths.count * variants->types.count * variants->fields.count * variants->orders.count *
           variants->matrices.count;
}

bool bench_variant_set(const struct bench_variants *variants, size_t i, struct wl_problem *problem) {
    problem->matrix = &variants->matrices.items[i % variants->matrices.count];
    size_t rest = i / variants->matrices.count;
    const struct bench_field_choice *fields = &variants->fields.items[rest % variants->fields.count];
    rest /= variants->fields.count;
    const struct bench_order *order = &variants->orders.items[rest % variants->orders.count];
    rest /= variants->orders.count;
    size_t width = rest % variants->widths.count;
    problem->type = (enum wl_type)variants->types.items[rest / variants->widths.count];
    problem->width = (uint32_t)variants->widths.items[width];
    problem->fields = fields->count;
    problem->structure = fields->structure.count ? &fields->structure : NULL;
    problem->rank = order->rank;
    for (unsigned d = 0; d < order->rank; d++)
        problem->order[d] = order->axis[d];
    if (!problem->structure)
        return true;
    problem->width = 0;
    return width == 0;
}

/* ---------------------------------------------------------------- checks */

bool bench_variants_check(const struct bench_request *request,
                          bool (*chosen)(const struct bench_request *, const char *experiment),
                          struct base_error *error) {
    size_t count;
    const struct bench_experiment *experiments = bench_experiments(&count);
    bool width = false, type = false, fields = false, order = false, shift = false, matrix = false;
    bool gpus = false;
    for (size_t i = 0; i < count; i++) {
        if (!chosen(request, experiments[i].name))
            continue;
        width = width || experiments[i].has_width;
        type = type || experiments[i].has_type;
        fields = fields || experiments[i].has_fields;
        order = order || experiments[i].shape == BENCH_SHAPE_TENSOR;
        shift = shift || experiments[i].has_shift;
        matrix = matrix || experiments[i].shape == BENCH_SHAPE_SPARSE;
        gpus = gpus || experiments[i].has_gpus;
    }
    const struct {
        const char *option;
        size_t given;
        bool used;
        const char *by;
    } lists[] = {
        {"--width", request->widths.count, width, "transpose-any, deinterleave, permute and the like do"},
        {"--type", request->types.count, type, "add-any does"},
        {"--fields", request->fields.count, fields, "deinterleave and interleave do"},
        {"--order", request->orders.count, order, "permute does"},
        {"--matrix", request->matrices.count, matrix, "csr-transpose does"},
        {"--from-shift", request->from_shifts.count, shift, "copy-any and add-any do"},
        {"--to-shift", request->to_shifts.count, shift, "copy-any and add-any do"},
        {"--gpus", request->gpus, gpus, "redistribute does"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].given && !lists[i].used)
            return base_usage(error, "%s: none of the chosen experiments has one; %s", lists[i].option,
                              lists[i].by);
    for (size_t i = 0; i < request->widths.count; i++)
        if (!bench_is_width("--width", request->widths.items[i], error))
            return false;
    return true;
}

/* ---------------------------------------------------------------- words */

void bench_fields_text(const struct wl_problem *problem, char *out, size_t out_size) {
    if (problem->structure)
        snprintf(out, out_size, "%s", problem->structure->text);
    else
        snprintf(out, out_size, "%" PRIu32, problem->fields);
}

void bench_order_text(const struct wl_problem *problem, char *out, size_t out_size) {
    for (uint32_t i = 0; i < problem->rank && i + 1 < out_size; i++)
        out[i] = (char)('0' + problem->order[i]);
    out[problem->rank < out_size ? problem->rank : out_size - 1] = '\0';
}

void bench_variant_text(const struct bench_experiment *experiment, const struct wl_problem *problem,
                        char *out, size_t out_size) {
    char value[80];
    size_t at = 0;
    out[0] = '\0';
    if (experiment->shape == BENCH_SHAPE_TENSOR) {
        bench_order_text(problem, value, sizeof value);
        at += (size_t)snprintf(out + at, out_size - at, "order %s", value);
    }
    if (experiment->has_type)
        at += (size_t)snprintf(out + at, out_size - at, "%stype %s", at ? ", " : "",
                               bench_type_name(problem->type));
    if (experiment->has_fields) {
        bench_fields_text(problem, value, sizeof value);
        at += (size_t)snprintf(out + at, out_size - at, "%sfields %s", at ? ", " : "", value);
    }
    if (experiment->shape == BENCH_SHAPE_SPARSE) {
        bench_matrix_text(problem->matrix, value, sizeof value);
        at += (size_t)snprintf(out + at, out_size - at, "matrix %s", value);
    }
    if (experiment->has_width && problem->width)
        at += (size_t)snprintf(out + at, out_size - at, "%swidth %" PRIu32, at ? ", " : "", problem->width);
    if (experiment->has_gpus)
        snprintf(out + at, out_size - at, "%sgpus %u", at ? ", " : "", problem->gpus);
}
