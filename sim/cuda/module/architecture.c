#include "sim/cuda/module/architecture.h"

#include <stdio.h>
#include <string.h>

/* The oldest device that CUDA 13 compiles for, and the oldest of a family. */
enum { OLDEST_COMPILED = 75, OLDEST_FAMILY = 100, MOST_DIGITS = 4 };

bool architecture_parse(const char *text, size_t size, struct architecture *out) {
    static const char *const prefixes[] = {"sm_", "compute_"};
    for (int i = 0; i < 2; i++) {
        size_t prefix = strlen(prefixes[i]), at = prefix;
        if (size < prefix || memcmp(text, prefixes[i], prefix) != 0)
            continue;
        struct architecture found = {0};
        for (; at < size && text[at] >= '0' && text[at] <= '9' && at < prefix + MOST_DIGITS; at++)
            found.number = 10 * found.number + (unsigned)(text[at] - '0');
        if (at < size && (text[at] == 'a' || text[at] == 'f'))
            found.kind = text[at++] == 'a' ? ARCHITECTURE_SPECIFIC : ARCHITECTURE_FAMILY;
        *out = found;
        return found.number && (at == size || !text[at]);
    }
    return false;
}

const char *architecture_name(struct architecture architecture, char text[16]) {
    static const char *const suffixes[] = {"", "f", "a"};
    snprintf(text, 16, "%u%s", architecture.number, suffixes[architecture.kind]);
    return text;
}

static bool same_major(struct architecture code, unsigned capability) {
    return code.number / 10 == capability / 10 && code.number <= capability;
}

bool architecture_runs_code(struct architecture code, unsigned capability) {
    return code.kind == ARCHITECTURE_SPECIFIC ? code.number == capability : same_major(code, capability);
}

bool architecture_takes_ptx(struct architecture ptx, unsigned capability) {
    switch (ptx.kind) {
    case ARCHITECTURE_PLAIN:
        return ptx.number <= capability || capability < OLDEST_COMPILED;
    case ARCHITECTURE_FAMILY:
        return ptx.number >= OLDEST_FAMILY && same_major(ptx, capability);
    default:
        return ptx.number == capability;
    }
}

/* Negative: a is lower than b. */
static int compare(struct architecture a, struct architecture b) {
    return a.number != b.number ? (a.number < b.number ? -1 : 1) : (int)a.kind - (int)b.kind;
}

bool architecture_is_nearer(struct architecture a, struct architecture b, struct architecture compiled) {
    if (!b.number)
        return true;
    int of_a = compare(a, compiled), of_b = compare(b, compiled);
    if ((of_a <= 0) != (of_b <= 0))
        return of_a <= 0;
    return of_a <= 0 ? compare(a, b) > 0 : compare(a, b) < 0;
}

bool architecture_comes_first(struct architecture a, struct architecture b, unsigned capability) {
    return architecture_is_nearer(a, b, (struct architecture){capability, ARCHITECTURE_SPECIFIC});
}
