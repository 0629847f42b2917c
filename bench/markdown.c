/* The table as Markdown (GitHub's pipe tables), with the columns that the terminal has no room for. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/utf8.h"
#include "bench/columns.h"
#include "bench/table.h"

/* Escapes Markdown's characters: `|` would end the cell and `<` start a tag. */
static void put_text(FILE *file, const char *given) {
    char *plain = base_utf8(given);
    for (const char *text = plain ? plain : given; *text; text++) {
        if (*text == '<') {
            fputs("&lt;", file);
            continue;
        }
        if (*text == '|' || *text == '\\' || *text == '*' || *text == '_' || *text == '`')
            fputc('\\', file);
        fputc(*text == '\n' ? ' ' : *text, file);
    }
    free(plain);
}

static void put_titles(FILE *file, const struct base_grid *grid) {
    for (size_t c = 0; c < grid->column_count; c++)
        if (grid->shown[c]) {
            fputs("| ", file);
            put_text(file, grid->columns[c].title);
            fputc(' ', file);
        }
    fputs("|\n", file);
    for (size_t c = 0; c < grid->column_count; c++)
        if (grid->shown[c])
            fputs(grid->columns[c].flags & BASE_GRID_LEFT ? "|---" : "|---:", file);
    fputs("|\n", file);
}

static void put_table(FILE *file, const struct bench_plan *plan, const struct bench_columns *laid) {
    if (!bench_section_goes_on(plan, laid->first)) {
        fprintf(file, "\n### %s\n", laid->first->experiment->name);
        put_text(file, laid->first->experiment->question);
        fputc('\n', file);
    }
    fputc('\n', file);
    bench_columns_put_common(file, laid);
    fputc('\n', file);
    put_titles(file, &laid->grid);
    for (size_t r = 0; r < laid->row_count; r++) {
        for (size_t c = 0; c < laid->grid.column_count; c++)
            if (laid->grid.shown[c]) {
                fputs("| ", file);
                put_text(file, base_grid_text(&laid->grid, r, c));
                fputc(' ', file);
            }
        fputs("|\n", file);
    }
    for (size_t r = 0; r < laid->row_count; r++) {
        const char *remark = bench_row_remark(laid->rows[r]);
        if (remark) {
            fprintf(file, "\n%s: ", laid->rows[r]->rung->name);
            put_text(file, remark);
            fputc('\n', file);
        }
    }
}

bool bench_write_markdown(FILE *file, const struct bench_plan *plan) {
    char device[512];
    bench_table_device(plan, device, sizeof device);
    put_text(file, device);
    fputc('\n', file);
    for (size_t s = 0; s < plan->section_count; s++) {
        struct bench_columns laid;
        if (bench_section_table(plan, &plan->sections[s]) == 0)
            continue;
        bool right = bench_columns_open(&laid, plan, &plan->sections[s], INT_MAX);
        if (right)
            put_table(file, plan, &laid);
        bench_columns_close(&laid);
        if (!right)
            return false;
    }
    return fflush(file) == 0 && !ferror(file);
}
