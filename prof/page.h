/* The page of `wideload prof --page`: one HTML file that loads nothing.  Private to the page_*.c files.
 *
 * Its size is bounded: there is a limit to kernels, lines, pictures and maps, and the page says what is left
 * out. */
#ifndef WIDELOAD_PROF_PAGE_H
#define WIDELOAD_PROF_PAGE_H

#include "prof/report.h"
#include "prof/source.h"
#include "prof/waste.h"

enum {
    PAGE_TEXT = 512,   /* bytes of a text made here */
    PAGE_KERNELS = 40, /* at most so many kernels have a section */
    PAGE_SUMMED = 400, /* and so many a line of the summary */
};

struct page {
    FILE *out;
    const struct prof_report *report;
    const struct prof_row **kernels; /* the rows, by waste */
    size_t kernel_count;
    size_t svg_left;         /* bytes of pictures below the lines that may still be written */
    const char *source_path; /* the file that was read last; NULL: none */
    struct prof_source source;
};

/* ---------------------------------------------------------------- spots */

/* A finding or a fault at a source line. */
struct page_mark {
    const struct prof_fault *what;
    const struct prof_place *place, *other; /* of the two places of a race this one and the other */
    bool is_note;                           /* a leak that is no error */
};

/* A source line of a kernel that accesses memory or has a finding. */
struct page_spot {
    const char *file; /* NULL: `line` is one of the PTX */
    unsigned line;
    const struct prof_line **accesses;
    size_t access_count;
    struct page_mark *marks;
    size_t mark_count;
    double transactions, waste;
    bool has_pictures;
};

struct page_kernel {
    const struct prof_row *row;
    size_t number;             /* from 1 on, in the page's order */
    struct page_spot *spots;   /* by file and line */
    size_t spot_count, hidden; /* hidden: spots that are left out */
    double most;               /* transactions of the spot that has most */
    const struct page_spot
        *worst; /* the one that wastes most, or moves most if none wastes; NULL: no access */
    const struct prof_line **accesses;
    struct page_mark *marks;
};

/* page_spots.c.  False: out of memory. */
bool page_kernel_make(const struct page *page, const struct prof_row *row, size_t number,
                      struct page_kernel *out);
void page_kernel_free(struct page_kernel *kernel);
/* The access of the spot that wastes most, or moves most if none wastes; NULL: none. */
const struct prof_line *page_worst_access(const struct page_spot *spot);

/* ---------------------------------------------------------------- parts of the page */

/* page_style.c */
extern const char page_style[];
/* page_summary.c: the kernels with a bar each. */
void page_put_summary(struct page *page);
/* page_kernel.c.  False: out of memory. */
bool page_put_kernel(struct page *page, const struct prof_row *row, size_t number);
/* page_source.c: reads a file into page->source, unless it is there already. */
void page_read_source(struct page *page, const char *path);
/* The source with a bar for each line. */
void page_put_source(struct page *page, const struct page_kernel *kernel);
/* page_access.c: what a line's access did, with its requests as pictures while page->svg_left lasts. */
void page_put_access(struct page *page, const struct page_kernel *kernel, const struct prof_line *line,
                     bool has_pictures);
/* The typical request of a line, as a figure.  False: it has none that can be drawn. */
bool page_put_typical(struct page *page, const struct page_kernel *kernel, const struct prof_line *line);
/* page_arrays.c: the arrays as maps.  False: out of memory. */
bool page_put_arrays(struct page *page);
/* page_findings.c: a mark's words. */
void page_put_mark(struct page *page, const struct page_mark *mark);
/* What is missing from the report, the driver's messages and all findings.  False: out of memory. */
bool page_put_findings(struct page *page);

/* ---------------------------------------------------------------- words */

/* page_words.c.  Texts are plain: base_html() writes them. */
void page_put(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, escaped. */
void page_put_text(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A note such as "1 more line is not shown.", with one "line is" and several "lines are"; nothing if count is
 * 0. */
void page_put_hidden(struct page *page, size_t count, const char *one, const char *several);
/* "1,048,576" */
const char *page_count(double count, char out[PAGE_TEXT]);
/* "12 bytes", "1.5 KiB", "4 MiB" */
const char *page_bytes(double bytes, char out[PAGE_TEXT]);
/* "once", "twice", "64 times", "0.5 times" */
const char *page_times(double times, char out[PAGE_TEXT]);
/* "88 %", and never 0 % or 100 % of what is neither. */
const char *page_percent(double part, double whole, char out[PAGE_TEXT]);
/* A bar of needed and wasted transactions; `most` of them fill it.  Decoration: words beside it say the same.
 */
void page_put_bar(struct page *page, double transactions, double waste, double most);
/* "1.5 MiB and 300 wavefronts wasted"; "" if nothing is wasted. */
const char *page_waste(const struct prof_waste *waste, char out[PAGE_TEXT]);
/* "" for one, "s" for several. */
const char *page_plural(size_t count);

#endif
