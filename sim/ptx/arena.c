#include "sim/ptx/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT       16
#define FIRST_CHUNK     (16 * 1024)
#define LARGEST_CHUNK   (1024 * 1024)
#define OWN_CHUNK_LIMIT 4096 /* a larger request that does not fit in the current chunk gets its own */

struct chunk {
    struct chunk *next;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

struct ptx_arena {
    struct chunk *chunks;
    unsigned char *free; /* in the current chunk */
    size_t left;
    size_t next_size;
};

struct ptx_arena *ptx__arena_new(void) {
    struct ptx_arena *arena = calloc(1, sizeof *arena);
    if (arena != NULL)
        arena->next_size = FIRST_CHUNK;
    return arena;
}

void ptx__arena_free(struct ptx_arena *arena) {
    if (arena == NULL)
        return;
    struct chunk *next;
    for (struct chunk *chunk = arena->chunks; chunk != NULL; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

/* calloc, not malloc and memset: pages fresh from the system are already zero. */
static struct chunk *chunk_new(struct ptx_arena *arena, size_t size) {
    struct chunk *chunk = calloc(1, sizeof *chunk + size);
    if (chunk != NULL) {
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    return chunk;
}

void *ptx__arena_alloc(struct ptx_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        return NULL;
    size_t bytes = (count * size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes == 0)
        bytes = ALIGNMENT;
    if (bytes > arena->left) {
        if (bytes > OWN_CHUNK_LIMIT) {
            struct chunk *own = chunk_new(arena, bytes);
            return own == NULL ? NULL : own->bytes;
        }
        struct chunk *chunk = chunk_new(arena, arena->next_size);
        if (chunk == NULL)
            return NULL;
        arena->free = chunk->bytes;
        arena->left = arena->next_size;
        if (arena->next_size < LARGEST_CHUNK)
            arena->next_size *= 2;
    }
    void *result = arena->free;
    arena->free += bytes;
    arena->left -= bytes;
    return result;
}

char *ptx__arena_string(struct ptx_arena *arena, const char *text, size_t length) {
    if (length == SIZE_MAX)
        return NULL;
    char *copy = ptx__arena_alloc(arena, length + 1, 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

bool ptx__arena_grow(struct ptx_arena *arena, void **items, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity)
        return true;
    size_t larger = *capacity == 0 ? 16 : *capacity * 2;
    void *copy = ptx__arena_alloc(arena, larger, size);
    if (copy == NULL)
        return false;
    if (count != 0)
        memcpy(copy, *items, count * size);
    *items = copy;
    *capacity = larger;
    return true;
}
