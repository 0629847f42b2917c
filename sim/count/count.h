/* What a memory access costs, by the rules of one architecture.
 *
 * Every function is pure and thread-safe: it keeps no state and allocates nothing.  The caller,
 * sim/exec/memory/access.c, caches results.  It relies on this: a result depends only on kind, width, mask,
 * the differences between the lanes' addresses, and one lane's address modulo 128.
 */
#ifndef WIDELOAD_SIM_COUNT_H
#define WIDELOAD_SIM_COUNT_H

#include <stdbool.h>
#include <stdint.h>

enum count_kind { COUNT_LOAD, COUNT_STORE, COUNT_ATOM, COUNT_RED };

struct count_access {
    enum count_kind kind;
    bool skips_l1;           /* ld.global.cg, .cv, volatile: not cached in L1 */
    unsigned width;          /* bytes per lane: 1, 2, 4, 8, 16; addresses are multiples of it */
    bool increment;          /* shared memory: an atomic that adds one and returns nothing */
    bool compare;            /* shared memory: a compare and swap, which has two operands */
    uint32_t mask;           /* participating lanes; not 0 */
    const uint64_t *address; /* 32 entries; those outside mask are not read */
};

/* The texels that the lanes of a fetch read: one per lane and corner; filtered texels have 2, 4 or 8 corners.
 * Texels of one sector have addresses in the same 32 aligned bytes. */
struct count_texels {
    unsigned width;  /* bytes per texel: 1, 2, 4, 8, 16; addresses are multiples of it */
    unsigned lanes;  /* lanes per group: 4 or 8 */
    uint32_t active; /* lanes that make requests */
    unsigned corners;
    const uint32_t *mask;          /* by corner: lanes whose texel is not a border texel; may be 0 */
    const uint64_t (*address)[32]; /* by corner and lane */
};

struct count_result {
    uint32_t transactions; /* sectors (or lines, if moved > 32 per transaction), or wavefronts */
    uint32_t moved_bytes;  /* transactions times their size; a wavefront has 128 bytes */
    uint32_t useful_bytes; /* distinct bytes touched */
};

/* A row of the architecture table; opaque to callers. */
struct count_rules;

/* "fermi" (128-byte lines through L1), "fermi-l2" (L1 off), "kepler", "maxwell", "pascal", "sm_70",
 * "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90" (the default; NULL gives it), "sm_100",
 * "sm_120".  NULL when unknown. */
const struct count_rules *count_rules_find(const char *name);
const char *count_rules_name(const struct count_rules *rules);
/* The i-th row of the table; NULL past the end.  Used by --help, suggestions and tests. */
const struct count_rules *count_rules_at(unsigned i);
/* Whether hardware counters confirmed the rules (so far only those of sm_90). */
bool count_rules_proved(const struct count_rules *rules);
/* The compute capability a device with these rules reports: 90 for sm_90, 20 for fermi. */
unsigned count_rules_capability(const struct count_rules *rules);

/* Global memory: loads, stores, atomics, reductions; addresses are bytes.  If ptxas can prove that all lanes
 * of an atomic or reduction use one address, it combines them in the warp and one lane sends the result: a
 * caller that knows this passes a mask of one lane. */
struct count_result count_global(const struct count_rules *rules, const struct count_access *access);
/* Shared memory: transactions are wavefronts; addresses are offsets in the block's shared memory. */
struct count_result count_shared(const struct count_rules *rules, const struct count_access *access);
/* Whether hardware may take more wavefronts for that than count_shared() says, by a rule that is not known.
 */
bool count_shared_unsure(const struct count_rules *rules, const struct count_access *access);
/* Local memory: addresses are offsets per thread; hardware interleaves the lanes' 4-byte words. */
struct count_result count_local(const struct count_rules *rules, const struct count_access *access);

/* How a request is split, for those who draw it: groups of adjacent lanes share no transaction. */
struct count_split {
    unsigned lanes; /* per group */
    unsigned block; /* bytes per transaction: 32 or 128 */
};
struct count_split count_split_global(const struct count_rules *rules, const struct count_access *access);
struct count_split count_split_shared(const struct count_rules *rules, const struct count_access *access);
struct count_split count_split_local(const struct count_rules *rules, const struct count_access *access);
/* Shared memory: the wavefront, from 0 up, that serves each lane of the mask; of a compare and swap the first
 * of two in a row.  Which of the lanes that conflict goes first is not known: here it is the lower one. */
void count_shared_wavefronts(const struct count_rules *rules, const struct count_access *access,
                             uint8_t wavefront[static 32]);

/* Textures: transactions are sectors on every architecture. */
struct count_texture_result {
    uint32_t requests, transactions;
};
struct count_texture_result count_texture(const struct count_texels *texels);
/* Sectors that a bulk copy moves to or from global memory or another block's shared memory; a multicast
 * counts once per receiving block.  The same on every architecture.  `own` is an offset in the copying
 * block's shared memory. */
enum count_bulk { COUNT_BULK_GLOBAL, COUNT_BULK_MULTICAST, COUNT_BULK_CLUSTER };
uint64_t count_bulk(enum count_bulk kind, uint64_t own, uint64_t other, uint32_t bytes);
/* Requests of one instruction that moves `width` bytes per lane of local memory. */
unsigned count_local_requests(unsigned width);

#endif
