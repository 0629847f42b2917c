/* Arrays as maps: the bytes that requests moved to and from each of their parts. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/worker.h"

enum { SLOTS = 2 * SIM_ARRAYS };

/* The slot that has the array with this base, or the free one where it belongs. */
static struct sim_array **slot_of(struct sim_samples *samples, uint64_t base) {
    size_t at = (size_t)((base >> 9) * 0x9e3779b97f4a7c15u >> 32) % SLOTS;
    while (samples->slots[at] && samples->slots[at]->base != base)
        at = (at + 1) % SLOTS;
    return &samples->slots[at];
}

static struct sim_array *new_array(uint64_t base, uint64_t size, uint64_t serial) {
    struct sim_array *array = calloc(1, sizeof *array);
    if (!array)
        return NULL;
    *array = (struct sim_array){.base = base, .size = size, .serial = serial, .cells = 1};
    while (size && (size - 1) >> array->shift >= SIM_ARRAY_CELLS)
        array->shift++;
    if (size)
        array->cells = (unsigned)((size - 1) >> array->shift) + 1;
    return array;
}

/* The array that all of [address, address + size) lies in; that of the rest if there is none.  NULL: out of
 * memory. */
static struct sim_array *find(struct sim_worker *worker, uint64_t address, uint64_t size) {
    struct sim_samples *samples = worker->samples;
    struct sim_allocation found;
    if (sim_memory_find(worker->launch->memory, address, size, &found) && found.kind != SIM_MEMORY_HEAP) {
        struct sim_array **slot = slot_of(samples, found.base);
        if (!*slot && samples->array_count < SIM_ARRAYS &&
            (*slot = new_array(found.base, found.size, found.serial)))
            samples->array_count++;
        if (*slot)
            return *slot;
    }
    if (!samples->rest)
        samples->rest = new_array(0, 0, 0);
    samples->failed |= !samples->rest;
    return samples->rest;
}

static bool holds(const struct sim_array *array, uint64_t address, uint64_t size) {
    return array && array->size && address >= array->base &&
           sim_within(address - array->base, size, array->size);
}

static void add(struct sim_array *array, uint64_t address, int way, uint64_t useful, uint64_t moved) {
    struct sim_cell *cell = &array->cell[array->size ? (address - array->base) >> array->shift : 0];
    cell->useful[way] += useful;
    cell->moved[way] += moved;
}

/* The first lane has what cannot be shared out. */
void sim_sample_lanes(struct sim_worker *worker, uint32_t site, const struct count_access *access, int way,
                      const struct count_result *cost) {
    struct sim_array **last = &worker->samples->sites[site].array;
    const uint32_t lanes = (uint32_t)__builtin_popcount(access->mask);
    const uint32_t useful = cost->useful_bytes / lanes, moved = cost->moved_bytes / lanes;
    uint32_t more_useful = cost->useful_bytes % lanes, more_moved = cost->moved_bytes % lanes;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const uint64_t address = access->address[__builtin_ctz(left)];
        if (!holds(*last, address, access->width) && !(*last = find(worker, address, access->width)))
            return;
        add(*last, address, way, useful + more_useful, moved + more_moved);
        more_useful = more_moved = 0;
    }
}

void sim_sample_range(struct sim_worker *worker, uint64_t address, uint64_t size, uint64_t times,
                      uint64_t moved, bool written) {
    struct sim_array *array = find(worker, address, size);
    const int way = written ? SIM_CELL_WRITTEN : SIM_CELL_READ;
    while (array && size) {
        const uint64_t part = (uint64_t)1 << array->shift,
                       here = array->size ? part - ((address - array->base) & (part - 1)) : size;
        const uint64_t bytes = here < size ? here : size, share = bytes < size ? moved * bytes / size : moved;
        add(array, address, way, times * bytes, share);
        address += bytes;
        size -= bytes;
        moved -= share;
    }
}

/* ---------------------------------------------------------------- of a launch */

struct sim_samples *sim_samples_create(size_t site_count) {
    struct sim_samples *samples = calloc(1, sizeof *samples);
    if (!samples)
        return NULL;
    samples->site_count = site_count;
    samples->sites = calloc(site_count + 1, sizeof *samples->sites);
    if (!samples->sites) {
        free(samples);
        return NULL;
    }
    return samples;
}

void sim_samples_free(struct sim_samples *samples) {
    if (!samples)
        return;
    for (size_t i = 0; i < samples->site_count; i++)
        sim_kinds_free(&samples->sites[i].kinds);
    for (size_t i = 0; i < SLOTS; i++)
        free(samples->slots[i]);
    free(samples->rest);
    free(samples->sites);
    free(samples);
}

static void add_cells(struct sim_array *to, const struct sim_array *from) {
    for (unsigned i = 0; i < from->cells; i++)
        for (int way = 0; way < SIM_CELL_WAYS; way++) {
            to->cell[i].useful[way] += from->cell[i].useful[way];
            to->cell[i].moved[way] += from->cell[i].moved[way];
        }
}

/* The rest takes what there is no room for. */
static void add_array(struct sim_samples *to, const struct sim_array *from) {
    struct sim_array **slot = from->size ? slot_of(to, from->base) : &to->rest;
    if (!*slot && (!from->size || to->array_count < SIM_ARRAYS)) {
        *slot = new_array(from->base, from->size, from->serial);
        to->array_count += *slot && from->size;
    }
    if (*slot) {
        add_cells(*slot, from);
        return;
    }
    struct sim_array whole = {.cells = 1};
    for (unsigned i = 0; i < from->cells; i++)
        for (int way = 0; way < SIM_CELL_WAYS; way++) {
            whole.cell[0].useful[way] += from->cell[i].useful[way];
            whole.cell[0].moved[way] += from->cell[i].moved[way];
        }
    if (from->size)
        add_array(to, &whole);
    else
        to->failed = true;
}

void sim_samples_add(struct sim_samples *to, struct sim_samples *from) {
    to->failed |= from->failed;
    for (size_t i = 0; i < from->site_count; i++)
        sim_kinds_add(&to->sites[i].kinds, &from->sites[i].kinds);
    for (size_t i = 0; i < SLOTS; i++)
        if (from->slots[i])
            add_array(to, from->slots[i]);
    if (from->rest)
        add_array(to, from->rest);
}

static int by_serial(const void *left, const void *right) {
    const struct sim_array *a = *(struct sim_array *const *)left, *b = *(struct sim_array *const *)right;
    return (a->serial > b->serial) - (a->serial < b->serial);
}

void sim_samples_tell(const struct sim_samples *samples, sim_array_fn *tell, void *argument) {
    const struct sim_array *arrays[SIM_ARRAYS];
    size_t count = 0;
    for (size_t i = 0; i < SLOTS; i++)
        if (samples->slots[i])
            arrays[count++] = samples->slots[i];
    qsort(arrays, count, sizeof *arrays, by_serial);
    for (size_t i = 0; i < count; i++)
        tell(argument, arrays[i]);
    if (samples->rest)
        tell(argument, samples->rest);
    if (samples->failed)
        tell(argument, NULL);
}
