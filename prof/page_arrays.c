/* The arrays as maps: how often each part was read and written, by which kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/html.h"
#include "prof/page.h"

enum { MOST_ARRAYS = 16, MOST_STRIPS = 4, HEIGHT = 100 /* of a half of the map */ };

/* An array in a kernel. */
struct use {
    const struct prof_array *array;
    const struct prof_row *row;
    size_t kernel; /* its number on the page */
    double moved;
};

/* An array's uses, [first, first + count) of all. */
struct group {
    const struct use *first;
    size_t count;
    double moved;
};

struct maps {
    struct use *uses;
    struct group *groups;
    size_t use_count, group_count;
    double elsewhere; /* bytes that were moved in no array */
};

/* ---------------------------------------------------------------- the order */

static int compare_uses(const void *left, const void *right) {
    const struct use *a = left, *b = right;
    const int order = prof_array_compare(a->array, b->array);
    return order ? order : (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

/* What moves most comes first. */
static int compare_groups(const void *left, const void *right) {
    const struct group *a = left, *b = right;
    const int order = (a->moved < b->moved) - (a->moved > b->moved);
    return order ? order : (a->first > b->first) - (a->first < b->first);
}

static bool make(const struct page *page, struct maps *maps) {
    size_t count = 0;
    for (size_t i = 0; i < page->kernel_count; i++)
        count += page->kernels[i]->arrays.count;
    maps->uses = calloc(count + 1, sizeof *maps->uses);
    maps->groups = calloc(count + 1, sizeof *maps->groups);
    if (!maps->uses || !maps->groups)
        return false;
    for (size_t k = 0; k < page->kernel_count; k++)
        for (size_t i = 0; i < page->kernels[k]->arrays.count; i++) {
            const struct prof_array *array = &page->kernels[k]->arrays.items[i];
            const struct prof_cell total = prof_array_total(array);
            const double moved = (double)total.read_moved + (double)total.written_moved;
            if (!array->serial)
                maps->elsewhere += moved;
            else if (moved > 0)
                maps->uses[maps->use_count++] = (struct use){array, page->kernels[k], k + 1, moved};
        }
    qsort(maps->uses, maps->use_count, sizeof *maps->uses, compare_uses);
    for (size_t i = 0; i < maps->use_count; i++) {
        if (i == 0 || prof_array_compare(maps->uses[i - 1].array, maps->uses[i].array) != 0)
            maps->groups[maps->group_count++] = (struct group){.first = &maps->uses[i]};
        struct group *group = &maps->groups[maps->group_count - 1];
        group->count++;
        group->moved += maps->uses[i].moved;
    }
    qsort(maps->groups, maps->group_count, sizeof *maps->groups, compare_groups);
    return true;
}

/* ---------------------------------------------------------------- a map */

/* One way of a map: what was read, or what was written. */
struct way {
    double useful[PROF_PARTS], moved[PROF_PARTS]; /* times that each byte of a part was */
    double all_useful, all_moved;                 /* the same of the parts that were touched */
    double touched;                               /* bytes of these parts */
    double least, most;                           /* of useful, of these parts */
};

static double part_bytes(const struct prof_array *array, size_t part) {
    return part + 1 < array->parts ? (double)array->part
                                   : (double)(array->size - (array->parts - 1) * array->part);
}

static void make_way(const struct prof_array *array, bool written, struct way *way) {
    *way = (struct way){.least = HUGE_VAL};
    for (size_t i = 0; i < array->cell_count; i++) {
        const struct prof_cell *cell = &array->cells[i];
        const double bytes = part_bytes(array, i),
                     useful = (double)(written ? cell->written_useful : cell->read_useful),
                     moved = (double)(written ? cell->written_moved : cell->read_moved);
        if (moved == 0)
            continue;
        way->useful[i] = useful / bytes;
        way->moved[i] = moved / bytes;
        way->all_useful += useful;
        way->all_moved += moved;
        way->touched += bytes;
        way->least = way->useful[i] < way->least ? way->useful[i] : way->least;
        way->most = way->useful[i] > way->most ? way->useful[i] : way->most;
    }
    if (way->touched > 0) {
        way->all_useful /= way->touched;
        way->all_moved /= way->touched;
    }
}

/* Heights are logarithmic: a byte that is moved once has a step, and each doubling has another. */
static double height(double times, double top) {
    return HEIGHT * log2(1 + times) / log2(1 + top);
}

/* The outline of a way's heights, upwards or downwards from the middle.  Neighbours of one height share a
 * step. */
static void put_path(struct page *page, const char *class, const double *times, size_t parts, double top,
                     int sign) {
    int last = 0;
    page_put(page, "<path class=\"%s\" d=\"M0,%d", class, HEIGHT);
    for (size_t i = 0; i < parts; i++) {
        const int y = (int)lround(height(times[i], top));
        if (y != last)
            page_put(page, "H%zuV%d", i, HEIGHT - sign * y);
        last = y;
    }
    page_put(page, "H%zuV%dZ\"/>", parts, HEIGHT);
}

static void put_way_words(struct page *page, const struct way *way, const struct prof_array *array,
                          bool written) {
    char useful[PAGE_TEXT], moved[PAGE_TEXT], share[PAGE_TEXT], least[PAGE_TEXT], most[PAGE_TEXT];
    const char *verb = written ? "writes" : "reads";
    if (way->touched == 0)
        return;
    if (way->most > 1.5 * way->least)
        page_put(page, " %s each byte %s on average, from %s to %s", verb,
                 page_times(way->all_useful, useful), page_times(way->least, least),
                 page_times(way->most, most));
    else if (way->all_useful < 0.95)
        page_put(page, " %s %s of the bytes", verb, page_percent(way->all_useful, 1, share));
    else
        page_put(page, " %s each byte %s", verb, page_times(way->all_useful, useful));
    if (way->all_moved > 1.1 * way->all_useful)
        page_put(page, ", and moves each %s", page_times(way->all_moved, moved));
    if (way->touched < 0.97 * (double)array->size)
        page_put(page, ", in %s of the array", page_percent(way->touched, (double)array->size, share));
}

/* The sentence, which is the picture's name too. */
static void put_sentence(struct page *page, const struct use *use, const struct way *read,
                         const struct way *written) {
    base_html(page->out, use->row->label);
    page_put(page, ":");
    put_way_words(page, read, use->array, false);
    page_put(page, read->touched > 0 && written->touched > 0 ? ";" : "");
    put_way_words(page, written, use->array, true);
    page_put(page, ".");
    if (read->all_useful >= 1.95)
        page_put(page, " A tile in shared memory or registers, or a larger one, can save such re-reads.");
}

static void put_strip(struct page *page, const struct use *use, double top) {
    struct way read, written;
    make_way(use->array, false, &read);
    make_way(use->array, true, &written);
    const int up = read.touched > 0 ? HEIGHT : 0, down = written.touched > 0 ? HEIGHT : 0;
    const double once = height(1, top);
    page_put(page,
             "<figure class=\"map\"><svg role=\"img\" viewBox=\"0 %d %zu %d\" preserveAspectRatio=\"none\" "
             "style=\"height:%s\" aria-label=\"",
             HEIGHT - up, use->array->parts, up + down, up && down ? "6rem" : "3rem");
    put_sentence(page, use, &read, &written);
    page_put(page, "\">");
    if (up) {
        put_path(page, "over", read.moved, use->array->parts, top, 1);
        put_path(page, "need", read.useful, use->array->parts, top, 1);
        page_put(page, "<path class=\"once\" d=\"M0,%.0fH%zu\"/>", HEIGHT - once, use->array->parts);
    }
    if (down) {
        put_path(page, "over", written.moved, use->array->parts, top, -1);
        put_path(page, "need", written.useful, use->array->parts, top, -1);
        page_put(page, "<path class=\"once\" d=\"M0,%.0fH%zu\"/>", HEIGHT + once, use->array->parts);
    }
    page_put(page, "<path class=\"axis\" d=\"M0,%dH%zu\"/></svg><figcaption>", HEIGHT, use->array->parts);
    put_sentence(page, use, &read, &written);
    page_put(page, "</figcaption></figure>\n");
}

/* ---------------------------------------------------------------- an array */

static const struct prof_allocation *find_allocation(const struct page *page,
                                                     const struct prof_array *array) {
    const struct prof_recording *recording = page->report->recording;
    for (size_t i = recording->allocation_count; i--;) {
        const struct prof_allocation *allocation = &recording->allocations[i];
        if (allocation->process == array->process && allocation->serial == array->serial &&
            allocation->size == array->size)
            return allocation;
    }
    return NULL;
}

static void put_name(struct page *page, struct prof_places *places, const struct prof_array *array) {
    const struct prof_allocation *from = find_allocation(page, array);
    char bytes[PAGE_TEXT], place[PAGE_TEXT];
    page_put(page, "<h3>");
    if (from && from->name) {
        page_put(page, "<code>");
        page_put_text(page, "%.200s", from->name);
        page_put(page, "</code>");
    } else if (from && prof_place_of_frames(places, from->frames, from->frame_count, place, sizeof place)) {
        page_put(page, "Allocated at <code>");
        page_put_text(page, "%.200s", place);
        page_put(page, "</code>");
    } else if (from && strcmp(from->kind, "module") == 0) {
        page_put(page, "A module's variable");
    } else {
        page_put_text(page, "Allocation %llu", (unsigned long long)array->serial);
    }
    page_put(page, " <span class=\"of\">%s", page_bytes((double)array->size, bytes));
    if (from)
        page_put_text(page, ", %.20s memory", strcmp(from->kind, "module") == 0 ? "device" : from->kind);
    page_put(page, "</span></h3>\n");
}

/* The most times that a byte of any part was moved; at least once. */
static double find_top(const struct group *group) {
    double top = 1;
    for (size_t u = 0; u < group->count; u++)
        for (int written = 0; written < 2; written++) {
            struct way way;
            make_way(group->first[u].array, written, &way);
            for (size_t i = 0; i < PROF_PARTS; i++)
                top = fmax(top, fmax(way.moved[i], way.useful[i]));
        }
    return top;
}

static void put_group(struct page *page, struct prof_places *places, const struct group *group) {
    char text[PAGE_TEXT];
    const double top = find_top(group);
    page_put(page, "<div class=\"array\">\n");
    put_name(page, places, group->first->array);
    page_put(page, "<p class=\"note\">Full height: moved %s.</p>\n", page_times(top, text));
    for (size_t i = 0; i < group->count && i < MOST_STRIPS; i++)
        put_strip(page, &group->first[i], top);
    if (group->count > MOST_STRIPS)
        page_put(page, "<p class=\"note\">%zu more kernel%s used it.</p>\n", group->count - MOST_STRIPS,
                 page_plural(group->count - MOST_STRIPS));
    page_put(page, "</div>\n");
}

static void put_maps(struct page *page, struct prof_places *places, const struct maps *maps) {
    char text[PAGE_TEXT];
    page_put(
        page,
        "<section aria-labelledby=\"arrays\">\n<h2 id=\"arrays\">Arrays</h2>\n<p class=\"legend\">Each map "
        "is an array from its first byte to its last: upwards how often the bytes were read, downwards "
        "how often they were written, atomics too. <span><i class=\"need\"></i> used</span> <span><i "
        "class=\"unused\"></i> moved and not used</span> The dashed line is once, and each further "
        "doubling is a step of one height.</p>\n");
    for (size_t i = 0; i < maps->group_count && i < MOST_ARRAYS; i++)
        put_group(page, places, &maps->groups[i]);
    if (maps->group_count > MOST_ARRAYS)
        page_put_hidden(page, maps->group_count - MOST_ARRAYS, "array that moves less is",
                        "arrays that move less are");
    if (maps->elsewhere > 0)
        page_put(
            page,
            "<p class=\"note\">Requests moved %s elsewhere: in a kernel's own <code>malloc()</code>, outside "
            "allocations, or in arrays after the first 256 of a launch.</p>\n",
            page_bytes(maps->elsewhere, text));
    page_put(page, "</section>\n");
}

bool page_put_arrays(struct page *page) {
    struct maps maps = {0};
    struct prof_places *places = prof_places_open();
    const bool good = places && make(page, &maps);
    if (good && (maps.group_count || maps.elsewhere > 0))
        put_maps(page, places, &maps);
    prof_places_close(places);
    free(maps.uses);
    free(maps.groups);
    return good;
}
