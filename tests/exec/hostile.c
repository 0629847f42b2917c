#include "tests/exec/hostile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool load(struct sim_memory *memory, const char *text, struct sim_module **module,
                 struct ptx_error *error) {
    *error = (struct ptx_error){.pos = {0, 0}};
    return sim_module_load(memory, "hostile.ptx", text, strlen(text), module, error);
}

void hostile_refused(const char *text, const char *why) {
    struct sim_memory *memory = sim_memory_create(1 << 24);
    struct sim_module *module;
    struct ptx_error error;
    assert_non_null(memory);
    if (load(memory, text, &module, &error)) {
        sim_module_unload(module);
        fail_msg("accepted: %s", text);
    }
    if (!strstr(error.text, why))
        fail_msg("'%s' does not say '%s'", error.text, why);
    assert_true(error.pos.line > 3 && error.pos.column > 0);
    assert_true(sim_memory_used(memory) == 0);
    sim_memory_destroy(memory);
}

static void count_finding(void *argument, const struct sim_finding *finding) {
    struct outcome *outcome = argument;
    outcome->findings++;
    outcome->freed += finding->kind == SIM_FINDING_USE_AFTER_FREE;
}

struct outcome hostile_run(const char *text, struct how how) {
    struct sim_memory *memory = sim_memory_create(1 << 24);
    struct sim_module *module;
    struct ptx_error error;
    assert_non_null(memory);
    if (how.packed)
        assert_true(sim_memory_pack(memory));
    if (!load(memory, text, &module, &error))
        fail_msg("%s", error.text);
    struct outcome outcome = {.fault = {.kind = SIM_FAULT_NONE}};
    const size_t seen = how.buffer < sizeof outcome.buffer ? how.buffer : sizeof outcome.buffer;
    const uint64_t buffer = how.buffer ? sim_memory_alloc(memory, how.buffer, SIM_MEMORY_DEVICE) : 0;
    if (how.buffer) {
        assert_int_not_equal(buffer, 0);
        memset((void *)(uintptr_t)buffer, 0, seen);
    }
    uint64_t params[2] = {how.buffer ? buffer : how.param};
    struct sim_textures *textures = sim_textures_create();
    assert_non_null(textures);
    for (int i = 0; how.textures && i < 2; i++) {
        struct sim_texture texture = how.textures[i];
        texture.base += buffer;
        params[i] = sim_textures_add(textures, &texture);
    }
    struct sim_heap *heap = how.heap ? sim_heap_create(memory, how.heap) : NULL;
    struct sim_check *check =
        how.checks ? sim_check_create(memory, how.checks, count_finding, &outcome) : NULL;
    const struct sim_launch launch = {
        .memory = memory,
        .function = sim_module_function(module, "k"),
        .grid = {how.blocks ? how.blocks : 1, 1, 1},
        .block = {how.threads ? how.threads : 32, 1, 1},
        .cluster = {how.cluster, how.cluster != 0, how.cluster != 0},
        .shared_bytes = how.shared,
        .params = params,
        .rules = count_rules_find(NULL),
        .threads = how.workers ? how.workers : 1,
        .limit = how.limit,
        .check = check,
        .heap = heap,
        .textures = textures,
    };
    struct wl_counters counters;
    sim_launch_run(&launch, &counters, &outcome.fault);
    if (buffer)
        memcpy(outcome.buffer, (const void *)(uintptr_t)buffer, seen);
    sim_check_destroy(check);
    sim_textures_destroy(textures);
    sim_heap_destroy(heap);
    sim_module_unload(module);
    sim_memory_destroy(memory);
    return outcome;
}

struct sim_fault hostile_run_with(const char *text, const char *value, struct how how) {
    char *filled;
    size_t size;
    FILE *out = open_memstream(&filled, &size);
    assert_non_null(out);
    for (; *text; text++)
        if (*text == '$')
            fputs(value, out);
        else
            fputc(*text, out);
    fclose(out);
    const struct sim_fault fault = hostile_run(filled, how).fault;
    free(filled);
    return fault;
}

struct sim_fault hostile_launched_for(const char *text, uint32_t limit) {
    return hostile_run(text, (struct how){.limit = limit}).fault;
}

struct sim_fault hostile_launched(const char *text) {
    return hostile_launched_for(text, 0);
}
