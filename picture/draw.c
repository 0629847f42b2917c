/* Draws one request as an SVG file: scripts/lesson_pictures.py makes the lessons' pictures with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/picture.h"

static const char usage[] =
    "usage: picture_draw ARCH global|shared|local load|load-cg|store|atomic|reduction BYTES MASK ADDRESS...\n"
    "       picture_draw --style\n"
    "Prints the picture, and above it the sentence; or the rules of style.  MASK is hexadecimal; there are "
    "32 addresses.\n";

static int index_of(const char *const names[], const char *name) {
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

/* False with a line on stderr if the arguments are no request. */
static bool read_request(char **words, struct picture_request *request, uint64_t address[32]) {
    static const char *const spaces[] = {"global", "shared", "local", NULL};
    static const char *const accesses[] = {"load", "store", "atomic", "reduction", "load-cg", NULL};
    const int space = index_of(spaces, words[1]), access = index_of(accesses, words[2]);
    const unsigned width = (unsigned)strtoul(words[3], NULL, 10);
    request->rules = count_rules_find(words[0]);
    request->space = (enum picture_space)space;
    request->access = (struct count_access){.kind = access == 4 ? COUNT_LOAD : (enum count_kind)access,
                                            .skips_l1 = access == 4,
                                            .width = width,
                                            .mask = (uint32_t)strtoul(words[4], NULL, 16),
                                            .address = address};
    if (!request->rules || space < 0 || access < 0 || !request->access.mask || !width || width > 16 ||
        (width & (width - 1))) {
        fputs(usage, stderr);
        return false;
    }
    for (int lane = 0; lane < 32; lane++) {
        char *end;
        address[lane] = strtoull(words[5 + lane], &end, 10);
        if (*end || address[lane] % width) {
            fprintf(stderr, "picture_draw: lane %d: address '%s' is no multiple of %u\n", lane,
                    words[5 + lane], width);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    static char words[PICTURE_SVG_MOST];
    struct picture_text text = {words, sizeof words, 0};
    struct picture_request request;
    uint64_t address[32];
    if (argc == 2 && !strcmp(argv[1], "--style")) {
        picture_put_style(&text);
        return fputs(words, stdout) < 0;
    }
    if (argc != 1 + 5 + 32) {
        fputs(usage, stderr);
        return 2;
    }
    if (!read_request(argv + 1, &request, address))
        return 2;
    picture_put_sentence(&text, &request);
    puts(words);
    text.used = 0;
    picture_put_svg(&text, &request);
    return puts(words) < 0;
}
