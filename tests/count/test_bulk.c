/* Sectors of bulk copies: an H200's counts, and whole lines against a walk over packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/count/count.h"

/* Measured on an H200 (tests/counters/bulk.csv has 357 launches); places are modulo a line. */
static void measured(void **state) {
    (void)state;
    static const struct {
        enum count_bulk kind;
        unsigned own, other, bytes, sectors;
    } copies[] = {
        {COUNT_BULK_GLOBAL, 0, 16, 16, 1},      {COUNT_BULK_GLOBAL, 0, 16, 32, 2},
        {COUNT_BULK_GLOBAL, 0, 0, 1040, 33},    {COUNT_BULK_GLOBAL, 0, 16, 1040, 41},
        {COUNT_BULK_GLOBAL, 0, 16, 16384, 640}, {COUNT_BULK_GLOBAL, 16, 16, 128, 5},
        {COUNT_BULK_GLOBAL, 16, 0, 128, 5},     {COUNT_BULK_MULTICAST, 0, 0, 16, 2},
        {COUNT_BULK_MULTICAST, 0, 16, 64, 3},   {COUNT_BULK_MULTICAST, 0, 48, 96, 5},
        {COUNT_BULK_MULTICAST, 0, 16, 144, 8},  {COUNT_BULK_CLUSTER, 112, 0, 16, 1},
        {COUNT_BULK_CLUSTER, 0, 0, 32, 2},      {COUNT_BULK_CLUSTER, 0, 112, 48, 3},
        {COUNT_BULK_CLUSTER, 16, 48, 144, 7},   {COUNT_BULK_CLUSTER, 112, 112, 144, 5},
    };
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        assert_int_equal(count_bulk(copies[i].kind, copies[i].own, copies[i].other, copies[i].bytes),
                         copies[i].sectors);
}

static uint64_t least(enum count_bulk kind, uint64_t bytes) {
    return kind == COUNT_BULK_MULTICAST || (kind == COUNT_BULK_CLUSTER && bytes > 16) ? 2 : 1;
}

/* Counts packet by packet. */
static uint64_t walk(enum count_bulk kind, uint64_t own, uint64_t other, uint64_t bytes) {
    uint64_t sum = 0;
    while (bytes) {
        uint64_t now = 128 - own % 128, far = 128 - other % 128;
        if (kind != COUNT_BULK_GLOBAL && now > far)
            now = far;
        if (now > bytes)
            now = bytes;
        uint64_t sectors = (other + now - 1) / 32 - other / 32 + 1;
        sum += sectors < least(kind, now) ? least(kind, now) : sectors;
        own += now;
        other += now;
        bytes -= now;
    }
    return sum;
}

static void packets(void **state) {
    (void)state;
    for (int kind = COUNT_BULK_GLOBAL; kind <= COUNT_BULK_CLUSTER; kind++)
        for (unsigned own = 0; own < 256; own += 16)
            for (unsigned other = 0; other < 256; other += 16)
                for (unsigned bytes = 0; bytes <= 560; bytes += 16)
                    assert_int_equal(count_bulk((enum count_bulk)kind, own, other, bytes),
                                     walk((enum count_bulk)kind, own, other, bytes));
}

/* The largest size and places that an instruction can have. */
static void limits(void **state) {
    (void)state;
    assert_true(count_bulk(COUNT_BULK_GLOBAL, 0, 0, UINT32_MAX - 15) == (uint64_t)1 << 27);
    assert_int_equal(count_bulk(COUNT_BULK_GLOBAL, 112, UINT64_MAX - 15, 16), 1);
    assert_int_equal(count_bulk(COUNT_BULK_CLUSTER, UINT64_MAX - 15, 0, 32), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(measured), cmocka_unit_test(packets),
                                       cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
