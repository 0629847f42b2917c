/* Lines over a parameter, on linear or logarithmic axes.  Logarithms are computed here, so gnuplot's axes are
 * linear, and all places are known in pixels. */
#include <math.h>

#include "report/chart.h"

enum { ROW = 20, SWATCH = 26, GAP = 20, FOOT = 46 };

struct layout {
    double left, right, bottom, top;
    double x0, x1, y0, y1; /* ranges of the axes, in logarithms if the axis is logarithmic */
};

static double x_of(const struct report_chart *chart, double x) {
    return chart->log_x ? log2(x) : x;
}

static double y_of(const struct report_chart *chart, double y) {
    return chart->log_y ? log10(y) : y;
}

/* Lays out the legend's entries and, unless script is NULL, writes them.  Returns the number of rows. */
static int legend(FILE *script, struct report_picture *picture, double left, double right, double top,
                  struct report_pool *pool);

static void find_ranges(const struct report_chart *chart, struct layout *layout) {
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    for (size_t i = 0; i < chart->line_count; i++)
        for (size_t j = 0; j < chart->line[i].count; j++) {
            const struct report_line *line = &chart->line[i];
            x0 = fmin(x0, x_of(chart, line->x[j]));
            x1 = fmax(x1, x_of(chart, line->x[j]));
            y0 = fmin(y0, y_of(chart, line->y[j]));
            y1 = fmax(y1, y_of(chart, line->high && !isnan(line->high[j]) ? line->high[j] : line->y[j]));
        }
    for (size_t i = 0; i < chart->limit_count; i++)
        y1 = fmax(y1, y_of(chart, chart->limit[i].value));
    double pad = x1 > x0 ? 0.03 * (x1 - x0) : 1;
    layout->x0 = x0 - pad;
    layout->x1 = x1 + pad;
    layout->y0 = chart->log_y ? floor(y0) : 0;
    layout->y1 = chart->log_y ? ceil(y1) : y1 > 0 ? y1 * 1.05 : 1;
    if (layout->y1 <= layout->y0)
        layout->y1 = layout->y0 + 1;
}

static double y_tick(const struct layout *layout, const struct report_chart *chart, int i, double step) {
    return chart->log_y ? layout->y0 + i * step : i * step;
}

static const char *y_text(const struct report_chart *chart, double at, struct report_pool *pool) {
    return report_number_text(chart->log_y ? pow(10, at) : at, pool);
}

static double y_step(const struct layout *layout, const struct report_chart *chart) {
    return chart->log_y ? fmax(1, ceil((layout->y1 - layout->y0) / 6)) : report_step(layout->y1, 6);
}

static struct layout lay_out(struct report_picture *picture, struct report_pool *pool) {
    const struct report_chart *chart = picture->chart;
    bool narrow = picture->form == REPORT_NARROW;
    struct layout layout = {.bottom = FOOT};
    find_ranges(chart, &layout);
    double step = y_step(&layout, chart), widest = 0;
    for (int i = 0; y_tick(&layout, chart, i, step) <= layout.y1; i++)
        widest = fmax(widest, report_text_width(y_text(chart, y_tick(&layout, chart, i, step), pool)));
    picture->width = narrow ? 360 : 880;
    layout.left = widest + 12;
    layout.right = picture->width - (narrow ? 18 : 26);
    layout.top = FOOT + (narrow ? 230 : 280);
    picture->height = 1000; /* the legend's rows do not depend on it */
    int rows = legend(NULL, picture, 6, picture->width - 6, 0, pool);
    picture->height = layout.top + 34 + ROW * rows;
    return layout;
}

static void place(const struct layout *layout, double x, double y, double *px, double *py) {
    *px = layout->left + (x - layout->x0) / (layout->x1 - layout->x0) * (layout->right - layout->left);
    *py = layout->bottom + (y - layout->y0) / (layout->y1 - layout->y0) * (layout->top - layout->bottom);
}

static double tick_place(const struct report_picture *picture, const struct layout *layout, size_t i,
                         double *half) {
    const struct report_tick *tick = &picture->chart->tick[i];
    double x, y;
    *half = report_text_width(tick->label) / 2;
    place(layout, x_of(picture->chart, tick->at), layout->y0, &x, &y);
    return fmin(fmax(x, *half + 2), picture->width - *half - 2);
}

/* The least n such that the labels of every nth mark do not touch. */
static size_t tick_stride(const struct report_picture *picture, const struct layout *layout) {
    size_t count = picture->chart->tick_count, stride = 1;
    for (bool fits = false; !fits && stride < count; stride += !fits) {
        double taken = -INFINITY, half;
        fits = true;
        for (size_t i = 0; i < count && fits; i += stride) {
            double centre = tick_place(picture, layout, i, &half);
            fits = centre - half >= taken + 8;
            taken = centre + half;
        }
    }
    return stride;
}

static void put_axes(FILE *script, struct report_picture *picture, const struct layout *layout,
                     struct report_pool *pool) {
    const struct report_chart *chart = picture->chart;
    double step = y_step(layout, chart), x, y;
    for (int i = 0; y_tick(layout, chart, i, step) <= layout->y1; i++) {
        double at = y_tick(layout, chart, i, step);
        place(layout, layout->x0, at, &x, &y);
        report_script_rule(script, picture, layout->left, y, layout->right, y, REPORT_GRID, "lw 1");
        report_script_word(script, picture, y_text(chart, at, pool), layout->left - 6, y, "right",
                           REPORT_MUTED, pool);
    }
    report_script_word(script, picture, chart->unit, 6, layout->top + 21, "left", REPORT_MUTED, pool);
    size_t stride = tick_stride(picture, layout);
    for (size_t i = 0; i < chart->tick_count; i += stride) {
        double half, centre = tick_place(picture, layout, i, &half);
        place(layout, x_of(chart, chart->tick[i].at), layout->y0, &x, &y);
        report_script_rule(script, picture, x, y, x, y - 5, REPORT_MUTED, "lw 1");
        report_script_word(script, picture, chart->tick[i].label, centre, layout->bottom - 14, "center",
                           REPORT_MUTED, pool);
    }
    report_script_word(script, picture, chart->x_unit, (layout->left + layout->right) / 2,
                       layout->bottom - 34, "center", REPORT_MUTED, pool);
}

/* Lines differ in their points, for readers who cannot tell the colours apart. */
static int point_type(size_t line) {
    static const int types[] = {7, 5, 9, 13, 11};
    return types[line % (sizeof types / sizeof *types)];
}

static unsigned line_colour(size_t line) {
    return (REPORT_SERIES + line % REPORT_SERIES_COLOURS + 1) * 0x10101;
}

static const char *line_dash(const struct report_line *line, size_t i) {
    return line->limit ? "dt (7,3)" : i / REPORT_SERIES_COLOURS % 2 ? "dt (8,3,2,3)" : "dt solid";
}

static int legend(FILE *script, struct report_picture *picture, double left, double right, double top,
                  struct report_pool *pool) {
    const struct report_chart *chart = picture->chart;
    double x = left, y = top - ROW / 2.0;
    int rows = 1;
    for (size_t i = 0; i < chart->line_count + chart->limit_count; i++) {
        bool line = i < chart->line_count;
        const char *label = line ? chart->line[i].label : chart->limit[i - chart->line_count].label;
        label = report_fit(label, right - left - SWATCH - 6, pool);
        double width = SWATCH + 6 + report_text_width(label);
        if (x > left && x + width > right) {
            x = left;
            y -= ROW;
            rows++;
        }
        if (script) {
            bool limit = !line || chart->line[i].limit;
            if (limit) {
                size_t number = line ? 0 : i - chart->line_count;
                report_script_rule(script, picture, x, y, x + SWATCH, y, report_limit_colour(number),
                                   report_limit_dash(number));
            } else {
                if (chart->line[i].count > 1)
                    fprintf(
                        script,
                        "set arrow from screen %.6f, screen %.6f to screen %.6f, screen %.6f nohead lc rgb "
                        "'#%06x' lw 2 %s\n",
                        x / picture->width, y / picture->height, (x + SWATCH) / picture->width,
                        y / picture->height, line_colour(i), line_dash(&chart->line[i], i));
                fprintf(
                    script, "set label '' at screen %.6f, screen %.6f point pt %d ps 0.8 lc rgb '#%06x'\n",
                    (x + SWATCH / 2.0) / picture->width, y / picture->height, point_type(i), line_colour(i));
            }
            report_script_word(script, picture, label, x + SWATCH + 6, y, "left", REPORT_TEXT, pool);
        }
        x += width + GAP;
    }
    return rows;
}

static void put_data(FILE *script, const struct report_chart *chart) {
    for (size_t i = 0; i < chart->line_count; i++) {
        const struct report_line *line = &chart->line[i];
        fprintf(script, "$line%zu << EOD\n", i);
        for (size_t j = 0; j < line->count; j++) {
            bool whisker = line->low && !isnan(line->low[j]) && !isnan(line->high[j]);
            double y = y_of(chart, line->y[j]);
            fprintf(script, "%.17g %.17g %.17g %.17g\n", x_of(chart, line->x[j]), y,
                    whisker ? y_of(chart, line->low[j]) : y, whisker ? y_of(chart, line->high[j]) : y);
        }
        fputs("EOD\n", script);
    }
}

void report_script_lines(FILE *script, struct report_picture *picture, struct report_pool *pool) {
    const struct report_chart *chart = picture->chart;
    struct layout layout = lay_out(picture, pool);
    report_script_begin(script, picture, layout.left, layout.right, layout.bottom, layout.top);
    fprintf(script, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", layout.x0, layout.x1, layout.y0,
            layout.y1);
    put_axes(script, picture, &layout, pool);
    for (size_t i = 0; i < chart->limit_count; i++) {
        double x, y;
        place(&layout, layout.x0, y_of(chart, chart->limit[i].value), &x, &y);
        report_script_rule(script, picture, layout.left, y, layout.right, y, report_limit_colour(i),
                           report_limit_dash(i));
    }
    legend(script, picture, 6, picture->width - 6, picture->height - 4, pool);
    put_data(script, chart);
    fputs("plot ", script);
    for (size_t i = 0; i < chart->line_count; i++) {
        const struct report_line *line = &chart->line[i];
        if (line->limit)
            fprintf(script, "%s$line%zu using 1:2 with lines lc rgb '#%06x' lw 1.5 %s", i ? ", " : "", i,
                    (REPORT_LIMIT + 1) * 0x10101, line_dash(line, i));
        else
            fprintf(script,
                    "%s$line%zu using 1:2 with linespoints lc rgb '#%06x' lw 2 pt %d ps 0.8 %s, "
                    "$line%zu using 1:3:(0):($4-$3) with vectors nohead lw 1 lc rgb '#%06x'",
                    i ? ", " : "", i, line_colour(i), point_type(i), line_dash(line, i), i, line_colour(i));
    }
    fputs("\n", script);
}
