/* A stub of the library: host memory as device memory, a ladder whose kernels are the references, and ways to
 * spoil their results. */
#ifndef WIDELOAD_TESTS_BENCH_FAKE_H
#define WIDELOAD_TESTS_BENCH_FAKE_H

#include "ladder/ladder.h"

enum fake_fault {
    FAKE_RIGHT,
    FAKE_NEVER_WRITES,
    FAKE_ONE_WRONG,        /* element 3 of the first output */
    FAKE_LAST_WRONG,       /* the last element of the first output */
    FAKE_NAN,              /* element 3 becomes NaN */
    FAKE_PAST_END,         /* one byte after the first output, fake.distance bytes from its end */
    FAKE_BEFORE_START,     /* one byte before it, fake.distance bytes from its start */
    FAKE_COPIES_PAST_END,  /* copies one element too many, guard to guard */
    FAKE_INPUT_CHANGED,    /* element 2 of the first input */
    FAKE_INPUT_PAST_END,   /* one byte after the first input */
    FAKE_TOUCHES_OTHERS,   /* writes the first output's last element, even if the formula leaves it alone */
    FAKE_SWAPS_ENTRIES,    /* sparse result: exchanges two entries of one column (allowed) */
    FAKE_MOVES_ENTRY,      /* sparse result: exchanges two entries of different columns */
    FAKE_REVERSES_COLUMNS, /* sparse result: each column's entries in descending order (allowed) */
    FAKE_WRONG_ENTRIES,    /* the same, with the values of entries fake.distance and 5 further changed */
    FAKE_WORK_OVERRUN,     /* one byte after the work area */
    FAKE_KERNEL_FAULT,     /* WL_ERROR_KERNEL_FAULT; the context is broken from then on */
    FAKE_LAUNCH_REFUSED,   /* WL_ERROR_DRIVER; the context keeps working */
    FAKE_LAUNCH_BREAKS,    /* WL_ERROR_DRIVER; the context is broken from then on */
    FAKE_DOWNLOAD_FAILS,   /* WL_ERROR_DRIVER after fake.distance downloads; the context keeps working */
    FAKE_PREPARE_FAILS,    /* WL_ERROR_DRIVER before the launch; the context keeps working */
    FAKE_OPEN_FAILS,       /* WL_ERROR_DRIVER of a rung's open(); the contexts keep working */
};

struct fake_state {
    enum fake_fault fault;
    uint64_t distance;
    unsigned output, input;     /* which existing array is spoilt instead of the first */
    bool gpu;                   /* times instead of counters */
    uint64_t memory;            /* total; 0: 1 GiB */
    int l2_bytes;               /* 0: 1 MiB; -1: unknown to the driver */
    const char *not_applicable; /* the result of every rung's applicable() */
    double launch_ms;           /* 0: 0.5 */
    unsigned launches;
    bool no_graphs;      /* wl__replay_create fails */
    unsigned replays;    /* number of launched replays */
    bool no_peer_access; /* wl__group_open() fails */
    unsigned meetings;   /* of groups */
    unsigned opened;     /* by rungs' open(), and not closed; must be 0 at the end of a test */
};
extern struct fake_state fake;

/* Allocations not yet freed; must be 0 at the end of a test. */
extern unsigned fake_allocations;

#endif
