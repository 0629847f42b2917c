/* Shared by the scripts for bars and for lines.  Places are in pixels from the left and the bottom. */
#include "report/chart.h"

const char *report_limit_dash(size_t limit) {
    return limit % 2 ? "lw 1.5 dt (2,3)" : "lw 1.5 dt (7,3)";
}

enum report_colour report_limit_colour(size_t limit) {
    return limit % 2 ? REPORT_LIMIT_2 : REPORT_LIMIT;
}

size_t report_word(struct report_picture *picture, const char *text, struct report_pool *pool) {
    enum { BY = 64 };
    if (picture->word_count % BY == 0) {
        const char **words = report_alloc(pool, (picture->word_count + BY) * sizeof *words);
        for (size_t i = 0; i < picture->word_count; i++)
            words[i] = picture->words[i];
        picture->words = words;
    }
    picture->words[picture->word_count] = text;
    return picture->word_count++;
}

void report_script_begin(FILE *script, const struct report_picture *picture, double left, double right,
                         double bottom, double top) {
    double width = picture->width, height = picture->height;
    fprintf(script,
            "reset\n"
            "set terminal svg size %.0f,%.0f noenhanced rounded font 'sans,13'\n"
            "unset key\nunset xtics\nunset ytics\nset border 0\n"
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
            "set bmargin at screen %.6f\nset tmargin at screen %.6f\n"
            "set style fill solid 1 noborder\nset bars 0.6\n",
            width, height, left / width, right / width, bottom / height, top / height);
}

void report_script_word(FILE *script, struct report_picture *picture, const char *text, double x, double y,
                        const char *align, enum report_colour colour, struct report_pool *pool) {
    fprintf(script, "set label '~%zu~' at screen %.6f, screen %.6f %s front tc rgb '#%02x%02x%02x'\n",
            report_word(picture, text, pool), x / picture->width, y / picture->height, align, colour + 1,
            colour + 1, colour + 1);
}

void report_script_rule(FILE *script, const struct report_picture *picture, double x0, double y0, double x1,
                        double y1, enum report_colour colour, const char *more) {
    fprintf(script,
            "set arrow from screen %.6f, screen %.6f to screen %.6f, screen %.6f nohead back lc rgb "
            "'#%02x%02x%02x' %s\n",
            x0 / picture->width, y0 / picture->height, x1 / picture->width, y1 / picture->height, colour + 1,
            colour + 1, colour + 1, more);
}
