/* cuTENSOR 2: permutes the modes of a matrix or a tensor. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/peers/library.h"

typedef struct cutensor_object *cutensor_object; /* handles, descriptors, plans: each a pointer */
enum { R_32F = 0, R_64F = 1, R_16F = 2, OP_IDENTITY = 1, ALGO_DEFAULT = -1, JIT_NONE = 0, ALIGNMENT = 128 };

/* The problem of a plan.  Unused elements are 0, so that memcmp() compares two problems. */
struct tensor {
    uint32_t width, rank;
    uint64_t sizes[WL_RANK_MAX]; /* sizes and order as in wl_permute() */
    unsigned order[WL_RANK_MAX];
};

/* As cutensor.h of version 2 declares them; 0 is success. */
static struct {
    size_t (*version)(void);
    int (*create)(cutensor_object *handle);
    int (*destroy)(cutensor_object handle);
    int (*create_tensor)(cutensor_object handle, cutensor_object *tensor, uint32_t modes,
                         const int64_t *extents, const int64_t *strides, int type, uint32_t alignment);
    int (*destroy_tensor)(cutensor_object tensor);
    int (*create_permutation)(cutensor_object handle, cutensor_object *operation, cutensor_object a,
                              const int32_t *modes_a, int operator_a, cutensor_object b,
                              const int32_t *modes_b, cutensor_object compute);
    int (*destroy_operation)(cutensor_object operation);
    int (*create_preference)(cutensor_object handle, cutensor_object *preference, int algorithm, int jit);
    int (*destroy_preference)(cutensor_object preference);
    int (*create_plan)(cutensor_object handle, cutensor_object *plan, cutensor_object operation,
                       cutensor_object preference, uint64_t work_limit);
    int (*destroy_plan)(cutensor_object plan);
    int (*permute)(cutensor_object handle, cutensor_object plan, const void *alpha, const void *a, void *b,
                   wl_stream stream);
    const cutensor_object *compute_f32, *compute_f64; /* variables in the library */
    cutensor_object handle, plan;
    struct tensor planned;
} cutensor;

static bool find_all(void *library, char why[200]) {
    return peer_find(library, "cutensorGetVersion", &cutensor.version, why) &&
           peer_find(library, "cutensorCreate", &cutensor.create, why) &&
           peer_find(library, "cutensorDestroy", &cutensor.destroy, why) &&
           peer_find(library, "cutensorCreateTensorDescriptor", &cutensor.create_tensor, why) &&
           peer_find(library, "cutensorDestroyTensorDescriptor", &cutensor.destroy_tensor, why) &&
           peer_find(library, "cutensorCreatePermutation", &cutensor.create_permutation, why) &&
           peer_find(library, "cutensorDestroyOperationDescriptor", &cutensor.destroy_operation, why) &&
           peer_find(library, "cutensorCreatePlanPreference", &cutensor.create_preference, why) &&
           peer_find(library, "cutensorDestroyPlanPreference", &cutensor.destroy_preference, why) &&
           peer_find(library, "cutensorCreatePlan", &cutensor.create_plan, why) &&
           peer_find(library, "cutensorDestroyPlan", &cutensor.destroy_plan, why) &&
           peer_find(library, "cutensorPermute", &cutensor.permute, why) &&
           peer_find(library, "CUTENSOR_COMPUTE_DESC_32F", &cutensor.compute_f32, why) &&
           peer_find(library, "CUTENSOR_COMPUTE_DESC_64F", &cutensor.compute_f64, why);
}

static bool open_library(char version[24], char why[200]) {
    static const char *const files[] = {"libcutensor.so.2", NULL};
    memset(&cutensor, 0, sizeof cutensor);
    void *library = peer_load(files, why);
    if (!library || !find_all(library, why))
        return false;
    int status = cutensor.create(&cutensor.handle);
    if (status) {
        snprintf(why, 200, "cutensorCreate gave status %d", status);
        return false;
    }
    size_t number = cutensor.version();
    snprintf(version, 24, "%zu.%zu.%zu", number / 10000 % 1000, number / 100 % 100, number % 100);
    return true;
}

static void drop_plan(void) {
    if (cutensor.plan)
        cutensor.destroy_plan(cutensor.plan);
    cutensor.plan = NULL;
}

static void close_library(void) {
    drop_plan();
    cutensor.destroy(cutensor.handle);
    cutensor.handle = NULL;
}

static const char *applicable(wl_context *context, const struct wl_problem *problem) {
    (void)context;
    if (problem->rows > INT64_MAX || problem->cols > INT64_MAX)
        return "cuTENSOR counts extents in 63 bits";
    return peer_absent(&peer_cutensor);
}

/* cuTENSOR computes on the elements that it moves, so they have a type: floats of 2, 4 and 8 bytes. */
static const char *any_applicable(wl_context *context, const struct wl_problem *problem) {
    if (problem->width != 2 && problem->width != 4 && problem->width != 8)
        return "cuTENSOR permutes f16, f32 and f64: elements of 2, 4 and 8 bytes";
    return applicable(context, problem);
}

static wl_error make_tensor(cutensor_object *tensor, uint32_t rank, const int64_t *extents, int type) {
    return peer_check(cutensor.create_tensor(cutensor.handle, tensor, rank, extents, NULL, type, ALIGNMENT),
                      "cutensorCreateTensorDescriptor");
}

/* Without strides, cuTENSOR takes the fastest extent first. */
static wl_error make_plan(const struct tensor *tensor) {
    int64_t in_extents[WL_RANK_MAX], out_extents[WL_RANK_MAX];
    int32_t in_modes[WL_RANK_MAX], out_modes[WL_RANK_MAX];
    cutensor_object in = NULL, out = NULL, operation = NULL, preference = NULL;
    int type = tensor->width == 2 ? R_16F : tensor->width == 4 ? R_32F : R_64F;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t mode = tensor->rank - 1 - i;
        in_modes[i] = (int32_t)mode;
        out_modes[i] = (int32_t)tensor->order[mode];
        in_extents[i] = (int64_t)tensor->sizes[in_modes[i]];
        out_extents[i] = (int64_t)tensor->sizes[out_modes[i]];
    }
    wl_error error = make_tensor(&in, tensor->rank, in_extents, type);
    if (!error)
        error = make_tensor(&out, tensor->rank, out_extents, type);
    if (!error)
        error = peer_check(cutensor.create_permutation(
                               cutensor.handle, &operation, in, in_modes, OP_IDENTITY, out, out_modes,
                               type == R_64F ? *cutensor.compute_f64 : *cutensor.compute_f32),
                           "cutensorCreatePermutation");
    if (!error)
        error = peer_check(cutensor.create_preference(cutensor.handle, &preference, ALGO_DEFAULT, JIT_NONE),
                           "cutensorCreatePlanPreference");
    if (!error)
        error = peer_check(cutensor.create_plan(cutensor.handle, &cutensor.plan, operation, preference, 0),
                           "cutensorCreatePlan");
    if (preference)
        cutensor.destroy_preference(preference);
    if (operation)
        cutensor.destroy_operation(operation);
    if (out)
        cutensor.destroy_tensor(out);
    if (in)
        cutensor.destroy_tensor(in);
    cutensor.planned = *tensor;
    return error;
}

/* Verification makes a tensor's plan, so it is not part of the timing.  Alpha has the compute type. */
static wl_error run(wl_context *context, const struct wl_problem *problem, const struct tensor *tensor,
                    wl_stream stream) {
    const float one = 1;
    const double one_f64 = 1;
    wl_error error = wl__enter(context);
    if (error)
        return error;
    if (memcmp(&cutensor.planned, tensor, sizeof *tensor) != 0)
        drop_plan();
    if (!cutensor.plan)
        error = make_plan(tensor);
    if (!error)
        error = peer_check(cutensor.permute(cutensor.handle, cutensor.plan,
                                            tensor->width == 8 ? (const void *)&one_f64 : &one,
                                            (const void *)(uintptr_t)problem->in[0],
                                            (void *)(uintptr_t)problem->out[0], stream),
                           "cutensorPermute");
    wl__leave(context);
    return error;
}

static wl_error transpose_any(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    const struct tensor tensor = {
        problem->width, 3, {problem->batch, problem->rows, problem->cols}, {0, 2, 1}};
    return problem->n ? run(context, problem, &tensor, stream) : WL_ERROR_OK;
}

static wl_error transpose(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    const struct tensor tensor = {4, 2, {problem->rows, problem->cols}, {1, 0}};
    return problem->rows && problem->cols ? run(context, problem, &tensor, stream) : WL_ERROR_OK;
}

static wl_error permute(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    struct tensor tensor = {.width = problem->width, .rank = problem->rank};
    memcpy(tensor.sizes, problem->sizes, sizeof tensor.sizes);
    memcpy(tensor.order, problem->order, sizeof tensor.order);
    return problem->n ? run(context, problem, &tensor, stream) : WL_ERROR_OK;
}

static uint64_t any_bytes(const struct wl_problem *problem) {
    return 2 * wl__bytes_a_side(problem);
}

static uint64_t bytes(const struct wl_problem *problem) {
    return 8 * problem->rows * problem->cols;
}

static const struct wl_rung rungs[] = {
    {.experiment = "transpose",
     .name = "cutensor-permute",
     .idea = "cuTENSOR: cutensorPermute, alpha 1",
     .library = "cuTENSOR",
     .reference = WL_REF_TRANSPOSE,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "2 * 4 * rows * cols",
     .bytes = bytes,
     .applicable = applicable,
     .launch = transpose},
    {.experiment = "transpose-any",
     .name = "cutensor-permute",
     .idea = "cuTENSOR: cutensorPermute of f16, f32 or f64, alpha 1",
     .library = "cuTENSOR",
     .reference = WL_REF_TRANSPOSE_ANY,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "2 * width * batch * rows * cols",
     .bytes = any_bytes,
     .applicable = any_applicable,
     .launch = transpose_any},
    {.experiment = "permute",
     .name = "cutensor-permute",
     .idea = "cuTENSOR: cutensorPermute of f16, f32 or f64, alpha 1",
     .library = "cuTENSOR",
     .reference = WL_REF_PERMUTE,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "2 * width * n",
     .bytes = any_bytes,
     .applicable = any_applicable,
     .launch = permute},
};

const struct peer_library peer_cutensor = {"cuTENSOR",   "cutensor",   rungs, sizeof rungs / sizeof *rungs,
                                           open_library, close_library};
