/* Reads members of JSON objects and reports wrong types.  An absent member counts as null. */
#ifndef WIDELOAD_REPORT_FIELDS_H
#define WIDELOAD_REPORT_FIELDS_H

#include <jansson.h>

#include "base/error.h"
#include "report/pool.h"

struct report_fields {
    const char *path; /* of the file */
    char where[80];   /* "rows[3]." */
    json_t *object;   /* NULL: every member counts as null */
    bool right;       /* false after the first fault, which error describes */
    struct report_pool *pool;
    struct base_error *error;
};

/* NULL: the member is null, which is a fault if it is `needed`. */
const char *report_string(struct report_fields *fields, const char *name, bool needed);
double report_number(struct report_fields *fields, const char *name); /* NaN: null */
/* -1: null. */
int report_boolean(struct report_fields *fields, const char *name);
/* The fields of a member that is an object; if it is null, it has none. */
struct report_fields report_object(struct report_fields *fields, const char *name, bool needed);
/* NULL: null or a fault. */
json_t *report_array(struct report_fields *fields, const char *name, bool needed);
bool report_fault(struct report_fields *fields, const char *name, const char *expected);
/* Ends report_object(): passes a fault on to `fields`. */
void report_end(struct report_fields *fields, const struct report_fields *object);
/* Replaces control characters, on which a terminal might act, with spaces. */
void report_blank(char *text);
/* A copy in the pool, with spaces for control characters. */
const char *report_plain(struct report_pool *pool, const char *text);

#endif
