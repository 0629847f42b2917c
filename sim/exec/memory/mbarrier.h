/* mbarrier objects: 8 bytes of shared memory.  Private to sim/exec. */
#ifndef WIDELOAD_SIM_MBARRIER_H
#define WIDELOAD_SIM_MBARRIER_H

#include "sim/exec/program.h"

enum sim_mbarrier_op {
    SIM_MBARRIER_INIT,
    SIM_MBARRIER_INVAL,
    SIM_MBARRIER_ARRIVE,
    SIM_MBARRIER_EXPECT_TX,
    SIM_MBARRIER_COMPLETE_TX,
    SIM_MBARRIER_TEST,
    SIM_MBARRIER_TRY,
};

struct sim_mbarrier {
    struct sim_memop at;
    enum sim_mbarrier_op op;
    bool drop;       /* the arrival counts for later phases too */
    bool expect;     /* the arrival brings bytes to expect, in count's place */
    bool unfinished; /* .noComplete: the arrival must not complete the phase */
    bool parity;     /* the wait names a phase by its parity, not by an arrival's state */
    bool has_result;
    int32_t result; /* arrivals: the state; waits: the predicate */
    int32_t count;  /* arrivals or bytes; waits: the state or parity; -1: one arrival */
};

/* cp.async.bulk: bytes by the running lanes, from global to shared memory, back, or to another block's.  What
 * comes to shared memory has a barrier. */
struct sim_bulk_copy {
    struct sim_memop from, to, barrier;
    struct sim_memop traffic; /* what it counts as */
    int32_t from_address, to_address, barrier_address, size;
    int32_t blocks; /* a mask of those that it goes to, when multicast */
    bool multicast;
};

#endif
