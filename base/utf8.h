/* Names that come from outside, as text that every reader takes. */
#ifndef WIDELOAD_BASE_UTF8_H
#define WIDELOAD_BASE_UTF8_H

#include <jansson.h>

/* A copy in UTF-8, to be freed: each byte that belongs to no character becomes U+FFFD.  NULL: out of memory.
 */
char *base_utf8(const char *text);

/* The same as a JSON string. */
json_t *base_json_text(const char *text);

#endif
