#include "report/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct report_piece {
    struct report_piece *next;
    void *memory;
};

void report_out_of_memory(void) {
    fputs("wideload: out of memory\n", stderr);
    exit(1);
}

static void *hold(struct report_pool *pool, void *memory) {
    struct report_piece *piece = memory ? malloc(sizeof *piece) : NULL;
    if (!piece)
        report_out_of_memory();
    *piece = (struct report_piece){pool->pieces, memory};
    pool->pieces = piece;
    return memory;
}

void *report_alloc(struct report_pool *pool, size_t size) {
    return hold(pool, calloc(1, size ? size : 1));
}

char *report_keep(struct report_pool *pool, char *text) {
    return hold(pool, text);
}

char *report_format(struct report_pool *pool, const char *format, ...) {
    va_list arguments;
    char *text;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return hold(pool, text);
}

void report_pool_free(struct report_pool *pool) {
    while (pool->pieces) {
        struct report_piece *piece = pool->pieces;
        pool->pieces = piece->next;
        free(piece->memory);
        free(piece);
    }
}
