#include "base/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST = 64 }; /* names are short; a longer text is cut, which only makes the guess coarser */

/* Counts letters inserted, deleted, changed, or swapped with a neighbour, which is the commonest slip. */
size_t base_edit_distance(const char *a, const char *b) {
    size_t a_length = strnlen(a, LONGEST), b_length = strnlen(b, LONGEST);
    size_t rows[3][LONGEST + 1]; /* distances of the last three prefixes of a to the prefixes of b */
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            size_t best = above[j - 1] + (x != y);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a_length % 3][b_length];
}

const char *base_nearest(const char *name, const char *const *candidates, size_t count) {
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t distance = base_edit_distance(name, candidates[i]);
        size_t a = strlen(name), b = strlen(candidates[i]);
        /* One letter in three may be wrong: "nope" is not a slip for "copy". */
        size_t longest = a > b ? a : b, allowed = longest > 3 ? longest / 3 : 1;
        if (distance <= allowed && distance < best_distance && distance < b) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    return best;
}
