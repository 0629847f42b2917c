/* Parses lists of numbers, sizes, blocks and names, and ranges of numbers. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cases.h"
#include "bench/list.h"

#define RANGE_FORMS "FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST:xFACTOR"

static bool out_of_memory(const char *option, struct base_error *error) {
    return base_failure(error, "%s: out of memory", option);
}

bool bench_list_each(const char *option, const char *text, bench_take_fn *take, void *list,
                     struct base_error *error) {
    for (const char *at = text, *next; at; at = next) {
        char *piece = bench_cut(at, ',', &next);
        if (!piece)
            return out_of_memory(option, error);
        bool right = take(option, piece, list, error);
        free(piece);
        if (!right)
            return false;
    }
    return true;
}

void *bench_list_room(const char *option, void *items, size_t count, size_t size, struct base_error *error) {
    if (count == BENCH_LIST_LIMIT) {
        base_usage(error, "%s: more than %d values; give fewer, or a greater step", option, BENCH_LIST_LIMIT);
        return NULL;
    }
    if (count & (count - 1))
        return items;
    void *more = realloc(items, (count ? 2 * count : 1) * size);
    if (!more)
        out_of_memory(option, error);
    return more;
}

/* ---------------------------------------------------------------- numbers and ranges */

bool bench_list_number(const char *option, struct bench_numbers *list, uint64_t value,
                       struct base_error *error) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == value)
            return true;
    uint64_t *items = bench_list_room(option, list->items, list->count, sizeof *items, error);
    if (!items)
        return false;
    list->items = items;
    items[list->count++] = value;
    return true;
}

struct range {
    uint64_t first, last, step;
    bool geometric;
};

static bool no_range(const char *option, const char *text, struct base_error *error) {
    return base_usage(error, "%s: '%.80s' is not a range; give " RANGE_FORMS, option, text);
}

static bool check_range(const char *option, const char *text, const struct range *range,
                        struct base_error *error) {
    if (range->first > range->last)
        return base_usage(error, "%s: '%.80s' runs backwards; give the lesser number first", option, text);
    if (range->geometric && range->first == 0)
        return base_usage(error, "%s: '%.80s' multiplies 0, which stays 0; begin with 1 or more", option,
                          text);
    if (range->step < (range->geometric ? 2 : 1))
        return base_usage(error, "%s: '%.80s' would never end; give a %s", option, text,
                          range->geometric ? "factor of 2 or more" : "step of 1 or more");
    if (!range->geometric && (range->last - range->first) / range->step >= BENCH_LIST_LIMIT)
        return base_usage(error, "%s: '%.80s' has more than %d values; give a greater step", option, text,
                          BENCH_LIST_LIMIT);
    return true;
}

static bool parse_range(const char *option, const char *text, struct range *range, struct base_error *error) {
    uint64_t *const numbers[] = {&range->first, &range->last, &range->step};
    size_t count = 0;
    *range = (struct range){.step = 1};
    for (const char *at = text, *next; at; at = next) {
        char *piece = bench_cut(at, ':', &next);
        if (!piece)
            return out_of_memory(option, error);
        const char *digits = piece;
        if (count == 2 && *piece == 'x') {
            range->geometric = true;
            digits++;
        }
        bool right;
        if (count == 3 || !*digits)
            right = no_range(option, text, error);
        else if (strchr(digits, 'x'))
            right = base_usage(
                error, "%s: '%.80s': a range is of single numbers; list others one by one, with commas",
                option, text);
        else
            right = bench_parse_number(option, digits, numbers[count++], error);
        free(piece);
        if (!right)
            return false;
    }
    return count >= 2 ? check_range(option, text, range, error) : no_range(option, text, error);
}

static bool add_range(const char *option, const char *text, struct bench_numbers *list,
                      struct base_error *error) {
    struct range range;
    if (!parse_range(option, text, &range, error))
        return false;
    for (uint64_t value = range.first; value <= range.last;) {
        if (!bench_list_number(option, list, value, error))
            return false;
        if (range.geometric ? __builtin_mul_overflow(value, range.step, &value)
                            : __builtin_add_overflow(value, range.step, &value))
            break;
    }
    return true;
}

static bool take_numbers(const char *option, const char *piece, void *list, struct base_error *error) {
    uint64_t value;
    if (strchr(piece, ':'))
        return add_range(option, piece, list, error);
    return bench_parse_number(option, piece, &value, error) && bench_list_number(option, list, value, error);
}

bool bench_parse_numbers(const char *option, const char *text, struct bench_numbers *out,
                         struct base_error *error) {
    *out = (struct bench_numbers){0};
    return bench_list_each(option, text, take_numbers, out, error);
}

/* ---------------------------------------------------------------- sizes and blocks */

/* Takes each number of a range like an item of the list. */
static bool each_of_range(const char *option, const char *piece, bench_take_fn *take, void *list,
                          struct base_error *error) {
    struct bench_numbers numbers = {0};
    bool right = add_range(option, piece, &numbers, error);
    for (size_t i = 0; i < numbers.count && right; i++) {
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, numbers.items[i]);
        right = take(option, text, list, error);
    }
    bench_numbers_free(&numbers);
    return right;
}

static bool same_size(const struct bench_size *a, const struct bench_size *b) {
    return a->dimensions == b->dimensions && memcmp(a->extent, b->extent, sizeof a->extent) == 0 &&
           memcmp(&a->order, &b->order, sizeof a->order) == 0 && a->width == b->width && a->text == b->text;
}

bool bench_list_size(const char *option, struct bench_sizes *list, const struct bench_size *size,
                     struct base_error *error) {
    for (size_t i = 0; i < list->count; i++)
        if (same_size(&list->items[i], size))
            return true;
    struct bench_size *items = bench_list_room(option, list->items, list->count, sizeof *items, error);
    if (!items)
        return false;
    list->items = items;
    items[list->count++] = *size;
    return true;
}

static bool take_sizes(const char *option, const char *piece, void *into, struct base_error *error) {
    struct bench_sizes *list = into;
    struct bench_size size;
    if (strchr(piece, ':'))
        return each_of_range(option, piece, take_sizes, list, error);
    if (strcmp(piece, "text") == 0)
        return bench_list_size(option, list, &(struct bench_size){.text = true}, error);
    /* Names start with a letter, or with a digit and have a dash, which no size has. */
    if ((isalpha((unsigned char)*piece) && *piece != 'x') ||
        (isdigit((unsigned char)*piece) && strchr(piece, '-')))
        return bench_take_case(option, piece, list, error);
    return bench_parse_size(option, piece, &size, error) && bench_list_size(option, list, &size, error);
}

bool bench_parse_sizes(const char *option, const char *text, struct bench_sizes *out,
                       struct base_error *error) {
    *out = (struct bench_sizes){0};
    return bench_list_each(option, text, take_sizes, out, error);
}

static bool take_blocks(const char *option, const char *piece, void *into, struct base_error *error) {
    struct bench_blocks *list = into;
    struct bench_block block;
    if (strchr(piece, ':'))
        return each_of_range(option, piece, take_blocks, list, error);
    if (!bench_parse_block(option, piece, &block, error))
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].x == block.x && list->items[i].y == block.y)
            return true;
    struct bench_block *items = bench_list_room(option, list->items, list->count, sizeof *items, error);
    if (!items)
        return false;
    list->items = items;
    items[list->count++] = block;
    return true;
}

bool bench_parse_blocks(const char *option, const char *text, struct bench_blocks *out,
                        struct base_error *error) {
    *out = (struct bench_blocks){0};
    return bench_list_each(option, text, take_blocks, out, error);
}

/* ---------------------------------------------------------------- names */

static bool take_names(const char *option, const char *piece, void *into, struct base_error *error) {
    struct bench_names *list = into;
    if (!*piece)
        return base_usage(error, "%s: an empty name; give names separated by commas", option);
    char **items = bench_list_room(option, list->items, list->count, sizeof *items, error);
    if (!items)
        return false;
    list->items = items;
    items[list->count] = strdup(piece);
    return items[list->count++] || out_of_memory(option, error);
}

bool bench_parse_names(const char *option, const char *text, struct bench_names *out,
                       struct base_error *error) {
    *out = (struct bench_names){0};
    return bench_list_each(option, text, take_names, out, error);
}

void bench_numbers_free(struct bench_numbers *numbers) {
    free(numbers->items);
    *numbers = (struct bench_numbers){0};
}

void bench_sizes_free(struct bench_sizes *sizes) {
    free(sizes->items);
    *sizes = (struct bench_sizes){0};
}

void bench_blocks_free(struct bench_blocks *blocks) {
    free(blocks->items);
    *blocks = (struct bench_blocks){0};
}

void bench_names_free(struct bench_names *names) {
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct bench_names){0};
}
