/* The C library of docs/explorer.html: what compilers call by themselves, and the counting rules. */
#include "picture/explorer/include/string.h"

void *memset(void *to, int byte, size_t size) {
    for (unsigned char *at = to; size--; at++)
        *at = (unsigned char)byte;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    const unsigned char *source = from;
    for (unsigned char *at = to; size--; at++)
        *at = *source++;
    return to;
}

int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}
