#include "bench/table.h"

#include <string.h>

#include "base/text.h"
#include "bench/columns.h"

bool bench_table_section(FILE *file, const struct bench_plan *plan, const struct bench_section *section,
                         bool colour) {
    struct bench_columns laid;
    if (bench_section_table(plan, section) == 0)
        return true;
    if (!bench_columns_open(&laid, plan, section, base_text_columns(file))) {
        bench_columns_close(&laid);
        return false;
    }
    if (bench_section_goes_on(plan, laid.first)) {
        fputc('\n', file);
    } else {
        int column = fprintf(file, "\n%s: ", section->experiment->name) - 1;
        base_wrap(file, section->experiment->question, 2, column);
    }
    bench_columns_put_common(file, &laid);
    base_grid_put_titles(file, &laid.grid);
    for (size_t r = 0; r < laid.row_count; r++) {
        const struct bench_row *row = laid.rows[r];
        const char *remark = bench_row_remark(row);
        base_grid_put_row(file, &laid.grid, r,
                          colour && row->status == BENCH_FAILED ? laid.status : SIZE_MAX);
        if (remark)
            base_wrap(file, remark, 6, 0);
    }
    bench_columns_close(&laid);
    return true;
}

void bench_table_device(const struct bench_plan *plan, char *text, size_t size) {
    if (plan->simulator)
        snprintf(text, size, "%s, counting rules %s%s: one launch each, no time", plan->device.name,
                 plan->device.arch, plan->device.arch_proved ? "" : " (not held against hardware)");
    else if (plan->peak_gbps > 0)
        snprintf(text, size, "%s (%s), theoretical peak %.1f GB/s", plan->device.name, plan->device.arch,
                 plan->peak_gbps);
    else
        snprintf(text, size, "%s (%s), theoretical peak unknown: --peak gives it", plan->device.name,
                 plan->device.arch);
}

void bench_table_header(FILE *file, const struct bench_plan *plan) {
    char text[512];
    bench_table_device(plan, text, sizeof text);
    base_wrap(file, text, 0, 0);
}
