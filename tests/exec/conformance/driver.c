/* A CUDA driver opened as a library: the GPU's own (libcuda.so.1) or the simulator. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/exec/conformance/conformance.h"

struct driver {
    void *library;
    CUresult (*init)(unsigned);
    CUresult (*device_get)(CUdevice *, int);
    CUresult (*device_name)(char *, int, CUdevice);
    CUresult (*retain)(CUcontext *, CUdevice);
    CUresult (*release)(CUdevice);
    CUresult (*set_current)(CUcontext);
    CUresult (*synchronize)(void);
    CUresult (*load)(CUmodule *, const void *, unsigned, CUjit_option *, void **);
    CUresult (*unload)(CUmodule);
    CUresult (*function)(CUfunction *, CUmodule, const char *);
    CUresult (*alloc)(CUdeviceptr *, size_t);
    CUresult (*free)(CUdeviceptr);
    CUresult (*to_device)(CUdeviceptr, const void *, size_t);
    CUresult (*to_host)(void *, CUdeviceptr, size_t);
    CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       CUstream, void **, void **);
    CUresult (*error_text)(CUresult, const char **);
    CUdevice device;
    CUcontext context;
    CUdeviceptr in, out;
    char name[128];
    char error[2048];
};

struct driver_module {
    CUmodule module; /* has all kernels that were not refused */
};

static const struct {
    const char *name;
    size_t at;
} symbols[] = {
    {"cuInit", offsetof(struct driver, init)},
    {"cuDeviceGet", offsetof(struct driver, device_get)},
    {"cuDeviceGetName", offsetof(struct driver, device_name)},
    {"cuDevicePrimaryCtxRetain", offsetof(struct driver, retain)},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(struct driver, release)},
    {"cuCtxSetCurrent", offsetof(struct driver, set_current)},
    {"cuCtxSynchronize", offsetof(struct driver, synchronize)},
    {"cuModuleLoadDataEx", offsetof(struct driver, load)},
    {"cuModuleUnload", offsetof(struct driver, unload)},
    {"cuModuleGetFunction", offsetof(struct driver, function)},
    {"cuMemAlloc_v2", offsetof(struct driver, alloc)},
    {"cuMemFree_v2", offsetof(struct driver, free)},
    {"cuMemcpyHtoD_v2", offsetof(struct driver, to_device)},
    {"cuMemcpyDtoH_v2", offsetof(struct driver, to_host)},
    {"cuLaunchKernel", offsetof(struct driver, launch)},
    {"cuGetErrorString", offsetof(struct driver, error_text)},
};

static bool failed(struct driver *d, CUresult result, const char *what) {
    if (result == CUDA_SUCCESS)
        return false;
    const char *text = NULL;
    d->error_text(result, &text);
    snprintf(d->error, sizeof d->error, "%s: %s", what, text ? text : "unknown error");
    return true;
}

static bool start(struct driver *d) {
    return !failed(d, d->init(0), "cuInit") && !failed(d, d->device_get(&d->device, 0), "cuDeviceGet") &&
           !failed(d, d->device_name(d->name, sizeof d->name, d->device), "cuDeviceGetName") &&
           !failed(d, d->retain(&d->context, d->device), "cuDevicePrimaryCtxRetain") &&
           !failed(d, d->set_current(d->context), "cuCtxSetCurrent") &&
           !failed(d, d->alloc(&d->in, sizeof(struct operands)), "cuMemAlloc") &&
           !failed(d, d->alloc(&d->out, sizeof(struct results)), "cuMemAlloc");
}

struct driver *driver_open(const char *library, char *why, size_t why_size) {
    struct driver *d = calloc(1, sizeof *d);
    if (!d) {
        snprintf(why, why_size, "out of memory");
        return NULL;
    }
    d->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!d->library) {
        snprintf(why, why_size, "%s", dlerror());
        free(d);
        return NULL;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(d->library, symbols[i].name);
        if (!symbol) {
            snprintf(why, why_size, "%s has no %s", library, symbols[i].name);
            driver_close(d);
            return NULL;
        }
        memcpy((char *)d + symbols[i].at, &symbol, sizeof symbol);
    }
    if (!start(d)) {
        snprintf(why, why_size, "%s: %s", library, d->error);
        driver_close(d);
        return NULL;
    }
    return d;
}

void driver_close(struct driver *d) {
    if (!d)
        return;
    if (d->context) {
        d->set_current(d->context);
        if (d->in)
            d->free(d->in);
        if (d->out)
            d->free(d->out);
        d->release(d->device);
    }
    dlclose(d->library);
    free(d);
}

const char *driver_device(const struct driver *d) {
    return d->name;
}

const char *driver_error(const struct driver *d) {
    return d->error;
}

/* Compiles the cases that are not in skip; on failure d->error has the compiler's log. */
static CUmodule compile(struct driver *d, const struct case_list *list, size_t first, size_t count,
                        const bool *skip, unsigned *lines) {
    char *text = module_text(list, first, count, skip, lines);
    if (!text) {
        snprintf(d->error, sizeof d->error, "out of memory");
        return NULL;
    }
    char log[sizeof d->error] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module = NULL;
    const CUresult result = d->load(&module, text, 2, options, values);
    free(text);
    if (result == CUDA_SUCCESS)
        return module;
    failed(d, result, "cuModuleLoadDataEx");
    if (log[0])
        memcpy(d->error, log, sizeof log);
    d->error[sizeof d->error - 1] = '\0';
    return NULL;
}

/* Refuses the kernels whose lines the compiler's log names ("line 12" or "<name>:12:5: "); false if none. */
static bool refuse_named(const char *log, size_t count, const unsigned *lines, bool *refused) {
    bool any = false;
    for (const char *at = log; (at = strpbrk(at, ":l")); at++) {
        unsigned line, column;
        if (sscanf(at, "line %u", &line) != 1 && sscanf(at, ":%u:%u:", &line, &column) != 2)
            continue;
        for (size_t i = count; i-- > 0;)
            if (lines[i] <= line) {
                any |= !refused[i];
                refused[i] = true;
                break;
            }
    }
    return any;
}

struct driver_module *driver_load(struct driver *d, const struct case_list *list, size_t first, size_t count,
                                  bool *refused) {
    struct driver_module *m = calloc(1, sizeof *m);
    unsigned *lines = calloc(count, sizeof *lines);
    bool *skip = calloc(count, sizeof *skip);
    if (m && lines && skip && !failed(d, d->set_current(d->context), "cuCtxSetCurrent")) {
        while (!(m->module = compile(d, list, first, count, refused, lines)) &&
               refuse_named(d->error, count, lines, refused))
            ;
        if (!m->module) { /* the log did not help: try each alone, then the good ones together */
            for (size_t i = 0; i < count; i++) {
                memset(skip, true, count);
                skip[i] = refused[i];
                CUmodule one = skip[i] ? NULL : compile(d, list, first, count, skip, lines);
                refused[i] = !one;
                if (one)
                    d->unload(one);
            }
            m->module = compile(d, list, first, count, refused, lines);
        }
    }
    free(lines);
    free(skip);
    if (m && m->module)
        return m;
    free(m);
    return NULL;
}

void driver_unload(struct driver *d, struct driver_module *m) {
    if (!m)
        return;
    d->set_current(d->context);
    d->unload(m->module);
    free(m);
}

bool driver_run(struct driver *d, struct driver_module *m, size_t i, const struct operands *operands,
                struct results *results) {
    char name[32];
    snprintf(name, sizeof name, "k%zu", i);
    CUfunction function;
    void *arguments[] = {&d->in, &d->out};
    memset(results, 0xee, sizeof *results);
    return !failed(d, d->set_current(d->context), "cuCtxSetCurrent") &&
           !failed(d, d->function(&function, m->module, name), "cuModuleGetFunction") &&
           !failed(d, d->to_device(d->in, operands, sizeof *operands), "cuMemcpyHtoD") &&
           !failed(d, d->to_device(d->out, results, sizeof *results), "cuMemcpyHtoD") &&
           !failed(d, d->launch(function, TUPLES / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL),
                   "cuLaunchKernel") &&
           !failed(d, d->synchronize(), "cuCtxSynchronize") &&
           !failed(d, d->to_host(results, d->out, sizeof *results), "cuMemcpyDtoH");
}
