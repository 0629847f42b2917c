/* The file that WIDELOAD_PROF_OUT names: an account, then records, one line of JSON each.  docs/prof.md
 * describes both.
 *
 * `wideload prof` creates the file with the account before the program runs.  Each process maps the account
 * when the driver is loaded.  So it can count even if it can no longer open files, if the disk is full, or if
 * it is killed: a record that could not be written is counted as lost, and a launch that has not ended keeps
 * its slot.  A file without an account gets only records.
 *
 * A record is appended by one write, so records of several threads and processes do not mix.  The file is
 * open only during the write, so it takes no descriptor from the program.
 *
 * All functions are thread-safe and preserve errno. */
#ifndef WIDELOAD_SIM_CUDA_RECORDS_H
#define WIDELOAD_SIM_CUDA_RECORDS_H

#include <stdint.h>

#include "sim/cuda/record/profile_text.h"

#define RECORDS_MAGIC "wlprof1"

enum { RECORDS_ACCOUNT = 8192 /* bytes; the records come after them */, RECORDS_SLOTS = 8 };

/* A launch in flight.  If no slot is free, a launch is still counted. */
struct records_slot {
    int64_t pid;       /* 0: free */
    char kernel[1000]; /* as in PTX, truncated to fit; NUL-terminated */
};

/* The beginning of the file.  Processes write it with atomic operations; it is read after they have ended. */
struct records_account {
    char magic[8];    /* RECORDS_MAGIC */
    uint64_t written; /* records */
    uint64_t lost;    /* records that could not be written */
    uint64_t begun;   /* launches */
    uint64_t ended;
    int64_t error; /* errno of the first lost record */
    uint64_t unused[2];
    struct records_slot slots[RECORDS_SLOTS];
    char rest[RECORDS_ACCOUNT - 64 - 1008 * RECORDS_SLOTS];
};

_Static_assert(sizeof(struct records_account) == RECORDS_ACCOUNT, "a file's first bytes");

/* Opens the file that the environment names, if it names one and none is open.  False with errno set if it
 * cannot be opened. */
bool records_open(void);
/* Whether a file is open.  It stays open until the process ends. */
bool records_are_on(void);

/* Terminates the record, one line of JSON, with a newline and appends it.  False with errno set if it is
 * lost, which the account counts. */
bool records_append(struct profile_text *text);

/* Call around a launch.  Returns the argument of records_end(). */
unsigned records_begin(const char *kernel);
void records_end(unsigned slot);

#endif
