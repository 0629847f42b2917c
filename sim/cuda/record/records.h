/* The file that WIDELOAD_PROF_OUT names: records, a line of JSON each, and before them an account of them.
 * docs/prof.md describes both.
 *
 * `wideload prof` makes the file, with the account in place, before the program runs.  Each process maps the
 * account as soon as the driver is loaded, so it can count whatever becomes of the process: when it may open
 * no file any more, when the disk is full, when it is killed.  A record that could not be written is counted
 * as lost, and a launch that has not ended keeps its slot.  A file without an account gets records alone.
 *
 * A record is appended by one write, so records of several threads and processes do not mix; the file is open
 * only meanwhile, so that it takes no descriptor from the program.
 *
 * Everything here may be called from any thread, and keeps errno. */
#ifndef WIDELOAD_SIM_CUDA_RECORDS_H
#define WIDELOAD_SIM_CUDA_RECORDS_H

#include <stdint.h>

#include "sim/cuda/record/profile_text.h"

#define RECORDS_MAGIC "wlprof1"

enum { RECORDS_ACCOUNT = 8192 /* bytes; the records come after them */, RECORDS_SLOTS = 8 };

/* A launch that has begun and not ended.  One that finds no slot free is counted all the same. */
struct records_slot {
    int64_t pid;       /* 0: free */
    char kernel[1000]; /* as in PTX, cut off where it is longer; ends with a zero */
};

/* How the file begins.  Written by the processes with atomic operations, read when they have ended. */
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

/* Opens the file that the environment names, if it names one and none is open.  False when it cannot be:
 * errno says why. */
bool records_open(void);
/* A file is open.  It stays so until the process ends. */
bool records_are_on(void);

/* Ends the record, one line of JSON, with a newline and appends it.  False when it is lost: errno says why,
 * and the account has it. */
bool records_append(struct profile_text *text);

/* Around a launch.  Returns what records_end() asks for. */
unsigned records_begin(const char *kernel);
void records_end(unsigned slot);

#endif
