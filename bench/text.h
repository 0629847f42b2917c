/* Text for terminals. */
#ifndef WIDELOAD_BENCH_TEXT_H
#define WIDELOAD_BENCH_TEXT_H

#include <stdio.h>

enum { BENCH_TEXT_COLUMNS = 100 };

/* How long a line may be: the width of the terminal that the file is, where it is one and narrower, else
 * BENCH_TEXT_COLUMNS; so files and pipes get the same text everywhere. */
int bench_text_columns(FILE *file);
/* The same for what may be wider than BENCH_TEXT_COLUMNS where the terminal is. */
int bench_text_wide(FILE *file);

/* Writes text in lines of at most bench_text_columns() bytes, broken at spaces, each after `indent` spaces;
 * `column` is where the cursor stands already (0: at a line's start).  Ends with a newline. */
void bench_wrap(FILE *file, const char *text, int indent, int column);

#endif
