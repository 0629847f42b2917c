/* What an access of a source line did: its figures, its requests by kind, and two of them as pictures. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/html.h"
#include "prof/demangle.h"
#include "prof/doubts.h"
#include "prof/page.h"

enum { MOST_KINDS = 12, SECTOR = 32 };

/* ---------------------------------------------------------------- pictures */

/* What the picture is drawn of.  False: it would not show what was counted: other blocks' shared memory, or
 * records of other rules than this program's. */
static bool get_request(const struct page_kernel *kernel, const struct prof_kind *kind,
                        struct picture_request *out) {
    static const enum picture_space spaces[PROF_SPACES] = {
        [PROF_GLOBAL] = PICTURE_GLOBAL, [PROF_SHARED] = PICTURE_SHARED, [PROF_LOCAL] = PICTURE_LOCAL};
    const struct count_rules *rules = count_rules_find(kernel->row->first->arch);
    if (!rules || kind->space == PROF_CLUSTER)
        return false;
    *out = (struct picture_request){.rules = rules,
                                    .space = spaces[kind->space],
                                    .access = {.kind = kind->access,
                                               .skips_l1 = kind->skips_l1,
                                               .width = kind->bytes,
                                               .increment = kind->increment,
                                               .compare = kind->compare,
                                               .mask = kind->mask,
                                               .address = kind->address}};
    return picture_figures(out).cost.transactions == kind->transactions;
}

static bool put_figure(struct page *page, const struct page_kernel *kernel, const struct prof_kind *kind,
                       const char *which) {
    struct picture_request request;
    char words[PICTURE_SENTENCE_MOST], svg[PICTURE_SVG_MOST];
    struct picture_text sentence = {words, sizeof words, 0}, drawing = {svg, sizeof svg, 0};
    if (!get_request(kernel, kind, &request))
        return false;
    picture_put_sentence(&sentence, &request);
    picture_put_svg(&drawing, &request);
    page->svg_left -= drawing.used < page->svg_left ? drawing.used : page->svg_left;
    page_put(page, "<figure class=\"request\">%s<figcaption>%s", svg, which);
    base_html(page->out, words);
    page_put(page, " <span class=\"of\">Warp %u of block (%u, %u, %u).</span></figcaption></figure>\n",
             kind->warp, kind->block[0], kind->block[1], kind->block[2]);
    return true;
}

/* The kind with most requests, and of several such the one that takes most transactions. */
static const struct prof_kind *typical(const struct prof_line *line) {
    const struct prof_kind *most = NULL;
    for (size_t i = 0; i < line->kinds.count; i++)
        if (!most || line->kinds.items[i].requests >= most->requests)
            most = &line->kinds.items[i];
    return most;
}

static const struct prof_kind *worst(const struct prof_line *line) {
    const struct prof_kind *most = NULL;
    for (size_t i = 0; i < line->kinds.count; i++)
        if (!most || line->kinds.items[i].transactions > most->transactions)
            most = &line->kinds.items[i];
    return most;
}

bool page_put_typical(struct page *page, const struct page_kernel *kernel, const struct prof_line *line) {
    const struct prof_kind *kind = typical(line);
    return kind && put_figure(page, kernel, kind, "");
}

static void put_figures(struct page *page, const struct page_kernel *kernel, const struct prof_line *line) {
    const struct prof_kind *first = typical(line), *second = worst(line);
    if (!first) {
        page_put(
            page, "<p class=\"note\">%s</p>\n",
            line->sums.c.texture_load_requests ? "Texture fetches have figures and no picture."
            : line->sums.c.bulk_load_requests + line->sums.c.bulk_store_requests +
                    line->sums.c.dshared_bulk_requests
                ? "Bulk copies have figures and no picture: no lanes make them."
                : "The records have no example of a request: they were written without WIDELOAD_PROF_PAGE.");
        return;
    }
    if (first->space == PROF_SHARED && first->bytes > line->bytes)
        page_put(page, "<p class=\"note\">ptxas makes one access of %u bytes of neighbouring ones.</p>\n",
                 first->bytes);
    const bool one = first == second || second->transactions == first->transactions;
    bool drawn = put_figure(page, kernel, first, line->kinds.count > 1 ? "<b>Typical.</b> " : "");
    if (!one)
        drawn = put_figure(page, kernel, second, "<b>Worst.</b> ") && drawn;
    if (!drawn)
        page_put(
            page, "<p class=\"note\">%s</p>\n",
            first->space == PROF_CLUSTER
                ? "Accesses of other blocks' shared memory have figures and no picture."
                : "There is no picture: the records were counted by rules that this program does not have.");
}

/* ---------------------------------------------------------------- figures */

static void put_pair(struct page *page, const char *name, const char *value) {
    page_put(page, "<div><dt>%s</dt><dd>%s</dd></div>", name, value);
}

static void put_number(struct page *page, const char *name, double value) {
    char text[PAGE_TEXT];
    if (!isnan(value)) {
        snprintf(text, sizeof text, "%.3g", value);
        put_pair(page, name, text);
    }
}

/* Old rules move whole lines through L1. */
static bool moves_lines(const struct prof_line *line) {
    const wl_counters *c = &line->sums.c;
    return c->gld_moved_bytes > SECTOR * c->gld_transactions;
}

static void put_list(struct page *page, const struct prof_line *line) {
    const struct prof_figures figures = prof_figures_of(&line->sums.c);
    const struct prof_waste waste = prof_line_waste_parts(line);
    char text[PAGE_TEXT];
    page_put(page, "<dl class=\"figures\">");
    put_pair(page, "requests", page_count((double)figures.requests, text));
    if (figures.transactions) {
        const bool lines = moves_lines(line);
        put_pair(page, lines ? "lines" : "sectors", page_count((double)figures.transactions, text));
        put_number(page, lines ? "lines per request" : "sectors per request",
                   figures.transactions_per_request);
    }
    if (figures.wavefronts) {
        put_pair(page, "wavefronts", page_count((double)figures.wavefronts, text));
        put_number(page, "wavefronts per request", figures.wavefronts_per_request);
        put_pair(page, "wavefronts above the least", page_count(waste.wavefronts, text));
    }
    if (figures.transactions)
        put_pair(page, "bytes wasted", page_count(waste.bytes, text));
    if (!isnan(figures.efficiency)) {
        snprintf(text, sizeof text, "%.1f %%", figures.efficiency);
        put_pair(page, "efficiency", text);
    }
    page_put(page, "</dl>\n");
}

static const char *unit_of(const struct prof_line *line) {
    return line->kinds.items[0].space == PROF_SHARED ? "wavefront" : moves_lines(line) ? "line" : "sector";
}

/* The requests by kind, in each space those that take most first. */
static void put_kinds(struct page *page, const struct prof_line *line) {
    const struct prof_kinds *kinds = &line->kinds;
    static const char *const spaces[PROF_SPACES] = {"global", "shared", "local", "other blocks' shared"};
    if (kinds->count < 2)
        return;
    double all = 0;
    bool several = false;
    for (size_t i = 0; i < kinds->count; i++) {
        all += (double)kinds->items[i].requests;
        several |= kinds->items[i].space != kinds->items[0].space;
    }
    page_put(page,
             "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Requests by kind\"><table "
             "class=\"kinds\"><thead><tr><th class=\"n\">%ss each</th><th class=\"n\">requests</th><th "
             "class=\"n\">share</th>%s</tr></thead><tbody>\n",
             several ? "transaction" : unit_of(line), several ? "<th>memory</th>" : "");
    for (size_t i = 0; i < kinds->count && i < MOST_KINDS; i++) {
        const struct prof_kind *kind = &kinds->items[kinds->count - 1 - i];
        char count[PAGE_TEXT], share[PAGE_TEXT];
        page_put(page, "<tr><td class=\"n\">%u</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
                 kind->transactions, page_count((double)kind->requests, count),
                 page_percent((double)kind->requests, all, share));
        if (several)
            page_put(page, "<td>%s</td>", spaces[kind->space]);
        page_put(page, "</tr>\n");
    }
    page_put(page, "</tbody></table></div>\n");
    if (kinds->count > MOST_KINDS)
        page_put_hidden(page, kinds->count - MOST_KINDS, "kind is", "kinds are");
}

static void put_doubts(struct page *page, const struct prof_line *line) {
    for (unsigned d = 0; d < PROF_DOUBTS; d++)
        if (line->doubts >> d & 1)
            page_put(page, "<p class=\"doubt\"><b>~</b> A GPU's figures may differ: %s.</p>\n",
                     prof_doubts[d].words);
}

/* ---------------------------------------------------------------- the whole */

static void put_heading(struct page *page, const struct prof_line *line) {
    page_put(page, "<h4><code>");
    page_put_text(page, "%.100s", line->op);
    page_put(page, "</code>");
    page_put(page, " <span class=\"of\">%u byte%s per lane", line->bytes, page_plural(line->bytes));
    if (line->has_stride && line->stride) {
        const uint64_t apart = (uint64_t)(line->stride < 0 ? -line->stride : line->stride);
        page_put(page, ", lanes %" PRIu64 " byte%s apart", apart, page_plural(apart));
    }
    char *function = line->function ? prof_demangle(line->function) : NULL;
    if (function) {
        page_put(page, ", in ");
        page_put_text(page, "%.300s", function);
    }
    free(function);
    page_put(page, "</span></h4>\n");
}

void page_put_access(struct page *page, const struct page_kernel *kernel, const struct prof_line *line,
                     bool has_pictures) {
    char reason[PAGE_TEXT];
    page_put(page, "<div class=\"access\">\n");
    put_heading(page, line);
    const bool has_room = has_pictures && page->svg_left;
    const struct prof_kind *first = typical(line);
    struct picture_request unused;
    /* A picture says it in its own sentence. */
    const bool drawn = has_room && first && get_request(kernel, first, &unused);
    prof_line_reason(line, reason, sizeof reason);
    if (reason[0] && !drawn && prof_is_much(prof_line_waste(line), prof_line_transactions(line)))
        page_put(page, "<p class=\"why\">%s.</p>\n", reason);
    put_doubts(page, line);
    put_list(page, line);
    put_kinds(page, line);
    if (has_room)
        put_figures(page, kernel, line);
    else if (line->kinds.count)
        page_put(page, "<p class=\"note\">Pictures are of the lines that waste more.</p>\n");
    page_put(page, "</div>\n");
}
