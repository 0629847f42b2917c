/* Workflow commands: GitHub shows them at the lines of a change. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/report.h"
#include "prof/waste.h"

/* Escapes a text as GitHub's toolkit does; properties have two more special characters. */
static void put_escaped(FILE *file, const char *text, bool property) {
    for (; *text; text++) {
        if (strchr("%\r\n", *text) || (property && strchr(":,", *text)))
            fprintf(file, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, file);
    }
}

/* GitHub needs paths relative to the repository's root. */
static const char *in_workspace(const char *path) {
    const char *root = getenv("GITHUB_WORKSPACE");
    size_t length = root ? strlen(root) : 0;
    while (length && root[length - 1] == '/')
        length--;
    if (length && strncmp(path, root, length) == 0 && path[length] == '/')
        return path + length + 1;
    return path;
}

static void put(FILE *file, const char *level, const char *path, unsigned line, unsigned column,
                const char *message) {
    fprintf(file, "::%s", level);
    if (path) {
        fputs(" file=", file);
        put_escaped(file, in_workspace(path), true);
        fprintf(file, ",line=%u", line);
        if (column)
            fprintf(file, ",col=%u", column);
    }
    fputs("::", file);
    put_escaped(file, message, false);
    fputc('\n', file);
}

static void put_wasteful_lines(FILE *file, const struct prof_row *row) {
    for (size_t i = 0; i < row->line_count; i++) {
        const struct prof_line *line = &row->lines[i];
        /* The waste must be much of the line's transactions, and of the kernel's. */
        if (!line->file || !prof_is_much(prof_line_waste(line), prof_line_transactions(line)) ||
            !prof_is_much(prof_line_waste(line), row->transactions))
            continue;
        char reason[200], name[PROF_LABEL], message[600];
        prof_row_name(row, name, sizeof name);
        prof_line_reason(line, reason, sizeof reason);
        snprintf(message, sizeof message, "%s: %s: %s", name, line->op, reason);
        put(file, "warning", line->file, line->line, line->column, message);
    }
}

static void put_failures(FILE *file, const struct prof_row *row, const struct prof_gate *gates,
                         size_t gate_count) {
    for (size_t g = 0; g < gate_count; g++) {
        double value = gates[g].metric->of(&row->sums);
        if (!prof_gate_fails(&gates[g], value))
            continue;
        const struct prof_line *line = prof_row_worst_line(row);
        char text[40], name[PROF_LABEL], message[700];
        prof_row_name(row, name, sizeof name);
        prof_value_text(gates[g].metric, value, text, sizeof text);
        snprintf(message, sizeof message, "%s: %s is %s: %s", gates[g].text, gates[g].metric->name, text,
                 name);
        put(file, "error", line ? line->file : NULL, line ? line->line : 0, line ? line->column : 0, message);
    }
}

void prof_put_annotations(FILE *file, const struct prof_report *report, const struct prof_gate *gates,
                          size_t gate_count) {
    for (size_t i = 0; i < report->recording->finding_count; i++) {
        const struct prof_finding *finding = &report->recording->findings[i];
        const struct prof_fault *what = &finding->what;
        char message[700];
        snprintf(message, sizeof message, "%.600s", what->text);
        if (finding->launches > 1)
            snprintf(message, sizeof message, "%.600s (%" PRIu64 " times in %" PRIu64 " launches)",
                     what->text, finding->times, finding->launches);
        put(file, prof_is_leak(finding) && !report->leaks_fail ? "notice" : "error", what->place.file,
            what->place.line, 0, message);
    }
    if (prof_is_incomplete(report))
        put(file, "error", NULL, 0, 0, "the report is incomplete: launches or records are missing from it");
    for (size_t i = 0; i < report->rows->count; i++) {
        const struct prof_row *row = &report->rows->items[i];
        for (size_t n = 0; n < row->launch_count; n++) {
            const struct prof_fault *fault = row->launches[n]->detail->fault;
            if (fault)
                put(file, "error", fault->place.file, fault->place.line, 0, fault->text);
        }
        put_failures(file, row, gates, gate_count);
        put_wasteful_lines(file, row);
    }
}
