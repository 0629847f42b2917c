/* Text for terminals. */
#ifndef WIDELOAD_BENCH_TEXT_H
#define WIDELOAD_BENCH_TEXT_H

#include <stdio.h>

enum { BENCH_TEXT_COLUMNS = 100 };

/* Writes text in lines of at most BENCH_TEXT_COLUMNS bytes, broken at spaces, each after `indent` spaces;
 * `column` is where the cursor stands already (0: at a line's start).  Ends with a newline. */
void bench_wrap(FILE *file, const char *text, int indent, int column);

#endif
