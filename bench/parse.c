#include "bench/parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_FORMS "a decimal number with K, M, G, Ki, Mi or Gi, or a power such as 2^20"

static bool malformed(const char *option, const char *text, struct base_error *error) {
    return base_usage(error, "%s: '%.80s' is not a size; give " SIZE_FORMS, option, text);
}

static bool overflowing(const char *option, const char *text, struct base_error *error) {
    return base_usage(error, "%s: '%.80s' does not fit 64 bits; give a smaller number", option, text);
}

/* Advances *text past the digits. */
static bool parse_digits(const char **text, uint64_t *out, bool *overflow) {
    if (!isdigit((unsigned char)**text))
        return false;
    uint64_t value = 0;
    for (; isdigit((unsigned char)**text); (*text)++)
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(**text - '0'), &value))
            *overflow = true;
    *out = value;
    return true;
}

static bool raise_power(uint64_t base, uint64_t exponent, uint64_t *out) {
    uint64_t value = 1;
    if (base <= 1) {
        *out = exponent ? base : 1;
        return true;
    }
    for (; exponent; exponent--)
        if (__builtin_mul_overflow(value, base, &value))
            return false;
    *out = value;
    return true;
}

/* The factor of a unit such as "Ki"; 0: an unknown unit. */
static uint64_t unit_factor(const char *unit) {
    static const char letters[] = "KMGT";
    if (!*unit)
        return 1;
    const char *letter = strchr(letters, unit[0]);
    if (!letter)
        return 0;
    bool binary = unit[1] == 'i';
    if (unit[binary ? 2 : 1])
        return 0;
    uint64_t factor = 1;
    for (const char *l = letters; l <= letter; l++)
        factor *= binary ? 1024 : 1000;
    return factor;
}

bool bench_parse_number(const char *option, const char *text, uint64_t *out, struct base_error *error) {
    if (text[0] == '-' && isdigit((unsigned char)text[1]))
        return base_usage(error, "%s: '%.80s' is negative; give 0 or more", option, text);
    const char *at = text;
    bool overflow = false;
    uint64_t value;
    if (!parse_digits(&at, &value, &overflow))
        return malformed(option, text, error);
    if (*at == '^') {
        uint64_t exponent;
        at++;
        if (!parse_digits(&at, &exponent, &overflow) || *at)
            return malformed(option, text, error);
        if (overflow || !raise_power(value, exponent, &value))
            return overflowing(option, text, error);
    } else {
        uint64_t factor = unit_factor(at);
        if (!factor)
            return malformed(option, text, error);
        if (overflow || __builtin_mul_overflow(value, factor, &value))
            return overflowing(option, text, error);
    }
    *out = value;
    return true;
}

char *bench_cut(const char *text, char separator, const char **next) {
    const char *end = strchr(text, separator);
    *next = end ? end + 1 : NULL;
    return end ? strndup(text, (size_t)(end - text)) : strdup(text);
}

static bool parse_extents(const char *option, const char *text, struct bench_size *size,
                          struct base_error *error) {
    uint64_t product = 1;
    for (const char *at = text, *next; at; at = next) {
        char *piece = bench_cut(at, 'x', &next);
        if (!piece)
            return base_failure(error, "%s: out of memory", option);
        bool right;
        if (size->dimensions == WL_RANK_MAX)
            right = base_usage(error, "%s: '%.80s' has more than %d extents", option, text, WL_RANK_MAX);
        else if (!*piece)
            right = malformed(option, text, error);
        else
            right = bench_parse_number(option, piece, &size->extent[size->dimensions], error);
        free(piece);
        if (!right)
            return false;
        uint64_t extent = size->extent[size->dimensions++];
        /* An extent of 0 counts as 1: the other extents must fit too, since some arrays have only those. */
        if (__builtin_mul_overflow(product, extent ? extent : 1, &product) || product > BENCH_GREATEST_SIZE)
            return base_usage(error, "%s: '%.80s' is more than 2^60 elements; give a smaller size", option,
                              text);
    }
    return true;
}

/* Parses the parts after @ and after /; either may be NULL. */
static bool parse_size_ends(const char *option, const char *order, const char *width, struct bench_size *size,
                            struct base_error *error) {
    uint64_t bytes = 0;
    if (order && !bench_parse_order(option, order, &size->order, error))
        return false;
    if (width && (!bench_parse_number(option, width, &bytes, error) || !bench_is_width(option, bytes, error)))
        return false;
    size->width = (uint32_t)bytes;
    return true;
}

bool bench_parse_size(const char *option, const char *text, struct bench_size *out,
                      struct base_error *error) {
    struct bench_size size = {0};
    const char *order, *width;
    char *rest = bench_cut(text, '/', &width), *extents = rest ? bench_cut(rest, '@', &order) : NULL;
    bool right = extents ? parse_extents(option, extents, &size, error) &&
                               parse_size_ends(option, order, width, &size, error)
                         : base_failure(error, "%s: out of memory", option);
    free(extents);
    free(rest);
    if (!right)
        return false;
    if (size.order.rank && size.dimensions != 1 && size.dimensions != size.order.rank)
        return base_usage(error, "%s: '%.80s' has %u extents and an order of %u", option, text,
                          size.dimensions, size.order.rank);
    *out = size;
    return true;
}

bool bench_is_width(const char *option, uint64_t width, struct base_error *error) {
    if (width && width <= 16 && (width & (width - 1)) == 0)
        return true;
    return base_usage(error, "%s: an element has 1, 2, 4, 8 or 16 bytes, not %llu", option,
                      (unsigned long long)width);
}

bool bench_parse_block(const char *option, const char *text, struct bench_block *out,
                       struct base_error *error) {
    struct base_error inner;
    struct bench_size size;
    if (!bench_parse_size(option, text, &size, &inner) || size.dimensions > 2 || size.order.rank ||
        size.width)
        return base_usage(error, "%s: '%.80s' is not a block; give threads such as 512 or 32x8", option,
                          text);
    uint64_t x = size.extent[0], y = size.dimensions == 2 ? size.extent[1] : 1;
    if (x == 0 || y == 0 || x * y > 1024)
        return base_usage(error, "%s: a block of %.80s has %llu threads; CUDA allows 1 to 1024", option, text,
                          (unsigned long long)(x * y));
    *out = (struct bench_block){(uint32_t)x, (uint32_t)y};
    return true;
}

bool bench_parse_percentage(const char *option, const char *text, double *out, struct base_error *error) {
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    bool number = end != text && (!*end || strcmp(end, "%") == 0);
    if (!number || errno || !isfinite(value) || value < 0)
        return base_usage(error, "%s: '%.80s' is not a percentage of 0 or more", option, text);
    *out = value;
    return true;
}

bool bench_parse_positive(const char *option, const char *text, double *out, struct base_error *error) {
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || errno || !isfinite(value) || !(value > 0))
        return base_usage(error, "%s: '%.80s' is not a number above 0", option, text);
    *out = value;
    return true;
}
