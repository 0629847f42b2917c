/* Makes valid UTF-8 of names that come from outside the program. */
#ifndef WIDELOAD_BASE_UTF8_H
#define WIDELOAD_BASE_UTF8_H

#include <jansson.h>

/* A copy in UTF-8 in which each invalid byte is U+FFFD.  The caller frees it.  NULL: out of memory. */
char *base_utf8(const char *text);

/* The same as a JSON string, a new reference. */
json_t *base_json_text(const char *text);

#endif
