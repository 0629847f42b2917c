/* Modules: loads them and looks up their contents. */
#include "sim/cuda/module/module.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/cuda/module/architecture.h"
#include "sim/cuda/module/device_runtime.h"

void module_unload(CUmodule module) {
    for (size_t i = 0; i < module->function_count; i++) {
        object_remove(&module->functions[i].object);
        free(module->functions[i].legacy);
    }
    if (module->library)
        library_forget_module(module->library, module);
    work_wait(); /* new launches cannot find its functions; launches in flight may use them */
    sim_module_unload(module->sim);
    free(module->functions);
    free(module);
}

static void release(struct object *object) {
    module_unload((CUmodule)object);
}

static CUresult add_functions(CUmodule module, CUcontext context, const struct image *image) {
    size_t count = 0;
    while (sim_module_function_at(module->sim, count))
        count++;
    module->functions = calloc(count + 1, sizeof *module->functions);
    if (!module->functions)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        struct CUfunc_st *function = &module->functions[i];
        function->module = module;
        function->sim = sim_module_function_at(module->sim, i);
        sim_function_info(function->sim, &function->info);
        unsigned registers = machine_registers(&image->machine, function->info.name);
        function->registers_known = registers != 0;
        if (registers)
            function->info.registers = registers;
        atomic_store(&function->carveout, -1);
        object_add(&function->object, OBJECT_FUNCTION, context, NULL);
    }
    module->function_count = count;
    return CUDA_SUCCESS;
}

/* Rejects what a driver's compiler would.  If a GPU would run machine code, any plain PTX replaces it. */
static bool takes_target(const struct image *image, const char *target, unsigned capability) {
    struct architecture wanted;
    if (!architecture_parse(target, strlen(target), &wanted) || architecture_takes_ptx(wanted, capability) ||
        (image->compiled_for && wanted.kind == ARCHITECTURE_PLAIN))
        return true;
    log_error("%s: a device of compute capability %u.%u does not take PTX whose target is %s: compile with "
              "-arch=compute_75, or choose another device (WIDELOAD_ARCH)",
              image->name, capability / 10, capability % 10, target);
    return false;
}

/* Adds the device runtime's functions if the module calls one without defining it. */
static bool load_text(CUmodule other, struct sim_memory *memory, const struct image *image,
                      struct sim_module **out, struct ptx_error *why) {
    if (sim_module_load_beside(other ? other->sim : NULL, memory, image->name, image->text, image->size, out,
                               why))
        return true;
    if (!strstr(why->message, "function 'cudaCG"))
        return false;
    const struct ptx_text texts[] = {{image->name, image->text, image->size},
                                     {"device_runtime.ptx", device_runtime, strlen(device_runtime)}};
    char *linked;
    size_t size;
    if (!ptx_link(texts, 2, &linked, &size, why))
        return false;
    bool loaded =
        sim_module_load_beside(other ? other->sim : NULL, memory, image->name, linked, size, out, why);
    free(linked);
    return loaded;
}

CUresult module_load(CUcontext context, CUdevice device, const struct image *image, CUmodule other,
                     CUmodule *out) {
    CUmodule module = calloc(1, sizeof *module);
    if (!module)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct ptx_error why = {0};
    if (!load_text(other, sim_memory_of(driver.memory, (unsigned)device), image, &module->sim, &why)) {
        free(module);
        log_error("%s", why.text);
        return strncmp(why.message, "out of memory", 13) == 0 ? CUDA_ERROR_OUT_OF_MEMORY
                                                              : CUDA_ERROR_INVALID_PTX;
    }
    unsigned capability = count_rules_capability(atomic_load(&driver.rules));
    module->device = device;
    module->compiled_for = image->compiled_for ? image->compiled_for : capability;
    CUresult error = CUDA_ERROR_INVALID_PTX;
    if (takes_target(image, sim_module_target(module->sim), capability))
        error = add_functions(module, context, image);
    if (error) {
        sim_module_unload(module->sim);
        free(module);
        return error;
    }
    object_add(&module->object, OBJECT_MODULE, context, release);
    *out = module;
    return CUDA_SUCCESS;
}

CUresult module_find_function(CUmodule module, const char *name, CUfunction *out) {
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].info.name, name) == 0) {
            *out = &module->functions[i];
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Exactly one of image and path is given. */
static CUresult load(CUmodule *module, const void *image, const char *path, const struct jit_options *jit) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!module || (!image && !path))
        return CUDA_ERROR_INVALID_VALUE;
    *module = NULL;
    double start = now_ms();
    struct image read;
    error = path ? image_read_file(path, &read) : image_read(image, SIZE_MAX, NULL, &read);
    if (!error && jit)
        error = image_limit_registers(&read, jit->max_registers);
    if (!error)
        error = module_load(context, context->device, &read, NULL, module);
    image_free(&read);
    if (jit)
        jit_report(jit, error ? log_last_error() : NULL, now_ms() - start);
    return error;
}

CUresult cuModuleLoad(CUmodule *module, const char *fname) {
    return load(module, NULL, fname, NULL);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    return load(module, image, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin) {
    return load(module, fatCubin, NULL, NULL);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                            CUjit_option *options, void **optionValues) {
    struct jit_options jit;
    CUresult error = jit_parse(numOptions, options, optionValues, &jit);
    return error ? error : load(module, image, NULL, &jit);
}

/* Works for a live module even after a fault in its context, so that the program can clean up. */
CUresult cuModuleUnload(CUmodule hmod) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!object_is(hmod, OBJECT_MODULE) || hmod->library)
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(&hmod->object);
    return CUDA_SUCCESS;
}

static CUresult enter(CUmodule module) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    return object_is(module, OBJECT_MODULE) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
    CUresult error = enter(hmod);
    if (error)
        return error;
    if (!hfunc || !name)
        return CUDA_ERROR_INVALID_VALUE;
    return module_find_function(hmod, name, hfunc);
}

CUresult cuModuleGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name) {
    CUresult error = enter(hmod);
    if (error)
        return error;
    if ((!dptr && !bytes) || !name)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t address;
    size_t size;
    if (!sim_module_variable(hmod->sim, name, &address, &size))
        return CUDA_ERROR_NOT_FOUND;
    if (dptr)
        *dptr = (CUdeviceptr)address;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}

/* PTX made by nvcc since CUDA 12 has no texture or surface references. */
static CUresult no_reference(const void *out, CUmodule module, const char *name) {
    CUresult error = enter(module);
    if (error)
        return error;
    return out && name ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name) {
    return no_reference(pTexRef, hmod, name);
}

CUresult cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name) {
    return no_reference(pSurfRef, hmod, name);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12040
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule mod) {
    CUresult error = enter(mod);
    if (error)
        return error;
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = (unsigned)mod->function_count;
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod) {
    CUresult error = enter(mod);
    if (error)
        return error;
    if (!functions || !numFunctions)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < numFunctions && i < mod->function_count; i++)
        functions[i] = &mod->functions[i];
    return CUDA_SUCCESS;
}
#endif
