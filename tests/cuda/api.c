#include "tests/cuda/api.h"

#include <dlfcn.h>
#include <stdio.h>

struct api api;
CUcontext api_context;

typedef CUresult get_proc_address(const char *name, void **function, int version, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *status);

/* "cuMemAlloc_v2" -> "cuMemAlloc": cuGetProcAddress takes names without versions. */
static void *find_by_driver(const char *name) {
    get_proc_address *get;
    *(void **)&get = dlsym(api.library, "cuGetProcAddress_v2");
    char plain[128];
    snprintf(plain, sizeof plain, "%s", name);
    char *version = strstr(plain, "_v");
    if (version)
        *version = '\0';
    /* In CUDA 13 these two have second versions with other parameters, which are not cuda.h's default;
     * requesting the version of CUDA 12 gives what the plain names mean. */
    bool older = strcmp(plain, "cuCtxGetDevice") == 0 || strcmp(plain, "cuCtxSynchronize") == 0;
    void *function = NULL;
    CUdriverProcAddressQueryResult status;
    if (!get || get(plain, &function, older ? 12000 : CUDA_VERSION, 0, &status) ||
        status != CU_GET_PROC_ADDRESS_SUCCESS)
        return NULL;
    return function;
}

static bool find(enum api_lookup lookup, const char *name, void *pointer) {
    void *function = lookup == API_DLSYM ? dlsym(api.library, name) : find_by_driver(name);
    memcpy(pointer, &function, sizeof function);
    if (!function)
        fprintf(stderr, "%s not found\n", name);
    return function != NULL;
}

bool api_open(enum api_lookup lookup) {
    api.library = dlopen(TEST_DRIVER, RTLD_NOW | RTLD_LOCAL);
    if (!api.library) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    bool found = true;
#define API_STRING(name) #name
#define API_FIND(name)   found = find(lookup, API_STRING(name), &api.name) && found;
    API_MAP(API_FIND)
#undef API_FIND
    found = find(API_DLSYM, "cuCtxCreate_v2", &api.context_create) && found;
    found = find(lookup, "wlSimGetCounters", &api.get_counters) && found;
    found = find(lookup, "wlSimStrictBounds", &api.strict_bounds) && found;
    found = find(lookup, "wlSimResetCounters", &api.reset_counters) && found;
    found = find(lookup, "wlSimSetArch", &api.set_arch) && found;
    found = find(lookup, "wlSimArch", &api.arch) && found;
    found = find(lookup, "wlSimLastError", &api.last_error) && found;
    return found;
}

void api_close(void) {
    if (api.library)
        dlclose(api.library);
    memset(&api, 0, sizeof api);
}

int api_setup(void **state) {
    (void)state;
    if (!api_open(API_DLSYM) || api.strict_bounds() || api.cuInit(0))
        return -1;
    return api.context_create(&api_context, 0, 0) ? -1 : 0;
}

int api_teardown(void **state) {
    (void)state;
    CUresult error = api.cuCtxDestroy(api_context);
    api_close();
    return error ? -1 : 0;
}

const char *api_path(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", TEST_FILES, name);
    return path;
}

char *api_read(const char *name, size_t *size) {
    FILE *file = fopen(api_path(name), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    assert_true(length > 0);
    rewind(file);
    char *data = malloc((size_t)length + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)length, file), (size_t)length);
    data[length] = '\0';
    fclose(file);
    if (size)
        *size = (size_t)length;
    return data;
}
