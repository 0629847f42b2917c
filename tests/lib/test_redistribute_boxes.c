/* Whether boxes fit together: random redistributions in which one box was changed, and what
 * wl_redistribution_create says of them, beside a search through all elements.
 *
 *     test_lib_redistribute_boxes [CASES] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "redistributions.h"

enum { BYTES = 512, WORDS = 512 };

static uint64_t cases = 10000;
static wl_context *contexts[RANKS_MOST];

static int setup(void **state) {
    (void)state;
    if (wl_open(&contexts[0], "host"))
        return -1;
    for (unsigned r = 1; r < RANKS_MOST; r++)
        contexts[r] = contexts[0];
    return 0;
}

static int teardown(void **state) {
    (void)state;
    wl_close(contexts[0]);
    return 0;
}

static bool has(const struct redistribution *all, const wl_box *box, const uint64_t *index) {
    for (unsigned d = 0; d < all->dimensions; d++)
        if (index[d] < box->begin[d] || index[d] >= box->begin[d] + box->sizes[d])
            return false;
    return true;
}

/* The next index of a box, the last dimension first; false after the last one. */
static bool next(const struct redistribution *all, const wl_box *box, uint64_t *index) {
    for (unsigned d = all->dimensions; d-- > 0;) {
        if (++index[d] < box->begin[d] + box->sizes[d])
            return true;
        index[d] = box->begin[d];
    }
    return false;
}

static void put_index(const struct redistribution *all, const uint64_t *index, const char *ahead,
                      const char *behind, char words[WORDS]) {
    size_t used = (size_t)snprintf(words, WORDS, "wl_redistribution_create: %s (", ahead);
    for (unsigned d = 0; d < all->dimensions; d++)
        used += (size_t)snprintf(words + used, WORDS - used, "%s%llu", d ? ", " : "",
                                 (unsigned long long)index[d]);
    snprintf(words + used, WORDS - used, "), which %s", behind);
}

/* The first index of a box of `to` that two ranks have, or if `a` is NULL none. */
static bool find(const struct redistribution *all, const wl_box *wanted, const wl_box *a, const wl_box *b,
                 uint64_t *index) {
    memcpy(index, wanted->begin, sizeof(wanted->begin));
    if (box_bytes(all, wanted) == 0)
        return false;
    do {
        bool found = a ? has(all, a, index) && has(all, b, index) : true;
        for (unsigned r = 0; !a && r < all->ranks; r++)
            found = found && !has(all, &all->from[r], index);
        if (found)
            return true;
    } while (next(all, wanted, index));
    return false;
}

/* The right message, or "". */
static void expect(const struct redistribution *all, char words[WORDS]) {
    uint64_t index[WL_RANK_MAX];
    char ahead[64], behind[32];
    words[0] = '\0';
    for (unsigned a = 0; a < all->ranks; a++)
        for (unsigned b = a + 1; b < all->ranks; b++)
            for (unsigned r = 0; r < all->ranks; r++)
                if (find(all, &all->to[r], &all->from[a], &all->from[b], index)) {
                    snprintf(ahead, sizeof(ahead), "from[%u] and from[%u] both have the index", a, b);
                    snprintf(behind, sizeof(behind), "to[%u] wants", r);
                    put_index(all, index, ahead, behind, words);
                    return;
                }
    for (unsigned r = 0; r < all->ranks; r++)
        if (find(all, &all->to[r], NULL, NULL, index)) {
            snprintf(ahead, sizeof(ahead), "to[%u] wants the index", r);
            put_index(all, index, ahead, "no box of from has", words);
            return;
        }
}

/* Makes a box of `from` another one within the array. */
static void change(struct draw *draw, struct redistribution *all) {
    const unsigned r = (unsigned)draw_below(draw, all->ranks);
    wl_box *box = &all->from[r];
    if (!all->dimensions || box_bytes(all, box) == 0)
        return;
    const unsigned d = (unsigned)draw_below(draw, all->dimensions);
    box->begin[d] = draw_one_in(draw, 2) ? box->begin[d] : draw_below(draw, all->sizes[d]);
    box->sizes[d] = 1 + draw_below(draw, all->sizes[d] - box->begin[d]);
}

static void random_boxes(void **state) {
    (void)state;
    unsigned right = 0, holes = 0, overlaps = 0;
    for (uint64_t number = 0; number < cases; number++) {
        struct draw draw = draw_from(29, number);
        struct redistribution all =
            redistribution_draw(&draw, 1 + (unsigned)draw_below(&draw, RANKS_MOST), BYTES);
        for (unsigned times = (unsigned)draw_below(&draw, 4); times; times--)
            change(&draw, &all);
        char words[WORDS];
        wl_redistribution *plan;
        expect(&all, words);
        const wl_error error = wl_redistribution_create(&plan, all.ranks, contexts, all.element_bytes,
                                                        all.dimensions, all.sizes, all.from, all.to);
        if (error != (words[0] ? WL_ERROR_INVALID_ARGUMENT : WL_ERROR_OK))
            fail_msg("case %llu: %s, not \"%s\"", (unsigned long long)number, wl_error_name(error), words);
        if (error)
            assert_string_equal(wl_message(), words);
        right += !error;
        holes += strstr(words, "no box") != NULL;
        overlaps += strstr(words, "both") != NULL;
        wl_redistribution_destroy(plan);
    }
    if (cases >= 1000 && (right < cases / 20 || holes < cases / 20 || overlaps < cases / 20))
        fail_msg("%u were right, %u had holes, and %u overlaps", right, holes, overlaps);
}

int main(int argc, char **argv) {
    if (argc > 1)
        cases = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_boxes)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
