/* The session of checks, and its record of each global allocation's written bytes. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/check/state.h"

struct sim_check *sim_check_create(struct sim_memory *memory, unsigned checks, sim_finding_fn *found,
                                   void *argument) {
    struct sim_check *check = calloc(1, sizeof *check);
    if (!check)
        return NULL;
    check->memory = memory;
    check->checks = checks & SIM_CHECK_MEMORY ? checks | SIM_CHECK_LEAK : checks;
    check->found = found;
    check->argument = argument;
    check->events.first = check->events.next = 1;
    pthread_mutex_init(&check->lock, NULL);
    pthread_mutex_init(&check->events_lock, NULL);
    return check;
}

static void release(struct check_shadow *list) {
    for (struct check_shadow *next; list; list = next) {
        next = list->next;
        free(list->init);
        free(list->cells);
        free(list->rows);
        free(list);
    }
}

void sim_check_destroy(struct sim_check *check) {
    if (!check)
        return;
    for (int i = 0; i < CHECK_BUCKETS; i++)
        release(check->buckets[i]);
    release(check->dead);
    free(check->events.list);
    pthread_mutex_destroy(&check->lock);
    pthread_mutex_destroy(&check->events_lock);
    free(check);
}

unsigned sim_check_enabled(const struct sim_check *check) {
    return check ? check->checks : 0;
}

/* ---------------------------------------------------------------- bits */

/* The mask of at most count bits from first on, within one word of the map. */
static uint64_t span(uint64_t first, uint64_t count) {
    uint64_t bits = count >= 64 ? ~0ull : (1ull << count) - 1;
    return bits << (first & 63);
}

static uint64_t step(uint64_t first, uint64_t count) {
    uint64_t room = 64 - (first & 63);
    return count < room ? count : room;
}

/* Hosts and kernels may write neighbouring bytes at the same time, so partial words are set atomically. */
void check_bits_set(uint64_t *bits, uint64_t first, uint64_t count) {
    for (uint64_t n; count; first += n, count -= n) {
        n = step(first, count);
        uint64_t wanted = span(first, n), *word = &bits[first >> 6];
        uint64_t now = __atomic_load_n(word, __ATOMIC_RELAXED);
        if (wanted == ~0ull)
            __atomic_store_n(word, ~0ull, __ATOMIC_RELAXED);
        else if ((now & wanted) != wanted)
            __atomic_fetch_or(word, wanted, __ATOMIC_RELAXED);
    }
}

static void clear(uint64_t *bits, uint64_t first, uint64_t count) {
    for (uint64_t n; count; first += n, count -= n) {
        n = step(first, count);
        __atomic_fetch_and(&bits[first >> 6], ~span(first, n), __ATOMIC_RELAXED);
    }
}

bool check_bits_all(const uint64_t *bits, uint64_t first, uint64_t count) {
    for (uint64_t n; count; first += n, count -= n) {
        n = step(first, count);
        uint64_t wanted = span(first, n);
        if ((__atomic_load_n(&bits[first >> 6], __ATOMIC_RELAXED) & wanted) != wanted)
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- shadows */

static struct check_shadow **bucket(struct sim_check *check, uint64_t base) {
    return &check->buckets[(base >> 9 ^ base >> 21) % CHECK_BUCKETS];
}

/* Call with the lock held. */
static void bury(struct sim_check *check, struct check_shadow **link) {
    struct check_shadow *shadow = *link;
    *link = shadow->next;
    shadow->next = check->dead;
    check->dead = shadow;
    if (!check->running) {
        release(check->dead);
        check->dead = NULL;
    }
}

/* Call with the lock held. */
static struct check_shadow *find(struct sim_check *check, const struct sim_allocation *allocation) {
    struct check_shadow **link = bucket(check, allocation->base);
    while (*link && (*link)->base != allocation->base)
        link = &(*link)->next;
    if (*link && (*link)->serial == allocation->serial)
        return *link;
    if (*link)
        bury(check, link);
    struct check_shadow *shadow = calloc(1, sizeof *shadow);
    if (!shadow)
        return NULL;
    shadow->base = allocation->base;
    shadow->size = allocation->size;
    shadow->serial = allocation->serial;
    /* The host writes managed and host memory without a call, and variables start as zeros. */
    if (check->checks & SIM_CHECK_INIT && allocation->kind == SIM_MEMORY_DEVICE)
        shadow->init = calloc(allocation->size / 64 + 1, sizeof *shadow->init);
    link = bucket(check, allocation->base);
    shadow->next = *link;
    *link = shadow;
    return shadow;
}

struct check_shadow *check_shadow_of(struct sim_check *check, const struct sim_allocation *allocation) {
    pthread_mutex_lock(&check->lock);
    struct check_shadow *shadow = find(check, allocation);
    pthread_mutex_unlock(&check->lock);
    return shadow;
}

struct check_cell *check_cells_of(struct sim_check *check, struct check_shadow *shadow) {
    if (shadow->cells)
        return shadow->cells;
    /* Zeros from untouched pages: memory that no kernel accesses costs nothing. */
    size_t rows = (shadow->size / 4 + 2) / CHECK_ROW_WORDS + 1;
    struct check_cell *cells = calloc(rows * CHECK_ROW_WORDS, sizeof *cells);
    struct check_row *row = calloc(rows, sizeof *row);
    if (!cells || !row) {
        free(cells);
        free(row);
        return NULL;
    }
    pthread_mutex_lock(&check->lock);
    shadow->rows = row;
    shadow->cells = cells;
    pthread_mutex_unlock(&check->lock);
    return cells;
}

static void forget(struct check_shadow *list) {
    for (struct check_shadow *shadow = list; shadow; shadow = shadow->next) {
        free(shadow->cells);
        free(shadow->rows);
        shadow->cells = NULL;
        shadow->rows = NULL;
    }
}

void check_cells_clear(struct sim_check *check) {
    pthread_mutex_lock(&check->lock);
    for (int i = 0; i < CHECK_BUCKETS; i++)
        forget(check->buckets[i]);
    forget(check->dead);
    pthread_mutex_unlock(&check->lock);
}

/* ---------------------------------------------------------------- host operations */

static void tell(struct sim_check *check, struct sim_finding *finding) {
    if (check->checks & sim_finding_check(finding->kind) && check->found)
        check->found(check->argument, finding);
}

static void written(struct check_shadow *shadow, uint64_t address, size_t size) {
    if (!shadow || !shadow->init || shadow->complete)
        return;
    if (size == shadow->size)
        shadow->complete = true;
    else
        check_bits_set(shadow->init, address - shadow->base, size);
}

void sim_check_written(struct sim_check *check, uint64_t address, size_t size) {
    struct sim_allocation found;
    if (!check || !(check->checks & SIM_CHECK_INIT) || !size ||
        !sim_memory_find(check->memory, address, size, &found))
        return;
    pthread_mutex_lock(&check->lock);
    written(find(check, &found), address, size);
    pthread_mutex_unlock(&check->lock);
}

void sim_check_copied(struct sim_check *check, uint64_t to, uint64_t from, size_t size) {
    struct sim_allocation source, target;
    if (!check || !(check->checks & SIM_CHECK_INIT) || !size ||
        !sim_memory_find(check->memory, to, size, &target))
        return;
    pthread_mutex_lock(&check->lock);
    struct check_shadow *t = find(check, &target), *s = NULL;
    if (sim_memory_find(check->memory, from, size, &source))
        s = find(check, &source);
    if (s && s->init && !s->complete && t && t->init) {
        check_widen(&t->widest, s->widest);
        if (t->complete) {
            memset(t->init, 0xff, (t->size / 64 + 1) * sizeof *t->init);
            t->complete = false;
        }
        /* Copies backwards if the ranges overlap that way, as memmove does. */
        bool back = to > from;
        for (size_t i = 0; i < size; i++) {
            size_t at = back ? size - 1 - i : i;
            uint64_t offset = from - s->base + at;
            if (s->init[offset >> 6] >> (offset & 63) & 1)
                check_bits_set(t->init, to - t->base + at, 1);
            else
                clear(t->init, to - t->base + at, 1);
        }
    } else {
        written(t, to, size);
    }
    pthread_mutex_unlock(&check->lock);
}

bool check_find_unwritten(struct sim_check *check, uint64_t address, size_t size, uint64_t *at) {
    struct sim_allocation found;
    if (!size || !sim_memory_find(check->memory, address, size, &found))
        return false;
    pthread_mutex_lock(&check->lock);
    const struct check_shadow *shadow = find(check, &found);
    bool missing = false;
    if (shadow && shadow->init && !shadow->complete) {
        const struct check_map map = check_map_of(shadow);
        missing = check_map_find(&map, address, size, at);
    }
    pthread_mutex_unlock(&check->lock);
    return missing;
}

void sim_check_fetched(struct sim_check *check, const char *function, uint64_t address, size_t size) {
    struct sim_allocation found;
    uint64_t at;
    if (!check || !(check->checks & SIM_CHECK_INIT) || !check_find_unwritten(check, address, size, &at) ||
        !sim_memory_find(check->memory, address, size, &found))
        return;
    struct sim_finding finding = {.kind = SIM_FINDING_UNINITIALIZED, .address = at, .count = 1};
    snprintf(finding.text, sizeof finding.text,
             "%s of %zu bytes reads byte %" PRIu64 " of allocation #%" PRIu64 " (0x%" PRIx64
             ", %zu bytes), which nobody wrote",
             function, size, at - found.base, found.serial, found.base, found.size);
    tell(check, &finding);
}

void sim_check_freed(struct sim_check *check, uint64_t base) {
    if (!check)
        return;
    pthread_mutex_lock(&check->lock);
    struct check_shadow **link = bucket(check, base);
    while (*link && (*link)->base != base)
        link = &(*link)->next;
    if (*link)
        bury(check, link);
    pthread_mutex_unlock(&check->lock);
}

void sim_check_refused(struct sim_check *check, enum sim_finding_kind kind, uint64_t address,
                       const char *format, ...) {
    if (!check)
        return;
    struct sim_finding finding = {.kind = kind, .address = address, .count = 1};
    va_list list;
    va_start(list, format);
    vsnprintf(finding.text, sizeof finding.text, format, list);
    va_end(list);
    tell(check, &finding);
}
