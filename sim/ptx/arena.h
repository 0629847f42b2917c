/* An arena: many small allocations that are freed together.  Not thread-safe. */
#ifndef WIDELOAD_SIM_PTX_ARENA_H
#define WIDELOAD_SIM_PTX_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct ptx_arena;

/* NULL on out-of-memory. */
struct ptx_arena *ptx__arena_new(void);

/* NULL is a no-op. */
void ptx__arena_free(struct ptx_arena *arena);

/* count * size zeroed bytes, aligned to 16.  NULL if out of memory or if the product overflows; never NULL
 * for an empty request, so NULL always means failure. */
void *ptx__arena_alloc(struct ptx_arena *arena, size_t count, size_t size);

/* A NUL-terminated copy of length bytes.  NULL on out-of-memory. */
char *ptx__arena_string(struct ptx_arena *arena, const char *text, size_t length);

/* Makes room in the array *items of *capacity items for one more than count.  false on out-of-memory.  The
 * old array stays in the arena; since growth doubles, no more is wasted than is used. */
bool ptx__arena_grow(struct ptx_arena *arena, void **items, size_t *capacity, size_t count, size_t size);

#endif
