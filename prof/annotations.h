/* What code hosts and editors show at a line: findings, faults, gates that fail, and lines that waste. */
#ifndef WIDELOAD_PROF_ANNOTATIONS_H
#define WIDELOAD_PROF_ANNOTATIONS_H

#include "prof/report.h"

/* Those from PROF_RULE_MEMORY to PROF_RULE_LEAK are the checks, by whose names findings are sorted. */
enum prof_rule {
    PROF_RULE_MEMORY,
    PROF_RULE_RACE,
    PROF_RULE_INIT,
    PROF_RULE_SYNC,
    PROF_RULE_LEAK,
    PROF_RULE_FAULT,
    PROF_RULE_GATE,
    PROF_RULE_WASTE,
    PROF_RULES
};

/* The rules' names: those of the checks, and "fault", "fail-if", "waste". */
extern const char *const prof_rule_names[PROF_RULES];

enum prof_level { PROF_ERROR, PROF_WARNING, PROF_NOTE };

/* Texts are valid during the call that gets the annotation. */
struct prof_annotation {
    enum prof_rule rule;
    enum prof_level level;
    const char *kernel;              /* mangled; NULL: host code, or unknown */
    const char *file;                /* NULL: unknown */
    unsigned line, column, ptx_line; /* 0: unknown */
    const char *what;         /* an access, a gate or a kind of finding: it stays the same when lines move */
    uint64_t times, launches; /* as in struct prof_finding; of others the row's launches */
    const struct prof_finding *finding; /* NULL: it is none */
    const char *message;
};

/* Calls `put` for each annotation: findings first, then row by row. */
void prof_annotate(const struct prof_report *report,
                   void (*put)(void *argument, const struct prof_annotation *annotation), void *argument);

/* The rest of a path below a folder; NULL: it is not below it, or the folder is NULL, empty or the root. */
const char *prof_path_below(const char *path, const char *folder);

#endif
