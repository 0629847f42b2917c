#include "prof/fields.h"

#include "prof/recording.h"

void prof_reader_fail(struct prof_reader *r, enum prof_reading outcome) {
    if (r->outcome == PROF_GOOD || outcome == PROF_NO_MEMORY)
        r->outcome = outcome;
}

const char *prof_get_text(struct prof_reader *r, const json_t *object, const char *name, bool needed) {
    const char *text = json_string_value(json_object_get(object, name));
    if (!text) {
        if (needed)
            prof_reader_fail(r, PROF_BAD);
        return NULL;
    }
    const char *kept = prof_names_keep(&r->recording->names, text);
    if (!kept)
        prof_reader_fail(r, PROF_NO_MEMORY);
    return kept;
}

bool prof_is_number(const json_t *value, uint64_t most) {
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           (uint64_t)json_integer_value(value) <= most;
}

uint64_t prof_get_number(struct prof_reader *r, const json_t *object, const char *name, uint64_t most) {
    const json_t *value = json_object_get(object, name);
    if (!value)
        return 0;
    if (!prof_is_number(value, most)) {
        prof_reader_fail(r, PROF_BAD);
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

bool prof_get_three(struct prof_reader *r, const json_t *object, const char *name, unsigned out[3]) {
    const json_t *array = json_object_get(object, name);
    if (json_array_size(array) != 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_array_get(array, i);
        if (!prof_is_number(value, UINT32_MAX)) {
            prof_reader_fail(r, PROF_BAD);
            return false;
        }
        out[i] = (unsigned)json_integer_value(value);
    }
    return true;
}
