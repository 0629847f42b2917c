#include "bench/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST = 64 }; /* names are short; a longer text is cut, which only makes the guess coarser */

size_t bench_edit_distance(const char *a, const char *b) {
    size_t a_length = strnlen(a, LONGEST), b_length = strnlen(b, LONGEST);
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t above = row[j];
            size_t cost = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
            size_t best = diagonal + cost;
            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *bench_nearest(const char *name, const char *const *candidates, size_t count) {
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t distance = bench_edit_distance(name, candidates[i]);
        size_t a = strlen(name), b = strlen(candidates[i]);
        size_t half = (a > b ? a : b) / 2;
        if (distance <= (half > 2 ? half : 2) && distance < best_distance && distance < b) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    return best;
}
