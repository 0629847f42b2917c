/* Groups of devices, and their rungs, on a driver that runs nothing: devices without access to each other,
 * each call of the driver failing, and the order between the devices' streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "ladder/ladder.h"

enum { DEVICES = 3, SIDE = 48, BYTES = 4 * SIDE * SIDE };

static struct fake_state *fake;
static struct wl_group group;
static unsigned char memory[3][DEVICES][2 * BYTES] __attribute__((aligned(256)));

static int setup(void **state) {
    (void)state;
    fake = fake_start();
    if (!fake)
        return -1;
    fake->devices = DEVICES;
    group = (struct wl_group){.count = DEVICES};
    for (unsigned r = 0; r < DEVICES; r++) {
        char name[8];
        snprintf(name, sizeof(name), "sim:%u", r);
        if (wl_open(&group.contexts[r], name))
            return -1;
    }
    return 0;
}

static int teardown(void **state) {
    (void)state;
    wl__group_close(&group);
    for (unsigned r = 0; r < DEVICES; r++)
        wl_close(group.contexts[r]);
    return fake->depth || fake->retained || fake->modules || fake->streams || fake->events ? -1 : 0;
}

static void no_peer_access(void **state) {
    (void)state;
    fake->no_peers = true;
    assert_int_equal(wl__group_open(&group), WL_ERROR_UNSUPPORTED);
    assert_string_equal(wl_message(), "device 0 has no peer access to device 1");
    assert_int_equal(fake->peers, 0);
    assert_int_equal(fake->events, 0);
}

static void opening_fails_anywhere(void **state) {
    (void)state;
    unsigned number = 1;
    for (;; number++) {
        fake->fail_after = number;
        wl_error error = wl__group_open(&group);
        if (!error)
            break;
        assert_true(error == WL_ERROR_OUT_OF_MEMORY || error == WL_ERROR_DRIVER);
        assert_int_equal(fake->events, 0);
        assert_int_equal(fake->depth, 0);
    }
    /* Each of three devices: two peers, and an event. */
    assert_int_equal(number, DEVICES * 3 + 1);
    assert_int_equal(fake->events, DEVICES);
    fake->fail_after = 0;
}

/* All record before one waits, and each waits for the others' events. */
static void all_meet(void **state) {
    (void)state;
    assert_int_equal(wl__group_open(&group), WL_ERROR_OK);
    fake->step_count = 0;
    assert_int_equal(wl__group_meet(&group), WL_ERROR_OK);
    assert_int_equal(fake->step_count, DEVICES * DEVICES);
    for (unsigned i = 0; i < DEVICES; i++) {
        assert_int_equal(fake->steps[i].kind, FAKE_RECORD);
        assert_ptr_equal(fake->steps[i].event, group.events[i]);
    }
    for (unsigned r = 0, at = DEVICES; r < DEVICES; r++)
        for (unsigned i = 0; i < DEVICES; i++)
            if (i != r) {
                assert_int_equal(fake->steps[at].kind, FAKE_WAIT);
                assert_ptr_equal(fake->steps[at++].event, group.events[i]);
            }
    for (unsigned number = 1; number <= DEVICES * DEVICES; number++) {
        fake->fail_after = number;
        assert_true(wl__group_meet(&group) != WL_ERROR_OK);
        assert_int_equal(fake->depth, 0);
    }
}

static struct wl_problem problem_of(struct wl_parts *parts) {
    for (unsigned r = 0; r < DEVICES; r++) {
        parts->in[r] = (uintptr_t)memory[0][r];
        parts->out[r] = (uintptr_t)memory[1][r];
        parts->work[r] = (uintptr_t)memory[2][r];
    }
    return (struct wl_problem){.rows = SIDE,
                               .cols = SIDE,
                               .n = SIDE * SIDE,
                               .batch = 1,
                               .width = 4,
                               .gpus = DEVICES,
                               .group = &group,
                               .parts = parts};
}

/* open() leaves nothing behind, and launch() says what failed. */
static void fails_anywhere(const struct wl_rung *rung) {
    struct wl_parts parts;
    struct wl_problem problem = problem_of(&parts);
    unsigned number = 1;
    wl_error error = WL_ERROR_OK;
    for (; rung->open; number++) {
        fake->fail_after = number;
        error = rung->open(&problem, &problem.state);
        if (!error)
            break;
        assert_int_equal(fake->streams, 0);
        assert_int_equal(fake->events, DEVICES);
        assert_int_equal(fake->depth, 0);
    }
    assert_true(!rung->open || number > 1);
    for (number = 1;; number++) {
        fake->fail_after = number;
        error = rung->launch(group.contexts[0], &problem, NULL);
        if (!error)
            break;
        assert_true(wl_message()[0] != '\0');
        assert_int_equal(fake->depth, 0);
    }
    /* At least a meeting before and a meeting after, or what wl_redistribute() has in their place. */
    assert_true(number > 2 * DEVICES);
    fake->fail_after = 0;
    if (rung->close)
        rung->close(problem.state);
    assert_int_equal(fake->streams, 0);
    assert_int_equal(fake->events, DEVICES);
}

static void every_rung_fails_anywhere(void **state) {
    (void)state;
    size_t count, found = 0;
    const struct wl_rung *rungs = wl__ladder(&count);
    assert_int_equal(wl__group_open(&group), WL_ERROR_OK);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rungs[i].experiment, "redistribute") == 0) {
            fails_anywhere(&rungs[i]);
            found++;
        }
    assert_int_equal(found, 8);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(no_peer_access),
        TEST(opening_fails_anywhere),
        TEST(all_meet),
        TEST(every_rung_fails_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
