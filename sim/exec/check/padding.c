/* Unwritten bytes that may be a structure's padding.
 *
 * Padding follows a written byte, ends where a member can begin, and is smaller than that member's alignment.
 * So unwritten bytes count as padding if their run is shorter than some alignment, ends at a multiple of it,
 * and a kernel has stored at least that many bytes at once to the same memory.  A forgotten member that looks
 * like padding is recognized by its use (uses.c).
 */
#include "sim/exec/check/state.h"

enum { MOST = 16 }; /* the largest alignment of a type */

struct check_map check_map_of(const struct check_shadow *shadow) {
    return (struct check_map){.bits = shadow->init,
                              .begin = shadow->base,
                              .end = shadow->base + shadow->size,
                              .widest = __atomic_load_n(&shadow->widest, __ATOMIC_RELAXED)};
}

bool check_map_has(const struct check_map *map, uint64_t address) {
    uint64_t at = address - map->begin;
    if (map->bits)
        return __atomic_load_n(&map->bits[at >> 6], __ATOMIC_RELAXED) >> (at & 63) & 1;
    return map->words[(at >> 2) * map->stride] >> (at & 3) & 1;
}

/* A run at the memory's beginning never fits: that address is a multiple of all alignments, so the run does
 * not end at a multiple of one larger than itself. */
static bool fits(const struct check_map *map, const struct check_run *run) {
    uint64_t align = 2;
    while (align <= run->end - run->begin)
        align *= 2;
    return align <= MOST && align <= map->widest && run->end % align == 0;
}

struct check_run check_map_run(const struct check_map *map, uint64_t address) {
    struct check_run run = {.begin = address, .end = address + 1};
    while (run.begin > map->begin && address - run.begin < MOST && !check_map_has(map, run.begin - 1))
        run.begin--;
    while (run.end < map->end && run.end - run.begin < MOST && !check_map_has(map, run.end))
        run.end++;
    run.padding = fits(map, &run);
    return run;
}

/* The first unwritten byte from address on; end if there is none. */
static uint64_t find_unwritten(const struct check_map *map, uint64_t address, uint64_t end) {
    while (address < end) {
        uint64_t at = address - map->begin, rest = 64 - (at & 63);
        if (map->bits && !(~__atomic_load_n(&map->bits[at >> 6], __ATOMIC_RELAXED) >> (at & 63)))
            address += rest; /* 64 bytes at a time: there may be billions */
        else if (check_map_has(map, address))
            address++;
        else
            return address;
    }
    return end;
}

bool check_map_find(const struct check_map *map, uint64_t address, uint64_t size, uint64_t *at) {
    const uint64_t last = address + size;
    for (uint64_t next = address; (next = find_unwritten(map, next, last)) < last;) {
        const struct check_run run = check_map_run(map, next);
        /* A copy never begins in a structure's padding. */
        if (next == address || !run.padding) {
            *at = next;
            return true;
        }
        next = run.end;
    }
    return false;
}
