/* Program files, as the runtime and the profiler examine them. */
#include <string.h>

#include "prof/elf.h"
#include "sim/cudart/patch.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(data, size);
    struct static_runtime runtime;
    if (static_runtime_read(path, &runtime)) {
        size_t length = 0;
        for (size_t i = 0; i < runtime.count; i++)
            length += strlen(runtime.functions[i].name);
        FUZZ_CHECK(length >= 4 * runtime.count);
        static_runtime_free(&runtime);
    }
    struct prof_program program = {.elf = false};
    strcpy(program.path, path);
    enum prof_elf kind = prof_elf_read(&program);
    FUZZ_CHECK(kind == PROF_ELF_GOOD || !program.elf);
    for (int simulator = 0; simulator < 2; simulator++)
        FUZZ_CHECK(*prof_program_silence(&program, simulator));
    return 0;
}
