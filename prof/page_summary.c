/* The kernels by waste, a bar each. */
#include "base/html.h"
#include "prof/page.h"

enum { FIRST = 6 /* kernels that are seen at once; the others are folded */ };

static struct prof_waste waste_of(const struct prof_row *row) {
    struct prof_waste sum = {0};
    for (size_t i = 0; i < row->line_count; i++) {
        const struct prof_waste waste = prof_line_waste_parts(&row->lines[i]);
        sum.bytes += waste.bytes;
        sum.wavefronts += waste.wavefronts;
    }
    return sum;
}

static void put_kernel(struct page *page, const struct prof_row *row, size_t number, double most) {
    const bool much = prof_is_much(row->waste, row->transactions), in_full = number <= PAGE_KERNELS;
    const struct prof_waste waste = waste_of(row);
    char text[PAGE_TEXT], percent[PAGE_TEXT];
    page_put(page, "<li%s>", much ? " class=\"much\"" : "");
    if (in_full)
        page_put(page, "<a href=\"#k%zu\">", number);
    page_put(page, "<code>");
    base_html(page->out, row->label);
    page_put(page, "</code>%s", in_full ? "</a>" : "");
    page_put_bar(page, row->transactions, row->waste, most);
    page_put(page, "<span class=\"words\">");
    if (row->waste > 0)
        page_put(page, "%s: %s", page_percent(row->waste, row->transactions, percent),
                 page_waste(&waste, text));
    else
        page_put(page, "%s", row->transactions > 0 ? "nothing wasted" : "no access of memory");
    page_put(page, "</span></li>\n");
}

void page_put_summary(struct page *page) {
    double most = 0;
    for (size_t i = 0; i < page->kernel_count; i++)
        if (page->kernels[i]->transactions > most)
            most = page->kernels[i]->transactions;
    page_put(page,
             "<p class=\"legend\"><span><i class=\"need\"></i> needed</span> <span><i class=\"over\"></i> "
             "wasted</span> Transactions: sectors of memory and wavefronts of shared memory.</p>\n"
             "<ol class=\"kernels\">\n");
    for (size_t i = 0; i < page->kernel_count && i < FIRST; i++)
        put_kernel(page, page->kernels[i], i + 1, most);
    page_put(page, "</ol>\n");
    if (page->kernel_count <= FIRST)
        return;
    page_put(page,
             "<details><summary>%zu more kernel%s less</summary>\n<ol class=\"kernels\" start=\"%d\">\n",
             page->kernel_count - FIRST, page->kernel_count - FIRST == 1 ? " wastes" : "s waste", FIRST + 1);
    for (size_t i = FIRST; i < page->kernel_count && i < PAGE_SUMMED; i++)
        put_kernel(page, page->kernels[i], i + 1, most);
    page_put(page, "</ol></details>\n");
    if (page->kernel_count > PAGE_SUMMED)
        page_put(page, "<p class=\"note\">%zu more kernel%s not shown; <code>--kernel</code> chooses.</p>\n",
                 page->kernel_count - PAGE_SUMMED, page->kernel_count - PAGE_SUMMED == 1 ? " is" : "s are");
}
