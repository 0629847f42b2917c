#include "sim/ptx/names.h"

#include <string.h>

#define FIRST_CAPACITY 1024

/* FNV-1a with the upper half folded in, as the table uses the low bits. */
static uint64_t hash_of(const char *text, size_t length) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* The slot that holds the name, or the free one for it. */
static struct ptx_name **slot_of(const struct ptx_names *names, const char *text, size_t length,
                                 uint64_t hash) {
    size_t mask = names->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct ptx_name *name = names->slots[i];
        if (name == NULL ||
            (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0))
            return &names->slots[i];
    }
}

static bool enlarge(struct ptx_names *names) {
    struct ptx_names larger = *names;
    larger.capacity = names->capacity == 0 ? FIRST_CAPACITY : names->capacity * 2;
    larger.slots = ptx__arena_alloc(names->scratch, larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (size_t i = 0; i < names->capacity; i++) {
        struct ptx_name *name = names->slots[i];
        if (name != NULL)
            *slot_of(&larger, name->text, name->length, name->hash) = name;
    }
    *names = larger;
    return true;
}

struct ptx_name *ptx__names_find(const struct ptx_names *names, const char *text, size_t length) {
    if (names->capacity == 0)
        return NULL;
    return *slot_of(names, text, length, hash_of(text, length));
}

struct ptx_name *ptx__names_add(struct ptx_names *names, const char *text, size_t length) {
    if (names->count >= names->capacity / 2 && !enlarge(names))
        return NULL;
    uint64_t hash = hash_of(text, length);
    struct ptx_name **slot = slot_of(names, text, length, hash);
    if (*slot != NULL)
        return *slot;
    struct ptx_name *name = ptx__arena_alloc(names->scratch, 1, sizeof *name);
    char *copy = ptx__arena_string(names->texts, text, length);
    if (name == NULL || copy == NULL)
        return NULL;
    name->text = copy;
    name->length = length;
    name->hash = hash;
    *slot = name;
    names->count++;
    return name;
}
