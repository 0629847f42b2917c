/* The references of the library's operations: each against the header's formula, implemented anew, at every
 * width and at sizes beyond a chunk and a thread's share. */
#include "tests/bench/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/reference.h"

struct arrays {
    uint32_t *in, *out;
    unsigned char *expected;
    uint64_t out_bytes;
};

/* Inputs that differ everywhere and poisoned outputs; the test fills in what it expects. */
static struct arrays make(enum wl_reference reference, const struct wl_problem *problem) {
    struct bench_extents extents = bench_extents_of(reference, problem);
    struct arrays arrays = {.in = malloc(4 * extents.in[0].elements + 4),
                            .out = malloc(4 * extents.out[0].elements + 4),
                            .expected = malloc(4 * extents.out[0].elements + 4),
                            .out_bytes = 4 * extents.out[0].elements};
    assert_non_null(arrays.in);
    assert_non_null(arrays.out);
    assert_non_null(arrays.expected);
    bench_fill_input(BENCH_KIND_BITS, 1, 0, arrays.in, extents.in[0].elements);
    memset(arrays.out, 0x5a, arrays.out_bytes);
    memset(arrays.expected, 0x5a, arrays.out_bytes);
    return arrays;
}

static void check(struct arrays *arrays, enum wl_reference reference, const struct wl_problem *problem) {
    const uint32_t *in[BENCH_INPUTS] = {arrays->in};
    uint32_t *out[BENCH_OUTPUTS] = {arrays->out};
    bench_reference_of(reference)(problem, in, out);
    if (arrays->out_bytes)
        assert_memory_equal(arrays->out, arrays->expected, arrays->out_bytes);
    free(arrays->in);
    free(arrays->out);
    free(arrays->expected);
}

static const uint32_t widths[] = {1, 2, 4, 8, 16};

static void transposes(void **state) {
    (void)state;
    static const uint64_t shapes[][3] = {{1, 1, 1},    {3, 0, 4},    {1, 5, 1},   {2, 1, 7},    {2, 33, 65},
                                         {1, 1030, 3}, {1, 3, 1030}, {5, 40, 17}, {1, 300, 259}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t w = 0; w < 5; w++) {
            uint64_t batch = shapes[s][0], rows = shapes[s][1], cols = shapes[s][2], width = widths[w];
            struct wl_problem problem = {
                .batch = batch, .rows = rows, .cols = cols, .width = widths[w], .n = batch * rows * cols};
            struct arrays arrays = make(WL_REF_TRANSPOSE_ANY, &problem);
            for (uint64_t b = 0; b < batch; b++)
                for (uint64_t r = 0; r < rows; r++)
                    for (uint64_t c = 0; c < cols; c++)
                        memcpy(arrays.expected + width * ((b * cols + c) * rows + r),
                               (char *)arrays.in + width * ((b * rows + r) * cols + c), width);
            check(&arrays, WL_REF_TRANSPOSE_ANY, &problem);
        }
}

/* The output index of the i-th element according to NumPy's transpose. */
static uint64_t permuted(const struct wl_problem *p, uint64_t i) {
    uint64_t at[WL_RANK_MAX], index = 0;
    for (unsigned d = p->rank; d-- > 0;) {
        at[d] = i % p->sizes[d];
        i /= p->sizes[d];
    }
    for (unsigned d = 0; d < p->rank; d++)
        index = index * p->sizes[p->order[d]] + at[p->order[d]];
    return index;
}

static void permutations(void **state) {
    (void)state;
    static const struct {
        unsigned rank;
        uint64_t sizes[WL_RANK_MAX];
        unsigned order[WL_RANK_MAX];
    } cases[] = {
        {1, {1000}, {0}},
        {2, {33, 1100}, {1, 0}},
        {3, {7, 1, 40}, {2, 0, 1}},
        {3, {20, 30, 40}, {0, 1, 2}},
        {4, {5, 6, 7, 80}, {0, 2, 1, 3}},
        {4, {9, 8, 7, 6}, {3, 2, 1, 0}},
        {6, {3, 4, 2, 5, 3, 4}, {5, 0, 4, 1, 3, 2}},
        {8, {2, 3, 1, 2, 3, 2, 3, 2}, {7, 6, 5, 4, 3, 2, 1, 0}},
        {3, {4, 0, 5}, {2, 1, 0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t w = 0; w < 5; w++) {
            struct wl_problem problem = {.rank = cases[c].rank, .width = widths[w], .n = 1};
            memcpy(problem.sizes, cases[c].sizes, sizeof problem.sizes);
            memcpy(problem.order, cases[c].order, sizeof problem.order);
            for (unsigned d = 0; d < problem.rank; d++)
                problem.n *= problem.sizes[d];
            struct arrays arrays = make(WL_REF_PERMUTE, &problem);
            for (uint64_t i = 0; i < problem.n; i++)
                memcpy(arrays.expected + widths[w] * permuted(&problem, i), (char *)arrays.in + widths[w] * i,
                       widths[w]);
            check(&arrays, WL_REF_PERMUTE, &problem);
        }
}

static void fields(void **state) {
    (void)state;
    static const struct wl_structure structures[] = {{"f32x3+f64+i32", 32, 3, {{0, 12}, {16, 8}, {24, 4}}},
                                                     {"packed", 5, 2, {{0, 1}, {1, 4}}}};
    static const uint64_t counts[] = {0, 1, 5, 64, 1500};
    for (size_t k = 1; k < 36; k += 5)
        for (size_t s = 0; s < 5 * 7; s++) {
            struct wl_problem p = {.n = counts[s % 5], .fields = (uint32_t)k, .width = widths[s / 5 % 5]};
            if (s / 5 >= 5) {
                p.structure = &structures[s / 5 - 5];
                p.fields = p.width = 0;
            }
            uint64_t bytes = wl__structure_bytes(&p);
            struct arrays apart = make(WL_REF_DEINTERLEAVE, &p), together = make(WL_REF_INTERLEAVE, &p);
            if (p.structure)
                memset(together.expected, 0, p.n * bytes);
            for (uint32_t f = 0, offset = 0; f < wl__field_count(&p); offset += wl__field_bytes(&p, f), f++) {
                uint32_t width = wl__field_bytes(&p, f);
                uint64_t place = wl__field_place(&p, f),
                         from = p.structure ? p.structure->fields[f].offset : offset;
                assert_int_equal(place % 256, 0);
                for (uint64_t i = 0; i < p.n; i++) {
                    memcpy(apart.expected + place + i * width, (char *)apart.in + i * bytes + from, width);
                    memcpy(together.expected + i * bytes + from, (char *)together.in + place + i * width,
                           width);
                }
            }
            check(&apart, WL_REF_DEINTERLEAVE, &p);
            check(&together, WL_REF_INTERLEAVE, &p);
        }
}

static void copies(void **state) {
    (void)state;
    struct wl_problem problem = {.n = 1000, .width = 1, .from_shift = 3, .to_shift = 1};
    struct arrays arrays = make(WL_REF_COPY_BYTES, &problem);
    memcpy(arrays.expected + 1, (char *)arrays.in + 3, 1000);
    check(&arrays, WL_REF_COPY_BYTES, &problem);
    /* Half as many bytes as are moved, including padding. */
    static const struct wl_structure structure = {"i8+i32", 8, 2, {{0, 1}, {4, 4}}};
    problem = (struct wl_problem){.n = 10, .structure = &structure};
    assert_int_equal(wl__bytes_a_side(&problem), 70); /* 13 bytes for each, rounded to 7 */
    arrays = make(WL_REF_SAME_BYTES, &problem);
    memcpy(arrays.expected, arrays.in, 70);
    check(&arrays, WL_REF_SAME_BYTES, &problem);
    problem = (struct wl_problem){.n = UINT64_MAX, .width = 16};
    assert_true(wl__bytes_a_side(&problem) == UINT64_MAX);
}

static uint64_t sum_of(enum wl_type type, unsigned width, uint64_t a, uint64_t b) {
    uint32_t in[2][4] = {{(uint32_t)a, (uint32_t)(a >> 32)}, {(uint32_t)b, (uint32_t)(b >> 32)}};
    uint64_t out = 0;
    const uint32_t *ins[BENCH_INPUTS] = {in[0], in[1]};
    uint32_t *outs[BENCH_OUTPUTS] = {(uint32_t *)(void *)&out};
    const struct wl_problem problem = {.n = 1, .type = type, .width = width};
    bench_reference_of(WL_REF_ADD_TYPE)(&problem, ins, outs);
    return out;
}

/* The value of a half, from its fields. */
static double half(uint32_t bits, unsigned digits, int bias) {
    uint32_t fraction = bits & ((1u << digits) - 1), exponent = (bits & 0x7fff) >> digits;
    double value = exponent ? ldexp((double)(fraction + (1u << digits)), (int)exponent - bias - (int)digits)
                            : ldexp((double)fraction, 1 - bias - (int)digits);
    return bits & 0x8000 ? -value : value;
}

/* Checks that no other half is nearer, and that a tie goes to the even one. */
static void check_half(uint32_t a, uint32_t b, uint32_t got, unsigned digits, int bias) {
    double sum = half(a, digits, bias) + half(b, digits, bias), value = half(got, digits, bias);
    uint32_t infinity = 0x7fff >> digits << digits;
    if ((got & 0x7fff) == infinity) {
        assert_true(fabs(sum) >=
                    half(infinity - 1, digits, bias) +
                        (half(infinity - 1, digits, bias) - half(infinity - 2, digits, bias)) / 2);
        return;
    }
    uint32_t magnitude = got & 0x7fff, sign = got & 0x8000;
    for (int step = -1; step <= 1; step += 2) {
        if (magnitude == 0 && step < 0)
            continue;
        double other = half(sign | (magnitude + (uint32_t)step), digits, bias);
        double mine = fabs(sum - value), theirs = fabs(sum - other);
        if (!(mine < theirs || (mine == theirs && got % 2 == 0)))
            fail_msg("%x + %x gave %x", a, b, got);
    }
}

static void sums(void **state) {
    (void)state;
    assert_int_equal(sum_of(WL_TYPE_I8, 1, 0x7f, 1), 0x80);
    assert_int_equal(sum_of(WL_TYPE_U8, 1, 0xff, 2), 1);
    assert_int_equal(sum_of(WL_TYPE_I16, 2, 0x7fff, 1), 0x8000);
    assert_int_equal(sum_of(WL_TYPE_U16, 2, 0xffff, 2), 1);
    assert_int_equal(sum_of(WL_TYPE_I32, 4, 0x7fffffff, 1), 0x80000000);
    assert_int_equal(sum_of(WL_TYPE_U32, 4, 0xffffffff, 2), 1);
    assert_true(sum_of(WL_TYPE_I64, 8, INT64_MAX, 1) == (uint64_t)INT64_MAX + 1);
    assert_int_equal(sum_of(WL_TYPE_U64, 8, UINT64_MAX, 2), 1);
    assert_int_equal(sum_of(WL_TYPE_F32, 4, 0x3f800000, 0x40000000), 0x40400000);
    assert_true(sum_of(WL_TYPE_F64, 8, 0x3ff0000000000000, 0x4000000000000000) == 0x4008000000000000);
    uint32_t seed = 1;
    for (unsigned i = 0; i < 200000; i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t a = seed >> 16, b = (seed * 747796405u) >> 16;
        if (i % 3 == 0)
            b = (a & 0x7c00) | (b & 0x83ff); /* the same exponent, so that digits cancel */
        if ((a & 0x7c00) != 0x7c00 && (b & 0x7c00) != 0x7c00)
            check_half(a, b, (uint32_t)sum_of(WL_TYPE_F16, 2, a, b), 10, 15);
        if ((a & 0x7f80) != 0x7f80 && (b & 0x7f80) != 0x7f80)
            check_half(a, b, (uint32_t)sum_of(WL_TYPE_BF16, 2, a, b), 7, 127);
    }
}

/* Shifts count elements; the elements before them do not change. */
static void shifted_sums(void **state) {
    (void)state;
    const struct wl_problem problem = {
        .n = 3, .type = WL_TYPE_U8, .width = 1, .from_shift = 2, .to_shift = 1};
    unsigned char a[8] = {9, 9, 1, 2, 3}, b[4] = {10, 20, 30}, out[4] = {7, 7, 7, 7};
    const uint32_t *in[BENCH_INPUTS] = {(const uint32_t *)(const void *)a, (const uint32_t *)(const void *)b};
    uint32_t *outs[BENCH_OUTPUTS] = {(uint32_t *)(void *)out};
    bench_reference_of(WL_REF_ADD_TYPE)(&problem, in, outs);
    assert_memory_equal(out, ((unsigned char[]){7, 11, 22, 33}), 4);
    struct bench_extents extents = bench_extents_of(WL_REF_ADD_TYPE, &problem);
    assert_int_equal(extents.in[0].elements, 2);
    assert_int_equal(extents.in[1].elements, 1);
    assert_int_equal(extents.out[0].elements, 1);
}

/* No input is NaN or infinite, for any type. */
static void inputs_that_add(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    uint32_t *words = malloc(4 * COUNT);
    assert_non_null(words);
    static const enum bench_kind kinds[] = {BENCH_KIND_F16, BENCH_KIND_BF16, BENCH_KIND_F64};
    for (size_t k = 0; k < 3; k++) {
        unsigned signs[2] = {0};
        bench_fill_input(kinds[k], 5, 1, words, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            double value;
            if (kinds[k] == BENCH_KIND_F64 && i % 2 == 0)
                memcpy(&value, words + i, 8);
            else if (kinds[k] == BENCH_KIND_F64)
                continue;
            else
                value = kinds[k] == BENCH_KIND_F16 ? half(words[i] >> 16, 10, 15)
                                                   : half(words[i] & 0xffff, 7, 127);
            assert_true(fabs(value) >= 0.125 && fabs(value) < 32);
            signs[value < 0]++;
        }
        assert_true(signs[0] > COUNT / 5 && signs[1] > COUNT / 5);
    }
    free(words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transposes),      cmocka_unit_test(permutations), cmocka_unit_test(fields),
        cmocka_unit_test(copies),          cmocka_unit_test(sums),         cmocka_unit_test(shifted_sums),
        cmocka_unit_test(inputs_that_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
