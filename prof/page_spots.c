/* A kernel's source lines that access memory or have a finding. */
#include <stdlib.h>
#include <string.h>

#include "prof/page.h"

/* For all kernels together. */
enum { MOST_SPOTS = 500, LEAST_SPOTS = 20, MOST_PICTURED = 240, LEAST_PICTURED = 2, MOST_MARKS = 200 };

/* A kernel's share of a limit. */
static size_t share(size_t most, size_t least, size_t kernels) {
    return most / (kernels ? kernels : 1) > least ? most / (kernels ? kernels : 1) : least;
}

/* ---------------------------------------------------------------- marks */

static bool add_mark(struct page_kernel *kernel, size_t *count, const struct page_mark *mark) {
    if (*count == MOST_MARKS || (!mark->place->file && !mark->place->ptx_line))
        return true;
    if (!kernel->marks && !(kernel->marks = calloc(MOST_MARKS, sizeof *kernel->marks)))
        return false;
    kernel->marks[(*count)++] = *mark;
    return true;
}

/* Names are kept once, so the same kernel and file are the same pointer. */
static bool find_marks(const struct page *page, struct page_kernel *kernel, size_t *count) {
    const struct prof_row *row = kernel->row;
    const struct prof_recording *recording = page->report->recording;
    for (size_t i = 0; i < recording->finding_count; i++) {
        const struct prof_finding *finding = &recording->findings[i];
        const struct prof_fault *what = &finding->what;
        if (what->place.kernel != row->first->kernel)
            continue;
        const bool note = prof_is_leak(finding) && !page->report->leaks_fail;
        const struct page_mark one = {what, &what->place, &what->other, note},
                               other = {what, &what->other, &what->place, note};
        if (!add_mark(kernel, count, &one) || !add_mark(kernel, count, &other))
            return false;
    }
    const struct prof_detail *last = NULL;
    for (size_t i = 0; i < row->launch_count; i++) {
        const struct prof_detail *detail = row->launches[i]->detail;
        if (detail == last || !detail->fault)
            continue;
        const struct page_mark mark = {detail->fault, &detail->fault->place, &detail->fault->other, false};
        if (!add_mark(kernel, count, &mark))
            return false;
        last = detail;
    }
    return true;
}

static int compare_places(const char *file_a, unsigned line_a, const char *file_b, unsigned line_b) {
    if (file_a != file_b) {
        const int order = !file_a || !file_b ? (file_a != NULL) - (file_b != NULL) : strcmp(file_a, file_b);
        if (order)
            return order;
    }
    return (line_a > line_b) - (line_a < line_b);
}

static unsigned mark_line(const struct page_mark *mark) {
    return mark->place->file ? mark->place->line : mark->place->ptx_line;
}

static int compare_marks(const void *left, const void *right) {
    const struct page_mark *a = left, *b = right;
    const int order = compare_places(a->place->file, mark_line(a), b->place->file, mark_line(b));
    return order ? order : (a->what > b->what) - (a->what < b->what);
}

/* ---------------------------------------------------------------- spots */

static unsigned access_line(const struct prof_line *line) {
    return line->file ? line->line : line->ptx_line;
}

/* The lines of a row stand by file and line, and so do the marks. */
static void merge(struct page_kernel *kernel, size_t access_count, size_t mark_count) {
    size_t a = 0, m = 0;
    while (a < access_count || m < mark_count) {
        const struct prof_line *access = a < access_count ? kernel->accesses[a] : NULL;
        struct page_mark *mark = m < mark_count ? &kernel->marks[m] : NULL;
        struct page_spot *spot = &kernel->spots[kernel->spot_count++];
        const int order =
            !access ? 1
            : !mark ? -1
                    : compare_places(access->file, access_line(access), mark->place->file, mark_line(mark));
        *spot = (struct page_spot){.file = order <= 0 ? access->file : mark->place->file,
                                   .line = order <= 0 ? access_line(access) : mark_line(mark),
                                   .accesses = &kernel->accesses[a],
                                   .marks = mark};
        for (; a < access_count && compare_places(spot->file, spot->line, kernel->accesses[a]->file,
                                                  access_line(kernel->accesses[a])) == 0;
             a++) {
            spot->access_count++;
            spot->transactions += prof_line_transactions(kernel->accesses[a]);
            spot->waste += prof_line_waste(kernel->accesses[a]);
        }
        for (; m < mark_count && compare_places(spot->file, spot->line, kernel->marks[m].place->file,
                                                mark_line(&kernel->marks[m])) == 0;
             m++)
            spot->mark_count++;
    }
}

const struct prof_line *page_worst_access(const struct page_spot *spot) {
    const struct prof_line *worst = NULL;
    for (size_t i = 0; i < spot->access_count; i++) {
        const struct prof_line *line = spot->accesses[i];
        const double waste = prof_line_waste(line), most = worst ? prof_line_waste(worst) : -1;
        if (waste > most || (waste == most && prof_line_transactions(line) > prof_line_transactions(worst)))
            worst = line;
    }
    return worst;
}

/* Those with findings first, then by waste, then by transactions. */
static int compare_weights(const void *left, const void *right) {
    const struct page_spot *a = *(struct page_spot *const *)left, *b = *(struct page_spot *const *)right;
    int order = (a->mark_count < b->mark_count) - (a->mark_count > b->mark_count);
    if (!order)
        order = (a->waste < b->waste) - (a->waste > b->waste);
    if (!order)
        order = (a->transactions < b->transactions) - (a->transactions > b->transactions);
    return order ? order : (a > b) - (a < b);
}

/* Keeps the spots that weigh most, and chooses those with pictures. */
static bool choose(struct page_kernel *kernel, size_t kernels) {
    const size_t most = share(MOST_SPOTS, LEAST_SPOTS, kernels),
                 pictured = share(MOST_PICTURED, LEAST_PICTURED, kernels);
    struct page_spot **order = calloc(kernel->spot_count + 1, sizeof *order);
    bool *kept = calloc(kernel->spot_count + 1, sizeof *kept);
    for (size_t i = 0; order && kept && i < kernel->spot_count; i++)
        order[i] = &kernel->spots[i];
    if (order && kept) {
        qsort(order, kernel->spot_count, sizeof *order, compare_weights);
        for (size_t i = 0, left = pictured; i < kernel->spot_count && i < most; i++) {
            kept[order[i] - kernel->spots] = true;
            order[i]->has_pictures = order[i]->access_count && left;
            left -= order[i]->has_pictures;
        }
        size_t count = 0;
        for (size_t i = 0; i < kernel->spot_count; i++)
            if (kept[i])
                kernel->spots[count++] = kernel->spots[i];
        kernel->hidden = kernel->spot_count - count;
        kernel->spot_count = count;
    }
    const bool good = order && kept;
    free(order);
    free(kept);
    return good;
}

bool page_kernel_make(const struct page *page, const struct prof_row *row, size_t number,
                      struct page_kernel *out) {
    *out = (struct page_kernel){.row = row, .number = number};
    size_t access_count = 0, mark_count = 0;
    out->accesses = calloc(row->line_count + 1, sizeof *out->accesses);
    if (!out->accesses || !find_marks(page, out, &mark_count))
        return false;
    for (size_t i = 0; i < row->line_count; i++)
        if (row->lines[i].bytes)
            out->accesses[access_count++] = &row->lines[i];
    out->spots = calloc(access_count + mark_count + 1, sizeof *out->spots);
    if (!out->spots)
        return false;
    if (mark_count)
        qsort(out->marks, mark_count, sizeof *out->marks, compare_marks);
    merge(out, access_count, mark_count);
    if (!choose(out, page->kernel_count))
        return false;
    for (size_t i = 0; i < out->spot_count; i++) {
        const struct page_spot *spot = &out->spots[i];
        out->most = spot->transactions > out->most ? spot->transactions : out->most;
        if (spot->access_count &&
            (!out->worst || spot->waste > out->worst->waste ||
             (spot->waste == out->worst->waste && spot->transactions > out->worst->transactions)))
            out->worst = spot;
    }
    return true;
}

void page_kernel_free(struct page_kernel *kernel) {
    free(kernel->accesses);
    free(kernel->marks);
    free(kernel->spots);
}
