/* The state of the checks.  Private to sim/exec/check/.
 *
 * Order.  Every access has a stamp: the launch's clock when its warp last reached something that orders
 * accesses. `full` is the clock at the block's last barrier of all its threads.  seen[i][j] is the stamp
 * below which accesses of warp j precede warp i's current ones: vector clocks, one clock per warp.  Lanes of
 * one warp are ordered by `met`, its last .sync.  Other blocks are ordered only by fences together with
 * volatile or atomic accesses: a block's releases are logged, and an acquire sees all that were logged before
 * it, at any address.  This, and treating a warp or block as one where its threads could be told apart, may
 * hide a race but never invents one.
 *
 * Memory.  Each 4-byte word has a cell: its last store and two of its loads.  An entry is the number of an
 * event (an instruction that a warp ran, at a stamp), the lane, and the word's bytes.  Numbers only grow, so
 * entries of earlier launches (in shared memory: from before the last full barrier) are recognized by their
 * size and never cleared.
 */
#ifndef WIDELOAD_SIM_CHECK_STATE_H
#define WIDELOAD_SIM_CHECK_STATE_H

#include <pthread.h>

#include "sim/exec/check/check.h"
#include "sim/exec/check/hooks.h"

enum {
    CHECK_MAX_FINDINGS = 100, /* per launch */
    CHECK_NO_LANE = 0xff,
    CHECK_EVENT_BITS = 24,
    CHECK_MAX_EVENTS = 1 << 22, /* numbered since the cells were last cleared or outdated: 64 MB */
};

struct check_event {
    uint32_t stamp, block, site;
    uint8_t warp;
    bool strong; /* volatile or atomic */
};

/* Entries: 0, or event << 8 | lane << 3 | bytes. */
struct check_cell {
    uint32_t write, read[2];
};

/* A sector of global memory whose words were all touched together and in order, as most are: one entry stands
 * for all their cells, which are then unused.  Entries: 0, or event << 8 | the lane that touched the first
 * word << 3 | binary logarithm of the words per lane. */
struct check_row {
    uint32_t write, read[2];
    uint32_t scattered; /* event << 8 of the last access recorded in the cells instead */
};

enum { CHECK_ROW_WORDS = 8 };

/* The events of one kind of memory. */
struct check_events {
    struct check_event *list; /* [0] has number first */
    size_t capacity;
    uint32_t first, next; /* entries below first << 8 are outdated */
};

/* The state of a global allocation's bytes. */
struct check_shadow {
    struct check_shadow *next; /* in its bucket, or among the dead */
    uint64_t base, size, serial;
    uint64_t *init; /* one bit per written byte; NULL: all count as written */
    bool complete;  /* all bytes are written */
    uint8_t widest; /* bytes of the widest store by a kernel's thread */
    /* NULL until a launch looks for races in it */
    struct check_cell *cells;
    struct check_row *rows;
};

enum { CHECK_BUCKETS = 1024 };

struct sim_check {
    struct sim_memory *memory;
    unsigned checks;
    sim_finding_fn *found;
    void *argument;
    pthread_mutex_t lock; /* protects the fields below */
    struct check_shadow *buckets[CHECK_BUCKETS];
    struct check_shadow *dead; /* freed while launches ran, which may still use them */
    unsigned running;
    pthread_mutex_t events_lock; /* held by the running launch */
    struct check_events events;  /* of global memory */
};

/* A word that some lanes of an instruction touch, relative to its first lane's address. */
struct check_word {
    int64_t delta;
    uint8_t lane, second; /* the two lowest lanes; second: or CHECK_NO_LANE */
};

/* Cached facts about a memory instruction. */
struct check_site {
    struct check_word *words;
    uint32_t count, capacity;
    int64_t low, high; /* the smallest and the largest delta */
    bool shares;       /* some words have a second lane */
    uint8_t shift;     /* a lane touches 2^shift words */
    /* Bit g: words 8 g to 8 g + 7 are contiguous, as are their lanes, which share none of them. */
    uint32_t rows;
    struct check_shadow *shadow;
    uint64_t base, end;    /* the allocation of its last access, see check_find_site() */
    uint32_t event, stamp; /* the last event's number, and when: */
    uint8_t warp, space;
    uint64_t quiet_base, quiet_version; /* a load of shared memory that found nothing, see access.c */
    uint8_t uses_known, computes;       /* uses.c: one bit per element of the load */
};

/* The key of a finding, to recognize known ones. */
struct check_seen {
    uint32_t kind;
    const struct sim_code *code, *other_code;
    uint32_t insn, other_insn;
    uint32_t finding;
};

/* A block's releases: an acquire at `released` or later sees what the block did before `fenced`. */
struct check_release {
    uint32_t fenced, released;
    uint32_t previous; /* the same block's previous one, by number from 1; 0: none */
};

struct check_launch {
    struct sim_check *check;
    const struct sim_launch *launch;
    unsigned checks;
    uint32_t clock;
    uint64_t versions;        /* the last one given to a block */
    struct check_site *sites; /* by the module's site numbers */
    uint32_t site_count;
    struct check_release *releases; /* in order of time */
    uint32_t release_count, release_capacity;
    uint32_t *last_release; /* by block: a number from 1; NULL until there is one */
    struct sim_finding *findings;
    uint32_t finding_count;
    struct check_seen *seen; /* a hash table */
};

enum { CHECK_RANGES = 4, CHECK_MOST_STORED = 64 /* bytes per lane */ };

/* An instruction, and a thread that ran it. */
struct check_side {
    const struct sim_code *code;
    uint32_t insn, block, thread;
};

/* The last access of another block of the cluster to a block's shared memory. */
struct check_visit {
    struct check_side by; /* code is NULL if there was none */
    struct check_event event;
    uint64_t address;
};

struct check_block {
    struct check_launch *launch;
    uint32_t linear;
    uint32_t warp_count;
    uint32_t full;
    uint32_t partial; /* the last time that something ordered only some threads */
    uint32_t view;    /* releases up to here are seen */
    uint32_t fenced;  /* the last fence of any of its warps */
    uint32_t tick[SIM_MAX_WARPS], met[SIM_MAX_WARPS];
    uint32_t seen[SIM_MAX_WARPS][SIM_MAX_WARPS];
    uint32_t before_fence[SIM_MAX_WARPS][SIM_MAX_WARPS]; /* seen at the warp's last fence; [w][w]: its time */
    uint32_t offered[SIM_MAX_WARPS];                     /* what releases within the block offer */
    uint32_t joined[SIM_BARRIERS][SIM_MAX_WARPS];        /* what arrivals at a barrier contributed */
    bool arrived[SIM_BARRIERS];
    uint32_t cluster_joined[SIM_MAX_WARPS]; /* the same for the cluster's last phase, for late waits */
    /* shared memory */
    struct check_visit visits[SIM_MAX_CLUSTER]; /* by rank */
    uint64_t version; /* changes with each store and each ordering event; unique among blocks */
    uint64_t ranges[CHECK_RANGES][2]; /* of its variables: [begin, end) */
    struct check_events events;
    struct check_cell *cells;
    uint8_t *init; /* a word's four bits, one word per byte */
    size_t words;
    uint8_t widest, widest_local; /* bytes of the widest store to it, and to any thread's local memory */
    /* local memory: a word's four bits, lane by lane, in the memory's own layout */
    uint8_t *local[SIM_MAX_WARPS];
    size_t local_words[SIM_MAX_WARPS];
};

/* finding.c.  Returns the finding, for its text to be filled in; NULL if it is known already or there are too
 * many. other: NULL, or the other instruction. */
struct sim_finding *check_report_sides(struct check_launch *launch, enum sim_finding_kind kind,
                                       uint64_t address, const struct check_side *at,
                                       const struct check_side *other);
struct sim_finding *check_report(struct sim_warp *w, const struct sim_code *code, const struct sim_insn *in,
                                 unsigned lane, enum sim_finding_kind kind, uint64_t address);
struct sim_finding *check_report_pair(struct sim_warp *w, const struct sim_code *code, uint32_t insn,
                                      unsigned lane, enum sim_finding_kind kind, uint64_t address,
                                      const struct sim_code *other_code, uint32_t other_insn,
                                      uint32_t other_block, uint32_t other_thread);
void check_name_side(struct sim_finding_side *side, const struct sim_code *code, uint32_t insn);
/* The code of the running strand. */
const struct sim_code *check_code(const struct sim_warp *w);

/* shadow.c.  NULL on out-of-memory, or if base is in no allocation. */
struct check_shadow *check_shadow_of(struct sim_check *check, const struct sim_allocation *allocation);
struct check_cell *check_cells_of(struct sim_check *check, struct check_shadow *shadow);
/* Whether some of the bytes were never written and are not padding; at: the first of those. */
bool check_find_unwritten(struct sim_check *check, uint64_t address, size_t size, uint64_t *at);
bool check_bits_all(const uint64_t *bits, uint64_t first, uint64_t count);
void check_bits_set(uint64_t *bits, uint64_t first, uint64_t count);
/* Outdates every cell; called when event numbers run out. */
void check_cells_clear(struct sim_check *check);

/* bounds.c */
/* Whether the bytes are in an allocation, which the site then caches.  One that the kernel itself may free is
 * looked up each time; site->end is then its base. */
bool check_find_site(const struct sim_warp *w, struct check_site *site, uint64_t address, unsigned bytes);
/* Whether all lanes are, as far as the pattern and the site's last allocation can tell quickly. */
bool check_inside(const struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                  const struct sim_lanes *lanes, unsigned bytes, const struct sim_pattern *pattern);
enum check_drop {
    CHECK_DROP_NONE, /* no lane is bad */
    CHECK_DROP_SOME, /* bad lanes have been reported and removed */
    CHECK_DROP_ALL,
    CHECK_DROP_FAULT, /* some are bad and memory is not checked: the launch stops, as without checks */
};
enum check_drop check_drop(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                           enum sim_space space, struct sim_lanes *lanes, unsigned bytes);

/* words.c */
void check_words_find(struct check_site *site, const struct sim_lanes *lanes, unsigned bytes);
/* The bytes that a lane stores, in order, at most CHECK_MOST_STORED; false if unknown. */
bool check_stored(struct sim_warp *w, const struct sim_memop *op, unsigned lane, unsigned char *to);

/* order.c */
uint32_t check_stamp(const struct check_block *b, uint32_t warp);
/* Whether the event's lane precedes this lane's current accesses. */
bool check_ordered(const struct check_block *b, const struct check_event *event, unsigned event_lane,
                   uint32_t warp, unsigned lane);
/* Whether another block released the event and this block acquired it. */
bool check_released(const struct check_block *b, const struct check_event *event);
/* A strong access, volatile or atomic: acquires and releases. */
static inline bool check_is_strong(const struct sim_memop *op) {
    return op->order || op->access == SIM_ACCESS_ATOM || op->access == SIM_ACCESS_RED;
}
void check_synchronise(struct sim_warp *w, const struct sim_memop *op, enum sim_space space);

/* sync.c: whether all threads of a warp must run the barrier that the strand waits at: bar.*,
 * barrier.*.aligned. */
bool check_is_aligned(const struct sim_strand *strand);

/* Call with every store to shared memory, and whenever all threads are ordered. */
static inline void check_changed(struct check_block *b) {
    b->version = ++b->launch->versions;
}

/* race.c.  True if it found nothing and a repetition would find nothing. */
bool check_races(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                 enum sim_space space, const struct sim_lanes *lanes, unsigned bytes,
                 struct check_site *site);
/* The same for another block's shared memory. */
void check_races_far(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                     const struct sim_lanes *lanes, unsigned bytes, struct check_site *site,
                     struct sim_block *owner);

/* init.c.  True if all was written. */
bool check_init(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                enum sim_space space, const struct sim_lanes *lanes, unsigned bytes, struct check_site *site);
/* The same for the owner's shared memory, which may be another block's. */
bool check_init_shared(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                       struct check_block *owner, const struct sim_lanes *lanes, unsigned bytes,
                       struct check_site *site);

/* padding.c: a map of the written bytes of some memory. */
struct check_map {
    const uint64_t *bits; /* one bit per byte; if NULL: */
    const uint8_t *words; /* a word's four bits, one word per byte, */
    size_t stride;        /* and this many bytes from one word's to the next */
    uint64_t begin, end;  /* the memory's addresses */
    unsigned widest;      /* bytes of the widest store to it */
};
struct check_map check_map_of(const struct check_shadow *shadow);
bool check_map_has(const struct check_map *map, uint64_t address);
/* The run of unwritten bytes around an unwritten one, or some 16 bytes of it, and whether it may be padding.
 */
struct check_run {
    uint64_t begin, end;
    bool padding;
};
struct check_run check_map_run(const struct check_map *map, uint64_t address);
/* Finds the first byte of [address, address + size) that was not written and is not padding between or after
 * written ones of that range; false if there is none. */
bool check_map_find(const struct check_map *map, uint64_t address, uint64_t size, uint64_t *at);
static inline void check_widen(uint8_t *widest, unsigned bytes) {
    if (bytes > __atomic_load_n(widest, __ATOMIC_RELAXED))
        __atomic_store_n(widest, (uint8_t)bytes, __ATOMIC_RELAXED);
}

/* uses.c: whether the function computes with the element that its instruction loads, or only moves it. */
bool check_computes(const struct sim_code *code, uint32_t insn, unsigned element, struct check_site *site);

/* The bytes of a word that an access of `bytes` bytes touches at this address: as a number that fits in an
 * entry, and as a mask. */
static inline unsigned check_bytes_code(uint64_t address, unsigned bytes) {
    return bytes >= 4 ? 0 : bytes == 2 ? 5 + (address >> 1 & 1) : 1 + (address & 3);
}
/* The cell's entry for word k of a row. */
static inline uint32_t check_row_entry(uint32_t entry, unsigned k) {
    return (entry & ~7u) + (k >> (entry & 7) << 3);
}
static inline unsigned check_bytes_mask(unsigned code) {
    static const uint8_t masks[] = {0xf, 1, 2, 4, 8, 3, 0xc};
    return masks[code];
}

#endif
