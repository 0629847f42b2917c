#include "bench/fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void bench_put_text(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fprintf(file, ",%s", text);
        return;
    }
    fputs(",\"", file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

void bench_put_integer(FILE *file, bool present, uint64_t value) {
    if (present)
        fprintf(file, ",%" PRIu64, value);
    else
        fputc(',', file);
}

void bench_put_number(FILE *file, bool present, double value) {
    if (present && isfinite(value))
        fprintf(file, ",%.9g", value);
    else
        fputc(',', file);
}
