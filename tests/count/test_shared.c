/* Shared memory against an H200: the wavefronts of every probe kernel (probe_shared.inc), and of the matrix
 * kernels that read a tile with broadcasts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/count/totals.h"

struct launch {
    const struct count_rules *rules;
    unsigned elem, stride;
    struct total load, store;
};

static uint32_t index_data[64 * 32];

static void access_lanes(struct launch *l, enum count_kind kind, unsigned width, uint32_t mask,
                         const uint64_t address[32]) {
    struct count_access access = {.kind = kind, .width = width, .mask = mask, .address = address};
    total_add(kind == COUNT_LOAD ? &l->load : &l->store, count_shared, l->rules, &access);
}

/* Element lane * stride of an array that starts at offset 0. */
static void strided(struct launch *l, enum count_kind kind, uint32_t mask) {
    uint64_t address[32];
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = (uint64_t)lane * l->stride * l->elem;
    access_lanes(l, kind, l->elem, mask, address);
}

static void shared_load_stride(struct launch *l) {
    for (unsigned block = 0; block < 8; block++) {
        /* Filling: one byte of each element. */
        for (unsigned k = 0; k < 32 * l->stride; k += 32) {
            uint64_t address[32];
            for (unsigned lane = 0; lane < 32; lane++)
                address[lane] = (uint64_t)(k + lane) * l->elem;
            access_lanes(l, COUNT_STORE, 1, 0xffffffff, address);
        }
        strided(l, COUNT_LOAD, 0xffffffff);
    }
}

static void shared_store_stride(struct launch *l) {
    for (unsigned block = 0; block < 8; block++) {
        strided(l, COUNT_STORE, 0xffffffff);
        uint64_t address[32] = {(uint64_t)(block % 32) * l->stride * l->elem};
        access_lanes(l, COUNT_LOAD, l->elem, 1, address);
    }
}

static void shared_gather(struct launch *l) {
    unsigned elements = l->elem == 4 ? 1024 : 512;
    uint64_t address[32];
    for (unsigned block = 0; block < 64; block++) {
        for (unsigned k = 0; k < elements; k += 32) {
            for (unsigned lane = 0; lane < 32; lane++)
                address[lane] = (uint64_t)(k + lane) * l->elem;
            access_lanes(l, COUNT_STORE, l->elem, 0xffffffff, address);
        }
        for (unsigned lane = 0; lane < 32; lane++)
            address[lane] = (uint64_t)(index_data[block * 32 + lane] % elements) * l->elem;
        access_lanes(l, COUNT_LOAD, l->elem, 0xffffffff, address);
    }
}

static const struct fact {
    void (*kernel)(struct launch *);
    unsigned elem, stride;
    uint64_t load, store;
} facts[] = {
#include "probe_shared.inc"
};

static void wavefronts_equal_hardware(void **state) {
    (void)state;
    bool equal = true;
    assert_true(sizeof facts / sizeof *facts >= 100);
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++) {
        struct launch l = {
            .rules = count_rules_find("sm_90"), .elem = facts[f].elem, .stride = facts[f].stride};
        facts[f].kernel(&l);
        if (l.load.transactions == facts[f].load && l.store.transactions == facts[f].store)
            continue;
        print_error("probe_shared.inc, fact %zu (%u bytes, stride %u): %ju load and %ju store wavefronts; "
                    "hardware: %ju %ju\n",
                    f, facts[f].elem, facts[f].stride, (uintmax_t)l.load.transactions,
                    (uintmax_t)l.store.transactions, (uintmax_t)facts[f].load, (uintmax_t)facts[f].store);
        equal = false;
    }
    assert_true(equal);
}

/* Requests of each block of the shared transpose (1024 blocks of 8 warps, 4 rows per warp): the hardware
 * counted 32768 wavefronts of stores, and 1048576 of loads without padding, 32768 with it. */
static void transpose_tile_equals_hardware(void **state) {
    (void)state;
    static const uint64_t loads[2] = {1048576, 32768};
    for (unsigned pad = 0; pad < 2; pad++) {
        struct launch l = {.rules = count_rules_find("sm_90")};
        for (unsigned block = 0; block < 1024; block++)
            for (unsigned row = 0; row < 32; row++) {
                uint64_t across[32], down[32];
                for (unsigned lane = 0; lane < 32; lane++) {
                    across[lane] = 4 * (row * (32 + pad) + lane);
                    down[lane] = 4 * (lane * (32 + pad) + row);
                }
                access_lanes(&l, COUNT_STORE, 4, 0xffffffff, across);
                access_lanes(&l, COUNT_LOAD, 4, 0xffffffff, down);
            }
        assert_int_equal(l.store.transactions, 32768);
        assert_int_equal(l.load.transactions, loads[pad]);
    }
}

/* The integer matrix products of 1600 x 1007 x 1600 read tile A four numbers at a time, because ptxas merges
 * contiguous ld.shared, and all lanes of a row read the same four.  The hardware's count of these launches
 * includes arbitration with other warps, which adds to it and varies by up to 1 % between runs; a broadcast
 * at 4 wavefronts instead of 2 would make it 33 % more. */
static void matmul_equals_hardware(void **state) {
    (void)state;
    static const struct {
        unsigned rows;     /* rows of threads that a warp spans */
        unsigned inner;    /* numbers in a row of the tile */
        uint64_t warps;    /* blocks * steps * warps per block */
        uint64_t hardware; /* wavefronts of loads, the smaller count of two launches */
    } kernels[] = {
        {1, 32, 2500ull * 32 * 32, 122981314},
        {2, 64, 10000ull * 16 * 8, 122961890},
    };
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct launch l = {.rules = count_rules_find("sm_90")};
        unsigned rows = kernels[k].rows, inner = kernels[k].inner, row_lanes = 32 / rows;
        for (unsigned i = 0; i < inner; i++) {
            uint64_t a[32], b[32];
            for (unsigned lane = 0; lane < 32; lane++) {
                a[lane] = 4 * (lane / row_lanes * inner + i);
                b[lane] = 4 * (i * row_lanes + lane % row_lanes);
            }
            if (i % 4 == 0)
                access_lanes(&l, COUNT_LOAD, 16, 0xffffffff, a);
            access_lanes(&l, COUNT_LOAD, 4, 0xffffffff, b);
        }
        uint64_t wavefronts = l.load.transactions * kernels[k].warps;
        assert_true(wavefronts <= kernels[k].hardware);
        assert_true(kernels[k].hardware - wavefronts < wavefronts / 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wavefronts_equal_hardware),
        cmocka_unit_test(transpose_tile_equals_hardware),
        cmocka_unit_test(matmul_equals_hardware),
    };
    probe_index(index_data, sizeof index_data / sizeof *index_data);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
