/* Runs every form on the GPU and prints "name seed hash", a line each; with a directory's name also keeps the
 * results there.  What h200.txt holds was made by this. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/matrix/forms.h"

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        CUresult error_ = (call);                                                                            \
        if (error_) {                                                                                        \
            fprintf(stderr, "%s: %d\n", #call, error_);                                                      \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

int main(int argc, char **argv) {
    CUdevice device;
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CUdeviceptr at[4];
    for (int i = 0; i < 4; i++)
        CHECK(cuMemAlloc(&at[i], FORM_BYTES));
    FILE *file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    for (unsigned i = 0; i < form_count; i++) {
        char text[16384], name[128];
        CUmodule module;
        CUfunction function;
        form_name(&forms[i], name, sizeof name);
        form_text(&forms[i], text, sizeof text);
        CUresult error = cuModuleLoadData(&module, text);
        if (error) {
            fprintf(stderr, "%s: error %d\n", name, error);
            continue;
        }
        CHECK(cuModuleGetFunction(&function, module, "run"));
        for (unsigned seed = 0; seed < FORM_SEEDS; seed++) {
            static unsigned char buffer[4][FORM_BYTES];
            form_fill(&forms[i], seed, buffer[0], buffer[1], buffer[2]);
            memset(buffer[3], 0xa5, FORM_BYTES);
            for (int k = 0; k < 4; k++)
                CHECK(cuMemcpyHtoD(at[k], buffer[k], FORM_BYTES));
            void *params[] = {&at[0], &at[1], &at[2], &at[3]};
            CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
            CHECK(cuMemcpyDtoH(buffer[3], at[3], FORM_BYTES));
            size_t bytes = form_result_bytes(&forms[i]);
            printf("%s %u %016llx\n", name, seed, (unsigned long long)form_hash(buffer[3], bytes));
            if (file)
                fwrite(buffer[3], 1, FORM_BYTES, file);
        }
        CHECK(cuModuleUnload(module));
    }
    if (file)
        fclose(file);
    return 0;
}
