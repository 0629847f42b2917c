/* Writes text into HTML and SVG, so that no text from outside is markup. */
#ifndef WIDELOAD_BASE_HTML_H
#define WIDELOAD_BASE_HTML_H

#include <stdio.h>

/* Escapes the text for elements and for attributes in either kind of quotes.  Invalid UTF-8 and characters
 * that XML forbids become U+FFFD.  Errors are the stream's. */
void base_html(FILE *out, const char *text);

/* CSS that Wideload's pages share: colours in light and dark, headings, links, tables, folds. */
extern const char base_html_style[];

#endif
