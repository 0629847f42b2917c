/* Elements of plain loops that say what kernels must do. */
#ifndef WIDELOAD_TESTS_ELEMENT_H
#define WIDELOAD_TESTS_ELEMENT_H

#include <string.h>

/* Copies an element of 1, 2, 4, 8 or 16 bytes, or of any other size.  A call of memcpy() for each element of
 * a plain loop takes longer than the kernel that the loop checks, the more so under a sanitizer. */
static inline void copy_element(void *to, const void *from, unsigned width) {
    switch (width) {
    case 1:
        memcpy(to, from, 1);
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, width);
    }
}

#endif
