/* The requests and arrays of a launch (requests.h): reads them from records, and adds up those of several
 * launches.
 *
 * Functions that return bool return false when out of memory; what is there then is still to be freed. */
#ifndef WIDELOAD_PROF_SAMPLES_H
#define WIDELOAD_PROF_SAMPLES_H

#include "prof/fields.h"
#include "prof/requests.h"

/* A line's kinds, in the order of space and transactions; freed by free(). */
struct prof_kinds {
    struct prof_kind *items;
    size_t count;
};
/* Reads a record's member `kinds`, if there is one. */
void prof_kinds_read(struct prof_reader *r, const json_t *line, struct prof_kinds *out);
/* Adds the requests of `times` launches.  The first example of a kind stays. */
bool prof_kinds_add(struct prof_kinds *to, const struct prof_kinds *more, uint64_t times);

struct prof_arrays {
    struct prof_array *items;
    size_t count;
};
/* Reads a launch's member `arrays`, if there is one. */
void prof_arrays_read(struct prof_reader *r, const json_t *launch, int64_t process, struct prof_arrays *out);
/* The arrays of `times` launches that did the same. */
struct prof_arrays_of {
    const struct prof_arrays *arrays;
    uint64_t times;
};
/* Adds up the arrays of several launches. */
bool prof_arrays_sum(const struct prof_arrays_of *launches, size_t count, struct prof_arrays *out);
void prof_arrays_free(struct prof_arrays *arrays);
/* By process, number and size: arrays that are equal in this are one.  For qsort(). */
int prof_array_compare(const void *left, const void *right);
/* What all of the array's parts have together. */
struct prof_cell prof_array_total(const struct prof_array *array);

/* Reads the record of an allocation.  out->frames are freed by free(), also after a failure. */
void prof_allocation_read(struct prof_reader *r, const json_t *object, struct prof_allocation *out);

#endif
