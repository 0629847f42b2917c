/* Makes valid UTF-8 of names that come from outside the program. */
#ifndef WIDELOAD_BASE_UTF8_H
#define WIDELOAD_BASE_UTF8_H

#include <jansson.h>

/* Bytes of the valid character that starts the text; 0 if none does.  It reads no further than a zero byte.
 */
size_t base_utf8_character(const char *text);

/* A copy in UTF-8 in which each invalid byte is U+FFFD.  The caller frees it.  NULL: out of memory. */
char *base_utf8(const char *text);

/* The same as a JSON string, a new reference. */
json_t *base_json_text(const char *text);

#endif
