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
    bool drop;       /* the arrival also lowers the count of later phases */
    bool expect;     /* count is the number of bytes to expect */
    bool unfinished; /* .noComplete: the arrival must not complete the phase */
    bool parity;     /* the wait names a phase by parity instead of an arrival's state */
    bool has_result;
    int32_t result; /* arrivals: the state; waits: the predicate */
    int32_t count;  /* arrivals or bytes; waits: the state or parity; -1: one arrival */
};

/* cp.async.bulk: each running lane copies bytes from global to shared memory, back, or to another block's
 * shared memory.  A copy into shared memory has a barrier. */
struct sim_bulk_copy {
    struct sim_memop from, to, barrier;
    struct sim_memop traffic; /* what it is counted as */
    int32_t from_address, to_address, barrier_address, size;
    int32_t blocks; /* mask of the receiving blocks, if multicast */
    bool multicast;
};

#endif
