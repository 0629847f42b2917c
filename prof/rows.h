/* The launches that the user asked about, and the rows that they make: one a kernel, or one a launch. */
#ifndef WIDELOAD_PROF_ROWS_H
#define WIDELOAD_PROF_ROWS_H

#include <regex.h>

#include "prof/labels.h"
#include "prof/metrics.h"
#include "prof/recording.h"

struct prof_selection {
    const regex_t *kernel; /* by its demangled name; NULL: all */
    uint64_t skip;         /* so many launches of those */
    uint64_t count;        /* at most so many after them; UINT64_MAX: all */
    bool each;             /* a row a launch */
};

struct prof_row {
    const struct prof_launch **launches; /* in order; at least one */
    size_t launch_count;
    const struct prof_detail *first;
    struct prof_sums sums;
    struct prof_line *lines; /* of all its launches, by place */
    size_t line_count;
    struct prof_arrays arrays;
    bool faulted;
    unsigned doubts;            /* of all its lines (doubts.h) */
    const char *label;          /* a short name that tells its kernel from the others */
    double transactions, waste; /* of its lines */
};

struct prof_rows {
    struct prof_row *items;
    size_t count;
    const struct prof_launch **launches; /* selected, in order */
    size_t launch_count;
    char (*labels)[PROF_LABEL];
    const struct prof_row *worst; /* the one that wastes most, if that is much; NULL */
};

bool prof_rows_make(const struct prof_recording *recording, const struct prof_selection *selection,
                    struct prof_rows *out, struct base_error *error);
void prof_rows_free(struct prof_rows *rows);

/* The line of the row that wastes most; NULL when none wastes anything. */
const struct prof_line *prof_row_worst_line(const struct prof_row *row);
/* Whether a waste is worth a word: a twentieth of the transactions. */
bool prof_is_much(double waste, double transactions);

/* A metric over the row's launches; NaN where it was never defined. */
struct prof_range {
    double least, most, average;
};
struct prof_range prof_row_range(const struct prof_row *row, const struct prof_metric *metric);

#endif
