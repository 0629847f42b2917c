/* Text for people, above all in terminals. */
#ifndef WIDELOAD_BASE_TEXT_H
#define WIDELOAD_BASE_TEXT_H

#include <stdio.h>

enum { BASE_TEXT_COLUMNS = 100 };

/* The maximum line length: the terminal's width if the file is a terminal narrower than BASE_TEXT_COLUMNS,
 * else BASE_TEXT_COLUMNS, so that files and pipes get the same text everywhere. */
int base_text_columns(FILE *file);
/* The same for text that may use a terminal wider than BASE_TEXT_COLUMNS. */
int base_text_wide(FILE *file);

/* Writes text in lines of at most base_text_columns() bytes, broken at spaces and indented by `indent`.
 * `column` is the cursor's column now (0: start of a line).  Ends with a newline. */
void base_wrap(FILE *file, const char *text, int indent, int column);

/* A path's last component, within the path. */
const char *base_file_name(const char *path);

#endif
