/* Global and local memory against an H200: each kernel of the hardware probe is walked warp by warp, and the
 * sums must equal the hardware's counters (probe_global.inc). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/count/totals.h"

enum { IN = 0x100000, OUT = 0x8000000 }; /* any two addresses from cudaMalloc: 256-aligned */

static uint32_t index_data[64 * 128];

struct expect {
    uint64_t requests, sectors;
    unsigned percent;
};

struct launch {
    const struct count_rules *rules;
    unsigned elem, n; /* the element's bytes; the stride, shift or modulus in the kernel's name */
    struct total load, store;
};

/* One warp of a launch: its existing lanes, and each lane's number in the grid. */
struct warp {
    uint32_t mask;
    unsigned tid[32], i[32];
};

/* All lanes of mask access element index[lane] of an array.  Elements of 12 and 20 bytes take one access per
 * 4-byte member, as nvcc compiles structures aligned to 4. */
static void element(struct launch *l, enum count_kind kind, uint32_t mask, uint64_t base,
                    const unsigned index[32]) {
    unsigned width = l->elem == 12 || l->elem == 20 ? 4 : l->elem;
    for (unsigned member = 0; member < l->elem; member += width) {
        uint64_t address[32];
        for (unsigned lane = 0; lane < 32; lane++)
            address[lane] = base + (uint64_t)index[lane] * l->elem + member;
        struct count_access access = {.kind = kind, .width = width, .mask = mask, .address = address};
        total_add(kind == COUNT_LOAD ? &l->load : &l->store, count_global, l->rules, &access);
    }
}

static void load(struct launch *l, uint32_t mask, const unsigned index[32]) {
    element(l, COUNT_LOAD, mask, IN, index);
}

static void store(struct launch *l, uint32_t mask, const unsigned index[32]) {
    element(l, COUNT_STORE, mask, OUT, index);
}

static void load_stride(struct launch *l, const struct warp *w) {
    unsigned from[32];
    for (unsigned lane = 0; lane < 32; lane++)
        from[lane] = w->i[lane] * l->n;
    load(l, w->mask, from);
    store(l, w->mask, w->i);
}

static void store_stride(struct launch *l, const struct warp *w) {
    unsigned to[32];
    for (unsigned lane = 0; lane < 32; lane++)
        to[lane] = w->i[lane] * l->n;
    load(l, w->mask, w->i);
    store(l, w->mask, to);
}

static void load_shift(struct launch *l, const struct warp *w) {
    unsigned from[32];
    for (unsigned lane = 0; lane < 32; lane++)
        from[lane] = w->i[lane] + l->n;
    load(l, w->mask, from);
    store(l, w->mask, w->i);
}

static void store_shift(struct launch *l, const struct warp *w) {
    unsigned to[32];
    for (unsigned lane = 0; lane < 32; lane++)
        to[lane] = w->i[lane] + l->n;
    load(l, w->mask, w->i);
    store(l, w->mask, to);
}

static void load_gather(struct launch *l, const struct warp *w) {
    unsigned from[32];
    for (unsigned lane = 0; lane < 32; lane++)
        from[lane] = index_data[w->i[lane]];
    load(l, w->mask, w->i);
    load(l, w->mask, from);
    store(l, w->mask, w->i);
}

static void load_some_lanes(struct launch *l, const struct warp *w) {
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        if (w->tid[lane] % l->n == 0)
            mask |= 1u << lane;
    load(l, mask, w->i);
    store(l, mask, w->i);
}

static void load_broadcast(struct launch *l, const struct warp *w) {
    unsigned from[32];
    for (unsigned lane = 0; lane < 32; lane++)
        from[lane] = w->i[lane] / 32 * 8;
    load(l, w->mask, from);
    store(l, w->mask, w->i);
}

static void load_reversed(struct launch *l, const struct warp *w) {
    unsigned from[32];
    for (unsigned lane = 0; lane < 32; lane++)
        from[lane] = w->i[lane] / 32 * 32 + 31 - w->i[lane] % 32;
    load(l, w->mask, from);
    store(l, w->mask, w->i);
}

static void diverge(struct launch *l, const struct warp *w) {
    unsigned twice[32];
    for (unsigned lane = 0; lane < 32; lane++)
        twice[lane] = w->i[lane] * 2;
    load(l, w->mask & 0xaaaaaaaau, w->i);
    load(l, w->mask & 0x55555555u, twice);
    store(l, w->mask, w->i);
}

static void ragged_loop(struct launch *l, const struct warp *w) {
    for (unsigned k = 0; k < 31; k++) {
        uint32_t mask = 0;
        unsigned from[32];
        for (unsigned lane = 0; lane < 32; lane++) {
            mask |= (uint32_t)(k < w->i[lane] % 32) << lane;
            from[lane] = w->i[lane] * 32 + k;
        }
        load(l, mask, from);
    }
    store(l, w->mask, w->i);
}

/* __ldg, __ldcg and volatile loads of in[i + 3]: on sm_90 their counts are equal. */
static void load_ldg(struct launch *l, const struct warp *w) {
    unsigned from[32];
    for (unsigned lane = 0; lane < 32; lane++)
        from[lane] = w->i[lane] + 3;
    load(l, w->mask, from);
    store(l, w->mask, w->i);
}

static void load_cg(struct launch *l, const struct warp *w) {
    uint64_t address[32];
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = IN + 4 * (w->i[lane] + 3);
    struct count_access access = {
        .kind = COUNT_LOAD, .skips_l1 = true, .width = 4, .mask = w->mask, .address = address};
    total_add(&l->load, count_global, l->rules, &access);
    store(l, w->mask, w->i);
}

/* Its global part: four numbers that all lanes read, one that each lane reads, one result. */
static void local_array(struct launch *l, const struct warp *w) {
    for (unsigned k = 0; k < 4; k++) {
        unsigned from[32];
        for (unsigned lane = 0; lane < 32; lane++)
            from[lane] = k;
        load(l, w->mask, from);
    }
    unsigned from[32];
    for (unsigned lane = 0; lane < 32; lane++)
        from[lane] = w->tid[lane] & 31;
    load(l, w->mask, from);
    store(l, w->mask, w->i);
}

static const struct fact {
    void (*kernel)(struct launch *, const struct warp *);
    unsigned elem, n, block, grid;
    struct expect load, store;
} facts[] = {
#include "probe_global.inc"
};

static bool as_expected(const struct fact *fact, const char *side, const struct total *got,
                        const struct expect *want) {
    if (got->requests == want->requests && got->transactions == want->sectors &&
        total_percent(got) == want->percent)
        return true;
    print_error("probe_global.inc, fact %td (%u bytes, %u): %s: %ju requests %ju sectors %u; hardware: %ju "
                "%ju %u\n",
                fact - facts, fact->elem, fact->n, side, (uintmax_t)got->requests,
                (uintmax_t)got->transactions, total_percent(got), (uintmax_t)want->requests,
                (uintmax_t)want->sectors, want->percent);
    return false;
}

static void global_equals_hardware(void **state) {
    (void)state;
    bool equal = true;
    assert_true(sizeof facts / sizeof *facts >= 110);
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++) {
        const struct fact *fact = &facts[f];
        struct launch l = {.rules = count_rules_find("sm_90"), .elem = fact->elem, .n = fact->n};
        for (unsigned b = 0; b < fact->grid; b++)
            for (unsigned first = 0; first < fact->block; first += 32) {
                struct warp w = {0};
                for (unsigned lane = 0; lane < 32 && first + lane < fact->block; lane++) {
                    w.mask |= 1u << lane;
                    w.tid[lane] = first + lane;
                    w.i[lane] = b * fact->block + first + lane;
                }
                fact->kernel(&l, &w);
            }
        equal &= as_expected(fact, "loads", &l.load, &fact->load);
        equal &= as_expected(fact, "stores", &l.store, &fact->store);
    }
    assert_true(equal);
}

/* atomicAdd(out + (threadIdx.x & modulus), 1) by 8 blocks of 4 warps.  If the address is visibly the same for
 * all lanes, ptxas adds the lanes up and sends only one, so the hardware saw one lane. */
static void atomics_equal_hardware(void **state) {
    (void)state;
    static const struct {
        enum count_kind kind;
        uint32_t modulus, lanes;
        uint64_t requests, sectors;
    } atomics[] = {
        {COUNT_RED, 0, 1, 32, 32},
        {COUNT_RED, 31, 0xffffffff, 32, 128},
        {COUNT_RED, 3, 0xffffffff, 32, 256},
        {COUNT_ATOM, 0, 1, 32, 32},
        {COUNT_ATOM, 31, 0xffffffff, 32, 128},
    };
    for (size_t k = 0; k < sizeof atomics / sizeof *atomics; k++) {
        struct total total = {0};
        for (unsigned warp = 0; warp < 8 * 4; warp++) {
            uint64_t address[32];
            for (unsigned lane = 0; lane < 32; lane++)
                address[lane] = OUT + 4 * (lane & atomics[k].modulus);
            struct count_access access = {
                .kind = atomics[k].kind, .width = 4, .mask = atomics[k].lanes, .address = address};
            total_add(&total, count_global, count_rules_find("sm_90"), &access);
        }
        assert_int_equal(total.requests, atomics[k].requests);
        assert_int_equal(total.transactions, atomics[k].sectors);
    }
}

/* int a[64], filled in order and read at (k * 7 + pick[lane]) & 63, by 32 warps: the hardware counted 2048
 * requests and 8192 sectors of stores, 2048 and 63488 of loads.  The stores are 16 of 16 bytes, in PTX and in
 * ptxas's output: each makes four requests. */
static void local_equals_hardware(void **state) {
    (void)state;
    const struct count_rules *rules = count_rules_find("sm_90");
    struct total load_total = {0}, narrow = {0}, wide = {0};
    uint64_t address[32];

    for (unsigned warp = 0; warp < 32; warp++)
        for (unsigned k = 0; k < 64; k++) {
            for (unsigned lane = 0; lane < 32; lane++)
                address[lane] = 4 * k;
            struct count_access access = {
                .kind = COUNT_STORE, .width = 4, .mask = 0xffffffff, .address = address};
            total_add(&narrow, count_local, rules, &access);
            access.width = 16;
            if (k % 4 == 0)
                total_add(&wide, count_local, rules, &access);

            for (unsigned lane = 0; lane < 32; lane++)
                address[lane] = 4 * ((k * 7 + index_data[lane]) & 63);
            access.kind = COUNT_LOAD;
            access.width = 4;
            total_add(&load_total, count_local, rules, &access);
        }
    assert_int_equal(narrow.requests, 2048);
    assert_int_equal(narrow.transactions, 8192);
    assert_int_equal(wide.requests * count_local_requests(16), 2048);
    assert_int_equal(load_total.requests * count_local_requests(4), 2048);
    assert_int_equal(wide.transactions, 8192);
    assert_int_equal(wide.useful, narrow.useful);
    assert_int_equal(load_total.transactions, 63488);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_equals_hardware),
        cmocka_unit_test(atomics_equal_hardware),
        cmocka_unit_test(local_equals_hardware),
    };
    probe_index(index_data, sizeof index_data / sizeof *index_data);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
