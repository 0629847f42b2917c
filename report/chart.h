/* Charts, before they are drawn.  gnuplot draws them: it gets numbers and places, never a word; words go into
 * its SVG afterwards (svg.c), so that no name in a file can be a command or markup. */
#ifndef WIDELOAD_REPORT_CHART_H
#define WIDELOAD_REPORT_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "report/pool.h"

/* What a mark is, not how it looks: the page has the colours, light and dark. */
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
    REPORT_LIMIT_2, /* looks the same: gnuplot draws neighbours of one colour with one pattern of dashes */
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
    double at;    /* where it stands: x of the lines' points */
    const char *label;
};

struct report_chart {
    const char *id, *title, *about; /* title and about: what a screen reader says */
    const char *unit;               /* of values */
    bool bars;                      /* else lines */
    size_t bar_count, limit_count, line_count, tick_count;
    struct report_bar *bar;
    struct report_limit *limit; /* of bars: vertical lines; of lines: horizontal ones */
    struct report_line *line;
    const char *x_unit;
    struct report_tick *tick; /* of lines: where x may be marked, ascending; fewer are where all do not fit */
    bool log_x, log_y;
};

/* Pictures of a chart.  WIDE has its labels beside the bars, NARROW above them, for phones; the page's style
 * colours both.  LIGHT and DARK are WIDE in a file of its own, on a background of that kind. */
enum report_form { REPORT_WIDE, REPORT_NARROW, REPORT_LIGHT, REPORT_DARK };

struct report_picture {
    const struct report_chart *chart;
    enum report_form form;
    double width, height;
    size_t word_count;
    const char **words; /* what gnuplot's ~0~, ~1~, ... stand for */
    char *svg;          /* as it goes into the page or file */
};

/* Draws all: gnuplot runs once. */
bool report_draw(struct report_picture *pictures, size_t count, struct report_pool *pool,
                 struct base_error *error);

/* The parts.  A script sets the picture's size and words. */
void report_script_bars(FILE *script, struct report_picture *picture, struct report_pool *pool);
void report_script_lines(FILE *script, struct report_picture *picture, struct report_pool *pool);
/* Runs gnuplot on a script; *out is what it wrote to standard output. */
bool report_gnuplot(const char *script, char **out, struct report_pool *pool, struct base_error *error);
/* Makes the page's SVG, or a file's, of gnuplot's; false: it is no SVG of gnuplot's. */
bool report_svg(struct report_picture *picture, const char *drawn, size_t length, struct report_pool *pool);

/* ---------------------------------------------------------------- for scripts */

/* About how wide a text is at the charts' size, 13 pixels, in pixels; on the large side. */
double report_text_width(const char *text);
/* The text, or its beginning and an ellipsis, where it is wider. */
const char *report_fit(const char *text, double width, struct report_pool *pool);
/* The number of a word, for ~N~. */
size_t report_word(struct report_picture *picture, const char *text, struct report_pool *pool);
/* 1, 2 or 5 times a power of 10: the distance of at most `most` marks up to `end`. */
double report_step(double end, int most);
/* The terminal and all settings that both kinds of charts share; the drawing area in pixels from the left and
 * the bottom. */
void report_script_begin(FILE *script, const struct report_picture *picture, double left, double right,
                         double bottom, double top);
/* A word at a place in pixels from the left and the bottom: align is "left", "right" or "center". */
void report_script_word(FILE *script, struct report_picture *picture, const char *text, double x, double y,
                        const char *align, enum report_colour colour, struct report_pool *pool);
void report_script_rule(FILE *script, const struct report_picture *picture, double x0, double y0, double x1,
                        double y1, enum report_colour colour, const char *more);

/* How a limit's line is drawn, so that one can be told from the other. */
const char *report_limit_dash(size_t limit);
enum report_colour report_limit_colour(size_t limit);
/* "4259", "42.6", "0.043": three digits or more. */
const char *report_number_text(double value, struct report_pool *pool);

#endif
