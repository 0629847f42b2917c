#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "prof/demangle.h"
#include "prof/labels.h"
#include "prof/report.h"

/* The format is compute-sanitizer's. */
static void put_thread(FILE *file, const char *how, const struct prof_place *place) {
    if (place->has_thread)
        fprintf(file, "=========     %s thread (%u,%u,%u) in block (%u,%u,%u)\n", how, place->thread[0],
                place->thread[1], place->thread[2], place->block[0], place->block[1], place->block[2]);
}

/* "dir/a.cu:14", "PTX line 14", or nothing. */
static void put_line(FILE *file, const char *before, const struct prof_place *place) {
    if (place->file)
        fprintf(file, "%s%s:%u", before, place->file, place->line);
    else if (place->ptx_line)
        fprintf(file, "%sPTX line %u", before, place->ptx_line);
}

/* Prints the demangled name, or the label if the name is longer than a line. */
static void put_kernel(FILE *file, const char *mangled) {
    char *name = prof_demangle(mangled), *label = NULL;
    if (name && strlen(name) > BASE_TEXT_COLUMNS)
        label = prof_demangle_words(mangled, NULL);
    fputs(label ? label : name ? name : mangled, file);
    free(name);
    free(label);
}

static void put_finding(FILE *file, const struct prof_finding *finding) {
    const struct prof_fault *what = &finding->what;
    const struct prof_place *place = &what->place;
    fprintf(file, "========= %.*s\n", (int)strcspn(what->text, "\n"), what->text);
    if (place->kernel || place->file) {
        fputs("=========     at ", file);
        if (place->kernel)
            put_kernel(file, place->kernel);
        put_line(file, place->kernel ? " in " : "", place);
        fputc('\n', file);
    }
    put_thread(file, "by", place);
    if (what->other.file || what->other.ptx_line) {
        put_line(file, "=========     and at ", &what->other);
        fputc('\n', file);
    }
    put_thread(file, "and by", &what->other);
    if (finding->launches > 1)
        fprintf(file, "=========     %" PRIu64 " times in %" PRIu64 " launches\n", finding->times,
                finding->launches);
    else if (finding->times > 1)
        fprintf(file, "=========     %" PRIu64 " times\n", finding->times);
}

bool prof_is_leak(const struct prof_finding *finding) {
    return strcmp(finding->what.kind, "leak") == 0;
}

size_t prof_count_errors(const struct prof_report *report) {
    size_t errors = 0;
    for (size_t i = 0; i < report->recording->finding_count; i++)
        errors += report->leaks_fail || !prof_is_leak(&report->recording->findings[i]);
    return errors;
}

void prof_put_findings(FILE *file, const struct prof_report *report) {
    const struct prof_recording *recording = report->recording;
    const size_t errors = prof_count_errors(report), leaks = recording->finding_count - errors;
    fputs("========= WIDELOAD CHECK\n", file);
    for (size_t i = 0; i < recording->finding_count; i++) {
        put_finding(file, &recording->findings[i]);
        fputs("=========\n", file);
    }
    fprintf(file, "========= ERROR SUMMARY: %zu error%s%s\n", errors, errors == 1 ? "" : "s",
            prof_is_incomplete(report) ? " in what was recorded" : "");
    if (leaks)
        fprintf(file, "========= LEAK SUMMARY: %zu leak%s, no error without --check leak\n", leaks,
                leaks == 1 ? "" : "s");
}

/* A hint at the check that gives more details of a fault; NULL: none. */
static const char *hint(const struct prof_fault *fault) {
    static const struct {
        const char *kind, *words;
    } hints[] = {{"deadlock", "run with --check sync: it names the barriers and masks that threads part at"},
                 {"address", "run with --check memory: it goes on, and names all that are out of bounds"},
                 {"misaligned", "run with --check memory: it goes on, and names all that are misaligned"}};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].kind, fault->kind) == 0)
            return hints[i].words;
    return NULL;
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
        base_wrap(file, text, 2, 2);
        const char *words = report->recording->has_checks ? NULL : hint(launch->detail->fault);
        if (words)
            base_wrap(file, words, 2, 0);
    }
}
