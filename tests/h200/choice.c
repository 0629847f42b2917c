/* Prints which of a fat binary's entries the driver chooses, and which the runtime, one file per line:
 *
 *   h200_choice FILE...
 *
 * Each line has the file's name and, for each of the two, the value of choice.cu's variable, or "error N".
 */
#include <stdint.h>
#include <string.h>

#include "tests/h200/libraries.h"

/* nvcc's content of .nvFatBinSegment. */
struct wrapper {
    uint32_t magic, version;
    const void *data;
    void *unused;
};

/* NUL-terminated, and aligned as in a program; never freed, because the runtime keeps it. */
static void *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    long size = ftell(file);
    rewind(file);
    char *data = aligned_alloc(64, ((size_t)size + 64) & ~(size_t)63);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    data[size] = '\0';
    fclose(file);
    return data;
}

static CUresult ask_driver(const void *image, int *chosen) {
    CUmodule module;
    CUdeviceptr address;
    size_t size;
    CUresult error = DRIVER(cuModuleLoadData)(&module, image);
    if (error)
        return error;
    error = DRIVER(cuModuleGetGlobal)(&address, &size, module, "chosen");
    if (!error)
        error = DRIVER(cuMemcpyDtoH)(chosen, address, sizeof *chosen);
    (void)DRIVER(cuModuleUnload)(module);
    return error;
}

/* Registers the file like a program's constructors, and launches its kernel. */
static cudaError_t ask_runtime(const void *image, struct wrapper *wrapper, const char *key, int *chosen) {
    *wrapper = (struct wrapper){0x466243b1, 1, image, NULL};
    void **(*add)(void *) = (void **(*)(void *))find(runtime, "__cudaRegisterFatBinary");
    void (*end)(void **) = (void (*)(void **))find(runtime, "__cudaRegisterFatBinaryEnd");
    void (*name)(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *) =
        (void (*)(void **, const char *, char *, const char *, int, void *, void *, void *, void *,
                  int *))find(runtime, "__cudaRegisterFunction");
    void **handle = add(wrapper);
    char symbol[] = "choose";
    name(handle, key, symbol, "choose", -1, NULL, NULL, NULL, NULL, NULL);
    end(handle);
    int *out;
    cudaError_t error = RUNTIME(cudaMalloc)((void **)&out, sizeof *out);
    void *arguments[] = {&out};
    dim3 one = {1, 1, 1};
    if (!error)
        error = RUNTIME(cudaLaunchKernel)(key, one, one, arguments, 0, NULL);
    if (!error)
        error = RUNTIME(cudaMemcpy)(chosen, out, sizeof *out, cudaMemcpyDeviceToHost);
    (void)RUNTIME(cudaGetLastError)();
    (void)RUNTIME(cudaFree)(out);
    return error;
}

static void say(int error, int chosen) {
    if (error)
        printf(" error %d", error);
    else
        printf(" %d.%d%s", chosen / 1000, chosen / 100 % 10, chosen % 10 == 2 ? "a" : chosen % 10 ? "f" : "");
}

int main(int argc, char **argv) {
    struct wrapper *wrappers = calloc((size_t)argc, sizeof *wrappers);
    if (!wrappers)
        return 1;
    open_libraries();
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');
        const char *name = slash ? slash + 1 : argv[i];
        const char *dot = strrchr(name, '.');
        void *image = read_file(argv[i]);
        int chosen = -1;
        printf("%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
        int error = (int)ask_driver(image, &chosen);
        say(error, chosen);
        error = (int)ask_runtime(image, &wrappers[i], (const char *)&wrappers[i], &chosen);
        say(error, chosen);
        putchar('\n');
    }
    return 0;
}
