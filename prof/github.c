/* Workflow commands: GitHub shows them at the lines of a change. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/annotations.h"

/* Escapes a text as GitHub's toolkit does; properties have two more special characters. */
static void put_escaped(FILE *file, const char *text, bool property) {
    for (; *text; text++) {
        if (strchr("%\r\n", *text) || (property && strchr(":,", *text)))
            fprintf(file, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, file);
    }
}

static void put(void *argument, const struct prof_annotation *annotation) {
    static const char *const levels[] = {
        [PROF_ERROR] = "error", [PROF_WARNING] = "warning", [PROF_NOTE] = "notice"};
    FILE *file = argument;
    /* A warning is about a line. */
    if (!annotation->file && annotation->level == PROF_WARNING)
        return;
    fprintf(file, "::%s", levels[annotation->level]);
    if (annotation->file) {
        /* GitHub needs paths relative to the repository's root. */
        const char *path = prof_path_below(annotation->file, getenv("GITHUB_WORKSPACE"));
        fputs(" file=", file);
        put_escaped(file, path ? path : annotation->file, true);
        fprintf(file, ",line=%u", annotation->line);
        if (annotation->column)
            fprintf(file, ",col=%u", annotation->column);
    }
    fputs("::", file);
    put_escaped(file, annotation->message, false);
    if (annotation->finding && annotation->launches > 1)
        fprintf(file, " (%" PRIu64 " times in %" PRIu64 " launches)", annotation->times,
                annotation->launches);
    fputc('\n', file);
}

void prof_put_annotations(FILE *file, const struct prof_report *report) {
    if (prof_is_incomplete(report))
        fputs("::error::" PROF_INCOMPLETE "\n", file);
    prof_annotate(report, put, file);
}
