/* An arena: many small allocations that die together.
 *
 * Not safe for use by two threads at once.
 */
#ifndef WIDELOAD_SIM_PTX_ARENA_H
#define WIDELOAD_SIM_PTX_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct ptx_arena;

/* NULL: out of memory. */
struct ptx_arena *ptx__arena_new(void);

/* NULL is allowed. */
void ptx__arena_free(struct ptx_arena *arena);

/* count * size bytes of zeros, aligned to 16 bytes.  NULL: out of memory, or the product overflows.
 * Never NULL for an empty request, so that NULL always means failure. */
void *ptx__arena_alloc(struct ptx_arena *arena, size_t count, size_t size);

/* A NUL-ended copy of length bytes. */
char *ptx__arena_string(struct ptx_arena *arena, const char *text, size_t length);

/* Makes room in the array *items of *capacity items for one more than count.  The old array stays in the
 * arena until it dies: growth doubles, so no more is wasted than is used. */
bool ptx__arena_grow(struct ptx_arena *arena, void **items, size_t *capacity, size_t count, size_t size);

#endif
