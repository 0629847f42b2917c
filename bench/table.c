#include "bench/table.h"

#include <string.h>

#include "bench/columns.h"
#include "bench/text.h"

bool bench_table_section(FILE *file, const struct bench_plan *plan, const struct bench_section *section,
                         bool colour) {
    struct bench_columns laid;
    if (!bench_columns_lay_out(&laid, plan, section, bench_text_columns(file)))
        return false;
    if (bench_section_goes_on(plan, section)) {
        fputc('\n', file);
    } else {
        int column = fprintf(file, "\n%s: ", section->experiment->name) - 1;
        bench_wrap(file, section->experiment->question, 2, column);
    }
    bench_columns_put_common(file, &laid, &section->rows[0]);
    bench_grid_put_titles(file, &laid.grid);
    for (size_t r = 0; r < section->row_count; r++) {
        const struct bench_row *row = &section->rows[r];
        const char *remark = bench_row_remark(row);
        bench_grid_put_row(file, &laid.grid, r,
                           colour && row->status == BENCH_FAILED ? laid.status : SIZE_MAX);
        if (remark)
            bench_wrap(file, remark, 6, 0);
    }
    bench_grid_free(&laid.grid);
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
    bench_wrap(file, text, 0, 0);
}
