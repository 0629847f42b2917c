/* What to know about a kernel's figures that is neither a fault nor waste. */
#ifndef WIDELOAD_PROF_NOTES_H
#define WIDELOAD_PROF_NOTES_H

#include "prof/doubts.h"

enum { PROF_NOTES = 2 + PROF_DOUBTS, PROF_NOTE = 500 };

/* The notes that apply to what these lines did together: one line of words each.  Returns how many. */
size_t prof_notes(const struct prof_line *lines, size_t count, char out[PROF_NOTES][PROF_NOTE]);

#endif
