/* The rungs of several devices against plain C: awkward sizes and widths, every count of devices from 2 to 5,
 * outputs poisoned, guards around each device's part, every word compared.  On the simulator, or with
 * WIDELOAD_DEVICE=gpu on as many GPUs as there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "element.h"
#include "ladder/ladder.h"

enum { DEVICES = 5 };

static wl_context *contexts[DEVICES];
static unsigned devices;

static int open_devices(void **state) {
    const char *device = getenv("WIDELOAD_DEVICE");
    bool gpu = device && strncmp(device, "gpu", 3) == 0;
    (void)state;
    setenv("WIDELOAD_SIM_DEVICES", "5", 1);
    for (devices = 0; devices < DEVICES; devices++) {
        char name[16];
        snprintf(name, sizeof(name), gpu ? "gpu:%u" : "sim:%u", devices);
        if (wl_open(&contexts[devices], name))
            break;
    }
    if (devices >= 2)
        return 0;
    print_error("two devices are needed: %s\n", wl_message());
    return -1;
}

static int close_devices(void **state) {
    (void)state;
    for (unsigned r = 0; r < devices; r++)
        wl_close(contexts[r]);
    return 0;
}

/* Rows or columns that device i has: as many as any other, or one more for the first ones. */
static uint64_t share(uint64_t total, unsigned count, unsigned i) {
    return total / count + (i < total % count);
}

static uint64_t before(uint64_t total, unsigned count, unsigned i) {
    uint64_t sum = 0;
    while (i-- > 0)
        sum += share(total, count, i);
    return sum;
}

static unsigned char *bytes_of(struct array *array) {
    return (unsigned char *)array_words(array);
}

/* Writes what one device's output must be; bytes that no formula names stay. */
static void expect(enum wl_reference what, const struct wl_problem *p, unsigned to, struct array *out,
                   struct array *in) {
    uint64_t col = before(p->cols, p->gpus, to), cols = share(p->cols, p->gpus, to);
    for (unsigned from = 0; from < p->gpus; from++) {
        uint64_t row = before(p->rows, p->gpus, from), rows = share(p->rows, p->gpus, from);
        for (uint64_t i = 0; i < rows * cols; i++) {
            uint64_t at = row * cols + i, source = rows * col + i;
            if (what == WL_REF_TRANSPOSE_ANY) {
                at = i / rows * p->rows + row + i % rows;
                source = i % rows * p->cols + col + i / rows;
            }
            if (what == WL_REF_TRANSPOSE_ANY || from != to)
                copy_element(bytes_of(out) + at * p->width, bytes_of(&in[from]) + source * p->width,
                             p->width);
        }
    }
}

static void run_right(const struct wl_rung *rung, struct wl_problem *problem, const char *what) {
    wl_error error = rung->open ? rung->open(problem, &problem->state) : WL_ERROR_OK;
    /* Twice, as the bench does: what is left of the first must not disturb the second. */
    for (int i = 0; i < 2 && !error; i++)
        error = rung->launch(contexts[0], problem, NULL);
    for (unsigned r = 0; r < problem->gpus && !error; r++)
        error = wl_synchronize(contexts[r]);
    if (error)
        fail_msg("%s: %s", what, wl_message());
    if (rung->close)
        rung->close(problem->state);
}

static void run(const struct wl_rung *rung, struct wl_group *group, uint64_t rows, uint64_t cols,
                uint32_t width) {
    struct wl_parts parts = {.in = {0}};
    struct wl_problem problem = {.rows = rows,
                                 .cols = cols,
                                 .n = rows * cols,
                                 .batch = 1,
                                 .width = width,
                                 .gpus = group->count,
                                 .group = group,
                                 .parts = &parts};
    struct array in[DEVICES], out[DEVICES], work[DEVICES];
    char what[120];
    snprintf(what, sizeof(what), "%s %llux%llu width %u on %u devices", rung->name, (unsigned long long)rows,
             (unsigned long long)cols, (unsigned)width, group->count);
    if (rung->applicable && rung->applicable(contexts[0], &problem)) {
        assert_int_not_equal(width, 4);
        return;
    }
    uint64_t bytes = rung->work_bytes ? rung->work_bytes(contexts[0], &problem) : 0;
    for (unsigned r = 0; r < group->count; r++) {
        in[r] = array_make(contexts[r], (share(rows, group->count, r) * cols * width + 3) / 4, 0, 100 + r);
        out[r] = array_make(contexts[r], (share(cols, group->count, r) * rows * width + 3) / 4, 0, 200 + r);
        work[r] = array_make(contexts[r], (bytes + 3) / 4, 0, 300 + r);
        parts.in[r] = in[r].device;
        parts.out[r] = out[r].device;
        parts.work[r] = work[r].device;
    }
    run_right(rung, &problem, what);
    for (unsigned r = 0; r < group->count; r++)
        expect(rung->reference, &problem, r, &out[r], in);
    for (unsigned r = 0; r < group->count; r++) {
        uint32_t *words;
        array_compare(contexts[r], &out[r], what);
        array_compare(contexts[r], &in[r], what);
        free(array_fetch(contexts[r], &work[r], &words, what)); /* its guards */
        array_free(contexts[r], &in[r]);
        array_free(contexts[r], &out[r]);
        array_free(contexts[r], &work[r]);
    }
}

static void every_rung(void **state) {
    static const uint64_t sizes[][2] = {{1, 1}, {1, 70}, {70, 1}, {3, 2}, {33, 65}, {64, 64}, {200, 77}};
    size_t count, found = 0;
    const struct wl_rung *rungs = wl__ladder(&count);
    (void)state;
    for (unsigned several = 2; several <= devices; several++) {
        struct wl_group group = {.count = several};
        memcpy(group.contexts, contexts, sizeof(contexts));
        assert_int_equal(wl__group_open(&group), WL_ERROR_OK);
        for (size_t i = 0; i < count; i++)
            for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
                for (uint32_t width = 1; width <= 16; width *= 2)
                    if (strcmp(rungs[i].experiment, "redistribute") == 0) {
                        run(&rungs[i], &group, sizes[s][0], sizes[s][1], width);
                        found++;
                    }
        wl__group_close(&group);
    }
    assert_int_equal(found, (devices - 1) * 8 * 7 * 5);
}

/* Which device crosses, and in what. */
static void what_crosses(void **state) {
    static const struct {
        const char *name;
        uint64_t loads, stores; /* sectors */
    } cases[] = {{"kernel-copy", 0, 1024}, {"scatter", 0, 8192}, {"load", 1024, 0},
                 {"store", 0, 1024},       {"staged", 0, 0},     {"pipelined", 0, 0},
                 {"wideload", 0, 1024},    {"copy-engine", 0, 0}};
    struct wl_group group = {.count = 2};
    size_t count, found = 0;
    const struct wl_rung *rungs = wl__ladder(&count);
    (void)state;
    if (!wl__is_simulator(contexts[0]))
        skip();
    memcpy(group.contexts, contexts, 2 * sizeof(contexts[0]));
    assert_int_equal(wl__group_open(&group), WL_ERROR_OK);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++)
            if (strcmp(rungs[i].experiment, "redistribute") == 0 &&
                strcmp(rungs[i].name, cases[j].name) == 0) {
                wl_counters counters;
                assert_int_equal(wl_reset_counters(contexts[0]), WL_ERROR_OK);
                run(&rungs[i], &group, 128, 128, 4);
                assert_int_equal(wl_get_counters(contexts[0], &counters), WL_ERROR_OK);
                /* Two launches, of which each sends 2 x 64 x 64 elements of 4 bytes. */
                assert_int_equal(counters.peer_load_transactions, 2 * cases[j].loads);
                assert_int_equal(counters.peer_store_transactions, 2 * cases[j].stores);
                found++;
            }
    assert_int_equal(found, 8);
    wl__group_close(&group);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rung),
        cmocka_unit_test(what_crosses),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
