/* Writes text into HTML and SVG. */
#ifndef WIDELOAD_REPORT_HTML_H
#define WIDELOAD_REPORT_HTML_H

#include <stdio.h>

/* Escapes the text for elements and for attributes in either kind of quotes.  Characters that XML forbids
 * become U+FFFD. */
void report_html(FILE *out, const char *text);
/* The same for a formatted text. */
void report_htmlf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
