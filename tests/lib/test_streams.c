/* What moving narrow structures to streams and back costs on the simulator: passes over shared memory where
 * neighbouring streams begin in the same banks, and where bulk copies bring the structures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device.h"

enum { BYTES = 1 << 20, STREAMS = 32 };

static wl_counters counters;
static wl_devptr packed, streams;

static int allocate(void **state) {
    return open_without_small(state) || wl_alloc(context, &packed, BYTES) ||
                   wl_alloc(context, &streams, BYTES) || wl_fill(context, packed, 0, BYTES, NULL) ||
                   wl_fill(context, streams, 0, BYTES, NULL)
               ? -1
               : 0;
}

static int free_both(void **state) {
    return wl_free(context, packed) || wl_free(context, streams) || close_device(state) ? -1 : 0;
}

/* Only the simulator counts. */
static void begin_count(void) {
    const wl_error error = wl_reset_counters(context);
    if (error == WL_ERROR_UNSUPPORTED)
        skip();
    assert_int_equal(error, WL_ERROR_OK);
}

static void end_count(void) {
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
    assert_int_equal(wl_get_counters(context, &counters), WL_ERROR_OK);
}

/* Streams that lie `apart` bytes from each other. */
struct distance {
    unsigned width, fields, apart;
};

static void expect_few_passes(uint64_t passes, uint64_t accesses, const struct distance *of) {
    if (accesses == 0 || passes * 10 > accesses * 24)
        fail_msg("width %u, %u fields %u bytes apart: %llu accesses take %llu passes", of->width, of->fields,
                 of->apart, (unsigned long long)accesses, (unsigned long long)passes);
}

/* Half a warp's lanes have every fourth bank, two lanes each: so an access takes four passes if the other
 * half has the same banks, and else two.  Accesses of the structures' side are few. */
static void halves_of_a_warp_have_other_banks(void **state) {
    (void)state;
    static const struct distance cases[] = {
        {1, 8, 4002},  {1, 16, 2003}, {1, 16, 2002}, {1, 12, 4004}, {1, 20, 2004}, {1, 22, 1992},
        {1, 28, 1460}, {1, 10, 3205}, {1, 26, 1227}, {1, 32, 1251}, {2, 16, 2002}, {2, 20, 1604},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        wl_devptr all[STREAMS];
        for (unsigned f = 0; f < cases[i].fields; f++)
            all[f] = streams + f * cases[i].apart;
        const uint64_t n = cases[i].apart / cases[i].width;
        begin_count();
        assert_int_equal(wl_deinterleave(context, cases[i].width, cases[i].fields, all, packed, n, NULL),
                         WL_ERROR_OK);
        end_count();
        expect_few_passes(counters.shared_load_transactions, counters.shared_load_requests, &cases[i]);
        begin_count();
        assert_int_equal(wl_interleave(context, cases[i].width, cases[i].fields, packed, all, n, NULL),
                         WL_ERROR_OK);
        end_count();
        expect_few_passes(counters.shared_store_transactions, counters.shared_store_requests, &cases[i]);
    }
}

/* Bulk copies bring narrow structures of 17 fields and more, and in batches whose streams have less than 2400
 * bytes of 11 and more.  Whole matrices, which they bring too, take others of fewer unless these fill blocks.
 */
static void bulk_copies_bring_short_streams(void **state) {
    (void)state;
    static const struct {
        unsigned width;
        uint64_t batch, rows, cols;
        bool bulk;
    } cases[] = {
        {1, 64, 320, 16, true},  {1, 64, 512, 12, true},  {1, 64, 768, 10, false},
        {1, 1, 2048, 16, false}, {1, 8, 2368, 16, true},  {1, 8, 2400, 16, false},
        {2, 8, 1184, 14, true},  {2, 8, 1200, 14, false}, {1, 1, 2048, 17, true},
    };
    wl_device_info info;
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    if (strcmp(info.arch, "sm_90") != 0)
        skip();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const wl_transpose_layout layout = {
            .rows = cases[i].rows, .cols = cases[i].cols, .batch = cases[i].batch};
        begin_count();
        assert_int_equal(wl_transpose_batched(context, cases[i].width, streams, packed, &layout, NULL),
                         WL_ERROR_OK);
        end_count();
        if ((counters.bulk_load_requests > 0) != cases[i].bulk)
            fail_msg("%llu matrices of %llu x %llu, width %u: %llu bulk copies",
                     (unsigned long long)cases[i].batch, (unsigned long long)cases[i].rows,
                     (unsigned long long)cases[i].cols, cases[i].width,
                     (unsigned long long)counters.bulk_load_requests);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_a_warp_have_other_banks),
        cmocka_unit_test(bulk_copies_bring_short_streams),
    };
    return cmocka_run_group_tests(tests, allocate, free_both);
}
