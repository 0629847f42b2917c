/* What sets one architecture's counting apart from another's; private to sim/count. */
#ifndef WIDELOAD_SIM_COUNT_RULES_H
#define WIDELOAD_SIM_COUNT_RULES_H

#include "sim/count/count.h"

enum { COUNT_WARP = 32, COUNT_SECTOR = 32, COUNT_LINE = 128 };

/* One way to memory.  The warp's lanes are looked at in groups of neighbours; a group costs a
 * transaction for each distinct block that its lanes touch, and groups share nothing. */
struct count_path {
    uint8_t block;    /* bytes a transaction moves: COUNT_SECTOR or COUNT_LINE */
    uint8_t lanes[3]; /* lanes of a group, for accesses of up to 4, of 8 and of 16 bytes */
};

struct count_rules {
    const char *name;
    unsigned capability;
    bool proved;
    struct count_path load;      /* global loads that L1 may keep */
    struct count_path load_past; /* global loads that skip L1 */
    struct count_path store;     /* global stores */
    uint8_t local_block;         /* bytes a transaction of local memory moves */
    bool shared_pairs;           /* wide shared loads gain where neighbouring lanes agree: shared.c */
};

/* Which of the three width classes of count_path.lanes an access belongs to. */
static inline unsigned count_width_class(unsigned width) {
    return width <= 4 ? 0 : width / 8;
}

/* The lanes [first, first + lanes) as a mask. */
static inline uint32_t count_group(unsigned first, unsigned lanes) {
    return (uint32_t)(((1ull << lanes) - 1) << first);
}

#endif
