/* Where accesses are sampled.  Private to sim/exec. */
#ifndef WIDELOAD_SIM_SAMPLE_HOOKS_H
#define WIDELOAD_SIM_SAMPLE_HOOKS_H

#include "sim/exec/sample/sample.h"

struct sim_worker;
struct sim_warp;

/* What a worker has sampled of one memory instruction. */
struct sim_site_sample {
    struct sim_kind *kinds;  /* the one that was seen last is the first */
    struct sim_array *array; /* that its last access fell in; NULL: none yet */
};

struct sim_samples {
    struct sim_site_sample *sites; /* by the module's site numbers */
    size_t site_count;
    struct sim_array *slots[2 * SIM_ARRAYS]; /* a hash table by the base */
    unsigned array_count;
    struct sim_array *rest; /* what lies in no array of the table */
    bool failed;            /* out of memory: requests are missing */
};

/* NULL: out of memory. */
struct sim_samples *sim_samples_create(size_t site_count);
void sim_samples_free(struct sim_samples *samples);

/* Counts a request of the kind that was seen last.  False: it is of another kind. */
static inline bool sim_sample_again(struct sim_site_sample *site, enum sim_sample_space space,
                                    const struct count_result *cost) {
    struct sim_kind *kind = site->kinds;
    if (!kind || kind->transactions != cost->transactions || kind->space != space)
        return false;
    kind->requests++;
    kind->moved += cost->moved_bytes;
    kind->useful += cost->useful_bytes;
    return true;
}

/* Adds a request of `span` bytes from `low` on to the one part of the last array that it lies in.  False: it
 * lies elsewhere. */
static inline bool sim_sample_part(struct sim_site_sample *site, uint64_t low, uint64_t span, int way,
                                   const struct count_result *cost) {
    struct sim_array *array = site->array;
    if (!array || low < array->base || !span || span > array->size || low - array->base > array->size - span)
        return false;
    const uint64_t first = (low - array->base) >> array->shift;
    if ((low + span - 1 - array->base) >> array->shift != first)
        return false;
    array->cell[first].useful[way] += cost->useful_bytes;
    array->cell[first].moved[way] += cost->moved_bytes;
    return true;
}

/* kinds.c: notes a request of the warp as it was counted, and what it cost. */
void sim_sample_kind(struct sim_warp *w, uint32_t site, enum sim_sample_space space,
                     const struct count_access *access, const struct count_result *cost);
/* arrays.c: shares a request's bytes out among the arrays in which its lanes lie. */
void sim_sample_lanes(struct sim_worker *worker, uint32_t site, const struct count_access *access, int way,
                      const struct count_result *cost);
/* The same of `size` bytes in a row, which as many blocks as `times` got and for which `moved` were moved. */
void sim_sample_range(struct sim_worker *worker, uint64_t address, uint64_t size, uint64_t times,
                      uint64_t moved, bool written);

/* Adds what another worker sampled, once: takes its kinds, and leaves its arrays. */
void sim_samples_add(struct sim_samples *to, struct sim_samples *from);
/* Tells the launch of its arrays, and of failure. */
void sim_samples_tell(const struct sim_samples *samples, sim_array_fn *tell, void *argument);

#endif
