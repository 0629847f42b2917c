#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

size_t base_utf8_character(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    /* The second byte's bounds refuse long forms, surrogates, and what lies above U+10FFFF. */
    unsigned char least = 0x80, most = 0xbf;
    size_t size = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    if (c[0] == 0xe0)
        least = 0xa0;
    else if (c[0] == 0xed)
        most = 0x9f;
    else if (c[0] == 0xf0)
        least = 0x90;
    else if (c[0] == 0xf4)
        most = 0x8f;
    if (size > 1 && (c[1] < least || c[1] > most))
        return 0;
    for (size_t i = 2; i < size; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

char *base_utf8(const char *text) {
    static const char none[] = "\xef\xbf\xbd";
    char *copy = malloc(3 * strlen(text) + 1), *to = copy;
    while (copy && *text) {
        size_t size = base_utf8_character(text);
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
