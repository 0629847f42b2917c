/* Takes members of a record's JSON objects and checks them. */
#ifndef WIDELOAD_PROF_FIELDS_H
#define WIDELOAD_PROF_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct prof_recording;

/* The largest count in a record: doubles have it exactly, and sums of many fit in 64 bits. */
#define PROF_MOST_COUNTED ((uint64_t)1 << 53)

enum prof_reading { PROF_GOOD, PROF_BAD /* not a record */, PROF_NO_MEMORY };

/* The state of reading a record's members. */
struct prof_reader {
    struct prof_recording *recording; /* keeps the texts */
    enum prof_reading outcome;
};

/* Notes a failure; the first one stays, but memory that runs out comes before what is not a record. */
void prof_reader_fail(struct prof_reader *r, enum prof_reading outcome);

/* Whether it is an integer from 0 to most. */
bool prof_is_number(const json_t *value, uint64_t most);
/* NULL: there is no such text, which is a failure if it is needed. */
const char *prof_get_text(struct prof_reader *r, const json_t *object, const char *name, bool needed);
/* An integer from 0 to most; 0 if it is absent.  Anything else is a failure. */
uint64_t prof_get_number(struct prof_reader *r, const json_t *object, const char *name, uint64_t most);
/* Three integers of 32 bits.  False: it is no array of three. */
bool prof_get_three(struct prof_reader *r, const json_t *object, const char *name, unsigned out[3]);

#endif
