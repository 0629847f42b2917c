/* Every operation with more than 2^32 elements, all of them compared: on a GPU with 16 GB free, if
 * WIDELOAD_DEVICE names one.  On the simulator the same calls have sides of some hundreds. */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include <cmocka.h>

#include "wideload.h"

enum { GUARD = 256 };

static wl_context *context;
static uint64_t side;  /* odd; on a GPU side * side exceeds 2^32 */
static uint64_t bytes; /* of each of the two arrays: guard, all elements, guard */
static wl_devptr in, out;
static unsigned char *host;

/* The input's value at a place: differs between neighbours, and from places 2^32 away. */
static unsigned char value(uint64_t place) {
    return (unsigned char)((place + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

/* ---------------------------------------------------------------- all cores */

struct part {
    pthread_t thread;
    uint64_t from, to;
    void (*work)(uint64_t from, uint64_t to);
};

static void *do_part(void *argument) {
    struct part *part = argument;
    part->work(part->from, part->to);
    return NULL;
}

static void in_parallel(uint64_t count, void (*work)(uint64_t from, uint64_t to)) {
    enum { MOST = 64 };
    struct part parts[MOST];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = cores < 1 ? 1 : cores > MOST ? MOST : (uint64_t)cores;
    for (uint64_t i = 0; i < threads; i++) {
        parts[i] = (struct part){.from = count / threads * i,
                                 .to = i + 1 == threads ? count : count / threads * (i + 1),
                                 .work = work};
        assert_int_equal(pthread_create(&parts[i].thread, NULL, do_part, &parts[i]), 0);
    }
    for (uint64_t i = 0; i < threads; i++)
        assert_int_equal(pthread_join(parts[i].thread, NULL), 0);
}

/* ---------------------------------------------------------------- outputs */

static void need(wl_error error) {
    if (error)
        fail_msg("%s: %s", wl_error_name(error), wl_message());
}

/* The expected value of an output's byte. */
static unsigned char (*expected)(uint64_t place);
static _Atomic uint64_t wrong, wrong_place;

static void compare(uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++)
        if (host[GUARD + i] != expected(i)) {
            atomic_store(&wrong_place, i);
            atomic_fetch_add(&wrong, 1);
        }
}

static void poison(void) {
    need(wl_fill(context, out, 0xa5, bytes, NULL));
}

/* Checks the output's first `count` bytes, and the guards. */
static void check(const char *what, uint64_t count, unsigned char (*is)(uint64_t place)) {
    need(wl_synchronize(context));
    need(wl_download(context, host, out, bytes));
    expected = is;
    atomic_store(&wrong, 0);
    in_parallel(count, compare);
    if (wrong)
        fail_msg("%s: %" PRIu64 " of %" PRIu64 " bytes are wrong, such as %" PRIu64 " (%s)", what, wrong,
                 count, wrong_place, wl_explain());
    for (uint64_t i = 0; i < GUARD; i++)
        if (host[i] != 0xa5 || host[GUARD + count + i] != 0xa5)
            fail_msg("%s: the guard is written", what);
    print_message("%s: %" PRIu64 " bytes\n", what, count);
}

static void fill_input(uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++)
        host[i] = value(i);
}

static int open_device(void **state) {
    (void)state;
    const char *device = getenv("WIDELOAD_DEVICE");
    bool gpu = device && strncmp(device, "gpu", 3) == 0;
    side = gpu ? 65539 : 259;
    bytes = (side + 16) * (side + 16) + 2 * GUARD;
    host = malloc(bytes);
    if (!host || wl_open(&context, gpu ? device : "sim") || wl_alloc(context, &in, bytes) ||
        wl_alloc(context, &out, bytes)) {
        print_error("%s\n", wl_message());
        return -1;
    }
    in_parallel(bytes, fill_input);
    return wl_upload(context, in, host, bytes) ? -1 : 0;
}

static int close_device(void **state) {
    (void)state;
    wl_free(context, in);
    wl_free(context, out);
    wl_close(context);
    free(host);
    return 0;
}

/* ---------------------------------------------------------------- operations */

static unsigned char copied(uint64_t i) {
    return value(i + 3);
}

static void copy(void **state) {
    (void)state;
    poison();
    need(wl_copy(context, out + GUARD, in + 3, side * side, NULL));
    check("wl_copy", side * side, copied);
}

/* Rows of `side` bytes from a pitch of side + 1 to one of side + 2; the gaps must not change. */
static unsigned char pitched(uint64_t i) {
    uint64_t row = i / (side + 2), column = i % (side + 2);
    return column < side ? value(row * (side + 1) + column) : 0xa5;
}

static void copy_2d(void **state) {
    (void)state;
    poison();
    need(wl_copy_2d(context, out + GUARD, side + 2, in, side + 1, side, side, NULL));
    check("wl_copy_2d", (side - 1) * (side + 2) + side, pitched);
}

static unsigned char sum(uint64_t i) {
    return (unsigned char)(value(i) + value(i + 5));
}

static void add(void **state) {
    (void)state;
    poison();
    need(wl_add(context, WL_TYPE_U8, out + GUARD, in, in + 5, side * side, NULL));
    check("wl_add", side * side, sum);
}

/* side rows, side + 2 columns. */
static unsigned char transposed(uint64_t i) {
    return value(i % side * (side + 2) + i / side);
}

static void transpose(void **state) {
    (void)state;
    poison();
    need(wl_transpose(context, 1, out + GUARD, in, side, side + 2, NULL));
    check("wl_transpose", side * (side + 2), transposed);
}

static unsigned char transposed_in_place(uint64_t i) {
    return value(i % side * side + i / side);
}

/* A square, then a rectangle that needs a workspace. */
static void inplace(void **state) {
    (void)state;
    size_t room;
    wl_devptr workspace;
    poison();
    need(wl_copy(context, out + GUARD, in, side * side, NULL));
    need(wl_transpose_inplace(context, 1, out + GUARD, side, side, 0, 0, NULL));
    check("wl_transpose_inplace, square", side * side, transposed_in_place);
    poison();
    need(wl_copy(context, out + GUARD, in, side * (side + 2), NULL));
    need(wl_transpose_inplace_workspace(context, 1, side, side + 2, &room));
    need(wl_alloc(context, &workspace, room));
    need(wl_transpose_inplace(context, 1, out + GUARD, side, side + 2, workspace, room, NULL));
    check("wl_transpose_inplace, rectangle", side * (side + 2), transposed);
    need(wl_free(context, workspace));
}

/* As many matrices as one has rows, with few columns: 5 x 7 each. */
static unsigned char batch(uint64_t i) {
    uint64_t matrix = i / 35, place = i % 35;
    return value(matrix * 35 + place % 5 * 7 + place / 5);
}

static void batched(void **state) {
    (void)state;
    poison();
    const wl_transpose_layout layout = {.rows = 5, .cols = 7, .batch = side * side / 35 + 1};
    need(wl_transpose_batched(context, 1, out + GUARD, in, &layout, NULL));
    check("wl_transpose_batched", layout.batch * 35, batch);
}

/* Three fields per structure; the arrays are contiguous. */
static uint64_t structures(void) {
    return side * side / 3 + 1;
}

static unsigned char deinterleaved(uint64_t i) {
    return value(i % structures() * 3 + i / structures());
}

static unsigned char interleaved(uint64_t i) {
    return value(i % 3 * structures() + i / 3);
}

static void interleave(void **state) {
    (void)state;
    uint64_t n = structures();
    wl_devptr to[3], from[3];
    for (unsigned f = 0; f < 3; f++) {
        to[f] = out + GUARD + f * n;
        from[f] = in + f * n;
    }
    poison();
    need(wl_deinterleave(context, 1, 3, to, in, n, NULL));
    check("wl_deinterleave", 3 * n, deinterleaved);
    poison();
    need(wl_interleave(context, 1, 3, out + GUARD, from, n, NULL));
    check("wl_interleave", 3 * n, interleaved);
}

/* A byte and two bytes per structure. */
static unsigned char fields_apart(uint64_t i) {
    uint64_t n = structures();
    return i < n ? value(3 * i) : value((i - n) / 2 * 3 + 1 + (i - n) % 2);
}

static unsigned char fields_together(uint64_t i) {
    uint64_t n = structures(), structure = i / 3, at = i % 3;
    return at ? value(n + 2 * structure + at - 1) : value(structure);
}

static void fields(void **state) {
    (void)state;
    static const wl_field all[2] = {{0, 1}, {1, 2}};
    uint64_t n = structures();
    const wl_devptr to[2] = {out + GUARD, out + GUARD + n}, from[2] = {in, in + n};
    poison();
    need(wl_deinterleave_fields(context, all, 2, 3, to, in, n, NULL));
    check("wl_deinterleave_fields", 3 * n, fields_apart);
    poison();
    need(wl_interleave_fields(context, all, 2, 3, out + GUARD, from, n, NULL));
    check("wl_interleave_fields", 3 * n, fields_together);
}

/* 3 x m x 5 x side bytes, the dimensions in the order 2 0 3 1. */
static uint64_t long_dimension(void) {
    return side / 15 + 1;
}

static unsigned char permuted(uint64_t i) {
    uint64_t m = long_dimension(), d1 = i % m, d3 = i / m % side, d0 = i / m / side % 3,
             d2 = i / m / side / 3;
    return value(((d0 * m + d1) * 5 + d2) * side + d3);
}

static void permute(void **state) {
    (void)state;
    const uint64_t sizes[4] = {3, long_dimension(), 5, side};
    const unsigned order[4] = {2, 0, 3, 1};
    poison();
    need(wl_permute(context, 1, out + GUARD, in, 4, sizes, order, NULL));
    check("wl_permute", 15 * long_dimension() * side, permuted);
}

/* a x b rows of a number of bytes, which stay together, become b x a. */
static uint64_t rows_a, rows_b, rows_bytes;

static unsigned char rows_permuted(uint64_t i) {
    uint64_t row = i / rows_bytes;
    return value((row % rows_a * rows_b + row / rows_a) * rows_bytes + i % rows_bytes);
}

static void permute_rows(void **state) {
    (void)state;
    static const uint64_t lengths[] = {19, 600, 2100};
    for (unsigned i = 0; i < 3; i++) {
        rows_bytes = lengths[i];
        rows_b = lengths[i] < 100 ? side : side / 32;
        rows_a = side * side / (rows_b * rows_bytes) + 1;
        const uint64_t sizes[3] = {rows_a, rows_b, rows_bytes};
        const unsigned order[3] = {1, 0, 2};
        poison();
        need(wl_permute(context, 1, out + GUARD, in, 3, sizes, order, NULL));
        check("wl_permute of rows", rows_a * rows_b * rows_bytes, rows_permuted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy),         cmocka_unit_test(copy_2d), cmocka_unit_test(add),
        cmocka_unit_test(transpose),    cmocka_unit_test(inplace), cmocka_unit_test(batched),
        cmocka_unit_test(interleave),   cmocka_unit_test(fields),  cmocka_unit_test(permute),
        cmocka_unit_test(permute_rows),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
