/* Contiguous loads from shared memory that ptxas merges, and loads that only look like it.  Each thread reads
 * four words of its own 16 bytes: one load of 16 bytes takes a warp 4 passes, four loads of 4 bytes take 4
 * passes each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

enum { THREADS = 32, WORDS = 4 };

/* Puts the number of the first byte into %base; LOAD reads the words one by one. */
#define LOAD                                                                                                 \
    "ld.shared.u32 %r4, [%base]; ld.shared.u32 %r5, [%base+4]; ld.shared.u32 %r6, [%base+8];"                \
    "ld.shared.u32 %r7, [%base+12];"

/* Adds a term that is always 0. */
#define SHIFTED(shift)                                                                                       \
    shift "; and.b32 %r2, %r2, %zero2; mul.lo.u32 %base, %tid0, 16; add.u32 %base, %base, %r2;" LOAD

static const struct {
    const char *name, *body;
    uint64_t requests, wavefronts;
} cases[] = {
    {"aligned by a shift", "shl.b32 %base, %tid0, 4;" LOAD, 1, 4},
    {"aligned by a product", "mul.lo.u32 %base, %tid0, 16;" LOAD, 1, 4},
    {"aligned through a wider register", "mul.wide.u32 %d0, %tid0, 16; cvt.u32.u64 %base, %d0;" LOAD, 1, 4},
    {"of unknown alignment", "mul.lo.u32 %base, %tid0, %sixteen;" LOAD, 4, 16},
    {"through floats",
     "shl.b32 %base, %tid0, 4; cvt.rn.f32.u32 %f0, %base; mul.f32 %f0, %f0, 0f3F800000; cvt.rzi.u32.f32 "
     "%base, %f0;" LOAD,
     4, 16},
    {"saturated", "shl.b32 %base, %tid0, 4; add.sat.s32 %base, %base, 0;" LOAD, 4, 16},
    {"the upper half of a pair",
     "mul.lo.u32 %r2, %tid0, %sixteen; mov.b64 %d0, {%zero, %r2}; and.b64 %d3, %d0, -16;"
     "mov.b64 {%r1, %base}, %d3;" LOAD,
     4, 16},
    /* To %base a term is added, whose low bits are those that a shift of an odd number leaves. */
    {"by a shift of 3 bits", SHIFTED("shl.b32 %r2, %tid0, 3"), 2, 8},
    {"by a shift of 4 bits", SHIFTED("shl.b32 %r2, %tid0, 4"), 1, 4},
    {"by a shift of 31 bits", SHIFTED("shl.b32 %r2, %tid0, 31"), 1, 4},
    {"by a shift of 32 bits", SHIFTED("shl.b32 %r2, %tid0, 32"), 4, 16},
    {"by a shift of as many bits as a register says", SHIFTED("shl.b32 %r2, %tid0, %sixteen"), 4, 16},
    {"under a condition", "setp.lt.u32 %p0, %tid0, 32; @%p0 shl.b32 %base, %tid0, 4;" LOAD, 4, 16},
    {"of loads under a condition",
     "setp.lt.u32 %p0, %tid0, 32; shl.b32 %base, %tid0, 4; @%p0 ld.shared.u32 %r4, [%base];"
     "@%p0 ld.shared.u32 %r5, [%base+4]; @%p0 ld.shared.u32 %r6, [%base+8];"
     "@%p0 ld.shared.u32 %r7, [%base+12];",
     4, 16},
    {"of pairs",
     "shl.b32 %base, %tid0, 4; ld.shared.v2.u32 {%r4, %r5}, [%base];"
     "ld.shared.v2.u32 {%r6, %r7}, [%base+8];",
     1, 4},
    {"of a pair alone",
     "shl.b32 %base, %tid0, 4; ld.shared.v2.u32 {%r4, %r5}, [%base]; bar.sync 0;"
     "ld.shared.u32 %r6, [%base+8]; bar.sync 0; ld.shared.u32 %r7, [%base+12];",
     3, 12},
};

static void run(const char *name, const char *body, uint64_t requests, uint64_t wavefronts) {
    char text[4096];
    snprintf(text, sizeof text,
             ".version 7.0\n.target sm_75\n.address_size 64\n"
             ".visible .entry run(.param .u64 to, .param .u32 sixteen) {\n"
             ".shared .align 16 .b8 tile[512]; .reg .b32 %%r<16>, %%base, %%tid0, %%sixteen, %%zero, %%at, "
             "%%zero2;\n"
             ".reg .b64 %%d<8>; .reg .f32 %%f<2>; .reg .pred %%p0;\n"
             "mov.u32 %%tid0, %%tid.x; ld.param.u32 %%sixteen, [sixteen]; mov.u32 %%zero, 0;\n"
             "sub.u32 %%zero2, %%sixteen, 16;\n"
             "mul.lo.u32 %%at, %%tid0, %%sixteen;\n"
             "mad.lo.u32 %%r8, %%tid0, 100, 0; st.shared.u32 [%%at], %%r8; bar.sync 0;\n"
             "add.u32 %%r8, %%r8, 1; st.shared.u32 [%%at+4], %%r8; bar.sync 0;\n"
             "add.u32 %%r8, %%r8, 1; st.shared.u32 [%%at+8], %%r8; bar.sync 0;\n"
             "add.u32 %%r8, %%r8, 1; st.shared.u32 [%%at+12], %%r8; bar.sync 0;\n"
             "%s\n"
             "ld.param.u64 %%d1, [to]; mul.wide.u32 %%d2, %%tid0, 16; add.u64 %%d1, %%d1, %%d2;\n"
             "st.global.u32 [%%d1], %%r4; st.global.u32 [%%d1+4], %%r5; st.global.u32 [%%d1+8], %%r6;\n"
             "st.global.u32 [%%d1+12], %%r7; ret;\n}\n",
             body);
    struct harness h = {.memory = sim_memory_create(1 << 20)};
    struct ptx_error error;
    assert_non_null(h.memory);
    if (!sim_module_load(h.memory, name, text, strlen(text), &h.module, &error))
        fail_msg("%s: %s", name, error.text);
    uint32_t *to = harness_buffer(&h, THREADS * WORDS * sizeof *to), sixteen = 16;
    if (!harness_launch(&h, "run", 1, THREADS, 0, (const void *[]){&to, &sixteen}))
        fail_msg("%s: %s", name, h.fault.text);
    for (uint32_t i = 0; i < THREADS * WORDS; i++)
        assert_int_equal(to[i], i / WORDS * 100 + i % WORDS);
    if (h.counters.shared_load_requests != requests || h.counters.shared_load_transactions != wavefronts)
        fail_msg("%s: %llu requests, %llu wavefronts", name,
                 (unsigned long long)h.counters.shared_load_requests,
                 (unsigned long long)h.counters.shared_load_transactions);
    harness_close(&h);
}

static void test_loads(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run(cases[i].name, cases[i].body, cases[i].requests, cases[i].wavefronts);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
