/* Reads the records of a profiled program's launches from a file; docs/prof.md describes them.  The program
 * may have been killed in the middle of a record, and the file may contain anything: lines that are not
 * records are counted and skipped. */
#ifndef WIDELOAD_PROF_RECORDING_H
#define WIDELOAD_PROF_RECORDING_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "prof/names.h"
#include "prof/samples.h"
#include "prof/sums.h"
#include "sim/cuda/record/records.h"

/* Instructions of one kind on one source line, in one launch or several. */
struct prof_line {
    const char *file; /* NULL: unknown */
    unsigned line, column;
    unsigned ptx_line;    /* of an access, if the file is unknown */
    const char *op;       /* "ld.global.v4.f32", "branch", "other" */
    const char *function; /* mangled; NULL: the kernel itself */
    unsigned bytes;       /* per lane; 0: no memory access */
    bool has_stride;      /* all lanes were `stride` bytes apart */
    int64_t stride;
    unsigned doubts; /* bits by prof_doubts (doubts.h): why its counters may differ from a GPU's */
    struct prof_sums sums;
    struct prof_kinds kinds; /* with WIDELOAD_PROF_PAGE */
};

/* For qsort(): compares by place, then by operation. */
int prof_line_compare(const void *left, const void *right);

/* The place of a fault or a finding. */
struct prof_place {
    const char *kernel;      /* mangled; NULL: unknown */
    const char *file;        /* NULL: unknown */
    unsigned line, ptx_line; /* in the source and in the PTX; 0: unknown */
    bool has_thread;
    unsigned block[3], thread[3];
};

struct prof_fault {
    const char *kind, *text;
    struct prof_place place;
    struct prof_place other; /* of a race: the other access; else all NULL */
};

/* A bug that the checks found in one or several launches. */
struct prof_finding {
    struct prof_fault what; /* its first occurrence */
    const char *check;      /* NULL: unknown */
    uint64_t times;         /* number of threads' accesses or barriers; at least 1 */
    uint64_t launches;      /* number of launches with the bug; 0: the bug is in host code */
};

/* What a launch did.  Launches that did the same share one. */
struct prof_detail {
    size_t index;       /* in recording->details */
    const char *kernel; /* mangled */
    const char *name;   /* demangled */
    unsigned grid[3], block[3];
    uint64_t shared_bytes;
    unsigned device; /* of its process */
    const char *arch;
    bool proved; /* hardware counters confirmed the rules */
    struct prof_sums sums;
    struct prof_line *lines;
    size_t line_count;
    struct prof_arrays arrays; /* with WIDELOAD_PROF_PAGE */
    struct prof_fault *fault;  /* NULL: none; otherwise the sums are partial */
};

struct prof_launch {
    int64_t process;
    uint64_t number; /* 1-based in its process */
    const struct prof_detail *detail;
};

struct prof_original {
    uint64_t number;
    const struct prof_detail *detail;
};

struct prof_process {
    int64_t pid;
    const char *program;
    const char *arch;
    bool proved;
    uint64_t launches, last;         /* number of records read, and their highest launch number */
    struct prof_original *originals; /* launches with complete records; other records refer to them */
    size_t original_count, original_capacity;
};

/* A message of the driver to the user. */
struct prof_message {
    bool error;
    const char *text;
};

struct prof_recording {
    struct prof_names names;
    struct prof_detail **details;
    size_t detail_count, detail_capacity;
    struct prof_launch *launches; /* in order */
    size_t launch_count, launch_capacity;
    struct prof_process *processes;
    size_t process_count, process_capacity;
    struct prof_message *messages; /* each text once */
    size_t message_count, message_capacity;
    struct prof_finding *findings; /* of the checks, each bug once */
    size_t finding_count, finding_capacity;
    struct prof_allocation *allocations; /* of arrays that launches used */
    size_t allocation_count, allocation_capacity;
    bool has_checks; /* the simulator ran the checks */
    size_t damaged;  /* lines that are not records */
    size_t missing;  /* launches before the last recorded one that have no record */

    /* From the file's account; all 0 if it has none. */
    bool has_account;
    uint64_t begun;     /* launches started */
    uint64_t in_flight; /* launches started but not ended */
    uint64_t lost;      /* records that could not be written */
    uint64_t absent;    /* records that were written but are not in the file */
    int lost_error;     /* errno of the first lost record */
    size_t in_flight_names;
    const char *in_flight_name[RECORDS_SLOTS]; /* mangled names of the first launches in flight */
};

/* Reads the file from its beginning.  False: it cannot be read, or out of memory. */
bool prof_recording_read(FILE *file, struct prof_recording *out, struct base_error *error);
/* Part of reading (merge.c): merges findings of the same bug.  False: out of memory. */
bool prof_findings_merge(struct prof_recording *recording);
void prof_recording_free(struct prof_recording *recording);

#endif
