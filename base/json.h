/* Makes JSON.  A value that could not be made for want of memory is NULL, and what should hold it fails. */
#ifndef WIDELOAD_BASE_JSON_H
#define WIDELOAD_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Sets an object's member.  The object gets the value's reference. */
static inline bool base_json_set(json_t *object, const char *name, json_t *value) {
    return json_object_set_new(object, name, value) == 0;
}

/* Appends to an array, likewise. */
static inline bool base_json_add(json_t *array, json_t *value) {
    return json_array_append_new(array, value) == 0;
}

/* `value` if all went right; otherwise NULL, and the value is freed. */
static inline json_t *base_json_if(bool right, json_t *value) {
    if (right)
        return value;
    json_decref(value);
    return NULL;
}

/* Writes ` "name": value` and frees the value.  flags: json_dumpf()'s. */
static inline bool base_json_put(FILE *file, const char *name, json_t *value, size_t flags) {
    const bool right = value && fprintf(file, " \"%s\": ", name) > 0 &&
                       json_dumpf(value, file, JSON_ENCODE_ANY | flags) == 0;
    json_decref(value);
    return right;
}

#endif
