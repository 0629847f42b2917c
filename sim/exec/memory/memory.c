/* Device memory: the owners of addresses, which all devices share.
 *
 * Every kernel access that misses the executor's own cache calls sim_memory_find(), from all worker threads
 * at once, while allocations rarely change.  So readers take no lock: the live allocations are a sorted array
 * behind a sequence counter, which is odd while a writer moves entries.  A reader that sees the counter
 * change tries again.  Outgrown arrays are kept until the memory is destroyed, because a reader may still be
 * in one; doubling keeps their sum smaller than the live array.
 *
 * Freed ranges wait in a ring before their addresses are reused, so that a kernel's use of freed memory is
 * detected and reported, instead of hitting a later allocation.  While kernels run, nothing that they could
 * reach returns to the process: see raw.h and sim_pages_give().
 *
 * Packed memory (pages.h) is laid out as a GPU's: no red zones, no quarantine, and a kernel may touch memory
 * outside allocations wherever there are pages.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/exec/memory/memory_space.h"

enum {
    ALIGNMENT = 512,
    QUARANTINE = 16 << 20, /* bytes of small freed allocations withheld from reuse */
    FIRST_CAPACITY = 64,
};
#define LEAST_RANGE (UINT64_C(64) << 30) /* of addresses, for packed memory */

enum origin {
    ALLOCATED,
    REGISTERED, /* the program's own memory: nothing to free */
    IMPORTED,   /* another process's */
};

static void write_begin(struct space *space) {
    atomic_fetch_add_explicit(&space->sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static void write_end(struct space *space) {
    atomic_fetch_add_explicit(&space->sequence, 1, memory_order_release);
}

static bool counts_against_limit(enum sim_memory_kind kind, enum origin origin) {
    return kind == SIM_MEMORY_DEVICE || kind == SIM_MEMORY_MODULE ||
           (kind == SIM_MEMORY_SHARED && origin == ALLOCATED);
}

/* What an allocation counts against the limit: at least one aligned unit, so that even empty ones run out. */
static uint64_t charge(uint64_t size) {
    return size ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

static struct sim_memory *add_device(struct space *space, uint64_t limit) {
    struct sim_memory *memory = &space->devices[space->device_count];
    *memory = (struct sim_memory){.space = space, .device = space->device_count++, .limit = limit};
    return memory;
}

struct sim_memory *sim_memory_create(uint64_t limit) {
    struct space *space = calloc(1, sizeof *space);
    struct table *table = calloc(1, sizeof *table + FIRST_CAPACITY * sizeof(struct entry));
    if (!space || !table || pthread_mutex_init(&space->lock, NULL)) {
        free(space);
        free(table);
        return NULL;
    }
    table->capacity = FIRST_CAPACITY;
    atomic_init(&space->table, table);
    return add_device(space, limit);
}

struct sim_memory *sim_memory_add_device(struct sim_memory *memory) {
    struct space *space = memory->space;
    return space->device_count < SIM_MAX_DEVICES ? add_device(space, memory->limit) : NULL;
}

struct sim_memory *sim_memory_of(struct sim_memory *memory, unsigned device) {
    return &memory->space->devices[device];
}

unsigned sim_memory_device(const struct sim_memory *memory) {
    return memory->device;
}

unsigned sim_memory_devices(const struct sim_memory *memory) {
    return memory->space->device_count;
}

void sim_memory_destroy(struct sim_memory *memory) {
    if (!memory)
        return;
    struct space *space = memory->space;
    struct table *table = atomic_load(&space->table);
    size_t count = atomic_load(&space->count);
    for (size_t i = 0; i < count; i++) {
        struct sim_raw *raw = atomic_load(&table->entries[i].raw);
        if (raw)
            sim_raw_give(&space->raws, raw, false);
    }
    while (table) {
        struct table *outgrown = table->outgrown;
        free(table);
        table = outgrown;
    }
    for (size_t i = 0; i < GRAVES; i++)
        if (space->graves[i].raw)
            sim_raw_give(&space->raws, space->graves[i].raw, false);
    sim_raws_settle(&space->raws);
    sim_share_end_all(&space->shares);
    sim_pages_destroy(space->pages);
    pthread_mutex_destroy(&space->lock);
    free(space);
}

bool sim_memory_pack(struct sim_memory *memory) {
    struct space *space = memory->space;
    /* Reserves more than the limits, for holes of freed memory, managed memory and kernels' own. */
    const uint64_t share = UINT64_MAX / 2 / space->device_count;
    uint64_t bytes = space->device_count * (memory->limit > share / 4 ? share : 4 * memory->limit);
    space->pages = sim_pages_create(bytes < LEAST_RANGE ? LEAST_RANGE : bytes);
    return space->pages != NULL;
}

uint64_t sim_memory_limit(const struct sim_memory *memory) {
    return memory->limit;
}

uint64_t sim_memory_used(struct sim_memory *memory) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    uint64_t used = memory->used;
    pthread_mutex_unlock(&space->lock);
    return used;
}

/* Makes room for one more entry.  Call with the lock held. */
static bool reserve(struct space *space) {
    struct table *old = atomic_load_explicit(&space->table, memory_order_relaxed);
    size_t count = atomic_load_explicit(&space->count, memory_order_relaxed);
    if (count < old->capacity)
        return true;
    size_t capacity = old->capacity * 2;
    struct table *table = calloc(1, sizeof *table + capacity * sizeof(struct entry));
    if (!table)
        return false;
    table->capacity = capacity;
    table->outgrown = old;
    for (size_t i = 0; i < count; i++)
        entry_copy(&table->entries[i], &old->entries[i]);
    atomic_store_explicit(&space->table, table, memory_order_release);
    return true;
}

/* A device reaches its own memory; so do launches that have peer access to it. */
static uint64_t first_access(enum sim_memory_kind kind, unsigned device) {
    return is_hosts(kind) ? SIM_ACCESS_ALL : SIM_ACCESS_BY_PEERS | SIM_ACCESS_OF(device);
}

/* Adds a range that overlaps no other.  Call with the lock held, after reserve(). */
static void insert(struct space *space, uint64_t base, size_t size, enum sim_memory_kind kind,
                   struct sim_raw *raw, enum origin origin, unsigned device) {
    struct table *table = atomic_load_explicit(&space->table, memory_order_relaxed);
    size_t count = atomic_load_explicit(&space->count, memory_order_relaxed);
    size_t at = entries_up_to(table, count, base);
    write_begin(space);
    for (size_t i = count; i > at; i--)
        entry_copy(&table->entries[i], &table->entries[i - 1]);
    struct entry *entry = &table->entries[at];
    put(&entry->base, base);
    put(&entry->size, size);
    put(&entry->serial, ++space->serial);
    put(&entry->kind, kind);
    atomic_store_explicit(&entry->user, NULL, memory_order_relaxed);
    atomic_store_explicit(&entry->name, NULL, memory_order_relaxed);
    atomic_store_explicit(&entry->raw, raw, memory_order_relaxed);
    put(&entry->origin, origin);
    put(&entry->ordered, false);
    put(&entry->device, device);
    put(&entry->access, first_access(kind, device));
    atomic_store_explicit(&space->count, count + 1, memory_order_release);
    write_end(space);
}

uint64_t sim_memory_alloc(struct sim_memory *memory, size_t size, enum sim_memory_kind kind) {
    struct space *space = memory->space;
    if (size > SIZE_MAX / 2)
        return 0;
    uint64_t base = 0;
    bool counted = counts_against_limit(kind, ALLOCATED);
    /* Device memory has its own pages, so that they can be shared with other processes. */
    const bool apart = kind == SIM_MEMORY_DEVICE;
    pthread_mutex_lock(&space->lock);
    if (!counted || charge(size) <= memory->limit - memory->used) {
        struct sim_raw *raw = NULL;
        if (reserve(space)) {
            if (space->pages)
                base = sim_pages_take(space->pages, size, owner_of(kind, memory->device));
            if (!base && (raw = sim_raw_take(&space->raws, size, kind == SIM_MEMORY_HEAP, apart)))
                base = raw->base;
        }
        if (base) {
            insert(space, base, size, kind, raw, ALLOCATED, memory->device);
            if (counted)
                memory->used += charge(size);
        }
    }
    pthread_mutex_unlock(&space->lock);
    return base;
}

/* The last entry that begins at the address or before it, or NULL.  These three are called with the lock
 * held. */
static struct entry *entry_up_to(struct space *space, uint64_t address) {
    struct table *table = atomic_load_explicit(&space->table, memory_order_relaxed);
    const size_t count = atomic_load_explicit(&space->count, memory_order_relaxed);
    const size_t after = entries_up_to(table, count, address);
    return after ? &table->entries[after - 1] : NULL;
}

/* The entry that holds the address, or NULL. */
static struct entry *entry_around(struct space *space, uint64_t address) {
    struct entry *entry = entry_up_to(space, address);
    return entry && address - get(&entry->base) < get(&entry->size) ? entry : NULL;
}

/* The entry that begins at base, or NULL. */
static struct entry *entry_at(struct space *space, uint64_t base) {
    struct entry *entry = entry_up_to(space, base);
    return entry && get(&entry->base) == base ? entry : NULL;
}

bool sim_memory_register(struct sim_memory *memory, void *base, size_t size) {
    struct space *space = memory->space;
    uint64_t address = (uint64_t)(uintptr_t)base;
    if (!base || !size || size > UINT64_MAX - address)
        return false;
    pthread_mutex_lock(&space->lock);
    bool done = false;
    if (reserve(space)) {
        struct entry *before = entry_up_to(space, address + size - 1);
        if (!before || get(&before->base) + get(&before->size) <= address) {
            insert(space, address, size, SIM_MEMORY_HOST, NULL, REGISTERED, memory->device);
            done = true;
        }
    }
    pthread_mutex_unlock(&space->lock);
    return done;
}

/* Frees the oldest small ranges until the quarantine is within its limit. */
static void shrink_quarantine(struct space *space) {
    while (space->quarantined > QUARANTINE && space->oldest_small < space->next_grave) {
        struct grave *grave = &space->graves[space->oldest_small++ % GRAVES];
        if (!grave->raw || grave->raw->mapped)
            continue;
        space->quarantined -= (size_t)charge(grave->size);
        sim_raw_give(&space->raws, grave->raw, space->running);
        grave->raw = NULL;
    }
}

/* Call with the lock held. */
static void bury(struct space *space, const struct grave *body) {
    struct grave *grave = &space->graves[space->next_grave % GRAVES];
    if (grave->raw) {
        if (!grave->raw->mapped)
            space->quarantined -= (size_t)charge(grave->size);
        sim_raw_give(&space->raws, grave->raw, space->running);
    }
    *grave = *body;
    space->next_grave++;
    if (space->oldest_small + GRAVES < space->next_grave)
        space->oldest_small = space->next_grave - GRAVES;
    if (!grave->raw)
        return;
    if (!grave->raw->mapped) {
        space->quarantined += (size_t)charge(grave->size);
        shrink_quarantine(space);
        return;
    }
    if (!sim_raw_drop(grave->raw, space->running)) {
        sim_raw_give(&space->raws, grave->raw, space->running);
        grave->raw = NULL;
    }
}

void sim_memory_enter(struct sim_memory *memory) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    space->running++;
    pthread_mutex_unlock(&space->lock);
}

void sim_memory_leave(struct sim_memory *memory) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    if (--space->running == 0)
        sim_raws_settle(&space->raws);
    pthread_mutex_unlock(&space->lock);
}

bool sim_memory_free(struct sim_memory *memory, uint64_t base) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    struct entry *entry = entry_at(space, base);
    if (!entry) {
        pthread_mutex_unlock(&space->lock);
        return false;
    }
    struct grave body = {.base = base,
                         .size = get(&entry->size),
                         .serial = get(&entry->serial),
                         .raw = atomic_load_explicit(&entry->raw, memory_order_relaxed)};
    const enum origin origin = (enum origin)get(&entry->origin);
    if (counts_against_limit((enum sim_memory_kind)get(&entry->kind), origin))
        space->devices[get(&entry->device)].used -= charge(body.size);
    const size_t count = atomic_load_explicit(&space->count, memory_order_relaxed);
    const struct entry *end = atomic_load_explicit(&space->table, memory_order_relaxed)->entries + count;
    write_begin(space);
    for (; entry + 1 < end; entry++)
        entry_copy(entry, entry + 1);
    atomic_store_explicit(&space->count, count - 1, memory_order_release);
    write_end(space);
    sim_share_end(&space->shares, base);
    if (!body.raw && origin == ALLOCATED)
        sim_pages_give(space->pages, body.base, (size_t)body.size, space->running);
    if (!body.raw && origin == IMPORTED)
        sim_pages_unmap(space->pages, body.base, (size_t)body.size, space->running);
    bury(space, &body);
    pthread_mutex_unlock(&space->lock);
    return true;
}

/* The pages that contain an allocation and only device memory; false if there are none. */
static bool find_pages(const struct space *space, const struct sim_raw *raw, uint64_t base, uint64_t size,
                       uint64_t *first, size_t *bytes) {
    if (raw && !raw->mapped)
        return false;
    const uint64_t page = raw ? (uint64_t)sysconf(_SC_PAGESIZE) : SIM_PAGE_BYTES;
    *first = base / page * page;
    *bytes = (size_t)((base + size + page - 1) / page * page - *first);
    return size && (raw || space->pages);
}

bool sim_memory_export(struct sim_memory *memory, uint64_t base, struct sim_share_name *name) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    struct entry *entry = entry_at(space, base);
    size_t bytes;
    uint64_t first;
    bool done = false;
    if (entry) {
        const uint64_t kind = get(&entry->kind), size = get(&entry->size);
        const struct sim_raw *raw = atomic_load_explicit(&entry->raw, memory_order_relaxed);
        done = (kind == SIM_MEMORY_DEVICE || kind == SIM_MEMORY_SHARED) && get(&entry->origin) == ALLOCATED &&
               find_pages(space, raw, base, size, &first, &bytes) &&
               sim_share_export(&space->shares, first, bytes, base, (size_t)size, name);
        if (done) {
            write_begin(space);
            put(&entry->kind, SIM_MEMORY_SHARED);
            write_end(space);
        }
    }
    pthread_mutex_unlock(&space->lock);
    return done;
}

uint64_t sim_memory_import(struct sim_memory *memory, const struct sim_shared *shared) {
    struct space *space = memory->space;
    uint64_t base = 0;
    pthread_mutex_lock(&space->lock);
    struct sim_raw *raw = NULL;
    if (reserve(space)) {
        if (space->pages)
            base = sim_pages_map(space->pages, shared, owner_of(SIM_MEMORY_SHARED, memory->device));
        if (!base && (raw = sim_raw_map(shared)))
            base = raw->base;
    }
    if (base) {
        base += sim_share_inset(shared);
        insert(space, base, shared->size, SIM_MEMORY_SHARED, raw, IMPORTED, memory->device);
    }
    pthread_mutex_unlock(&space->lock);
    return base;
}

void sim_memory_forked(struct sim_memory *memory) {
    struct space *space = memory->space;
    sim_share_close_copies(space->shares);
}

bool sim_memory_set_user(struct sim_memory *memory, uint64_t base, void *user) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    struct entry *entry = entry_at(space, base);
    if (entry) {
        write_begin(space);
        atomic_store_explicit(&entry->user, user, memory_order_relaxed);
        write_end(space);
    }
    pthread_mutex_unlock(&space->lock);
    return entry != NULL;
}

bool sim_memory_set_name(struct sim_memory *memory, uint64_t base, const char *name) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    struct entry *entry = entry_at(space, base);
    if (entry) {
        write_begin(space);
        atomic_store_explicit(&entry->name, name, memory_order_relaxed);
        write_end(space);
    }
    pthread_mutex_unlock(&space->lock);
    return entry != NULL;
}

bool sim_memory_set_access(struct sim_memory *memory, uint64_t base, uint64_t access) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    struct entry *entry = entry_at(space, base);
    if (entry) {
        write_begin(space);
        put(&entry->access, access);
        write_end(space);
    }
    pthread_mutex_unlock(&space->lock);
    return entry != NULL;
}

bool sim_memory_ordered(struct sim_memory *memory, uint64_t address) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    struct entry *entry = entry_around(space, address);
    const bool ordered = entry && get(&entry->ordered);
    pthread_mutex_unlock(&space->lock);
    return ordered;
}

void sim_memory_set_ordered(struct sim_memory *memory, uint64_t address) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    struct entry *entry = entry_around(space, address);
    if (entry)
        put(&entry->ordered, true);
    pthread_mutex_unlock(&space->lock);
}

void sim_memory_copied(struct sim_memory *memory, uint64_t to, uint64_t from, size_t size) {
    struct space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    struct entry *source = entry_around(space, from), *target = entry_around(space, to);
    const bool ordered = source ? get(&source->ordered) : space->host_ordered;
    if (!target)
        space->host_ordered |= ordered;
    else if (ordered || size >= get(&target->size))
        put(&target->ordered, ordered);
    pthread_mutex_unlock(&space->lock);
}
