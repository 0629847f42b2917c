/* Words and numbers of the page. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/html.h"
#include "prof/page.h"

void page_put(struct page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(page->out, format, arguments);
    va_end(arguments);
}

void page_put_text(struct page *page, const char *format, ...) {
    char text[8 * PAGE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    base_html(page->out, text);
}

void page_put_hidden(struct page *page, size_t count, const char *one, const char *several) {
    if (count)
        page_put(page, "<p class=\"note\">%zu more %s not shown.</p>\n", count, count == 1 ? one : several);
}

const char *page_count(double count, char out[PAGE_TEXT]) {
    char digits[PAGE_TEXT];
    const int length = snprintf(digits, sizeof digits, "%.0f", count);
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = 0;
    return out;
}

const char *page_bytes(double bytes, char out[PAGE_TEXT]) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    if (bytes < 1024) {
        snprintf(out, PAGE_TEXT, "%.0f byte%s", bytes, bytes == 1 ? "" : "s");
        return out;
    }
    size_t unit = 0;
    for (bytes /= 1024; bytes >= 1023.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1024;
    snprintf(out, PAGE_TEXT, bytes < 9.95 && bytes != floor(bytes) ? "%.1f %s" : "%.0f %s", bytes,
             units[unit]);
    return out;
}

const char *page_times(double times, char out[PAGE_TEXT]) {
    const double rounded = times < 9.95 ? round(times * 10) / 10 : round(times);
    if (rounded == 1 || rounded == 2)
        snprintf(out, PAGE_TEXT, "%s", rounded == 1 ? "once" : "twice");
    else if (rounded == 0)
        snprintf(out, PAGE_TEXT, "%s", times == 0 ? "never" : "less than 0.1 times");
    else
        snprintf(out, PAGE_TEXT, rounded == floor(rounded) ? "%.0f times" : "%.1f times", rounded);
    return out;
}

const char *page_percent(double part, double whole, char out[PAGE_TEXT]) {
    const double percent = whole > 0 ? 100 * part / whole : 0;
    if (percent > 0 && percent < 1)
        snprintf(out, PAGE_TEXT, "under 1 %%");
    else if (percent > 99 && percent < 100)
        snprintf(out, PAGE_TEXT, "over 99 %%");
    else
        snprintf(out, PAGE_TEXT, "%.0f %%", percent);
    return out;
}

static void put_part(struct page *page, const char *class, double part, double most) {
    if (part > 0 && most > 0)
        page_put(page, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", class, 100 * part / most);
}

void page_put_bar(struct page *page, double transactions, double waste, double most) {
    page_put(page, "<span class=\"bar\" aria-hidden=\"true\">");
    put_part(page, "need", transactions - waste, most);
    put_part(page, "over", waste, most);
    page_put(page, "</span>");
}

const char *page_waste(const struct prof_waste *waste, char out[PAGE_TEXT]) {
    char bytes[PAGE_TEXT], count[PAGE_TEXT];
    out[0] = 0;
    if (waste->bytes > 0 && waste->wavefronts > 0)
        snprintf(out, PAGE_TEXT, "%.100s and %.100s wavefronts wasted", page_bytes(waste->bytes, bytes),
                 page_count(waste->wavefronts, count));
    else if (waste->bytes > 0)
        snprintf(out, PAGE_TEXT, "%.100s wasted", page_bytes(waste->bytes, bytes));
    else if (waste->wavefronts > 0)
        snprintf(out, PAGE_TEXT, "%.100s wavefront%s wasted", page_count(waste->wavefronts, count),
                 waste->wavefronts == 1 ? "" : "s");
    return out;
}

const char *page_plural(size_t count) {
    return count == 1 ? "" : "s";
}
