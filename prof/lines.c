#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/text.h"
#include "prof/demangle.h"
#include "prof/report.h"
#include "prof/source.h"
#include "prof/waste.h"

enum { CELL = BASE_GRID_CELL };

enum { LINE, ACCESS, WIDTH, REQUESTS, PER_REQUEST, EFFICIENCY, CONFLICTS, WASTE, SOURCE, COLUMNS };

static const struct base_grid_column columns[COLUMNS] = {
    [LINE] = {"line", 0},
    [ACCESS] = {"access", BASE_GRID_LEFT},
    [WIDTH] = {"bytes", 0},
    [REQUESTS] = {"requests", 0},
    [PER_REQUEST] = {"sect/req", 0},
    [EFFICIENCY] = {"eff %", 0},
    [CONFLICTS] = {"wave/req", BASE_GRID_HIDE_ZERO},
    [WASTE] = {"confl", BASE_GRID_HIDE_ZERO},
    [SOURCE] = {"", BASE_GRID_LEFT | BASE_GRID_CUT},
};

/* The accesses of one file in one kernel. */
struct listing {
    const struct prof_line **lines;
    size_t count;
    struct prof_source source;
};

static bool new_line(const struct listing *listing, size_t r) {
    return r == 0 || listing->lines[r]->line != listing->lines[r - 1]->line || !listing->lines[r]->file;
}

static void put_cell(const void *context, size_t r, size_t c, bool compact, char out[CELL]) {
    const struct listing *listing = context;
    const struct prof_line *line = listing->lines[r];
    struct prof_figures figures = prof_figures_of(&line->sums.c);
    switch (c) {
    case LINE:
        if (new_line(listing, r))
            snprintf(out, CELL, "%u", line->file ? line->line : line->ptx_line);
        else
            snprintf(out, CELL, " ");
        break;
    case ACCESS:
        snprintf(out, CELL, "%s%s", line->op, line->doubts ? " ~" : "");
        break;
    case WIDTH:
        base_grid_count(line->bytes, false, out);
        break;
    case REQUESTS:
        base_grid_count(figures.requests, compact, out);
        break;
    case PER_REQUEST:
        base_grid_number(figures.transactions_per_request, 2, out);
        break;
    case CONFLICTS:
        base_grid_number(figures.wavefronts_per_request, 2, out);
        break;
    case EFFICIENCY:
        base_grid_percentage(figures.efficiency, out);
        break;
    case WASTE:
        if (line->sums.c.shared_load_requests || line->sums.c.shared_store_requests)
            base_grid_count(line->sums.shared_load_conflicts + line->sums.shared_store_conflicts, compact,
                            out);
        break;
    default:
        if (new_line(listing, r))
            prof_source_line(&listing->source, line->line, out, CELL);
    }
}

/* Under the table: what is wrong with the lines that waste. */
static void put_reasons(FILE *file, const struct listing *listing) {
    for (size_t i = 0; i < listing->count; i++) {
        const struct prof_line *line = listing->lines[i];
        char place[200], reason[200], text[600];
        if (!prof_is_much(prof_line_waste(line), prof_line_transactions(line)))
            continue;
        prof_place_text(line, place, sizeof place);
        prof_line_reason(line, reason, sizeof reason);
        snprintf(text, sizeof text, "%s %s: %s", place, line->op, reason);
        base_wrap(file, text, 2, 0);
    }
}

static bool put_listing(FILE *file, struct listing *listing) {
    const char *path = listing->lines[0]->file;
    if (path)
        prof_source_read(path, &listing->source);
    struct base_grid grid = {.columns = columns,
                             .column_count = COLUMNS,
                             .row_count = listing->count,
                             .cell = put_cell,
                             .context = listing,
                             .line = base_text_columns(file)};
    bool good = base_grid_lay_out(&grid);
    if (good) {
        if (path)
            fprintf(file, "%s%s\n", path, listing->source.text ? "" : " (not here: line numbers only)");
        else
            fputs("lines of the PTX: compile with -lineinfo for those of the source\n", file);
        base_grid_put_titles(file, &grid);
        for (size_t r = 0; r < grid.row_count; r++)
            base_grid_put_row(file, &grid, r, SIZE_MAX);
        put_reasons(file, listing);
        base_grid_free(&grid);
    }
    prof_source_free(&listing->source);
    return good;
}

/* Accesses stand by file: names are kept once, so the same file is the same pointer. */
static bool put_row(FILE *file, const struct prof_row *row) {
    const struct prof_line **accesses = calloc(row->line_count + 1, sizeof *accesses);
    if (!accesses)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < row->line_count; i++)
        if (row->lines[i].bytes)
            accesses[count++] = &row->lines[i];
    char name[BASE_TEXT_COLUMNS - 7];
    prof_row_name(row, name, sizeof name);
    fprintf(file, "Kernel: %s\n", name);
    if (!count)
        fputs("no memory accesses\n", file);
    bool good = true;
    for (size_t i = 0, next; good && i < count; i = next) {
        for (next = i + 1; next < count && accesses[next]->file == accesses[i]->file; next++)
            ;
        struct listing listing = {.lines = &accesses[i], .count = next - i};
        good = put_listing(file, &listing);
    }
    free(accesses);
    return good;
}

bool prof_put_lines(FILE *file, const struct prof_report *report) {
    for (size_t i = 0; i < report->rows->count; i++) {
        fputc('\n', file);
        if (!put_row(file, &report->rows->items[i]))
            return false;
    }
    return true;
}
