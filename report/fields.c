#include "report/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool report_fault(struct report_fields *fields, const char *name, const char *expected) {
    if (fields->right)
        base_usage(fields->error, "%.400s: %s%s: %s was expected; is it a result of wideload bench?",
                   fields->path, fields->where, name, expected);
    return fields->right = false;
}

static json_t *member(struct report_fields *fields, const char *name, bool needed, const char *expected) {
    json_t *value = fields->object ? json_object_get(fields->object, name) : NULL;
    if (value && !json_is_null(value))
        return value;
    if (needed)
        report_fault(fields, name, expected);
    return NULL;
}

void report_blank(char *text) {
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
}

const char *report_plain(struct report_pool *pool, const char *text) {
    char *copy = report_format(pool, "%s", text);
    report_blank(copy);
    return copy;
}

const char *report_string(struct report_fields *fields, const char *name, bool needed) {
    json_t *value = member(fields, name, needed, "a string");
    if (!value)
        return NULL;
    if (!json_is_string(value)) {
        report_fault(fields, name, needed ? "a string" : "a string or null");
        return NULL;
    }
    return report_plain(fields->pool, json_string_value(value));
}

double report_number(struct report_fields *fields, const char *name) {
    json_t *value = member(fields, name, false, "");
    if (value && (!json_is_number(value) || json_number_value(value) < 0)) {
        report_fault(fields, name, "a number of 0 or more, or null");
        return NAN;
    }
    return value ? json_number_value(value) : NAN;
}

int report_boolean(struct report_fields *fields, const char *name) {
    json_t *value = member(fields, name, false, "");
    if (value && !json_is_boolean(value))
        report_fault(fields, name, "true, false or null");
    return value && json_is_boolean(value) ? json_is_true(value) : -1;
}

struct report_fields report_object(struct report_fields *fields, const char *name, bool needed) {
    struct report_fields object = *fields;
    object.object = member(fields, name, needed, "an object");
    if (object.object && !json_is_object(object.object)) {
        report_fault(fields, name, needed ? "an object" : "an object or null");
        object.object = NULL;
    }
    object.right = fields->right;
    size_t length = strlen(fields->where);
    snprintf(object.where + length, sizeof object.where - length, "%.30s.", name);
    return object;
}

json_t *report_array(struct report_fields *fields, const char *name, bool needed) {
    json_t *value = member(fields, name, needed, "an array");
    if (value && !json_is_array(value)) {
        report_fault(fields, name, needed ? "an array" : "an array or null");
        return NULL;
    }
    return value;
}

void report_end(struct report_fields *fields, const struct report_fields *object) {
    fields->right = fields->right && object->right;
}
