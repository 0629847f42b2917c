/* The linker: its inputs contain PTX, and so does its result. */
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/extension.h"
#include "sim/cuda/module/host_object.h"
#include "sim/cuda/module/module.h"

struct CUlinkState_st {
    struct object object;
    struct jit_options jit;
    struct image *inputs;
    size_t count, capacity;
    struct image result; /* text is NULL until cuLinkComplete */
};

static void release(struct object *object) {
    CUlinkState state = (CUlinkState)object;
    for (size_t i = 0; i < state->count; i++)
        image_free(&state->inputs[i]);
    free(state->inputs);
    image_free(&state->result);
    free(state);
}

static CUresult create(CUcontext context, unsigned count, CUjit_option *options, void **values,
                       CUlinkState *stateOut) {
    struct jit_options jit;
    CUresult error = stateOut ? jit_parse(count, options, values, &jit) : CUDA_ERROR_INVALID_VALUE;
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

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                      CUlinkState *stateOut) {
    CUcontext context;
    CUresult error = context_enter(&context);
    return error ? error : create(context, numOptions, options, optionValues, stateOut);
}

int wlSimLinkCreate(unsigned max_registers, CUlinkState *stateOut) {
    CUresult error = driver_check();
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void *value = (void *)(uintptr_t)max_registers;
    return error ? error : create(NULL, 1, &option, &value, stateOut);
}

static CUresult check_state(CUlinkState state) {
    CUcontext context;
    CUresult error = driver_check();
    bool known = !error && object_is(state, OBJECT_LINK);
    if (!error && (!known || state->object.context))
        error = context_enter(&context);
    if (error)
        return error;
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult append(CUlinkState state, const struct image *image) {
    if (state->count == state->capacity) {
        size_t capacity = state->capacity ? 2 * state->capacity : 4;
        struct image *inputs = realloc(state->inputs, capacity * sizeof *inputs);
        if (!inputs)
            return CUDA_ERROR_OUT_OF_MEMORY;
        state->inputs = inputs;
        state->capacity = capacity;
    }
    state->inputs[state->count++] = *image;
    return CUDA_SUCCESS;
}

/* Finds an input's own errors, so that they are reported under its own name and line.  Symbols from other
 * inputs are not available yet, so the input is only parsed. */
static CUresult check(const struct image *image) {
    struct ptx_module *module;
    struct ptx_error why = {0};
    if (ptx_parse(image->name, image->text, image->size, &module, &why)) {
        ptx_module_free(module);
        return CUDA_SUCCESS;
    }
    log_error("%s", why.text);
    return strncmp(why.message, "out of memory", 13) == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_PTX;
}

/* Takes ownership of image_read()'s image; error is its result. */
static CUresult add_image(CUlinkState state, CUresult error, struct image *image) {
    if (!error)
        error = check(image);
    if (!error)
        error = append(state, image);
    if (error)
        image_free(image);
    return error;
}

/* The state of adding a host object or library. */
struct members {
    CUlinkState state;
    const char *name;
    bool any; /* something was added */
    CUresult error;
};

/* CUDA's device runtime, libcudadevrt.a, calls NVIDIA's driver by private names.  The simulator has its own
 * versions of the functions that it supports. */
static bool is_device_runtime(const struct image *image) {
    return strstr(image->text, "__cuda_syscall_") != NULL;
}

/* A part without PTX is skipped, as it may be unused; missing symbols are reported at the end. */
static bool add_member(void *context, const void *fatbin, size_t size) {
    struct members *members = context;
    struct image image;
    CUresult error = image_read(fatbin, size, members->name, &image);
    if (error == CUDA_ERROR_NO_BINARY_FOR_GPU)
        return true;
    if (!error && is_device_runtime(&image)) {
        image_free(&image);
        return true;
    }
    members->error = add_image(members->state, error, &image);
    members->any = true;
    return !members->error;
}

/* A library need not contain any PTX. */
static CUresult add_host_object(CUlinkState state, CUjitInputType type, const void *data, size_t size,
                                const char *name) {
    struct members members = {state, name, false, CUDA_SUCCESS};
    const char *what = name ? name : "the linker's input";
    bool walked = host_object_walk(data, size, add_member, &members);
    if (members.error)
        return members.error;
    if (!walked) {
        log_error("%s: neither an object nor a library of objects", what);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if (members.any || type == CU_JIT_INPUT_LIBRARY)
        return CUDA_SUCCESS;
    log_error("%s: it holds no PTX, which the simulator runs: compile it with "
              "-gencode arch=compute_75,code=compute_75",
              what);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static CUresult add_data(CUlinkState state, CUjitInputType type, const void *data, size_t size,
                         const char *name) {
    if (type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY)
        return add_host_object(state, type, data, size, name);
    struct image image;
    CUresult error = image_read(data, size, name, &image);
    return add_image(state, error, &image);
}

static CUresult add(CUlinkState state, CUjitInputType type, const void *data, size_t size, const char *path,
                    const char *name) {
    if ((unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error;
    void *content = NULL;
    if (state->result.text) {
        log_error("the linker has been completed: it takes no more inputs");
        error = CUDA_ERROR_INVALID_VALUE;
    } else if (type == CU_JIT_INPUT_NVVM) {
        log_error("the simulator links PTX, and what holds some, only");
        error = CUDA_ERROR_NO_BINARY_FOR_GPU;
    } else if (path) {
        const char *slash = strrchr(path, '/');
        error = image_file_read(path, &content, &size);
        if (!error)
            error = add_data(state, type, content, size, slash ? slash + 1 : path);
    } else {
        error = add_data(state, type, data, size, name);
    }
    free(content);
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

/* Links, then loads and unloads the result, so that errors appear here and not on a later load. */
static CUresult complete(CUlinkState state) {
    struct ptx_text *texts = calloc(state->count, sizeof *texts);
    if (!texts)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < state->count; i++)
        texts[i] = (struct ptx_text){state->inputs[i].name, state->inputs[i].text, state->inputs[i].size};
    struct image result = {0};
    CUmodule module;
    CUresult error = image_link(texts, state->count, &result);
    free(texts);
    if (!error)
        error = image_limit_registers(&result, state->jit.max_registers);
    if (!error)
        error = module_load(NULL, 0, &result, NULL, &module);
    if (error) {
        image_free(&result);
        return error;
    }
    object_destroy(&module->object);
    state->result = result;
    return CUDA_SUCCESS;
}

/* As in CUDA, the state owns the result. */
CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut) {
    CUresult error = check_state(state);
    if (error)
        return error;
    if (!cubinOut || !state->count)
        return CUDA_ERROR_INVALID_VALUE;
    if (!state->result.text) {
        error = complete(state);
        jit_report(&state->jit, error ? log_last_error() : NULL, 0);
        if (error)
            return error;
    }
    *cubinOut = state->result.text;
    if (sizeOut)
        *sizeOut = state->result.size + 1;
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
