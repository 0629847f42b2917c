#include "prof/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
static size_t hash(const char *text) {
    uint64_t value = 0xcbf29ce484222325u;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 0x100000001b3u;
    return (size_t)value;
}

static char **find(char **slots, size_t capacity, const char *text) {
    size_t i = hash(text) & (capacity - 1);
    while (slots[i] && strcmp(slots[i], text) != 0)
        i = (i + 1) & (capacity - 1);
    return &slots[i];
}

static bool grow(struct prof_names *names) {
    size_t capacity = names->capacity ? 2 * names->capacity : 64;
    char **slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < names->capacity; i++)
        if (names->slots[i])
            *find(slots, capacity, names->slots[i]) = names->slots[i];
    free(names->slots);
    names->slots = slots;
    names->capacity = capacity;
    return true;
}

const char *prof_names_keep(struct prof_names *names, const char *text) {
    if (2 * names->count >= names->capacity && !grow(names))
        return NULL;
    char **slot = find(names->slots, names->capacity, text);
    if (!*slot) {
        *slot = strdup(text);
        names->count += *slot != NULL;
    }
    return *slot;
}

void prof_names_free(struct prof_names *names) {
    for (size_t i = 0; i < names->capacity; i++)
        free(names->slots[i]);
    free(names->slots);
    *names = (struct prof_names){0};
}
