/* PTX text: loaded or refused with a reason; what is loaded runs, on a few threads and not for long, with
 * and without checks.  A byte 1 parts two texts that are linked. */
#include <string.h>

#include "sim/check/check.h"
#include "tests/fuzz/fuzz.h"

enum { LARGEST = 1 << 17, MEMORY = 16 << 20, BUFFER = 4096, THREADS = 40, MOST_FUNCTIONS = 16, LIMIT = 1000 };

static void ignore_finding(void *argument, const struct sim_finding *finding) {
    size_t *length = argument;
    char text[2048];
    sim_finding_describe(finding, text, sizeof text);
    *length += strlen(text);
    FUZZ_CHECK(text[0] && !strchr(text, '\n'));
}

static void ignore_print(void *argument, bool error, const char *text, size_t size) {
    (void)error;
    size_t *length = argument;
    for (size_t i = 0; i < size; i++)
        *length += (unsigned char)text[i];
}

static void ignore_instruction(void *argument, const struct sim_instruction_count *count) {
    size_t *length = argument;
    *length += strlen(count->opcode) + strlen(count->function);
}

static void launch(struct sim_memory *memory, const struct sim_function *function, struct sim_check *check) {
    struct sim_function_info info;
    sim_function_info(function, &info);
    char *params = calloc(1, info.param_bytes + 1);
    FUZZ_CHECK(params);
    const uint64_t buffer = sim_memory_alloc(memory, BUFFER, SIM_MEMORY_DEVICE);
    if (buffer)
        memset((void *)(uintptr_t)buffer, 1, BUFFER);
    for (size_t i = 0; i < info.param_count; i++) {
        const uint64_t small = 3 + i;
        const size_t size = info.params[i].size;
        memcpy(params + info.params[i].offset, size == 8 ? &buffer : &small, size < 8 ? size : 8);
    }
    size_t length = 0;
    struct sim_heap *heap = sim_heap_create(memory, 1 << 16);
    const struct sim_launch what = {
        .memory = memory,
        .function = function,
        .grid = {2, 1, 1},
        .block = {info.max_threads < THREADS ? info.max_threads : THREADS, 1, 1},
        .shared_bytes = 512,
        .params = params,
        .rules = count_rules_find(NULL),
        .threads = 1,
        .limit = LIMIT,
        .check = check,
        .heap = heap,
        .print_bytes = 1 << 16,
        .print = ignore_print,
        .print_argument = &length,
        .each = ignore_instruction,
        .argument = &length,
    };
    struct wl_counters counters;
    struct sim_fault fault = {.kind = SIM_FAULT_NONE};
    FUZZ_CHECK(sim_launch_run(&what, &counters, &fault) || fault.text[0]);
    sim_heap_destroy(heap);
    if (buffer)
        sim_memory_free(memory, buffer);
    free(params);
}

static void run(struct sim_memory *memory, const char *text, size_t size, bool checked) {
    struct sim_module *module;
    struct ptx_error error;
    memset(&error, 0x5a, sizeof error);
    if (!sim_module_load(memory, "fuzz.ptx", text, size, &module, &error)) {
        FUZZ_CHECK(error.message[0] && strstr(error.text, error.message));
        FUZZ_CHECK(error.pos.line && error.pos.column);
        return;
    }
    size_t length = 0;
    struct sim_check *check =
        checked ? sim_check_create(memory, SIM_CHECK_ALL, ignore_finding, &length) : NULL;
    FUZZ_CHECK(check || !checked);
    const struct sim_function *function;
    for (size_t i = 0; i < MOST_FUNCTIONS && (function = sim_module_function_at(module, i)); i++)
        launch(memory, function, check);
    sim_check_destroy(check);
    sim_module_unload(module);
}

static void run_linked(struct sim_memory *memory, const char *text, size_t size, size_t first) {
    const struct ptx_text texts[] = {{"first.ptx", text, first},
                                     {"second.ptx", text + first + 1, size - first - 1}};
    struct ptx_error error;
    char *linked;
    size_t linked_size;
    memset(&error, 0x5a, sizeof error);
    if (!ptx_link(texts, 2, &linked, &linked_size, &error)) {
        FUZZ_CHECK(error.message[0] && strstr(error.text, error.message));
        return;
    }
    run(memory, linked, linked_size, false);
    free(linked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > LARGEST)
        return 0;
    struct sim_memory *memory = sim_memory_create(MEMORY);
    FUZZ_CHECK(memory);
    const uint8_t *parted = memchr(data, 1, size);
    if (parted) {
        run_linked(memory, (const char *)data, size, (size_t)(parted - data));
    } else {
        run(memory, (const char *)data, size, false);
        run(memory, (const char *)data, size, true);
    }
    FUZZ_CHECK(sim_memory_used(memory) == 0);
    sim_memory_destroy(memory);
    return 0;
}
