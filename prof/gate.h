/* --fail-if: a bound on a metric, such as gld_efficiency<80. */
#ifndef WIDELOAD_PROF_GATE_H
#define WIDELOAD_PROF_GATE_H

#include "prof/metrics.h"

enum prof_comparison {
    PROF_LESS,
    PROF_LESS_EQUAL,
    PROF_GREATER,
    PROF_GREATER_EQUAL,
    PROF_EQUAL,
    PROF_UNEQUAL
};

struct prof_gate {
    const struct prof_metric *metric;
    enum prof_comparison comparison;
    double bound;
    const char *text; /* as the user wrote it */
};

/* expression = metric ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) number [ "%" ], spaces anywhere between.
 * The text is kept. */
bool prof_gate_parse(const char *text, struct prof_gate *out, struct base_error *error);
/* Whether a value is as the gate forbids; NaN never is. */
bool prof_gate_fails(const struct prof_gate *gate, double value);

#endif
