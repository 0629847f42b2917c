/* What a launch's requests of memory look like, for pictures: of each instruction its requests by the
 * transactions that they took, each kind with an example; of each array what was moved to and from each of
 * its parts.
 *
 * Memory is bounded: an instruction has a kind for each number of transactions, and an array at most
 * SIM_ARRAY_CELLS parts.  The figures are of all requests, and only the examples are a choice: a worker keeps
 * the first of a kind that it runs, and of several workers' the one of the first block is told. */
#ifndef WIDELOAD_SIM_SAMPLE_H
#define WIDELOAD_SIM_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/count/count.h"

#define SIM_ARRAY_CELLS 128
#define SIM_ARRAYS      256 /* of a launch; what lies in others is told together */

enum sim_sample_space { SIM_SAMPLE_GLOBAL, SIM_SAMPLE_SHARED, SIM_SAMPLE_LOCAL, SIM_SAMPLE_CLUSTER };

/* The requests of an instruction that took equally many transactions in one space. */
struct sim_kind {
    struct sim_kind *next;
    enum sim_sample_space space;
    uint32_t transactions;      /* of each */
    uint64_t requests;          /* of local memory: instructions, which may make several requests */
    uint64_t moved, useful;     /* bytes of all of them, as in struct count_result */
    uint64_t order;             /* of the example's block, among those that start */
    uint32_t block[3], warp;    /* the example's */
    struct count_access access; /* the example as it was counted, but for the addresses */
    uint64_t address[32];       /* 0 for lanes outside access.mask */
};

/* Adds the kinds of `from` to those of the other list, and leaves it empty. */
void sim_kinds_add(struct sim_kind **to, struct sim_kind **from);
/* Frees the list, and leaves it empty. */
void sim_kinds_free(struct sim_kind **list);

enum { SIM_CELL_READ, SIM_CELL_WRITTEN, SIM_CELL_WAYS };

/* What was moved to and from a part of an array.  A request's bytes are shared out evenly among its lanes;
 * atomics count as written. */
struct sim_cell {
    uint64_t useful[SIM_CELL_WAYS], moved[SIM_CELL_WAYS]; /* bytes */
};

struct sim_array {
    uint64_t base, size; /* size 0: all that lies in no other array of the launch */
    uint64_t serial;     /* as in struct sim_allocation; 0 where size is 0 */
    unsigned shift;      /* a part has 1 << shift bytes, the last one may have fewer */
    unsigned cells;      /* 1 to SIM_ARRAY_CELLS */
    struct sim_cell cell[SIM_ARRAY_CELLS];
};

/* Told of each array that a launch used, after the launch, in the order of the serials, on the caller's
 * thread.  At last it is told of NULL if memory ran out: then kinds and arrays lack some requests. */
typedef void sim_array_fn(void *argument, const struct sim_array *array);

#endif
