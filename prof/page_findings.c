/* What the checks and the driver have to say. */
#include <stdlib.h>
#include <string.h>

#include "base/html.h"
#include "base/text.h"
#include "prof/demangle.h"
#include "prof/page.h"

enum { MOST_TOLD = 50 /* of each kind */ };

static void put_first_line(struct page *page, const char *text) {
    const int length = (int)strcspn(text, "\n");
    page_put_text(page, "%.*s", length < 1000 ? length : 1000, text);
}

static void put_thread(struct page *page, const char *before, const struct prof_place *place,
                       const char *after) {
    if (place->has_thread)
        page_put(page, "%s (%u, %u, %u) of block (%u, %u, %u)%s", before, place->thread[0], place->thread[1],
                 place->thread[2], place->block[0], place->block[1], place->block[2], after);
}

static void put_place(struct page *page, const struct prof_place *place) {
    if (place->file)
        page_put_text(page, "%.200s:%u", base_file_name(place->file), place->line);
    else if (place->ptx_line)
        page_put(page, "PTX line %u", place->ptx_line);
}

void page_put_mark(struct page *page, const struct page_mark *mark) {
    page_put(page, "<p class=\"finding\"><b class=\"bad\">%s</b> ", mark->is_note ? "Leak." : "Bug.");
    put_first_line(page, mark->what->text);
    page_put(page, ".");
    put_thread(page, " The thread here is", mark->place, ".");
    if (mark->other->file || mark->other->ptx_line) {
        page_put(page, " The other place is ");
        put_place(page, mark->other);
        put_thread(page, ", with thread", mark->other, "");
        page_put(page, ".");
    }
    page_put(page, "</p>\n");
}

/* The texts that the report has for terminals, as items: a line that begins with a blank goes on the one
 * before. */
static bool put_lines(struct page *page, void put(FILE *file, const struct prof_report *report)) {
    char *text = NULL;
    size_t size, items = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return false;
    put(file, page->report);
    const bool good = fclose(file) == 0;
    for (char *line = good ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        const bool goes_on = *line == ' ' && items;
        items += !goes_on;
        if (items > MOST_TOLD)
            continue;
        page_put(page, "%s", goes_on ? " " : items > 1 ? "</li>\n<li>" : "<li>");
        page_put_text(page, "%.500s", line + strspn(line, goes_on ? " " : "! "));
    }
    page_put(page, items ? "</li>\n" : "");
    if (items > MOST_TOLD)
        page_put(page, "<li>%zu more like these</li>\n", items - MOST_TOLD);
    free(text);
    return good;
}

static void put_messages(FILE *file, const struct prof_report *report) {
    prof_put_messages(file, report, NULL);
}

static void put_finding(struct page *page, const struct prof_finding *finding) {
    const struct prof_fault *what = &finding->what;
    page_put(page, "<li>");
    put_first_line(page, what->text);
    if (what->place.kernel) {
        char *name = prof_demangle(what->place.kernel);
        page_put(page, " <span class=\"of\">in <code>");
        page_put_text(page, "%.300s", name ? name : what->place.kernel);
        page_put(page, "</code></span>");
        free(name);
    }
    if (what->place.file || what->place.ptx_line) {
        page_put(page, " <span class=\"of\">");
        put_place(page, &what->place);
        page_put(page, "</span>");
    }
    page_put(page, "</li>\n");
}

bool page_put_findings(struct page *page) {
    const struct prof_recording *recording = page->report->recording;
    page_put(page, "<ul class=\"told\">"); /* the style hides it if it is empty */
    const bool good =
        put_lines(page, prof_put_losses) && put_lines(page, prof_put_faults) && put_lines(page, put_messages);
    page_put(page, "</ul>\n");
    if (!recording->has_checks)
        return good;
    const size_t count = recording->finding_count;
    const size_t errors = prof_count_errors(page->report), leaks = count - errors;
    if (errors)
        page_put(page, "<p class=\"bad\">The checks found %zu bug%s.</p>\n", errors, page_plural(errors));
    if (leaks)
        page_put(page, "<p class=\"note\">%zu allocation%s never freed.</p>\n", leaks,
                 leaks == 1 ? " was" : "s were");
    if (!count)
        page_put(page, "<p class=\"note\">The checks found nothing.</p>\n");
    page_put(page, "<ul class=\"told\">");
    for (size_t i = 0; i < count && i < MOST_TOLD; i++)
        put_finding(page, &recording->findings[i]);
    page_put(page, "</ul>\n");
    if (count > MOST_TOLD)
        page_put_hidden(page, count - MOST_TOLD, "finding is", "findings are");
    return good;
}
