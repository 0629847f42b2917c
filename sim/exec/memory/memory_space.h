/* What memory.c, which allocates, and memory_look.c, which finds, share: the addresses of all devices. */
#ifndef WIDELOAD_SIM_EXEC_MEMORY_SPACE_H
#define WIDELOAD_SIM_EXEC_MEMORY_SPACE_H

#include <pthread.h>

#include "sim/exec/memory/memory_entry.h"
#include "sim/exec/memory/pages.h"
#include "sim/exec/memory/share.h"

enum { GRAVES = 1024 }; /* freed allocations remembered */

struct grave {
    uint64_t base, size, serial;
    struct sim_raw *raw; /* NULL: returned already */
};

struct sim_memory {
    struct space *space;
    unsigned device;
    uint64_t limit, used; /* bytes; the latter under the space's lock */
};

/* The addresses that all devices share. */
struct space {
    struct sim_pages *pages; /* NULL: not packed */
    pthread_mutex_t lock;    /* held by writers, and to describe */
    _Atomic uint64_t sequence;
    struct table *_Atomic table;
    _Atomic size_t count;
    uint64_t serial;
    unsigned running;     /* sim_memory_enter() less sim_memory_leave() */
    struct sim_raws raws; /* those in no allocation and no grave */
    struct sim_share *shares;
    struct grave graves[GRAVES];
    size_t next_grave, oldest_small; /* running numbers; the slot is the number modulo GRAVES */
    size_t quarantined;
    bool host_ordered; /* the host has copies of what is ordered */
    unsigned device_count;
    struct sim_memory devices[SIM_MAX_DEVICES];
};

/* Whose memory it is not: every device reaches it. */
static inline bool is_hosts(enum sim_memory_kind kind) {
    return kind == SIM_MEMORY_HOST || kind == SIM_MEMORY_MANAGED;
}

/* The owner of the pages of an allocation, for pages.h: those of the host and of device 0's modules are one
 * owner's, and of a device's those that other processes may map are another's. */
static inline unsigned owner_of(enum sim_memory_kind kind, unsigned device) {
    return is_hosts(kind) ? 0 : 2 * device + (kind == SIM_MEMORY_DEVICE || kind == SIM_MEMORY_SHARED);
}

/* What a device reaches in the pages of an owner outside all allocations. */
static inline uint64_t access_of_owner(unsigned owner) {
    return owner ? SIM_ACCESS_BY_PEERS | SIM_ACCESS_OF(owner / 2) : SIM_ACCESS_ALL;
}

#endif
