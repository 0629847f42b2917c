#include "tests/exec/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void keep(void *argument, const struct sim_finding *finding) {
    struct findings *f = argument;
    assert_true(f->count < MAX_FINDINGS);
    f->list[f->count++] = *finding;
    char line[1024];
    sim_finding_describe(finding, line, sizeof line);
    size_t at = strlen(f->text);
    snprintf(f->text + at, sizeof f->text - at, "%s\n", line);
}

void findings_open(struct findings *f, const char *ptx_file, unsigned checks) {
    memset(f, 0, sizeof *f);
    harness_open(&f->h, ptx_file);
    findings_watch(f, checks);
}

void findings_load(struct findings *f, const char *text) {
    if (!f->h.memory) {
        harness_start(&f->h);
        findings_watch(f, SIM_CHECK_ALL);
    }
    sim_module_unload(f->h.module);
    f->h.module = NULL;
    harness_load(&f->h, "test.ptx", text, strlen(text));
}

static void stop_watching(struct findings *f) {
    sim_heap_destroy(f->h.with.heap);
    sim_check_destroy(f->h.check);
}

void findings_watch(struct findings *f, unsigned checks) {
    if (f->h.check)
        stop_watching(f);
    findings_clear(f);
    f->h.check = sim_check_create(f->h.memory, checks, keep, f);
    assert_non_null(f->h.check);
    f->h.with.heap = sim_heap_create(f->h.memory, 1 << 20);
    assert_non_null(f->h.with.heap);
}

void findings_close(struct findings *f) {
    stop_watching(f);
    harness_close(&f->h);
}

void findings_clear(struct findings *f) {
    f->count = 0;
    f->text[0] = '\0';
}

int *findings_buffer(struct findings *f, size_t ints, bool written) {
    int *buffer = harness_buffer(&f->h, 4 * ints);
    if (written)
        for (size_t i = 0; i < ints; i++)
            buffer[i] = (int)i;
    if (written)
        sim_check_written(f->h.check, (uint64_t)(uintptr_t)buffer, 4 * ints);
    return buffer;
}

bool findings_launch(struct findings *f, const char *kernel, unsigned grid, unsigned block, size_t shared,
                     int *a, int *b, int n) {
    const void *params[] = {&a, &b, &n};
    return harness_launch(&f->h, kernel, grid, block, shared, params);
}
