/* What runs: a worker thread, the block it has in hand, and the block's strands.  Private to sim/exec.
 *
 * A strand is a set of lanes of one warp that run together.  A warp starts as one strand.  At a branch
 * whose lanes disagree it splits; joins say where the parts meet again (the branch's immediate
 * post-dominator, and maybe a nearer place) and which lanes are to come.  A strand that arrives before the
 * others ends there and leaves its lanes parked in the join; the last to arrive goes on with all of them.
 *
 * Waiting at barriers is a strand's own, so threads of one warp may wait in different places, as on
 * Volta and later.  When nothing in a block can run but some lanes are parked, they are let go before
 * the others arrive; when none are parked either, the block is deadlocked and the launch faults.
 */
#ifndef WIDELOAD_SIM_WORKER_H
#define WIDELOAD_SIM_WORKER_H

#include <setjmp.h>

#include "sim/exec/program.h"
#include "sim/exec/sample/hooks.h"
#include "sim/exec/warp.h"

#define SIM_BLOCK_BARRIERS  16                 /* that PTX names by number */
#define SIM_CLUSTER_BARRIER SIM_BLOCK_BARRIERS /* the cluster's */
#define SIM_BARRIERS        (SIM_BLOCK_BARRIERS + 1)
#define SIM_MAX_WARPS       32
#define SIM_MAX_CALL_DEPTH  4096
/* Bytes of local memory before a thread's own, and past its frame's, that a wrong index reaches unharmed: an
 * H200 let pass 512 before and 1024 past an array of 64, and through direct addresses 4096 either way. */
#define SIM_LOCAL_BELOW 512
#define SIM_LOCAL_ABOVE 4096
/* Basic blocks that a strand may run before other strands get a turn, so that a loop which waits for
 * another thread's store does not wait forever. */
#define SIM_TURN 65536
/* Turns after which a strand that never ends or waits makes its joins let their parked lanes go. */
#define SIM_PATIENCE 64
/* Times that a block may run into mbarriers' time limits, with nothing else to do, before it is deadlocked.
 */
#define SIM_TIMEOUTS 65536
/* Reads of an unchanged value, one after the other, that make a strand give up its turn. */
#define SIM_POLLS 16
/* Turns given up that way, at atomics, that make its joins let their parked lanes go. */
#define SIM_SPINS 4

struct sim_frame {
    struct sim_frame *caller;
    const struct sim_code *code;
    const struct sim_insn *return_to; /* the call */
    uint32_t references;              /* strands that run in it, and frames called from it */
    uint32_t depth;
    uint32_t local_base; /* where its local variables begin, in bytes a lane */
    char *slots;
};

struct sim_join {
    struct sim_join *next;  /* the warp's list */
    struct sim_join *outer; /* the join that its lanes go on to */
    const struct sim_insn *at;
    struct sim_frame *frame;
    uint32_t expected, arrived; /* lanes */
    bool nearer;                /* lanes may pass it by (strand.h), ... */
    uint32_t block;             /* ... where the block says so that lists this one, whose branch made it */
};

enum sim_strand_state { STRAND_READY, STRAND_BARRIER, STRAND_WARP_SYNC, STRAND_MBARRIER };

struct sim_strand {
    struct sim_strand *next; /* the warp's list */
    const struct sim_insn *pc;
    struct sim_frame *frame;
    struct sim_join *join;
    uint32_t mask;
    enum sim_strand_state state;
    uint32_t barrier; /* STRAND_BARRIER: which */
    uint32_t members; /* STRAND_WARP_SYNC: lanes to wait for */
    uint64_t spent;   /* basic blocks that it ran without waiting or ending, since its joins let lanes go */
    /* Whether it waits in a loop: the last two reads of what other threads may write, the values that they
     * found, and how often in a row they found the same. */
    const struct sim_insn *polled[2];
    uint64_t seen[2];
    uint32_t polls, spins;
    bool spinning, lock;           /* it gives up this turn; it does so at an atomic */
    bool expired;                  /* STRAND_MBARRIER: it has waited long enough */
    uint32_t phases;               /* STRAND_MBARRIER: the block's when it began to wait */
    const struct sim_insn *waited; /* the instruction that it waits at, or has waited at until now */
};

struct sim_barrier {
    uint32_t arrived;  /* threads */
    uint32_t expected; /* threads; 0: every live thread of the block */
    uint32_t count;    /* .red: threads whose predicate held, ... */
    uint32_t voters;   /* ... out of these */
};

/* What one worker saw of a basic block. */
struct sim_block_tally {
    uint64_t warps, lanes;
    uint64_t splits;       /* at the branch that ends it: how often lanes parted */
    uint64_t undefined;    /* how often an instruction did what CUDA leaves undefined, and hardware goes on */
    uint32_t undefined_at; /* the last such instruction: its index in the function */
};

/* How far apart an instruction's lanes lie, over all its accesses of several lanes. */
struct sim_stride {
    enum { SIM_STRIDE_NONE, SIM_STRIDE_ONE, SIM_STRIDE_MIXED } state; /* no such access; the same; not */
    int64_t bytes;                                                    /* from a lane to the next */
};

/* Which lanes of the last access of an instruction lay where, and what that cost: patterns repeat. */
struct sim_pattern {
    bool split; /* check/ knows its words */
    /* All 32 lanes take part, and those of each half lie in one place, or each next to the one before. */
    bool uniform, contiguous;
    uint8_t space;  /* enum sim_space that the costs are for */
    uint16_t bytes; /* that each lane moves; 0: nothing is known */
    bool unsure;    /* count_shared_unsure() of an access, of this pattern or of an earlier one */
    uint32_t mask;
    uint32_t phases;     /* bit p: costs[p] holds the cost at address phase 4 p, modulo 128 */
    uint64_t low, span;  /* first byte of the lowest lane, from the first lane's address; bytes from it to the
                            end of the highest, or more than there are where lanes lie too far apart */
    uint64_t misaligned; /* the deltas or-ed together */
    uint64_t delta[SIM_LANES];
    struct count_result costs[32];
};

/* What one worker saw of a memory instruction. */
struct sim_site_tally {
    /* By space (enum sim_space): a generic instruction may have gone to any. */
    struct {
        uint64_t requests, transactions, moved, useful;
    } by[SIM_COUNTED_SPACES];
    uint64_t allowed_base, allowed_end; /* the allocation that its last access fell in */
    uint64_t outside;                   /* lanes' accesses that packed memory let pass */
    struct sim_stride stride;
    struct sim_pattern pattern;
};

/* Blocks that run together, wait for each other at one barrier, and reach each other's shared memory. */
struct sim_cluster {
    struct sim_cluster *next;                  /* of the worker's spare ones */
    uint32_t size, live;                       /* blocks; that have not ended */
    uint32_t phase;                            /* how often its barrier was completed */
    struct sim_block *blocks[SIM_MAX_CLUSTER]; /* by rank; NULL: it has ended */
};

struct sim_block {
    uint64_t linear; /* its index in the order in which blocks start: cluster by cluster, by rank */
    uint32_t id[3], rank;
    struct sim_cluster *cluster;
    struct sim_cluster alone; /* its cluster, when launches have none */
    bool stuck;               /* nothing in it can run before another block of its cluster does something */
    uint32_t warp_count, thread_count;
    char *shared;
    char *frames; /* the warps' first frames */
    struct sim_frame first_frames[SIM_MAX_WARPS];
    uint32_t phases;           /* of the block's mbarriers that have ended */
    uint32_t mbarrier_waiters; /* strands */
    uint32_t timeouts;         /* since one of them went on */
    struct check_block *check; /* NULL: not checked */
    struct sim_block *next;    /* of the worker's list */
    bool started;              /* its warps exist */
    bool moved;                /* it got on in its last turn */
    struct sim_warp warps[SIM_MAX_WARPS];
    struct sim_barrier barriers[SIM_BLOCK_BARRIERS];
};

struct check_launch;
struct sim_run; /* the launch in progress (launch.c) */

/* What a worker's blocks have printed (printf.c). */
struct sim_print;
struct sim_prints {
    struct sim_print *first, *last;
    size_t count, cost;
    char *scratch[2]; /* the format and the text in the making */
    size_t capacity[2];
};

struct sim_worker {
    const struct sim_launch *launch;
    const struct sim_code *code; /* the kernel */
    struct sim_run *run;
    struct sim_block *resident; /* the blocks that have started, in order */
    struct sim_block *spare;    /* blocks without work */
    unsigned resident_count;
    uint32_t cluster[3], cluster_size; /* blocks */
    struct sim_cluster *spare_clusters;
    struct sim_prints prints;
    uint64_t shared_limit; /* the last valid shared address + 1 */
    /* What hardware lets pass: up to the end of the granule that it gives out, and the system's part before
     * shared memory, which lies from shared_below on here; 0: there is none. */
    uint64_t shared_end, shared_below;
    uint64_t reserved;  /* where the system's part of shared memory begins; 0: the kernel does not ask */
    uint64_t workspace; /* of grid-wide barriers; 0: not a cooperative launch */
    size_t param_bytes;
    size_t frame_stride;
    uint32_t turn;                  /* basic blocks that a warp may run before others have their turn */
    uint64_t passes;                /* turns that blocks have had, of each of their warps */
    struct sim_block_tally *blocks; /* by the module's block numbers */
    struct sim_site_tally *sites;   /* by the module's site numbers */
    struct sim_strand *free_strands;
    struct sim_join *free_joins;
    struct sim_frame *free_frames;              /* of any size: kept with their capacity */
    const uint32_t (*thread_ids)[3][SIM_LANES]; /* %tid by warp */
    struct check_launch *check;                 /* NULL: not checked */
    struct sim_samples *samples;                /* NULL: not sampled */
    struct sim_fault fault;
    uint64_t fault_block;
    jmp_buf stop; /* where a fault leaves the block */
};

/* What names the running block in an address of its shared memory; 0: blocks have no names here. */
static inline uint64_t sim_rank_bits(const struct sim_warp *warp) {
    return warp->worker->cluster_size > 1 ? (uint64_t)(warp->block->rank + 1) << SIM_RANK_SHIFT : 0;
}

/* strand.c */
bool sim_warp_start(struct sim_warp *warp, struct sim_frame *frame, uint32_t lanes);
/* Runs the warp's ready strands until each waits or has ended or used up its turn.  True if any ran. */
bool sim_warp_run(struct sim_warp *warp);
/* Gives the warp back everything it holds. */
void sim_warp_end(struct sim_warp *warp);
/* Lets lanes go on that are parked at a join; false if there are none. */
bool sim_warp_release(struct sim_warp *warp);
/* For an instruction that made its strand wait: what the warp runs now; NULL leaves the warp. */
const struct sim_insn *sim_strand_next(struct sim_warp *warp);
/* Called when lanes have exited or arrived: wakes strands that waited for them. */
void sim_warp_settle(struct sim_warp *warp);

void sim_frames_free(struct sim_frame *list);

/* apart.c: strands wait at different .sync instructions for each other.  The lanes that s and all that it
 * waits with have, if they are complete, else 0; and runs such strands' instructions, after which they go on.
 */
uint32_t sim_apart_lanes(const struct sim_warp *warp, const struct sim_strand *s);
void sim_apart_run(struct sim_warp *warp, uint32_t lanes);
/* The strand's instruction does what CUDA leaves undefined, and goes on. */
void sim_note_undefined(struct sim_warp *warp, const struct sim_strand *s, const struct sim_insn *in);

/* totals.c: adds what another worker saw; sums it up for the launch, and instruction by instruction for
 * whoever asked, which adds the tallies of copied blocks to the others'. */
void sim_tallies_add(struct sim_worker *to, struct sim_worker *from);
void sim_tallies_sum(struct sim_worker *worker, struct wl_counters *counters);

/* barrier.c: completes every barrier that has all its threads, the cluster's too; true if there was one. */
bool sim_barrier_settle(struct sim_block *block);
/* For messages. */
const char *sim_barrier_name(uint32_t id, char text[24]);

/* mbarrier.c: lets strands go on whose phase may have ended; or, when nothing else can run, has their time
 * run out, which is all the same to a loop that waits.  False if there were none, or it has happened too
 * often. */
bool sim_mbarrier_settle(struct sim_block *block);
bool sim_mbarrier_expire(struct sim_block *block);

/* block.c: begins a block, whose cluster and rank are known; runs it until it ends or faults (true) or only
 * waits for others (false). */
void sim_block_start(struct sim_worker *worker, struct sim_block *block, uint64_t linear);
bool sim_block_run(struct sim_worker *worker, struct sim_block *block);
/* Gives back what its warps hold, wherever they are. */
void sim_block_end(struct sim_block *block);
/* Lets some lanes go on that are parked at a join; false if there are none. */
bool sim_block_release(struct sim_block *block);

/* launch.c: a block's room, without work yet; NULL: out of memory. */
struct sim_block *sim_block_create(struct sim_worker *worker);
void sim_block_destroy(struct sim_block *block);
/* The next cluster that no worker has taken; false when there is none, or none that need run. */
bool sim_run_take(struct sim_run *run, uint64_t *number);
/* A block has faulted: the clusters above its own need not run. */
void sim_run_fault(struct sim_worker *worker, const struct sim_block *block);
/* Where the block with that index in the order of starting lies in the grid; and the sizes of clusters. */
void sim_launch_place(const struct sim_launch *launch, uint64_t linear, uint32_t id[3]);
void sim_launch_cluster(const struct sim_launch *launch, uint32_t cluster[3]);

/* cooperative.c: runs one cluster of the launch, and such others as it waits for. */
void sim_clusters_run(struct sim_worker *worker, uint64_t number);
/* Sees to it that the worker has spare blocks for a cluster; false: out of memory. */
bool sim_cluster_room(struct sim_worker *worker);

/* printf.c: what was printed comes together, in the order of the blocks. */
void sim_prints_deliver(struct sim_worker *const *workers, unsigned count, uint64_t last_block);
void sim_prints_free(struct sim_prints *prints);
/* A copy of the text is kept.  cost: of the launch's print_bytes. */
void sim_print(struct sim_warp *warp, bool error, const char *text, size_t size, size_t cost);

/* services.c: bytes at a generic address of one lane; false if they are not all there. */
bool sim_generic_read(struct sim_warp *warp, unsigned lane, uint64_t address, void *to, size_t size);

/* strand.c: a read, by this instruction, of what another thread may write; value: what the first lane saw.
 * lock: it was an atomic's. */
void sim_poll(struct sim_warp *warp, const struct sim_insn *in, uint64_t value, bool lock);
/* The instruction waits for time to pass: others go first. */
void sim_rest(struct sim_warp *warp);

/* local.c: makes room for local memory up to that many bytes a lane. */
void sim_local_reserve(struct sim_warp *warp, size_t bytes);

/* fault.c: records the fault and leaves the block.  lane: the thread to name. */
_Noreturn void sim_fault_raise(struct sim_warp *warp, const struct sim_insn *in, unsigned lane,
                               enum sim_fault_kind kind, uint64_t address, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
_Noreturn void sim_fault_memory(struct sim_warp *warp);

#endif
