#include <stdlib.h>
#include <string.h>

#include "bench/text.h"
#include "prof/demangle.h"
#include "prof/report.h"

/* In compute-sanitizer's manner. */
static void put_thread(FILE *file, const char *how, const struct prof_place *place) {
    if (place->has_thread)
        fprintf(file, "=========     %s thread (%u,%u,%u) in block (%u,%u,%u)\n", how, place->thread[0],
                place->thread[1], place->thread[2], place->block[0], place->block[1], place->block[2]);
}

static void put_finding(FILE *file, const struct prof_fault *finding) {
    const struct prof_place *place = &finding->place;
    fprintf(file, "========= %.*s\n", (int)strcspn(finding->text, "\n"), finding->text);
    if (place->kernel || place->file) {
        char *name = place->kernel ? prof_demangle(place->kernel) : NULL;
        fputs("=========     at ", file);
        if (place->kernel)
            fputs(name ? name : place->kernel, file);
        if (place->file)
            fprintf(file, "%s%s:%u", place->kernel ? " in " : "", place->file, place->line);
        fputc('\n', file);
        free(name);
    }
    put_thread(file, "by", place);
    if (finding->other.file)
        fprintf(file, "=========     and at %s:%u\n", finding->other.file, finding->other.line);
    put_thread(file, "and by", &finding->other);
}

void prof_put_findings(FILE *file, const struct prof_report *report) {
    const struct prof_recording *recording = report->recording;
    fputs("========= WIDELOAD CHECK\n", file);
    for (size_t i = 0; i < recording->finding_count; i++) {
        put_finding(file, &recording->findings[i]);
        fputs("=========\n", file);
    }
    fprintf(file, "========= ERROR SUMMARY: %zu %s\n", recording->finding_count,
            recording->finding_count == 1 ? "error" : "errors");
}

void prof_put_faults(FILE *file, const struct prof_report *report) {
    for (size_t i = 0; i < report->rows->launch_count; i++) {
        const struct prof_launch *launch = report->rows->launches[i];
        if (!launch->detail->fault)
            continue;
        char text[1024];
        snprintf(text, sizeof text, "! launch %zu faulted, so its figures are partial: %.*s",
                 (size_t)(launch - report->recording->launches) + 1,
                 (int)strcspn(launch->detail->fault->text, "\n"), launch->detail->fault->text);
        bench_wrap(file, text, 2, 2);
    }
}
