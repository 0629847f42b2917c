#include "base/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps that make a table narrower, tried in this order until its lines fit. */
enum fit { ROOMY, NARROW_GAPS, COMPACT_COUNTS, WITHOUT_SPARE, WITHOUT_SPARE_LAST, CUT, FITS };

/* The least width of a cut column. */
enum { SHORTEST = 12 };

void base_grid_count(uint64_t count, bool compact, char out[BASE_GRID_CELL]) {
    if (compact && count >= 999995000)
        snprintf(out, BASE_GRID_CELL, "%.2fG", (double)count / 1e9);
    else if (compact && count >= 1000000)
        snprintf(out, BASE_GRID_CELL, "%.2fM", (double)count / 1e6);
    else
        snprintf(out, BASE_GRID_CELL, "%" PRIu64, count);
}

void base_grid_number(double value, int digits, char out[BASE_GRID_CELL]) {
    if (isnan(value))
        out[0] = 0;
    else
        snprintf(out, BASE_GRID_CELL, "%.*f", digits, value);
}

void base_grid_percentage(double value, char out[BASE_GRID_CELL]) {
    if (isnan(value))
        out[0] = 0;
    else
        snprintf(out, BASE_GRID_CELL, "%.4g", value);
}

static char *cell_of(const struct base_grid *grid, size_t row, size_t column) {
    return grid->cells[row * grid->column_count + column];
}

const char *base_grid_text(const struct base_grid *grid, size_t row, size_t column) {
    return cell_of(grid, row, column);
}

static bool is_shown(const struct base_grid *grid, size_t c, enum fit fit) {
    unsigned flags = grid->columns[c].flags;
    if (flags & BASE_GRID_ABSENT || (flags & BASE_GRID_SPARE && fit >= WITHOUT_SPARE) ||
        (flags & BASE_GRID_SPARE_LAST && fit >= WITHOUT_SPARE_LAST))
        return false;
    if (!(flags & (BASE_GRID_HIDE_EQUAL | BASE_GRID_HIDE_ZERO)))
        return true;
    for (size_t r = 0; r < grid->row_count; r++) {
        const char *cell = cell_of(grid, r, c);
        if (flags & BASE_GRID_HIDE_EQUAL ? strcmp(cell, cell_of(grid, 0, c)) != 0
                                         : *cell && strcmp(cell, "0") != 0)
            return true;
    }
    return false;
}

/* Returns the width of a whole line. */
static int lay_out(struct base_grid *grid, enum fit fit) {
    int total = 0;
    grid->gap = fit >= NARROW_GAPS ? 1 : 2;
    for (size_t c = 0; c < grid->column_count; c++) {
        grid->width[c] = (int)strlen(grid->columns[c].title);
        for (size_t r = 0; r < grid->row_count; r++) {
            char *cell = cell_of(grid, r, c);
            cell[0] = 0;
            grid->cell(grid->context, r, c, fit >= COMPACT_COUNTS, cell);
            int length = (int)strlen(cell);
            if (length > grid->width[c])
                grid->width[c] = length;
        }
        grid->shown[c] = is_shown(grid, c, fit);
        if (grid->shown[c])
            total += grid->width[c] + (total ? grid->gap : 0);
    }
    return total;
}

/* Shortens columns that may be cut by `excess` bytes in all, the last column first. */
static void cut(struct base_grid *grid, int excess) {
    for (size_t c = grid->column_count; c-- && excess > 0;) {
        if (!grid->shown[c] || !(grid->columns[c].flags & BASE_GRID_CUT))
            continue;
        int spare = grid->width[c] - SHORTEST;
        int less = spare < excess ? spare : excess;
        if (less <= 0)
            continue;
        grid->width[c] -= less;
        excess -= less;
        for (size_t r = 0; r < grid->row_count; r++) {
            char *cell = cell_of(grid, r, c);
            int length = (int)strlen(cell),
                kept = grid->columns[c].flags & BASE_GRID_INSIDE ? grid->width[c] / 3 : 0;
            if (length <= grid->width[c])
                continue;
            memmove(cell + grid->width[c] - kept, cell + length - kept, (size_t)kept + 1);
            memcpy(cell + grid->width[c] - kept - 2, "..", 2);
        }
    }
}

bool base_grid_lay_out(struct base_grid *grid) {
    grid->cells = calloc(grid->row_count * grid->column_count + 1, sizeof *grid->cells);
    if (!grid->cells)
        return false;
    int width = 0;
    for (enum fit fit = ROOMY; fit < FITS; fit++) {
        width = lay_out(grid, fit);
        if (width <= grid->line)
            break;
    }
    cut(grid, width - grid->line);
    return true;
}

void base_grid_free(struct base_grid *grid) {
    free(grid->cells);
    grid->cells = NULL;
}

/* pad: false for the last cell of a line, which gets no trailing spaces. */
static void put_cell(FILE *file, const struct base_grid *grid, size_t c, const char *text, bool first,
                     bool pad, bool red) {
    if (!*text && !pad)
        return;
    if (!first)
        fprintf(file, "%*s", grid->gap, "");
    bool left = grid->columns[c].flags & BASE_GRID_LEFT;
    int padding = grid->width[c] - (int)strlen(text);
    if (!left)
        fprintf(file, "%*s", padding, "");
    fprintf(file, red ? "\033[31m%s\033[0m" : "%s", text);
    if (left && pad)
        fprintf(file, "%*s", padding, "");
}

static size_t last_shown(const struct base_grid *grid) {
    size_t last = 0;
    for (size_t c = 0; c < grid->column_count; c++)
        if (grid->shown[c])
            last = c;
    return last;
}

void base_grid_put_titles(FILE *file, const struct base_grid *grid) {
    bool first = true;
    size_t last = last_shown(grid);
    for (size_t c = 0; c < grid->column_count; c++)
        if (grid->shown[c]) {
            put_cell(file, grid, c, grid->columns[c].title, first, c != last, false);
            first = false;
        }
    fputc('\n', file);
}

void base_grid_put_row(FILE *file, const struct base_grid *grid, size_t row, size_t red) {
    bool first = true;
    size_t last = last_shown(grid);
    for (size_t c = 0; c < grid->column_count; c++)
        if (grid->shown[c]) {
            const char *text = cell_of(grid, row, c);
            bool left = grid->columns[c].flags & BASE_GRID_LEFT;
            put_cell(file, grid, c, *text || left ? text : "-", first, c != last, c == red);
            first = false;
        }
    fputc('\n', file);
}
