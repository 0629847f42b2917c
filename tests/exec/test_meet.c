/* Where ptxas has lanes meet before their branch's post-dominator, and where not: the order of blocks in the
 * text must not matter, and some edges only look like a loop's end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

enum { THREADS = 32, WORDS = 4 * THREADS };

/* A warp's counts.  The body has its thread's number in %tid0 and an address of its own in %d0. */
static struct wl_counters run(const char *body) {
    const size_t room = strlen(body) + 1000;
    char *text = malloc(room);
    assert_non_null(text);
    const int size = snprintf(text, room,
                              ".version 7.0\n.target sm_75\n.address_size 64\n"
                              ".visible .entry run(.param .u64 to) {\n"
                              ".reg .b32 %%tid0, %%r<9>; .reg .b64 %%d<3>; .reg .pred %%p<3>;\n"
                              "mov.u32 %%tid0, %%tid.x; ld.param.u64 %%d0, [to]; mov.u32 %%r0, 0;\n"
                              "mul.wide.u32 %%d1, %%tid0, 4; add.u64 %%d0, %%d0, %%d1;\n%s}\n",
                              body);
    assert_in_range(size, 1, room - 1);
    struct harness h;
    harness_start(&h);
    harness_load(&h, "meet", text, (size_t)size);
    free(text);
    uint32_t *to = harness_buffer(&h, WORDS * sizeof *to);
    if (!harness_launch(&h, "run", 1, THREADS, 0, (const void *[]){&to}))
        fail_msg("%s", h.fault.text);
    harness_close(&h);
    return h.counters;
}

/* A lane makes 1 to 11 rounds; five lanes leave by the break, each in a different round. */
#define BOUND "rem.u32 %r1, %tid0, 11; add.u32 %r1, %r1, 1;\n"
#define HEAD  "mad.lo.u32 %r2, %r0, 4, 3; setp.eq.u32 %p0, %r2, %tid0;\n"
#define LATCH "add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, %r1;\n"
#define BREAK "st.global.u32 [%d0], %r0;\n"
#define END   "st.global.u32 [%d0+128], %r0;\n"
#define ALL   "ALL: st.global.u32 [%d0+256], %r0; ret;\n"

/* ptxas produces the same machine code for both texts. */
static void test_loop_end_in_any_order(void **state) {
    (void)state;
    static const char *const texts[] = {
        BOUND "HEAD: " HEAD "@%p0 bra BREAK;\n" LATCH "@%p1 bra HEAD;\n" END "bra ALL;\n"
              "BREAK: " BREAK ALL,
        BOUND "bra HEAD;\n"
              "LATCH: " LATCH "@!%p1 bra END;\n"
              "HEAD: " HEAD "@!%p0 bra LATCH;\n" BREAK "bra ALL;\n"
              "END: " END ALL,
    };
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(run(texts[i]).global_store_requests, 5 + 1 + 1);
}

/* Even lanes go back to the outer loop's head in the first step, from the middle of the inner loop: the code
 * after that is not the end of a loop, and odd lanes do not wait for them there. */
static void test_no_loop_end_within_the_loop(void **state) {
    (void)state;
    const struct wl_counters counters =
        run("mov.u32 %r3, 0;\n"
            "OUTER: add.u32 %r0, %r0, 1;\n"
            "INNER: add.u32 %r3, %r3, 1; setp.gt.u32 %p0, %r3, 90; @%p0 bra BREAK;\n"
            "and.b32 %r4, %tid0, 1; add.u32 %r4, %r4, %r3; setp.eq.u32 %p1, %r4, 1; @%p1 bra OUTER;\n"
            "ld.global.u32 %r5, [%d0]; setp.lt.u32 %p2, %r3, 3; @%p2 bra INNER;\n" END "bra ALL;\n"
            "BREAK: " BREAK ALL);
    assert_int_equal(counters.global_load_requests, 3 + 2);
}

/* In each half some lanes return and the others continue together: those that return do so separately. */
static void test_no_place_at_a_return(void **state) {
    (void)state;
    const struct wl_counters counters = run(
        "and.b32 %r1, %tid0, 1; setp.eq.u32 %p0, %r1, 1; and.b32 %r1, %tid0, 2; setp.eq.u32 %p1, %r1, 2;\n"
        "@%p0 bra SECOND;\n"
        "@%p1 bra LAST; st.global.u32 [%d0], %r1; bra DONE;\n"
        "SECOND: @%p1 bra LAST; st.global.u32 [%d0+128], %r1; bra DONE;\n"
        "LAST: st.global.u32 [%d0+256], %r1;\n"
        "DONE: ret;\n");
    assert_int_equal(counters.global_store_requests, 3);
    /* 9 and the first branch; a branch, a store, a branch and a return for each half; the last store and
     * return. */
    assert_int_equal(counters.inst_executed, 10 + 2 * 4 + 2);
}

/* Half of the lanes leave the others' way; half of those return, after so many blocks.  Nobody waits for them
 * where the others meet, if the way is short. */
static void test_short_returns(void **state) {
    (void)state;
    for (unsigned blocks = 254; blocks <= 258; blocks++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        fputs("setp.gt.u32 %p0, %tid0, 15; @%p0 bra MEET; setp.gt.u32 %p1, %tid0, 7; @%p1 bra STAY;\n", out);
        for (unsigned i = 0; i < blocks; i++)
            fprintf(out, "add.u32 %%r0, %%r0, 1; bra B%u; B%u:\n", i, i);
        fputs("ret;\nSTAY: add.u32 %r0, %r0, 2;\nMEET: st.global.u32 [%d0], %r0; ret;\n", out);
        fclose(out);
        const uint64_t stores = run(text).global_store_requests;
        if (stores != (blocks <= 256 ? 1 : 2))
            fail_msg("%u blocks: %llu stores", blocks, (unsigned long long)stores);
        free(text);
    }
}

/* Loops one after the other, more than a function may have blocks in one. */
static void test_many_loops(void **state) {
    (void)state;
    enum { LOOPS = 3000, ROUNDS = 2 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (unsigned i = 0; i < LOOPS; i++)
        fprintf(out,
                "mov.u32 %%r0, 0; L%u: st.global.u32 [%%d0], %%r0; add.u32 %%r0, %%r0, 1;"
                " setp.lt.u32 %%p0, %%r0, %d; @%%p0 bra L%u;\n",
                i, ROUNDS, i);
    fputs("ret;\n", out);
    fclose(out);
    const struct wl_counters counters = run(text);
    assert_int_equal(counters.global_store_requests, LOOPS * ROUNDS);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop_end_in_any_order),
        cmocka_unit_test(test_no_loop_end_within_the_loop),
        cmocka_unit_test(test_no_place_at_a_return),
        cmocka_unit_test(test_short_returns),
        cmocka_unit_test(test_many_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
