/* A stub of libcutensor.so.2: permutes a tensor's modes.  Objects are counted; if some are left when the
 * handle is destroyed, creating the next handle fails. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 8 };

struct object {
    uint32_t modes;
    size_t width;
    int64_t extent[MODES]; /* fastest mode first */
    /* For operations and plans: the output's step, in elements, for each mode of the input. */
    int64_t step[MODES];
};

extern void *const CUTENSOR_COMPUTE_DESC_32F, *const CUTENSOR_COMPUTE_DESC_64F;
size_t cutensorGetVersion(void);
int cutensorCreate(struct object **handle);
int cutensorDestroy(struct object *handle);
int cutensorCreateTensorDescriptor(struct object *handle, struct object **tensor, uint32_t modes,
                                   const int64_t *extents, const int64_t *strides, int type,
                                   uint32_t alignment);
int cutensorDestroyTensorDescriptor(struct object *tensor);
int cutensorCreatePermutation(struct object *handle, struct object **operation, struct object *a,
                              const int32_t *modes_a, int operator_a, struct object *b,
                              const int32_t *modes_b, void *compute);
int cutensorDestroyOperationDescriptor(struct object *operation);
int cutensorCreatePlanPreference(struct object *handle, struct object **preference, int algorithm, int jit);
int cutensorDestroyPlanPreference(struct object *preference);
int cutensorCreatePlan(struct object *handle, struct object **plan, struct object *operation,
                       struct object *preference, uint64_t work_limit);
int cutensorDestroyPlan(struct object *plan);
int cutensorPermute(struct object *handle, struct object *plan, const void *alpha, const void *a, void *b,
                    void *stream);

enum { SUCCESS = 0, INVALID_VALUE = 7 };

static int compute, compute_f64, objects;
void *const CUTENSOR_COMPUTE_DESC_32F = &compute, *const CUTENSOR_COMPUTE_DESC_64F = &compute_f64;

static int make(struct object **out, const struct object *like) {
    *out = calloc(1, sizeof **out);
    if (!*out)
        return INVALID_VALUE;
    if (like)
        **out = *like;
    objects++;
    return SUCCESS;
}

static int drop(struct object *object) {
    free(object);
    objects--;
    return SUCCESS;
}

size_t cutensorGetVersion(void) {
    return 20301;
}

int cutensorCreate(struct object **handle) {
    return objects ? INVALID_VALUE : make(handle, NULL);
}

int cutensorDestroy(struct object *handle) {
    return drop(handle);
}

int cutensorCreateTensorDescriptor(struct object *handle, struct object **tensor, uint32_t modes,
                                   const int64_t *extents, const int64_t *strides, int type,
                                   uint32_t alignment) {
    struct object like = {.modes = modes, .width = type == 2 ? 2 : type == 1 ? 8 : 4};
    if (!handle || modes < 1 || modes > MODES || strides || type < 0 || type > 2 || alignment > 256)
        return INVALID_VALUE;
    memcpy(like.extent, extents, modes * sizeof *extents);
    return make(tensor, &like);
}

int cutensorDestroyTensorDescriptor(struct object *tensor) {
    return drop(tensor);
}

int cutensorCreatePermutation(struct object *handle, struct object **operation, struct object *a,
                              const int32_t *modes_a, int operator_a, struct object *b,
                              const int32_t *modes_b, void *kind) {
    struct object like = *a;
    if (!handle || operator_a != 1 || kind != (a->width == 8 ? &compute_f64 : &compute) ||
        a->modes != b->modes || a->width != b->width)
        return INVALID_VALUE;
    for (uint32_t i = 0; i < a->modes; i++) {
        int64_t step = 1;
        uint32_t j = 0;
        for (; j < b->modes && modes_b[j] != modes_a[i]; j++)
            step *= b->extent[j];
        if (j == b->modes || b->extent[j] != a->extent[i])
            return INVALID_VALUE;
        like.step[i] = step;
    }
    return make(operation, &like);
}

int cutensorDestroyOperationDescriptor(struct object *operation) {
    return drop(operation);
}

int cutensorCreatePlanPreference(struct object *handle, struct object **preference, int algorithm, int jit) {
    return handle && algorithm == -1 && jit == 0 ? make(preference, NULL) : INVALID_VALUE;
}

int cutensorDestroyPlanPreference(struct object *preference) {
    return drop(preference);
}

int cutensorCreatePlan(struct object *handle, struct object **plan, struct object *operation,
                       struct object *preference, uint64_t work_limit) {
    (void)work_limit;
    return handle && preference ? make(plan, operation) : INVALID_VALUE;
}

int cutensorDestroyPlan(struct object *plan) {
    return drop(plan);
}

int cutensorPermute(struct object *handle, struct object *plan, const void *alpha, const void *a, void *b,
                    void *stream) {
    (void)stream;
    if (!handle || (plan->width == 8 ? *(const double *)alpha != 1 : *(const float *)alpha != 1))
        return INVALID_VALUE;
    int64_t at[MODES] = {0}, to = 0;
    for (const char *in = a;; in += plan->width) {
        uint32_t mode = 0;
        memcpy((char *)b + to * (int64_t)plan->width, in, plan->width);
        while (mode < plan->modes && ++at[mode] == plan->extent[mode]) {
            to -= (plan->extent[mode] - 1) * plan->step[mode];
            at[mode++] = 0;
        }
        if (mode == plan->modes)
            return SUCCESS;
        to += plan->step[mode];
    }
}
