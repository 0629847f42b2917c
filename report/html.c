#include "report/html.h"

#include <stdarg.h>
#include <stdlib.h>

#include "report/pool.h"

void report_htmlf(FILE *out, const char *format, ...) {
    va_list arguments;
    char *text;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        report_out_of_memory();
    va_end(arguments);
    base_html(out, text);
    free(text);
}
