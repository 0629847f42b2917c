#include "base/csv_fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

static void put(FILE *file, const char *text) {
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

void base_put_text(FILE *file, const char *text) {
    char *plain = base_utf8(text);
    put(file, plain ? plain : text);
    free(plain);
}

void base_put_integer(FILE *file, bool present, uint64_t value) {
    if (present)
        fprintf(file, ",%" PRIu64, value);
    else
        fputc(',', file);
}

void base_put_number(FILE *file, bool present, double value) {
    if (present && isfinite(value))
        fprintf(file, ",%.9g", value);
    else
        fputc(',', file);
}
