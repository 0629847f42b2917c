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

/* expression = metric ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) number [ "%" ], with optional spaces between.
 * *out points to the text, which must stay valid. */
bool prof_gate_parse(const char *text, struct prof_gate *out, struct base_error *error);
/* Whether the gate's condition holds for the value, which is a failure.  It never holds for NaN. */
bool prof_gate_fails(const struct prof_gate *gate, double value);

#endif
