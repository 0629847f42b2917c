/* A table of text: aligned, and made to fit a line. */
#ifndef WIDELOAD_BENCH_GRID_H
#define WIDELOAD_BENCH_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { BENCH_GRID_CELL = 160, BENCH_GRID_COLUMNS = 40 };

enum bench_grid_flags {
    BENCH_GRID_LEFT = 1,        /* aligned to the left */
    BENCH_GRID_HIDE_EQUAL = 2,  /* left out where every row says the same */
    BENCH_GRID_HIDE_ZERO = 4,   /* left out where every row says 0 or nothing */
    BENCH_GRID_SPARE = 8,       /* left out first where a line would be too long */
    BENCH_GRID_CUT = 16,        /* shortened last where a line would be too long */
    BENCH_GRID_ABSENT = 32,     /* left out */
    BENCH_GRID_SPARE_LAST = 64, /* left out where a line would be too long without those too */
    BENCH_GRID_INSIDE = 128,    /* cut inside, not at the end, which a third of the room is for */
};

struct bench_grid_column {
    const char *title;
    unsigned flags;
};

/* Writes the text of a cell; "" is shown as "-", on the left as nothing.  `compact`: numbers may be
 * shortened (bench_grid_count). */
typedef void bench_grid_cell_fn(const void *context, size_t row, size_t column, bool compact,
                                char out[BENCH_GRID_CELL]);

struct bench_grid {
    const struct bench_grid_column *columns;
    size_t column_count, row_count; /* at most BENCH_GRID_COLUMNS columns */
    bench_grid_cell_fn *cell;
    const void *context;
    int line; /* bytes that a line may have */

    /* Set by bench_grid_lay_out(). */
    char (*cells)[BENCH_GRID_CELL];
    bool shown[BENCH_GRID_COLUMNS];
    int width[BENCH_GRID_COLUMNS], gap;
};

/* False: out of memory. */
bool bench_grid_lay_out(struct bench_grid *grid);
void bench_grid_free(struct bench_grid *grid);
const char *bench_grid_text(const struct bench_grid *grid, size_t row, size_t column);
void bench_grid_put_titles(FILE *file, const struct bench_grid *grid);
/* red: a column to be printed red, or SIZE_MAX. */
void bench_grid_put_row(FILE *file, const struct bench_grid *grid, size_t row, size_t red);

/* 161120000, or compact 161.12M */
void bench_grid_count(uint64_t count, bool compact, char out[BENCH_GRID_CELL]);
/* Nothing for NaN. */
void bench_grid_number(double value, int digits, char out[BENCH_GRID_CELL]);
/* 100, 80, 49.81, 12.5; nothing for NaN. */
void bench_grid_percentage(double value, char out[BENCH_GRID_CELL]);

#endif
