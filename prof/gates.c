#include <stdlib.h>

#include "base/text.h"
#include "prof/demangle.h"
#include "prof/doubts.h"
#include "prof/report.h"

enum { SHORTEST = 32 }; /* bytes that a name has at least */

/* What to say of a value that may not be a GPU's; "": nothing. */
static void doubts_text(const struct prof_row *row, const struct prof_metric *metric, char *out,
                        size_t size) {
    struct prof_doubted doubted;
    char names[80];
    prof_doubted_find(row->lines, row->line_count, &row->sums, &doubted);
    unsigned bits = prof_doubts_of(&doubted, &row->sums, metric);
    *out = '\0';
    if (!bits)
        return;
    prof_doubts_text(bits, names, sizeof names);
    snprintf(out, size, " (~ may differ from a GPU's: %s)", names);
}

size_t prof_put_failures(FILE *file, const struct prof_report *report) {
    const struct prof_gate *gates = report->gates;
    size_t failures = 0;
    for (size_t g = 0; g < report->gate_count; g++)
        for (size_t i = 0; i < report->rows->count; i++) {
            const struct prof_row *row = &report->rows->items[i];
            double value = gates[g].metric->of(&row->sums);
            const bool fails = prof_gate_fails(&gates[g], value);
            char doubts[120];
            doubts_text(row, gates[g].metric, doubts, sizeof doubts);
            if (!fails && !*doubts)
                continue;
            char text[40], name[BASE_TEXT_COLUMNS + 1], where[40] = "";
            prof_value_text(gates[g].metric, value, text, sizeof text);
            if (report->each)
                snprintf(where, sizeof where, " in launch %zu",
                         (size_t)(row->launches[0] - report->recording->launches) + 1);
            int length = fprintf(file, "%s %s: %s is %s%s%s: ", fails ? "FAIL" : "note", gates[g].text,
                                 gates[g].metric->name, text, doubts, where);
            int room = base_text_columns(file) - length + 1;
            prof_row_name(row, name, room < SHORTEST ? SHORTEST : (size_t)room);
            fprintf(file, "%s\n", name);
            failures += fails;
        }
    return failures;
}
