/* The report: text for people, and files for programs.  Functions that return bool return false when out of
 * memory; a stream's own errors are found when it is closed. */
#ifndef WIDELOAD_PROF_REPORT_H
#define WIDELOAD_PROF_REPORT_H

#include <stdio.h>

#include "prof/gate.h"
#include "prof/rows.h"

#define PROF_SCHEMA "wideload-prof/1"
/* What is said of a report for which prof_is_incomplete() holds. */
#define PROF_INCOMPLETE "the report is incomplete: launches or records are missing from it"

struct prof_report {
    const char *program; /* as the user named it */
    const struct prof_recording *recording;
    const struct prof_rows *rows;
    const struct prof_choices *choices; /* empty: the default table */
    const struct prof_gate *gates;
    size_t gate_count;
    bool each, leaks_fail; /* leaks_fail: memory that was never freed is an error */
    bool read;             /* the records were there already, perhaps without an account */
    size_t running;        /* processes that use the driver and were still running at the end */
};

/* header.c: what ran, and under which rules. */
void prof_put_header(FILE *file, const struct prof_report *report);
/* table.c: one row per kernel, with the worst one marked and explained. */
bool prof_put_table(FILE *file, const struct prof_report *report);
/* metric_list.c: the chosen metrics, in nvprof's style. */
bool prof_put_metrics(FILE *file, const struct prof_report *report);
/* lines.c: each source line's accesses beside its text. */
bool prof_put_lines(FILE *file, const struct prof_report *report);
/* losses.c: whether the report is incomplete, and what is missing. */
bool prof_is_incomplete(const struct prof_report *report);
void prof_put_losses(FILE *file, const struct prof_report *report);
/* findings.c: kernels' faults and the checks' findings, and which of them are errors. */
bool prof_is_leak(const struct prof_finding *finding);
size_t prof_count_errors(const struct prof_report *report);
void prof_put_faults(FILE *file, const struct prof_report *report);
void prof_put_findings(FILE *file, const struct prof_report *report);
/* notes.c: notes about the kernels' figures. */
void prof_put_notes(FILE *file, const struct prof_report *report);
/* Prints the driver's messages.  told: the message that the report has printed already, after which only
 * errors are printed; or NULL. */
void prof_put_messages(FILE *file, const struct prof_report *report, const struct prof_message *told);
/* The first error among the driver's messages; NULL: none. */
const struct prof_message *prof_first_error(const struct prof_report *report);

/* gates.c: prints the rows that fail a gate, and returns their number. */
size_t prof_put_failures(FILE *file, const struct prof_report *report);
/* github.c: prints the same rows, the findings and the wasteful lines as workflow commands. */
void prof_put_annotations(FILE *file, const struct prof_report *report);

/* csv.c: one line per row. */
bool prof_put_csv(FILE *file, const struct prof_report *report);
/* json.c: one element per launch, in order. */
bool prof_put_json(FILE *file, const struct prof_report *report);
/* sarif.c: SARIF 2.1.0, a result per annotation (annotations.h). */
bool prof_put_sarif(FILE *file, const struct prof_report *report);

/* page.c: an HTML page that loads nothing. */
bool prof_put_page(FILE *file, const struct prof_report *report);

/* A row's name in at most `size` bytes (at least 16): the demangled name or its label. */
void prof_row_name(const struct prof_row *row, char *out, size_t size);
/* A line's place, the file without its folders: "offset.cu:14", "PTX line 14". */
void prof_place_text(const struct prof_line *line, char *out, size_t size);

#endif
