#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

enum { LEAST_COLUMNS = 40 }; /* nothing reads well in fewer columns: let the terminal wrap */

int base_text_wide(FILE *file) {
    struct winsize window;
    int number = fileno(file);
    /* A terminal that does not know its width reports 0. */
    if (number < 0 || !isatty(number) || ioctl(number, TIOCGWINSZ, &window) || window.ws_col == 0)
        return BASE_TEXT_COLUMNS;
    return window.ws_col > LEAST_COLUMNS ? window.ws_col : LEAST_COLUMNS;
}

int base_text_columns(FILE *file) {
    int columns = base_text_wide(file);
    return columns < BASE_TEXT_COLUMNS ? columns : BASE_TEXT_COLUMNS;
}

static void wrap(FILE *file, const char *text, int indent, int column) {
    int at = column, columns = base_text_columns(file);
    while (*text) {
        size_t length = strcspn(text, " ");
        if (at > indent && at + 1 + (int)length > columns) {
            fputc('\n', file);
            at = 0;
        }
        if (at < indent) {
            fprintf(file, "%*s", indent - at, "");
            at = indent;
        } else if (at > indent && at != column) {
            fputc(' ', file);
            at++;
        }
        while ((int)length > columns - at && columns > indent) { /* a word longer than a line is broken */
            int part = columns > at ? columns - at : 0;
            while (part && ((unsigned char)text[part] & 0xc0) == 0x80)
                part--; /* never within a character */
            fprintf(file, "%.*s\n%*s", part, text, indent, "");
            text += part;
            length -= (size_t)part;
            at = indent;
        }
        fprintf(file, "%.*s", (int)length, text);
        at += (int)length;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', file);
}

const char *base_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void base_wrap(FILE *file, const char *text, int indent, int column) {
    char *plain = base_utf8(text);
    wrap(file, plain ? plain : text, indent, column);
    free(plain);
}
