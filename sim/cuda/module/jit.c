/* The options of just-in-time compilation.  Most have no effect, because nothing is compiled.  The register
 * limit is kept, and the log buffers are filled, because they tell programs what is wrong with their PTX. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sim/cuda/module/module.h"

static size_t size_in(void **slot) {
    return (unsigned)(uintptr_t)*slot;
}

CUresult jit_parse(unsigned count, const CUjit_option *options, void **values, struct jit_options *out) {
    *out = (struct jit_options){0};
    if (count && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        switch (options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
            out->info.text = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            out->info.size_slot = &values[i];
            out->info.size = size_in(&values[i]);
            break;
        case CU_JIT_ERROR_LOG_BUFFER:
            out->error.text = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            out->error.size_slot = &values[i];
            out->error.size = size_in(&values[i]);
            break;
        case CU_JIT_MAX_REGISTERS:
            out->max_registers = (unsigned)(uintptr_t)values[i];
            break;
        case CU_JIT_WALL_TIME:
            out->wall_time_slot = &values[i];
            break;
        default:
            if ((unsigned)options[i] >= CU_JIT_NUM_OPTIONS)
                return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

static void write_log(const struct jit_log *log, const char *text) {
    size_t length = 0;
    if (log->text && log->size) {
        snprintf(log->text, log->size, "%s", text);
        length = strlen(log->text);
    }
    if (log->size_slot)
        *log->size_slot = (void *)(uintptr_t)length;
}

void jit_report(const struct jit_options *options, const char *failure, double milliseconds) {
    write_log(&options->info, "");
    write_log(&options->error, failure ? failure : "");
    if (options->wall_time_slot) {
        float value = (float)milliseconds;
        memcpy(options->wall_time_slot, &value, sizeof value);
    }
}
