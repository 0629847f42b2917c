/* Chunks of what one rank sends to another: random pieces, of which every byte is in one chunk, none longer
 * than it may be; and whether they have gaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calls.h"
#include "lib/redistribute/exchange.h"

enum { CASES = 3000, SPAN = 1 << 16 };

/* Strides in a random order of the dimensions, with gaps at random; returns the bytes from first to last. */
static uint64_t draw_strides(struct draw *draw, struct wl__strided *all, bool from) {
    unsigned left = (1u << all->rank) - 1;
    uint64_t bytes = all->bytes;
    for (unsigned place = 0; place < all->rank; place++) {
        unsigned d = (unsigned)draw_below(draw, all->rank);
        while (!(left >> d & 1))
            d = (d + 1) % all->rank;
        left &= ~(1u << d);
        *(from ? &all->dim[d].from : &all->dim[d].to) = (int64_t)bytes;
        bytes = bytes * all->dim[d].size + (draw_one_in(draw, 2) ? draw_below(draw, 9) : 0);
    }
    return bytes;
}

static struct wl__strided draw_piece(struct draw *draw) {
    struct wl__strided all = {.bytes = 1 + draw_below(draw, 20), .rank = (unsigned)draw_below(draw, 5)};
    for (unsigned d = 0; d < all.rank; d++)
        all.dim[d].size = 1 + draw_below(draw, d ? 5 : 70);
    if (draw_strides(draw, &all, false) > SPAN || draw_strides(draw, &all, true) > SPAN)
        all.rank = 0;
    wl__strided_reduce(&all);
    return all;
}

/* Counts each byte of one side. */
static void mark(const struct wl__strided *chunk, unsigned char *seen, bool from) {
    uint64_t index[WL_RANK_MAX] = {0};
    for (bool more = true; more;) {
        uint64_t at = from ? chunk->from : chunk->to;
        for (unsigned d = 0; d < chunk->rank; d++)
            at += index[d] * (uint64_t)(from ? chunk->dim[d].from : chunk->dim[d].to);
        for (uint64_t byte = 0; byte < chunk->bytes; byte++)
            seen[at + byte]++;
        unsigned d = 0;
        while (d < chunk->rank && ++index[d] == chunk->dim[d].size)
            index[d++] = 0;
        more = d < chunk->rank;
    }
}

/* Bytes from a chunk's first to its last one. */
static uint64_t span(const struct wl__strided *chunk, bool from) {
    uint64_t bytes = chunk->bytes;
    for (unsigned d = 0; d < chunk->rank; d++)
        bytes += (chunk->dim[d].size - 1) * (uint64_t)(from ? chunk->dim[d].from : chunk->dim[d].to);
    return bytes;
}

static unsigned dense_ones, cut_ones, elements_cut;

static void check_piece(const struct wl__strided *all, uint64_t limit) {
    static unsigned char expected[SPAN], seen[2][SPAN];
    struct wl__cut cut;
    uint64_t bytes = all->bytes, total = 0, most = 0;
    memset(seen, 0, sizeof(seen));
    wl__find_cut(&cut, all, limit);
    const bool dense[2] = {wl__chunk_is_dense(all, &cut, false), wl__chunk_is_dense(all, &cut, true)};
    for (uint64_t number = 0; number < cut.chunks; number++) {
        struct wl__strided chunk;
        const uint64_t has = wl__chunk(&chunk, all, &cut, number);
        total += has;
        most = has > most ? has : most;
        for (unsigned from = 0; from < 2; from++) {
            mark(&chunk, seen[from], from);
            if (dense[from])
                assert_int_equal(span(&chunk, from), has);
        }
    }
    for (unsigned d = 0; d < all->rank; d++)
        bytes *= all->dim[d].size;
    assert_int_equal(total, bytes);
    assert_int_equal(most, wl__chunk_most(&cut, all));
    assert_true(most <= limit || all->rank == 0);
    for (unsigned from = 0; from < 2; from++) {
        memset(expected, 0, sizeof(expected));
        mark(all, expected, from);
        assert_memory_equal(expected, seen[from], SPAN);
    }
    dense_ones += dense[0] || dense[1];
    cut_ones += cut.chunks > 1;
    elements_cut += cut.chunks > 1 && cut.level == 0;
}

static void random_pieces(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        struct draw draw = draw_from(41, number);
        const struct wl__strided all = draw_piece(&draw);
        check_piece(&all, 1 + draw_below(&draw, draw_one_in(&draw, 2) ? 40 : 4000));
    }
    assert_true(dense_ones > CASES / 10 && cut_ones > CASES / 10 && elements_cut > CASES / 100);
}

/* Long parts are whole lines of 64 elements, and about as long as each other. */
static void parts_are_even(void **state) {
    struct wl__cut cut;
    const struct wl__strided all = {.bytes = 4, .rank = 2, .dim = {{1000, 4, 40000}, {10000, 8000, 4}}};
    (void)state;
    wl__find_cut(&cut, &all, 4000 * 999);
    assert_int_equal(cut.level, 2);
    assert_int_equal(cut.step, 960); /* ten or eleven parts of at most 999: 10000 / 11 is 909.1 */
    assert_int_equal(cut.chunks, 11);
    wl__find_cut(&cut, &all, 4000 * 7);
    assert_int_equal(cut.step, 7);
    assert_int_equal(cut.chunks, 1429);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pieces),
        cmocka_unit_test(parts_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
