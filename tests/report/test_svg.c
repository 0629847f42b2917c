/* Words, numbers, and the conversion of gnuplot's SVG for a page. */
#include "tests/report/make.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "report/chart.h"
#include "report/html.h"

static char *escaped(const char *text, struct report_pool *pool) {
    char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);
    base_html(file, text);
    fclose(file);
    return report_keep(pool, out);
}

static void test_escape(void **state) {
    struct report_pool pool = {0};
    (void)state;
    assert_string_equal(escaped("<a href=\"x\" b='y'>&amp;", &pool),
                        "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;");
    assert_string_equal(escaped("\x01\x7f\xef\xbf\xbf\xc3\xa9", &pool),
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9");
    report_pool_free(&pool);
}

/* As jansson has it: every first byte, with the bytes after it at the bounds of what they may be. */
static void test_characters(void **state) {
    (void)state;
    static const unsigned char bounds[] = {0x01, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    enum { BOUNDS = sizeof bounds };
    for (unsigned i = 0; i < 255 * BOUNDS * BOUNDS * BOUNDS; i++) {
        const char text[5] = {(char)(i % 255 + 1), (char)bounds[i / 255 % BOUNDS],
                              (char)bounds[i / 255 / BOUNDS % BOUNDS],
                              (char)bounds[i / 255 / BOUNDS / BOUNDS]};
        size_t size = 1;
        json_t *string = NULL;
        while (size <= 4 && !(string = json_stringn(text, size)))
            size++;
        json_decref(string);
        assert_int_equal(base_utf8_character(text), string ? size : 0);
    }
}

static void test_words(void **state) {
    struct report_pool pool = {0};
    (void)state;
    assert_string_equal(report_number_text(4259.2, &pool), "4259");
    assert_string_equal(report_number_text(42.55, &pool), "42.5");
    assert_string_equal(report_number_text(100, &pool), "100");
    assert_string_equal(report_number_text(0.0425, &pool), "0.043");
    assert_string_equal(report_number_text(NAN, &pool), "");
    assert_true(report_step(4960, 7) == 1000 && report_step(103, 4) == 50 && report_step(0.9, 5) == 0.2);
    assert_string_equal(report_fit("short", 100, &pool), "short");
    const char *cut =
        report_fit("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", 60, &pool);
    assert_string_equal(cut, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe2\x80\xa6"); /* whole characters */
    assert_true(report_text_width(cut) <= 60);
    report_pool_free(&pool);
}

/* Output of gnuplot 5.4, shortened. */
static const char drawn[] =
    "<?xml version=\"1.0\"?>\n<svg width=\"9\">\n<title>Gnuplot</title>\n<g id=\"gnuplot_canvas\">\n"
    "<defs>\n<path id='gpPt0'/>\n</defs>\n"
    "<g fill=\"none\" color=\"black\">\n</g>\n"
    "<g fill=\"none\" color=\"black\">\n\t<path stroke='rgb(  3,   3,   3)' d='M1,2'/>\t<use "
    "xlink:href='#gpPt6' "
    "transform='translate(1,2) scale(3)' color='rgb(  5,   5,   5)'/>\n</g>\n"
    "\t<g id=\"gnuplot_plot_1\" ><title>$bars using 1:2</title>\n\t</g>\n"
    "<g transform=\"translate(3,4)\" fill=\"rgb(1,1,1)\" font-family=\"sans\" font-size=\"13.00\">\n"
    "\t\t<text>~1~</text>\n\t</g>\n</g>\n</svg>\n";

static void test_svg(void **state) {
    const char *words[] = {"never", "~0~ <b> & '"};
    struct report_chart chart = {.id = "c-ladder", .title = "T<", .about = "A"};
    struct report_picture picture = {
        .chart = &chart, .form = REPORT_WIDE, .width = 880, .height = 200, .words = words, .word_count = 2};
    struct report_pool pool = {0};
    (void)state;
    assert_true(report_svg(&picture, drawn, sizeof drawn - 1, &pool));
    assert_string_equal(
        picture.svg,
        "<svg class=\"wide\" viewBox=\"0 0 880 200\" font-size=\"13\" role=\"img\" "
        "aria-labelledby=\"c-ladder_wide_title c-ladder_wide_about\">\n"
        "<title id=\"c-ladder_wide_title\">T&lt;</title>\n<desc id=\"c-ladder_wide_about\">A</desc>\n"
        "<g fill=\"none\" color=\"black\">\n<path stroke='var(--grid)' d='M1,2'/>\n"
        "<path transform='translate(1,2) scale(3)' d='M-1,0a1,1 0 1,0 2,0a1,1 0 1,0 -2,0z' fill='var(--bar)' "
        "stroke='none'/>\n</g>\n<g>\n</g>\n"
        "<g transform=\"translate(3,4)\" fill=\"var(--text)\">\n<text>~0~ &lt;b&gt; &amp; "
        "&#39;</text>\n</g>\n"
        "</svg>\n");
    static const struct {
        enum report_form form;
        const char *back, *bar;
    } alone[] = {{REPORT_LIGHT, "fill=\"#ffffff\"", "fill='#2a66a8'"},
                 {REPORT_DARK, "fill=\"#15181c\"", "fill='#6fa8dc'"}};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        picture.form = alone[i].form;
        assert_true(report_svg(&picture, drawn, sizeof drawn - 1, &pool));
        assert_null(strstr(picture.svg, "var("));
        assert_non_null(strstr(picture.svg, "xmlns=\"http://www.w3.org/2000/svg\""));
        assert_non_null(strstr(picture.svg, alone[i].back));
        assert_non_null(strstr(picture.svg, alone[i].bar));
    }
    report_pool_free(&pool);
}

/* Truncated anywhere, gnuplot's output is refused or made into complete SVG. */
static void test_cut(void **state) {
    struct report_chart chart = {.id = "c", .title = "T", .about = "A"};
    (void)state;
    for (size_t length = 0; length < sizeof drawn - 2; length++) {
        struct report_pool pool = {0};
        struct report_picture picture = {.chart = &chart, .form = REPORT_NARROW, .width = 1, .height = 1};
        char *part = strndup(drawn, length);
        assert_non_null(part);
        if (report_svg(&picture, part, length, &pool))
            fail_msg("%zu bytes were taken for a picture", length);
        free(part);
        report_pool_free(&pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escape), cmocka_unit_test(test_characters), cmocka_unit_test(test_words),
        cmocka_unit_test(test_svg),    cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
