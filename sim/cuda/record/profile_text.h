/* JSON, written into memory that grows: what a record is made in before it goes out in one piece. */
#ifndef WIDELOAD_SIM_CUDA_PROFILE_TEXT_H
#define WIDELOAD_SIM_CUDA_PROFILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_text {
    char *data;
    size_t size, capacity;
    bool failed; /* out of memory: the text is not to be used */
};

void profile_text_free(struct profile_text *text);
void profile_put_bytes(struct profile_text *text, const char *bytes, size_t size);
/* As it stands: punctuation, literals. */
void profile_put(struct profile_text *text, const char *raw);
void profile_put_number(struct profile_text *text, uint64_t value);
void profile_put_signed(struct profile_text *text, int64_t value);
/* A string, quoted; bytes that are no UTF-8 become U+FFFD.  NULL becomes null. */
void profile_put_string(struct profile_text *text, const char *string);
/* "name": with a comma before it unless it is an object's first. */
void profile_put_name(struct profile_text *text, const char *name);

#endif
