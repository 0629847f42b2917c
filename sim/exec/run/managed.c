/* Managed variables, of which the modules of one text share one of each. */
#include "sim/exec/run/managed.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct variable {
    uint64_t address;
    char *name; /* a copy, which outlives the module that placed the variable */
};

struct sim_managed {
    _Atomic unsigned references; /* one per module */
    struct sim_memory *memory;
    size_t count;
    struct variable variables[];
};

struct sim_managed *sim_managed_create(struct sim_memory *memory, size_t capacity) {
    struct sim_managed *managed = calloc(1, sizeof *managed + capacity * sizeof *managed->variables);
    if (managed) {
        atomic_init(&managed->references, 1);
        managed->memory = memory;
    }
    return managed;
}

struct sim_managed *sim_managed_share(struct sim_managed *managed) {
    atomic_fetch_add(&managed->references, 1);
    return managed;
}

void sim_managed_release(struct sim_managed *managed) {
    if (!managed || atomic_fetch_sub(&managed->references, 1) != 1)
        return;
    for (size_t i = 0; i < managed->count; i++) {
        sim_memory_free(managed->memory, managed->variables[i].address);
        free(managed->variables[i].name);
    }
    free(managed);
}

uint64_t sim_managed_add(struct sim_managed *managed, const char *name, size_t size) {
    char *copy = strdup(name);
    const uint64_t address = copy ? sim_memory_alloc(managed->memory, size, SIM_MEMORY_MANAGED) : 0;
    if (!address) {
        free(copy);
        return 0;
    }
    sim_memory_set_name(managed->memory, address, copy);
    managed->variables[managed->count++] = (struct variable){address, copy};
    return address;
}

uint64_t sim_managed_at(const struct sim_managed *managed, size_t i) {
    return managed->variables[i].address;
}
