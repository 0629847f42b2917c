/* Text in HTML and SVG. */
#ifndef WIDELOAD_REPORT_HTML_H
#define WIDELOAD_REPORT_HTML_H

#include <stdio.h>

/* Escaped for text and for attributes between either kind of quotes; what XML forbids is U+FFFD. */
void report_html(FILE *out, const char *text);
/* The same for printf's arguments. */
void report_htmlf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
