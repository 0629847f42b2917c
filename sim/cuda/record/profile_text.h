/* JSON in a growing buffer: a record is built here, then written in one piece. */
#ifndef WIDELOAD_SIM_CUDA_PROFILE_TEXT_H
#define WIDELOAD_SIM_CUDA_PROFILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_text {
    char *data;
    size_t size, capacity;
    bool failed; /* out of memory: do not use the text */
};

void profile_text_free(struct profile_text *text);
void profile_put_bytes(struct profile_text *text, const char *bytes, size_t size);
/* Appends raw text: punctuation, literals. */
void profile_put(struct profile_text *text, const char *raw);
void profile_put_number(struct profile_text *text, uint64_t value);
void profile_put_signed(struct profile_text *text, int64_t value);
/* Appends a quoted string; bytes that are not UTF-8 become U+FFFD.  NULL becomes null. */
void profile_put_string(struct profile_text *text, const char *string);
/* Appends "name":, with a comma before it unless it is the object's first. */
void profile_put_name(struct profile_text *text, const char *name);

#endif
