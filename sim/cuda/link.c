/* The linker, for one input: what it links is that input's PTX.  Several inputs would have to be linked
 * for real, which is refused. */
#include <stdlib.h>

#include "sim/cuda/module.h"

struct CUlinkState_st {
    struct object object;
    struct jit_options jit;
    struct image image; /* text is NULL until an input was added */
};

static void release(struct object *object) {
    CUlinkState state = (CUlinkState)object;
    image_free(&state->image);
    free(state);
}

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                      CUlinkState *stateOut) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    struct jit_options jit;
    error = stateOut ? jit_parse(numOptions, options, optionValues, &jit) : CUDA_ERROR_INVALID_VALUE;
    if (error)
        return error;
    CUlinkState state = calloc(1, sizeof *state);
    if (!state)
        return CUDA_ERROR_OUT_OF_MEMORY;
    state->jit = jit;
    object_add(&state->object, OBJECT_LINK, context, release);
    *stateOut = state;
    return CUDA_SUCCESS;
}

/* Loads the PTX for a moment, so that its faults are found here and not when the result is loaded. */
static CUresult check(const struct image *image) {
    CUmodule module;
    CUresult error = module_load(NULL, image, &module);
    if (!error)
        object_destroy(&module->object);
    return error;
}

static CUresult check_state(CUlinkState state) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    return object_is(state, OBJECT_LINK) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult add(CUlinkState state, CUjitInputType type, const void *data, size_t size, const char *path,
                    const char *name) {
    if ((unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error;
    struct image image = {0};
    if (state->image.text) {
        log_error("linking more than one input is not supported");
        error = CUDA_ERROR_NOT_SUPPORTED;
    } else if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) {
        log_error("the simulator links PTX, or a fat binary that holds some, only");
        error = CUDA_ERROR_NO_BINARY_FOR_GPU;
    } else {
        error =
            path ? image_read_file(path, &image) : image_read(data, size, name ? name : "link.ptx", &image);
        if (!error)
            error = check(&image);
    }
    if (error)
        image_free(&image);
    else
        state->image = image;
    jit_report(&state->jit, error ? log_last_error() : NULL, 0);
    return error;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                       unsigned int numOptions, CUjit_option *options, void **optionValues) {
    struct jit_options unused;
    CUresult error = check_state(state);
    if (!error)
        error = jit_parse(numOptions, options, optionValues, &unused);
    if (error)
        return error;
    return data && size ? add(state, type, data, size, NULL, name) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
                       CUjit_option *options, void **optionValues) {
    struct jit_options unused;
    CUresult error = check_state(state);
    if (!error)
        error = jit_parse(numOptions, options, optionValues, &unused);
    if (error)
        return error;
    return path ? add(state, type, NULL, 0, path, NULL) : CUDA_ERROR_INVALID_VALUE;
}

/* The result belongs to the state, as in CUDA. */
CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut) {
    CUresult error = check_state(state);
    if (error)
        return error;
    if (!cubinOut || !state->image.text)
        return CUDA_ERROR_INVALID_VALUE;
    *cubinOut = state->image.text;
    if (sizeOut)
        *sizeOut = state->image.size + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!object_is(state, OBJECT_LINK))
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(&state->object);
    return CUDA_SUCCESS;
}
