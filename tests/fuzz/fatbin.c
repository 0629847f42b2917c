/* Anything that a program may load as a module: fat binaries plain and compressed, cubins, text.  It is
 * loaded or refused.  The same input also goes to the linker, which takes objects and libraries. */
#include <string.h>

#include "sim/cuda/module/machine.h"
#include "sim/cuda/module/module.h"
#include "tests/fuzz/fuzz.h"

enum { LARGEST = 1 << 20 };

static CUcontext context;

static void start(void) {
    if (context)
        return;
    FUZZ_CHECK(cuInit(0) == CUDA_SUCCESS);
    FUZZ_CHECK(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    FUZZ_CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
}

/* Queries what depends on the register count in machine code, and the function's other properties. */
static void ask(CUfunction function) {
    for (int attribute = 0; attribute < CU_FUNC_ATTRIBUTE_MAX; attribute++) {
        int value = -1;
        if (cuFuncGetAttribute(&value, (CUfunction_attribute)attribute, function) == CUDA_SUCCESS &&
            attribute == CU_FUNC_ATTRIBUTE_NUM_REGS)
            FUZZ_CHECK(value > 0 && value <= 255);
    }
    int blocks = -1, grid, block;
    FUZZ_CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 128, 1024) == CUDA_SUCCESS);
    FUZZ_CHECK(blocks >= 0);
    FUZZ_CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 1, 0) == CUDA_SUCCESS);
}

static void load(const uint8_t *data, size_t size) {
    struct image image;
    CUmodule module;
    if (image_read(data, size, "fuzz.fatbin", &image) != CUDA_SUCCESS)
        return;
    FUZZ_CHECK(image.text && strlen(image.text) == image.size);
    if (module_load(context, 0, &image, NULL, &module) == CUDA_SUCCESS) {
        for (size_t i = 0; i < module->function_count; i++)
            ask(&module->functions[i]);
        FUZZ_CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
    }
    image_free(&image);
}

/* In a fat binary, machine code is compressed or needs matching lengths, so it is also read directly. */
static void read_machine_code(const uint8_t *data, size_t size) {
    struct machine_code code;
    machine_read(data, size, &code);
    FUZZ_CHECK(machine_registers(&code, "no such kernel") == 0 || code.count);
    machine_free(&code);
}

static void link(const uint8_t *data, size_t size) {
    static const CUjitInputType types[] = {CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT, CU_JIT_INPUT_LIBRARY};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        CUlinkState state;
        FUZZ_CHECK(cuLinkCreate(0, NULL, NULL, &state) == CUDA_SUCCESS);
        void *linked;
        size_t linked_size;
        if (cuLinkAddData(state, types[i], (void *)(uintptr_t)data, size, "fuzz", 0, NULL, NULL) ==
            CUDA_SUCCESS)
            (void)cuLinkComplete(state, &linked, &linked_size);
        FUZZ_CHECK(cuLinkDestroy(state) == CUDA_SUCCESS);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > LARGEST)
        return 0;
    start();
    load(data, size);
    read_machine_code(data, size);
    if (size)
        link(data, size);
    return 0;
}
