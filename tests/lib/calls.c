#include "calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GUARD = 64, BLOCK = 256 };

const struct operation *operation_at(unsigned i) {
    static const struct operation *const all[] = {
        &call_copy,
        &call_copy_2d,
        &call_strided,
        &call_add_types,
        &call_transpose,
        &call_transpose_batched,
        &call_transpose_inplace,
        &call_permute,
        &call_deinterleave,
        &call_interleave,
        &call_deinterleave_fields,
        &call_interleave_fields,
    };
    return i < sizeof(all) / sizeof(all[0]) ? all[i] : NULL;
}

/* ---------------------------------------------------------------- random numbers */

/* Vigna's splitmix64. */
uint64_t draw_bits(struct draw *draw) {
    uint64_t x = draw->state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

struct draw draw_from(uint64_t seed, uint64_t number) {
    struct draw draw = {seed};
    draw.state = draw_bits(&draw) ^ number * 0xd1342543de82ef95u;
    (void)draw_bits(&draw);
    return draw;
}

uint64_t draw_below(struct draw *draw, uint64_t below) {
    return draw_bits(draw) % below;
}

bool draw_one_in(struct draw *draw, unsigned n) {
    return draw_below(draw, n) == 0;
}

void draw_fill(unsigned char *bytes, uint64_t count, uint64_t seed) {
    struct draw draw = {seed};
    for (uint64_t i = 0; i < count; i += 8) {
        uint64_t word = draw_bits(&draw);
        memcpy(bytes + i, &word, 8);
    }
}

uint64_t draw_size(struct draw *draw, uint64_t most) {
    unsigned bits = 0;
    while (bits < 63 && most >> (bits + 1))
        bits++;
    uint64_t size;
    switch (draw_below(draw, 6)) {
    case 0:
        size = draw_below(draw, 6);
        /* All cases of size 0 are alike, so few of them are enough. */
        if (size == 0 && !draw_one_in(draw, 4))
            size = 1;
        break;
    case 1:
        size = 1 + draw_below(draw, 70);
        break;
    case 2:
        size = ((uint64_t)1 << draw_below(draw, bits + 1)) + draw_below(draw, 5) - 2;
        break;
    case 3:
        size = 1 + draw_below(draw, most + 1);
        break;
    default:
        size = 1 + draw_below(draw, (uint64_t)1 << draw_below(draw, bits + 2));
    }
    return size <= most ? size : most - (most > 3 ? draw_below(draw, 3) : 0);
}

void draw_sizes(struct draw *draw, uint64_t most, uint64_t *rows, uint64_t *cols) {
    uint64_t a = draw_size(draw, most), b = draw_size(draw, a ? most / a : most);
    bool swap = draw_one_in(draw, 2);
    *rows = swap ? b : a;
    *cols = swap ? a : b;
}

unsigned draw_width(struct draw *draw) {
    return 1u << draw_below(draw, 5);
}

uint64_t draw_slack(struct draw *draw, uint64_t times, uint64_t most) {
    uint64_t slack = draw_one_in(draw, 2) ? 0 : draw_below(draw, draw_one_in(draw, 2) ? 4 : 40);
    return times && slack > most / times ? most / times : slack;
}

/* ---------------------------------------------------------------- calls */

struct call_array *call_add(struct call *call, const char *name, uint64_t bytes, unsigned align) {
    struct call_array *array = &call->array[call->arrays++];
    *array = (struct call_array){.name = name, .bytes = bytes, .align = align, .inside = -1};
    return array;
}

void call_choose(struct call *call, const struct operation *operation, wl_context *context, struct draw *draw,
                 uint64_t bytes) {
    *call = (struct call){.operation = operation};
    operation->choose(call, context, draw, bytes);
    for (unsigned i = 0; i < call->arrays; i++) {
        struct call_array *array = &call->array[i];
        /* Half of the arrays begin as an allocation does, the others inside one. */
        if (!draw_one_in(draw, 2))
            array->shift = array->align * (unsigned)draw_below(draw, BLOCK / array->align);
    }
}

uint64_t call_place(struct call *call, uint64_t start) {
    for (unsigned i = 0; i < call->arrays; i++) {
        struct call_array *array = &call->array[i];
        if (array->inside >= 0)
            continue;
        array->offset = (start + GUARD + BLOCK - 1) / BLOCK * BLOCK + array->shift;
        start = array->offset + array->bytes + GUARD;
    }
    for (unsigned i = 0; i < call->arrays; i++) {
        struct call_array *array = &call->array[i];
        if (array->inside >= 0)
            array->offset = call->array[array->inside].offset + array->delta;
    }
    return start;
}

void call_bind(struct call *call, wl_devptr device, unsigned char *host) {
    for (unsigned i = 0; i < call->arrays; i++) {
        call->array[i].device = device + call->array[i].offset;
        call->array[i].host = host + call->array[i].offset;
    }
}

static size_t add_words(char *text, size_t size, size_t used, const char *name, uint64_t value) {
    if (used >= size)
        return used;
    return used + (size_t)snprintf(text + used, size - used, " %s %" PRIu64, name, value);
}

void call_describe(const struct call *call, char *text, size_t size) {
    const wl_transpose_layout *layout = &call->layout;
    const struct {
        const char *name;
        uint64_t value;
    } facts[] = {
        {"width", call->width},
        {"type", call->type},
        {"n", call->n},
        {"rows", call->rows},
        {"cols", call->cols},
        {"to_pitch", call->to_pitch},
        {"from_pitch", call->from_pitch},
        {"layout.rows", layout->rows},
        {"layout.cols", layout->cols},
        {"from_ld", layout->from_ld},
        {"to_ld", layout->to_ld},
        {"batch", layout->batch},
        {"from_stride", layout->from_stride},
        {"to_stride", layout->to_stride},
        {"fields", call->fields},
        {"structure_bytes", call->structure_bytes},
        {"rank", call->rank},
    };
    size_t used = (size_t)snprintf(text, size, "%s:", call->operation->name);
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        if (facts[i].value)
            used = add_words(text, size, used, facts[i].name, facts[i].value);
    for (unsigned i = 0; i < call->rank; i++)
        used = add_words(text, size, used, "size", call->sizes[i]);
    for (unsigned i = 0; i < call->rank; i++)
        if (call->operation == &call_strided && used < size)
            used += (size_t)snprintf(text + used, size - used, " strides %" PRId64 " from %" PRId64,
                                     call->to_strides[i], call->from_strides[i]);
        else
            used = add_words(text, size, used, "order", call->order[i]);
    for (unsigned i = 0; i < call->fields && call->structure_bytes; i++) {
        used = add_words(text, size, used, "offset", call->field[i].offset);
        used = add_words(text, size, used, "bytes", call->field[i].bytes);
    }
    for (unsigned i = 0; i < call->arrays; i++) {
        used = add_words(text, size, used, call->array[i].name, call->array[i].bytes);
        used = add_words(text, size, used, "bytes at block +", call->array[i].offset % BLOCK);
    }
}

static bool is_nan(wl_type type, const unsigned char *bytes) {
    uint64_t x = 0;
    switch (type) {
    case WL_TYPE_F16:
        memcpy(&x, bytes, 2);
        return (x & 0x7fff) > 0x7c00;
    case WL_TYPE_BF16:
        memcpy(&x, bytes, 2);
        return (x & 0x7fff) > 0x7f80;
    case WL_TYPE_F32:
        memcpy(&x, bytes, 4);
        return (x & 0x7fffffff) > 0x7f800000;
    case WL_TYPE_F64:
        memcpy(&x, bytes, 8);
        return (x & INT64_MAX) > UINT64_C(0x7ff0000000000000);
    default:
        return false;
    }
}

/* Whether the bytes from `at` on may differ, and their number. */
static bool is_excused(const struct call *call, const unsigned char *got, const unsigned char *host,
                       uint64_t at, uint64_t *bytes) {
    for (unsigned i = 0; i < call->arrays; i++) {
        const struct call_array *array = &call->array[i];
        if (at < array->offset || at - array->offset >= array->bytes)
            continue;
        if (array->scratch) {
            *bytes = array->offset + array->bytes - at;
            return true;
        }
        uint64_t element = at - (at - array->offset) % call->width;
        if (call->floats && is_nan(call->type, got + element) && is_nan(call->type, host + element)) {
            *bytes = element + call->width - at;
            return true;
        }
    }
    return false;
}

bool call_compare(const struct call *call, const unsigned char *got, const unsigned char *host,
                  uint64_t start, uint64_t end, char *text, size_t size) {
    for (uint64_t at = start; at < end;) {
        uint64_t excused;
        if (end - at >= 512 && memcmp(got + at, host + at, 512) == 0) {
            at += 512;
        } else if (got[at] == host[at]) {
            at++;
        } else if (is_excused(call, got, host, at, &excused)) {
            at += excused;
        } else {
            int used = snprintf(text, size, "byte %" PRIu64 " is 0x%02x, not 0x%02x:", at, got[at], host[at]);
            for (unsigned i = 0; i < call->arrays && used >= 0 && (size_t)used < size; i++)
                if (at + GUARD >= call->array[i].offset &&
                    at < call->array[i].offset + call->array[i].bytes + GUARD)
                    used += snprintf(text + used, size - (size_t)used,
                                     " %s[%" PRId64 " of %" PRIu64 " bytes]", call->array[i].name,
                                     (int64_t)(at - call->array[i].offset), call->array[i].bytes);
            return false;
        }
    }
    return true;
}
