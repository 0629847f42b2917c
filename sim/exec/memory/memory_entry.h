/* The live allocations of all devices: a sorted array that readers look at without a lock (memory.c). */
#ifndef WIDELOAD_SIM_EXEC_MEMORY_ENTRY_H
#define WIDELOAD_SIM_EXEC_MEMORY_ENTRY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/exec/memory/raw.h"

/* The fields are atomic because a reader may look while a writer moves them; it then tries again. */
struct entry {
    _Atomic uint64_t base;
    _Atomic uint64_t size;
    _Atomic uint64_t serial;
    _Atomic uint64_t kind;
    void *_Atomic user;
    const char *_Atomic name;
    struct sim_raw *_Atomic raw; /* NULL: from the pages, or registered */
    _Atomic uint64_t origin;     /* of enum origin */
    _Atomic uint64_t ordered;    /* sim_memory_ordered() */
    _Atomic uint64_t device;
    _Atomic uint64_t access; /* of struct sim_allocation */
};

struct table {
    struct table *outgrown;
    size_t capacity;
    struct entry entries[];
};

static inline uint64_t get(const _Atomic uint64_t *field) {
    return atomic_load_explicit(field, memory_order_relaxed);
}

static inline void put(_Atomic uint64_t *field, uint64_t value) {
    atomic_store_explicit(field, value, memory_order_relaxed);
}

static inline void entry_copy(struct entry *to, struct entry *from) {
    put(&to->base, get(&from->base));
    put(&to->size, get(&from->size));
    put(&to->serial, get(&from->serial));
    put(&to->kind, get(&from->kind));
    put(&to->origin, get(&from->origin));
    put(&to->ordered, get(&from->ordered));
    put(&to->device, get(&from->device));
    put(&to->access, get(&from->access));
    atomic_store_explicit(&to->user, atomic_load_explicit(&from->user, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&to->name, atomic_load_explicit(&from->name, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&to->raw, atomic_load_explicit(&from->raw, memory_order_relaxed),
                          memory_order_relaxed);
}

/* The number of entries that begin at or below address. */
static inline size_t entries_up_to(struct table *table, size_t count, uint64_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (get(&table->entries[middle].base) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
