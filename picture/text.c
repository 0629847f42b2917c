#include "picture/text.h"

static void put_byte(struct picture_text *text, char byte) {
    if (text->used + 1 < text->size)
        text->bytes[text->used] = byte;
    text->used++;
}

static void terminate(struct picture_text *text) {
    if (text->size)
        text->bytes[text->used < text->size ? text->used : text->size - 1] = 0;
}

void picture__put(struct picture_text *text, const char *words) {
    while (*words)
        put_byte(text, *words++);
    terminate(text);
}

void picture__put_number(struct picture_text *text, uint64_t number) {
    char digits[21];
    unsigned at = sizeof digits - 1;
    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    picture__put(text, digits + at);
}

void picture__put_count(struct picture_text *text, uint64_t number, const char *noun) {
    picture__put_number(text, number);
    picture__put(text, " ");
    picture__put(text, noun);
    picture__put(text, number == 1 ? "" : "s");
}

void picture__put_length(struct picture_text *text, int length) {
    const unsigned size = (unsigned)(length < 0 ? -length : length), part = size % PICTURE_UNIT;
    if (length < 0)
        picture__put(text, "-");
    picture__put_number(text, size / PICTURE_UNIT);
    if (part) {
        picture__put(text, part < 10 ? ".0" : ".");
        picture__put_number(text, part % 10 ? part : part / 10);
    }
}

void picture__put_box(struct picture_text *text, int x, int y, int width, int height) {
    picture__put(text, "M");
    picture__put_length(text, x);
    picture__put(text, " ");
    picture__put_length(text, y);
    picture__put(text, "h");
    picture__put_length(text, width);
    picture__put(text, "v");
    picture__put_length(text, height);
    picture__put(text, "h");
    picture__put_length(text, -width);
    picture__put(text, "z");
}

void picture__put_line(struct picture_text *text, int x0, int y0, int x1, int y1) {
    picture__put(text, "M");
    picture__put_length(text, x0);
    picture__put(text, " ");
    picture__put_length(text, y0);
    picture__put(text, "L");
    picture__put_length(text, x1);
    picture__put(text, " ");
    picture__put_length(text, y1);
}

void picture__begin_path(struct picture_text *text, const char *class) {
    picture__put(text, "<path class=\"");
    picture__put(text, class);
    picture__put(text, "\" d=\"");
}

void picture__end_path(struct picture_text *text) {
    picture__put(text, "\"/>");
}

void picture__begin_line(struct picture_text *text, const char *anchor, int x, int y) {
    picture__put(text, "<text text-anchor=\"");
    picture__put(text, anchor);
    picture__put(text, "\" x=\"");
    picture__put_length(text, x);
    picture__put(text, "\" y=\"");
    picture__put_length(text, y);
    picture__put(text, "\">");
}

void picture__end_line(struct picture_text *text) {
    picture__put(text, "</text>");
}
