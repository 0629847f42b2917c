#include <string.h>

#include "base/text.h"
#include "prof/report.h"

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

void prof_put_header(FILE *file, const struct prof_report *report) {
    const struct prof_rows *rows = report->rows;
    const struct prof_recording *recording = report->recording;
    const struct prof_detail *first = rows->launches[0]->detail;
    char kernels[60] = "", text[200];
    if (!report->each)
        snprintf(kernels, sizeof kernels, "%zu kernel%s, ", rows->count, plural(rows->count));
    snprintf(text, sizeof text, "%s%zu launch%s; counting rules %s%s", kernels, rows->launch_count,
             rows->launch_count == 1 ? "" : "es", first->arch,
             first->proved ? "" : " (not held against hardware)");
    /* The program's name is never broken.  If it leaves no room for the text, the text gets its own line. */
    int name = fprintf(file, "wideload prof: %s:", report->program);
    bool fits = name > 0 && (size_t)name + 1 + strlen(text) <= (size_t)base_text_columns(file);
    fputc(fits ? ' ' : '\n', file);
    base_wrap(file, text, 0, fits ? name + 1 : 0);
    if (rows->launch_count < recording->launch_count)
        fprintf(file, "%zu of %zu launches are shown.\n", rows->launch_count, recording->launch_count);
    fputc('\n', file);
}

const struct prof_message *prof_first_error(const struct prof_report *report) {
    for (size_t i = 0; i < report->recording->message_count; i++)
        if (report->recording->messages[i].error)
            return &report->recording->messages[i];
    return NULL;
}

void prof_put_messages(FILE *file, const struct prof_report *report, const struct prof_message *told) {
    for (size_t i = 0; i < report->recording->message_count; i++) {
        const struct prof_message *message = &report->recording->messages[i];
        if (told && (message == told || !message->error))
            continue;
        char text[600];
        snprintf(text, sizeof text, "%s: %.*s", message->error ? "driver" : "note",
                 (int)strcspn(message->text, "\n"), message->text);
        base_wrap(file, text, 2, 0);
    }
}
