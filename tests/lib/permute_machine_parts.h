/* What the parts of permute_machine.c share. */
#ifndef WIDELOAD_TESTS_PERMUTE_MACHINE_PARTS_H
#define WIDELOAD_TESTS_PERMUTE_MACHINE_PARTS_H

#include "permute_machine.h"

struct machine {
    const char *what;
    uint8_t *from, *to, *memory;
    uint64_t from_address, to_address; /* the addresses given to the plan */
    uint64_t bytes;
    unsigned width;
    unsigned memory_bytes;
};

/* A division as the kernels make it. */
uint32_t machine_divide(uint32_t n, const struct wl_permute_divisor *by);
/* Where a tile lies; returns the ends that it has. */
unsigned machine_tile(const struct wl_permute_tiles *p, uint32_t tile, uint64_t *in, uint64_t *out,
                      uint32_t *row);
/* So many bytes at an address of an array, which was given to the plan as `base`, and of a tile's memory. */
uint8_t *machine_array(const struct machine *m, uint8_t *array, uint64_t address, uint64_t base,
                       unsigned width);
uint8_t *machine_memory(const struct machine *m, uint64_t at, unsigned width);

/* Has every tile run, and compares the output. */
typedef void run_fn(const struct machine *m, const void *plan, uint32_t tile);
void machine_carry_out(const struct problem *p, const void *plan, const struct wl_permute_tiles *tiles,
                       unsigned width, unsigned memory, run_fn *run);

#endif
