#include "sim/ptx/parser.h"

#include <string.h>

#define LARGEST_INITIALIZED (UINT64_C(1) << 30) /* bytes: they are held in memory */

struct initializer {
    struct ptx_variable *variable;
    const struct ptx_shape *shape;
    uint8_t *bytes; /* written so far; zeros follow */
    size_t size, capacity;
    struct ptx_relocation *relocations;
    size_t relocation_count, relocation_capacity;
};

/* Writes width little-endian bytes at offset. */
static bool put(struct ptx_parser *p, struct initializer *init, size_t offset, uint64_t bits, size_t width) {
    while (init->capacity < offset + width) {
        size_t larger = (init->capacity < 64 ? 64 : init->capacity * 2);
        while (larger < offset + width)
            larger *= 2;
        uint8_t *bytes = ptx__arena_alloc(p->scratch, larger, 1);
        if (bytes == NULL)
            return ptx__out_of_memory(p);
        if (init->size != 0)
            memcpy(bytes, init->bytes, init->size);
        init->bytes = bytes;
        init->capacity = larger;
    }
    for (size_t i = 0; i < width; i++)
        init->bytes[offset + i] = i < 8 ? (uint8_t)(bits >> (8 * i)) : 0;
    if (init->size < offset + width)
        init->size = offset + width;
    return true;
}

static uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The value as a double, whichever way it was written. */
static double as_double(const struct ptx_constant *value) {
    uint32_t low = (uint32_t)value->bits;
    float narrow;
    double wide;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &value->bits, sizeof wide);
    if (value->kind == PTX_OPERAND_F32)
        return (double)narrow;
    if (value->kind == PTX_OPERAND_F64)
        return wide;
    return value->is_unsigned ? (double)value->bits : (double)(int64_t)value->bits;
}

/* Whether the integer fits in a signed or an unsigned integer of the width. */
static bool fits(const struct ptx_constant *value, size_t width) {
    if (width >= 8)
        return true;
    int64_t number = (int64_t)value->bits;
    int64_t limit = INT64_C(1) << (8 * width);
    return number < limit && number >= -(limit / 2) && !(value->is_unsigned && number < 0);
}

/* Writes the constant in the variable's type. */
static bool scalar(struct ptx_parser *p, struct initializer *init, size_t offset,
                   const struct ptx_constant *value, struct ptx_pos pos) {
    enum ptx_type type = init->variable->type;
    size_t width = init->shape->element;
    if (type == PTX_TYPE_F16 || type == PTX_TYPE_BF16 || type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16X2 ||
        type == PTX_TYPE_TF32)
        return ptx_error_set(p->error, p->module, pos, "a .%s variable cannot be initialized",
                             ptx_type_name(type));
    if (type == PTX_TYPE_F64) {
        /* A literal of the type itself keeps its bits: arithmetic could change a NaN's payload. */
        bool exact = value->kind == PTX_OPERAND_F64;
        return put(p, init, offset, exact ? value->bits : double_bits(as_double(value)), width);
    }
    if (type == PTX_TYPE_F32) {
        bool exact = value->kind == PTX_OPERAND_F32;
        return put(p, init, offset, exact ? value->bits : float_bits((float)as_double(value)), width);
    }
    if (value->kind != PTX_OPERAND_INTEGER) {
        bool untyped = (type == PTX_TYPE_B32 && value->kind == PTX_OPERAND_F32) ||
                       (type == PTX_TYPE_B64 && value->kind == PTX_OPERAND_F64);
        if (!untyped)
            return ptx_error_set(p->error, p->module, pos,
                                 "a .%s variable cannot be initialized with this float", ptx_type_name(type));
    } else if (!fits(value, width)) {
        return ptx_error_set(p->error, p->module, pos, "the number does not fit in .%s", ptx_type_name(type));
    } else if (width == 16 && !value->is_unsigned && (int64_t)value->bits < 0) {
        return put(p, init, offset, value->bits, 8) && put(p, init, offset + 8, UINT64_MAX, 8);
    }
    return put(p, init, offset, value->bits, width);
}

/* symbol = NAME [ offset ] */
static bool symbol(struct ptx_parser *p, struct ptx_relocation *relocation) {
    struct ptx_binding *binding;
    if (p->token.kind != PTX_TOKEN_NAME)
        return ptx__expected(p, "a variable or function");
    struct ptx_name *name = ptx__token_name(p);
    if (name == NULL || !ptx__lookup(p, name, &binding))
        return false;
    if (binding != NULL && binding->kind == PTX_BIND_VARIABLE && binding->variable->space != PTX_SPACE_PARAM)
        relocation->variable = binding->variable;
    else if (binding != NULL && binding->kind == PTX_BIND_FUNCTION)
        relocation->function = binding->function;
    else
        return ptx_error_set(p->error, p->module, p->token.pos,
                             "'%.100s' is no variable or function declared above", name->text);
    return ptx__next(p) && ptx__offset(p, &relocation->addend);
}

/* address = symbol | "generic" "(" symbol ")" [ offset ] */
static bool address(struct ptx_parser *p, struct ptx_relocation *relocation) {
    if (!ptx__at_name(p, "generic") || ptx__peek(p) != '(')
        return symbol(p, relocation);
    relocation->generic = true;
    return ptx__next(p) && ptx__next(p) && symbol(p, relocation) && ptx__skip_mark(p, ')') &&
           ptx__offset(p, &relocation->addend);
}

/* The byte of the address that a mask selects: 0xff00 selects byte 1. */
static bool mask_shift(const struct ptx_constant *mask, unsigned *shift) {
    if (mask->kind != PTX_OPERAND_INTEGER)
        return false;
    for (*shift = 0; *shift < 64; *shift += 8)
        if (mask->bits == UINT64_C(0xff) << *shift)
            return true;
    return false;
}

/* value = constant | address | constant "(" address ")"
 * The last form is one byte of the address, selected by the mask. */
static bool value(struct ptx_parser *p, struct initializer *init, size_t offset) {
    struct ptx_relocation relocation = {.offset = offset, .width = (unsigned)init->shape->element};
    struct ptx_pos pos = p->token.pos;
    if (p->token.kind == PTX_TOKEN_NAME) {
        if (relocation.width != 8 && relocation.width != 4)
            return ptx_error_set(p->error, p->module, pos, "an address does not fit in .%s",
                                 ptx_type_name(init->variable->type));
        if (!address(p, &relocation))
            return false;
    } else {
        struct ptx_constant constant;
        if (!ptx__constant(p, PTX_ANY_OPERATOR, &constant))
            return false;
        if (!ptx__at_mark(p, '('))
            return scalar(p, init, offset, &constant, pos);
        if (relocation.width != 1 || !mask_shift(&constant, &relocation.shift))
            return ptx_error_set(p->error, p->module, pos,
                                 "a mask must be 0xff << 8n, in a variable of bytes");
        if (!ptx__next(p) || !address(p, &relocation) || !ptx__skip_mark(p, ')'))
            return false;
    }
    void *items = init->relocations;
    if (!ptx__arena_grow(p->scratch, &items, &init->relocation_capacity, init->relocation_count,
                         sizeof relocation))
        return ptx__out_of_memory(p);
    init->relocations = items;
    init->relocations[init->relocation_count++] = relocation;
    return put(p, init, offset, 0, init->shape->element);
}

/* braces = "{" [ item { "," item } ] "}"; item = braces | value
 * An inner brace starts the next element of this dimension; bare values fill it in order, as in C.  bytes:
 * the size of this dimension, or the maximum if the initializer determines it; done never exceeds it. */
static bool braces(struct ptx_parser *p, struct initializer *init, size_t dimension, size_t offset,
                   size_t bytes) {
    size_t element = init->shape->element; /* of this dimension */
    for (size_t i = dimension + 1; i < init->shape->count; i++)
        element *= init->shape->extents[i];
    size_t done = 0;
    if (!ptx__next(p))
        return false;
    while (!ptx__at_mark(p, '}')) {
        struct ptx_pos pos = p->token.pos;
        bool nested = ptx__at_mark(p, '{');
        size_t step = nested ? element : init->shape->element;
        if (nested && dimension + 1 >= init->shape->count)
            return ptx_error_set(p->error, p->module, pos, "braces are nested deeper than the array");
        if (nested && done % (element != 0 ? element : 1) != 0)
            return ptx_error_set(p->error, p->module, pos, "braces begin in the middle of a row");
        if (bytes - done < step || step == 0)
            return ptx_error_set(p->error, p->module, pos, "'%.100s' has too many initializers",
                                 init->variable->name);
        if (!(nested ? braces(p, init, dimension + 1, offset + done, element)
                     : value(p, init, offset + done)))
            return false;
        done += step;
        if (!ptx__at_mark(p, ','))
            break;
        if (!ptx__next(p))
            return false;
    }
    if (!ptx__at_mark(p, '}'))
        return ptx__expected(p, "',' or '}'");
    if (init->variable->unsized && dimension == 0)
        init->variable->size = element == 0 ? 0 : (done + element - 1) / element * element; /* whole rows */
    return ptx__next(p);
}

static bool finish(struct ptx_parser *p, const struct initializer *init) {
    struct ptx_variable *variable = init->variable;
    variable->unsized = false;
    variable->init = ptx__arena_alloc(p->arena, variable->size, 1);
    variable->relocation_count = init->relocation_count;
    variable->relocations = ptx__arena_alloc(p->arena, init->relocation_count, sizeof *init->relocations);
    if (variable->init == NULL || variable->relocations == NULL)
        return ptx__out_of_memory(p);
    if (init->size != 0)
        memcpy(variable->init, init->bytes, init->size);
    if (init->relocation_count != 0)
        memcpy(variable->relocations, init->relocations, init->relocation_count * sizeof *init->relocations);
    return true;
}

/* initializer = "=" ( braces | value ) */
bool ptx__initializer(struct ptx_parser *p, struct ptx_variable *variable, const struct ptx_shape *shape) {
    struct initializer init = {.variable = variable, .shape = shape};
    struct ptx_pos pos = p->token.pos;
    if (variable->space != PTX_SPACE_GLOBAL && variable->space != PTX_SPACE_CONST)
        return ptx_error_set(p->error, p->module, pos,
                             "only .global and .const variables can be initialized");
    if (variable->linkage == PTX_LINK_EXTERN)
        return ptx_error_set(p->error, p->module, pos, "an .extern variable cannot be initialized");
    if (variable->size > LARGEST_INITIALIZED)
        return ptx_error_set(p->error, p->module, pos, "an initialized variable is larger than 2^30 bytes");
    if (!ptx__next(p))
        return false;
    if (ptx__at_mark(p, '{') && shape->count > 0)
        return braces(p, &init, 0, 0, variable->unsized ? LARGEST_INITIALIZED : variable->size) &&
               finish(p, &init);
    if (shape->count > 0)
        return ptx__expected(p, "'{'");
    return value(p, &init, 0) && finish(p, &init);
}
