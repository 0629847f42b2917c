/* The table of texture objects.  A handle is a slot's number and, in the upper bits, the slot's use count, so
 * that stale handles are recognized.  Slots never move, so warps read them without a lock. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sim/exec/texture/texture.h"

enum { SLOT_BITS = 20, CHUNK_SLOTS = 1024, CHUNKS = (1 << SLOT_BITS) / CHUNK_SLOTS };

struct slot {
    atomic_uint_fast64_t handle; /* of the live object; 0: none */
    atomic_uint_fast64_t uses;
    uint32_t next_free; /* a slot's number + 1 */
    struct sim_texture texture;
};

struct sim_textures {
    pthread_mutex_t lock;
    uint32_t used;  /* slots ever used */
    uint32_t freed; /* number + 1 of the first freed slot */
    struct slot *_Atomic chunks[CHUNKS];
};

struct sim_textures *sim_textures_create(void) {
    struct sim_textures *textures = calloc(1, sizeof *textures);
    if (textures)
        pthread_mutex_init(&textures->lock, NULL);
    return textures;
}

void sim_textures_destroy(struct sim_textures *textures) {
    if (!textures)
        return;
    for (int i = 0; i < CHUNKS; i++)
        free(atomic_load(&textures->chunks[i]));
    pthread_mutex_destroy(&textures->lock);
    free(textures);
}

static struct slot *slot_at(const struct sim_textures *textures, uint32_t number) {
    struct slot *chunk = atomic_load_explicit(&textures->chunks[number / CHUNK_SLOTS], memory_order_acquire);
    return chunk ? &chunk[number % CHUNK_SLOTS] : NULL;
}

/* Call with the lock held.  Slot 0 stays unused, so that no handle is 0. */
static struct slot *take_slot(struct sim_textures *textures, uint32_t *number) {
    if (textures->freed) {
        *number = textures->freed - 1;
        struct slot *slot = slot_at(textures, *number);
        textures->freed = slot->next_free;
        return slot;
    }
    if (textures->used == (1u << SLOT_BITS) - 1)
        return NULL;
    *number = textures->used + 1;
    if (!slot_at(textures, *number)) {
        struct slot *chunk = calloc(CHUNK_SLOTS, sizeof *chunk);
        if (!chunk)
            return NULL;
        atomic_store_explicit(&textures->chunks[*number / CHUNK_SLOTS], chunk, memory_order_release);
    }
    textures->used++;
    return slot_at(textures, *number);
}

uint64_t sim_textures_add(struct sim_textures *textures, const struct sim_texture *texture) {
    uint64_t handle = 0;
    uint32_t number;
    pthread_mutex_lock(&textures->lock);
    struct slot *slot = take_slot(textures, &number);
    if (slot) {
        slot->texture = *texture;
        handle = atomic_fetch_add(&slot->uses, 1) << SLOT_BITS | number;
        atomic_store_explicit(&slot->handle, handle, memory_order_release);
    }
    pthread_mutex_unlock(&textures->lock);
    return handle;
}

static struct slot *find(const struct sim_textures *textures, uint64_t handle) {
    uint32_t number = handle & ((1u << SLOT_BITS) - 1);
    return number ? slot_at(textures, number) : NULL;
}

bool sim_textures_remove(struct sim_textures *textures, uint64_t handle) {
    pthread_mutex_lock(&textures->lock);
    struct slot *slot = find(textures, handle);
    bool live = slot && atomic_load(&slot->handle) == handle;
    if (live)
        atomic_store(&slot->handle, 0);
    pthread_mutex_unlock(&textures->lock);
    return live;
}

void sim_textures_reuse(struct sim_textures *textures, uint64_t handle) {
    pthread_mutex_lock(&textures->lock);
    struct slot *slot = find(textures, handle);
    slot->next_free = textures->freed;
    textures->freed = (uint32_t)(handle & ((1u << SLOT_BITS) - 1)) + 1;
    pthread_mutex_unlock(&textures->lock);
}

const struct sim_texture *sim_textures_find(const struct sim_textures *textures, uint64_t handle,
                                            bool *destroyed) {
    struct slot *slot = textures ? find(textures, handle) : NULL;
    *destroyed = false;
    if (slot && atomic_load_explicit(&slot->handle, memory_order_acquire) == handle)
        return &slot->texture;
    *destroyed = slot && handle >> SLOT_BITS < atomic_load(&slot->uses);
    return NULL;
}
