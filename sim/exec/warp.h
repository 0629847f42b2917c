/* A warp: 32 threads that run together as far as their branches let them.
 *
 * The part above the line is what instruction handlers see.  The part below belongs to the control
 * flow (sim/exec/run/strand.c), which keeps the warp's threads in groups ("strands") that have come
 * apart at a branch and meet again at its immediate post-dominator, or some of them before.
 */
#ifndef WIDELOAD_SIM_WARP_H
#define WIDELOAD_SIM_WARP_H

#include <stddef.h>

#include "sim/exec/insn.h"

struct sim_worker;
struct sim_block;
struct sim_strand;
struct sim_join;
struct check_block;

struct sim_warp {
    char *base[2]; /* [0] the current frame's slots, [1] the constant pool */
    uint32_t mask; /* the lanes that execute the current instruction, its guard applied */
    uint32_t cc;   /* CC.CF, one bit a lane */
    struct sim_worker *worker;
    struct sim_block *block;
    struct check_block *check; /* NULL: the launch is not checked */

    /* ---------------------------------------------------------------- control flow's own */
    struct sim_strand *strand;  /* the one that runs */
    struct sim_strand *strands; /* every strand that has not ended or been parked at a join */
    struct sim_join *joins;     /* every join that some lanes have still to reach */
    uint32_t live;              /* lanes that have not exited */
    uint32_t born;              /* lanes that exist: all 32 but in a block's last, partial warp */
    uint32_t arrived[2]; /* lanes that have arrived at their cluster's barrier and not yet waited, by the
                            lowest bit of the phase that they arrived in */
    uint32_t index;      /* within the block: thread index = 32 * index + lane */
    uint32_t fuel;       /* basic blocks until the warp gives others a turn */
    uint32_t unspent;    /* of the turn, when it was given up */
    bool waits;          /* all that ran in its last turn waits in a loop for others */
    char *local;         /* local memory: word w of lane i lies at 128 * w + 4 * i */
    size_t local_words;
};

#endif
