/* A stand-in for libcutensor.so.2: the permutation of a matrix's two modes.  Objects are counted; what is
 * left when the handle goes is a failure of the next handle. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct object {
    int64_t extent[2];
};

extern void *const CUTENSOR_COMPUTE_DESC_32F;
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

static int compute, objects;
void *const CUTENSOR_COMPUTE_DESC_32F = &compute;

static int make(struct object **out, const int64_t *extent) {
    *out = calloc(1, sizeof **out);
    if (!*out)
        return INVALID_VALUE;
    (*out)->extent[0] = extent ? extent[0] : 0;
    (*out)->extent[1] = extent ? extent[1] : 0;
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
    if (!handle || modes != 2 || strides || type != 0 || alignment > 256)
        return INVALID_VALUE;
    return make(tensor, extents);
}

int cutensorDestroyTensorDescriptor(struct object *tensor) {
    return drop(tensor);
}

int cutensorCreatePermutation(struct object *handle, struct object **operation, struct object *a,
                              const int32_t *modes_a, int operator_a, struct object *b,
                              const int32_t *modes_b, void *kind) {
    if (!handle || operator_a != 1 || kind != &compute || modes_a[0] != modes_b[1] ||
        modes_a[1] != modes_b[0] || a->extent[0] != b->extent[1] || a->extent[1] != b->extent[0])
        return INVALID_VALUE;
    return make(operation, a->extent);
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
    return handle && preference ? make(plan, operation->extent) : INVALID_VALUE;
}

int cutensorDestroyPlan(struct object *plan) {
    return drop(plan);
}

int cutensorPermute(struct object *handle, struct object *plan, const void *alpha, const void *a, void *b,
                    void *stream) {
    const float *in = a;
    float *out = b;
    int64_t cols = plan->extent[0], rows = plan->extent[1];
    (void)stream;
    if (!handle || *(const float *)alpha != 1)
        return INVALID_VALUE;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            out[c * rows + r] = in[r * cols + c];
    return SUCCESS;
}
