/* The table of live handles and their owners. */
#include "sim/cuda/driver.h"

enum { BUCKETS = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *table[BUCKETS];
static struct object *device_owned;

static struct object **bucket_of(const void *handle) {
    uintptr_t key = (uintptr_t)handle;
    return &table[((key >> 4) ^ (key >> 16)) % BUCKETS];
}

static struct object **owner_list(struct CUctx_st *context) {
    return context ? &context->owned : &device_owned;
}

/* Allocations are found by address; they have no handles. */
static bool has_handle(const struct object *object) {
    return object->kind != OBJECT_ALLOCATION;
}

void object_add(struct object *object, enum object_kind kind, struct CUctx_st *context,
                void (*release)(struct object *object)) {
    object->kind = kind;
    object->context = context;
    object->release = release;
    pthread_mutex_lock(&lock);
    if (has_handle(object)) {
        struct object **bucket = bucket_of(object);
        object->table_next = *bucket;
        *bucket = object;
    }
    if (release) {
        struct object **list = owner_list(context);
        object->owner_previous = NULL;
        object->owner_next = *list;
        if (*list)
            (*list)->owner_previous = object;
        *list = object;
    }
    pthread_mutex_unlock(&lock);
}

bool object_is(const void *handle, enum object_kind kind) {
    if (!handle)
        return false;
    pthread_mutex_lock(&lock);
    const struct object *object = *bucket_of(handle);
    while (object && object != handle)
        object = object->table_next;
    bool found = object && object->kind == kind;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Call with the lock held. */
static bool remove_locked(struct object *object) {
    if (has_handle(object)) {
        struct object **link = bucket_of(object);
        while (*link && *link != object)
            link = &(*link)->table_next;
        if (!*link)
            return false;
        *link = object->table_next;
    }
    if (object->release) {
        if (object->owner_previous)
            object->owner_previous->owner_next = object->owner_next;
        else
            *owner_list(object->context) = object->owner_next;
        if (object->owner_next)
            object->owner_next->owner_previous = object->owner_previous;
    }
    return true;
}

bool object_remove(struct object *object) {
    pthread_mutex_lock(&lock);
    bool removed = remove_locked(object);
    pthread_mutex_unlock(&lock);
    return removed;
}

void object_destroy(struct object *object) {
    if (object_remove(object) && object->release)
        object->release(object);
}

void object_destroy_owned(struct CUctx_st *context) {
    for (;;) {
        pthread_mutex_lock(&lock);
        struct object *object = *owner_list(context);
        if (object)
            remove_locked(object);
        pthread_mutex_unlock(&lock);
        if (!object)
            return;
        object->release(object);
    }
}
