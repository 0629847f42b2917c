/* What the counting rules need of a C library; picture/explorer/libc.c has it. */
#ifndef WIDELOAD_EXPLORER_STRING_H
#define WIDELOAD_EXPLORER_STRING_H

#include <stddef.h>

void *memset(void *to, int byte, size_t size);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
int strcmp(const char *a, const char *b);

#endif
