#include "base/html.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

/* Control characters, and the noncharacters U+FFFE and U+FFFF, which are valid in UTF-8. */
static bool is_forbidden(const char *c) {
    return ((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f ||
           strncmp(c, "\xef\xbf\xbe", 3) == 0 || strncmp(c, "\xef\xbf\xbf", 3) == 0;
}

static const char *entity(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void base_html(FILE *out, const char *text) {
    while (*text) {
        size_t size = base_utf8_character(text);
        const char *escaped = entity(*text);
        if (!size || is_forbidden(text))
            fputs("\xef\xbf\xbd", out);
        else if (escaped)
            fputs(escaped, out);
        else
            fwrite(text, 1, size, out);
        text += size ? size : 1;
    }
}
