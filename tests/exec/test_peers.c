/* Kernels that touch another device's memory: who may, what crosses, and what is said of those who may not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/check/check.h"
#include "tests/exec/harness.h"

enum { LANES = 32, BYTES = 4096, ALL = -1 };

static struct harness h;
static struct sim_memory *other;
static uint64_t own_array, other_array;

static int setup(void **state) {
    (void)state;
    harness_start(&h);
    other = sim_memory_add_device(h.memory);
    assert_non_null(other);
    own_array = sim_memory_alloc(h.memory, BYTES, SIM_MEMORY_DEVICE);
    other_array = sim_memory_alloc(other, BYTES, SIM_MEMORY_DEVICE);
    memset((void *)(uintptr_t)own_array, 0, BYTES);
    memset((void *)(uintptr_t)other_array, 0, BYTES);
    return own_array && other_array ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    harness_close(&h);
    return 0;
}

/* In the instruction %rd3 is the lane's address, width bytes after the lane's before; %r5 is one in shared
 * memory, which has room for 16 bytes per lane. */
static void load(const char *instruction, unsigned width) {
    char text[2048];
    const int size = snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 own, .param .u64 other, .param .u32 mask) {\n"
        ".shared .align 16 .b8 s[512];\n.reg .b16 %%h<4>;\n.reg .b32 %%r<12>;\n.reg .b64 %%rd<6>;\n.reg "
        ".pred %%p1;\n"
        "ld.param.u64 %%rd1, [own]; ld.param.u64 %%rd2, [other]; ld.param.u32 %%r1, [mask];\n"
        "mov.u32 %%r2, %%tid.x; shr.u32 %%r3, %%r1, %%r2; and.b32 %%r3, %%r3, 1; setp.ne.u32 %%p1, %%r3, 0;\n"
        "selp.b64 %%rd3, %%rd2, %%rd1, %%p1; mul.wide.u32 %%rd4, %%r2, %u; add.u64 %%rd3, %%rd3, %%rd4;\n"
        "mov.u32 %%r5, s; shl.b32 %%r6, %%r2, 4; add.u32 %%r5, %%r5, %%r6; mov.u32 %%r7, 8; mov.u16 %%h1, "
        "1;\n"
        "%s\nret;\n}\n",
        width, instruction);
    assert_in_range(size, 1, sizeof text - 1);
    sim_module_unload(h.module);
    h.module = NULL;
    harness_load(&h, "peers.ptx", text, (size_t)size);
}

/* mask: the lanes that go to the other device's array. */
static bool launch(int mask) {
    return harness_launch(&h, "k", 1, LANES, 0, (const void *[]){&own_array, &other_array, &mask});
}

static void crosses(uint64_t load_requests, uint64_t loads, uint64_t store_requests, uint64_t stores,
                    uint64_t atomic_requests, uint64_t atomics) {
    assert_int_equal(h.counters.peer_load_requests, load_requests);
    assert_int_equal(h.counters.peer_load_transactions, loads);
    assert_int_equal(h.counters.peer_store_requests, store_requests);
    assert_int_equal(h.counters.peer_store_transactions, stores);
    assert_int_equal(h.counters.peer_atomic_requests, atomic_requests);
    assert_int_equal(h.counters.peer_atomic_transactions, atomics);
}

/* If all lanes cross, all that is counted does. */
static void all_crosses(void) {
    const struct wl_counters *c = &h.counters;
    crosses(c->global_load_requests + c->bulk_load_requests, c->gld_transactions + c->bulk_load_transactions,
            c->global_store_requests + c->bulk_store_requests,
            c->gst_transactions + c->bulk_store_transactions,
            c->global_atomic_requests + c->global_reduction_requests,
            c->global_atomic_transactions + c->global_reduction_transactions);
    assert_true(c->peer_load_requests + c->peer_store_requests + c->peer_atomic_requests > 0);
}

static void counts(void **state) {
    (void)state;
    static const struct {
        const char *instruction;
        unsigned width;
        int kind;             /* 0: load, 1: store, 2: atomic */
        unsigned few, sparse; /* sectors that eight lanes move, and lanes 0 and 31 */
    } cases[] = {
        {"ld.global.u32 %r4, [%rd3];", 4, 0, 1, 2},
        {"ld.global.v4.u32 {%r4, %r8, %r9, %r10}, [%rd3];", 16, 0, 4, 2},
        {"ld.u64 %rd5, [%rd3];", 8, 0, 2, 2},
        {"ld.volatile.global.u8 %r4, [%rd3];", 1, 0, 1, 1},
        {"cp.async.cg.shared.global [%r5], [%rd3], 16; cp.async.wait_all;", 16, 0, 4, 2},
        {"cp.async.cg.shared.global [%r5], [%rd3], 16, %r7; cp.async.wait_all;", 16, 0, 4, 2},
        {"st.global.u64 [%rd3], %rd4;", 8, 1, 2, 2},
        {"st.u32 [%rd3], %r2;", 4, 1, 1, 2},
        {"red.global.add.u32 [%rd3], %r2;", 4, 2, 1, 2},
        {"atom.global.add.u32 %r4, [%rd3], %r2;", 4, 2, 1, 2},
        {"atom.add.u64 %rd5, [%rd3], %rd4;", 8, 2, 2, 2},
    };
    h.with.peers = 1 << 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        load(cases[i].instruction, cases[i].width);
        assert_true(launch(0));
        crosses(0, 0, 0, 0, 0, 0);
        const struct wl_counters own = h.counters;
        assert_true(launch(ALL));
        all_crosses();
        assert_int_equal(h.counters.gld_transactions, own.gld_transactions);
        assert_int_equal(h.counters.gst_transactions, own.gst_transactions);
        const struct {
            int mask;
            unsigned sectors;
        } parts[] = {{0xff, cases[i].few}, {INT32_MIN | 1, cases[i].sparse}};
        for (size_t p = 0; p < 2; p++) {
            assert_true(launch(parts[p].mask));
            const unsigned n = parts[p].sectors;
            const int kind = cases[i].kind;
            crosses(kind == 0, kind == 0 ? n : 0, kind == 1, kind == 1 ? n : 0, kind == 2, kind == 2 ? n : 0);
        }
    }
}

/* Constants are no global loads, so they do not cross either. */
static void counts_no_constants(void **state) {
    (void)state;
    h.with.peers = 1 << 1;
    load("ld.const.u32 %r4, [%rd3];", 4);
    assert_true(launch(ALL));
    crosses(0, 0, 0, 0, 0, 0);
    assert_int_equal(h.counters.global_load_requests, 0);
}

/* Memory of another device that all of them reach is still another's. */
static void counts_what_all_reach(void **state) {
    (void)state;
    load("st.global.u32 [%rd3], %r2;", 4);
    h.with.peers = 0;
    assert_true(sim_memory_set_access(h.memory, other_array, SIM_ACCESS_OF(SIM_MAX_DEVICES) - 1));
    assert_true(launch(ALL));
    crosses(0, 0, 1, 4, 0, 0);
    assert_true(sim_memory_set_access(h.memory, other_array, SIM_ACCESS_OF(1) | SIM_ACCESS_BY_PEERS));
}

/* Atomics that ptxas makes loops of, and bulk copies, are counted elsewhere. */
static void counts_of_loops_and_bulk_copies(void **state) {
    (void)state;
    h.with.peers = 1 << 1;
    load("atom.global.cas.b16 %h2, [%rd3], %h1, %h1;", 2);
    assert_true(launch(0));
    crosses(0, 0, 0, 0, 0, 0);
    assert_true(launch(ALL));
    all_crosses();
    load("cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r5], 16;", 16);
    assert_true(launch(0));
    crosses(0, 0, 0, 0, 0, 0);
    assert_true(launch(ALL));
    all_crosses();
    assert_int_equal(h.counters.peer_store_requests, LANES);
    assert_true(launch(7));
    assert_int_equal(h.counters.peer_store_requests, 3);
}

/* Counts do not depend on the threads, and the instruction has its share. */
static void add_share(void *argument, const struct sim_instruction_count *count) {
    *(uint64_t *)argument += count->counters.peer_store_transactions;
}

static void shares(void **state) {
    (void)state;
    uint64_t told = 0;
    int mask = 0xffff;
    const void *const params[] = {&own_array, &other_array, &mask};
    h.with.peers = 1 << 1;
    h.with.each = add_share;
    h.with.argument = &told;
    load("st.global.u32 [%rd3], %r2;", 4);
    for (unsigned threads = 1; threads <= 4; threads++) {
        told = 0;
        assert_true(harness_launch_3d(&h, "k", (uint32_t[]){64, 1, 1}, (uint32_t[]){LANES, 1, 1}, 0, params,
                                      threads));
        assert_int_equal(h.counters.peer_store_transactions, 64 * 2);
        assert_int_equal(told, 64 * 2);
    }
    h.with.each = NULL;
}

static void is_refused(const char *instruction, unsigned width) {
    load(instruction, width);
    assert_true(launch(0));
    assert_false(launch(1 << 5));
    assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
    assert_int_equal(h.fault.thread[0], 5);
    if (!strstr(h.fault.text, "is in memory of device 1, to which device 0 has no peer access: call "
                              "cuCtxEnablePeerAccess or cudaDeviceEnablePeerAccess"))
        fail_msg("%s", h.fault.text);
}

static void refusals(void **state) {
    (void)state;
    h.with.peers = 0;
    is_refused("ld.global.u32 %r4, [%rd3];", 4);
    is_refused("st.u32 [%rd3], %r4;", 4);
    is_refused("red.global.add.u32 [%rd3], %r2;", 4);
    is_refused("cp.async.cg.shared.global [%r5], [%rd3], 16, %r7;", 16);
    is_refused("cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r5], 16;", 16);
    h.with.peers = 1 << 2; /* another device's */
    is_refused("ld.global.u32 %r4, [%rd3];", 4);
    h.with.peers = 0;
    /* Access to one allocation, as to a pool's. */
    load("st.global.u32 [%rd3], %r2;", 4);
    assert_true(sim_memory_set_access(h.memory, other_array, SIM_ACCESS_OF(1) | SIM_ACCESS_OF(0)));
    assert_true(launch(ALL));
    assert_int_equal(h.counters.peer_store_transactions, 4);
    assert_true(sim_memory_set_access(h.memory, other_array, SIM_ACCESS_OF(1)));
    h.with.peers = 1 << 1;
    assert_false(launch(ALL));
    assert_non_null(strstr(h.fault.text, "has no access: call cuMemPoolSetAccess or cudaMemPoolSetAccess"));
    assert_true(sim_memory_set_access(h.memory, other_array, SIM_ACCESS_OF(1) | SIM_ACCESS_BY_PEERS));
}

/* Where memory is packed, an access may leave its array, but not go on into another device's. */
static void stays_on_the_device(void **state) {
    (void)state;
    enum { PAGE = 2 << 20 };
    const struct harness saved = h;
    const uint64_t saved_own = own_array;
    harness_start(&h);
    struct sim_memory *next = sim_memory_add_device(h.memory);
    const bool packed = sim_memory_pack(h.memory);
    const uint64_t array = sim_memory_alloc(next, PAGE, SIM_MEMORY_DEVICE);
    own_array = sim_memory_alloc(h.memory, PAGE, SIM_MEMORY_DEVICE);
    if (packed) {
        assert_true(own_array + PAGE == array); /* pages are taken downwards */
        load("mov.u32 %r5, s; st.shared.u32 [%r5+508], 7; setp.eq.u32 %p1, %r2, 0;\n"
             "add.u64 %rd3, %rd1, 2096896;\n"
             "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r5], 512;",
             4);
        assert_false(launch(0));
        assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
        assert_int_equal(*(uint32_t *)(uintptr_t)(array + 252), 0);
    }
    harness_close(&h);
    h = saved;
    own_array = saved_own;
}

static void note(void *argument, const struct sim_finding *finding) {
    sim_finding_describe(finding, argument, 1024);
}

/* The check reports the lanes, and the launch goes on without them. */
static void checked(void **state) {
    (void)state;
    char text[1024] = "";
    h.with.peers = 0;
    h.check = sim_check_create(h.memory, SIM_CHECK_MEMORY, note, text);
    assert_non_null(h.check);
    load("st.global.u32 [%rd3], %r7;", 4);
    memset((void *)(uintptr_t)other_array, 0, 128);
    assert_true(launch(1 << 3));
    if (!strstr(text, "is in memory of device 1, to which device 0 has no peer access"))
        fail_msg("'%s'", text);
    assert_int_equal(((uint32_t *)(uintptr_t)other_array)[3], 0);
    assert_int_equal(((uint32_t *)(uintptr_t)own_array)[4], 8);
    text[0] = 0;
    h.with.peers = 1 << 1;
    assert_true(launch(1 << 3));
    assert_string_equal(text, "");
    assert_int_equal(((uint32_t *)(uintptr_t)other_array)[3], 8);
    crosses(0, 0, 1, 1, 0, 0);
    sim_check_destroy(h.check);
    h.check = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_no_constants),
        cmocka_unit_test(counts_what_all_reach),
        cmocka_unit_test(counts),
        cmocka_unit_test(counts_of_loops_and_bulk_copies),
        cmocka_unit_test(shares),
        cmocka_unit_test(refusals),
        cmocka_unit_test(stays_on_the_device),
        cmocka_unit_test(checked),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
