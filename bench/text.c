#include "bench/text.h"

#include <string.h>

void bench_wrap(FILE *file, const char *text, int indent, int column) {
    int at = column;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (at > indent && at + 1 + (int)length > BENCH_TEXT_COLUMNS) {
            fputc('\n', file);
            at = 0;
        }
        if (at < indent) {
            fprintf(file, "%*s", indent - at, "");
            at = indent;
        } else if (at > indent && at != column) {
            fputc(' ', file);
            at++;
        }
        fprintf(file, "%.*s", (int)length, text);
        at += (int)length;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', file);
}
