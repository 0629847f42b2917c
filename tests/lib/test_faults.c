/* Invalid arguments of every operation, on the fake driver: the error, a message that names the operation and
 * the argument, and no launch.  Each row changes one thing in a valid call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "wideload.h"

static struct fake_state *fake;
static wl_context *context;
static _Alignas(256) char host[4096]; /* memory that the fake driver does not know */

/* ---------------------------------------------------------------- calls */

/* The arguments of all calls, as numbers, so that a row can name what it changes. */
struct args {
    uint64_t width, type, bytes, to, from, a, b, to_pitch, from_pitch, rows, cols, n;
    uint64_t layout, from_ld, to_ld, batch, from_stride, to_stride; /* layout, lists: 0 is NULL */
    uint64_t workspace, workspace_bytes, answer;
    uint64_t count, list, arrays[3];
    uint64_t table, offset[3], size[3], structure_bytes;
    uint64_t rank, sizes, order, sizes_of[3], order_of[3];
};

#define TIB      (UINT64_C(1) << 40)
#define NEGATIVE ((uint64_t)-1)

static const struct args right = {
    .width = 4,
    .type = WL_TYPE_F32,
    .bytes = 1000,
    .to = 1 * TIB,
    .from = 2 * TIB,
    .a = 3 * TIB,
    .b = 4 * TIB,
    .to_pitch = 1200,
    .from_pitch = 1100,
    .rows = 30,
    .cols = 50,
    .n = 77,
    .layout = 1,
    .from_ld = 60,
    .to_ld = 40,
    .batch = 3,
    .from_stride = 29 * 60 + 50,
    .to_stride = 49 * 40 + 30,
    .workspace = 5 * TIB,
    .answer = 1,
    .count = 3,
    .list = 1,
    .arrays = {6 * TIB, 7 * TIB, 8 * TIB},
    .table = 1,
    .offset = {0, 16, 24},
    .size = {12, 8, 4},
    .structure_bytes = 32,
    .rank = 3,
    .sizes = 1,
    .order = 1,
    .sizes_of = {5, 6, 7},
    .order_of = {2, 0, 1},
};

static wl_error copy(wl_context *c, const struct args *x) {
    return wl_copy(c, x->to, x->from, x->bytes, NULL);
}

static wl_error copy_2d(wl_context *c, const struct args *x) {
    return wl_copy_2d(c, x->to, x->to_pitch, x->from, x->from_pitch, x->bytes, x->rows, NULL);
}

static wl_error add(wl_context *c, const struct args *x) {
    return wl_add(c, (wl_type)x->type, x->to, x->a, x->b, x->n, NULL);
}

static wl_error transpose(wl_context *c, const struct args *x) {
    return wl_transpose(c, (unsigned)x->width, x->to, x->from, x->rows, x->cols, NULL);
}

static wl_error batched(wl_context *c, const struct args *x) {
    const wl_transpose_layout layout = {.rows = x->rows,
                                        .cols = x->cols,
                                        .from_ld = x->from_ld,
                                        .to_ld = x->to_ld,
                                        .batch = x->batch,
                                        .from_stride = x->from_stride,
                                        .to_stride = x->to_stride};
    return wl_transpose_batched(c, (unsigned)x->width, x->to, x->from, x->layout ? &layout : NULL, NULL);
}

static wl_error workspace(wl_context *c, const struct args *x) {
    size_t bytes;
    return wl_transpose_inplace_workspace(c, (unsigned)x->width, x->rows, x->cols, x->answer ? &bytes : NULL);
}

static wl_error inplace(wl_context *c, const struct args *x) {
    return wl_transpose_inplace(c, (unsigned)x->width, x->to, x->rows, x->cols, x->workspace,
                                x->workspace_bytes, NULL);
}

static wl_error deinterleave(wl_context *c, const struct args *x) {
    return wl_deinterleave(c, (unsigned)x->width, (unsigned)x->count, x->list ? x->arrays : NULL, x->from,
                           x->n, NULL);
}

static wl_error interleave(wl_context *c, const struct args *x) {
    return wl_interleave(c, (unsigned)x->width, (unsigned)x->count, x->to, x->list ? x->arrays : NULL, x->n,
                         NULL);
}

/* More fields than are described repeat the last one: the call is refused because of their number. */
static const wl_field *described(const struct args *x, wl_field fields[WL_FIELDS_MAX + 1]) {
    for (unsigned f = 0; f < WL_FIELDS_MAX + 1; f++)
        fields[f] = (wl_field){(uint32_t)x->offset[f < 3 ? f : 2], (uint32_t)x->size[f < 3 ? f : 2]};
    return x->table ? fields : NULL;
}

static wl_error deinterleave_fields(wl_context *c, const struct args *x) {
    wl_field fields[WL_FIELDS_MAX + 1];
    return wl_deinterleave_fields(c, described(x, fields), (unsigned)x->count, (uint32_t)x->structure_bytes,
                                  x->list ? x->arrays : NULL, x->from, x->n, NULL);
}

static wl_error interleave_fields(wl_context *c, const struct args *x) {
    wl_field fields[WL_FIELDS_MAX + 1];
    return wl_interleave_fields(c, described(x, fields), (unsigned)x->count, (uint32_t)x->structure_bytes,
                                x->to, x->list ? x->arrays : NULL, x->n, NULL);
}

static wl_error permute(wl_context *c, const struct args *x) {
    unsigned order[3] = {(unsigned)x->order_of[0], (unsigned)x->order_of[1], (unsigned)x->order_of[2]};
    return wl_permute(c, (unsigned)x->width, x->to, x->from, (unsigned)x->rank, x->sizes ? x->sizes_of : NULL,
                      x->order ? order : NULL, NULL);
}

/* ---------------------------------------------------------------- invalid arguments */

struct fault {
    const char *words; /* the message contains one of these, separated by bars */
    struct change {
        size_t at; /* offset in struct args, plus 1: 0 is no change */
        uint64_t value;
    } changes[3];
};

#define SET(member, number)                                                                                  \
    { offsetof(struct args, member) + 1, number }
#define HOST ((uint64_t)(uintptr_t)host)

/* Tables with host addresses are not static, because only the loader knows the numbers. */
struct operation_faults {
    const char *name;
    wl_error (*call)(wl_context *, const struct args *);
    const struct fault *faults;
    size_t count;
    const struct change *nothing; /* changes to 0 that leave no elements */
    unsigned nothings;
};

static const struct fault copy_faults[] = {
    {"to is NULL", {SET(to, 0)}},
    {"from is NULL", {SET(from, 0)}},
    {"to goes past", {SET(bytes, NEGATIVE)}},
    {"to goes past", {SET(bytes, (uint64_t)1 << 63)}},
    {"to goes past", {SET(to, NEGATIVE - 998)}},
    {"from goes past", {SET(from, NEGATIVE - 998)}},
    {"overlap", {SET(from, TIB)}},
    {"overlap", {SET(from, TIB + 999)}},
    {"overlap", {SET(from, TIB - 999)}},
    {"to is 0x", {SET(to, 1)}},
    {"from is 0x", {SET(from, 1)}},
};
static const struct change copy_nothing[] = {SET(bytes, 0)};

static const struct fault copy_2d_faults[] = {
    {"to is NULL", {SET(to, 0)}},
    {"from is NULL", {SET(from, 0)}},
    {"to_pitch", {SET(to_pitch, 999)}},
    {"to_pitch", {SET(to_pitch, 0)}},
    {"from_pitch", {SET(from_pitch, 999)}},
    {"from_pitch", {SET(from_pitch, 0)}},
    {"to_pitch|from_pitch|to goes past", {SET(bytes, NEGATIVE)}},
    {"to goes past|rows", {SET(rows, NEGATIVE)}},
    {"to goes past|rows", {SET(rows, (uint64_t)1 << 60)}},
    {"to goes past|to_pitch", {SET(to_pitch, NEGATIVE)}},
    {"from goes past|from_pitch", {SET(from_pitch, (uint64_t)1 << 62)}},
    {"overlap", {SET(from, TIB)}},
    {"overlap", {SET(from, TIB + 29 * 1200 + 999)}},
    {"overlap", {SET(from, TIB - 29 * 1100 - 999)}},
    /* With one pitch, and not side by side. */
    {"overlap", {SET(from, TIB + 999), SET(from_pitch, 2400), SET(to_pitch, 2400)}},
    {"overlap", {SET(from, TIB + 1401), SET(from_pitch, 2400), SET(to_pitch, 2400)}},
    {"to is 0x", {SET(to, 1)}},
    {"from is 0x", {SET(from, 1)}},
};
static const struct change copy_2d_nothing[] = {SET(bytes, 0), SET(rows, 0)};

static const struct fault add_faults[] = {
    {"type", {SET(type, 12)}},
    {"type", {SET(type, (uint32_t)-1)}},
    {"out is NULL", {SET(to, 0)}},
    {"a is NULL", {SET(a, 0)}},
    {"b is NULL", {SET(b, 0)}},
    {"out is 0x", {SET(to, TIB + 2)}},
    {"a is 0x", {SET(a, 3 * TIB + 1)}},
    {"b is 0x", {SET(b, 4 * TIB + 3)}},
    {"a is 0x", {SET(a, 3 * TIB + 4), SET(type, WL_TYPE_F64)}},
    {"b is 0x", {SET(b, 4 * TIB + 1), SET(type, WL_TYPE_F16)}},
    {"out goes past", {SET(n, NEGATIVE)}},
    {"out goes past", {SET(n, (uint64_t)1 << 62)}}, /* 2^64 bytes */
    {"out goes past", {SET(n, (uint64_t)1 << 61)}}, /* 2^63 bytes */
    {"overlap", {SET(a, TIB + 4)}},
    {"overlap", {SET(b, TIB - 4)}},
    {"overlap", {SET(b, TIB + 76 * 4)}},
    {"overlap", {SET(a, TIB), SET(b, TIB + 4)}},
    {"out is 0x", {SET(to, 1)}},
    {"a is 0x", {SET(a, 1)}},
    {"b is 0x", {SET(b, 1)}},
};
static const struct change add_nothing[] = {SET(n, 0)};

#define WIDTHS                                                                                               \
    {"width", {SET(width, 0)}}, {"width", {SET(width, 3)}}, {"width", {SET(width, 5)}},                      \
        {"width", {SET(width, 24)}}, {"width", {SET(width, 32)}}, {                                          \
        "width", {                                                                                           \
            SET(width, (uint32_t)-4)                                                                         \
        }                                                                                                    \
    }

static const struct fault transpose_faults[] = {
    WIDTHS,
    {"to is NULL", {SET(to, 0)}},
    {"from is NULL", {SET(from, 0)}},
    {"to is 0x", {SET(to, TIB + 2)}},
    {"from is 0x", {SET(from, 2 * TIB + 2)}},
    {"from is 0x", {SET(from, 2 * TIB + 8), SET(width, 16)}},
    {"goes past|rows", {SET(rows, NEGATIVE)}},
    {"goes past|rows|cols", {SET(cols, NEGATIVE)}},
    {"goes past|rows", {SET(rows, (uint64_t)1 << 32), SET(cols, (uint64_t)1 << 32)}},
    {"goes past|rows", {SET(rows, (uint64_t)1 << 31), SET(cols, (uint64_t)1 << 31)}}, /* 2^64 bytes */
    {"overlap", {SET(from, TIB)}},
    {"overlap", {SET(from, TIB + 4 * 1499)}},
    {"overlap", {SET(from, TIB - 4 * 1499)}},
    {"to is 0x", {SET(to, 1)}},
    {"from is 0x", {SET(from, 1)}},
};
static const struct change transpose_nothing[] = {SET(rows, 0), SET(cols, 0)};

static const struct fault batched_faults[] = {
    WIDTHS,
    {"layout", {SET(layout, 0)}},
    {"to is NULL", {SET(to, 0)}},
    {"from is NULL", {SET(from, 0)}},
    {"to is 0x", {SET(to, TIB + 2)}},
    {"from is 0x", {SET(from, 2 * TIB + 2)}},
    {"from_ld", {SET(from_ld, 49)}},
    {"to_ld", {SET(to_ld, 29)}},
    {"from_stride", {SET(from_stride, 29 * 60 + 49)}},
    {"to_stride", {SET(to_stride, 49 * 40 + 29)}},
    {"from_stride", {SET(from_stride, 1)}},
    {"goes past|rows|to_ld|from_ld|stride", {SET(rows, NEGATIVE)}},
    {"goes past|cols|to_ld|from_ld|stride", {SET(cols, NEGATIVE)}},
    {"goes past|from_ld|from_stride", {SET(from_ld, NEGATIVE)}},
    {"goes past|to_ld|to_stride", {SET(to_ld, (uint64_t)1 << 62)}},
    {"goes past|batch", {SET(batch, NEGATIVE)}},
    {"goes past|from_stride", {SET(from_stride, NEGATIVE)}},
    {"goes past|to_stride", {SET(to_stride, (uint64_t)1 << 62)}},
    {"overlap", {SET(from, TIB)}},
    {"overlap", {SET(from, TIB + 4 * (3 * (49 * 40 + 30) - 1))}},
    {"overlap", {SET(from, TIB - 4 * (3 * (29 * 60 + 50) - 1))}},
    {"to is 0x", {SET(to, 1)}},
    {"from is 0x", {SET(from, 1)}},
};
static const struct change batched_nothing[] = {SET(batch, 0), SET(rows, 0), SET(cols, 0)};

static const struct fault workspace_faults[] = {
    WIDTHS,
    {"bytes is NULL", {SET(answer, 0)}},
    {"goes past|rows|large", {SET(rows, NEGATIVE)}},
    {"goes past|rows|cols|large", {SET(rows, (uint64_t)1 << 32), SET(cols, (uint64_t)1 << 31)}},
};

static const struct fault inplace_faults[] = {
    WIDTHS,
    {"matrix is NULL", {SET(to, 0)}},
    {"matrix is 0x", {SET(to, TIB + 2)}},
    {"goes past|rows", {SET(rows, NEGATIVE)}},
    {"goes past|rows|cols", {SET(rows, (uint64_t)1 << 32), SET(cols, (uint64_t)1 << 31)}},
    {"workspace is NULL", {SET(workspace, 0)}},
    {"workspace is 0x", {SET(workspace, 5 * TIB + 8)}},
    {"workspace", {SET(workspace_bytes, 0)}},
    {"workspace_bytes", {SET(workspace_bytes, 1)}},
    {"overlap", {SET(workspace, TIB)}},
    {"overlap", {SET(workspace, TIB + 4 * 1500 - 16)}},
    {"overlap", {SET(workspace, TIB - 16)}},
    {"matrix is 0x", {SET(to, 1)}},
    {"workspace is 0x", {SET(workspace, 1)}},
};
static const struct change inplace_nothing[] = {SET(rows, 0), SET(cols, 0)};

static const struct fault deinterleave_faults[] = {
    WIDTHS,
    {"to is NULL", {SET(list, 0)}},
    {"to[0] is NULL|to is NULL", {SET(arrays[0], 0)}},
    {"to[2] is NULL|to is NULL", {SET(arrays[2], 0)}},
    {"from is NULL", {SET(from, 0)}},
    {"to[1] is 0x|to is 0x", {SET(arrays[1], 7 * TIB + 2)}},
    {"from is 0x", {SET(from, 2 * TIB + 2)}},
    {"goes past|n ", {SET(n, NEGATIVE)}},
    {"goes past|n ", {SET(n, NEGATIVE / 12 + 2)}},
    {"overlap", {SET(arrays[0], 2 * TIB)}},
    {"overlap", {SET(arrays[2], 2 * TIB + 4 * (3 * 77 - 1))}},
    {"overlap", {SET(arrays[1], 6 * TIB)}},
    {"overlap", {SET(arrays[2], 6 * TIB + 4 * 76)}},
    {"to[1] is 0x|to is 0x", {SET(arrays[1], 1)}},
    {"from is 0x", {SET(from, 1)}},
};
static const struct change interleave_nothing[] = {SET(n, 0), SET(count, 0)};
static const struct change fields_nothing[] = {SET(n, 0)};

static const struct fault interleave_faults[] = {
    WIDTHS,
    {"from is NULL", {SET(list, 0)}},
    {"from[0] is NULL|from is NULL", {SET(arrays[0], 0)}},
    {"from[2] is NULL|from is NULL", {SET(arrays[2], 0)}},
    {"to is NULL", {SET(to, 0)}},
    {"from[1] is 0x|from is 0x", {SET(arrays[1], 7 * TIB + 2)}},
    {"to is 0x", {SET(to, TIB + 2)}},
    {"goes past|n ", {SET(n, NEGATIVE)}},
    {"goes past|n ", {SET(n, NEGATIVE / 12 + 2)}},
    {"overlap", {SET(arrays[0], TIB)}},
    {"overlap", {SET(arrays[2], TIB + 4 * (3 * 77 - 1))}},
    {"from[1] is 0x|from is 0x", {SET(arrays[1], 1)}},
    {"to is 0x", {SET(to, 1)}},
};

#define DESCRIPTIONS                                                                                         \
    {"count", {SET(count, 0)}}, {"count", {SET(count, WL_FIELDS_MAX + 1)}},                                  \
        {"count", {SET(count, (uint32_t)-1)}}, {"fields is NULL", {SET(table, 0)}},                          \
        {"structure_bytes", {SET(structure_bytes, 0)}},                                                      \
        {"structure_bytes", {SET(structure_bytes, WL_STRUCTURE_MAX + 1)}},                                   \
        {"structure_bytes|fields[2]", {SET(structure_bytes, 27)}}, {"fields[1]", {SET(size[1], 0)}},         \
        {"fields[2]", {SET(offset[2], 29)}}, {"fields[2]", {SET(size[2], (uint32_t)-1)}},                    \
        {"fields[2]", {SET(offset[2], (uint32_t)-4)}}, {"fields[0]|fields[1]|overlap", {SET(size[0], 17)}},  \
        {"fields[0]|fields[1]|overlap", {SET(offset[1], 11)}}, {                                             \
        "fields[1]|fields[2]|overlap", {                                                                     \
            SET(offset[2], 16)                                                                               \
        }                                                                                                    \
    }

static const struct fault deinterleave_fields_faults[] = {
    DESCRIPTIONS,
    {"to is NULL", {SET(list, 0)}},
    {"to[1] is NULL|to is NULL", {SET(arrays[1], 0)}},
    {"from is NULL", {SET(from, 0)}},
    {"goes past|n ", {SET(n, NEGATIVE)}},
    {"goes past|n ", {SET(n, NEGATIVE / 32 + 2)}},
    {"overlap", {SET(arrays[0], 2 * TIB + 32 * 77 - 5)}}, /* the last byte that a field names */
    {"overlap", {SET(arrays[1], 6 * TIB + 12 * 77 - 1)}},
    {"to[1] is 0x|to is 0x", {SET(arrays[1], 1)}},
    {"from is 0x", {SET(from, 1)}},
};

static const struct fault interleave_fields_faults[] = {
    DESCRIPTIONS,
    {"from is NULL", {SET(list, 0)}},
    {"from[1] is NULL|from is NULL", {SET(arrays[1], 0)}},
    {"to is NULL", {SET(to, 0)}},
    {"goes past|n ", {SET(n, NEGATIVE)}},
    {"goes past|n ", {SET(n, NEGATIVE / 32 + 2)}},
    {"overlap", {SET(arrays[0], TIB + 32 * 77 - 1)}},
    {"from[1] is 0x|from is 0x", {SET(arrays[1], 1)}},
    {"to is 0x", {SET(to, 1)}},
};

static const struct fault permute_faults[] = {
    WIDTHS,
    {"rank", {SET(rank, WL_RANK_MAX + 1)}},
    {"rank", {SET(rank, (uint32_t)-1)}},
    {"sizes is NULL", {SET(sizes, 0)}},
    {"order is NULL", {SET(order, 0)}},
    {"order", {SET(order_of[0], 3)}},
    {"order", {SET(order_of[0], (uint32_t)-1)}},
    {"order", {SET(order_of[0], 1)}},
    {"to is NULL", {SET(to, 0)}},
    {"from is NULL", {SET(from, 0)}},
    {"to is 0x", {SET(to, TIB + 2)}},
    {"from is 0x", {SET(from, 2 * TIB + 1)}},
    {"goes past|sizes", {SET(sizes_of[0], NEGATIVE)}},
    {"goes past|sizes", {SET(sizes_of[0], (uint64_t)1 << 32), SET(sizes_of[1], (uint64_t)1 << 32)}},
    {"overlap", {SET(from, TIB)}},
    {"overlap", {SET(from, TIB + 4 * (5 * 6 * 7 - 1))}},
    {"overlap", {SET(from, TIB - 4 * (5 * 6 * 7 - 1))}},
    {"to is 0x", {SET(to, 1)}},
    {"from is 0x", {SET(from, 1)}},
};
static const struct change permute_nothing[] = {SET(sizes_of[0], 0), SET(sizes_of[2], 0)};

#define COUNT(array) (sizeof(array) / sizeof(array[0]))
#define NONE(name)   name##_nothing, COUNT(name##_nothing)

static const struct operation_faults operations[] = {
    {"wl_copy", copy, copy_faults, COUNT(copy_faults), NONE(copy)},
    {"wl_copy_2d", copy_2d, copy_2d_faults, COUNT(copy_2d_faults), NONE(copy_2d)},
    {"wl_add", add, add_faults, COUNT(add_faults), NONE(add)},
    {"wl_transpose", transpose, transpose_faults, COUNT(transpose_faults), NONE(transpose)},
    {"wl_transpose_batched", batched, batched_faults, COUNT(batched_faults), NONE(batched)},
    {"wl_transpose_inplace_workspace", workspace, workspace_faults, COUNT(workspace_faults), NULL, 0},
    {"wl_transpose_inplace", inplace, inplace_faults, COUNT(inplace_faults), NONE(inplace)},
    {"wl_deinterleave", deinterleave, deinterleave_faults, COUNT(deinterleave_faults), NONE(interleave)},
    {"wl_interleave", interleave, interleave_faults, COUNT(interleave_faults), NONE(interleave)},
    {"wl_deinterleave_fields", deinterleave_fields, deinterleave_fields_faults,
     COUNT(deinterleave_fields_faults), NONE(fields)},
    {"wl_interleave_fields", interleave_fields, interleave_fields_faults, COUNT(interleave_fields_faults),
     NONE(fields)},
    {"wl_permute", permute, permute_faults, COUNT(permute_faults), NONE(permute)},
};

/* ---------------------------------------------------------------- tests */

static int setup(void **state) {
    (void)state;
    fake = fake_start();
    if (!fake)
        return -1;
    fake->host = HOST;
    fake->host_bytes = sizeof(host);
    return wl_open(&context, "sim") ? -1 : 0;
}

static int teardown(void **state) {
    (void)state;
    wl_close(context);
    return fake->depth || fake->retained || fake->modules || fake->allocations ? -1 : 0;
}

/* The valid call of this operation. */
static struct args args_of(const struct operation_faults *operation) {
    struct args args = right;
    size_t bytes;
    if (strcmp(operation->name, "wl_transpose_inplace") == 0) {
        assert_int_equal(wl_transpose_inplace_workspace(context, 4, args.rows, args.cols, &bytes),
                         WL_ERROR_OK);
        assert_true(bytes > 16);
        args.workspace_bytes = bytes;
    }
    return args;
}

static void change(struct args *args, const struct change *change, uint64_t value) {
    memcpy((char *)args + change->at - 1, &value, sizeof(value));
}

static bool has_one_of(const char *message, const char *words) {
    char all[128];
    snprintf(all, sizeof(all), "%s", words);
    char *rest = NULL;
    for (char *one = strtok_r(all, "|", &rest); one; one = strtok_r(NULL, "|", &rest))
        if (strstr(message, one))
            return true;
    return false;
}

static void refused(const struct operation_faults *operation, wl_error error, const char *words, size_t row) {
    char start[64];
    snprintf(start, sizeof(start), "%s: ", operation->name);
    if (error != WL_ERROR_INVALID_ARGUMENT)
        fail_msg("%s, row %zu (%s): %s", operation->name, row, words, wl_error_name(error));
    if (strncmp(wl_message(), start, strlen(start)) != 0 || !has_one_of(wl_message(), words))
        fail_msg("%s, row %zu (%s): the message is \"%s\"", operation->name, row, words, wl_message());
    if (fake->launch_count || fake->last_memset_bytes || fake->loads)
        fail_msg("%s, row %zu (%s): something was launched", operation->name, row, words);
}

/* A pointer with the value 1 in a row stands for pageable host memory that is aligned for any element. */
static void bad_arguments(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct operation_faults *operation = &operations[i];
        for (size_t row = 0; row < operation->count; row++) {
            const struct fault *fault = &operation->faults[row];
            struct args args = args_of(operation);
            for (unsigned k = 0; k < COUNT(fault->changes) && fault->changes[k].at; k++) {
                bool address = strstr(fault->words, "is 0x") && fault->changes[k].value == 1;
                change(&args, &fault->changes[k], address ? HOST : fault->changes[k].value);
            }
            wl_error error = operation->call(context, &args);
            refused(operation, error, fault->words, row);
            if (strstr(fault->words, "is 0x") && fault->changes[0].value == 1 &&
                !strstr(wl_message(), "pageable host memory"))
                fail_msg("%s, row %zu: \"%s\"", operation->name, row, wl_message());
        }
    }
}

static void no_context(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(operations); i++) {
        struct args args = right;
        refused(&operations[i], operations[i].call(NULL, &args), "context", 0);
    }
}

/* The rows' calls are valid before the change; so are calls without elements, at null addresses. */
static void right_arguments(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct operation_faults *operation = &operations[i];
        struct args args = args_of(operation);
        fake->launch_count = 0;
        if (operation->call(context, &args))
            fail_msg("%s: %s", operation->name, wl_message());
        if (operation->nothings && !fake->launch_count)
            fail_msg("%s: nothing was launched", operation->name);
        fake->launch_count = 0;
        for (unsigned k = 0; k < operation->nothings; k++) {
            args = args_of(operation);
            args.to = args.from = args.a = args.b = args.workspace = args.workspace_bytes = 0;
            memset(args.arrays, 0, sizeof(args.arrays));
            change(&args, &operation->nothing[k], 0);
            if (operation->call(context, &args))
                fail_msg("%s of nothing: %s", operation->name, wl_message());
            if (fake->launch_count)
                fail_msg("%s of nothing: something was launched", operation->name);
        }
    }
}

/* The driver's own failures are reported: a kernel that cannot be loaded or launched. */
static void failures_of_the_driver(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct operation_faults *operation = &operations[i];
        if (!operation->nothings)
            continue;
        struct args args = args_of(operation);
        /* In a new context, where nothing is loaded yet. */
        wl_close(context);
        assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
        fake->launch_count = 0;
        fake->fail_load = true;
        wl_error error = operation->call(context, &args);
        if (error != WL_ERROR_OUT_OF_MEMORY || !strstr(wl_message(), "loading the kernels") ||
            fake->launch_count)
            fail_msg("%s: %s: %s", operation->name, wl_error_name(error), wl_message());
        fake->fail_next = 700;
        error = operation->call(context, &args);
        if (error != WL_ERROR_KERNEL_FAULT || fake->launch_count)
            fail_msg("%s: %s: %s", operation->name, wl_error_name(error), wl_message());
        if (operation->call(context, &args) || !fake->launch_count)
            fail_msg("%s: %s", operation->name, wl_message());
        fake->launch_count = 0;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bad_arguments, setup, teardown),
        cmocka_unit_test_setup_teardown(no_context, setup, teardown),
        cmocka_unit_test_setup_teardown(right_arguments, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_of_the_driver, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
