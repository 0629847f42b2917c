#include "sim/cuda/record/profile_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void profile_text_free(struct profile_text *text) {
    free(text->data);
    *text = (struct profile_text){0};
}

void profile_put_bytes(struct profile_text *text, const char *bytes, size_t size) {
    if (text->failed)
        return;
    if (size > text->capacity - text->size) {
        size_t capacity = 2 * (text->capacity + size);
        char *data = realloc(text->data, capacity);
        if (!data) {
            text->failed = true;
            return;
        }
        text->data = data;
        text->capacity = capacity;
    }
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
}

void profile_put(struct profile_text *text, const char *raw) {
    profile_put_bytes(text, raw, strlen(raw));
}

void profile_put_number(struct profile_text *text, uint64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    profile_put(text, digits);
}

void profile_put_signed(struct profile_text *text, int64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    profile_put(text, digits);
}

/* The length of the well-formed UTF-8 sequence at s; 0 if there is none (Unicode 15, table 3-7). */
static size_t sequence(const unsigned char *s) {
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : s[0] >= 0xe0 && s[0] <= 0xef ? 3 : 4;
    if (length == 4 && (s[0] < 0xf0 || s[0] > 0xf4))
        return 0;
    unsigned char low = 0x80, high = 0xbf;
    if (s[0] == 0xe0)
        low = 0xa0;
    else if (s[0] == 0xed)
        high = 0x9f;
    else if (s[0] == 0xf0)
        low = 0x90;
    else if (s[0] == 0xf4)
        high = 0x8f;
    for (size_t i = 1; i < length; i++, low = 0x80, high = 0xbf)
        if (s[i] < low || s[i] > high)
            return 0;
    return length;
}

void profile_put_string(struct profile_text *text, const char *string) {
    if (!string) {
        profile_put(text, "null");
        return;
    }
    profile_put_bytes(text, "\"", 1);
    const unsigned char *s = (const unsigned char *)string;
    while (*s) {
        size_t length = sequence(s);
        if (!length) {
            profile_put(text, "\\ufffd");
            s++;
        } else if (*s < 0x20 || *s == '"' || *s == '\\') {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04x", *s);
            profile_put(text, escape);
            s++;
        } else {
            profile_put_bytes(text, (const char *)s, length);
            s += length;
        }
    }
    profile_put_bytes(text, "\"", 1);
}

void profile_put_name(struct profile_text *text, const char *name) {
    if (text->size && text->data[text->size - 1] != '{')
        profile_put(text, ",");
    profile_put_string(text, name);
    profile_put(text, ":");
}
