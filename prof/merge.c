/* Merges findings of the same bug, which each launch reports anew. */
#include <stdlib.h>
#include <string.h>

#include "prof/recording.h"

static int compare_pointers(const void *a, const void *b) {
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* Equal texts have the same pointer (names.h).  The kernels of a template share their lines, so the kernel
 * counts only without a file. */
static int compare_places(const struct prof_place *a, const struct prof_place *b) {
    int order = compare_pointers(a->file, b->file);
    if (!order && !a->file)
        order = compare_pointers(a->kernel, b->kernel);
    if (!order)
        order = a->file ? compare_numbers(a->line, b->line) : compare_numbers(a->ptx_line, b->ptx_line);
    return order;
}

static bool is_race(const struct prof_finding *f) {
    return f->check && strcmp(f->check, "race") == 0;
}

/* Sorts the two places of a race, since a race of the same lines may be found in either order. */
static void order_sides(const struct prof_finding *f, const struct prof_place *sides[2]) {
    sides[0] = &f->what.place;
    sides[1] = &f->what.other;
    if (is_race(f) && compare_places(sides[0], sides[1]) > 0) {
        sides[0] = &f->what.other;
        sides[1] = &f->what.place;
    }
}

static int compare_bugs(const struct prof_finding *a, const struct prof_finding *b) {
    int order = compare_numbers(is_race(a), is_race(b));
    if (!order && !is_race(a))
        order = compare_pointers(a->what.kind, b->what.kind);
    if (order)
        return order;
    const struct prof_place *left[2], *right[2];
    order_sides(a, left);
    order_sides(b, right);
    order = compare_places(left[0], right[0]);
    if (!order)
        order = compare_places(left[1], right[1]);
    /* A finding in host code has no place; its text names the function and the memory. */
    if (!order && !a->what.place.kernel && !a->what.place.file)
        order = compare_pointers(a->what.text, b->what.text);
    return order;
}

/* By bug, then in the order of the findings. */
static int compare(const void *left, const void *right) {
    const struct prof_finding *const *a = left, *const *b = right;
    int order = compare_bugs(*a, *b);
    return order ? order : compare_pointers(*a, *b);
}

bool prof_findings_merge(struct prof_recording *recording) {
    size_t count = recording->finding_count, kept = 0;
    struct prof_finding **order = calloc(count + 1, sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = &recording->findings[i];
    qsort(order, count, sizeof *order, compare);
    for (size_t i = 0, next; i < count; i = next)
        for (next = i + 1; next < count && compare_bugs(order[i], order[next]) == 0; next++) {
            order[i]->times += order[next]->times;
            order[i]->launches += order[next]->launches;
            order[next]->times = 0;
        }
    for (size_t i = 0; i < count; i++)
        if (recording->findings[i].times)
            recording->findings[kept++] = recording->findings[i];
    recording->finding_count = kept;
    free(order);
    return true;
}
