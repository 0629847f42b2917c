/* cuTENSOR 2: permutation of a tensor's modes, here of a matrix's two. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/peers/library.h"

typedef struct cutensor_object *cutensor_object; /* handles, descriptors, plans: each a pointer */
enum { R_32F = 0, OP_IDENTITY = 1, ALGO_DEFAULT = -1, JIT_NONE = 0, ALIGNMENT = 128 };

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
    const cutensor_object *compute_f32; /* a variable of the library */
    cutensor_object handle, plan;
    uint64_t rows, cols; /* the plan's */
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
           peer_find(library, "CUTENSOR_COMPUTE_DESC_32F", &cutensor.compute_f32, why);
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

/* Extents from the fastest on, as cuTENSOR counts where no strides are given. */
static wl_error make_plan(uint64_t rows, uint64_t cols) {
    enum { ROW = 'r', COL = 'c' };
    const int64_t in_extents[] = {(int64_t)cols, (int64_t)rows};
    const int64_t out_extents[] = {(int64_t)rows, (int64_t)cols};
    const int32_t in_modes[] = {COL, ROW}, out_modes[] = {ROW, COL};
    cutensor_object in = NULL, out = NULL, operation = NULL, preference = NULL;
    wl_error error =
        peer_check(cutensor.create_tensor(cutensor.handle, &in, 2, in_extents, NULL, R_32F, ALIGNMENT),
                   "cutensorCreateTensorDescriptor");
    if (!error)
        error =
            peer_check(cutensor.create_tensor(cutensor.handle, &out, 2, out_extents, NULL, R_32F, ALIGNMENT),
                       "cutensorCreateTensorDescriptor");
    if (!error)
        error = peer_check(cutensor.create_permutation(cutensor.handle, &operation, in, in_modes, OP_IDENTITY,
                                                       out, out_modes, *cutensor.compute_f32),
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
    cutensor.rows = rows;
    cutensor.cols = cols;
    return error;
}

/* The plan of a size is made when it is verified, so before it is timed. */
static wl_error transpose(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    const float alpha = 1;
    if (problem->rows == 0 || problem->cols == 0)
        return WL_ERROR_OK;
    wl_error error = wl__enter(context);
    if (error)
        return error;
    if (cutensor.rows != problem->rows || cutensor.cols != problem->cols)
        drop_plan();
    if (!cutensor.plan)
        error = make_plan(problem->rows, problem->cols);
    if (!error)
        error = peer_check(cutensor.permute(cutensor.handle, cutensor.plan, &alpha,
                                            (const void *)(uintptr_t)problem->in[0],
                                            (void *)(uintptr_t)problem->out[0], stream),
                           "cutensorPermute");
    wl__leave(context);
    return error;
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
};

const struct peer_library peer_cutensor = {"cuTENSOR",   "cutensor",   rungs, sizeof rungs / sizeof *rungs,
                                           open_library, close_library};
