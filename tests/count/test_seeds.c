/* Global memory of the teaching texts' kernels against an H200's counts: 2^20 elements, matrices of 1024 x
 * 1024, an integer product of 1600 x 1007 x 1600.  Also the texts' own figures for misaligned reads on the
 * hardware of their time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/count/totals.h"

/* Any addresses from cudaMalloc: 256-aligned. */
#define A 0x10000000ull
#define B 0x20000000ull
#define C 0x30000000ull
enum { N = 1 << 20, SIDE = 1024 };

struct launch {
    const struct count_rules *rules;
    bool skips_l1;
    struct total load, store;
};

/* The lanes of mask access bytes base + 4 * index[lane]. */
static void words(struct launch *l, enum count_kind kind, unsigned width, uint32_t mask, uint64_t base,
                  const uint64_t index[32]) {
    uint64_t address[32];
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = base + 4 * index[lane];
    struct count_access access = {
        .kind = kind, .skips_l1 = l->skips_l1, .width = width, .mask = mask, .address = address};
    total_add(kind == COUNT_LOAD ? &l->load : &l->store, count_global, l->rules, &access);
}

/* Each function does what the kernel's source does for the warp whose first thread has number i. */
struct shape {
    unsigned offset, block, unroll;
    bool writes; /* the offset is on the store */
};

static void offset_kernel(struct launch *l, const struct shape *s) {
    unsigned tile = s->block * s->unroll;
    for (unsigned first = 0; first < N; first += tile)
        for (unsigned thread = 0; thread < s->block; thread += 32) {
            uint32_t mask = 0;
            for (unsigned lane = 0; lane < 32; lane++) {
                unsigned k = first + thread + lane + s->offset;
                mask |= (uint32_t)(k + (s->unroll - 1) * s->block < N) << lane;
            }
            for (unsigned u = 0; u < s->unroll; u++) {
                uint64_t plain[32], moved[32];
                for (unsigned lane = 0; lane < 32; lane++) {
                    plain[lane] = first + u * s->block + thread + lane;
                    moved[lane] = plain[lane] + s->offset;
                }
                words(l, COUNT_LOAD, 4, mask, A, s->writes ? plain : moved);
                words(l, COUNT_LOAD, 4, mask, B, s->writes ? plain : moved);
                words(l, COUNT_STORE, 4, mask, C, s->writes ? moved : plain);
            }
        }
}

static void check(const struct launch *l, uint64_t load_requests, uint64_t load_sectors,
                  uint64_t store_requests, uint64_t store_sectors) {
    assert_int_equal(l->load.requests, load_requests);
    assert_int_equal(l->load.transactions, load_sectors);
    assert_int_equal(l->store.requests, store_requests);
    assert_int_equal(l->store.transactions, store_sectors);
}

static void offsets_equal_hardware(void **state) {
    (void)state;
    static const struct {
        struct shape shape;
        uint64_t load_requests, load_sectors, store_requests, store_sectors;
        unsigned load_percent, store_percent;
    } facts[] = {
        {{0, 512, 1, false}, 65536, 262144, 32768, 131072, 10000, 10000},
        {{0, 512, 1, true}, 65536, 262144, 32768, 131072, 10000, 10000},
        {{0, 512, 4, false}, 65536, 262144, 32768, 131072, 10000, 10000},
        {{11, 512, 1, false}, 65536, 327676, 32768, 131071, 8000, 10000},
        {{11, 512, 1, true}, 65536, 262142, 32768, 163838, 10000, 8000},
        {{11, 512, 4, false}, 65536, 327664, 32768, 131068, 8000, 10000},
        {{128, 512, 1, false}, 65528, 262112, 32764, 131056, 10000, 10000},
        {{128, 512, 1, true}, 65528, 262112, 32764, 131056, 10000, 10000},
        {{128, 512, 4, false}, 65504, 262016, 32752, 131008, 10000, 10000},
        /* add1 has no offset and blocks of 128. */
        {{0, 128, 1, false}, 65536, 262144, 32768, 131072, 10000, 10000},
    };
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++) {
        struct launch l = {.rules = count_rules_find("sm_90")};
        offset_kernel(&l, &facts[f].shape);
        check(&l, facts[f].load_requests, facts[f].load_sectors, facts[f].store_requests,
              facts[f].store_sectors);
        assert_int_equal(total_percent(&l.load), facts[f].load_percent);
        assert_int_equal(total_percent(&l.store), facts[f].store_percent);
    }
}

static void layouts_and_vectors_equal_hardware(void **state) {
    (void)state;
    struct launch aos = {.rules = count_rules_find("sm_90")}, soa = aos, vec4 = aos;
    for (unsigned i = 0; i < N / 2; i += 32) {
        uint64_t x[32], y[32], plain[32];
        for (unsigned lane = 0; lane < 32; lane++) {
            plain[lane] = i + lane;
            x[lane] = 2 * (i + lane);
            y[lane] = x[lane] + 1;
        }
        words(&aos, COUNT_LOAD, 4, ~0u, A, x);
        words(&aos, COUNT_LOAD, 4, ~0u, A, y);
        words(&aos, COUNT_STORE, 4, ~0u, C, x);
        words(&aos, COUNT_STORE, 4, ~0u, C, y);
        for (unsigned half = 0; half < 2; half++) {
            words(&soa, COUNT_LOAD, 4, ~0u, A + half * N / 2 * 4, plain);
            words(&soa, COUNT_STORE, 4, ~0u, C + half * N / 2 * 4, plain);
        }
    }
    check(&aos, 32768, 262144, 32768, 262144);
    assert_int_equal(total_percent(&aos.load), 5000);
    assert_int_equal(total_percent(&aos.store), 5000);
    check(&soa, 32768, 131072, 32768, 131072);
    assert_int_equal(total_percent(&soa.load), 10000);

    for (unsigned i = 0; i < N; i += 32 * 4) {
        uint64_t quads[32];
        for (unsigned lane = 0; lane < 32; lane++)
            quads[lane] = i + 4 * lane;
        words(&vec4, COUNT_LOAD, 16, ~0u, A, quads);
        words(&vec4, COUNT_LOAD, 16, ~0u, B, quads);
        words(&vec4, COUNT_STORE, 16, ~0u, C, quads);
    }
    check(&vec4, 16384, 262144, 8192, 131072);
}

/* A warp of a 16 x 16 block is two rows of 16; unrolling by 4 changes only the order of the requests, so the
 * sums are the same. */
static void transposes_equal_hardware(void **state) {
    (void)state;
    struct launch copy = {.rules = count_rules_find("sm_90")}, row = copy, col = copy, tile = copy;
    for (unsigned y = 0; y < SIDE; y += 2)
        for (unsigned x = 0; x < SIDE; x += 16) {
            uint64_t straight[32], turned[32];
            for (unsigned lane = 0; lane < 32; lane++) {
                unsigned ix = x + lane % 16, iy = y + lane / 16;
                straight[lane] = iy * SIDE + ix;
                turned[lane] = ix * SIDE + iy;
            }
            words(&copy, COUNT_LOAD, 4, ~0u, A, straight);
            words(&copy, COUNT_STORE, 4, ~0u, C, straight);
            words(&row, COUNT_LOAD, 4, ~0u, A, straight);
            words(&row, COUNT_STORE, 4, ~0u, C, turned);
            words(&col, COUNT_LOAD, 4, ~0u, A, turned);
            words(&col, COUNT_STORE, 4, ~0u, C, straight);
        }
    check(&copy, 32768, 131072, 32768, 131072);
    check(&row, 32768, 131072, 32768, 524288);
    check(&col, 32768, 524288, 32768, 131072);
    assert_int_equal(total_percent(&row.store), 2500);
    assert_int_equal(total_percent(&col.load), 2500);

    /* Through shared memory each warp moves 32 contiguous elements of one row, both ways. */
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x += 32) {
            uint64_t straight[32];
            for (unsigned lane = 0; lane < 32; lane++)
                straight[lane] = y * SIDE + x + lane;
            words(&tile, COUNT_LOAD, 4, ~0u, A, straight);
            words(&tile, COUNT_STORE, 4, ~0u, C, straight);
        }
    check(&tile, 32768, 131072, 32768, 131072);
}

/* C = A B with A of 1600 x 1007 and B of 1007 x 1600, a block `side` lanes wide, in steps of `step` columns
 * of A.  A's part is the same for all `grid` blocks of a row, B's for all of a column: counted once and
 * multiplied. */
static void matmul(struct launch *l, unsigned side, unsigned step, uint64_t grid) {
    enum { M = 1600, INNER = 1007, K = 1600 };
    unsigned pieces = step / side;
    for (unsigned block = 0; block < grid; block++)
        for (unsigned s = 0; s < step * (INNER / step + 1); s += step)
            for (unsigned piece = 0; piece < pieces; piece++)
                for (unsigned warp = 0; warp < side * side / 32; warp++) {
                    uint64_t a[32], b[32];
                    uint32_t a_mask = 0, b_mask = 0;
                    for (unsigned lane = 0; lane < 32; lane++) {
                        unsigned tx = (warp * 32 + lane) % side, ty = (warp * 32 + lane) / side;
                        unsigned inner_a = s + piece * side + tx, inner_b = s + piece * side + ty;
                        a[lane] = (uint64_t)(block * side + ty) * INNER + inner_a;
                        b[lane] = (uint64_t)inner_b * K + block * side + tx;
                        a_mask |= (uint32_t)(block * side + ty < M && inner_a < INNER) << lane;
                        b_mask |= (uint32_t)(block * side + tx < K && inner_b < INNER) << lane;
                    }
                    words(l, COUNT_LOAD, 4, a_mask, A, a);
                    words(l, COUNT_LOAD, 4, b_mask, B, b);
                }
    l->load.requests *= grid;
    l->load.transactions *= grid;
    l->load.moved *= grid;
    l->load.useful *= grid;
}

static void matmuls_equal_hardware(void **state) {
    (void)state;
    struct launch square = {.rules = count_rules_find("sm_90")}, rect = square;
    matmul(&square, 32, 32, 50);
    assert_int_equal(square.load.requests, 5077500);
    assert_int_equal(square.load.transactions, 22380000);
    assert_int_equal(total_percent(&square.load), 8999);
    matmul(&rect, 16, 64, 100);
    assert_int_equal(rect.load.requests, 10080000);
    assert_int_equal(rect.load.transactions, 49100000);
    assert_int_equal(total_percent(&rect.load), 8204);
}

/* The texts: reads at offsets 0, 11 and 128 have 100, 49.81 and 100 % through L1, 100, 80 and 100 % past it;
 * the store at offset 11 is a transfer of 4 segments and one of 1.  Their profiler sampled, so its 49.81
 * corresponds to 50. */
static void fermi_reads_as_the_texts_say(void **state) {
    (void)state;
    static const struct {
        const char *rules;
        bool skips_l1;
        unsigned offset;
        uint64_t transactions;
        unsigned percent;
    } reads[] = {
        {"fermi", false, 0, 65536, 10000},     {"fermi", false, 11, 131070, 5000},
        {"fermi", false, 128, 65528, 10000},   {"fermi-l2", false, 0, 262144, 10000},
        {"fermi-l2", false, 11, 327676, 8000}, {"fermi-l2", false, 128, 262112, 10000},
        {"fermi", true, 11, 327676, 8000},     {"kepler", false, 11, 327676, 8000},
    };
    for (size_t k = 0; k < sizeof reads / sizeof *reads; k++) {
        struct launch l = {.rules = count_rules_find(reads[k].rules), .skips_l1 = reads[k].skips_l1};
        offset_kernel(&l, &(struct shape){.offset = reads[k].offset, .block = 512, .unroll = 1});
        assert_int_equal(l.load.transactions, reads[k].transactions);
        assert_int_equal(total_percent(&l.load), reads[k].percent);
    }
    struct launch l = {.rules = count_rules_find("fermi")};
    offset_kernel(&l, &(struct shape){.offset = 11, .block = 512, .unroll = 1, .writes = true});
    assert_int_equal(l.store.transactions, 163838);
    assert_int_equal(total_percent(&l.store), 8000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_equal_hardware),       cmocka_unit_test(layouts_and_vectors_equal_hardware),
        cmocka_unit_test(transposes_equal_hardware),    cmocka_unit_test(matmuls_equal_hardware),
        cmocka_unit_test(fermi_reads_as_the_texts_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
