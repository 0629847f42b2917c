#include "tests/exec/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_file(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    fclose(file);
    return text;
}

void harness_start(struct harness *h) {
    *h = (struct harness){0};
    h->memory = sim_memory_create(1ull << 30);
    assert_non_null(h->memory);
}

void harness_load(struct harness *h, const char *name, const char *text, size_t size) {
    struct ptx_error error;
    if (!sim_module_load(h->memory, name, text, size, &h->module, &error))
        fail_msg("%s", error.text);
}

void harness_open(struct harness *h, const char *ptx_file) {
    harness_start(h);
    size_t size;
    char *text = read_file(ptx_file, &size);
    harness_load(h, ptx_file, text, size);
    free(text);
}

void harness_close(struct harness *h) {
    sim_module_unload(h->module);
    sim_memory_destroy(h->memory);
}

void *harness_buffer(struct harness *h, size_t bytes) {
    uint64_t address = sim_memory_alloc(h->memory, bytes, SIM_MEMORY_DEVICE);
    assert_true(address != 0);
    memset((void *)(uintptr_t)address, 0xa5, bytes);
    return (void *)(uintptr_t)address;
}

bool harness_launch_3d(struct harness *h, const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                       size_t shared, const void *const *params, unsigned threads) {
    const struct sim_function *function = sim_module_function(h->module, kernel);
    if (!function)
        fail_msg("no kernel %s", kernel);
    struct sim_function_info info;
    sim_function_info(function, &info);
    char *buffer = calloc(1, info.param_bytes + 1);
    assert_non_null(buffer);
    for (size_t i = 0; i < info.param_count; i++)
        memcpy(buffer + info.params[i].offset, params[i], info.params[i].size);
    struct sim_launch launch = {
        .memory = h->memory,
        .peers = h->with.peers,
        .function = function,
        .grid = {grid[0], grid[1], grid[2]},
        .block = {block[0], block[1], block[2]},
        .shared_bytes = shared,
        .params = buffer,
        .rules = count_rules_find(NULL),
        .threads = threads,
        .limit = h->with.limit,
        .check = h->check,
        .cluster = {h->with.cluster[0], h->with.cluster[1], h->with.cluster[2]},
        .cooperative = h->with.cooperative,
        .textures = h->with.textures,
        .heap = h->with.heap,
        .print_bytes = h->with.print_bytes,
        .print = h->with.print,
        .print_argument = h->with.print_argument,
        .each = h->with.each,
        .array = h->with.array,
        .argument = h->with.argument,
    };
    bool ok = sim_launch_run(&launch, &h->counters, &h->fault);
    free(buffer);
    return ok;
}

bool harness_launch(struct harness *h, const char *kernel, unsigned grid, unsigned block, size_t shared,
                    const void *const *params) {
    return harness_launch_3d(h, kernel, (uint32_t[]){grid, 1, 1}, (uint32_t[]){block, 1, 1}, shared, params,
                             h->with.threads);
}
