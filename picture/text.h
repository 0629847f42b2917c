/* Appends to a picture_text; private to picture/.  No markup is escaped: all words are this area's own. */
#ifndef WIDELOAD_PICTURE_TEXT_H
#define WIDELOAD_PICTURE_TEXT_H

#include "picture/picture.h"

void picture__put(struct picture_text *text, const char *words);
void picture__put_number(struct picture_text *text, uint64_t number);
/* "1 lane", "32 lanes": the number, a space, and the noun, with an s unless there is one. */
void picture__put_count(struct picture_text *text, uint64_t number, const char *noun);

/* Lengths in a picture are integers, in hundredths of a unit. */
enum { PICTURE_UNIT = 100 };
void picture__put_length(struct picture_text *text, int length);
/* A closed rectangle, as commands of a path. */
void picture__put_box(struct picture_text *text, int x, int y, int width, int height);
/* A line from one point to another, likewise. */
void picture__put_line(struct picture_text *text, int x0, int y0, int x1, int y1);
/* `<path class="..." d="`; its commands and picture__end_path() follow. */
void picture__begin_path(struct picture_text *text, const char *class);
void picture__end_path(struct picture_text *text);
/* A text of one line; `anchor` is "start", "middle" or "end". */
void picture__begin_line(struct picture_text *text, const char *anchor, int x, int y);
void picture__end_line(struct picture_text *text);

#endif
