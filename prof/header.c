#include <inttypes.h>
#include <string.h>

#include "bench/text.h"
#include "prof/report.h"

static void put_counted(FILE *file, uint64_t count, const char *one, const char *several) {
    fprintf(file, "%" PRIu64 " %s", count, count == 1 ? one : several);
}

void prof_put_header(FILE *file, const struct prof_report *report) {
    const struct prof_rows *rows = report->rows;
    const struct prof_recording *recording = report->recording;
    const struct prof_detail *first = rows->launches[0]->detail;
    fprintf(file, "wideload prof: %s: ", report->program);
    if (!report->each) {
        put_counted(file, rows->count, "kernel", "kernels");
        fputs(", ", file);
    }
    put_counted(file, rows->launch_count, "launch", "launches");
    fprintf(file, "; counting rules %s%s\n", first->arch,
            first->proved ? "" : " (not held against hardware)");
    if (rows->launch_count < recording->launch_count)
        fprintf(file, "%zu of %zu launches are shown.\n", rows->launch_count, recording->launch_count);
    if (recording->missing)
        fprintf(file, "%zu launches left no record: the figures are incomplete.\n", recording->missing);
    if (recording->damaged)
        fprintf(file, "%zu damaged records were passed over: the program was killed, or the disk is full.\n",
                recording->damaged);
    fputc('\n', file);
}

void prof_put_messages(FILE *file, const struct prof_report *report) {
    for (size_t i = 0; i < report->recording->message_count; i++) {
        const struct prof_message *message = &report->recording->messages[i];
        char text[600];
        snprintf(text, sizeof text, "%s: %.*s", message->error ? "driver" : "note",
                 (int)strcspn(message->text, "\n"), message->text);
        bench_wrap(file, text, 2, 0);
    }
}
