/* The architecture table.
 *
 * Only sm_90 was compared with hardware counters; docs/counters.md says what each rule is based on.  The rows
 * from sm_70 to sm_120 are equal because NVIDIA documents one L1 design since Volta: it compares all 32 lanes
 * at once, in sectors of 32 bytes.  Separate rows allow each to be corrected when it is measured.
 */
#include "sim/count/rules.h"

#include <stddef.h>
#include <string.h>

/* The whole warp at once, in sectors. */
#define WHOLE_WARP                                                                                           \
    {                                                                                                        \
        .block = COUNT_SECTOR, .lanes = { 32, 32, 32 }                                                       \
    }
/* Fermi and Kepler issue an 8-byte access as two half-warps and a 16-byte access as four quarter-warps. */
#define ISSUED_IN(bytes)                                                                                     \
    {                                                                                                        \
        .block = (bytes), .lanes = { 32, 16, 8 }                                                             \
    }
/* Maxwell and Pascal look tags up for 8, 4 or 2 lanes at a time. */
#define TAGS_IN_EIGHTS                                                                                       \
    {                                                                                                        \
        .block = COUNT_SECTOR, .lanes = { 8, 4, 2 }                                                          \
    }

#define SINCE_VOLTA                                                                                          \
    .load = WHOLE_WARP, .load_past = WHOLE_WARP, .store = WHOLE_WARP, .local_block = COUNT_SECTOR,           \
    .shared_pairs = true

static const struct count_rules table[] = {
    {
        .name = "fermi",
        .capability = 20,
        .load = ISSUED_IN(COUNT_LINE),
        .load_past = ISSUED_IN(COUNT_SECTOR),
        .store = ISSUED_IN(COUNT_SECTOR),
        .local_block = COUNT_LINE,
    },
    {
        /* -dlcm=cg turns L1 off for global loads; local memory stays in it. */
        .name = "fermi-l2",
        .capability = 20,
        .load = ISSUED_IN(COUNT_SECTOR),
        .load_past = ISSUED_IN(COUNT_SECTOR),
        .store = ISSUED_IN(COUNT_SECTOR),
        .local_block = COUNT_LINE,
    },
    {
        /* L1 caches local memory only, unless a program opts in for more. */
        .name = "kepler",
        .capability = 35,
        .load = ISSUED_IN(COUNT_SECTOR),
        .load_past = ISSUED_IN(COUNT_SECTOR),
        .store = ISSUED_IN(COUNT_SECTOR),
        .local_block = COUNT_LINE,
    },
    {
        .name = "maxwell",
        .capability = 52,
        .load = TAGS_IN_EIGHTS,
        .load_past = WHOLE_WARP,
        .store = WHOLE_WARP,
        .local_block = COUNT_SECTOR,
    },
    {
        .name = "pascal",
        .capability = 61,
        .load = TAGS_IN_EIGHTS,
        .load_past = WHOLE_WARP,
        .store = WHOLE_WARP,
        .local_block = COUNT_SECTOR,
    },
    {.name = "sm_70", .capability = 70, SINCE_VOLTA},
    {.name = "sm_72", .capability = 72, SINCE_VOLTA},
    {.name = "sm_75", .capability = 75, SINCE_VOLTA},
    {.name = "sm_80", .capability = 80, SINCE_VOLTA},
    {.name = "sm_86", .capability = 86, SINCE_VOLTA},
    {.name = "sm_87", .capability = 87, SINCE_VOLTA},
    {.name = "sm_89", .capability = 89, SINCE_VOLTA},
    {.name = "sm_90", .capability = 90, .proved = true, SINCE_VOLTA},
    {.name = "sm_100", .capability = 100, SINCE_VOLTA},
    {.name = "sm_120", .capability = 120, SINCE_VOLTA},
};

const struct count_rules *count_rules_at(unsigned i) {
    return i < sizeof table / sizeof *table ? &table[i] : NULL;
}

const struct count_rules *count_rules_find(const char *name) {
    if (!name)
        name = "sm_90";
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}

const char *count_rules_name(const struct count_rules *rules) {
    return rules->name;
}

bool count_rules_proved(const struct count_rules *rules) {
    return rules->proved;
}

unsigned count_rules_capability(const struct count_rules *rules) {
    return rules->capability;
}
