/* wl_copy, wl_copy_2d and wl_add. */
#include <string.h>

#include "calls.h"

/* ---------------------------------------------------------------- copies */

static void choose_copy(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes) {
    (void)context;
    call->n = draw_size(draw, bytes / 2);
    call_add(call, "to", call->n, 1);
    call_add(call, "from", call->n, 1);
}

static wl_error run_copy(wl_context *context, const struct call *call, wl_stream stream) {
    return wl_copy(context, call->array[0].device, call->array[1].device, call->n, stream);
}

static void expect_copy(const struct call *call) {
    memcpy(call->array[0].host, call->array[1].host, call->n);
}

const struct operation call_copy = {"wl_copy", choose_copy, run_copy, expect_copy};

static uint64_t extent(uint64_t pitch, uint64_t row_bytes, uint64_t rows) {
    return rows && row_bytes ? (rows - 1) * pitch + row_bytes : 0;
}

static void choose_copy_2d(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes) {
    (void)context;
    draw_sizes(draw, bytes / 3, &call->rows, &call->n);
    call->to_pitch = call->n + draw_slack(draw, call->rows, bytes);
    call->from_pitch = call->n + draw_slack(draw, call->rows, bytes);
    if (call->n && draw_one_in(draw, 8)) {
        /* Columns of one array: rows of the source and the target are side by side. */
        call->to_pitch = call->from_pitch = 2 * call->n + draw_slack(draw, call->rows, bytes);
        uint64_t apart = call->n + draw_below(draw, call->to_pitch - 2 * call->n + 1);
        bool to_first = draw_one_in(draw, 2);
        uint64_t each = extent(call->to_pitch, call->n, call->rows);
        call_add(call, "to", each + (each && to_first ? apart : 0), 1);
        call_add(call, "from", each + (each && !to_first ? apart : 0), 1);
        if (each) {
            struct call_array *inner = &call->array[to_first ? 1 : 0];
            inner->inside = to_first ? 0 : 1;
            inner->delta = apart;
            inner->bytes = each;
        }
        return;
    }
    call_add(call, "to", extent(call->to_pitch, call->n, call->rows), 1);
    call_add(call, "from", extent(call->from_pitch, call->n, call->rows), 1);
}

static wl_error run_copy_2d(wl_context *context, const struct call *call, wl_stream stream) {
    return wl_copy_2d(context, call->array[0].device, call->to_pitch, call->array[1].device, call->from_pitch,
                      call->n, call->rows, stream);
}

static void expect_copy_2d(const struct call *call) {
    for (uint64_t row = 0; call->n && row < call->rows; row++)
        memcpy(call->array[0].host + row * call->to_pitch, call->array[1].host + row * call->from_pitch,
               call->n);
}

const struct operation call_copy_2d = {"wl_copy_2d", choose_copy_2d, run_copy_2d, expect_copy_2d};

/* ---------------------------------------------------------------- sums */

static const unsigned type_bytes[] = {
#define TYPE_BYTES(name, code, bytes) [code] = bytes,
    WL_TYPE_MAP(TYPE_BYTES)
#undef TYPE_BYTES
};
enum { TYPES = sizeof(type_bytes) / sizeof(type_bytes[0]) };

static void choose_add(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes) {
    (void)context;
    call->type = (wl_type)draw_below(draw, TYPES);
    call->floats = call->type >= WL_TYPE_F16;
    call->width = type_bytes[call->type];
    call->n = draw_size(draw, bytes / 3 / call->width);
    uint64_t all = call->n * call->width;
    call_add(call, "out", all, call->width);
    call_add(call, "a", all, call->width);
    call_add(call, "b", all, call->width);
    unsigned same = (unsigned)draw_below(draw, 10);
    if (same == 0 || same == 2)
        call->array[1].inside = 0; /* out is a */
    if (same == 1 || same == 2)
        call->array[2].inside = 0; /* out is b */
    if (same == 3) {               /* b begins inside a */
        call->array[2].inside = 1;
        call->array[2].delta = draw_below(draw, call->n + 1) * call->width;
        call->array[1].bytes = call->array[2].delta + all;
    }
}

static wl_error run_add(wl_context *context, const struct call *call, wl_stream stream) {
    return wl_add(context, call->type, call->array[0].device, call->array[1].device, call->array[2].device,
                  call->n, stream);
}

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static float float_of_half(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
    if (exponent == 31)
        return float_of_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent)
        return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
    float small = (float)fraction * 0x1p-24f;
    return sign ? -small : small;
}

/* Rounds to nearest even.  The sum of two halves, rounded first to a float, rounds to the same half as the
 * exact sum, because a float has more than two digits more than twice a half's. */
static uint16_t half_of_float(float value) {
    uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return (uint16_t)(sign | 0x7fff);
    if (size >= 0x477ff000) /* 65520 and more round to infinity */
        return (uint16_t)(sign | 0x7c00);
    if (size < 0x38800000) { /* below 2^-14: a multiple of 2^-24 */
        float scaled = float_of_bits(size) * 0x1p24f;
        uint32_t whole = (uint32_t)scaled;
        float rest = scaled - (float)whole;
        whole += rest > 0.5f || (rest == 0.5f && (whole & 1));
        return (uint16_t)(sign | whole);
    }
    size += 0xfff + (size >> 13 & 1);
    return (uint16_t)(sign | (size - 0x38000000) >> 13);
}

static uint16_t bfloat_of_float(float value) {
    uint32_t bits = bits_of_float(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void add_one(wl_type type, unsigned char *out, const unsigned char *a, const unsigned char *b) {
    uint64_t x = 0, y = 0;
    memcpy(&x, a, type_bytes[type]);
    memcpy(&y, b, type_bytes[type]);
    uint64_t sum = x + y; /* integers wrap, and the low bytes are right for any width */
    if (type == WL_TYPE_F16)
        sum = half_of_float(float_of_half((uint16_t)x) + float_of_half((uint16_t)y));
    if (type == WL_TYPE_BF16)
        sum = bfloat_of_float(float_of_bits((uint32_t)x << 16) + float_of_bits((uint32_t)y << 16));
    if (type == WL_TYPE_F32)
        sum = bits_of_float(float_of_bits((uint32_t)x) + float_of_bits((uint32_t)y));
    if (type == WL_TYPE_F64) {
        double u, v;
        memcpy(&u, &x, 8);
        memcpy(&v, &y, 8);
        u += v;
        memcpy(&sum, &u, 8);
    }
    memcpy(out, &sum, type_bytes[type]);
}

static void expect_add(const struct call *call) {
    for (uint64_t i = 0; i < call->n; i++)
        add_one(call->type, call->array[0].host + i * call->width, call->array[1].host + i * call->width,
                call->array[2].host + i * call->width);
}

const struct operation call_add_types = {"wl_add", choose_add, run_add, expect_add};
