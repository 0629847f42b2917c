/* Words and numbers of charts, and their widths. */
#include <math.h>
#include <string.h>

#include "report/chart.h"

/* The browser chooses the font, so this is an estimate, rather too large for the usual sans-serif fonts. */
static double glyph_width(unsigned char first, const char *c) {
    if (first >= 0xe1) /* most of these characters are as wide as they are high */
        return 14;
    if (first >= 0x80)
        return 9;
    if (strchr("ijl.,:;'|!()[] -", *c))
        return 5;
    if (strchr("mwMW@%", *c))
        return 12;
    return *c >= 'A' && *c <= 'Z' ? 9.5 : 8;
}

static const char *next_glyph(const char *c) {
    for (c++; ((unsigned char)*c & 0xc0) == 0x80; c++)
        ;
    return c;
}

double report_text_width(const char *text) {
    double width = 0;
    for (const char *c = text; *c; c = next_glyph(c))
        width += glyph_width((unsigned char)*c, c);
    return width;
}

const char *report_fit(const char *text, double width, struct report_pool *pool) {
    if (report_text_width(text) <= width)
        return text;
    double used = 14; /* the ellipsis */
    const char *c = text;
    while (*c && used + glyph_width((unsigned char)*c, c) <= width) {
        used += glyph_width((unsigned char)*c, c);
        c = next_glyph(c);
    }
    return report_format(pool, "%.*s\xe2\x80\xa6", (int)(c - text), text);
}

const char *report_number_text(double value, struct report_pool *pool) {
    if (isnan(value))
        return "";
    double size = fabs(value);
    int digits = size == 0 || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
    if (size == floor(size) && size < 1000)
        digits = 0;
    return report_format(pool, "%.*f", digits, value);
}

double report_step(double end, int most) {
    double step = pow(10, floor(log10(end / most)));
    static const double factors[] = {1, 2, 5, 10};
    for (size_t i = 0; i < 4; i++)
        if (end / (step * factors[i]) <= most)
            return step * factors[i];
    return step * 10;
}
