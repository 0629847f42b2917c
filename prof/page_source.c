/* A kernel's source: the lines around its accesses, each access with a bar and what it did folded under it.
 */
#include <string.h>

#include "base/html.h"
#include "base/text.h"
#include "prof/page.h"

/* Lines around an access; lines that a fold holds at most; accesses of a line, and those with pictures. */
enum { AROUND = 2, MOST_FOLDED = 60, MOST_ACCESSES = 8, MOST_PICTURED = 4, LINE_BYTES = 300 };

void page_read_source(struct page *page, const char *path) {
    if (page->source_path == path)
        return;
    prof_source_free(&page->source);
    prof_source_read(path, &page->source);
    page->source_path = path;
}

static void put_code(struct page *page, unsigned line) {
    char text[LINE_BYTES];
    prof_source_text(&page->source, line, text, sizeof text);
    page_put(page, "<span class=\"no\">%u</span><code>", line);
    base_html(page->out, text);
    page_put(page, "</code>");
}

static void put_plain(struct page *page, unsigned first, unsigned last) {
    for (unsigned line = first; line <= last; line++) {
        page_put(page, "<div class=\"l\">");
        put_code(page, line);
        page_put(page, "</div>\n");
    }
}

/* The lines from first to last, which no access has. */
static void put_between(struct page *page, unsigned first, unsigned last) {
    if (first > last)
        return;
    if (last - first < 4) {
        put_plain(page, first, last);
    } else if (last - first < MOST_FOLDED) {
        page_put(page, "<details class=\"gap\"><summary>lines %u to %u</summary>\n", first, last);
        put_plain(page, first, last);
        page_put(page, "</details>\n");
    } else {
        page_put(page, "<p class=\"gap\">lines %u to %u are not shown</p>\n", first, last);
    }
}

/* What is wrong with the line, in few words. */
static void put_words(struct page *page, const struct page_spot *spot) {
    char text[PAGE_TEXT];
    unsigned doubts = 0;
    for (size_t i = 0; i < spot->access_count; i++)
        doubts |= spot->accesses[i]->doubts;
    page_put(page, "<span class=\"words\">");
    if (spot->mark_count)
        page_put(page, "<b class=\"bad\">%s</b> ", spot->marks[0].is_note ? "leak" : "bug");
    if (doubts)
        page_put(page, "<b class=\"mark\" title=\"A GPU's figures may differ\">~</b> ");
    if (spot->access_count && spot->waste > 0)
        page_put(page, "%s wasted", page_percent(spot->waste, spot->transactions, text));
    else if (spot->access_count && spot->transactions > 0)
        page_put(page, "nothing wasted");
    page_put(page, "</span>");
}

static void put_spot(struct page *page, const struct page_kernel *kernel, const struct page_spot *spot) {
    const bool much = prof_is_much(spot->waste, spot->transactions);
    page_put(page, "<details class=\"l hit%s\" id=\"k%zu-%zu\"><summary>", much ? " much" : "",
             kernel->number, (size_t)(spot - kernel->spots) + 1);
    if (spot->file) {
        put_code(page, spot->line);
    } else {
        page_put(page, "<span class=\"no\">%u</span><code>", spot->line);
        for (size_t i = 0; i < spot->access_count && i < 3; i++) {
            page_put(page, i ? " " : "");
            page_put_text(page, "%.100s", spot->accesses[i]->op);
        }
        page_put(page, "</code>");
    }
    page_put_bar(page, spot->transactions, spot->waste, kernel->most);
    put_words(page, spot);
    page_put(page, "</summary>\n<div class=\"opened\">\n");
    for (size_t i = 0; i < spot->mark_count; i++)
        page_put_mark(page, &spot->marks[i]);
    const struct prof_line *worst = page_worst_access(spot);
    size_t pictured = 1;
    if (worst)
        page_put_access(page, kernel, worst, spot->has_pictures);
    for (size_t i = 0, shown = 1; i < spot->access_count; i++) {
        if (spot->accesses[i] == worst)
            continue;
        if (shown++ == MOST_ACCESSES) {
            page_put_hidden(page, spot->access_count - MOST_ACCESSES, "access of this line is",
                            "accesses of this line are");
            break;
        }
        page_put_access(page, kernel, spot->accesses[i], spot->has_pictures && pictured++ < MOST_PICTURED);
    }
    page_put(page, "</div></details>\n");
}

/* A file's spots: [first, last) of the kernel's. */
static void put_file(struct page *page, const struct page_kernel *kernel, size_t first, size_t last) {
    const char *path = kernel->spots[first].file;
    page_put(page, "<h3>");
    if (path) {
        page_read_source(page, path);
        page_put(page, "<code title=\"");
        page_put_text(page, "%.1000s", path);
        page_put(page, "\">");
        page_put_text(page, "%.200s", base_file_name(path));
        page_put(page, "</code>%s</h3>\n", page->source.text ? "" : " (not here: line numbers only)");
    } else {
        page_put(
            page,
            "Lines of the PTX</h3>\n<p class=\"note\">Compile with <code>-lineinfo</code> for those of the "
            "source.</p>\n");
    }
    page_put(page, "<div class=\"source\">\n");
    const bool has_text = path && page->source.text;
    const unsigned count = (unsigned)page->source.count;
    unsigned next = 0; /* the first line that is not yet written; 0: none is written */
    for (size_t i = first; i < last; i++) {
        const unsigned line = kernel->spots[i].line, begin = line > AROUND ? line - AROUND : 1;
        const bool is_here = has_text && line && line <= count; /* line 0 is of the compiler's own code */
        if (is_here) {
            if (!next)
                next = begin;
            const unsigned around = begin > next ? begin : next;
            put_between(page, next, around - 1);
            put_plain(page, around, line - 1);
        }
        put_spot(page, kernel, &kernel->spots[i]);
        if (!is_here)
            continue;
        const unsigned after = i + 1 < last ? kernel->spots[i + 1].line : line + AROUND + 1;
        next = line + 1;
        for (; next <= line + AROUND && next < after && next <= count; next++)
            put_plain(page, next, next);
    }
    page_put(page, "</div>\n");
}

void page_put_source(struct page *page, const struct page_kernel *kernel) {
    for (size_t i = 0, next; i < kernel->spot_count; i = next) {
        for (next = i + 1; next < kernel->spot_count && kernel->spots[next].file == kernel->spots[i].file;
             next++)
            ;
        put_file(page, kernel, i, next);
    }
    page_put_hidden(page, kernel->hidden, "line with accesses, which wastes less, is",
                    "lines with accesses, which waste less, are");
}
