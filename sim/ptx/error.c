#include "sim/ptx/ptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_NAME   200 /* bytes of the file's name, from its end */
#define SHOWN_SOURCE 160 /* bytes of the source line, around the position */

/* The beginning of a line, and its length without the end of line. */
static const char *find_line(const struct ptx_module *module, uint32_t number, size_t *length) {
    const char *at = module->text, *end = module->text + module->text_size;
    for (uint32_t line = 1; line < number; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (newline == NULL)
            break;
        at = newline + 1;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *length = (size_t)((newline != NULL ? newline : end) - at);
    if (*length > 0 && at[*length - 1] == '\r')
        --*length;
    return at;
}

/* "\n", the source line, "\n" and a caret under the position.  Tabs are repeated under tabs, so the caret is
 * right for any tab width.  Bytes that a terminal might interpret become '?'. */
static void show_line(char *out, const struct ptx_module *module, struct ptx_pos pos) {
    size_t length;
    const char *line = find_line(module, pos.line, &length);
    size_t column = pos.column > 0 ? pos.column - 1 : 0;
    if (column > length)
        column = length;
    size_t begin = column < SHOWN_SOURCE ? 0 : column - SHOWN_SOURCE / 2;
    size_t end = length - begin < SHOWN_SOURCE ? length : begin + SHOWN_SOURCE;

    const char *cut = begin > 0 ? "..." : "";
    out += sprintf(out, "\n%s", cut);
    for (size_t i = begin; i < end; i++) {
        unsigned char c = (unsigned char)line[i];
        *out++ = c == '\t' || (c >= ' ' && c < 0x7f) ? (char)c : '?';
    }
    out += sprintf(out, "\n%*s", (int)strlen(cut), "");
    for (size_t i = begin; i < column; i++)
        *out++ = line[i] == '\t' ? '\t' : ' ';
    memcpy(out, "^", 2);
}

bool ptx_error_set(struct ptx_error *error, const struct ptx_module *module, struct ptx_pos pos,
                   const char *format, ...) {
    if (error == NULL)
        return false;
    error->pos = pos;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);

    const char *name = module->name;
    if (strlen(name) > SHOWN_NAME)
        name += strlen(name) - SHOWN_NAME;
    /* SHOWN_NAME + message + two lines of SHOWN_SOURCE and some numbers fit easily in sizeof error->text. */
    _Static_assert(SHOWN_NAME + sizeof error->message + 2 * (SHOWN_SOURCE + 8) + 32 < sizeof error->text,
                   "an error's text always fits");
    int used =
        snprintf(error->text, sizeof error->text, "%s:%u:%u: %s", name, pos.line, pos.column, error->message);
    if (module->text != NULL)
        show_line(error->text + used, module, pos);
    return false;
}
