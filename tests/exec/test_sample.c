/* Samples of requests: every request is in one kind, and every byte in one part of an array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

/* %r1 is the thread's number in the grid; %rd1 to %rd3 are the parameters. */
#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q, .param " \
    ".u64 r) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n.shared .align 16 .b8 s[8192];\n"    \
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u64 %rd3, [r];\n"                              \
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r1, %r2, %r3, %r1;\n"
#define TAIL "\nret;\n}\n"

enum { SPACES = 4, MOST_ARRAYS = SIM_ARRAYS + 1 };

/* What a launch told. */
struct told {
    struct sim_kind kinds[SPACES]; /* all requests of a space, summed */
    struct sim_kind first[64];     /* the kinds, in the order in which they were told */
    size_t kind_count;
    struct sim_array arrays[MOST_ARRAYS];
    size_t array_count;
    bool failed; /* some requests are missing */
};

static struct harness h;
static struct told told;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

static bool counting;
static size_t allocations, failing; /* while counting, each allocation from this one on fails; 0: none */

void *__wrap_calloc(size_t count, size_t size) {
    if (counting && ++allocations >= failing && failing)
        return NULL;
    return __real_calloc(count, size);
}

static int setup(void **state) {
    (void)state;
    harness_start(&h);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    harness_close(&h);
    return 0;
}

static void tell_instruction(void *argument, const struct sim_instruction_count *count) {
    struct told *out = argument;
    assert_non_null(count->kinds);
    for (const struct sim_kind *kind = *count->kinds; kind; kind = kind->next) {
        struct sim_kind *sum = &out->kinds[kind->space];
        sum->requests += kind->requests;
        sum->moved += kind->moved;
        sum->useful += kind->useful;
        sum->order += kind->requests * kind->transactions; /* the transactions of all */
        /* The example costs what its kind says. */
        struct count_access access = kind->access;
        access.address = kind->address;
        const struct count_rules *rules = count_rules_find(NULL);
        const struct count_result cost = kind->space == SIM_SAMPLE_SHARED  ? count_shared(rules, &access)
                                         : kind->space == SIM_SAMPLE_LOCAL ? count_local(rules, &access)
                                                                           : count_global(rules, &access);
        assert_int_equal(cost.transactions, kind->transactions);
        assert_true(out->kind_count < 64);
        out->first[out->kind_count++] = *kind;
    }
}

static void tell_array(void *argument, const struct sim_array *array) {
    struct told *out = argument;
    assert_false(out->failed);
    if (!array) {
        out->failed = true;
        return;
    }
    assert_true(out->array_count < MOST_ARRAYS);
    out->arrays[out->array_count++] = *array;
}

static void load(const char *text) {
    sim_module_unload(h.module);
    h.module = NULL;
    harness_load(&h, "sample.ptx", text, strlen(text));
}

static bool launch(unsigned grid, unsigned block, uint64_t p, uint64_t q, uint64_t r) {
    memset(&told, 0, sizeof told);
    h.with.each = tell_instruction;
    h.with.array = tell_array;
    h.with.argument = &told;
    return harness_launch(&h, "k", grid, block, 0, (const void *[]){&p, &q, &r});
}

static struct sim_cell whole(const struct sim_array *array) {
    struct sim_cell sum = {0};
    for (unsigned i = 0; i < array->cells; i++)
        for (int way = 0; way < SIM_CELL_WAYS; way++) {
            sum.useful[way] += array->cell[i].useful[way];
            sum.moved[way] += array->cell[i].moved[way];
        }
    return sum;
}

/* Nothing is lost: kinds and arrays add up to the counters. */
static void expect_sums(void) {
    const struct wl_counters *c = &h.counters;
    const struct sim_kind *global = &told.kinds[SIM_SAMPLE_GLOBAL], *shared = &told.kinds[SIM_SAMPLE_SHARED];
    assert_int_equal(global->requests, c->global_load_requests + c->global_store_requests +
                                           c->global_atomic_requests + c->global_reduction_requests);
    assert_int_equal(global->order, c->gld_transactions + c->gst_transactions +
                                        c->global_atomic_transactions + c->global_reduction_transactions);
    assert_int_equal(shared->requests,
                     c->shared_load_requests + c->shared_store_requests + c->shared_atomic_requests);
    assert_int_equal(shared->order, c->shared_load_transactions + c->shared_store_transactions +
                                        c->shared_atomic_transactions);
    assert_int_equal(shared->useful, c->shared_useful_bytes);
    struct sim_cell sum = {0};
    for (size_t i = 0; i < told.array_count; i++) {
        const struct sim_cell array = whole(&told.arrays[i]);
        for (int way = 0; way < SIM_CELL_WAYS; way++) {
            sum.useful[way] += array.useful[way];
            sum.moved[way] += array.moved[way];
        }
    }
    assert_int_equal(sum.useful[SIM_CELL_READ], c->gld_useful_bytes);
    assert_int_equal(sum.moved[SIM_CELL_READ], c->gld_moved_bytes);
    assert_int_equal(sum.useful[SIM_CELL_READ] + sum.useful[SIM_CELL_WRITTEN], global->useful);
    assert_int_equal(sum.moved[SIM_CELL_READ] + sum.moved[SIM_CELL_WRITTEN], global->moved);
}

/* Element i of one array goes to element i times a stride of another, in 4-byte words. */
#define MOVE                                                                                                 \
    HEAD "mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r4, [%rd4];\n"                 \
         "cvt.u32.u64 %r5, %rd3; mul.lo.u32 %r5, %r5, %r1; mul.wide.u32 %rd5, %r5, 4;\n"                     \
         "add.u64 %rd5, %rd2, %rd5; st.global.u32 [%rd5], %r4;" TAIL

static void requests_have_kinds(void **state) {
    (void)state;
    load(MOVE);
    const uint64_t in = (uintptr_t)harness_buffer(&h, 65536 * 4),
                   out = (uintptr_t)harness_buffer(&h, 65536 * 4 * 9);
    for (unsigned threads = 1; threads <= 3; threads++)
        for (unsigned stride = 1; stride <= 9; stride += 4) {
            h.with.threads = threads;
            /* 1000 threads a block: its last warp has 8 lanes, and so a kind of its own. */
            assert_true(launch(65, 1000, in, out, stride));
            expect_sums();
            assert_int_equal(told.kinds[SIM_SAMPLE_GLOBAL].requests, 65 * 32 * 2);
            for (size_t i = 0; i < told.kind_count; i++) {
                const struct sim_kind *kind = &told.first[i];
                const unsigned lanes = (unsigned)__builtin_popcount(kind->access.mask);
                assert_int_equal(kind->block[0], 0);
                assert_int_equal(kind->order, 0);
                assert_int_equal(kind->warp, lanes == 32 ? 0 : 31);
                assert_int_equal(kind->access.width, 4);
                assert_int_equal(
                    kind->address[0],
                    (kind->access.kind == COUNT_LOAD ? in : out) +
                        (lanes == 32 ? 0 : 992 * 4 * (kind->access.kind == COUNT_LOAD ? 1 : stride)));
            }
        }
    h.with.threads = 1;
}

/* Each part of an array has what went there. */
static void arrays_have_parts(void **state) {
    (void)state;
    load(MOVE);
    enum { WORDS = 128 * 64 };
    const uint64_t in = (uintptr_t)harness_buffer(&h, 4 * WORDS),
                   out = (uintptr_t)harness_buffer(&h, 4 * WORDS - 4);
    assert_true(launch(WORDS / 4 / 64, 64, in, out, 2)); /* a quarter is read, and goes to the half */
    expect_sums();
    assert_int_equal(told.array_count, 2);
    for (int i = 0; i < 2; i++) {
        const struct sim_array *array = &told.arrays[i];
        assert_int_equal(array->base, i ? out : in);
        assert_int_equal(array->size, i ? 4 * WORDS - 4 : 4 * WORDS);
        assert_int_equal(array->cells, 128);
        assert_int_equal(array->shift, 8);
        for (unsigned c = 0; c < 128; c++) {
            const struct sim_cell *cell = &array->cell[c];
            assert_int_equal(cell->useful[SIM_CELL_READ], !i && c < 32 ? 256 : 0);
            assert_int_equal(cell->moved[SIM_CELL_READ], !i && c < 32 ? 256 : 0);
            assert_int_equal(cell->useful[SIM_CELL_WRITTEN], i && c < 64 ? 128 : 0);
            assert_int_equal(cell->moved[SIM_CELL_WRITTEN], i && c < 64 ? 256 : 0);
        }
    }
}

/* The table is full, and what lies elsewhere is told together. */
static void many_arrays_share_a_rest(void **state) {
    (void)state;
    /* Thread i writes to the i-th pointer of a table. */
    load(HEAD "mul.wide.u32 %rd4, %r1, 8; add.u64 %rd4, %rd1, %rd4; ld.global.u64 %rd5, [%rd4]; "
              "st.global.u8 [%rd5], %r1;" TAIL);
    enum { COUNT = SIM_ARRAYS + 50 };
    uint64_t *table = harness_buffer(&h, 8 * COUNT);
    for (int i = 0; i < COUNT; i++)
        table[i] = (uintptr_t)harness_buffer(&h, 1 + (size_t)i % 3);
    for (unsigned threads = 1; threads <= 2; threads++) {
        h.with.threads = threads;
        assert_true(launch(COUNT, 1, (uintptr_t)table, 0, 0));
        expect_sums();
        assert_int_equal(told.array_count, SIM_ARRAYS + 1);
        for (int i = 1; i < SIM_ARRAYS; i++)
            assert_true(told.arrays[i].serial > told.arrays[i - 1].serial);
        assert_int_equal(told.arrays[SIM_ARRAYS].size, 0);
        assert_int_equal(told.arrays[SIM_ARRAYS].serial, 0);
    }
    h.with.threads = 1;
}

/* Columns of shared memory, atomics, and a scattered load, whose requests are of many kinds. */
static void every_space_is_sampled(void **state) {
    (void)state;
    load(HEAD
         "mov.u32 %r4, s; and.b32 %r5, %r1, 31; mad.lo.u32 %r4, %r5, 128, %r4; st.shared.u32 [%r4], %r1;\n"
         "ld.shared.u32 %r6, [%r4]; atom.shared.add.u32 %r6, [s], %r1;\n"
         "mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r4, [%rd4];\n"
         "mul.wide.u32 %rd5, %r4, 4; add.u64 %rd5, %rd2, %rd5; ld.global.u32 %r6, [%rd5];\n"
         "red.global.add.u32 [%rd5], %r6;" TAIL);
    enum { N = 4096 };
    uint32_t *index = harness_buffer(&h, 4 * N), *data = harness_buffer(&h, 4 * N), seed = 7;
    /* The further on, the more scattered. */
    for (uint32_t i = 0; i < N; i++) {
        seed = seed * 1664525 + 1013904223;
        index[i] = (i & ~31u) + ((i & 31) + (seed >> 8) % (1 + i / 32)) % 32 * (1 + i / 512) % 512;
        index[i] %= N;
    }
    assert_true(launch(N / 256, 256, (uintptr_t)index, (uintptr_t)data, 0));
    expect_sums();
    assert_true(told.kinds[SIM_SAMPLE_SHARED].requests > 0);
    assert_true(told.kind_count > 8);
}

/* One word more than 128 parts of 256 bytes hold: parts are twice as long. */
static void parts_are_no_more_than_there_is_room_for(void **state) {
    (void)state;
    load(MOVE);
    enum { WORDS = 128 * 64 + 1 };
    const uint64_t in = (uintptr_t)harness_buffer(&h, 4 * WORDS),
                   out = (uintptr_t)harness_buffer(&h, 4 * WORDS);
    assert_true(launch(WORDS, 1, in, out, 1));
    expect_sums();
    assert_int_equal(told.arrays[0].cells, 65);
    assert_int_equal(told.arrays[0].shift, 9);
    assert_int_equal(told.arrays[0].cell[64].useful[SIM_CELL_READ], 4);
}

/* Threads of blocks 0, 1, ... load a word of global and of shared memory in turn by one instruction. */
static void spaces_are_apart(void **state) {
    (void)state;
    load(HEAD "mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; and.b32 %r4, %r2, 1; setp.eq.u32 %p1, %r4, 0;\n"
              "selp.b64 %rd4, %rd1, %rd4, %p1; ld.u32 %r5, [%rd4];" TAIL);
    assert_true(launch(10, 32, (uintptr_t)harness_buffer(&h, 4), 0, 0));
    expect_sums();
    assert_int_equal(told.kinds[SIM_SAMPLE_GLOBAL].requests, 5);
    assert_int_equal(told.kinds[SIM_SAMPLE_SHARED].requests, 5);
    assert_int_equal(told.kind_count, 2);
}

/* What kernels allocate is no array of its own: there may be any number of it. */
static void heaps_are_in_the_rest(void **state) {
    (void)state;
    load(".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b64 r) malloc (.param .b64 "
         "n);\n"
         ".visible .entry k(.param .u64 p, .param .u64 q, .param .u64 r) {\n.reg .b64 %rd<9>; .param .b64 n; "
         ".param .b64 x;\n"
         "st.param.b64 [n], 64; call.uni (x), malloc, (n); ld.param.b64 %rd1, [x]; st.global.u64 [%rd1], "
         "%rd1;" TAIL);
    h.with.heap = sim_heap_create(h.memory, 1 << 20);
    assert_non_null(h.with.heap);
    assert_true(launch(3, 32, 0, 0, 0));
    expect_sums();
    assert_int_equal(told.array_count, 1);
    assert_int_equal(told.arrays[0].serial, 0);
    sim_heap_destroy(h.with.heap);
    h.with.heap = NULL;
}

/* A copy to two blocks counts as two, here as in the counters. */
static void bulk_copies_have_parts(void **state) {
    (void)state;
    load(HEAD ".reg .b16 %rs1; mov.u16 %rs1, 3; mov.u32 %r4, s; add.u32 %r5, %r4, 4096;\n"
              "mbarrier.init.shared::cta.b64 [%r5], 1; barrier.cluster.arrive; barrier.cluster.wait;\n"
              "setp.ne.u32 %p1, %r2, 0; @%p1 bra DONE;\n"
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
              "[%r4], [%rd1], 1024, [%r5], %rs1;\n"
              "DONE: barrier.cluster.arrive; barrier.cluster.wait;" TAIL);
    h.with.cluster[0] = 2, h.with.cluster[1] = h.with.cluster[2] = 1;
    assert_true(launch(2, 1, (uintptr_t)harness_buffer(&h, 4096), 0, 0));
    memset(h.with.cluster, 0, sizeof h.with.cluster);
    assert_int_equal(h.counters.bulk_load_useful_bytes, 2 * 1024);
    assert_int_equal(told.array_count, 1);
    const struct sim_cell sum = whole(&told.arrays[0]);
    assert_int_equal(sum.useful[SIM_CELL_READ], h.counters.bulk_load_useful_bytes);
    assert_int_equal(sum.moved[SIM_CELL_READ], 32 * h.counters.bulk_load_transactions);
    assert_int_equal(told.arrays[0].cell[31].useful[SIM_CELL_READ], 64);
    assert_int_equal(told.arrays[0].cell[32].useful[SIM_CELL_READ], 0);
}

/* When memory runs out, the launch fails or tells that samples are missing, or they are complete. */
static void missing_samples_are_told(void **state) {
    (void)state;
    load(MOVE);
    const uint64_t in = (uintptr_t)harness_buffer(&h, 65536), out = (uintptr_t)harness_buffer(&h, 65536);
    size_t failed = 0, total = 0;
    /* The first one is the harness's own. */
    for (failing = 0; failing <= total; failing += failing ? 1 : 2) {
        allocations = 0;
        counting = true;
        const bool ok = launch(3, 1000, in, out, 2);
        counting = false;
        if (!failing)
            total = allocations;
        failed += told.failed;
        if (!ok)
            assert_int_equal(h.fault.kind, SIM_FAULT_MEMORY);
        else if (!told.failed)
            expect_sums();
    }
    failing = 0;
    assert_true(failed > 0);
}

/* A launch that faults tells what it did, and one that nobody asks is not sampled. */
static void faults_and_silence(void **state) {
    (void)state;
    load(MOVE);
    const uint64_t in = (uintptr_t)harness_buffer(&h, 4096), out = (uintptr_t)harness_buffer(&h, 4096);
    assert_false(launch(2, 1024, in, out, 1));
    expect_sums();
    memset(&told, 0, sizeof told);
    h.with.array = NULL;
    h.with.each = NULL;
    const uint64_t one = 1;
    assert_true(harness_launch(&h, "k", 1, 1024, 0, (const void *[]){&in, &out, &one}));
    assert_int_equal(told.kind_count + told.array_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_have_kinds),
        cmocka_unit_test(arrays_have_parts),
        cmocka_unit_test(many_arrays_share_a_rest),
        cmocka_unit_test(every_space_is_sampled),
        cmocka_unit_test(parts_are_no_more_than_there_is_room_for),
        cmocka_unit_test(spaces_are_apart),
        cmocka_unit_test(heaps_are_in_the_rest),
        cmocka_unit_test(bulk_copies_have_parts),
        cmocka_unit_test(missing_samples_are_told),
        cmocka_unit_test(faults_and_silence),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
