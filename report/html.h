/* Writes formatted text into HTML and SVG. */
#ifndef WIDELOAD_REPORT_HTML_H
#define WIDELOAD_REPORT_HTML_H

#include "base/html.h"

/* As base_html(), for a formatted text. */
void report_htmlf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
