/* Registers fat binaries, kernels and variables for the program's constructors.
 *
 * As in CUDA, code is loaded when the first of its kernels or variables is needed: a program may contain more
 * than it uses, and its constructors run before main.  A kernel is identified by the address of its host
 * function, a variable by that of its host shadow.  An inline kernel of two files is registered twice under
 * one address; either works. */
#include "sim/cudart/registration.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct binary {
    const void *image; /* the wrapper made by nvcc */
    CUlibrary library; /* NULL until needed */
    cudaError_t error; /* why loading failed */
    bool managed_ready;
    struct binary *next;
};

enum symbol_kind {
    SYMBOL_KERNEL,   /* key: the host function */
    SYMBOL_VARIABLE, /* key: the host shadow */
    SYMBOL_MANAGED,  /* key: the host's pointer to it */
    SYMBOL_HANDLE,   /* key: kernel */
};

struct symbol {
    enum symbol_kind kind;
    const void *key;
    struct binary *binary; /* NULL for a handle */
    const char *name;      /* the device's name; owned by the program */
    CUkernel kernel;       /* NULL until needed */
    struct symbol *next;
};

enum { BUCKETS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct symbol *buckets[BUCKETS];
static struct binary *binaries;

void runtime_registration_unlock(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static struct symbol **bucket_of(const void *key) {
    return &buckets[((uintptr_t)key >> 4 ^ (uintptr_t)key >> 14) % BUCKETS];
}

static struct symbol *find(enum symbol_kind kind, const void *key) {
    for (struct symbol *s = *bucket_of(key); s; s = s->next)
        if (s->key == key && s->kind == kind)
            return s;
    return NULL;
}

/* Adds at the end of a bucket, so that the first symbol registered is found first. */
static struct symbol *add(enum symbol_kind kind, const void *key, struct binary *binary, const char *name) {
    struct symbol *symbol = calloc(1, sizeof *symbol);
    if (!symbol)
        return NULL;
    *symbol = (struct symbol){.kind = kind, .key = key, .binary = binary, .name = name};
    struct symbol **link = bucket_of(key);
    while (*link)
        link = &(*link)->next;
    *link = symbol;
    return symbol;
}

static void add_locked(enum symbol_kind kind, const void *key, void **handle, const char *name) {
    pthread_mutex_lock(&lock);
    if (handle && !add(kind, key, (struct binary *)handle, name))
        runtime_complain("out of memory for registering %s", name);
    pthread_mutex_unlock(&lock);
}

/* ---------------------------------------------------------------- functions for nvcc's generated code */

void **__cudaRegisterFatBinary(void *fatCubin) {
    struct binary *binary = calloc(1, sizeof *binary);
    if (!binary) {
        runtime_complain("out of memory for registering a program's kernels");
        return NULL;
    }
    binary->image = fatCubin;
    pthread_mutex_lock(&lock);
    binary->next = binaries;
    binaries = binary;
    pthread_mutex_unlock(&lock);
    return (void **)binary;
}

void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun, const char *deviceName,
                            int threadLimit, uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize) {
    (void)deviceFun, (void)threadLimit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
    add_locked(SYMBOL_KERNEL, hostFun, handle, deviceName);
}

void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName, int ext,
                       size_t size, int constant, int global) {
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    add_locked(SYMBOL_VARIABLE, hostVar, handle, deviceName);
}

void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant, int global) {
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    add_locked(SYMBOL_MANAGED, hostVarPtrAddress, handle, deviceName);
}

/* A host variable that device code of a relocatable program may name; it is not in device memory. */
void __cudaRegisterHostVar(void **handle, const char *deviceName, char *hostVar, size_t size) {
    (void)handle, (void)hostVar, (void)size;
    runtime_note("the host's variable %s is not made known to device code", deviceName);
}

void __cudaUnregisterFatBinary(void **handle) {
    struct binary *binary = (struct binary *)handle;
    if (!binary)
        return;
    pthread_mutex_lock(&lock);
    struct binary **link = &binaries;
    while (*link && *link != binary)
        link = &(*link)->next;
    if (*link)
        *link = binary->next;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct symbol **at = &buckets[i]; *at;) {
            struct symbol *symbol = *at;
            if (symbol->binary != binary) {
                at = &symbol->next;
                continue;
            }
            *at = symbol->next;
            free(symbol);
        }
    pthread_mutex_unlock(&lock);
    /* The driver may be gone, or this may be a forked child; then there is nothing to unload. */
    if (binary->library && runtime_initialize() == CUDA_SUCCESS)
        (void)cuLibraryUnload(binary->library);
    free(binary);
}

/* ---------------------------------------------------------------- loading */

/* The driver's last error, if it is the simulator. */
extern const char *wlSimLastError(void) __attribute__((weak));

/* Call with the lock held, in a context.  Prints a failure; a permanent one only once. */
static cudaError_t load(struct binary *binary) {
    if (binary->library || binary->error)
        return binary->error;
    CUresult error = cuLibraryLoadData(&binary->library, binary->image, NULL, NULL, 0, NULL, NULL, 0);
    if (!error)
        return cudaSuccess;
    binary->library = NULL;
    const char *why = wlSimLastError ? wlSimLastError() : "";
    runtime_complain("%s", *why ? why : cudaGetErrorString((cudaError_t)error));
    /* Only permanent errors are stored. */
    if (error == CUDA_ERROR_NO_BINARY_FOR_GPU || error == CUDA_ERROR_INVALID_PTX ||
        error == CUDA_ERROR_INVALID_IMAGE || error == CUDA_ERROR_NOT_SUPPORTED)
        binary->error = (cudaError_t)error;
    return (cudaError_t)error;
}

static cudaError_t kernel_of(struct symbol *symbol, CUkernel *out) {
    if (!symbol->kernel) {
        cudaError_t error = load(symbol->binary);
        if (error)
            return error;
        CUresult found = cuLibraryGetKernel(&symbol->kernel, symbol->binary->library, symbol->name);
        if (found)
            return found == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : (cudaError_t)found;
    }
    *out = symbol->kernel;
    return cudaSuccess;
}

cudaError_t runtime_kernel(const void *function, CUkernel *out) {
    CUresult entered = runtime_enter();
    if (entered)
        return (cudaError_t)entered;
    pthread_mutex_lock(&lock);
    struct symbol *symbol = find(SYMBOL_KERNEL, function);
    cudaError_t error = cudaErrorInvalidDeviceFunction;
    if (symbol) {
        error = kernel_of(symbol, out);
    } else if (find(SYMBOL_HANDLE, function)) {
        *out = (CUkernel)(uintptr_t)function;
        error = cudaSuccess;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

struct symbol *runtime_registered(const void *function) {
    pthread_mutex_lock(&lock);
    struct symbol *symbol = find(SYMBOL_KERNEL, function);
    pthread_mutex_unlock(&lock);
    return symbol;
}

cudaError_t runtime_registered_kernel(struct symbol *symbol, CUkernel *out) {
    CUresult entered = runtime_enter();
    if (entered)
        return (cudaError_t)entered;
    pthread_mutex_lock(&lock);
    cudaError_t error = kernel_of(symbol, out);
    pthread_mutex_unlock(&lock);
    return error;
}

void *runtime_function(CUkernel kernel) {
    const void *found = kernel;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; kernel && i < BUCKETS; i++)
        for (const struct symbol *s = buckets[i]; s; s = s->next)
            if (s->kind == SYMBOL_KERNEL && s->kernel == kernel)
                found = s->key;
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)found;
}

cudaError_t runtime_know_kernel(CUkernel kernel) {
    pthread_mutex_lock(&lock);
    struct symbol *symbol = find(SYMBOL_HANDLE, kernel);
    if (!symbol)
        symbol = add(SYMBOL_HANDLE, kernel, NULL, NULL);
    if (symbol)
        symbol->kernel = kernel;
    pthread_mutex_unlock(&lock);
    return symbol ? cudaSuccess : cudaErrorMemoryAllocation;
}

void runtime_forget_library(CUlibrary library) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct symbol **at = &buckets[i]; *at;) {
            struct symbol *symbol = *at;
            CUlibrary owner = NULL;
            if (symbol->kind != SYMBOL_HANDLE || cuKernelGetLibrary(&owner, symbol->kernel) ||
                owner != library) {
                at = &symbol->next;
                continue;
            }
            *at = symbol->next;
            free(symbol);
        }
    pthread_mutex_unlock(&lock);
}

/* ---------------------------------------------------------------- variables */

static CUresult variable_of(const struct symbol *symbol, CUdeviceptr *address, size_t *size) {
    CUresult error = CUDA_ERROR_NOT_FOUND;
    if (symbol->kind == SYMBOL_MANAGED)
        error = cuLibraryGetManaged(address, size, symbol->binary->library, symbol->name);
    if (error == CUDA_ERROR_NOT_FOUND)
        error = cuLibraryGetGlobal(address, size, symbol->binary->library, symbol->name);
    return error;
}

/* A managed variable is given by its own address, which the program reads through the registered pointer. */
static struct symbol *find_managed(const void *address) {
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct symbol *s = buckets[i]; s; s = s->next)
            if (s->kind == SYMBOL_MANAGED && *(void *const *)s->key == address)
                return s;
    return NULL;
}

cudaError_t runtime_symbol(const void *key, CUdeviceptr *address, size_t *size) {
    CUresult entered = runtime_enter();
    if (entered)
        return (cudaError_t)entered;
    pthread_mutex_lock(&lock);
    struct symbol *symbol = find(SYMBOL_VARIABLE, key);
    if (!symbol)
        symbol = find(SYMBOL_MANAGED, key);
    if (!symbol && key)
        symbol = find_managed(key);
    cudaError_t error = symbol ? load(symbol->binary) : cudaErrorInvalidSymbol;
    if (!error) {
        CUresult found = variable_of(symbol, address, size);
        error = found == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : (cudaError_t)found;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* Called before a program's first use of a file's managed variables: sets the pointers through which host
 * code accesses them.  Not 0: it need not be called again. */
char __cudaInitModule(void **handle) {
    struct binary *binary = (struct binary *)handle;
    CUresult entered = runtime_enter();
    if (!binary || entered)
        return 0;
    pthread_mutex_lock(&lock);
    cudaError_t error = binary->managed_ready ? cudaSuccess : load(binary);
    for (size_t i = 0; !error && !binary->managed_ready && i < BUCKETS; i++)
        for (struct symbol *s = buckets[i]; s && !error; s = s->next) {
            CUdeviceptr address;
            size_t size;
            if (s->kind != SYMBOL_MANAGED || s->binary != binary)
                continue;
            error = (cudaError_t)variable_of(s, &address, &size);
            if (!error)
                *(void **)(uintptr_t)s->key = (void *)(uintptr_t)address;
        }
    if (!error)
        binary->managed_ready = true;
    pthread_mutex_unlock(&lock);
    runtime_result(error);
    return (char)(error == cudaSuccess);
}
