#include "sim/exec/memory/pages.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/exec/memory/share.h"

enum {
    UNIT = 512, /* small pieces are multiples of it */
    UNITS = (2 << 20) / UNIT,
    SMALL = 1 << 20,     /* smaller pieces share pages */
    HUGE_FROM = 8 << 20, /* larger pieces use the host's huge pages */
};

/* A page shared by small pieces. */
struct slab {
    struct slab *next;
    uint64_t base;
    size_t used, lowest; /* units; no unit below lowest is free */
    unsigned owner;
    unsigned char taken[UNITS];
};

struct sim_pages {
    void *range; /* of addresses; not necessarily aligned to pages */
    size_t bytes;
    uint64_t base; /* address of its first page */
    size_t count;
    struct slab *slabs;
    _Atomic unsigned char owners[]; /* of each page: 0: it is free; else its owner and 1 */
};

static void *at(uint64_t address) {
    return (void *)(uintptr_t)address;
}

struct sim_pages *sim_pages_create(uint64_t bytes) {
    for (; bytes >= 2 * SIM_PAGE_BYTES; bytes /= 2) {
        void *range =
            mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED)
            continue;
        /* Alignment wastes at most a page at either end. */
        uint64_t base = ((uint64_t)(uintptr_t)range + SIM_PAGE_BYTES - 1) / SIM_PAGE_BYTES * SIM_PAGE_BYTES;
        size_t count = (size_t)(((uint64_t)(uintptr_t)range + bytes - base) / SIM_PAGE_BYTES);
        struct sim_pages *pages = calloc(1, sizeof *pages + count * sizeof *pages->owners);
        if (!pages) {
            munmap(range, (size_t)bytes);
            return NULL;
        }
        pages->range = range;
        pages->bytes = (size_t)bytes;
        pages->base = base;
        pages->count = count;
        return pages;
    }
    return NULL;
}

void sim_pages_destroy(struct sim_pages *pages) {
    if (!pages)
        return;
    munmap(pages->range, pages->bytes);
    while (pages->slabs) {
        struct slab *next = pages->slabs->next;
        free(pages->slabs);
        pages->slabs = next;
    }
    free(pages);
}

static void mark(struct sim_pages *pages, size_t first, size_t count, unsigned owner) {
    for (size_t i = first; i < first + count; i++)
        atomic_store_explicit(&pages->owners[i], (unsigned char)owner, memory_order_release);
}

static unsigned is_taken(const struct sim_pages *pages, size_t page) {
    return atomic_load_explicit(&pages->owners[page], memory_order_acquire);
}

/* Takes the highest run of count free pages and makes it accessible; 0 if there is none. */
static uint64_t take_pages(struct sim_pages *pages, size_t count, unsigned owner) {
    size_t first = pages->count, run = 0;
    while (first && run < count)
        run = is_taken(pages, --first) ? 0 : run + 1;
    if (run < count)
        return 0;
    uint64_t base = pages->base + first * SIM_PAGE_BYTES;
    size_t bytes = count * SIM_PAGE_BYTES;
    if (mmap(at(base), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
        return 0;
#ifdef MADV_HUGEPAGE
    if (bytes >= HUGE_FROM)
        (void)madvise(at(base), bytes, MADV_HUGEPAGE); /* only a hint */
#endif
    mark(pages, first, count, owner + 1);
    return base;
}

static void give_pages(struct sim_pages *pages, uint64_t base, size_t count, bool running) {
    mark(pages, (size_t)((base - pages->base) / SIM_PAGE_BYTES), count, 0);
    /* Mapping over the pages drops their contents and keeps the addresses.  If the process has too many
     * mappings for that, the pages are only emptied. */
    if (mmap(at(base), count * SIM_PAGE_BYTES, running ? PROT_READ | PROT_WRITE : PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        (void)madvise(at(base), count * SIM_PAGE_BYTES, MADV_DONTNEED);
}

/* The lowest run of count free units; UNITS if there is none. */
static size_t find_units(const struct slab *slab, size_t count) {
    size_t first = slab->lowest;
    while (count <= UNITS - slab->used && first + count <= UNITS) {
        const unsigned char *next = memchr(slab->taken + first, 1, count);
        if (!next)
            return first;
        const unsigned char *free_one = memchr(next, 0, (size_t)(slab->taken + UNITS - next));
        if (!free_one)
            break;
        first = (size_t)(free_one - slab->taken);
    }
    return UNITS;
}

static uint64_t take_units(struct sim_pages *pages, size_t count, unsigned owner) {
    struct slab *slab = pages->slabs;
    size_t first = UNITS;
    while (slab && (slab->owner != owner || (first = find_units(slab, count)) == UNITS))
        slab = slab->next;
    if (!slab) {
        slab = calloc(1, sizeof *slab);
        if (!slab)
            return 0;
        slab->base = take_pages(pages, 1, owner);
        if (!slab->base) {
            free(slab);
            return 0;
        }
        slab->owner = owner;
        slab->next = pages->slabs;
        pages->slabs = slab;
        first = 0;
    }
    memset(slab->taken + first, 1, count);
    slab->used += count;
    if (first == slab->lowest)
        slab->lowest += count;
    return slab->base + first * UNIT;
}

static void give_units(struct sim_pages *pages, uint64_t base, size_t count, bool running) {
    struct slab **link = &pages->slabs;
    while (base - (*link)->base >= SIM_PAGE_BYTES)
        link = &(*link)->next;
    struct slab *slab = *link;
    size_t first = (size_t)((base - slab->base) / UNIT);
    memset(slab->taken + first, 0, count);
    slab->used -= count;
    if (first < slab->lowest)
        slab->lowest = first;
    if (slab->used)
        return;
    give_pages(pages, slab->base, 1, running);
    *link = slab->next;
    free(slab);
}

/* The number of units or pages; at least 1, so that empty pieces have unique addresses too. */
static size_t pieces(size_t size, uint64_t piece) {
    return size ? (size_t)((size + piece - 1) / piece) : 1;
}

uint64_t sim_pages_take(struct sim_pages *pages, size_t size, unsigned owner) {
    if (size < SMALL)
        return take_units(pages, pieces(size, UNIT), owner);
    return take_pages(pages, pieces(size, SIM_PAGE_BYTES), owner);
}

void sim_pages_give(struct sim_pages *pages, uint64_t base, size_t size, bool running) {
    if (size < SMALL)
        give_units(pages, base, pieces(size, UNIT), running);
    else
        give_pages(pages, base, pieces(size, SIM_PAGE_BYTES), running);
}

uint64_t sim_pages_map(struct sim_pages *pages, const struct sim_shared *shared, unsigned owner) {
    const size_t count = pieces(sim_share_span(shared), SIM_PAGE_BYTES);
    const uint64_t base = take_pages(pages, count, owner);
    if (!base || sim_share_map(shared, base))
        return base;
    give_pages(pages, base, count, false);
    return 0;
}

void sim_pages_unmap(struct sim_pages *pages, uint64_t address, size_t size, bool running) {
    const uint64_t inset = address % SIM_PAGE_BYTES;
    give_pages(pages, address - inset, pieces((size_t)inset + size, SIM_PAGE_BYTES), running);
}

bool sim_pages_hold(const struct sim_pages *pages, uint64_t address, size_t size) {
    uint64_t offset = address - pages->base, bytes = pages->count * SIM_PAGE_BYTES;
    if (offset == bytes || !sim_within(offset, size, bytes))
        return false;
    for (uint64_t page = offset / SIM_PAGE_BYTES; page * SIM_PAGE_BYTES < offset + size; page++)
        if (!is_taken(pages, (size_t)page))
            return false;
    return true;
}

unsigned sim_pages_owner(const struct sim_pages *pages, uint64_t address) {
    const unsigned owner = is_taken(pages, (size_t)((address - pages->base) / SIM_PAGE_BYTES));
    return owner ? owner - 1 : 0;
}
