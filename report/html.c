#include "report/html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "report/pool.h"

/* U+FFFE and U+FFFF: valid in UTF-8, forbidden in XML. */
static int is_forbidden(const char *c) {
    return strncmp(c, "\xef\xbf\xbe", 3) == 0 || strncmp(c, "\xef\xbf\xbf", 3) == 0;
}

void report_html(FILE *out, const char *text) {
    char *plain = base_utf8(text);
    if (!plain)
        report_out_of_memory();
    for (const char *c = plain; *c; c++)
        if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if (*c == '"')
            fputs("&quot;", out);
        else if (*c == '\'')
            fputs("&#39;", out);
        else if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
            fputs("\xef\xbf\xbd", out);
        else if (is_forbidden(c)) {
            fputs("\xef\xbf\xbd", out);
            c += 2;
        } else
            fputc(*c, out);
    free(plain);
}

void report_htmlf(FILE *out, const char *format, ...) {
    va_list arguments;
    char *text;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        report_out_of_memory();
    va_end(arguments);
    report_html(out, text);
    free(text);
}
