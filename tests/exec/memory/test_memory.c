/* Device memory: ranges, limits, descriptions, and lookups from many threads while allocations change. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/sim.h"

static struct sim_memory *memory;

/* Whether a kernel's access goes through. */
static bool reaches(struct sim_memory *m, uint64_t address, size_t size) {
    struct sim_allocation found;
    return sim_memory_find(m, address, size, &found) || sim_memory_slack(m, address, size, &found);
}

static int setup(void **state) {
    (void)state;
    memory = sim_memory_create(UINT64_C(1) << 40);
    return memory ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    sim_memory_destroy(memory);
    return 0;
}

static void ranges(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 511, 512, 513, 4096, 262143, 262144, 262145, 1 << 20, (9 << 20) + 3};
    uint64_t bases[sizeof sizes / sizeof *sizes];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bases[i] = sim_memory_alloc(memory, sizes[i], SIM_MEMORY_DEVICE);
        assert_true(bases[i] != 0);
        assert_int_equal(bases[i] % 512, 0);
        memset((void *)(uintptr_t)bases[i], 0xA5, sizes[i]);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sim_allocation found;
        assert_true(sim_memory_find(memory, bases[i], sizes[i], &found));
        assert_true(found.base == bases[i] && found.size == sizes[i]);
        assert_int_equal(found.serial, i + 1);
        assert_int_equal(found.kind, SIM_MEMORY_DEVICE);
        assert_null(found.user);
        assert_false(sim_memory_find(memory, bases[i], sizes[i] + 1, &found));
        assert_false(sim_memory_find(memory, bases[i] - 1, 1, &found));
        assert_false(sim_memory_find(memory, bases[i] + sizes[i], 1, &found));
        assert_true(sim_memory_find(memory, bases[i] + sizes[i], 0, &found));
        assert_false(sim_memory_find(memory, bases[i] + 1, SIZE_MAX, &found));
        /* A red zone of 512 bytes on each side belongs to no allocation. */
        for (size_t k = 1; k <= 512; k++) {
            assert_false(sim_memory_find(memory, bases[i] - k, 1, &found));
            assert_false(sim_memory_find(memory, bases[i] + sizes[i] + k - 1, 1, &found));
        }
        assert_false(sim_memory_free(memory, bases[i] + 1));
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_true(sim_memory_free(memory, bases[i]));
        assert_false(sim_memory_free(memory, bases[i]));
    }
    assert_int_equal(sim_memory_used(memory), 0);
}

static void limit(void **state) {
    (void)state;
    struct sim_memory *small = sim_memory_create(4096);
    assert_non_null(small);
    assert_int_equal(sim_memory_limit(small), 4096);
    assert_int_equal(sim_memory_alloc(small, 4097, SIM_MEMORY_DEVICE), 0);
    assert_int_equal(sim_memory_alloc(small, SIZE_MAX, SIM_MEMORY_DEVICE), 0);
    assert_int_equal(sim_memory_alloc(small, SIZE_MAX, SIM_MEMORY_HOST), 0);
    assert_int_equal(sim_memory_alloc(small, SIZE_MAX / 2, SIM_MEMORY_HOST), 0);
    uint64_t a = sim_memory_alloc(small, 4096, SIM_MEMORY_DEVICE);
    assert_true(a != 0);
    assert_int_equal(sim_memory_used(small), 4096);
    assert_int_equal(sim_memory_alloc(small, 1, SIM_MEMORY_DEVICE), 0);
    assert_int_equal(sim_memory_alloc(small, 0, SIM_MEMORY_MODULE), 0);
    uint64_t host = sim_memory_alloc(small, 100000, SIM_MEMORY_HOST);
    uint64_t managed = sim_memory_alloc(small, 100000, SIM_MEMORY_MANAGED);
    assert_true(host && managed);
    assert_int_equal(sim_memory_used(small), 4096);
    assert_true(sim_memory_free(small, a));
    assert_int_equal(sim_memory_used(small), 0);
    assert_true(sim_memory_alloc(small, 1, SIM_MEMORY_DEVICE) != 0);
    sim_memory_destroy(small);
    /* If a limit is not a multiple of 512, the remainder is unusable. */
    small = sim_memory_create(4095);
    assert_non_null(small);
    assert_int_equal(sim_memory_alloc(small, 3585, SIM_MEMORY_DEVICE), 0);
    a = sim_memory_alloc(small, 3584, SIM_MEMORY_DEVICE);
    assert_true(a != 0);
    assert_int_equal(sim_memory_alloc(small, 1, SIM_MEMORY_DEVICE), 0);
    sim_memory_destroy(small);
}

/* Sizes beyond the address space, for any kind of memory. */
static void too_large(void **state) {
    (void)state;
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 512, SIZE_MAX / 2 + 1, SIZE_MAX / 2, SIZE_MAX / 4};
    for (int packed = 0; packed <= 1; packed++) {
        struct sim_memory *m = sim_memory_create(UINT64_MAX);
        assert_non_null(m);
        if (packed)
            (void)sim_memory_pack(m);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            assert_true(sim_memory_alloc(m, sizes[i], SIM_MEMORY_DEVICE) == 0);
            assert_true(sim_memory_alloc(m, sizes[i], SIM_MEMORY_HOST) == 0);
            assert_true(sim_memory_alloc(m, sizes[i], SIM_MEMORY_HEAP) == 0);
        }
        assert_int_equal(sim_memory_used(m), 0);
        sim_memory_destroy(m);
    }
}

/* Small memory without pages of its own too, on both sides of the limit for a mapping. */
static void kinds(void **state) {
    (void)state;
    static const size_t sizes[] = {0,     1,      511,    512,    513,    1024,   4096,
                                   65537, 131072, 131073, 262143, 262144, 262145, 524288};
    static const enum sim_memory_kind all[] = {SIM_MEMORY_DEVICE, SIM_MEMORY_MODULE, SIM_MEMORY_MANAGED,
                                               SIM_MEMORY_HOST, SIM_MEMORY_HEAP};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            uint64_t base = sim_memory_alloc(memory, sizes[i], all[k]);
            assert_true(base && base % 512 == 0);
            memset((void *)(uintptr_t)base, 0xA5, sizes[i]);
            assert_true(sim_memory_free(memory, base));
        }
}

/* A huge array costs only addresses until it is accessed. */
static void lazy(void **state) {
    (void)state;
    uint64_t base = sim_memory_alloc(memory, (size_t)4 << 30, SIM_MEMORY_DEVICE);
    if (!base)
        return; /* the machine's overcommit rules forbid it */
    ((volatile char *)(uintptr_t)base)[((size_t)4 << 30) - 1] = 1;
    assert_int_equal(((volatile char *)(uintptr_t)base)[(size_t)2 << 30], 0);
    assert_true(sim_memory_free(memory, base));
}

static void registering(void **state) {
    (void)state;
    char *host = malloc(1000);
    assert_non_null(host);
    assert_false(sim_memory_register(memory, NULL, 10));
    assert_false(sim_memory_register(memory, host, 0));
    assert_false(sim_memory_register(memory, host, SIZE_MAX));
    assert_true(sim_memory_register(memory, host + 100, 100));
    assert_false(sim_memory_register(memory, host + 100, 100));
    assert_false(sim_memory_register(memory, host + 199, 100));
    assert_false(sim_memory_register(memory, host + 1, 100));
    assert_false(sim_memory_register(memory, host, 1000));
    assert_true(sim_memory_register(memory, host, 100)); /* they may touch */
    assert_true(sim_memory_register(memory, host + 200, 800));
    struct sim_allocation found;
    assert_true(sim_memory_find(memory, (uint64_t)(uintptr_t)host + 150, 50, &found));
    assert_int_equal(found.kind, SIM_MEMORY_HOST);
    assert_true(found.base == (uint64_t)(uintptr_t)host + 100);
    int note;
    assert_true(sim_memory_set_user(memory, found.base, &note));
    assert_false(sim_memory_set_user(memory, found.base + 1, &note));
    assert_true(sim_memory_find(memory, found.base, 1, &found));
    assert_ptr_equal(found.user, &note);
    assert_int_equal(sim_memory_used(memory), 0);
    assert_true(sim_memory_free(memory, (uint64_t)(uintptr_t)host + 100));
    assert_true(sim_memory_free(memory, (uint64_t)(uintptr_t)host));
    assert_true(sim_memory_free(memory, (uint64_t)(uintptr_t)host + 200));
    free(host);
}

static void check_text(uint64_t address, const char *format, ...) {
    char expected[256], text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    sim_memory_describe(memory, address, text, sizeof text);
    assert_string_equal(text, expected);
}

static void describing(void **state) {
    (void)state;
    check_text(UINT64_C(0x700000000000), "no allocation exists");
    check_text(0, "null pointer");
    check_text(1, "null pointer plus 1 byte");
    check_text(100, "null pointer plus 100 bytes");
    unsigned long long a = sim_memory_alloc(memory, 4096, SIM_MEMORY_DEVICE);
    assert_true(a != 0);
    check_text(a, "byte 0 of allocation #1 (0x%llx, 4096 bytes)", a);
    check_text(a + 4095, "byte 4095 of allocation #1 (0x%llx, 4096 bytes)", a);
    check_text(a + 4096, "1 byte after allocation #1 (0x%llx, 4096 bytes)", a);
    check_text(a + 4099, "4 bytes after allocation #1 (0x%llx, 4096 bytes)", a);
    check_text(a - 8, "8 bytes before allocation #1 (0x%llx, 4096 bytes)", a);
    assert_true(sim_memory_free(memory, a));
    check_text(a + 8, "byte 8 of freed allocation #1 (0x%llx, 4096 bytes)", a);
    check_text(a, "byte 0 of freed allocation #1 (0x%llx, 4096 bytes)", a);
    check_text(a + 4095, "byte 4095 of freed allocation #1 (0x%llx, 4096 bytes)", a);
    check_text(a + 4096, "no allocation exists");
    check_text(a - 1, "no allocation exists");
    unsigned long long b = sim_memory_alloc(memory, 1, SIM_MEMORY_DEVICE);
    assert_true(b && b != a);
    check_text(b, "byte 0 of allocation #2 (0x%llx, 1 byte)", b);
    char small[8];
    sim_memory_describe(memory, b, small, sizeof small);
    assert_string_equal(small, "byte 0 ");
}

/* The last 1024 freed allocations are remembered. */
static void describing_many(void **state) {
    (void)state;
    enum { COUNT = 1100 };
    static unsigned long long bases[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        bases[i] = sim_memory_alloc(memory, 8192, SIM_MEMORY_DEVICE);
        assert_true(bases[i] && sim_memory_free(memory, bases[i]));
        check_text(bases[i], "byte 0 of freed allocation #%u (0x%llx, 8192 bytes)", i + 1, bases[i]);
        const unsigned oldest = i < 1024 ? 0 : i - 1023;
        check_text(bases[oldest] + 1, "byte 1 of freed allocation #%u (0x%llx, 8192 bytes)", oldest + 1,
                   bases[oldest]);
    }
}

/* Notes on allocations, and names: on as many as there is room for, and on no other. */
static void noting(void **state) {
    (void)state;
    enum { COUNT = 64 };
    uint64_t bases[COUNT];
    int notes[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        bases[i] = sim_memory_alloc(memory, 100, SIM_MEMORY_DEVICE);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(sim_memory_set_user(memory, bases[i], &notes[i]));
        assert_false(sim_memory_set_user(memory, bases[i] + 1, &notes[i]));
        assert_true(i % 2 || sim_memory_set_name(memory, bases[i], (char *)&notes[i]));
        assert_false(sim_memory_set_name(memory, bases[i] + 1, "none"));
    }
    for (size_t i = 0; i < COUNT; i++) {
        struct sim_allocation found;
        assert_true(sim_memory_find(memory, bases[i], 100, &found));
        assert_ptr_equal(found.user, &notes[i]);
        assert_ptr_equal(found.name, i % 2 ? NULL : &notes[i]);
        assert_true(sim_memory_free(memory, bases[i]));
        assert_false(sim_memory_set_user(memory, bases[i], &notes[i]));
    }
}

/* Freed addresses stay unused for a while, in every size class; the quarantine is bounded. */
static void quarantine(void **state) {
    (void)state;
    static const size_t sizes[] = {64, 4096, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t old = sim_memory_alloc(memory, sizes[i], SIM_MEMORY_DEVICE);
        assert_true(sim_memory_free(memory, old));
        for (int k = 0; k < 100; k++) {
            uint64_t fresh = sim_memory_alloc(memory, sizes[i], SIM_MEMORY_DEVICE);
            assert_true(fresh && fresh != old);
            assert_true(sim_memory_free(memory, fresh));
        }
    }
    for (int k = 0; k < 3000; k++) {
        uint64_t base = sim_memory_alloc(memory, (size_t)(k % 300) << 10, SIM_MEMORY_DEVICE);
        assert_true(base && sim_memory_free(memory, base));
    }
    assert_int_equal(sim_memory_used(memory), 0);
}

/* The same for unpacked memory, with pages of the host. */
static void apart(void **state) {
    (void)state;
    enum { COUNT = 100 };
    uint64_t device[COUNT], host[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        device[i] = sim_memory_alloc(memory, i + 1, SIM_MEMORY_DEVICE);
        host[i] = sim_memory_alloc(memory, i + 1, SIM_MEMORY_HOST);
        assert_true(device[i] && host[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < COUNT; k++) {
            assert_true(device[i] >> 12 != host[k] >> 12);
            assert_true(i == k || device[i] >> 12 != device[k] >> 12);
        }
    for (size_t i = 0; i < COUNT; i++)
        assert_true(sim_memory_free(memory, device[i]) && sim_memory_free(memory, host[i]));
}

/* A range may end at the end of the address space, but not beyond. */
static void registering_to_the_end(void **state) {
    (void)state;
    static char host[8];
    const uint64_t most = UINT64_MAX - (uint64_t)(uintptr_t)host;
    assert_false(sim_memory_register(memory, host, (size_t)most + 1));
    assert_false(sim_memory_register(memory, host, (size_t)most + 2));
    assert_true(sim_memory_register(memory, host, (size_t)most));
    assert_true(sim_memory_free(memory, (uint64_t)(uintptr_t)host));
}

static void check_slack(struct sim_memory *m, uint64_t address, size_t size, uint64_t base, size_t length) {
    struct sim_allocation found;
    assert_true(sim_memory_slack(m, address, size, &found));
    assert_true(found.base == base);
    assert_true(found.size == length);
}

/* The gap between allocations, to its last byte; ranges that reach further are described as they are. */
static void packed_slack(void **state) {
    (void)state;
    struct sim_memory *m = sim_memory_create(UINT64_C(1) << 30);
    assert_non_null(m);
    if (sim_memory_pack(m)) {
        const uint64_t page = 2 << 20;
        const uint64_t a = sim_memory_alloc(m, 100, SIM_MEMORY_DEVICE);
        const uint64_t b = sim_memory_alloc(m, 100, SIM_MEMORY_DEVICE);
        const uint64_t c = sim_memory_alloc(m, page + 1, SIM_MEMORY_DEVICE);
        assert_true(a && b == a + 512 && c == a - 2 * page);
        check_slack(m, a + 101, 411, a + 100, 412);
        check_slack(m, a + 101, 412, a + 101, 412);
        check_slack(m, a + 100, 412, a + 100, 412);
        check_slack(m, a + 99, 2, a + 99, 2);
        check_slack(m, b + 101, 4, b + 100, page - 612);
        /* If an allocation fills its page nothing is left, even if it ends in the next page. */
        check_slack(m, c + 10, 4, c + 10, 4);
        check_slack(m, c + page - 1, 2, c + page - 1, 2);
        check_slack(m, c + page + 2, 4, c + page + 1, page - 1);
    }
    sim_memory_destroy(m);
}

/* Packed memory has addresses for gaps, and for uncounted parts: four times its limit, except the ends of the
 * range.  Here these are only addresses; if a process may not reserve that many, there is nothing to test. */
static void packed_room(void **state) {
    (void)state;
    enum { PIECES = 11 };
    static const uint64_t limits[] = {UINT64_C(24) << 30, (UINT64_C(1) << 62) + 1, UINT64_MAX};
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        struct sim_memory *m = sim_memory_create(limits[k]);
        assert_non_null(m);
        uint64_t last = 0, base = 0;
        if (sim_memory_pack(m))
            for (size_t i = 0; i < PIECES; i++, last = base) {
                base = sim_memory_alloc(m, (size_t)8 << 30, SIM_MEMORY_MANAGED);
                if (!i && !base)
                    break;
                assert_true(base && (!i || base == last - ((uint64_t)8 << 30)));
            }
        sim_memory_destroy(m);
    }
}

/* Devices have one space of addresses, and limits, pages and memory of their own. */
static void devices(void **state) {
    (void)state;
    struct sim_memory *m[SIM_MAX_DEVICES] = {sim_memory_create(UINT64_C(1) << 30)};
    for (unsigned d = 1; d < SIM_MAX_DEVICES; d++) {
        m[d] = sim_memory_add_device(m[0]);
        assert_non_null(m[d]);
        assert_int_equal(sim_memory_device(m[d]), d);
        assert_ptr_equal(sim_memory_of(m[1], d), m[d]);
        assert_int_equal(sim_memory_devices(m[0]), d + 1);
        assert_int_equal(sim_memory_limit(m[d]), UINT64_C(1) << 30);
    }
    assert_null(sim_memory_add_device(m[3]));
    const bool packed = sim_memory_pack(m[0]);
    static const enum sim_memory_kind kinds[] = {SIM_MEMORY_DEVICE, SIM_MEMORY_MODULE, SIM_MEMORY_HEAP,
                                                 SIM_MEMORY_HOST, SIM_MEMORY_MANAGED};
    uint64_t at[5][3];
    struct sim_allocation found;
    for (size_t k = 0; k < 5; k++)
        for (unsigned d = 0; d < 3; d++) {
            at[k][d] = sim_memory_alloc(m[d], 100, kinds[k]);
            assert_true(sim_memory_find(m[2 - d], at[k][d], 100, &found) && found.device == d);
            assert_true(found.access == (k < 3 ? SIM_ACCESS_BY_PEERS | SIM_ACCESS_OF(d) : SIM_ACCESS_ALL));
            /* No page has memory of two devices. */
            for (size_t i = 0; i <= k && i < 3 && packed; i++)
                for (unsigned e = 0; e < 3; e++)
                    if (e != d && k < 3 && (i < k || e < d))
                        assert_true(at[i][e] / (2 << 20) != at[k][d] / (2 << 20));
            if (packed && k < 2 && (k == 0 || d))
                assert_true(sim_memory_slack(m[0], at[k][d] + 100, 4, &found) && found.device == d &&
                            found.access == (SIM_ACCESS_BY_PEERS | SIM_ACCESS_OF(d)));
        }
    assert_int_equal(sim_memory_used(m[1]), 1024);
    assert_true(sim_memory_free(m[0], at[0][1]));
    assert_int_equal(sim_memory_used(m[1]), 512);
    assert_int_equal(sim_memory_used(m[0]), 1024);
    const uint64_t all = sim_memory_alloc(m[4], (size_t)1 << 30, SIM_MEMORY_DEVICE);
    assert_true(all && !sim_memory_alloc(m[4], 1, SIM_MEMORY_DEVICE) &&
                sim_memory_alloc(m[5], 1, SIM_MEMORY_DEVICE));
    assert_true(sim_memory_set_access(m[0], all, 5) && sim_memory_find(m[0], all, 1, &found));
    assert_true(found.access == 5);
    assert_false(sim_memory_set_access(m[0], all + 1, 5));
    sim_memory_destroy(m[1]);
}

/* Who reaches memory outside allocations reaches every page of it, and every allocation that it extends into.
 */
static void slack_of_several(void **state) {
    (void)state;
    enum { PAGE = 2 << 20, UNIT = 512 };
    const uint64_t one = SIM_ACCESS_OF(1), by_peers = SIM_ACCESS_BY_PEERS;
    struct sim_memory *m = sim_memory_create(UINT64_C(1) << 30), *other = sim_memory_add_device(m);
    struct sim_allocation found;
    if (!sim_memory_pack(m)) {
        sim_memory_destroy(m);
        skip();
    }
    /* Pages are taken downwards: device 1's follows the host's, and device 0's follows device 1's. */
    const uint64_t high = sim_memory_alloc(m, PAGE, SIM_MEMORY_DEVICE),
                   middle = sim_memory_alloc(other, PAGE, SIM_MEMORY_DEVICE),
                   low = sim_memory_alloc(m, PAGE, SIM_MEMORY_HOST);
    assert_true(middle + PAGE == high && low + PAGE == middle);
    assert_true(sim_memory_slack(m, high - UNIT, 2 * UNIT, &found) && found.access == 0);
    assert_true(sim_memory_slack(m, middle - UNIT, 2 * UNIT, &found));
    assert_true(found.access == (one | by_peers) && found.device == 1);
    assert_true(sim_memory_slack(m, low + UNIT, 2 * PAGE, &found) && found.access == 0);
    /* Both may be open to the same device. */
    assert_true(sim_memory_set_access(m, middle, one | 1));
    assert_true(sim_memory_slack(m, middle - UNIT, PAGE, &found));
    assert_true(found.access == one && found.device == 1); /* the page is not */
    /* Two arrays in a page. */
    const uint64_t first = sim_memory_alloc(other, UNIT, SIM_MEMORY_DEVICE),
                   second = sim_memory_alloc(other, UNIT, SIM_MEMORY_DEVICE);
    assert_true(first + UNIT == second);
    assert_true(sim_memory_slack(m, first + 1, UNIT, &found) && found.access == (one | by_peers));
    assert_true(sim_memory_set_access(m, second, one));
    assert_true(sim_memory_slack(m, first + 1, UNIT, &found) && found.access == one);
    assert_true(sim_memory_slack(m, second + 1, UNIT, &found) && found.access == one);
    assert_true(sim_memory_slack(m, second + UNIT, UNIT, &found) && found.access == (one | by_peers));
    sim_memory_destroy(m);
}

/* Packed memory: the layout, the accessible parts, and the reuse of pieces. */
static void packed(void **state) {
    (void)state;
    struct sim_memory *m = sim_memory_create(UINT64_C(1) << 30);
    assert_non_null(m);
    if (!sim_memory_pack(m)) { /* the process may not reserve the addresses */
        sim_memory_destroy(m);
        return;
    }
    const uint64_t page = 2 << 20;
    struct sim_allocation found;
    uint64_t a = sim_memory_alloc(m, 100, SIM_MEMORY_DEVICE), b = sim_memory_alloc(m, 0, SIM_MEMORY_DEVICE);
    uint64_t c = sim_memory_alloc(m, 3 << 20, SIM_MEMORY_DEVICE),
             d = sim_memory_alloc(m, page, SIM_MEMORY_MANAGED);
    assert_true(a && a % page == 0);
    assert_true(b == a + 512 && c == a - 2 * page && d == c - page);
    assert_true(sim_memory_slack(m, a + 100, 4, &found) && found.base == a + 100 && found.size == 412);
    assert_true(sim_memory_slack(m, b, 512, &found) && found.base == b && found.size == page - 512);
    assert_true(sim_memory_slack(m, c + (3 << 20), 8, &found));
    assert_true(found.base == c + (3 << 20) && found.size == 1 << 20);
    assert_true(sim_memory_slack(m, a + 98, 4, &found) && found.base == a + 98 && found.size == 4);
    assert_true(reaches(m, c, 5 << 20));
    assert_true(reaches(m, d, 4));
    assert_false(reaches(m, d - 4, 4));
    assert_false(reaches(m, a + page - 2, 4));
    assert_false(reaches(m, a, SIZE_MAX));
    assert_false(reaches(m, 0, 1));
    /* Pinned memory is in pages too. */
    uint64_t host = sim_memory_alloc(m, 100, SIM_MEMORY_HOST);
    assert_true(host && reaches(m, host + 100, 1));
    /* No page holds both device memory and other memory, which must not be shared with it. */
    assert_true(host / page != a / page);
    uint64_t heap = sim_memory_alloc(m, 100, SIM_MEMORY_HEAP);
    assert_true(heap && heap / page == host / page && sim_memory_free(m, heap));
    assert_true(sim_memory_free(m, host));
    /* A hole is filled by what fits; a page shared by small pieces is freed with the last of them. */
    assert_true(sim_memory_free(m, c));
    assert_false(reaches(m, c, 1));
    assert_true(sim_memory_alloc(m, 2 * page + 1, SIM_MEMORY_DEVICE) == d - 3 * page);
    assert_true(sim_memory_alloc(m, 2 * page, SIM_MEMORY_DEVICE) == c);
    assert_int_equal(*(volatile char *)(uintptr_t)c, 0);
    assert_true(sim_memory_free(m, a) && reaches(m, a, 1));
    assert_true(sim_memory_alloc(m, 513, SIM_MEMORY_DEVICE) == b + 512);
    assert_true(sim_memory_alloc(m, 512, SIM_MEMORY_DEVICE) == a);
    assert_true(sim_memory_free(m, b) && sim_memory_free(m, a) && sim_memory_free(m, b + 512));
    assert_false(reaches(m, a, 1));
    /* Many pieces of all sizes: none overlap, and all are accessible to their ends. */
    static uint64_t pieces[2000];
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < 2000; i++) {
            size_t size = i * 7919 % 5000 + (i % 100 == 0 ? page : 1);
            pieces[i] = sim_memory_alloc(m, size, SIM_MEMORY_DEVICE);
            assert_true(pieces[i] && pieces[i] % 512 == 0);
            memset((void *)(uintptr_t)pieces[i], (int)(i & 255), size);
        }
        for (size_t i = 0; i < 2000; i++) {
            size_t k = i * 7 % 2000, size = k * 7919 % 5000 + (k % 100 == 0 ? page : 1);
            const unsigned char *bytes = (const unsigned char *)(uintptr_t)pieces[k];
            assert_true(bytes[0] == (k & 255) && bytes[size / 2] == (k & 255) &&
                        bytes[size - 1] == (k & 255));
            assert_true(sim_memory_free(m, pieces[k]));
        }
    }
    sim_memory_destroy(m);
}

static atomic_bool stop;
static uint64_t stable[100];

static void *reader(void *argument) {
    (void)argument;
    size_t wrong = 0, i = 0;
    while (!atomic_load(&stop)) {
        struct sim_allocation found;
        size_t k = i++ % 100;
        bool held = sim_memory_find(memory, stable[k] + k, 1000, &found);
        wrong += !held || found.base != stable[k] || found.size != 2000 || found.serial != k + 1;
        wrong += sim_memory_find(memory, stable[k] + 2000, 1, &found);
    }
    return (void *)(uintptr_t)wrong;
}

static void concurrent(void **state) {
    (void)state;
    for (size_t i = 0; i < 100; i++) {
        stable[i] = sim_memory_alloc(memory, 2000, SIM_MEMORY_DEVICE);
        assert_true(stable[i] != 0);
    }
    atomic_store(&stop, false);
    pthread_t readers[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, reader, NULL), 0);
    static uint64_t passing[500];
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 500; i++)
            passing[i] = sim_memory_alloc(memory, (size_t)i, SIM_MEMORY_DEVICE);
        for (int i = 0; i < 500; i++)
            assert_true(sim_memory_free(memory, passing[(i * 7) % 500]));
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 3; i++) {
        void *wrong;
        pthread_join(readers[i], &wrong);
        assert_null(wrong);
    }
}

/* The mark that contents depend on an order is copied with them, and removed by overwriting or freeing. */
static void ordered(void **state) {
    (void)state;
    struct sim_memory *m = sim_memory_create(UINT64_C(1) << 30);
    const uint64_t a = sim_memory_alloc(m, 100, SIM_MEMORY_DEVICE),
                   b = sim_memory_alloc(m, 100, SIM_MEMORY_DEVICE),
                   c = sim_memory_alloc(m, 100, SIM_MEMORY_DEVICE);
    char host[100];
    const uint64_t out = (uint64_t)(uintptr_t)host;
    sim_memory_copied(m, b, out, 100);
    assert_false(sim_memory_ordered(m, b));
    sim_memory_set_ordered(m, a + 60);
    sim_memory_set_ordered(m, 16); /* in no allocation */
    assert_true(sim_memory_ordered(m, a) && sim_memory_ordered(m, a + 99));
    assert_false(sim_memory_ordered(m, a + 100) || sim_memory_ordered(m, b));
    sim_memory_copied(m, b + 8, a, 8);
    assert_true(sim_memory_ordered(m, b));
    sim_memory_copied(m, b, c, 99);
    assert_true(sim_memory_ordered(m, b));
    sim_memory_copied(m, b, c, 100);
    assert_false(sim_memory_ordered(m, b));
    sim_memory_copied(m, out, a, 4);
    sim_memory_copied(m, c, out, 4);
    assert_true(sim_memory_ordered(m, c));
    for (unsigned i = 0; i < 100; i++) /* moves its entry */
        sim_memory_alloc(m, 1, SIM_MEMORY_DEVICE);
    assert_true(sim_memory_ordered(m, a));
    assert_true(sim_memory_free(m, a));
    assert_false(sim_memory_ordered(m, a));
    sim_memory_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ranges, setup, teardown),
        cmocka_unit_test_setup_teardown(limit, setup, teardown),
        cmocka_unit_test(too_large),
        cmocka_unit_test_setup_teardown(kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(lazy, setup, teardown),
        cmocka_unit_test_setup_teardown(registering, setup, teardown),
        cmocka_unit_test_setup_teardown(registering_to_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(describing, setup, teardown),
        cmocka_unit_test_setup_teardown(describing_many, setup, teardown),
        cmocka_unit_test_setup_teardown(noting, setup, teardown),
        cmocka_unit_test_setup_teardown(quarantine, setup, teardown),
        cmocka_unit_test_setup_teardown(apart, setup, teardown),
        cmocka_unit_test_setup_teardown(concurrent, setup, teardown),
        cmocka_unit_test(ordered),
        cmocka_unit_test(devices),
        cmocka_unit_test(slack_of_several),
        cmocka_unit_test(packed),
        cmocka_unit_test(packed_slack),
        cmocka_unit_test(packed_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
