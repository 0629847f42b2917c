/* The report: what is printed for people, and files for programs.  Each function writes to a stream and
 * returns false where memory was short; a stream's own errors show when it is closed. */
#ifndef WIDELOAD_PROF_REPORT_H
#define WIDELOAD_PROF_REPORT_H

#include <stdio.h>

#include "prof/gate.h"
#include "prof/rows.h"

#define PROF_SCHEMA "wideload-prof/1"

struct prof_report {
    const char *program; /* as the user named it */
    const struct prof_recording *recording;
    const struct prof_rows *rows;
    const struct prof_choices *choices; /* empty: the table of the usual ones */
    bool each, leaks_fail;              /* memory that was never freed counts as an error */
    size_t running; /* processes that use the driver and had not ended when the records were read */
};

/* What ran, and under which rules. */
void prof_put_header(FILE *file, const struct prof_report *report);
/* table.c: a row a kernel, the worst one marked and explained. */
bool prof_put_table(FILE *file, const struct prof_report *report);
/* metric_list.c: the chosen metrics, in nvprof's manner. */
bool prof_put_metrics(FILE *file, const struct prof_report *report);
/* lines.c: each source line's accesses beside its text. */
bool prof_put_lines(FILE *file, const struct prof_report *report);
/* losses.c: whether something of what ran is not in the report, and what. */
bool prof_is_incomplete(const struct prof_report *report);
void prof_put_losses(FILE *file, const struct prof_report *report);
/* findings.c: faults of kernels, and what the checks found; which of it are errors. */
bool prof_is_leak(const struct prof_finding *finding);
size_t prof_count_errors(const struct prof_report *report);
void prof_put_faults(FILE *file, const struct prof_report *report);
void prof_put_findings(FILE *file, const struct prof_report *report);
/* notes.c: what to know about the kernels' figures. */
void prof_put_notes(FILE *file, const struct prof_report *report);
/* What the driver told the user; told: the one that the report has said already, after which nothing but
 * errors is news; or NULL. */
void prof_put_messages(FILE *file, const struct prof_report *report, const struct prof_message *told);
/* The first error that the driver told of; NULL: none. */
const struct prof_message *prof_first_error(const struct prof_report *report);

/* gates.c: the rows that a gate forbids; returns how many. */
size_t prof_put_failures(FILE *file, const struct prof_report *report, const struct prof_gate *gates,
                         size_t gate_count);
/* github.c: the same, the findings, and the wasteful lines, as workflow commands. */
void prof_put_annotations(FILE *file, const struct prof_report *report, const struct prof_gate *gates,
                          size_t gate_count);

/* csv.c: a line a row. */
bool prof_put_csv(FILE *file, const struct prof_report *report);
/* json.c: a launch each, in order. */
bool prof_put_json(FILE *file, const struct prof_report *report);

/* A row's name in so many bytes (at least 16): as it was written, or its label. */
void prof_row_name(const struct prof_row *row, char *out, size_t size);
/* "offset.cu:14", "PTX line 14": a line's place, the file without its folders. */
void prof_place_text(const struct prof_line *line, char *out, size_t size);

#endif
