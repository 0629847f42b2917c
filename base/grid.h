/* A table of text with aligned columns that fits a line width. */
#ifndef WIDELOAD_BASE_GRID_H
#define WIDELOAD_BASE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { BASE_GRID_CELL = 160, BASE_GRID_COLUMNS = 44 };

enum base_grid_flags {
    BASE_GRID_LEFT = 1,        /* aligned to the left */
    BASE_GRID_HIDE_EQUAL = 2,  /* hidden if all rows have the same text */
    BASE_GRID_HIDE_ZERO = 4,   /* hidden if all rows have 0 or nothing */
    BASE_GRID_SPARE = 8,       /* hidden first if a line would be too long */
    BASE_GRID_CUT = 16,        /* shortened if a line would be too long with all spare columns hidden */
    BASE_GRID_ABSENT = 32,     /* always hidden */
    BASE_GRID_SPARE_LAST = 64, /* hidden if a line would be too long without the SPARE columns */
    BASE_GRID_INSIDE = 128,    /* cut in the middle: the text's end gets a third of the width */
};

struct base_grid_column {
    const char *title;
    unsigned flags;
};

/* Writes the text of a cell.  "" is shown as "-", or as nothing in a BASE_GRID_LEFT column.  `compact`:
 * numbers may be shortened (base_grid_count). */
typedef void base_grid_cell_fn(const void *context, size_t row, size_t column, bool compact,
                               char out[BASE_GRID_CELL]);

struct base_grid {
    const struct base_grid_column *columns;
    size_t column_count, row_count; /* at most BASE_GRID_COLUMNS columns */
    base_grid_cell_fn *cell;
    const void *context;
    int line; /* maximum bytes per line */

    /* Set by base_grid_lay_out(). */
    char (*cells)[BASE_GRID_CELL];
    bool shown[BASE_GRID_COLUMNS];
    int width[BASE_GRID_COLUMNS], gap;
};

/* False: out of memory.  The caller frees the grid with base_grid_free(). */
bool base_grid_lay_out(struct base_grid *grid);
void base_grid_free(struct base_grid *grid);
const char *base_grid_text(const struct base_grid *grid, size_t row, size_t column);
void base_grid_put_titles(FILE *file, const struct base_grid *grid);
/* red: the column to print in red; SIZE_MAX: none. */
void base_grid_put_row(FILE *file, const struct base_grid *grid, size_t row, size_t red);

/* 161120000, or compact 161.12M */
void base_grid_count(uint64_t count, bool compact, char out[BASE_GRID_CELL]);
/* NaN gives "". */
void base_grid_number(double value, int digits, char out[BASE_GRID_CELL]);
/* 100, 80, 49.81, 12.5; NaN gives "". */
void base_grid_percentage(double value, char out[BASE_GRID_CELL]);

#endif
