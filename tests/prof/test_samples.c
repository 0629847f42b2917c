/* Requests and arrays in records: whole ones, sums over launches, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/rows.h"

#define PROCESS                                                                                              \
    "{\"process\":{\"pid\":7,\"parent\":1,\"program\":\"/p\",\"arch\":\"sm_90\",\"proved\":true}}\n"
#define LAUNCH(number, kinds, arrays)                                                                        \
    "{\"launch\":{\"pid\":7,\"number\":" #number                                                             \
    ",\"kernel\":\"k\",\"grid\":[1,1,1],\"block\":[32,1,1],\"arch\":\"sm_90\",\"counters\":{},"              \
    "\"lines\":[{\"file\":\"a.cu\",\"line\":3,\"op\":\"ld.global.f32\",\"bytes\":4,\"counters\":{},"         \
    "\"kinds\":[" kinds "]}],\"arrays\":[" arrays "]}}\n"
#define SAME(number) "{\"launch\":{\"pid\":7,\"number\":" #number ",\"same\":1}}\n"
#define KIND(space, requests, transactions, more)                                                            \
    "{\"space\":\"" space "\",\"requests\":" #requests ",\"transactions\":" #transactions                    \
    ",\"moved\":640,\"useful\":256,\"block\":[1,2,3],\"warp\":5,\"access\":\"load\",\"bytes\":4," more "}"
#define EVEN  "\"mask\":4294967280,\"address\":4096,\"stride\":-8"
#define WORDS "[\"a\",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"
#define ARRAY(serial, size, cell, more)                                                                      \
    "{\"serial\":" #serial ",\"address\":65536,\"size\":" #size ",\"cell\":" #cell more "}"

static void read_text(const char *text, struct prof_recording *out) {
    FILE *file = tmpfile();
    struct base_error error;
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_true(prof_recording_read(file, out, &error));
    fclose(file);
}

static void test_kinds(void **state) {
    (void)state;
    struct prof_recording r;
    read_text(PROCESS LAUNCH(1,
                             KIND("shared", 2, 3, EVEN) "," KIND(
                                 "global", 9, 8,
                                 "\"mask\":5,\"address\":64,\"skips_l1\":true,\"offsets\":"
                                 "[0,9,-64,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"),
                             ""),
              &r);
    assert_int_equal(r.damaged, 0);
    const struct prof_kinds *kinds = &r.details[0]->lines[0].kinds;
    assert_int_equal(kinds->count, 2);
    const struct prof_kind *global = &kinds->items[0], *shared = &kinds->items[1];
    assert_int_equal(global->space, PROF_GLOBAL);
    assert_int_equal(global->requests, 9);
    assert_int_equal(global->transactions, 8);
    assert_true(global->skips_l1);
    assert_int_equal(global->address[0], 64);
    assert_int_equal(global->address[1], 0); /* takes no part */
    assert_int_equal(global->address[2], 0); /* 64 bytes before lane 0 */
    assert_int_equal(shared->space, PROF_SHARED);
    assert_int_equal(shared->block[2], 3);
    assert_int_equal(shared->warp, 5);
    assert_int_equal(shared->moved, 640);
    assert_int_equal(shared->useful, 256);
    assert_int_equal(shared->address[3], 0);
    assert_int_equal(shared->address[4], 4096); /* the lowest lane of the mask */
    assert_int_equal(shared->address[31], 4096 - 27 * 8);
    prof_recording_free(&r);
}

static void test_arrays(void **state) {
    (void)state;
    struct prof_recording r;
    read_text(
        PROCESS LAUNCH(
            1, "",
            ARRAY(0, 0, 1, ",\"read_moved\":[9]") "," ARRAY(
                3, 1000, 64,
                ",\"read_useful\":[1,2],\"written_moved\":[0,0,7]")) "{\"array\":{\"pid\":7,\"serial\":3,"
                                                                     "\"address\":65536,\"size\":1000,"
                                                                     "\"kind\":\"module\","
                                                                     "\"name\":\"table\",\"frames\":[{"
                                                                     "\"module\":\"/p\",\"offset\":12}]}}\n",
        &r);
    assert_int_equal(r.damaged, 0);
    const struct prof_arrays *arrays = &r.details[0]->arrays;
    assert_int_equal(arrays->count, 2);
    assert_int_equal(arrays->items[0].serial, 0);
    const struct prof_array *array = &arrays->items[1];
    assert_int_equal(array->process, 7);
    assert_int_equal(array->parts, 16);
    assert_int_equal(array->cell_count, 3);
    assert_int_equal(array->cells[1].read_useful, 2);
    assert_int_equal(array->cells[2].written_moved, 7);
    assert_int_equal(prof_array_total(array).read_useful, 3);
    assert_int_equal(r.allocation_count, 1);
    assert_string_equal(r.allocations[0].name, "table");
    assert_int_equal(r.allocations[0].frame_count, 1);
    assert_string_equal(r.allocations[0].frames[0].module, "/p");
    assert_int_equal(r.allocations[0].frames[0].offset, 12);
    prof_recording_free(&r);
}

/* Launches of one kernel are added up; those that did the same count as often as they ran. */
static void test_sums(void **state) {
    (void)state;
    struct prof_recording r;
    struct prof_rows rows;
    struct base_error error;
    read_text(
        PROCESS LAUNCH(1, KIND("global", 9, 8, EVEN), ARRAY(3, 1000, 64, ",\"read_moved\":[5]")) SAME(2)
            SAME(3) LAUNCH(
                4,
                KIND("global", 1, 4, EVEN) "," KIND("global", 2, 8, "\"mask\":1,\"address\":0,\"stride\":0"),
                ARRAY(2, 8, 1, "") "," ARRAY(3, 1000, 64, ",\"read_moved\":[1,1],\"written_useful\":[4]")),
        &r);
    assert_int_equal(r.damaged, 0);
    assert_true(prof_rows_make(&r, &(struct prof_selection){.count = UINT64_MAX}, &rows, &error));
    assert_int_equal(rows.count, 1);
    const struct prof_kinds *kinds = &rows.items[0].lines[0].kinds;
    assert_int_equal(kinds->count, 2);
    assert_int_equal(kinds->items[0].transactions, 4);
    assert_int_equal(kinds->items[0].requests, 1);
    assert_int_equal(kinds->items[1].requests, 3 * 9 + 2);
    assert_int_equal(kinds->items[1].moved, 4 * 640);
    const struct prof_arrays *arrays = &rows.items[0].arrays;
    assert_int_equal(arrays->count, 2);
    assert_int_equal(arrays->items[0].serial, 2);
    assert_int_equal(arrays->items[1].cells[0].read_moved, 3 * 5 + 1);
    assert_int_equal(arrays->items[1].cells[1].read_moved, 1);
    assert_int_equal(arrays->items[1].cells[0].written_useful, 4);
    prof_rows_free(&rows);
    prof_recording_free(&r);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        LAUNCH(1, "7", ""),
        LAUNCH(1, KIND("texture", 1, 1, EVEN), ""),
        LAUNCH(1, KIND("global", 0, 1, EVEN), ""),
        LAUNCH(1, KIND("global", -1, 1, EVEN), ""),
        LAUNCH(1, KIND("global", 1, 65536, EVEN), ""),
        LAUNCH(1, KIND("global", 1, 1, "\"mask\":0,\"address\":0,\"stride\":0"), ""),
        LAUNCH(1, KIND("global", 1, 1, "\"mask\":4294967296,\"address\":0,\"stride\":0"), ""),
        LAUNCH(1, KIND("global", 1, 1, "\"mask\":1,\"address\":2,\"stride\":0"), ""),    /* misaligned */
        LAUNCH(1, KIND("global", 1, 1, "\"mask\":3,\"address\":0,\"stride\":-4"), ""),   /* below 0 */
        LAUNCH(1, KIND("global", 1, 1, "\"mask\":1,\"address\":0"), ""),                 /* no lanes */
        LAUNCH(1, KIND("global", 1, 1, "\"mask\":1,\"address\":0,\"offsets\":[0]"), ""), /* too few */
        LAUNCH(1, KIND("global", 1, 1, "\"mask\":1,\"address\":0,\"offsets\":" WORDS), ""),
        LAUNCH(1, KIND("global", 1, 1, EVEN ",\"bytes\":3"), ""),
        LAUNCH(1, KIND("global", 1, 1, EVEN ",\"bytes\":32"), ""),
        LAUNCH(1, KIND("global", 1, 1, EVEN ",\"access\":\"jump\""), ""),
        LAUNCH(1, KIND("global", 1, 1, EVEN ",\"block\":[1]"), ""),
        LAUNCH(1, KIND("global", 1, 1, EVEN) "," KIND("global", 2, 1, EVEN), ""), /* twice */
        LAUNCH(1, "", "7"),
        LAUNCH(1, "", ARRAY(1, 1000, 3, "")),
        LAUNCH(1, "", ARRAY(1, 1000, 0, "")),
        LAUNCH(1, "", ARRAY(1, 1000, 4, "")), /* 250 parts */
        LAUNCH(1, "", ARRAY(1, 0, 4, "")),
        LAUNCH(1, "", ARRAY(0, 8, 4, "")),
        LAUNCH(1, "", ARRAY(1, 8, 4, ",\"read_moved\":[1,2,3]")),
        LAUNCH(1, "", ARRAY(1, 8, 4, ",\"read_moved\":[-1]")),
        LAUNCH(1, "", ARRAY(1, 8, 4, ",\"read_moved\":1")),
        LAUNCH(1, "", ARRAY(1, 8, 4, "") "," ARRAY(1, 8, 4, "")),
        "{\"array\":{\"pid\":7,\"serial\":3,\"address\":0,\"size\":1}}\n",
        "{\"array\":{\"pid\":7,\"serial\":3,\"address\":-1,\"size\":1,\"kind\":\"device\"}}\n",
        "{\"array\":{\"pid\":7,\"serial\":3,\"size\":1,\"kind\":\"device\",\"frames\":[{\"offset\":1}]}}\n",
        "{\"array\":{\"pid\":7,\"serial\":3,\"size\":1,\"kind\":\"device\",\"frames\":[{\"module\":\"/p\","
        "\"offset\":-1}]}}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[4000];
        struct prof_recording r;
        snprintf(text, sizeof text, PROCESS "%s", texts[i]);
        read_text(text, &r);
        if (r.damaged != 1 || r.launch_count || r.allocation_count)
            fail_msg("taken: %s", texts[i]);
        prof_recording_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_arrays),
                                       cmocka_unit_test(test_sums), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
