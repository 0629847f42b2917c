#include "arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void need(wl_error error) {
    if (error)
        fail_msg("%s: %s", wl_error_name(error), wl_message());
}

struct array array_make(wl_context *context, size_t words, unsigned shift, uint32_t seed) {
    struct array array = {.words = words, .total = 2 * GUARD + shift + words, .start = GUARD + shift};
    array.host = malloc(4 * array.total);
    assert_non_null(array.host);
    for (size_t i = 0; i < array.total; i++)
        array.host[i] = mix((uint32_t)i * 2654435761u + seed);
    need(wl_alloc(context, &array.base, 4 * array.total));
    array.device = array.base + 4 * array.start;
    array_send(context, &array);
    return array;
}

uint32_t *array_words(struct array *array) {
    return array->host + array->start;
}

void array_send(wl_context *context, struct array *array) {
    need(wl_upload(context, array->base, array->host, 4 * array->total));
}

uint32_t *array_fetch(wl_context *context, struct array *array, uint32_t **words, const char *what) {
    uint32_t *got = malloc(4 * array->total);
    assert_non_null(got);
    need(wl_download(context, got, array->base, 4 * array->total));
    for (size_t i = 0; i < array->total; i++) {
        bool inside = i >= array->start && i < array->start + array->words;
        if (!inside && got[i] != array->host[i])
            fail_msg("%s: the guard is written, %td words from the array's start", what,
                     (ptrdiff_t)(i - array->start));
    }
    *words = got + array->start;
    return got;
}

void array_compare(wl_context *context, struct array *array, const char *what) {
    uint32_t *words, *got = array_fetch(context, array, &words, what);
    for (size_t i = 0; i < array->words; i++)
        if (words[i] != array_words(array)[i])
            fail_msg("%s: element %zu is 0x%08x, not 0x%08x", what, i, words[i], array_words(array)[i]);
    free(got);
}

void array_free(wl_context *context, struct array *array) {
    need(wl_free(context, array->base));
    free(array->host);
    *array = (struct array){0};
}
