/* What lies at an address: an allocation, slack that a GPU would have there, or nothing, in words. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/exec/memory/memory_space.h"

enum { NEAR_NULL = 1 << 16 }; /* addresses below are described as null pointers */

static struct sim_allocation allocation_of(struct entry *entry) {
    return (struct sim_allocation){.base = get(&entry->base),
                                   .size = (size_t)get(&entry->size),
                                   .kind = (enum sim_memory_kind)get(&entry->kind),
                                   .serial = get(&entry->serial),
                                   .device = (unsigned)get(&entry->device),
                                   .access = get(&entry->access),
                                   .user = atomic_load_explicit(&entry->user, memory_order_relaxed),
                                   .name = atomic_load_explicit(&entry->name, memory_order_relaxed)};
}

bool sim_memory_find(struct sim_memory *memory, uint64_t address, size_t size, struct sim_allocation *out) {
    struct space *space = memory->space;
    for (;;) {
        uint64_t sequence = atomic_load_explicit(&space->sequence, memory_order_acquire);
        if (sequence & 1)
            continue;
        /* The count is read before the table: capacities only grow, so the table has at least that many. */
        size_t count = atomic_load_explicit(&space->count, memory_order_acquire);
        struct table *table = atomic_load_explicit(&space->table, memory_order_acquire);
        size_t after = entries_up_to(table, count, address);
        bool found = false;
        struct sim_allocation allocation = {0};
        if (after) {
            allocation = allocation_of(&table->entries[after - 1]);
            found = sim_within(address - allocation.base, size, allocation.size);
        }
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&space->sequence, memory_order_relaxed) != sequence)
            continue;
        if (found)
            *out = allocation;
        return found;
    }
}

/* Leaves those who reach more memory, too.  What lies on two devices is open to those alone that both name.
 */
static void narrow(struct sim_allocation *range, uint64_t access, unsigned device) {
    if (access == SIM_ACCESS_ALL)
        return;
    if (range->access != SIM_ACCESS_ALL && range->device != device)
        access &= ~SIM_ACCESS_BY_PEERS;
    range->access &= access;
    range->device = device;
}

/* Sets who reaches all of the range, by its pages and the allocations in it.  Call with the lock held. */
static void set_reach(const struct space *space, struct table *table, size_t count, uint64_t address,
                      size_t size, struct sim_allocation *range) {
    range->access = SIM_ACCESS_ALL;
    for (uint64_t at = address / SIM_PAGE_BYTES * SIM_PAGE_BYTES; at < address + size; at += SIM_PAGE_BYTES) {
        const unsigned owner = sim_pages_owner(space->pages, at);
        narrow(range, access_of_owner(owner), owner / 2);
    }
    for (size_t i = entries_up_to(table, count, address + size - 1); i--;) {
        const struct entry *entry = &table->entries[i];
        if (get(&entry->base) + get(&entry->size) <= address)
            break;
        narrow(range, get(&entry->access), (unsigned)get(&entry->device));
    }
}

bool sim_memory_slack(struct sim_memory *memory, uint64_t address, size_t size, struct sim_allocation *out) {
    struct space *space = memory->space;
    if (!space->pages || !sim_pages_hold(space->pages, address, size))
        return false;
    pthread_mutex_lock(&space->lock);
    struct table *table = atomic_load_explicit(&space->table, memory_order_relaxed);
    size_t count = atomic_load_explicit(&space->count, memory_order_relaxed);
    size_t after = entries_up_to(table, count, address);
    uint64_t base = address / SIM_PAGE_BYTES * SIM_PAGE_BYTES, end = base + SIM_PAGE_BYTES;
    if (after) {
        struct entry *before = &table->entries[after - 1];
        uint64_t before_end = get(&before->base) + get(&before->size);
        base = before_end > base ? before_end : base;
    }
    if (after < count && get(&table->entries[after].base) < end)
        end = get(&table->entries[after].base);
    *out = (struct sim_allocation){.base = base, .size = (size_t)(end - base)};
    /* It may extend into an allocation, or on. */
    if (end < base || !sim_within(address - base, size, end - base))
        *out = (struct sim_allocation){.base = address, .size = size};
    set_reach(space, table, count, address, size, out);
    pthread_mutex_unlock(&space->lock);
    return true;
}

bool sim_memory_next(struct sim_memory *memory, uint64_t serial, struct sim_allocation *out) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    struct table *table = atomic_load_explicit(&space->table, memory_order_relaxed);
    size_t count = atomic_load_explicit(&space->count, memory_order_relaxed);
    struct entry *next = NULL;
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = &table->entries[i];
        if (get(&entry->serial) > serial && (!next || get(&entry->serial) < get(&next->serial)))
            next = entry;
    }
    if (next)
        *out = allocation_of(next);
    pthread_mutex_unlock(&space->lock);
    return next != NULL;
}

static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* The first byte past the end is 1 byte after it, as in compute-sanitizer. */
void sim_memory_describe_end(const struct sim_allocation *allocation, char *text, size_t size) {
    snprintf(text, size, "1 byte after allocation #%" PRIu64 " (0x%" PRIx64 ", %zu byte%s)",
             allocation->serial, allocation->base, allocation->size, plural(allocation->size));
}

/* The last freed allocation that contained address. */
static const struct grave *find_grave(const struct space *space, uint64_t address) {
    size_t oldest = space->next_grave > GRAVES ? space->next_grave - GRAVES : 0;
    for (size_t i = space->next_grave; i > oldest; i--) {
        const struct grave *grave = &space->graves[(i - 1) % GRAVES];
        if (address >= grave->base && address - grave->base < grave->size)
            return grave;
    }
    return NULL;
}

bool sim_memory_describe(struct sim_memory *memory, uint64_t address, char *text, size_t size) {
    struct space *space = memory->space;
    if (address < NEAR_NULL) {
        snprintf(text, size, address ? "null pointer plus %" PRIu64 " byte%s" : "null pointer", address,
                 plural(address));
        return false;
    }
    pthread_mutex_lock(&space->lock);
    struct table *table = atomic_load_explicit(&space->table, memory_order_relaxed);
    size_t count = atomic_load_explicit(&space->count, memory_order_relaxed);
    size_t after = entries_up_to(table, count, address);
    struct entry *lower = after ? &table->entries[after - 1] : NULL;
    struct entry *upper = after < count ? &table->entries[after] : NULL;
    bool inside = lower && address - get(&lower->base) < get(&lower->size);
    const struct grave *grave = inside ? NULL : find_grave(space, address);
    if (grave) {
        snprintf(text, size,
                 "byte %" PRIu64 " of freed allocation #%" PRIu64 " (0x%" PRIx64 ", %" PRIu64 " byte%s)",
                 address - grave->base, grave->serial, grave->base, grave->size, plural(grave->size));
    } else if (!lower && !upper) {
        snprintf(text, size, "no allocation exists");
    } else {
        /* The first byte past the end is 1 byte after it, as in compute-sanitizer. */
        uint64_t above = lower ? address - get(&lower->base) - get(&lower->size) + 1 : UINT64_MAX;
        uint64_t below = upper ? get(&upper->base) - address : UINT64_MAX;
        struct entry *near = inside || above <= below ? lower : upper;
        char where[64];
        if (inside)
            snprintf(where, sizeof where, "byte %" PRIu64 " of", address - get(&lower->base));
        else if (near == lower)
            snprintf(where, sizeof where, "%" PRIu64 " byte%s after", above, plural(above));
        else
            snprintf(where, sizeof where, "%" PRIu64 " byte%s before", below, plural(below));
        snprintf(text, size, "%s allocation #%" PRIu64 " (0x%" PRIx64 ", %" PRIu64 " byte%s)", where,
                 get(&near->serial), get(&near->base), get(&near->size), plural(get(&near->size)));
    }
    pthread_mutex_unlock(&space->lock);
    return grave != NULL;
}
