#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/utf8.h"

static void describe(struct base_error *error, bool usage, const char *format, va_list arguments) {
    error->usage = usage;
    char text[sizeof error->text];
    vsnprintf(text, sizeof text, format, arguments);
    /* A file name may be invalid UTF-8, and a long one may be cut within a character. */
    char *plain = base_utf8(text);
    snprintf(error->text, sizeof error->text, "%s", plain ? plain : text);
    free(plain);
    /* A driver's message may have several lines; ours has one.  A name may hold commands to a terminal. */
    for (char *c = error->text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
        else if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

bool base_usage(struct base_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    describe(error, true, format, arguments);
    va_end(arguments);
    return false;
}

bool base_failure(struct base_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    describe(error, false, format, arguments);
    va_end(arguments);
    return false;
}
