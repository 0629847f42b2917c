/* Horizontal bars, the first on top, with labels to their left, or above them in a narrow picture. */
#include <math.h>

#include "report/chart.h"

enum { LINE = 18, PAD = 8, BAR = 18, FOOT = 46 };

struct layout {
    double left, right, bottom, top; /* of the drawing area */
    double row, scale;               /* pixels per bar; pixels per unit */
    double end;                      /* of the axis */
    double label_width;
    bool legend; /* there are peers' bars to explain */
};

static struct layout lay_out(struct report_picture *picture) {
    const struct report_chart *chart = picture->chart;
    bool narrow = picture->form == REPORT_NARROW;
    struct layout layout = {.end = chart->unit[0] == '%' ? 100 : 0};
    double widest = 0;
    for (size_t i = 0; i < chart->bar_count; i++) {
        widest = fmax(widest, report_text_width(chart->bar[i].label));
        layout.end = fmax(layout.end, fmax(chart->bar[i].value, chart->bar[i].high));
        layout.legend = layout.legend || chart->bar[i].peer;
    }
    for (size_t i = 0; i < chart->limit_count; i++)
        layout.end = fmax(layout.end, chart->limit[i].value);
    layout.end = layout.end > 0 ? layout.end * 1.03 : 1;
    picture->width = narrow ? 360 : 880;
    layout.label_width = narrow ? picture->width - 12 : fmin(widest, 290);
    layout.left = narrow ? 6 : layout.label_width + 16;
    layout.right = picture->width - (narrow ? 18 : 26);
    layout.row = narrow ? 44 : 28;
    layout.bottom = FOOT;
    layout.top = FOOT + layout.row * (double)chart->bar_count;
    picture->height = layout.top + PAD + LINE * (double)chart->limit_count + (layout.legend ? LINE + 4 : 0);
    layout.scale = (layout.right - layout.left) / layout.end;
    return layout;
}

static void put_axis(FILE *script, struct report_picture *picture, const struct layout *layout,
                     struct report_pool *pool) {
    double step = report_step(layout->end, picture->form == REPORT_NARROW ? 4 : 7);
    for (int i = 0; i * step <= layout->end; i++) {
        double x = layout->left + i * step * layout->scale;
        report_script_rule(script, picture, x, layout->bottom, x, layout->top, REPORT_GRID, "lw 1");
        report_script_word(script, picture, report_number_text(i * step, pool), x, layout->bottom - 14,
                           i == 0 && picture->form == REPORT_NARROW ? "left" : "center", REPORT_MUTED, pool);
    }
    report_script_word(script, picture, picture->chart->unit, (layout->left + layout->right) / 2,
                       layout->bottom - 34, "center", REPORT_MUTED, pool);
}

/* Labels are above the drawing area, to the left of their line, with the largest value on top.  So no other
 * limit's line runs through a label. */
static void put_limits(FILE *script, struct report_picture *picture, const struct layout *layout,
                       struct report_pool *pool) {
    const struct report_chart *chart = picture->chart;
    for (size_t i = 0; i < chart->limit_count; i++) {
        const struct report_limit *limit = &chart->limit[i];
        size_t below = 0;
        for (size_t j = 0; j < chart->limit_count; j++)
            below += chart->limit[j].value < limit->value || (chart->limit[j].value == limit->value && j < i);
        double x = layout->left + limit->value * layout->scale;
        double y = layout->top + LINE * (double)below + LINE / 2.0 + 2;
        bool fits = x - 6 >= report_text_width(limit->label);
        report_script_rule(script, picture, x, layout->bottom, x, y + 7, report_limit_colour(i),
                           report_limit_dash(i));
        report_script_word(script, picture, limit->label, fits ? x - 6 : x + 6, y, fits ? "right" : "left",
                           REPORT_MUTED, pool);
    }
}

static void put_legend(FILE *script, struct report_picture *picture, const struct layout *layout,
                       struct report_pool *pool) {
    static const struct {
        const char *text;
        enum report_colour colour;
    } entries[] = {{"kernels of Wideload", REPORT_BAR}, {"other libraries", REPORT_PEER}};
    double x = layout->left + 6, y = picture->height - LINE / 2.0 - 2;
    for (size_t i = 0; i < 2; i++) {
        fprintf(script, "set label '' at screen %.6f, screen %.6f point pt 5 ps 1.6 lc rgb '#%06x'\n",
                x / picture->width, y / picture->height, (entries[i].colour + 1) * 0x10101);
        report_script_word(script, picture, entries[i].text, x + 12, y, "left", REPORT_TEXT, pool);
        x += 12 + report_text_width(entries[i].text) + 24;
    }
}

static void put_words(FILE *script, struct report_picture *picture, const struct layout *layout, size_t i,
                      double y, struct report_pool *pool) {
    const struct report_bar *bar = &picture->chart->bar[i];
    bool narrow = picture->form == REPORT_NARROW;
    double length = isnan(bar->value) ? 0 : bar->value * layout->scale;
    double end = isnan(bar->high) ? length : fmax(length, bar->high * layout->scale);
    bool inside = length >= report_text_width(bar->text) + 16;
    report_script_word(script, picture, report_fit(bar->label, layout->label_width, pool),
                       narrow ? layout->left : layout->left - 10, narrow ? y + 20 : y,
                       narrow ? "left" : "right", REPORT_TEXT, pool);
    report_script_word(script, picture, bar->text, layout->left + (inside ? 8 : end + 7), y, "left",
                       !inside     ? REPORT_TEXT
                       : bar->peer ? REPORT_PEER_TEXT
                                   : REPORT_BAR_TEXT,
                       pool);
}

void report_script_bars(FILE *script, struct report_picture *picture, struct report_pool *pool) {
    const struct report_chart *chart = picture->chart;
    struct layout layout = lay_out(picture);
    report_script_begin(script, picture, layout.left, layout.right, layout.bottom, layout.top);
    fprintf(script, "set xrange [0:%.17g]\nset yrange [0:%.6f]\n", layout.end, layout.top - layout.bottom);
    put_axis(script, picture, &layout, pool);
    put_limits(script, picture, &layout, pool);
    if (layout.legend)
        put_legend(script, picture, &layout, pool);
    /* A point out of range, since gnuplot refuses data without any value. */
    fputs("$bars << EOD\n-1 -1 -1 -1 -1 -1 0\n", script);
    for (size_t i = 0; i < chart->bar_count; i++) {
        const struct report_bar *bar = &chart->bar[i];
        double y = layout.top - layout.bottom - layout.row * (double)i - layout.row / 2 -
                   (picture->form == REPORT_NARROW ? 8 : 0);
        unsigned colour = (bar->peer ? REPORT_PEER : REPORT_BAR) + 1;
        if (!isnan(bar->value))
            fprintf(script, "%.17g %.3f 0 %.17g %.3f %.3f %u\n", bar->value, y, bar->value, y - BAR / 2.0,
                    y + BAR / 2.0, colour * 0x10101);
    }
    fputs("EOD\n$whiskers << EOD\n-1 -1 -1 -1\n", script);
    for (size_t i = 0; i < chart->bar_count; i++) {
        const struct report_bar *bar = &chart->bar[i];
        double y = layout.top - layout.bottom - layout.row * (double)i - layout.row / 2 -
                   (picture->form == REPORT_NARROW ? 8 : 0);
        if (!isnan(bar->value) && !isnan(bar->low) && !isnan(bar->high))
            fprintf(script, "%.17g %.3f %.17g %.17g\n", bar->value, y, bar->low, bar->high);
    }
    fputs("EOD\n", script);
    for (size_t i = 0; i < chart->bar_count; i++) {
        double y =
            layout.top - layout.row * (double)i - layout.row / 2 - (picture->form == REPORT_NARROW ? 8 : 0);
        put_words(script, picture, &layout, i, y, pool);
    }
    unsigned whisker = (REPORT_WHISKER + 1) * 0x10101;
    fprintf(script,
            "plot $bars using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable, "
            "$whiskers using 1:2:3:4 with xerrorbars pt 0 lw 1.5 lc rgb '#%06x'\n",
            whisker);
}
