/* Boxes of arrays that do not fit into memory: together they are the array, and their runs are long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cli/files/plan.h"

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* A view whose dimensions lie in the order of `order`, the last one closest. */
static void lay_out(struct files_view *view, const struct files_space *space, const unsigned *order,
                    uint64_t record, uint64_t offset) {
    *view = (struct files_view){.offset = offset, .record = record};
    uint64_t stride = record;
    for (unsigned i = space->rank; i-- > 0; stride *= space->size[order[i]])
        view->stride[order[i]] = stride;
}

static void draw(struct files_space *space, struct files_view views[2], uint32_t *state) {
    unsigned order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    *space = (struct files_space){.rank = next(state) % 6};
    for (unsigned d = 0; d < space->rank; d++)
        space->size[d] = 1 + next(state) % (next(state) % 3 ? 9 : 70);
    lay_out(&views[1], space, order, 1 + next(state) % 9, 128);
    for (unsigned d = space->rank; d > 1; d--) {
        unsigned other = next(state) % d, kept = order[d - 1];
        order[d - 1] = order[other];
        order[other] = kept;
    }
    lay_out(&views[0], space, order, 1 + next(state) % 9, 64);
}

static uint64_t count(const struct files_space *space) {
    uint64_t elements = 1;
    for (unsigned d = 0; d < space->rank; d++)
        elements *= space->size[d];
    return elements;
}

/* Marks each byte of the boxes' runs; each must be marked once, in both views. */
static void boxes_are_the_array(void **state) {
    (void)state;
    uint32_t random = 1;
    for (int i = 0; i < 600; i++) {
        struct files_space space;
        struct files_view views[2];
        draw(&space, views, &random);
        uint64_t elements = count(&space), most = 1 + next(&random) % (next(&random) % 2 ? 50 : 5000);
        if (elements > 300000)
            continue;
        files_space_merge(&space, views, 2);
        assert_int_equal(count(&space), elements);
        for (unsigned d = 0; d < space.rank; d++)
            assert_true(space.size[d] > 1);
        struct files_box limit = {{0}, {0}}, box;
        files_box_choose(&limit, &space, views, 2, most);
        assert_true(files_box_elements(&limit, &space) <= most);
        unsigned char *marks[2];
        for (int v = 0; v < 2; v++)
            marks[v] = calloc(elements, views[v].record);
        files_box_first(&box, &space, &limit);
        do {
            assert_true(files_box_elements(&box, &space) <= most);
            for (int v = 0; v < 2; v++) {
                struct files_runs runs;
                uint64_t bytes = 0;
                files_runs_first(&runs, &views[v], &space, &box);
                do {
                    assert_true(runs.offset >= views[v].offset);
                    assert_true(runs.offset - views[v].offset + runs.length <= elements * views[v].record);
                    for (uint64_t b = 0; b < runs.length; b++)
                        marks[v][runs.offset - views[v].offset + b]++;
                    bytes += runs.length;
                } while (files_runs_next(&runs));
                assert_int_equal(bytes, files_box_elements(&box, &space) * views[v].record);
            }
        } while (files_box_next(&box, &space, &limit));
        for (int v = 0; v < 2; v++) {
            for (uint64_t b = 0; b < elements * views[v].record; b++)
                assert_int_equal(marks[v][b], 1);
            free(marks[v]);
        }
    }
}

/* The k-th byte of the packed box is the k-th byte of its runs. */
static void packed_boxes_are_their_runs(void **state) {
    (void)state;
    uint32_t random = 7;
    for (int i = 0; i < 300; i++) {
        struct files_space space;
        struct files_view views[2];
        draw(&space, views, &random);
        files_space_merge(&space, views, 2);
        struct files_box box;
        files_box_choose(&box, &space, views, 2, 1 + next(&random) % 300);
        for (unsigned d = 0; d < space.rank; d++)
            box.start[d] = next(&random) % (space.size[d] - box.count[d] + 1);
        for (int v = 0; v < 2; v++) {
            int64_t strides[NPY_MOST_DIMENSIONS];
            uint64_t index[NPY_MOST_DIMENSIONS] = {0}, packed = 0;
            struct files_runs runs;
            files_box_strides(&box, &space, &views[v], strides);
            files_runs_first(&runs, &views[v], &space, &box);
            do {
                for (uint64_t b = 0; b < runs.length; b += views[v].record, packed += views[v].record) {
                    uint64_t at = 0, in_file = views[v].offset;
                    for (unsigned d = 0; d < space.rank; d++) {
                        at += index[d] * (uint64_t)strides[d];
                        in_file += (box.start[d] + index[d]) * views[v].stride[d];
                    }
                    assert_int_equal(at, packed);
                    assert_int_equal(in_file, runs.offset + b);
                    for (unsigned k = space.rank; k-- > 0;) {
                        unsigned d = views[v].order[k];
                        if (++index[d] < box.count[d])
                            break;
                        index[d] = 0;
                    }
                }
            } while (files_runs_next(&runs));
        }
    }
}

static uint64_t run_length(const struct files_space *space, const struct files_view *view,
                           const struct files_box *box) {
    struct files_runs runs;
    files_runs_first(&runs, view, space, box);
    return runs.length;
}

/* 20 GB of floats, transposed in 250 MB: no run is shorter than a fifth of what a square would give. */
static void runs_are_long(void **state) {
    (void)state;
    static const uint64_t shapes[][2] = {{50000, 100000}, {5000000000, 1}, {1000, 5000000},
                                         {3, 1666666667}, {1666666667, 3}, {70711, 70711}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct files_space space = {.rank = 2, .size = {shapes[i][0], shapes[i][1]}};
        struct files_view views[2];
        struct files_box box = {{0}, {0}};
        lay_out(&views[0], &space, (const unsigned[]){1, 0}, 4, 128);
        lay_out(&views[1], &space, (const unsigned[]){0, 1}, 4, 128);
        files_space_merge(&space, views, 2);
        files_box_choose(&box, &space, views, 2, 31250000);
        for (int v = 0; v < 2; v++) {
            uint64_t run = run_length(&space, &views[v], &box);
            assert_true(run >= 4000); /* 1000 x 5000000 has lines of 4000 bytes */
            assert_true(i == 2 || run >= 4500);
        }
        uint64_t boxes = 1;
        for (unsigned d = 0; d < space.rank; d++)
            boxes *= (space.size[d] + box.count[d] - 1) / box.count[d];
        assert_true(boxes <= 5200); /* of 4 MB at the least */
    }
}

static void dimensions_are_joined(void **state) {
    (void)state;
    static const struct {
        unsigned rank;
        uint64_t size[4];
        unsigned order[4]; /* of the other view's dimensions */
        unsigned merged;
    } cases[] = {
        {4, {2, 3, 4, 5}, {0, 1, 2, 3}, 1}, {4, {2, 3, 4, 5}, {3, 2, 1, 0}, 4},
        {4, {2, 3, 4, 5}, {2, 3, 0, 1}, 2}, {4, {2, 1, 4, 1}, {3, 2, 1, 0}, 2},
        {4, {2, 3, 4, 5}, {0, 2, 3, 1}, 3}, {4, {1, 1, 1, 1}, {3, 2, 1, 0}, 0},
        {3, {7, 1, 5, 0}, {1, 0, 2, 0}, 1}, {0, {0}, {0}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct files_space space = {.rank = cases[i].rank};
        struct files_view views[2];
        memcpy(space.size, cases[i].size, sizeof cases[i].size);
        lay_out(&views[0], &space, cases[i].order, 4, 0);
        lay_out(&views[1], &space, (const unsigned[]){0, 1, 2, 3}, 4, 0);
        files_space_merge(&space, views, 2);
        assert_int_equal(space.rank, cases[i].merged);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_the_array),
        cmocka_unit_test(packed_boxes_are_their_runs),
        cmocka_unit_test(runs_are_long),
        cmocka_unit_test(dimensions_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
