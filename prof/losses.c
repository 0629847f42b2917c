/* Prints what is missing from the report: launches that did not end, lost records, and running processes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "prof/demangle.h"
#include "prof/report.h"

static uint64_t lost(const struct prof_recording *recording) {
    return recording->lost + recording->absent;
}

/* Whether the account that `wideload prof` wrote is gone. */
static bool overwritten(const struct prof_report *report) {
    return !report->recording->has_account && !report->read;
}

bool prof_is_incomplete(const struct prof_report *report) {
    const struct prof_recording *recording = report->recording;
    return overwritten(report) || recording->in_flight || lost(recording) || recording->missing ||
           recording->damaged || report->running;
}

static const char *plural(uint64_t count, const char *one, const char *several) {
    return count == 1 ? one : several;
}

static void put_in_flight(FILE *file, const struct prof_recording *recording) {
    char text[600];
    for (size_t i = 0; i < recording->in_flight_names; i++) {
        char *plain = prof_demangle(recording->in_flight_name[i]), name[200];
        prof_fit_name(plain ? plain : recording->in_flight_name[i], name, sizeof name);
        free(plain);
        snprintf(text, sizeof text, "! %s was in flight at the end: it has no figures", name);
        base_wrap(file, text, 2, 0);
    }
    uint64_t more = recording->in_flight - recording->in_flight_names;
    if (more) {
        snprintf(text, sizeof text, "! %" PRIu64 " %s in flight at the end: no figures", more,
                 plural(more, "launch was", "launches were"));
        base_wrap(file, text, 2, 0);
    }
}

void prof_put_losses(FILE *file, const struct prof_report *report) {
    const struct prof_recording *recording = report->recording;
    char text[600];
    put_in_flight(file, recording);
    if (report->running) {
        snprintf(text, sizeof text, "! %zu %s not ended: the report covers what it launched so far",
                 report->running,
                 plural(report->running, "process that uses CUDA has", "processes that use CUDA have"));
        base_wrap(file, text, 2, 0);
    }
    if (overwritten(report)) {
        base_wrap(file, "! the records were overwritten: the report is incomplete", 2, 0);
    } else if (lost(recording)) {
        snprintf(text, sizeof text, "! %" PRIu64 " %s lost%s%s%s: the report is incomplete", lost(recording),
                 plural(lost(recording), "record was", "records were"), recording->lost ? " (" : "",
                 recording->lost ? strerror(recording->lost_error) : "", recording->lost ? ")" : "");
        base_wrap(file, text, 2, 0);
    } else if (recording->missing || recording->damaged) {
        snprintf(text, sizeof text, "! %zu %s left no record, and %zu %s damaged: the report is incomplete",
                 recording->missing, plural(recording->missing, "launch", "launches"), recording->damaged,
                 plural(recording->damaged, "record is", "records are"));
        base_wrap(file, text, 2, 0);
    }
}
