/* A kernel's section: what is wrong first, then its source. */
#include <stdlib.h>

#include "base/html.h"
#include "prof/notes.h"
#include "prof/page.h"

enum { LINE_BYTES = 300 };

static void put_size(struct page *page, const unsigned size[3]) {
    page_put(page, "%u", size[0]);
    for (int i = 1; i < 3 && (size[1] > 1 || size[2] > 1); i++)
        if (i == 1 || size[2] > 1)
            page_put(page, " \xc3\x97 %u", size[i]);
}

static const char *plural(const unsigned size[3]) {
    return (uint64_t)size[0] * size[1] * size[2] == 1 ? "" : "s";
}

static void put_lead(struct page *page, const struct prof_row *row) {
    char text[PAGE_TEXT];
    page_put(page, "<p class=\"lead\">");
    if (page->report->each)
        page_put(page, "Launch %zu: ", (size_t)(row->launches[0] - page->report->recording->launches) + 1);
    if (row->launch_count > 1)
        page_put(page, "%s launches, the first with ", page_count((double)row->launch_count, text));
    put_size(page, row->first->grid);
    page_put(page, " block%s of ", plural(row->first->grid));
    put_size(page, row->first->block);
    page_put(page, " thread%s</p>\n", plural(row->first->block));
}

static void put_link(struct page *page, const struct page_kernel *kernel, const struct page_spot *spot) {
    page_put(page, "<a href=\"#k%zu-%zu\">%s %u</a>", kernel->number, (size_t)(spot - kernel->spots) + 1,
             spot->file ? "line" : "PTX line", spot->line);
}

static void put_code(struct page *page, const struct page_spot *spot) {
    char text[LINE_BYTES];
    if (!spot->file)
        return;
    page_read_source(page, spot->file);
    prof_source_line(&page->source, spot->line, text, sizeof text);
    if (!text[0])
        return;
    page_put(page, "<pre><code>");
    base_html(page->out, text);
    page_put(page, "</code></pre>\n");
}

/* The line that wastes most, its picture and its sentence. */
static void put_worst(struct page *page, const struct page_kernel *kernel) {
    const struct page_spot *spot = kernel->worst;
    const struct prof_row *row = kernel->row;
    char text[PAGE_TEXT], reason[PAGE_TEXT];
    if (!spot) {
        page_put(page, "<p class=\"verdict\">It accesses no memory.</p>\n");
        return;
    }
    const struct prof_line *access = page_worst_access(spot);
    const bool much = prof_is_much(row->waste, row->transactions);
    page_put(page, "<div class=\"verdict %s\">\n<p>", much ? "wrong" : "right");
    if (much)
        page_put(page, "%s of what this kernel moves is wasted",
                 page_percent(row->waste, row->transactions, text));
    else
        page_put(page, "%s is wasted", row->waste > 0 ? "Next to nothing" : "Nothing");
    if (row->waste > 0)
        page_put(page, ", %s of it in ",
                 spot->waste >= row->waste      ? "all"
                 : spot->waste * 2 > row->waste ? "most"
                                                : page_percent(spot->waste, row->waste, text));
    else
        page_put(page, ". Most is moved by ");
    put_link(page, kernel, spot);
    page_put(page, ".");
    page_put(page, "</p>\n");
    put_code(page, spot);
    if (!page_put_typical(page, kernel, access)) {
        prof_line_reason(access, reason, sizeof reason);
        if (reason[0])
            page_put(page, "<p>%s.</p>\n", reason);
    }
    page_put(page, "</div>\n");
}

static void put_notes(struct page *page, const struct prof_row *row) {
    char notes[PROF_NOTES][PROF_NOTE];
    const size_t count = prof_notes(row->lines, row->line_count, notes);
    if (!count)
        return;
    page_put(page, "<details class=\"notes\"><summary>%zu note%s on these figures</summary><ul>\n", count,
             page_plural(count));
    for (size_t i = 0; i < count; i++) {
        page_put(page, "<li>");
        base_html(page->out, notes[i]);
        page_put(page, "</li>\n");
    }
    page_put(page, "</ul></details>\n");
}

static void put_whole(struct page *page, struct page_kernel *kernel) {
    const struct prof_row *row = kernel->row;
    page_put(page, "<section aria-labelledby=\"k%zu\">\n<h2 id=\"k%zu\"><code>", kernel->number,
             kernel->number);
    base_html(page->out, row->label);
    page_put(page, "</code></h2>\n");
    put_lead(page, row);
    if (row->faulted)
        page_put(page, "<p class=\"bad\">It faulted, so its figures are partial.</p>\n");
    put_worst(page, kernel);
    put_notes(page, row);
    page_put_source(page, kernel);
    page_put(page, "</section>\n");
}

bool page_put_kernel(struct page *page, const struct prof_row *row, size_t number) {
    struct page_kernel kernel;
    const size_t kernels = page->kernel_count < PAGE_KERNELS ? page->kernel_count : PAGE_KERNELS;
    const bool good = page_kernel_make(page, row, number, &kernel);
    /* A kernel that leaves something of its share leaves it to those after it. */
    const size_t left = page->svg_left, share = left / (kernels - number + 1);
    page->svg_left = share;
    if (good)
        put_whole(page, &kernel);
    page->svg_left = left - share + page->svg_left;
    page_kernel_free(&kernel);
    return good;
}
