#include <stdlib.h>

#include "prof/report.h"

size_t prof_put_failures(FILE *file, const struct prof_report *report, const struct prof_gate *gates,
                         size_t gate_count) {
    size_t failures = 0;
    for (size_t g = 0; g < gate_count; g++)
        for (size_t i = 0; i < report->rows->count; i++) {
            const struct prof_row *row = &report->rows->items[i];
            double value = gates[g].metric->of(&row->sums);
            if (!prof_gate_fails(&gates[g], value))
                continue;
            char text[40];
            prof_value_text(gates[g].metric, value, text, sizeof text);
            fprintf(file, "FAIL %s: %s is %s", gates[g].text, gates[g].metric->name, text);
            if (report->each)
                fprintf(file, " in launch %zu", (size_t)(row->launches[0] - report->recording->launches) + 1);
            fprintf(file, ": %s\n", row->first->name);
            failures++;
        }
    return failures;
}
