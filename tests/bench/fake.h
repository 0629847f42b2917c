/* A stand-in for the library: host memory as device memory, a ladder whose kernels are the references, and
 * ways to spoil them. */
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
    FAKE_COPIES_PAST_END,  /* copies one element more than there are, guard to guard */
    FAKE_INPUT_CHANGED,    /* element 2 of the first input */
    FAKE_INPUT_PAST_END,   /* one byte after the first input */
    FAKE_TOUCHES_OTHERS,   /* writes the first output's last element, which the formula may leave alone */
    FAKE_SWAPS_ENTRIES,    /* of a sparse result: two entries of one column change places (allowed) */
    FAKE_MOVES_ENTRY,      /* of a sparse result: two entries of different columns change places */
    FAKE_REVERSES_COLUMNS, /* of a sparse result: each column's entries in falling order (allowed) */
    FAKE_WRONG_ENTRIES,  /* the same, and the values of entries fake.distance and the one 5 further changed */
    FAKE_WORK_OVERRUN,   /* one byte after the work area */
    FAKE_KERNEL_FAULT,   /* WL_ERROR_KERNEL_FAULT, and the context is broken from then on */
    FAKE_LAUNCH_REFUSED, /* WL_ERROR_DRIVER, and the context works on */
    FAKE_LAUNCH_BREAKS,  /* WL_ERROR_DRIVER, and the context is broken from then on */
    FAKE_DOWNLOAD_FAILS, /* WL_ERROR_DRIVER after fake.distance downloads, and the context works on */
    FAKE_PREPARE_FAILS,  /* WL_ERROR_DRIVER before the launch, and the context works on */
};

struct fake_state {
    enum fake_fault fault;
    uint64_t distance;
    unsigned output, input;     /* which of the arrays that there are is spoilt in place of the first */
    bool gpu;                   /* time instead of counters */
    uint64_t memory;            /* total; 0: 1 GiB */
    int l2_bytes;               /* 0: 1 MiB; -1: the driver does not say */
    const char *not_applicable; /* what every rung's applicable() says */
    double launch_ms;           /* 0: 0.5 */
    unsigned launches;
    bool no_graphs;   /* wl__replay_create fails */
    unsigned replays; /* launched */
};
extern struct fake_state fake;

/* Allocations that are still held; 0 at a test's end. */
extern unsigned fake_allocations;

#endif
