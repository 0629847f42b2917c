#include "base/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_utf8(const char *text, size_t length) {
    json_t *string = json_stringn(text, length);
    json_decref(string);
    return string;
}

/* Bytes of the character that starts here; 0 if the byte is invalid. */
static size_t character(const char *text) {
    size_t most = strnlen(text, 4);
    for (size_t length = 1; length <= most; length++)
        if (is_utf8(text, length))
            return length;
    return 0;
}

char *base_utf8(const char *text) {
    static const char none[] = "\xef\xbf\xbd";
    size_t length = strlen(text);
    if (is_utf8(text, length))
        return strdup(text);
    char *copy = malloc(3 * length + 1), *to = copy;
    while (copy && *text) {
        size_t size = character(text);
        memcpy(to, size ? text : none, size ? size : 3);
        to += size ? size : 3;
        text += size ? size : 1;
    }
    if (copy)
        *to = 0;
    return copy;
}

json_t *base_json_text(const char *text) {
    char *plain = base_utf8(text);
    json_t *string = plain ? json_string(plain) : NULL;
    free(plain);
    return string;
}
