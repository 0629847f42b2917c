/* Members of JSON objects, with one message for what has the wrong type.  Absent members count as null. */
#ifndef WIDELOAD_REPORT_FIELDS_H
#define WIDELOAD_REPORT_FIELDS_H

#include <jansson.h>

#include "base/error.h"
#include "report/pool.h"

struct report_fields {
    const char *path; /* of the file */
    char where[80];   /* "rows[3]." */
    json_t *object;   /* NULL: every member counts as null */
    bool right;       /* false after the first fault; error then tells it */
    struct report_pool *pool;
    struct base_error *error;
};

/* Null where it is null and `needed` is false; else a fault. */
const char *report_string(struct report_fields *fields, const char *name, bool needed);
double report_number(struct report_fields *fields, const char *name); /* NaN: null */
/* -1: null. */
int report_boolean(struct report_fields *fields, const char *name);
/* An object's members; one that is null or absent has none. */
struct report_fields report_object(struct report_fields *fields, const char *name, bool needed);
/* NULL: null, absent, or a fault. */
json_t *report_array(struct report_fields *fields, const char *name, bool needed);
bool report_fault(struct report_fields *fields, const char *name, const char *expected);
/* Takes over an object's fault. */
void report_end(struct report_fields *fields, const struct report_fields *object);
/* Makes blanks of what a terminal might act upon. */
void report_blank(char *text);
/* A copy of a JSON string for people: control characters are spaces. */
const char *report_plain(struct report_pool *pool, const char *text);

#endif
