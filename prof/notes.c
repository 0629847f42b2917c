#include "prof/notes.h"

#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
#include "prof/report.h"
#include "prof/waste.h"

static uint64_t figure(const struct prof_line *line, size_t offset) {
    return *(const uint64_t *)((const char *)&line->sums + offset);
}

/* The line with most of the figure that stands there in its sums; NULL: it is 0 in all. */
static const struct prof_line *find_most(const struct prof_line *lines, size_t count, size_t offset) {
    const struct prof_line *most = NULL;
    for (size_t i = 0; i < count; i++)
        if (figure(&lines[i], offset) > (most ? figure(most, offset) : 0))
            most = &lines[i];
    return most;
}

/* Accesses that the simulator let pass, as hardware does: the program is wrong, and its figures stand. */
static bool note_outside(const struct prof_line *lines, size_t count, char out[PROF_NOTE]) {
    const struct prof_line *most = find_most(lines, count, offsetof(struct prof_sums, outside));
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += lines[i].sums.outside;
    if (!most)
        return false;
    char place[120];
    prof_place_text(most, place, sizeof place);
    snprintf(out, PROF_NOTE,
             "%llu access%s outside any allocation, %s%s (%.40s): a GPU lets such pass where memory happens "
             "to be; "
             "--check memory names them",
             (unsigned long long)sum, sum == 1 ? "" : "es", most->sums.outside < sum ? "most at " : "at ",
             place, most->op);
    return true;
}

/* Barriers and .sync instructions that hardware goes on at, as a rule. */
static bool note_undefined(const struct prof_line *lines, size_t count, char out[PROF_NOTE]) {
    const struct prof_line *most = find_most(lines, count, offsetof(struct prof_sums, undefined));
    if (!most)
        return false;
    char place[120];
    prof_place_text(most, place, sizeof place);
    snprintf(out, PROF_NOTE,
             "what CUDA leaves undefined, at %s (%.40s): lanes at different .sync instructions, a shuffle "
             "from a lane that "
             "has exited, a barrier that part of a warp passes or that is used wrongly; a GPU may go on or "
             "hang; run with "
             "--check sync",
             place, most->op);
    return true;
}

/* How many transactions of the line are in doubt, or 1: a call's own are none. */
static double weight(const struct prof_line *line) {
    return prof_line_transactions(line) + 1;
}

/* Why figures may not be a GPU's, and where that weighs most. */
static bool note_doubt(const struct prof_line *lines, size_t count, unsigned doubt, char out[PROF_NOTE]) {
    const struct prof_line *most = NULL;
    for (size_t i = 0; i < count; i++)
        if (lines[i].doubts >> doubt & 1 && (!most || weight(&lines[i]) > weight(most)))
            most = &lines[i];
    if (!most)
        return false;
    char place[120];
    prof_place_text(most, place, sizeof place);
    snprintf(out, PROF_NOTE, "~ %s, at %s (%.40s): %s", prof_doubts[doubt].name, place, most->op,
             prof_doubts[doubt].words);
    return true;
}

size_t prof_notes(const struct prof_line *lines, size_t count, char out[PROF_NOTES][PROF_NOTE]) {
    size_t notes = 0;
    notes += note_outside(lines, count, out[notes]);
    notes += note_undefined(lines, count, out[notes]);
    for (unsigned d = 0; d < PROF_DOUBTS; d++)
        notes += note_doubt(lines, count, d, out[notes]);
    return notes;
}

void prof_put_notes(FILE *file, const struct prof_report *report) {
    for (size_t i = 0; i < report->rows->count; i++) {
        const struct prof_row *row = &report->rows->items[i];
        char notes[PROF_NOTES][PROF_NOTE], text[PROF_NOTE + PROF_LABEL + 10];
        size_t count = prof_notes(row->lines, row->line_count, notes);
        for (size_t n = 0; n < count; n++) {
            snprintf(text, sizeof text, "note: %s: %.*s", row->label, PROF_NOTE - 1, notes[n]);
            base_wrap(file, text, 2, 0);
        }
    }
}
