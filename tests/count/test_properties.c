/* Properties of every access: a naive count with sets of bytes gives the same result, the result does not
 * change if the whole access moves by a multiple of 128 bytes (the interpreter caches results on that basis),
 * and bounds follow from a warp's size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/count/rules.h"
#include "tests/count/totals.h"

enum { ROUNDS = 400 };

/* Reference.  Collects keys without regard to order or cost. */
struct keys {
    unsigned count;
    uint64_t key[32 * 16];
};

static void keys_add(struct keys *keys, uint64_t key) {
    for (unsigned i = 0; i < keys->count; i++)
        if (keys->key[i] == key)
            return;
    keys->key[keys->count++] = key;
}

static unsigned reference_bytes(const struct count_access *x) {
    struct keys bytes = {0};
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned b = 0; x->mask >> lane & 1 && b < x->width; b++)
            keys_add(&bytes, x->address[lane] + b);
    return bytes.count;
}

static unsigned reference_global(const struct count_rules *rules, const struct count_access *x) {
    const struct count_path *path = &rules->store;
    if (x->kind == COUNT_LOAD)
        path = x->skips_l1 ? &rules->load_past : &rules->load;
    unsigned lanes = path->lanes[x->width <= 4 ? 0 : x->width == 8 ? 1 : 2], total = 0;

    if (x->kind == COUNT_ATOM || x->kind == COUNT_RED) {
        /* In turns: each turn takes one lane of every word that still waits. */
        for (uint32_t waiting = x->mask; waiting;) {
            struct keys words = {0}, sectors = {0};
            for (unsigned lane = 0; lane < 32; lane++) {
                unsigned before = words.count;
                if (!(waiting >> lane & 1))
                    continue;
                keys_add(&words, x->address[lane]);
                if (words.count == before)
                    continue;
                keys_add(&sectors, x->address[lane] / 32);
                waiting &= ~(1u << lane);
            }
            total += sectors.count;
        }
        return total;
    }
    for (unsigned first = 0; first < 32; first += lanes) {
        struct keys blocks = {0};
        for (unsigned lane = first; lane < first + lanes; lane++)
            for (unsigned b = 0; x->mask >> lane & 1 && b < x->width; b++)
                keys_add(&blocks, (x->address[lane] + b) / path->block);
        total += blocks.count;
    }
    return total;
}

static unsigned reference_local(const struct count_rules *rules, const struct count_access *x) {
    struct keys blocks = {0};
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned b = 0; x->mask >> lane & 1 && b < x->width; b++) {
            uint64_t at = x->address[lane] + b;
            keys_add(&blocks, (at / 4 * 128 + lane * 4 + at % 4) / rules->local_block);
        }
    return blocks.count;
}

static bool all_pairs_agree(const struct count_access *x, unsigned distance) {
    for (unsigned lane = 0; lane < 32; lane++)
        if (x->mask >> lane & 1 && x->mask >> (lane ^ distance) & 1 &&
            x->address[lane] != x->address[lane ^ distance])
            return false;
    return true;
}

static unsigned reference_shared(const struct count_rules *rules, const struct count_access *x) {
    unsigned lanes = x->width == 16 ? 8 : x->width == 8 ? 16 : 32, total = 0;
    if (rules->shared_pairs && x->kind == COUNT_LOAD && lanes < 32 &&
        (all_pairs_agree(x, 1) || all_pairs_agree(x, 2)))
        lanes *= 2;
    for (unsigned first = 0; first < 32; first += lanes) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < 32; bank++) {
            struct keys wanted = {0};
            for (unsigned lane = first; lane < first + lanes; lane++)
                for (unsigned b = 0; x->mask >> lane & 1 && b < x->width; b += 4) {
                    uint64_t word = (x->address[lane] + b) / 4;
                    /* Updates of one word by several lanes count separately. */
                    bool updates = x->kind == COUNT_ATOM || x->kind == COUNT_RED;
                    if (word % 32 == bank)
                        keys_add(&wanted, updates ? word * 32 + lane : word);
                }
            most = wanted.count > most ? wanted.count : most;
        }
        total += most;
    }
    return total;
}

/* Patterns from all lanes alike to complete disorder. */
static void make_pattern(uint64_t address[32], unsigned width, uint64_t base, unsigned kind,
                         uint64_t *random) {
    uint64_t step = next_random(random) % 40, range = 1ull << next_random(random) % 14;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t element;
        switch (kind) {
        case 0:
            element = 0;
            break;
        case 1:
            element = lane * step;
            break;
        case 2:
            element = (31 - lane) * step;
            break;
        case 3:
            element = next_random(random) % range;
            break;
        case 4:
            element = (lane ^ (unsigned)(step % 32)) / 2;
            break;
        case 5:
            element = (lane & ~2u) * step;
            break;
        default:
            element = next_random(random) % (1ull << 40);
            break;
        }
        address[lane] = base + element * width;
    }
}

static uint32_t make_mask(unsigned kind, uint64_t *random) {
    uint32_t mask = (uint32_t)next_random(random);
    switch (kind) {
    case 0:
        return 0xffffffff;
    case 1:
        return 1u << mask % 32;
    case 2:
        return 0xffffffffu >> mask % 32;
    default:
        return mask ? mask : 1;
    }
}

typedef void property_fn(const struct count_rules *rules, const struct count_access *access);

/* Checks a property for all rules, kinds of access, widths and patterns. */
static void for_all(property_fn *property) {
    uint64_t random = 0x2545f4914f6cdd1d;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned pattern = 0; pattern < 7; pattern++)
            for (unsigned width = 1; width <= 16; width *= 2) {
                uint64_t address[32];
                uint64_t base = (next_random(&random) % (1ull << 40)) / 16 * 16;
                make_pattern(address, width, base + next_random(&random) % 16 / width * width, pattern,
                             &random);
                struct count_access access = {
                    .kind = next_random(&random) % 4,
                    .skips_l1 = next_random(&random) % 2,
                    .width = width,
                    .mask = make_mask(round % 4, &random),
                    .address = address,
                };
                property(count_rules_at((unsigned)(next_random(&random) % 15)), &access);
            }
}

static void equals_reference(const struct count_rules *rules, const struct count_access *x) {
    struct count_result global = count_global(rules, x), shared = count_shared(rules, x),
                        local = count_local(rules, x);
    unsigned bytes = reference_bytes(x);

    assert_int_equal(global.transactions, reference_global(rules, x));
    assert_int_equal(global.useful_bytes, bytes);
    assert_int_equal(shared.transactions, reference_shared(rules, x));
    assert_int_equal(shared.useful_bytes, bytes);
    assert_int_equal(shared.moved_bytes, shared.transactions * 128);
    assert_int_equal(local.transactions, reference_local(rules, x));
    /* Lanes share no byte of local memory, even at equal offsets. */
    assert_int_equal(local.useful_bytes, (unsigned)__builtin_popcount(x->mask) * x->width);
    assert_int_equal(local.moved_bytes, local.transactions * rules->local_block);
}

static bool same(struct count_result a, struct count_result b) {
    return a.transactions == b.transactions && a.moved_bytes == b.moved_bytes &&
           a.useful_bytes == b.useful_bytes;
}

static void keeps_under_shift(const struct count_rules *rules, const struct count_access *x) {
    static const uint64_t shifts[] = {128, 128 * 3, 1 << 20, 1ull << 40};
    count_fn *const counts[] = {count_global, count_shared, count_local};
    for (unsigned s = 0; s < sizeof shifts / sizeof *shifts; s++) {
        uint64_t moved[32];
        struct count_access there = *x;
        there.address = moved;
        for (unsigned lane = 0; lane < 32; lane++)
            moved[lane] = x->address[lane] + shifts[s];
        for (unsigned c = 0; c < 3; c++)
            assert_true(same(counts[c](rules, x), counts[c](rules, &there)));
    }
}

/* Addresses of inactive lanes must not matter: they are whatever the register held. */
static void ignores_lanes_that_are_off(const struct count_rules *rules, const struct count_access *x) {
    count_fn *const counts[] = {count_global, count_shared, count_local};
    uint64_t other[32];
    struct count_access there = *x;
    there.address = other;
    for (unsigned lane = 0; lane < 32; lane++)
        other[lane] = x->mask >> lane & 1 ? x->address[lane] : lane * 0x9e3779b97f4a7c15u;
    for (unsigned c = 0; c < 3; c++)
        assert_true(same(counts[c](rules, x), counts[c](rules, &there)));
}

static void keeps_within_bounds(const struct count_rules *rules, const struct count_access *x) {
    unsigned lanes = (unsigned)__builtin_popcount(x->mask), words = x->width < 4 ? 1 : x->width / 4;
    struct count_result global = count_global(rules, x), shared = count_shared(rules, x),
                        local = count_local(rules, x);

    assert_in_range(global.transactions, 1, lanes);
    assert_in_range(global.useful_bytes, x->width, global.moved_bytes);
    assert_in_range(shared.transactions, 1, lanes);
    assert_in_range(local.transactions, words, lanes * words);
    assert_in_range(local.useful_bytes, x->width, local.moved_bytes);
    if (lanes == 1)
        assert_int_equal(global.transactions + shared.transactions, 2);
}

static void counts_equal_a_naive_reference(void **state) {
    (void)state;
    for_all(equals_reference);
}

static void results_keep_under_shift(void **state) {
    (void)state;
    for_all(keeps_under_shift);
}

static void lanes_that_are_off_do_not_matter(void **state) {
    (void)state;
    for_all(ignores_lanes_that_are_off);
}

static void results_keep_within_bounds(void **state) {
    (void)state;
    for_all(keeps_within_bounds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_equal_a_naive_reference),
        cmocka_unit_test(results_keep_under_shift),
        cmocka_unit_test(lanes_that_are_off_do_not_matter),
        cmocka_unit_test(results_keep_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
