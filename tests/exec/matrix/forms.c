#include "tests/exec/matrix/forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MMA(m, n, k, d, a, b, c, more)                                                                       \
    { "", false, m, n, k, a, b, c, d, {"row", "col"}, more }
#define PAIRS(x, y, d, c)                                                                                    \
    { "", false, 8, 8, 4, "f16", "f16", c, d, {x, y}, "" }
#define WMMA(m, n, k, x, y, d, a, c, more)                                                                   \
    { "", true, m, n, k, a, a, c, d, {x, y}, more }
#define WMMA_SHAPES(x, y, d, a, c, more)                                                                     \
    WMMA(16, 16, 16, x, y, d, a, c, more), WMMA(32, 8, 16, x, y, d, a, c, more),                             \
        WMMA(8, 32, 16, x, y, d, a, c, more)
#define WMMA_LAYOUTS(d, a, c, more)                                                                          \
    WMMA_SHAPES("row", "col", d, a, c, more), WMMA_SHAPES("col", "row", d, a, c, more),                      \
        WMMA_SHAPES("row", "row", d, a, c, more), WMMA_SHAPES("col", "col", d, a, c, more)

const struct form forms[] = {
    PAIRS("row", "col", "f32", "f32"),
    PAIRS("col", "row", "f32", "f32"),
    PAIRS("row", "row", "f16", "f16"),
    PAIRS("col", "col", "f32", "f16"),
    MMA(16, 8, 8, "f16", "f16", "f16", "f16", ""),
    MMA(16, 8, 8, "f32", "f16", "f16", "f32", ""),
    MMA(16, 8, 16, "f16", "f16", "f16", "f16", ""),
    MMA(16, 8, 16, "f32", "f16", "f16", "f32", ""),
    MMA(16, 8, 8, "f32", "bf16", "bf16", "f32", ""),
    MMA(16, 8, 16, "f32", "bf16", "bf16", "f32", ""),
    MMA(16, 8, 4, "f32", "tf32", "tf32", "f32", ""),
    MMA(16, 8, 8, "f32", "tf32", "tf32", "f32", ""),
    MMA(16, 8, 32, "f32", "e4m3", "e4m3", "f32", ""),
    MMA(16, 8, 32, "f32", "e5m2", "e4m3", "f32", ""),
    MMA(16, 8, 32, "f32", "e4m3", "e5m2", "f32", ""),
    MMA(16, 8, 32, "f32", "e5m2", "e5m2", "f32", ""),
    MMA(8, 8, 4, "f64", "f64", "f64", "f64", ""),
    MMA(16, 8, 4, "f64", "f64", "f64", "f64", ""),
    MMA(16, 8, 8, "f64", "f64", "f64", "f64", ""),
    MMA(16, 8, 16, "f64", "f64", "f64", "f64", ""),
    MMA(8, 8, 16, "s32", "s8", "s8", "s32", ""),
    MMA(8, 8, 16, "s32", "u8", "s8", "s32", ".satfinite"),
    MMA(16, 8, 16, "s32", "s8", "u8", "s32", ""),
    MMA(16, 8, 16, "s32", "u8", "u8", "s32", ".satfinite"),
    MMA(16, 8, 32, "s32", "s8", "s8", "s32", ""),
    MMA(16, 8, 32, "s32", "u8", "s8", "s32", ""),
    MMA(16, 8, 32, "s32", "s8", "u8", "s32", ".satfinite"),
    MMA(8, 8, 32, "s32", "s4", "s4", "s32", ""),
    MMA(8, 8, 32, "s32", "u4", "s4", "s32", ".satfinite"),
    MMA(16, 8, 32, "s32", "s4", "u4", "s32", ""),
    MMA(16, 8, 64, "s32", "s4", "s4", "s32", ""),
    MMA(16, 8, 64, "s32", "u4", "u4", "s32", ".satfinite"),
    MMA(8, 8, 128, "s32", "b1", "b1", "s32", ".xor.popc"),
    MMA(8, 8, 128, "s32", "b1", "b1", "s32", ".and.popc"),
    MMA(16, 8, 128, "s32", "b1", "b1", "s32", ".and.popc"),
    MMA(16, 8, 256, "s32", "b1", "b1", "s32", ".xor.popc"),
    MMA(16, 8, 256, "s32", "b1", "b1", "s32", ".and.popc"),
    WMMA_LAYOUTS("f32", "f16", "f32", ""),
    WMMA_SHAPES("row", "col", "f16", "f16", "f16", ""),
    WMMA_SHAPES("row", "col", "f16", "f16", "f32", ""),
    WMMA_SHAPES("col", "row", "f32", "f16", "f16", ""),
    WMMA_LAYOUTS("f32", "bf16", "f32", ""),
    WMMA(16, 16, 8, "row", "col", "f32", "tf32", "f32", ""),
    WMMA(16, 16, 8, "col", "row", "f32", "tf32", "f32", ""),
    WMMA(8, 8, 4, "row", "col", "f64", "f64", "f64", ""),
    WMMA(8, 8, 4, "col", "row", "f64", "f64", "f64", ""),
    WMMA_LAYOUTS("s32", "s8", "s32", ""),
    WMMA_SHAPES("row", "col", "s32", "u8", "s32", ".satfinite"),
    WMMA(8, 8, 32, "row", "col", "s32", "s4", "s32", ""),
    WMMA(8, 8, 32, "row", "col", "s32", "u4", "s32", ".satfinite"),
    WMMA(8, 8, 128, "row", "col", "s32", "b1", "s32", ".xor.popc"),
    WMMA(8, 8, 128, "row", "col", "s32", "b1", "s32", ".and.popc"),
};
const unsigned form_count = sizeof forms / sizeof *forms;

unsigned form_bits(const char *type) {
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"e4m3", 8}, {"e5m2", 8}, {"f64", 64}, {"s8", 8},
                 {"u8", 8},   {"s4", 4},    {"u4", 4},    {"b1", 1},   {"f32", 32}, {"s32", 32}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].bits;
    return 0;
}

static bool is(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

static unsigned product_count(const struct form *f) {
    return !f->wmma && is(f->a, "f16") && f->k == 4 ? 4 : 1;
}

void form_open(struct harness *h, const struct form *form) {
    char text[16384], name[128];
    struct ptx_error error;
    form_name(form, name, sizeof name);
    form_text(form, text, sizeof text);
    *h = (struct harness){.memory = sim_memory_create(1 << 20)};
    assert_non_null(h->memory);
    if (!sim_module_load(h->memory, name, text, strlen(text), &h->module, &error))
        fail_msg("%s", error.text);
}

/* Number of registers per lane for each matrix. */
static unsigned registers(const struct form *f, char matrix) {
    if (f->wmma && matrix < 'c' && is(f->a, "f16"))
        return 8;
    const char *type = matrix == 'a' ? f->a : matrix == 'b' ? f->b : matrix == 'c' ? f->c : f->d;
    unsigned elements = matrix == 'a' ? f->m * f->k : matrix == 'b' ? f->n * f->k : f->m * f->n;
    unsigned bits = form_bits(type);
    return product_count(f) * elements / 32 * bits / (bits == 64 ? 64 : 32);
}

struct writer {
    char *text;
    size_t size, used;
};

static void put(struct writer *w, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(w->text + w->used, w->size - w->used, format, list);
    va_end(list);
    w->used += n > 0 ? (size_t)n : 0;
    if (w->used > w->size)
        w->used = w->size;
}

static void put_list(struct writer *w, char matrix, unsigned count) {
    put(w, "{");
    for (unsigned i = 0; i < count; i++)
        put(w, "%s%%%c%u", i ? ", " : "", matrix, i);
    put(w, "}");
}

void form_name(const struct form *f, char *name, size_t size) {
    struct writer w = {name, size, 0};
    put(&w, "%s.m%un%uk%u.%s.%s.%s.%s.%s.%s%s", f->wmma ? "wmma" : "mma", f->m, f->n, f->k, f->layout[0],
        f->layout[1], f->d, f->a, f->b, f->c, f->more);
}

/* Each lane's registers are consecutive. */
static void put_plain(struct writer *w, const struct form *f) {
    static const char names[] = "abc";
    for (const char *m = names; *m; m++) {
        const char *type = is(f->a, "f64") ? "f64" : "b32";
        unsigned count = registers(f, *m), bytes = is(f->a, "f64") ? 8 : 4;
        put(w, "mad.wide.u32 %%at, %%lane, %u, %%p%c;\n", count * bytes, *m);
        for (unsigned i = 0; i < count; i++)
            put(w, "ld.global.%s %%%c%u, [%%at+%u];\n", type, *m, i, i * bytes);
    }
    put(w, "mma.sync.aligned.m%un%uk%u.%s.%s", f->m, f->n, f->k, f->layout[0], f->layout[1]);
    if (is(f->more, ".satfinite"))
        put(w, "%s", f->more);
    put(w, ".%s.%s.%s.%s", f->d, f->a, f->b, f->c);
    if (!is(f->more, ".satfinite"))
        put(w, "%s", f->more);
    put(w, " ");
    put_list(w, 'd', registers(f, 'd'));
    for (const char *m = names; *m; m++) {
        put(w, ", ");
        put_list(w, *m, registers(f, *m));
    }
    unsigned count = registers(f, 'd'), bytes = is(f->a, "f64") ? 8 : 4;
    put(w, ";\nmad.wide.u32 %%at, %%lane, %u, %%pd;\n", count * bytes);
    for (unsigned i = 0; i < count; i++)
        put(w, "st.global.%s [%%at+%u], %%d%u;\n", bytes == 8 ? "f64" : "b32", i * bytes, i);
}

/* c is stored by row, d by column, with lines longer than necessary. */
static void put_wmma(struct writer *w, const struct form *f) {
    unsigned line[2] = {is(f->layout[0], "row") ? f->k : f->m, is(f->layout[1], "row") ? f->n : f->k};
    for (int i = 0; i < 2; i++) /* a multiple of 16 bytes */
        if (line[i] < 16 && form_bits(f->a) == 8)
            line[i] = 16;
    for (int i = 0; i < 2; i++) {
        put(w, "wmma.load.%c.sync.aligned.%s.m%un%uk%u.global.%s ", "ab"[i], f -> layout[i], f -> m, f -> n,
            f -> k, f -> a);
        put_list(w, "ab"[i], registers(f, "ab"[i]));
        put(w, ", [%%p%c], %u;\n", "ab"[i], line[i]);
    }
    put(w, "wmma.load.c.sync.aligned.row.m%un%uk%u.global.%s ", f->m, f->n, f->k, f->c);
    put_list(w, 'c', registers(f, 'c'));
    put(w, ", [%%pc], %u;\nwmma.mma%s.sync.aligned.%s.%s.m%un%uk%u.%s.", f->n + 8,
        is(f->a, "b1") ? f->more : "", f->layout[0], f->layout[1], f->m, f->n, f->k, f->d);
    if (!is(f->a, "f16"))
        put(w, "%s.%s.", f->a, f->b);
    put(w, "%s%s ", f->c, is(f->a, "b1") ? "" : f->more);
    put_list(w, 'd', registers(f, 'd'));
    for (const char *m = "abc"; *m; m++) {
        put(w, ", ");
        put_list(w, *m, registers(f, *m));
    }
    put(w, ";\nwmma.store.d.sync.aligned.col.m%un%uk%u.global.%s [%%pd], ", f->m, f->n, f->k, f->d);
    put_list(w, 'd', registers(f, 'd'));
    put(w, ", %u;\n", f->m + 16);
}

void form_text(const struct form *f, char *text, size_t size) {
    struct writer w = {text, size, 0};
    bool wide = is(f->a, "f64");
    put(&w, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry run(");
    for (const char *m = "abcd"; *m; m++)
        put(&w, "%s.param .u64 param_%c", *m == 'a' ? "" : ", ", *m);
    put(&w, ")\n{\n.reg .b32 %%lane;\n.reg .b64 %%at;\n");
    for (const char *m = "abcd"; *m; m++) {
        const char *type = wide ? "f64" : *m >= 'c' && is(f->c, "f32") && is(f->d, "f32") ? "f32" : "b32";
        put(&w, ".reg .b64 %%p%c;\n.reg .%s %%%c<%u>;\n", *m, type, *m, registers(f, *m));
    }
    for (const char *m = "abcd"; *m; m++)
        put(&w, "ld.param.u64 %%p%c, [param_%c];\ncvta.to.global.u64 %%p%c, %%p%c;\n", *m, *m, *m, *m);
    put(&w, "mov.u32 %%lane, %%laneid;\n");
    if (f->wmma)
        put_wmma(&w, f);
    else
        put_plain(&w, f);
    put(&w, "ret;\n}\n");
}

/* ---------------------------------------------------------------- inputs */

static uint64_t next(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct layout {
    const char *name;
    unsigned exponent_bits, fraction_bits;
};

static const struct layout floats[] = {{"f16", 5, 10}, {"bf16", 8, 7}, {"tf32", 8, 23}, {"e4m3", 4, 3},
                                       {"e5m2", 5, 2}, {"f32", 8, 23}, {"f64", 11, 52}};

static uint64_t random_float(const struct layout *t, unsigned seed, uint64_t *state) {
    uint64_t bits = next(state), sign = bits & 1, bias = (1u << (t->exponent_bits - 1)) - 1;
    uint64_t fraction = bits >> 1 & ((1ull << t->fraction_bits) - 1), exponent;
    uint64_t top = (1u << t->exponent_bits) - 1, choice = next(state);
    switch (seed) {
    case 0: { /* -2 .. 2 */
        static const uint8_t whole[4] = {0, 1, 1, 2};
        uint64_t value = whole[choice % 4];
        return sign << (t->exponent_bits + t->fraction_bits) | (value ? bias + value - 1 : 0)
                                                                   << t->fraction_bits;
    }
    case 1:
        exponent = bias - 3 + choice % 7;
        break;
    case 2: /* a quarter of them close together, so that the largest do not dominate the others */
        exponent = choice & 0x300 ? bias - (bias > 20 ? 12 : 4) + choice % (bias > 20 ? 25 : 9)
                                  : 1 + choice % (top - 1);
        if (bias > 200 && exponent > bias + 40)
            exponent = bias;
        break;
    default:
        exponent = bias - 2 + choice % 5;
        if (choice >> 8 & 1) {
            static const uint8_t rare[64] = {1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
            switch (rare[choice >> 9 & 63]) {
            case 1: /* infinity, or the type's value in its place */
                exponent = top;
                fraction = 0;
                break;
            case 2:
                exponent = top;
                break;
            case 3:
                exponent = fraction = 0;
                break;
            case 4:
                exponent = 0;
                break;
            }
        }
    }
    return sign << (t->exponent_bits + t->fraction_bits) | exponent << t->fraction_bits | fraction;
}

static void fill(const char *type, unsigned seed, uint64_t state, void *to) {
    const struct layout *t = NULL;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (is(floats[i].name, type))
            t = &floats[i];
    unsigned bytes = form_bits(type) < 8 ? 1 : form_bits(type) / 8;
    for (size_t at = 0; at < FORM_BYTES; at += bytes) {
        uint64_t value;
        if (t)
            value = random_float(t, seed, &state);
        else if (is(type, "s32") && seed >= 2) /* near the ends of the range */
            value = (next(&state) & 1 ? 0x7fffff00u : 0x80000000u) + (next(&state) & 0xff);
        else
            value = next(&state);
        memcpy((char *)to + at, &value, bytes);
    }
}

void form_fill(const struct form *f, unsigned seed, void *a, void *b, void *c) {
    uint64_t state = 1000003u * (uint64_t)(f - forms) + 17 * seed;
    fill(f->a, seed, state + 1, a);
    fill(f->b, seed, state + 2, b);
    fill(f->c, seed, state + 3, c);
}
