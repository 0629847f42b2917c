/* docs/wideload-prof-1.schema.json describes the document, docs/prof.md its members. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/utf8.h"
#include "prof/demangle.h"
#include "prof/doubts.h"
#include "prof/notes.h"
#include "prof/report.h"
#include "prof/waste.h"

static json_t *number_or_null(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text) {
    return text ? base_json_text(text) : json_null();
}

static json_t *three(const unsigned size[3]) {
    return json_pack("[I, I, I]", (json_int_t)size[0], (json_int_t)size[1], (json_int_t)size[2]);
}

static json_t *value_of(const struct prof_metric *metric, const struct prof_sums *sums) {
    double value = metric->of(sums);
    bool whole = metric->unit == PROF_COUNT || metric->unit == PROF_BYTES;
    return whole ? json_integer((json_int_t)value) : number_or_null(value);
}

static json_t *metrics_object(const struct prof_choices *choices, const struct prof_sums *sums) {
    json_t *object = json_object();
    bool right = object != NULL;
    for (size_t i = 0; right && i < choices->count; i++)
        right = base_json_set(object, prof_choice_name(&choices->items[i]),
                              value_of(choices->items[i].metric, sums));
    for (size_t i = 0; right && !choices->count && i < prof_metric_count; i++)
        right = base_json_set(object, prof_metrics[i].name, value_of(&prof_metrics[i], sums));
    return base_json_if(right, object);
}

static json_t *doubts_array(unsigned bits) {
    json_t *array = json_array();
    bool right = array != NULL;
    for (unsigned d = 0; right && d < PROF_DOUBTS; d++)
        right = !(bits >> d & 1) || base_json_add(array, json_string(prof_doubts[d].name));
    return base_json_if(right, array);
}

/* The metrics that may not be a GPU's, each with the reasons. */
static json_t *uncertain_object(const struct prof_choices *choices, const struct prof_detail *detail) {
    struct prof_doubted doubted;
    prof_doubted_find(detail->lines, detail->line_count, &detail->sums, &doubted);
    json_t *object = json_object();
    bool right = object != NULL;
    for (size_t i = 0; right && i < (choices->count ? choices->count : prof_metric_count); i++) {
        const struct prof_metric *metric = choices->count ? choices->items[i].metric : &prof_metrics[i];
        unsigned bits = prof_doubts_of(&doubted, &detail->sums, metric);
        if (bits)
            right =
                base_json_set(object, choices->count ? prof_choice_name(&choices->items[i]) : metric->name,
                              doubts_array(bits));
    }
    return base_json_if(right, object);
}

static json_t *function_value(const char *mangled) {
    char *name = mangled ? prof_demangle(mangled) : NULL;
    json_t *value = !mangled ? json_null() : name ? base_json_text(name) : NULL;
    free(name);
    return value;
}

static bool set_figures(json_t *object, const wl_counters *counters) {
    struct prof_figures figures = prof_figures_of(counters);
    return base_json_set(object, "requests", json_integer((json_int_t)figures.requests)) &&
           base_json_set(object, "transactions", json_integer((json_int_t)figures.transactions)) &&
           base_json_set(object, "transactions_per_request",
                         number_or_null(figures.transactions_per_request)) &&
           base_json_set(object, "wavefronts", json_integer((json_int_t)figures.wavefronts)) &&
           base_json_set(object, "wavefronts_per_request", number_or_null(figures.wavefronts_per_request)) &&
           base_json_set(object, "efficiency", number_or_null(figures.efficiency));
}

static json_t *line_object(const struct prof_line *line) {
    char reason[200];
    prof_line_reason(line, reason, sizeof reason);
    json_t *object = json_object();
    bool right =
        base_json_set(object, "file", text_or_null(line->file)) &&
        base_json_set(object, "line", line->file ? json_integer(line->line) : json_null()) &&
        base_json_set(object, "column", line->file ? json_integer(line->column) : json_null()) &&
        base_json_set(object, "function", function_value(line->function)) &&
        base_json_set(object, "access", base_json_text(line->op)) &&
        base_json_set(object, "bytes", json_integer(line->bytes)) &&
        base_json_set(object, "stride", line->has_stride ? json_integer(line->stride) : json_null()) &&
        set_figures(object, &line->sums.c) &&
        base_json_set(object, "uncertain", doubts_array(line->doubts)) &&
        base_json_set(object, "conflicts",
                      json_integer((json_int_t)(line->sums.shared_load_conflicts +
                                                line->sums.shared_store_conflicts))) &&
        base_json_set(object, "reason", reason[0] ? base_json_text(reason) : json_null());
    return base_json_if(right, object);
}

static json_t *lines_array(const struct prof_detail *detail) {
    json_t *lines = json_array();
    bool right = lines != NULL;
    for (size_t i = 0; right && i < detail->line_count; i++)
        right = !detail->lines[i].bytes || base_json_add(lines, line_object(&detail->lines[i]));
    return base_json_if(right, lines);
}

/* A place's members: file, line, and the thread where it is known. */
static bool set_place(json_t *object, const struct prof_place *place) {
    return base_json_set(object, "file", text_or_null(place->file)) &&
           base_json_set(object, "line", place->file ? json_integer(place->line) : json_null()) &&
           (!place->has_thread || (base_json_set(object, "block", three(place->block)) &&
                                   base_json_set(object, "thread", three(place->thread))));
}

static json_t *fault_object(const struct prof_fault *fault) {
    json_t *object = json_object();
    bool right = base_json_set(object, "kind", base_json_text(fault->kind)) &&
                 base_json_set(object, "text", base_json_text(fault->text)) &&
                 base_json_set(object, "kernel", function_value(fault->place.kernel)) &&
                 set_place(object, &fault->place);
    return base_json_if(right, object);
}

static json_t *notes_array(const struct prof_detail *detail) {
    char notes[PROF_NOTES][PROF_NOTE];
    size_t count = prof_notes(detail->lines, detail->line_count, notes);
    json_t *array = json_array();
    bool right = array != NULL;
    for (size_t i = 0; right && i < count; i++)
        right = base_json_add(array, base_json_text(notes[i]));
    return base_json_if(right, array);
}

static json_t *launch_object(const struct prof_report *report, const struct prof_detail *detail) {
    json_t *object = json_object();
    bool right = base_json_set(object, "kernel", base_json_text(detail->name)) &&
                 base_json_set(object, "grid", three(detail->grid)) &&
                 base_json_set(object, "block", three(detail->block)) &&
                 base_json_set(object, "shared_bytes", json_integer((json_int_t)detail->shared_bytes)) &&
                 base_json_set(object, "device", json_integer(detail->device)) &&
                 base_json_set(object, "metrics", metrics_object(report->choices, &detail->sums)) &&
                 base_json_set(object, "uncertain", uncertain_object(report->choices, detail)) &&
                 base_json_set(object, "lines", lines_array(detail)) &&
                 base_json_set(object, "notes", notes_array(detail));
    if (right && detail->fault)
        right = base_json_set(object, "fault", fault_object(detail->fault));
    return base_json_if(right, object);
}

enum { FORM = JSON_REAL_PRECISION(9) };

static bool put_member(FILE *file, const char *name, json_t *value) {
    return base_json_put(file, name, value, FORM);
}

/* A launch a line.  There may be a million: an object lives from the first launch that needs it to the last,
 * and those that did the same share one. */
static bool put_launches(FILE *file, const struct prof_report *report) {
    struct made {
        json_t *object;
        size_t uses; /* still to come */
    } *made = calloc(report->recording->detail_count + 1, sizeof *made);
    if (!made)
        return false;
    for (size_t i = 0; i < report->rows->launch_count; i++)
        made[report->rows->launches[i]->detail->index].uses++;
    bool right = fputs(" \"launches\": [", file) != EOF;
    for (size_t i = 0; right && i < report->rows->launch_count; i++) {
        const struct prof_detail *detail = report->rows->launches[i]->detail;
        struct made *one = &made[detail->index];
        if (!one->object)
            one->object = launch_object(report, detail);
        right = one->object && fputs(i ? ",\n  " : "\n  ", file) != EOF &&
                json_dumpf(one->object, file, FORM) == 0;
        if (--one->uses == 0) {
            json_decref(one->object);
            one->object = NULL;
        }
    }
    for (size_t i = 0; i < report->recording->detail_count; i++)
        json_decref(made[i].object);
    free(made);
    return right && fputs("\n ]", file) != EOF;
}

static json_t *finding_object(const struct prof_report *report, const struct prof_finding *finding) {
    const struct prof_place *other = &finding->what.other;
    const bool note = prof_is_leak(finding) && !report->leaks_fail;
    json_t *object = fault_object(&finding->what);
    bool right = base_json_set(object, "level", json_string(note ? "note" : "error")) &&
                 base_json_set(object, "times", json_integer((json_int_t)finding->times)) &&
                 base_json_set(object, "launches", json_integer((json_int_t)finding->launches));
    if (right && (other->file || other->ptx_line)) {
        json_t *side = json_object();
        right = set_place(side, other);
        right = base_json_set(object, "other", side) && right;
    }
    return base_json_if(right, object);
}

static json_t *findings_array(const struct prof_report *report) {
    json_t *findings = json_array();
    bool right = findings != NULL;
    for (size_t i = 0; right && i < report->recording->finding_count; i++)
        right = base_json_add(findings, finding_object(report, &report->recording->findings[i]));
    return base_json_if(right, findings);
}

static json_t *in_flight_array(const struct prof_recording *recording) {
    json_t *names = json_array();
    bool right = names != NULL;
    for (size_t i = 0; right && i < recording->in_flight_names; i++)
        right = base_json_add(names, function_value(recording->in_flight_name[i]));
    return base_json_if(right, names);
}

bool prof_put_json(FILE *file, const struct prof_report *report) {
    const struct prof_recording *recording = report->recording;
    const char *arch = report->rows->launch_count ? report->rows->launches[0]->detail->arch
                       : recording->process_count ? recording->processes[0].arch
                                                  : NULL;
    bool right = fputs("{\n", file) != EOF && put_member(file, "schema", json_string(PROF_SCHEMA)) &&
                 fputs(",\n", file) != EOF && put_member(file, "program", base_json_text(report->program)) &&
                 fputs(",\n", file) != EOF && put_member(file, "arch", text_or_null(arch)) &&
                 fputs(",\n", file) != EOF && put_launches(file, report) && fputs(",\n", file) != EOF &&
                 put_member(file, "complete", json_boolean(!prof_is_incomplete(report))) &&
                 fputs(",\n", file) != EOF && put_member(file, "in_flight", in_flight_array(recording));
    if (right && recording->has_checks)
        right = fputs(",\n", file) != EOF && put_member(file, "findings", findings_array(report));
    return right && fputs("\n}\n", file) != EOF;
}
