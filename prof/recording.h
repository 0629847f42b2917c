/* What a profiled program left behind: the records of its launches, read from a file.  docs/prof.md
 * describes them.  The program may have been killed in the middle of a record, and anything may stand in
 * the file: a line that is no record is counted and passed over. */
#ifndef WIDELOAD_PROF_RECORDING_H
#define WIDELOAD_PROF_RECORDING_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "prof/names.h"
#include "prof/sums.h"
#include "sim/cuda/record/records.h"

/* Instructions of one kind on one source line, in one launch or several. */
struct prof_line {
    const char *file; /* NULL: unknown */
    unsigned line, column;
    unsigned ptx_line;    /* of an access where the file is unknown */
    const char *op;       /* "ld.global.v4.f32", "branch", "other" */
    const char *function; /* mangled; NULL: the kernel itself */
    unsigned bytes;       /* that a lane moves; 0: accesses no memory */
    bool has_stride;      /* lanes always lay stride bytes apart */
    int64_t stride;
    unsigned doubts; /* bits by prof_doubts (doubts.h): why its counters may not be a GPU's */
    struct prof_sums sums;
};

/* By place; then by what they do. */
int prof_line_compare(const void *left, const void *right);

/* Where a fault or a finding was. */
struct prof_place {
    const char *kernel; /* mangled; NULL: unknown, as file */
    const char *file;
    unsigned line, ptx_line; /* of the text of the PTX; 0: unknown */
    bool has_thread;
    unsigned block[3], thread[3];
};

struct prof_fault {
    const char *kind, *text;
    struct prof_place place;
    struct prof_place other; /* of a race: whom it was with; all NULL else */
};

/* A bug that the checks found, in one launch or in several. */
struct prof_finding {
    struct prof_fault what; /* as it was first seen */
    const char *check;      /* NULL: unknown */
    uint64_t times;         /* accesses or barriers of threads that it stands for; at least 1 */
    uint64_t launches;      /* of kernels, that it was found in; 0: the host's doing */
};

/* What a launch did; several launches that did the same share one. */
struct prof_detail {
    size_t index;       /* in recording->details */
    const char *kernel; /* mangled */
    const char *name;   /* demangled */
    unsigned grid[3], block[3];
    uint64_t shared_bytes;
    const char *arch;
    bool proved; /* its rules were held against hardware */
    struct prof_sums sums;
    struct prof_line *lines;
    size_t line_count;
    struct prof_fault *fault; /* NULL: none; else the sums are partial */
};

struct prof_launch {
    int64_t process;
    uint64_t number; /* within its process, from 1 */
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
    uint64_t launches, last;         /* records read; the highest number among them */
    struct prof_original *originals; /* the launches that are written out; others refer to them */
    size_t original_count, original_capacity;
};

/* What the driver told the user. */
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
    bool has_checks; /* the simulator said that it checks */
    size_t damaged;  /* lines that are no records */
    size_t missing;  /* launches before the last one that left none */

    /* What the account of the records says; all 0 where the file has none. */
    bool has_account;
    uint64_t begun;     /* launches */
    uint64_t in_flight; /* of those, launches that did not end */
    uint64_t lost;      /* records that could not be written */
    uint64_t absent;    /* records that were written and are not there */
    int lost_error;     /* errno of the first lost one */
    size_t in_flight_names;
    const char *in_flight_name[RECORDS_SLOTS]; /* mangled; of the first ones in flight */
};

/* Reads the file from its beginning.  False when it cannot be read, or memory is short. */
bool prof_recording_read(FILE *file, struct prof_recording *out, struct base_error *error);
/* merge.c: makes one of the findings that are the same bug; part of reading.  False: out of memory. */
bool prof_findings_merge(struct prof_recording *recording);
void prof_recording_free(struct prof_recording *recording);

#endif
