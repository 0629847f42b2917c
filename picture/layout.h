/* Where things lie in a picture; private to picture/.  A picture is 360 units wide.  At the least width that
 * a page has for it, some 320 pixels, its text still has 9 pixels. */
#ifndef WIDELOAD_PICTURE_LAYOUT_H
#define WIDELOAD_PICTURE_LAYOUT_H

#include "picture/picture.h"
#include "picture/text.h"

/* In hundredths of a unit. */
enum {
    PICTURE_LEFT = 400,     /* of the first lane, bank or sector */
    PICTURE_ACROSS = 35200, /* from there to the right edge of the last */
    PICTURE_PITCH = 1100,   /* from lane to lane, and from bank to bank */
    PICTURE_CELL = 1000,
    PICTURE_LANES_TOP = 1700,
    PICTURE_LANES_END = 2800,
    PICTURE_DIGIT = 700, /* no font's digit is wider */
};

/* Blocks of global or local memory, below the lanes, and shared memory's banks and wavefronts.  Each puts its
 * elements, or with text NULL nothing, and returns the y at which it ends. */
int picture__put_blocks(struct picture_text *text, const struct picture_request *request);
int picture__put_banks(struct picture_text *text, const struct picture_request *request);

static inline int picture__lane_middle(unsigned lane) {
    return PICTURE_LEFT + (int)lane * PICTURE_PITCH + PICTURE_CELL / 2;
}

/* Lanes' or banks' numbers, each in the middle of a cell, are one text with a place for each digit.  The
 * places follow the beginning, then `">`, then the digits, then picture__end_line().  They are narrowed to
 * fit a cell. */
void picture__begin_numbers(struct picture_text *text, const char *class, int baseline);
void picture__put_place(struct picture_text *text, unsigned number, int middle);
/* The number of each lane or bank of `which`, in its cell; nothing if `which` is 0. */
void picture__put_numbers(struct picture_text *text, const char *class, uint32_t which, int baseline);

#endif
