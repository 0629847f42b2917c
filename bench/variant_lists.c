/* Parses lists of types, fields and orders, the parameters of the library's operations. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "bench/list.h"

/* ---------------------------------------------------------------- types */

static const struct {
    const char *name;
    unsigned bytes;
} types[] = {
    [WL_TYPE_I8] = {"i8", 1},     [WL_TYPE_I16] = {"i16", 2}, [WL_TYPE_I32] = {"i32", 4},
    [WL_TYPE_I64] = {"i64", 8},   [WL_TYPE_U8] = {"u8", 1},   [WL_TYPE_U16] = {"u16", 2},
    [WL_TYPE_U32] = {"u32", 4},   [WL_TYPE_U64] = {"u64", 8}, [WL_TYPE_F16] = {"f16", 2},
    [WL_TYPE_BF16] = {"bf16", 2}, [WL_TYPE_F32] = {"f32", 4}, [WL_TYPE_F64] = {"f64", 8},
};
enum { TYPES = sizeof types / sizeof *types };

const char *bench_type_name(unsigned type) {
    return type < TYPES ? types[type].name : NULL;
}

unsigned bench_type_bytes(unsigned type) {
    return type < TYPES ? types[type].bytes : 0;
}

static bool parse_type(const char *option, const char *text, unsigned *out, struct base_error *error) {
    const char *names[TYPES];
    for (unsigned i = 0; i < TYPES; i++) {
        names[i] = types[i].name;
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    const char *near = base_nearest(text, names, TYPES);
    return base_usage(error, "%s: no type '%.40s'%s%s%s; there are i8 to i64, u8 to u64, f16, bf16, f32, f64",
                      option, text, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool take_type(const char *option, const char *piece, void *list, struct base_error *error) {
    unsigned type = 0;
    return parse_type(option, piece, &type, error) && bench_list_number(option, list, type, error);
}

bool bench_parse_types(const char *option, const char *text, struct bench_numbers *out,
                       struct base_error *error) {
    *out = (struct bench_numbers){0};
    return bench_list_each(option, text, take_type, out, error);
}

/* ---------------------------------------------------------------- fields */

/* member = type [ "x" count ] */
static bool parse_member(const char *option, const char *member, unsigned *type, uint64_t *count,
                         struct base_error *error) {
    const char *times;
    char *name = bench_cut(member, 'x', &times);
    if (!name)
        return base_failure(error, "%s: out of memory", option);
    *count = 1;
    bool right =
        parse_type(option, name, type, error) && (!times || bench_parse_number(option, times, count, error));
    free(name);
    if (right && (*count == 0 || *count > WL_STRUCTURE_MAX))
        return base_usage(error, "%s: '%.40s' is not a member of 1 to %d elements", option, member,
                          WL_STRUCTURE_MAX);
    return right;
}

static bool add_member(const char *option, const char *member, bool packed, struct wl_structure *structure,
                       unsigned *alignment, struct base_error *error) {
    unsigned type = 0;
    uint64_t count;
    if (!parse_member(option, member, &type, &count, error))
        return false;
    uint32_t each = bench_type_bytes(type);
    if (structure->count == WL_STRUCTURE_FIELDS)
        return base_usage(error, "%s: a structure of more than %d members", option, WL_STRUCTURE_FIELDS);
    if (!packed) {
        structure->bytes = (structure->bytes + each - 1) / each * each;
        *alignment = *alignment < each ? each : *alignment;
    }
    structure->fields[structure->count++] =
        (struct wl_field){.offset = structure->bytes, .bytes = (uint32_t)count * each};
    structure->bytes += (uint32_t)count * each;
    return true;
}

static bool parse_structure(const char *option, const char *text, struct wl_structure *out,
                            struct base_error *error) {
    static const char mark[] = "packed:";
    bool packed = strncmp(text, mark, strlen(mark)) == 0, right = true;
    unsigned alignment = 1;
    *out = (struct wl_structure){.bytes = 0};
    if (strlen(text) >= sizeof out->text)
        return base_usage(error, "%s: '%.20s...' is a structure of more than %zu letters", option, text,
                          sizeof out->text - 1);
    snprintf(out->text, sizeof out->text, "%s", text);
    for (const char *at = packed ? text + strlen(mark) : text, *next; at && right; at = next) {
        char *member = bench_cut(at, '+', &next);
        if (!member)
            return base_failure(error, "%s: out of memory", option);
        right = add_member(option, member, packed, out, &alignment, error);
        free(member);
    }
    out->bytes = (out->bytes + alignment - 1) / alignment * alignment;
    if (right && out->bytes > WL_STRUCTURE_MAX)
        return base_usage(error, "%s: '%.60s' has %u bytes, a structure has %d at most", option, text,
                          (unsigned)out->bytes, WL_STRUCTURE_MAX);
    return right;
}

static bool add_choice(const char *option, struct bench_field_choices *list,
                       const struct bench_field_choice *choice, struct base_error *error) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].count == choice->count &&
            strcmp(list->items[i].structure.text, choice->structure.text) == 0)
            return true;
    struct bench_field_choice *items =
        bench_list_room(option, list->items, list->count, sizeof *items, error);
    if (!items)
        return false;
    list->items = items;
    items[list->count++] = *choice;
    return true;
}

static bool take_fields(const char *option, const char *piece, void *into, struct base_error *error) {
    struct bench_field_choice choice = {0};
    struct bench_numbers numbers;
    if (isalpha((unsigned char)*piece))
        return parse_structure(option, piece, &choice.structure, error) &&
               add_choice(option, into, &choice, error);
    bool right = bench_parse_numbers(option, piece, &numbers, error);
    for (size_t i = 0; i < numbers.count && right; i++) {
        if (numbers.items[i] < 1 || numbers.items[i] > WL_LADDER_FIELDS) {
            right = base_usage(error, "%s: %.40s: 1 to %d fields, or a structure such as f32x3+f64+i32",
                               option, piece, WL_LADDER_FIELDS);
            break;
        }
        choice.count = (uint32_t)numbers.items[i];
        right = add_choice(option, into, &choice, error);
    }
    bench_numbers_free(&numbers);
    return right;
}

bool bench_parse_fields(const char *option, const char *text, struct bench_field_choices *out,
                        struct base_error *error) {
    *out = (struct bench_field_choices){0};
    return bench_list_each(option, text, take_fields, out, error);
}

void bench_field_choices_free(struct bench_field_choices *choices) {
    free(choices->items);
    *choices = (struct bench_field_choices){0};
}

/* ---------------------------------------------------------------- orders */

bool bench_parse_order(const char *option, const char *text, struct bench_order *out,
                       struct base_error *error) {
    struct bench_order order = {0};
    unsigned seen = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c >= '0' + WL_RANK_MAX || order.rank == WL_RANK_MAX)
            return base_usage(error, "%s: '%.40s' is not an order of 1 to %d dimensions such as 0213", option,
                              text, WL_RANK_MAX);
        order.axis[order.rank++] = (unsigned char)(*c - '0');
        seen |= 1u << (*c - '0');
    }
    if (order.rank == 0 || seen != (1u << order.rank) - 1)
        return base_usage(error, "%s: '%.40s' does not have each of its dimensions, from 0 on, once", option,
                          text);
    *out = order;
    return true;
}

static bool take_order(const char *option, const char *piece, void *into, struct base_error *error) {
    struct bench_orders *list = into;
    struct bench_order order;
    if (!bench_parse_order(option, piece, &order, error))
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (memcmp(&list->items[i], &order, sizeof order) == 0)
            return true;
    struct bench_order *items = bench_list_room(option, list->items, list->count, sizeof *items, error);
    if (!items)
        return false;
    list->items = items;
    items[list->count++] = order;
    return true;
}

bool bench_parse_orders(const char *option, const char *text, struct bench_orders *out,
                        struct base_error *error) {
    *out = (struct bench_orders){0};
    /* 0,2,1 as in NumPy: single digits between the commas. */
    char joined[WL_RANK_MAX + 2];
    size_t digits = 0;
    const char *at = text;
    while (digits <= WL_RANK_MAX && isdigit((unsigned char)at[0]) && (at[1] == ',' || !at[1])) {
        joined[digits++] = at[0];
        at += at[1] ? 2 : 1;
        if (!at[0])
            break;
    }
    joined[digits] = '\0';
    if (!*at && digits > 1 && text[strlen(text) - 1] != ',')
        return take_order(option, joined, out, error);
    return bench_list_each(option, text, take_order, out, error);
}

void bench_orders_free(struct bench_orders *orders) {
    free(orders->items);
    *orders = (struct bench_orders){0};
}
