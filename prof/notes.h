/* Notes about a kernel's figures that are neither faults nor waste. */
#ifndef WIDELOAD_PROF_NOTES_H
#define WIDELOAD_PROF_NOTES_H

#include "prof/doubts.h"

enum { PROF_NOTES = 2 + PROF_DOUBTS, PROF_NOTE = 500 };

/* Writes the notes that apply to these lines together, one line each, and returns their number. */
size_t prof_notes(const struct prof_line *lines, size_t count, char out[PROF_NOTES][PROF_NOTE]);

#endif
