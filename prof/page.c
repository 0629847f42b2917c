/* The page's head and the order of its parts. */
#include <stdlib.h>

#include "base/html.h"
#include "base/text.h"
#include "prof/page.h"

enum { MOST_SVG = 700000 };

static void put_head(struct page *page) {
    char style[PICTURE_SVG_MOST];
    struct picture_text text = {style, sizeof style, 0};
    picture_put_style(&text);
    page_put(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   /* Makes the browser enforce that the page loads nothing and runs nothing. */
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                   "'unsafe-inline'; img-src data:\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>");
    page_put_text(page, "%.200s", base_file_name(page->report->program));
    page_put(page, " \xe2\x80\x93 wideload prof</title>\n<style>\n%s%s%s</style>\n</head>\n", base_html_style,
             style, page_style);
}

static void put_header(struct page *page) {
    const struct prof_rows *rows = page->report->rows;
    char kernels[PAGE_TEXT], launches[PAGE_TEXT];
    page_put(page, "<body>\n<a class=\"skip\" href=\"#the_main\">Skip to the kernels</a>\n<header>\n<h1>");
    page_put(page, "What <code>");
    page_put_text(page, "%.200s", base_file_name(page->report->program));
    page_put(page, "</code> moves</h1>\n<p class=\"lead\">");
    if (rows->count) {
        const struct prof_detail *first = rows->launches[0]->detail;
        page_put(page, "%s %s%s, %s launch%s, by the counting rules ",
                 page_count((double)rows->count, kernels), page->report->each ? "row" : "kernel",
                 page_plural(rows->count), page_count((double)rows->launch_count, launches),
                 rows->launch_count == 1 ? "" : "es");
        page_put_text(page, "%.20s", first->arch);
        page_put(page, "%s", first->proved ? "" : ", which were not held against hardware");
    } else {
        page_put(page, "No launch was recorded, or none that was asked for");
    }
    page_put(page, ".</p>\n</header>\n");
}

static bool put_kernels(struct page *page) {
    if (!page->kernel_count)
        return true;
    page_put_summary(page);
    for (size_t i = 0; i < page->kernel_count && i < PAGE_KERNELS; i++)
        if (!page_put_kernel(page, page->kernels[i], i + 1))
            return false;
    if (page->kernel_count > PAGE_KERNELS)
        page_put(page, "<p class=\"note\">%zu more kernel%s no section.</p>\n",
                 page->kernel_count - PAGE_KERNELS,
                 page->kernel_count - PAGE_KERNELS == 1 ? " has" : "s have");
    return page_put_arrays(page);
}

static int compare_rows(const void *left, const void *right) {
    const struct prof_row *a = *(const struct prof_row *const *)left,
                          *b = *(const struct prof_row *const *)right;
    int order = (a->waste < b->waste) - (a->waste > b->waste);
    if (!order)
        order = (a->transactions < b->transactions) - (a->transactions > b->transactions);
    return order ? order : (a > b) - (a < b);
}

bool prof_put_page(FILE *file, const struct prof_report *report) {
    struct page page = {
        .out = file, .report = report, .kernel_count = report->rows->count, .svg_left = MOST_SVG};
    page.kernels = calloc(page.kernel_count + 1, sizeof *page.kernels);
    if (!page.kernels)
        return false;
    for (size_t i = 0; i < page.kernel_count; i++)
        page.kernels[i] = &report->rows->items[i];
    qsort(page.kernels, page.kernel_count, sizeof *page.kernels, compare_rows);
    put_head(&page);
    put_header(&page);
    page_put(&page, "<main id=\"the_main\" tabindex=\"-1\">\n");
    const bool good = page_put_findings(&page) && put_kernels(&page);
    page_put(
        &page,
        "</main>\n<footer>\n<p>Made by wideload prof %s. Waste is what a request moves beyond one "
        "transaction, or beyond as many as its bytes fill; docs/prof.md says more.</p>\n</footer>\n</body>\n"
        "</html>\n",
        WL_VERSION_STRING);
    prof_source_free(&page.source);
    free(page.kernels);
    return good;
}
