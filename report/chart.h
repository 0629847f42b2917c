/* Charts, before they are drawn.  gnuplot draws them, but gets only numbers and places, never words.  Words
 * are put into its SVG afterwards (svg.c), so that no name in a file can be a command or markup. */
#ifndef WIDELOAD_REPORT_CHART_H
#define WIDELOAD_REPORT_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "report/pool.h"

/* What a mark stands for; the page's style has the colours, light and dark. */
enum report_colour {
    REPORT_TEXT,
    REPORT_MUTED,
    REPORT_GRID,
    REPORT_WHISKER,
    REPORT_BAR,
    REPORT_BAR_TEXT,
    REPORT_PEER,
    REPORT_PEER_TEXT,
    REPORT_LIMIT,
    REPORT_LIMIT_2, /* looks like REPORT_LIMIT, but gnuplot gives neighbours of one colour the same dashes */
    REPORT_SERIES,  /* the first of REPORT_SERIES_COLOURS */
};
enum { REPORT_SERIES_COLOURS = 8, REPORT_COLOURS = REPORT_SERIES + REPORT_SERIES_COLOURS };

struct report_bar {
    const char *label, *text; /* text: the value in words, or "failed" */
    double value, low, high;  /* NaN: no bar; low and high: the whisker, NaN: none */
    bool peer;
};

struct report_limit {
    const char *label;
    double value;
};

struct report_line {
    const char *label;
    size_t count;
    double *x, *y, *low, *high; /* low, high: NULL: no whiskers */
    bool limit;                 /* a bound, dashed and without points */
};

struct report_tick {
    double value; /* the parameter's */
    double at;    /* its x on the axis, as of the lines' points */
    const char *label;
};

struct report_chart {
    const char *id, *title, *about; /* title and about: for screen readers */
    const char *unit;               /* of values */
    bool bars;                      /* false: lines */
    size_t bar_count, limit_count, line_count, tick_count;
    struct report_bar *bar;
    struct report_limit *limit; /* of bars: vertical lines; of lines: horizontal ones */
    struct report_line *line;
    const char *x_unit;
    struct report_tick *tick; /* of lines: possible marks of x, ascending; those that fit are drawn */
    bool log_x, log_y;
};

/* Pictures of a chart.  WIDE has labels beside the bars; NARROW, for phones, has them above.  The page's
 * style colours both.  LIGHT and DARK are WIDE in a file of its own, on a light or dark background. */
enum report_form { REPORT_WIDE, REPORT_NARROW, REPORT_LIGHT, REPORT_DARK };

struct report_picture {
    const struct report_chart *chart;
    enum report_form form;
    double width, height;
    size_t word_count;
    const char **words; /* they replace ~0~, ~1~, ... in gnuplot's SVG */
    char *svg;          /* the result, for the page or a file */
};

/* Draws all pictures with one run of gnuplot. */
bool report_draw(struct report_picture *pictures, size_t count, struct report_pool *pool,
                 struct base_error *error);

/* Parts of report_draw().  The script functions set the picture's size and words. */
void report_script_bars(FILE *script, struct report_picture *picture, struct report_pool *pool);
void report_script_lines(FILE *script, struct report_picture *picture, struct report_pool *pool);
/* Runs gnuplot on a script; *out is its standard output. */
bool report_gnuplot(const char *script, char **out, struct report_pool *pool, struct base_error *error);
/* Makes the SVG for the page or a file from gnuplot's.  False: `drawn` is not an SVG of gnuplot's. */
bool report_svg(struct report_picture *picture, const char *drawn, size_t length, struct report_pool *pool);

/* ---------------------------------------------------------------- for scripts */

/* An estimate, rather too large, of a text's width in pixels at the charts' font size of 13 pixels. */
double report_text_width(const char *text);
/* The text; if it is wider than `width`, its beginning and an ellipsis. */
const char *report_fit(const char *text, double width, struct report_pool *pool);
/* The number of a word, for ~N~. */
size_t report_word(struct report_picture *picture, const char *text, struct report_pool *pool);
/* The distance between marks, of which at most `most` fit up to `end`: 1, 2 or 5 times a power of 10. */
double report_step(double end, int most);
/* Writes the terminal and the settings of both kinds of charts.  The drawing area is in pixels from the left
 * and the bottom. */
void report_script_begin(FILE *script, const struct report_picture *picture, double left, double right,
                         double bottom, double top);
/* Puts a word at a place in pixels from the left and the bottom.  align: "left", "right" or "center". */
void report_script_word(FILE *script, struct report_picture *picture, const char *text, double x, double y,
                        const char *align, enum report_colour colour, struct report_pool *pool);
void report_script_rule(FILE *script, const struct report_picture *picture, double x0, double y0, double x1,
                        double y1, enum report_colour colour, const char *more);

/* The dashes of a limit's line, which differ between neighbours. */
const char *report_limit_dash(size_t limit);
enum report_colour report_limit_colour(size_t limit);
/* "4259", "42.6", "0.043": at least three digits. */
const char *report_number_text(double value, struct report_pool *pool);

#endif
