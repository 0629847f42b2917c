/* Forms of instructions on memory, barriers and matrices: accepted forms, and similar ones that are refused,
 * with a message at the instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

static const struct {
    const char *line;
    bool taken;
} forms[] = {
    /* Operands of loads and stores; the third is a cache policy, of 64 bits. */
    {"ld.global.u32 %r1, [%d1];", true},
    {"ld.global.u32 %r1;", false},
    {"ld.global.L2::cache_hint.u32 %r1, [%d1], %d2;", true},
    {"ld.global.L2::cache_hint.u32 %r1, [%d1], 64;", true},
    {"ld.global.L2::cache_hint.u32 %r1, [%d1], %r2;", false},
    {"ld.global.L2::cache_hint.u32 %r1, [%d1], [%d2];", false},
    {"ld.global.L2::cache_hint.u32 %r1, [%d1];", false},
    {"ld.global.L2::cache_hint.u32 %r1, [%d1], %d2, %d3;", false},
    {"st.global.u32 [%d1], %r1;", true},
    {"st.global.u32 [%d1];", false},
    {"st.global.L2::cache_hint.u64 [%d1], %d2, %d3;", true},
    {"st.global.L2::cache_hint.u64 [%d1], %d2;", false},
    {"st.global.L2::cache_hint.u64 [%d1], %d2, %d3, %d4;", false},
    /* Up to 32 bytes, in wide enough registers. */
    {"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];", true},
    {"ld.global.v4.u32 {%r1, %r2, %r3}, [%d1];", false},
    {"ld.global.v4.u64 {%d2, %d3, %d4, %d5}, [%d1];", true},
    {"ld.global.v8.u32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%d1];", true},
    {"ld.global.v8.u64 {%d2, %d3, %d4, %d5, %d6, %d7, %d8, %d9}, [%d1];", false},
    {"ld.global.v2 {%r1, %r2}, [%d1];", false},
    {"ld.global.u64 %r1, [%d1];", false},
    {"ld.global.u32 %d2, [%d1];", true},
    {"ld.global.u32 %h1, [%d1];", false},
    {"st.global.u32 [%d1], %d2;", true},
    /* Operands of atomics. */
    {"atom.global.add.u32 %r1, [%d1], %r2;", true},
    {"atom.global.add.u32 %r1, [%d1];", false},
    {"atom.global.add.L2::cache_hint.u32 %r1, [%d1], %r2, %d2;", true},
    {"atom.global.add.L2::cache_hint.u32 %r1, [%d1], %r2, %d3, %d2;", false},
    {"atom.global.cas.b32 %r1, [%d1], %r2, %r3;", true},
    {"atom.global.cas.b32 %r1, [%d1], %r2;", false},
    {"red.global.add.u32 [%d1], %r2;", true},
    {"red.global.add.u32 [%d1];", false},
    {"red.global.add.L2::cache_hint.u32 [%d1], %r2, %d2;", true},
    {"red.global.add.L2::cache_hint.u32 [%d1], %r2, %d3, %d2;", false},
    /* Vectors of them: both sides, or the only one, have the instruction's number of elements. */
    {"atom.global.add.v2.f32 {%f1, %f2}, [%d1], {%f3, %f4};", true},
    {"atom.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%d1], {%f1, %f2, %f3, %f4};", true},
    {"atom.global.add.v2.f32 %f1, [%d1], {%f3, %f4};", false},
    {"atom.global.add.v2.f32 {%f1, %f2}, [%d1], %f3;", false},
    {"atom.global.add.v2.f32 {%f1, %f2}, [%d1], {%f3, %f4, %f5};", false},
    {"atom.global.add.v2.f32 {%f1, %f2, %f3}, [%d1], {%f3, %f4};", false},
    {"red.global.add.v2.f32 [%d1], {%f3, %f4};", true},
    {"red.global.add.v2.f32 [%d1], %f3;", false},
    {"red.global.add.v2.f32 [%d1], {%f3, %f4, %f5};", false},
    /* Copies of 4, 8 and 16 bytes. */
    {"cp.async.ca.shared.global [%r1], [%d1], 4;", true},
    {"cp.async.ca.shared.global [%r1], [%d1], 16;", true},
    {"cp.async.ca.shared.global [%r1], [%d1], 12;", false},
    {"cp.async.ca.shared.global [%r1], [%d1], %r2;", false},
    {"cp.async.ca.shared.global [%r1], [%d1];", false},
    /* Barriers: a number, and the number of waiting threads. */
    {"bar.sync 1;", true},
    {"bar.sync 1, 64;", true},
    {"bar.sync;", false},
    {"bar.sync 1, 64, 32;", false},
    {"bar.arrive 1, 64;", true},
    {"bar.arrive 1;", false},
    {"bar.red.popc.u32 %r1, 1, %p1;", true},
    {"bar.red.popc.u32 %r1, 1, 64, %p1;", true},
    {"bar.red.popc.u32 %r1, 1;", false},
    {"bar.red.popc.u32 %r1, 1, 64, 32, %p1;", false},
    /* Barriers in memory. */
    {"mbarrier.init.shared.b64 [%r1], 1;", true},
    {"mbarrier.init.shared.b64 [%r1];", false},
    {"mbarrier.init.shared.b64 [%r1], 1, 1;", false},
    {"mbarrier.inval.shared.b64 [%r1];", true},
    {"mbarrier.inval.shared.b64 [%r1], 1;", false},
    {"mbarrier.arrive.shared.b64 %d2, [%r1];", true},
    {"mbarrier.arrive.shared.b64 %d2, [%r1], 2;", true},
    {"mbarrier.arrive.shared.b64 %d2, [%r1], 2, 2;", false},
    {"mbarrier.arrive.expect_tx.shared.b64 %d2, [%r1], 16;", true},
    {"mbarrier.arrive.expect_tx.shared.b64 %d2, [%r1];", false},
    {"mbarrier.arrive.noComplete.shared.b64 %d2, [%r1], 1;", true},
    {"mbarrier.arrive.noComplete.shared.b64 %d2, [%r1];", false},
    {"mbarrier.test_wait.shared.b64 %p1, [%r1], %d2;", true},
    {"mbarrier.test_wait.shared.b64 %p1, [%r1];", false},
    {"mbarrier.test_wait.shared.b64 %p1, [%r1], %d2, %r2;", false},
    {"mbarrier.try_wait.shared.b64 %p1, [%r1], %d2;", true},
    {"mbarrier.try_wait.shared.b64 %p1, [%r1], %d2, %r2;", true},
    {"mbarrier.try_wait.shared.b64 %p1, [%r1], %d2, %r2, %r2;", false},
    /* Bulk copies: each direction has its own completion. */
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], 16, [%r2];", true},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], 16;", false},
    {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r3], 16, [%r2];", true},
    {"cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 16;", true},
    {"cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 16, [%r2];", false},
    {"cp.async.bulk.global.shared::cta [%d1], [%r1], 16;", false},
    {"cp.async.bulk.global.shared::cluster.bulk_group [%d1], [%r1], 16;", false},
    {"cp.async.bulk.shared::cluster.global.bulk_group [%r1], [%d1], 16, [%r2];", false},
    /* Matrices: registers, an address, and the distance of rows. */
    {"wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4}, [%r5];", true},
    {"wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4}, [%r5], 32;", true},
    {"wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4}, [%r5], 32, 32;", false},
    {"wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4};", false},
    {"wmma.load.c.sync.aligned.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4}, [%r5];", false},
    {"wmma.load.c.sync.aligned.row.m16n16k16.shared {%r1, %r2, %r3, %r4}, [%r5];", false},
};

static void test_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[1024];
        const int size =
            snprintf(text, sizeof text,
                     ".version 8.4\n.target sm_90\n.address_size 64\n"
                     ".visible .entry k() {\n.reg .b16 %%h<2>; .reg .b32 %%r<9>; .reg .f32 %%f<6>;"
                     ".reg .b64 %%d<10>; .reg .pred %%p<2>;\n%s\nret;\n}\n",
                     forms[i].line);
        assert_in_range(size, 1, sizeof text - 1);
        struct sim_memory *memory = sim_memory_create(1 << 24);
        assert_non_null(memory);
        struct sim_module *module = NULL;
        struct ptx_error error = {.pos = {0, 0}};
        const bool taken = sim_module_load(memory, "forms", text, (size_t)size, &module, &error);
        if (taken != forms[i].taken)
            fail_msg("%s is %s", forms[i].line, taken ? "taken" : error.text);
        if (taken)
            sim_module_unload(module);
        else
            assert_int_equal(error.pos.line, 6);
        sim_memory_destroy(memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
