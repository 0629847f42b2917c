/* Text for terminals. */
#ifndef WIDELOAD_BASE_TEXT_H
#define WIDELOAD_BASE_TEXT_H

#include <stdio.h>

enum { BASE_TEXT_COLUMNS = 100 };

/* How long a line may be: the width of the terminal that the file is, where it is one and narrower, else
 * BASE_TEXT_COLUMNS; so files and pipes get the same text everywhere. */
int base_text_columns(FILE *file);
/* The same for what may be wider than BASE_TEXT_COLUMNS where the terminal is. */
int base_text_wide(FILE *file);

/* Writes text in lines of at most base_text_columns() bytes, broken at spaces, each after `indent` spaces;
 * `column` is where the cursor stands already (0: at a line's start).  Ends with a newline. */
void base_wrap(FILE *file, const char *text, int indent, int column);

#endif
