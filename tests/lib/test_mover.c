/* How a mover is picked from a table, and run.  No device is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/mover.h"

bool wl__masks[WL_KERNEL_COUNT], wl__launched[WL_KERNEL_COUNT];

/* A table of up to three movers, which do what this says. */
struct wl__problem {
    bool can[3];
    double cost[3];
    wl_error error[3];
    unsigned *asked, *ran; /* movers that were asked for their cost; the last that ran, from 1 on */
};

#define MOVER(i)                                                                                             \
    static bool can_##i(const struct wl__problem *p) {                                                       \
        return p->can[i];                                                                                    \
    }                                                                                                        \
    static double cost_##i(const struct wl__problem *p) {                                                    \
        ++*p->asked;                                                                                         \
        return p->cost[i];                                                                                   \
    }                                                                                                        \
    static wl_error run_##i(const struct wl__problem *p) {                                                   \
        *p->ran = i + 1;                                                                                     \
        /* What a mover chooses in turn is not kept. */                                                      \
        wl__chose(NULL, &(const struct wl__choice){"inner", "inner", "inner", {{NULL, 0}}});                 \
        return p->error[i];                                                                                  \
    }
MOVER(0)
MOVER(1)
MOVER(2)

static const struct wl__mover movers[] = {
    {"special", "it is special", can_0, cost_0, run_0},
    {"plain", "it is plain", can_1, cost_1, run_1},
    {"floor", "nothing else can", can_2, cost_2, run_2},
};

static unsigned asked, ran;

static struct wl__problem problem(double special, double plain, double floor) {
    asked = ran = 0;
    return (struct wl__problem){
        .can = {true, true, true}, .cost = {special, plain, floor}, .asked = &asked, .ran = &ran};
}

static const char *picked(const struct wl__problem *p) {
    const struct wl__mover *mover = wl__mover_pick(WL_MOVERS(movers), 0, p);
    return mover ? mover->name : "none";
}

static void the_least_cost_of_those_that_can(void **state) {
    (void)state;
    struct wl__problem p = problem(1.4, 1.3, 1.5);
    assert_string_equal(picked(&p), "plain");
    p.can[1] = false;
    assert_string_equal(picked(&p), "special");
    p = problem(3, 1.6, 1.5);
    assert_string_equal(picked(&p), "floor");
    p.can[2] = false;
    assert_string_equal(picked(&p), "plain");
    p.can[0] = p.can[1] = false;
    assert_string_equal(picked(&p), "none");
}

static void the_first_of_equal_ones(void **state) {
    (void)state;
    struct wl__problem p = problem(1.5, 1.5, 1.5);
    assert_string_equal(picked(&p), "special");
    p.can[0] = false;
    assert_string_equal(picked(&p), "plain");
}

static void nothing_is_asked_after_one_as_fast_as_a_copy(void **state) {
    (void)state;
    struct wl__problem p = problem(2, WL_AS_COPY, 0.5);
    assert_string_equal(picked(&p), "plain");
    assert_int_equal(asked, 2);
    static const struct wl__mover free_one[] = {{"free", "", NULL, NULL, run_0},
                                                {"floor", "", NULL, cost_2, run_2}};
    p = problem(2, 2, 0.5);
    assert_string_equal(wl__mover_pick(WL_MOVERS(free_one), 0, &p)->name, "free");
    assert_int_equal(asked, 0);
}

static void the_choice_is_told(void **state) {
    (void)state;
    wl_context context = {.log = false};
    struct wl__problem p = problem(2, 1.2, 1.5);
    struct wl__choice choice = {.operation = "wl_x", .facts = {{"n", 7}}};
    p.error[1] = WL_ERROR_OUT_OF_MEMORY;
    assert_int_equal(wl__move(&context, WL_MOVERS(movers), &choice, &p), WL_ERROR_OUT_OF_MEMORY);
    assert_int_equal(ran, 2);
    assert_string_equal(wl_explain(), "wl_x: n 7: plain: it is plain");
}

static void the_next_cheapest_where_one_is_masked(void **state) {
    (void)state;
    wl_context context = {.log = false};
    struct wl__problem p = problem(2, 1.2, 1.5);
    struct wl__choice choice = {.operation = "wl_x"};
    p.error[1] = WL_ERROR_MASKED;
    assert_int_equal(wl__move(&context, WL_MOVERS(movers), &choice, &p), WL_ERROR_OK);
    assert_int_equal(ran, 3);
    assert_string_equal(wl_explain(), "wl_x: floor: nothing else can");
    p.error[2] = WL_ERROR_MASKED;
    assert_int_equal(wl__move(&context, WL_MOVERS(movers), &choice, &p), WL_ERROR_OK);
    assert_int_equal(ran, 1);
    p.error[0] = WL_ERROR_MASKED;
    assert_int_equal(wl__move(&context, WL_MOVERS(movers), &choice, &p), WL_ERROR_MASKED);
}

static void costs_are_in_order(void **state) {
    (void)state;
    assert_true(WL_AS_COPY < WL_SECOND && WL_SECOND < WL_FLOOR && WL_FLOOR < WL_DEAR);
    assert_true(wl__cost_where(true) <= WL_AS_COPY && wl__cost_where(false) > WL_FLOOR);
}

/* A device has the values of the newest architecture that is not newer. */
static void tuned_by_capability(void **state) {
    (void)state;
    static const struct {
        unsigned capability;
        const char *name;
    } cases[] = {{75, "generic"}, {80, "generic"}, {89, "generic"}, {90, "Hopper"}, {120, "Hopper"}};
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(wl__tuned_for(cases[i].capability)->name, cases[i].name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_cost_of_those_that_can),
        cmocka_unit_test(the_first_of_equal_ones),
        cmocka_unit_test(nothing_is_asked_after_one_as_fast_as_a_copy),
        cmocka_unit_test(the_choice_is_told),
        cmocka_unit_test(the_next_cheapest_where_one_is_masked),
        cmocka_unit_test(costs_are_in_order),
        cmocka_unit_test(tuned_by_capability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
