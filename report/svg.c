/* Makes an SVG for the page or a file from gnuplot's.  It has none of gnuplot's ids, our colours instead of
 * gnuplot's, and words in place of their numbers. */
#include <stdlib.h>
#include <string.h>

#include "report/chart.h"
#include "report/html.h"

static const struct {
    const char *in_page, *light, *dark;
} colours[REPORT_COLOURS] = {
    [REPORT_TEXT] = {"var(--text)", "#1a1c1f", "#e6e8ea"},
    [REPORT_MUTED] = {"var(--muted)", "#5a6068", "#a2a9b1"},
    [REPORT_GRID] = {"var(--grid)", "#e3e5e8", "#2b3037"},
    [REPORT_WHISKER] = {"var(--whisker)", "#14171a", "#f2f4f6"},
    [REPORT_BAR] = {"var(--bar)", "#2a66a8", "#6fa8dc"},
    [REPORT_BAR_TEXT] = {"var(--bar-text)", "#ffffff", "#0d141c"},
    [REPORT_PEER] = {"var(--peer)", "#b35806", "#e8a15c"},
    [REPORT_PEER_TEXT] = {"var(--peer-text)", "#ffffff", "#1c1106"},
    [REPORT_LIMIT] = {"var(--limit)", "#7b828b", "#8a929b"},
    [REPORT_LIMIT_2] = {"var(--limit)", "#7b828b", "#8a929b"},
    [REPORT_SERIES + 0] = {"var(--series-1)", "#2a66a8", "#6fa8dc"},
    [REPORT_SERIES + 1] = {"var(--series-2)", "#c75b00", "#f0934a"},
    [REPORT_SERIES + 2] = {"var(--series-3)", "#00836b", "#4cc3a5"},
    [REPORT_SERIES + 3] = {"var(--series-4)", "#b0478a", "#e28fc0"},
    [REPORT_SERIES + 4] = {"var(--series-5)", "#8a6d00", "#d3b545"},
    [REPORT_SERIES + 5] = {"var(--series-6)", "#4a4f57", "#d5d9de"},
    [REPORT_SERIES + 6] = {"var(--series-7)", "#5d4db0", "#aa9cf0"},
    [REPORT_SERIES + 7] = {"var(--series-8)", "#2b8fc0", "#8fd3f0"},
};

/* gnuplot's shapes: the definitions that have them are not copied to the page. */
static const struct {
    int number;
    const char *path;
} shapes[] = {
    {4, "M-1,-1h2v2h-2z"},
    {6, "M-1,0a1,1 0 1,0 2,0a1,1 0 1,0 -2,0z"},
    {8, "M0,-1.33L-1.33,.67L1.33,.67z"},
    {10, "M0,1.33L1.33,-.67L-1.33,-.67z"},
    {12, "M0,-1.41L1.41,0L0,1.41L-1.41,0z"},
};

struct line {
    const char *text;
    size_t length;
};

static bool contains(struct line line, const char *what) {
    return memmem(line.text, line.length, what, strlen(what)) != NULL;
}

static const char *colour_text(const struct report_picture *picture, long shade) {
    if (shade < 1 || shade > REPORT_COLOURS)
        return NULL;
    switch (picture->form) {
    case REPORT_LIGHT:
        return colours[shade - 1].light;
    case REPORT_DARK:
        return colours[shade - 1].dark;
    default:
        return colours[shade - 1].in_page;
    }
}

static bool stands_alone(const struct report_picture *picture) {
    return picture->form == REPORT_LIGHT || picture->form == REPORT_DARK;
}

/* Writes a line with colours and words replaced, without the attributes that the page's style sets. */
static void put_line(FILE *out, const struct report_picture *picture, struct line line) {
    static const char *const dropped[] = {" font-family=\"sans\"", " font-size=\"13.00\"",
                                          " class=\"gridline\""};
    const char *end = line.text + line.length;
    for (const char *c = line.text; c < end;) {
        size_t skip = 0;
        char *after;
        for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
            if (strncmp(c, dropped[i], strlen(dropped[i])) == 0)
                skip = strlen(dropped[i]);
        if (skip) {
            c += skip;
        } else if (strncmp(c, "rgb(", 4) == 0) {
            const char *close = strchr(c, ')'), *text = colour_text(picture, strtol(c + 4, NULL, 10));
            if (text && close) {
                fputs(text, out);
                c = close + 1;
            } else
                fputc(*c++, out);
        } else if (*c == '~') {
            size_t word = strtoul(c + 1, &after, 10);
            if (after > c + 1 && *after == '~' && word < picture->word_count) {
                base_html(out, picture->words[word]);
                c = after + 1;
            } else
                fputc(*c++, out);
        } else
            fputc(*c++, out);
    }
    fputc('\n', out);
}

/* <use xlink:href='#gpPt6' transform='...' color='rgb(..)'/> names a shape in the definitions. */
static bool put_point(FILE *out, const struct report_picture *picture, struct line line) {
    const char *name = memmem(line.text, line.length, "#gpPt", 5);
    const char *transform = memmem(line.text, line.length, "transform='", 11);
    const char *colour = memmem(line.text, line.length, "color='rgb(", 11);
    if (!name || !transform || !colour)
        return false;
    const char *fill = colour_text(picture, strtol(colour + 11, NULL, 10));
    transform += 11;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && fill; i++)
        if (shapes[i].number == (int)strtol(name + 5, NULL, 10)) {
            fprintf(out, "<path transform='%.*s' d='%s' fill='%s' stroke='none'/>\n",
                    (int)strcspn(transform, "'"), transform, shapes[i].path, fill);
            return true;
        }
    return false;
}

/* A tab also ends a line: gnuplot may write a second element after one. */
static bool next_line(const char **at, const char *end, struct line *line) {
    if (*at >= end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *stop = newline ? newline : end;
    const char *second = memmem(*at, (size_t)(stop - *at), "/>\t<", 4);
    *line = (struct line){*at, (size_t)((second ? second + 2 : stop) - *at)};
    *at = second ? second + 3 : newline ? newline + 1 : end;
    while (line->length && strchr(" \t", *line->text)) {
        line->text++;
        line->length--;
    }
    return true;
}

static bool is_end_of_group(struct line line) {
    return line.length == 4 && strncmp(line.text, "</g>", 4) == 0;
}

static bool put_body(FILE *out, const struct report_picture *picture, const char *at, const char *end) {
    struct line line, next;
    while (next_line(&at, end, &line)) {
        const char *ahead = at;
        if (!line.length)
            continue;
        if (contains(line, "<g fill=") && next_line(&ahead, end, &next) && is_end_of_group(next))
            at = ahead; /* an empty group */
        else if (contains(line, "'#gpDot'"))
            continue; /* the middle of a whisker, which the bar or point marks already */
        else if (contains(line, "<use ")) {
            if (!put_point(out, picture, line))
                return false;
        } else if (contains(line, "id=\"gnuplot_plot_"))
            fputs("<g>\n", out);
        else
            put_line(out, picture, line);
    }
    return true;
}

static void put_opening(FILE *out, const struct report_picture *picture) {
    const struct report_chart *chart = picture->chart;
    const char *form = picture->form == REPORT_WIDE     ? "wide"
                       : picture->form == REPORT_NARROW ? "narrow"
                                                        : "alone";
    if (stands_alone(picture))
        fprintf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "font-family=\"system-ui, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif\" ",
                picture->width, picture->height);
    else
        fprintf(out, "<svg class=\"%s\" ", form);
    fprintf(out,
            "viewBox=\"0 0 %.0f %.0f\" font-size=\"13\" role=\"img\" aria-labelledby=\"%s_%s_title "
            "%s_%s_about\">\n"
            "<title id=\"%s_%s_title\">",
            picture->width, picture->height, chart->id, form, chart->id, form, chart->id, form);
    base_html(out, chart->title);
    fprintf(out, "</title>\n<desc id=\"%s_%s_about\">", chart->id, form);
    base_html(out, chart->about);
    fputs("</desc>\n", out);
    if (stands_alone(picture))
        fprintf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n",
                picture->form == REPORT_DARK ? "#15181c" : "#ffffff");
}

bool report_svg(struct report_picture *picture, const char *drawn, size_t length, struct report_pool *pool) {
    static const char definitions[] = "</defs>";
    const char *body = memmem(drawn, length, definitions, sizeof definitions - 1);
    const char *end = drawn + length;
    if (!body)
        return false;
    body += sizeof definitions - 1;
    /* The canvas's group opens before the definitions, so its end, the last one, is not copied. */
    static const char closing[] = "</g>\n</svg>";
    const char *close = NULL;
    for (const char *c = body; (c = memmem(c, (size_t)(end - c), closing, sizeof closing - 1)); c++)
        close = c;
    if (!close)
        return false;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        report_out_of_memory();
    put_opening(out, picture);
    bool right = put_body(out, picture, body, close);
    fputs("</svg>\n", out);
    fclose(out);
    picture->svg = report_keep(pool, text);
    return right;
}
