#include "prof/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_spaces(const char *c) {
    return c + strspn(c, " \t");
}

/* Longer signs come first. */
static const char *parse_comparison(const char *c, enum prof_comparison *out) {
    static const struct {
        const char *sign;
        enum prof_comparison comparison;
    } signs[] = {{"<=", PROF_LESS_EQUAL}, {">=", PROF_GREATER_EQUAL}, {"==", PROF_EQUAL},
                 {"!=", PROF_UNEQUAL},    {"<", PROF_LESS},           {">", PROF_GREATER}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(c, signs[i].sign, strlen(signs[i].sign)) == 0) {
            *out = signs[i].comparison;
            return c + strlen(signs[i].sign);
        }
    return NULL;
}

/* Parses a decimal number.  strtod() would also take "nan", "inf" and hexadecimal numbers. */
static const char *parse_number(const char *c, double *out) {
    size_t length = strspn(c, "+-.0123456789eE");
    char *end;
    *out = strtod(c, &end);
    return length && end == c + length && isfinite(*out) ? end : NULL;
}

bool prof_gate_parse(const char *text, struct prof_gate *out, struct base_error *error) {
    out->text = text;
    const char *name = skip_spaces(text);
    size_t length = strcspn(name, " \t<>=!");
    if (!length)
        return base_usage(error, "--fail-if: '%.80s' names no metric; write it like 'gld_efficiency<80'",
                          text);
    const char *c = parse_comparison(skip_spaces(name + length), &out->comparison);
    if (!c)
        return base_usage(error, "--fail-if: '%.80s' has no comparison; write it like 'gld_efficiency<80'",
                          text);
    out->metric = prof_metric_find("--fail-if", name, length, error);
    if (!out->metric)
        return false;
    const char *number = skip_spaces(c);
    c = parse_number(number, &out->bound);
    if (!c)
        return base_usage(error, "--fail-if: '%.80s' has no number after its comparison", text);
    c = skip_spaces(c);
    if (*c == '%' && out->metric->unit == PROF_PERCENT)
        c = skip_spaces(c + 1);
    if (*c)
        return base_usage(error, "--fail-if: '%.40s' is left over in '%.80s'; give one comparison per option",
                          c, text);
    return true;
}

bool prof_gate_fails(const struct prof_gate *gate, double value) {
    if (isnan(value))
        return false;
    switch (gate->comparison) {
    case PROF_LESS:
        return value < gate->bound;
    case PROF_LESS_EQUAL:
        return value <= gate->bound;
    case PROF_GREATER:
        return value > gate->bound;
    case PROF_GREATER_EQUAL:
        return value >= gate->bound;
    case PROF_EQUAL:
        return value == gate->bound;
    default:
        return value != gate->bound;
    }
}
