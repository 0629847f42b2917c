/* The rules in which architectures differ; private to sim/count. */
#ifndef WIDELOAD_SIM_COUNT_RULES_H
#define WIDELOAD_SIM_COUNT_RULES_H

#include "sim/count/count.h"

enum { COUNT_WARP = 32, COUNT_SECTOR = 32, COUNT_LINE = 128 };

/* One path to memory.  The warp is split into groups of adjacent lanes.  A group costs one transaction per
 * distinct block that its lanes touch; groups share nothing. */
struct count_path {
    uint8_t block;    /* bytes per transaction: COUNT_SECTOR or COUNT_LINE */
    uint8_t lanes[3]; /* lanes per group, for accesses of up to 4, of 8 and of 16 bytes */
};

struct count_rules {
    const char *name;
    unsigned capability;
    bool proved;
    struct count_path load;      /* global loads that L1 may keep */
    struct count_path load_past; /* global loads that skip L1 */
    struct count_path store;     /* global stores */
    uint8_t local_block;         /* bytes per transaction of local memory */
    bool shared_pairs;           /* wide shared loads cost less if adjacent lanes agree: shared.c */
};

/* The path of an access of global memory. */
static inline const struct count_path *count_path_of(const struct count_rules *rules,
                                                     const struct count_access *access) {
    return access->kind != COUNT_LOAD ? &rules->store : access->skips_l1 ? &rules->load_past : &rules->load;
}

/* The index in count_path.lanes for an access of this width. */
static inline unsigned count_width_class(unsigned width) {
    return width <= 4 ? 0 : width / 8;
}

/* The lanes [first, first + lanes) as a mask. */
static inline uint32_t count_group(unsigned first, unsigned lanes) {
    return (uint32_t)(((1ull << lanes) - 1) << first);
}

#endif
