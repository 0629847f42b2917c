#include <stdlib.h>

#include "bench/text.h"
#include "prof/demangle.h"
#include "prof/report.h"

enum { SHORTEST = 32 }; /* bytes that a name has at least */

size_t prof_put_failures(FILE *file, const struct prof_report *report, const struct prof_gate *gates,
                         size_t gate_count) {
    size_t failures = 0;
    for (size_t g = 0; g < gate_count; g++)
        for (size_t i = 0; i < report->rows->count; i++) {
            const struct prof_row *row = &report->rows->items[i];
            double value = gates[g].metric->of(&row->sums);
            if (!prof_gate_fails(&gates[g], value))
                continue;
            char text[40], name[BENCH_TEXT_COLUMNS + 1], where[40] = "";
            prof_value_text(gates[g].metric, value, text, sizeof text);
            if (report->each)
                snprintf(where, sizeof where, " in launch %zu",
                         (size_t)(row->launches[0] - report->recording->launches) + 1);
            int length =
                fprintf(file, "FAIL %s: %s is %s%s: ", gates[g].text, gates[g].metric->name, text, where);
            int room = bench_text_columns(file) - length + 1;
            prof_row_name(row, name, room < SHORTEST ? SHORTEST : (size_t)room);
            fprintf(file, "%s\n", name);
            failures++;
        }
    return failures;
}
