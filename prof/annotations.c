#include "prof/annotations.h"

#include <stdio.h>
#include <string.h>

#include "prof/waste.h"

const char *const prof_rule_names[PROF_RULES] = {"memory", "race",  "init",    "sync",
                                                 "leak",   "fault", "fail-if", "waste"};

struct sink {
    const struct prof_report *report;
    void (*put)(void *argument, const struct prof_annotation *annotation);
    void *argument;
};

/* A check that this version does not know is none of the rules' either: the finding is a fault like others.
 */
static enum prof_rule rule_of(const char *check) {
    for (unsigned rule = 0; check && rule <= PROF_RULE_LEAK; rule++)
        if (strcmp(prof_rule_names[rule], check) == 0)
            return rule;
    return PROF_RULE_FAULT;
}

static void put_fault(const struct sink *sink, const struct prof_fault *fault,
                      struct prof_annotation annotation) {
    annotation.file = fault->place.file;
    annotation.line = fault->place.line;
    annotation.ptx_line = fault->place.ptx_line;
    annotation.what = fault->kind;
    annotation.message = fault->text;
    sink->put(sink->argument, &annotation);
}

static void put_findings(const struct sink *sink) {
    const struct prof_recording *recording = sink->report->recording;
    for (size_t i = 0; i < recording->finding_count; i++) {
        const struct prof_finding *finding = &recording->findings[i];
        const bool note = prof_is_leak(finding) && !sink->report->leaks_fail;
        put_fault(sink, &finding->what,
                  (struct prof_annotation){.rule = rule_of(finding->check),
                                           .level = note ? PROF_NOTE : PROF_ERROR,
                                           .kernel = finding->what.place.kernel,
                                           .times = finding->times,
                                           .launches = finding->launches,
                                           .finding = finding});
    }
}

static void put_faults(const struct sink *sink, const struct prof_row *row) {
    for (size_t n = 0; n < row->launch_count; n++) {
        const struct prof_detail *detail = row->launches[n]->detail;
        if (detail->fault)
            put_fault(sink, detail->fault,
                      (struct prof_annotation){.rule = PROF_RULE_FAULT,
                                               .level = PROF_ERROR,
                                               .kernel = detail->kernel,
                                               .times = 1,
                                               .launches = 1});
    }
}

/* line: NULL for none. */
static void put_line(const struct sink *sink, const struct prof_row *row, const struct prof_line *line,
                     struct prof_annotation annotation) {
    annotation.kernel = row->first->kernel;
    annotation.times = annotation.launches = row->launch_count;
    if (line) {
        annotation.file = line->file;
        annotation.line = line->line;
        annotation.column = line->column;
        annotation.ptx_line = line->ptx_line;
    }
    sink->put(sink->argument, &annotation);
}

static void put_failures(const struct sink *sink, const struct prof_row *row) {
    for (size_t g = 0; g < sink->report->gate_count; g++) {
        const struct prof_gate *gate = &sink->report->gates[g];
        const double value = gate->metric->of(&row->sums);
        if (!prof_gate_fails(gate, value))
            continue;
        char text[40], name[PROF_LABEL], message[700];
        prof_row_name(row, name, sizeof name);
        prof_value_text(gate->metric, value, text, sizeof text);
        snprintf(message, sizeof message, "%s: %s is %s: %s", gate->text, gate->metric->name, text, name);
        put_line(sink, row, prof_row_worst_line(row),
                 (struct prof_annotation){
                     .rule = PROF_RULE_GATE, .level = PROF_ERROR, .what = gate->text, .message = message});
    }
}

static void put_wasteful_lines(const struct sink *sink, const struct prof_row *row) {
    for (size_t i = 0; i < row->line_count; i++) {
        const struct prof_line *line = &row->lines[i];
        /* The waste must be much of the line's transactions, and of the kernel's. */
        if (!prof_is_much(prof_line_waste(line), prof_line_transactions(line)) ||
            !prof_is_much(prof_line_waste(line), row->transactions))
            continue;
        char reason[200], name[PROF_LABEL], message[600];
        prof_row_name(row, name, sizeof name);
        prof_line_reason(line, reason, sizeof reason);
        snprintf(message, sizeof message, "%s: %s: %s", name, line->op, reason);
        put_line(sink, row, line,
                 (struct prof_annotation){
                     .rule = PROF_RULE_WASTE, .level = PROF_WARNING, .what = line->op, .message = message});
    }
}

void prof_annotate(const struct prof_report *report,
                   void (*put)(void *argument, const struct prof_annotation *annotation), void *argument) {
    const struct sink sink = {report, put, argument};
    put_findings(&sink);
    for (size_t i = 0; i < report->rows->count; i++) {
        const struct prof_row *row = &report->rows->items[i];
        put_faults(&sink, row);
        put_failures(&sink, row);
        put_wasteful_lines(&sink, row);
    }
}

const char *prof_path_below(const char *path, const char *folder) {
    size_t length = folder ? strlen(folder) : 0;
    while (length && folder[length - 1] == '/')
        length--;
    const bool below = length && strncmp(path, folder, length) == 0 && path[length] == '/';
    return below ? path + length + 1 : NULL;
}
