/* Libraries and kernels: code that belongs to no context and is loaded in each one that uses it. */
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/module/module.h"

struct CUkern_st {
    struct object object;
    CUlibrary library;
    char *name;
    size_t index; /* index among the functions of each of the library's modules */
};

struct CUlib_st {
    struct object object;
    pthread_mutex_t lock;
    struct image image;
    CUmodule modules; /* one per context; on a device one without a context until the first use there */
    struct CUkern_st *kernels;
    size_t kernel_count;
};

static void free_library(CUlibrary library) {
    for (size_t i = 0; i < library->kernel_count; i++)
        free(library->kernels[i].name);
    free(library->kernels);
    image_free(&library->image);
    pthread_mutex_destroy(&library->lock);
    free(library);
}

static void release(struct object *object) {
    CUlibrary library = (CUlibrary)object;
    for (size_t i = 0; i < library->kernel_count; i++)
        object_remove(&library->kernels[i].object);
    CUmodule module = library->modules;
    while (module) {
        CUmodule next = module->next_of_library;
        module->library = NULL;
        object_destroy(&module->object);
        module = next;
    }
    work_wait(); /* launches in flight may have found a kernel */
    free_library(library);
}

void library_forget_module(CUlibrary library, CUmodule module) {
    pthread_mutex_lock(&library->lock);
    CUmodule *link = &library->modules;
    while (*link && *link != module)
        link = &(*link)->next_of_library;
    if (*link)
        *link = module->next_of_library;
    pthread_mutex_unlock(&library->lock);
}

static void copy_attributes(CUmodule to, CUmodule from) {
    for (size_t i = 0; i < to->function_count; i++) {
        struct CUfunc_st *a = &to->functions[i], *b = &from->functions[i];
        atomic_store(&a->max_dynamic_shared, atomic_load(&b->max_dynamic_shared));
        atomic_store(&a->carveout, atomic_load(&b->carveout));
        atomic_store(&a->cluster_policy, atomic_load(&b->cluster_policy));
        atomic_store(&a->non_portable_cluster, atomic_load(&b->non_portable_cluster));
        for (int d = 0; d < 3; d++)
            atomic_store(&a->required_cluster[d], atomic_load(&b->required_cluster[d]));
    }
}

static void bind(CUmodule module, CUcontext context) {
    void (*module_release)(struct object *) = module->object.release;
    object_remove(&module->object);
    object_add(&module->object, OBJECT_MODULE, context, module_release);
    for (size_t i = 0; i < module->function_count; i++)
        module->functions[i].object.context = context;
}

/* Call with the lock held. */
static CUresult load_module(CUlibrary library, CUcontext context, CUdevice device, CUmodule alike,
                            CUmodule *out) {
    CUmodule module;
    CUresult error = module_load(context, device, &library->image, library->modules, &module);
    if (error)
        return error;
    if (alike)
        copy_attributes(module, alike);
    module->library = library;
    module->next_of_library = library->modules;
    library->modules = *out = module;
    return CUDA_SUCCESS;
}

/* The library's module in a context, loaded there if necessary; if context is NULL, any of its modules on the
 * device. */
static CUresult library_module(CUlibrary library, CUcontext context, CUdevice device, CUmodule *out) {
    CUresult error = CUDA_SUCCESS;
    CUmodule unbound = NULL, alike = NULL, module;
    pthread_mutex_lock(&library->lock);
    for (module = library->modules; module; module = module->next_of_library) {
        if (module->device != device)
            continue;
        if (!context || module->object.context == context)
            break;
        if (!module->object.context)
            unbound = module;
        alike = module;
    }
    if (!module && unbound) {
        bind(unbound, context);
        module = unbound;
    } else if (!module) {
        error = load_module(library, context, device, alike, &module);
    }
    pthread_mutex_unlock(&library->lock);
    *out = module;
    return error;
}

static CUresult add_kernels(CUlibrary library) {
    CUmodule module;
    CUresult error = library_module(library, NULL, 0, &module);
    if (error)
        return error;
    library->kernels = calloc(module->function_count + 1, sizeof *library->kernels);
    if (!library->kernels)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < module->function_count; i++) {
        struct CUkern_st *kernel = &library->kernels[i];
        kernel->name = strdup(module->functions[i].info.name);
        if (!kernel->name)
            return CUDA_ERROR_OUT_OF_MEMORY;
        kernel->library = library;
        kernel->index = i;
        object_add(&kernel->object, OBJECT_KERNEL, NULL, NULL);
        library->kernel_count++;
    }
    return CUDA_SUCCESS;
}

static CUresult create(CUlibrary *out, struct image *image) {
    CUlibrary library = calloc(1, sizeof *library);
    if (!library)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (pthread_mutex_init(&library->lock, NULL)) {
        free(library);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    library->image = *image;
    image->text = NULL;
    image->machine = (struct machine_code){0};
    object_add(&library->object, OBJECT_LIBRARY, NULL, release);
    CUresult error = add_kernels(library);
    if (error)
        object_destroy(&library->object);
    else
        *out = library;
    return error;
}

static CUresult load(CUlibrary *library, const void *code, const char *path, unsigned jit_count,
                     const CUjit_option *jit_options, void **jit_values, unsigned option_count,
                     const CUlibraryOption *options) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!library || (!code && !path) || (option_count && !options))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < option_count; i++)
        if ((unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS)
            return CUDA_ERROR_INVALID_VALUE;
    struct jit_options jit;
    error = jit_parse(jit_count, jit_options, jit_values, &jit);
    if (error)
        return error;
    struct image image;
    error = path ? image_read_file(path, &image) : image_read(code, SIZE_MAX, NULL, &image);
    if (!error)
        error = image_limit_registers(&image, jit.max_registers);
    if (!error)
        error = create(library, &image);
    image_free(&image);
    jit_report(&jit, error ? log_last_error() : NULL, 0);
    return error;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                           void **jitOptionsValues, unsigned int numJitOptions,
                           CUlibraryOption *libraryOptions, void **libraryOptionValues,
                           unsigned int numLibraryOptions) {
    (void)libraryOptionValues; /* the image is always copied */
    return load(library, code, NULL, numJitOptions, jitOptions, jitOptionsValues, numLibraryOptions,
                libraryOptions);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                               void **jitOptionsValues, unsigned int numJitOptions,
                               CUlibraryOption *libraryOptions, void **libraryOptionValues,
                               unsigned int numLibraryOptions) {
    (void)libraryOptionValues;
    return load(library, NULL, fileName, numJitOptions, jitOptions, jitOptionsValues, numLibraryOptions,
                libraryOptions);
}

static CUresult check_library(CUlibrary library) {
    CUresult error = driver_check();
    if (error)
        return error;
    return object_is(library, OBJECT_LIBRARY) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult check_kernel(CUkernel kernel) {
    CUresult error = driver_check();
    if (error)
        return error;
    return object_is(kernel, OBJECT_KERNEL) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuLibraryUnload(CUlibrary library) {
    CUresult error = check_library(library);
    if (!error)
        object_destroy(&library->object);
    return error;
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name) {
    CUresult error = check_library(library);
    if (error)
        return error;
    if (!pKernel || !name)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < library->kernel_count; i++)
        if (strcmp(library->kernels[i].name, name) == 0) {
            *pKernel = &library->kernels[i];
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (!error)
        error = check_library(library);
    if (error)
        return error;
    return pMod ? library_module(library, context, context->device, pMod) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
    CUmodule module;
    CUresult error = cuLibraryGetModule(&module, library);
    return error ? error : cuModuleGetGlobal(dptr, bytes, module, name);
}

CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
    CUdeviceptr address;
    size_t size;
    struct sim_allocation found;
    CUresult error = cuLibraryGetGlobal(&address, &size, library, name);
    if (error)
        return error;
    if (!sim_memory_find(driver.memory, address, 0, &found) || found.kind != SIM_MEMORY_MANAGED)
        return CUDA_ERROR_NOT_FOUND;
    if (!dptr && !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (dptr)
        *dptr = address;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}

static CUresult function_on(CUkernel kernel, CUcontext context, CUdevice device, CUfunction *out) {
    CUmodule module;
    CUresult error = library_module(kernel->library, context, device, &module);
    if (!error)
        *out = &module->functions[kernel->index];
    return error;
}

CUresult kernel_function(CUkernel kernel, CUcontext context, CUfunction *out) {
    return function_on(kernel, context, context->device, out);
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (!error)
        error = check_kernel(kernel);
    if (error)
        return error;
    return pFunc ? kernel_function(kernel, context, pFunc) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
    CUresult error = check_kernel(kernel);
    if (!error)
        error = driver_check_device(dev);
    if (error)
        return error;
    CUfunction function;
    error = pi ? function_on(kernel, NULL, dev, &function) : CUDA_ERROR_INVALID_VALUE;
    return error ? error : function_get_attribute(function, attrib, pi);
}

/* Applies to every context of the device. */
CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
    CUmodule module;
    CUresult error = check_kernel(kernel);
    if (!error)
        error = driver_check_device(dev);
    if (!error)
        error = library_module(kernel->library, NULL, dev, &module); /* which stores it */
    if (error)
        return error;
    pthread_mutex_lock(&kernel->library->lock);
    for (module = kernel->library->modules; module && !error; module = module->next_of_library)
        if (module->device == dev)
            error = function_set_attribute(&module->functions[kernel->index], attrib, val);
    pthread_mutex_unlock(&kernel->library->lock);
    return error;
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
    CUresult error = check_kernel(kernel);
    if (!error)
        error = driver_check_device(dev);
    if (error)
        return error;
    return (unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12030
CUresult cuKernelGetName(const char **name, CUkernel hfunc) {
    CUresult error = check_kernel(hfunc);
    if (error)
        return error;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = hfunc->name;
    return CUDA_SUCCESS;
}
#endif

#if CUDA_VERSION >= 12040
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
    CUfunction function;
    CUresult error = check_kernel(kernel);
    if (!error)
        error = function_on(kernel, NULL, 0, &function);
    if (error)
        return error;
    if (!paramOffset || paramIndex >= function->info.param_count)
        return CUDA_ERROR_INVALID_VALUE;
    *paramOffset = function->info.params[paramIndex].offset;
    if (paramSize)
        *paramSize = function->info.params[paramIndex].size;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib) {
    CUresult error = check_library(lib);
    if (error)
        return error;
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = (unsigned)lib->kernel_count;
    return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib) {
    CUresult error = check_library(lib);
    if (error)
        return error;
    if (!kernels || !numKernels)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < numKernels && i < lib->kernel_count; i++)
        kernels[i] = &lib->kernels[i];
    return CUDA_SUCCESS;
}
#endif

#if CUDA_VERSION >= 12050
CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel) {
    CUresult error = check_kernel(kernel);
    if (error)
        return error;
    if (!pLib)
        return CUDA_ERROR_INVALID_VALUE;
    *pLib = kernel->library;
    return CUDA_SUCCESS;
}
#endif
