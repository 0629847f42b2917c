/* Redistributions on a driver that runs nothing: every argument that is refused, with its words; the order
 * between the ranks' streams, proved from the driver's calls; and each call of the driver failing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "wideload.h"

enum { RANKS = 3 };
#define TIB (UINT64_C(1) << 40)

static struct fake_state *fake;
static wl_context *contexts[RANKS], *host;
static char streams[RANKS]; /* their addresses stand for streams */
static const wl_stream handles[RANKS] = {&streams[0], &streams[1], &streams[2]};

static int setup(void **state) {
    (void)state;
    fake = fake_start();
    if (!fake)
        return -1;
    fake->devices = RANKS;
    for (unsigned r = 0; r < RANKS; r++) {
        char name[8];
        snprintf(name, sizeof(name), "sim:%u", r);
        if (wl_open(&contexts[r], name))
            return -1;
    }
    return wl_open(&host, "host") ? -1 : 0;
}

static int teardown(void **state) {
    (void)state;
    for (unsigned r = 0; r < RANKS; r++)
        wl_close(contexts[r]);
    wl_close(host);
    return fake->depth || fake->retained || fake->modules || fake->streams || fake->events || fake->parts ? -1
                                                                                                          : 0;
}

/* ---------------------------------------------------------------- plans that are refused */

/* A valid request: an array of 6 x 5 x 4 elements, in slabs of the first dimension, which are to be pencils
 * of the second one.  Each test changes something. */
struct request {
    unsigned ranks, dimensions;
    wl_context *contexts[RANKS];
    size_t element_bytes;
    uint64_t sizes[WL_RANK_MAX + 1];
    wl_box from[RANKS], to[RANKS];
    bool no_contexts, no_sizes, no_from, no_to;
};

static struct request valid(void) {
    struct request request = {.ranks = RANKS, .dimensions = 3, .element_bytes = 8, .sizes = {6, 5, 4}};
    for (unsigned r = 0; r < RANKS; r++) {
        request.contexts[r] = contexts[r];
        request.from[r] = (wl_box){{2 * r, 0, 0}, {2, 5, 4}, {0, 1, 2}};
        request.to[r] = (wl_box){{0, 2 * r, 0}, {6, r < 2 ? 2 : 1, 4}, {2, 1, 0}};
    }
    return request;
}

static wl_error create(wl_redistribution **plan, const struct request *request) {
    return wl_redistribution_create(
        plan, request->ranks, request->no_contexts ? NULL : request->contexts, request->element_bytes,
        request->dimensions, request->no_sizes ? NULL : request->sizes,
        request->no_from ? NULL : request->from, request->no_to ? NULL : request->to);
}

/* Expects the whole message. */
static void refused_as(const struct request *request, wl_error expected, const char *message) {
    wl_redistribution *plan = (wl_redistribution *)1;
    const wl_error error = create(&plan, request);
    if (error != expected)
        fail_msg("%s: %s, not %s", message, wl_error_name(error), wl_error_name(expected));
    assert_string_equal(wl_message(), message);
    assert_null(plan);
    assert_int_equal(fake->depth, 0);
    assert_int_equal(fake->streams, 0);
    assert_int_equal(fake->events, 0);
}

static void refused(const struct request *request, const char *message) {
    char all[512];
    snprintf(all, sizeof(all), "wl_redistribution_create: %s", message);
    refused_as(request, WL_ERROR_INVALID_ARGUMENT, all);
}

#define REFUSED(change, message)                                                                             \
    do {                                                                                                     \
        struct request request = valid();                                                                    \
        change;                                                                                              \
        refused(&request, message);                                                                          \
    } while (0)

static void wrong_numbers(void **state) {
    (void)state;
    REFUSED(request.ranks = 0, "ranks is 0");
    REFUSED(request.no_contexts = true, "contexts is NULL");
    REFUSED(request.contexts[2] = NULL, "contexts[2] is NULL");
    REFUSED(request.contexts[1] = host, "contexts[1] and contexts[0] are of different kinds: they must all "
                                        "be of GPUs, all of the simulator, or "
                                        "all of the host");
    REFUSED(request.element_bytes = 0, "element_bytes is 0");
    REFUSED(request.dimensions = 9, "dimensions is 9: it must be 0 to 8");
    REFUSED(request.no_sizes = true, "sizes is NULL");
    REFUSED(request.no_from = true, "from is NULL");
    REFUSED(request.no_to = true, "to is NULL");
    REFUSED(request.sizes[0] = UINT64_C(1) << 60, "the array has 2^63 bytes or more");
    REFUSED(request.sizes[0] = UINT64_C(1) << 56, "the array has 2^63 bytes or more"); /* not 2^64 */
    REFUSED(request.element_bytes = SIZE_MAX, "the array has 2^63 bytes or more");
    wl_redistribution *plan;
    const struct request request = valid();
    assert_int_equal(
        wl_redistribution_create(NULL, 3, request.contexts, 8, 3, request.sizes, request.from, request.to),
        WL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(wl_message(), "wl_redistribution_create: out is NULL");
    assert_int_equal(wl_transpose_distributed_create(NULL, 3, request.contexts, 8, 3, 3, NULL, NULL),
                     WL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(wl_message(), "wl_transpose_distributed_create: out is NULL");
    assert_int_equal(wl_transpose_distributed_create(&plan, 0, request.contexts, 8, 3, 3, NULL, NULL),
                     WL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(wl_message(), "wl_transpose_distributed_create: ranks is 0");
}

static void wrong_boxes(void **state) {
    (void)state;
    REFUSED(request.from[2].begin[0] = 5, "from[2] has 2 indices from 5 on in dimension 0, which has 6");
    REFUSED(request.from[2].begin[0] = UINT64_MAX,
            "from[2] has 2 indices from 18446744073709551615 on in dimension 0, which has 6");
    REFUSED(request.to[1].sizes[2] = 5, "to[1] has 5 indices from 0 on in dimension 2, which has 4");
    REFUSED(request.to[0].order[1] = 3, "to[0].order[1] is 3: it must hold each of 0 to 2 once");
    REFUSED(request.from[0].order[2] = 1, "from[0].order[2] is 1: it must hold each of 0 to 2 once");
}

static void holes_and_overlaps(void **state) {
    (void)state;
    REFUSED(request.from[1].sizes[0] = 1, "to[0] wants the index (3, 0, 0), which no box of from has");
    REFUSED(request.from[1].sizes[2] = 3, "to[0] wants the index (2, 0, 3), which no box of from has");
    REFUSED(request.from[2].begin[1] = 1;
            request.from[2].sizes[1] = 4, "to[0] wants the index (4, 0, 0), which no box of from has");
    REFUSED(request.from[2].sizes[1] = 4, "to[2] wants the index (4, 4, 0), which no box of from has");
    REFUSED(request.from[0].sizes[0] = 0, "to[0] wants the index (0, 0, 0), which no box of from has");
    REFUSED(request.from[1].begin[0] = 1;
            request.from[1].sizes[0] = 3,
            "from[0] and from[1] both have the index (1, 0, 0), which to[0] wants");
    REFUSED(request.from[2] = request.from[0],
            "from[0] and from[2] both have the index (0, 0, 0), which to[0] wants");
    /* As many elements as there are, but one twice and one not at all. */
    REFUSED(request.from[2].begin[0] = 3,
            "from[1] and from[2] both have the index (3, 0, 0), which to[0] wants");
}

/* Elements that nobody wants may be in several boxes, or in none. */
static void unwanted_elements(void **state) {
    (void)state;
    wl_redistribution *plan;
    struct request request = valid();
    request.from[1] = request.from[0]; /* 0, 0, and 4: 2 is missing */
    for (unsigned r = 0; r < RANKS; r++) {
        request.to[r].begin[0] = 4;
        request.to[r].sizes[0] = 2;
    }
    request.to[2].begin[1] = 0; /* wanted twice */
    assert_int_equal(create(&plan, &request), WL_ERROR_OK);
    wl_redistribution_destroy(plan);
}

static void wrong_counts(void **state) {
    (void)state;
    static const uint64_t less[] = {3, 3, 3}, more[] = {5, 5, 1}, huge[] = {5, UINT64_MAX, 6};
    wl_redistribution *plan;
    const struct {
        const uint64_t *from, *to;
        const char *message;
    } rows[] = {
        {less, NULL, "the counts of from_rows do not add up to rows, 10"},
        {more, NULL, "the counts of from_rows do not add up to rows, 10"},
        {huge, NULL, "the counts of from_rows do not add up to rows, 10"},
        {NULL, less, "the counts of to_rows do not add up to cols, 20"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(
            wl_transpose_distributed_create(&plan, 3, contexts, 4, 10, 20, rows[i].from, rows[i].to),
            WL_ERROR_INVALID_ARGUMENT);
        assert_null(plan);
        assert_string_equal(strchr(wl_message(), ' ') + 1, rows[i].message);
    }
    assert_int_equal(wl_transpose_distributed_create(&plan, 3, contexts, 0, 10, 20, NULL, NULL),
                     WL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(wl_message(), "wl_transpose_distributed_create: element_bytes is 0");
}

static void no_peer_access(void **state) {
    (void)state;
    struct request request = valid();
    fake->no_peers = true;
    refused_as(&request, WL_ERROR_UNSUPPORTED,
               "wl_redistribution_create: device 0 has no peer access to device 1");
    /* One device needs none. */
    wl_redistribution *plan;
    request.contexts[1] = request.contexts[2] = request.contexts[0];
    assert_int_equal(create(&plan, &request), WL_ERROR_OK);
    assert_int_equal(fake->peers, 0);
    wl_redistribution_destroy(plan);
    fake->no_peers = false;
}

/* ---------------------------------------------------------------- calls that are refused */

static void wrong_addresses(void **state) {
    (void)state;
    static char pageable[256];
    const wl_devptr from[RANKS] = {TIB, 2 * TIB, 3 * TIB}, to[RANKS] = {4 * TIB, 5 * TIB, 6 * TIB};
    fake->host = (uint64_t)(uintptr_t)pageable;
    fake->host_bytes = sizeof(pageable);
    const struct {
        wl_devptr value;
        bool of_to;
        unsigned rank;
        const char *message;
    } rows[] = {
        {0, false, 1, "wl_redistribute: from[1] is NULL"},
        {0, true, 2, "wl_redistribute: to[2] is NULL"},
        {fake->host, false, 0, "wl_redistribute: from[0] is 0x"},
        {fake->host, true, 1, "wl_redistribute: to[1] is 0x"},
        {UINT64_MAX - 8, true, 1, "wl_redistribute: to[1] goes past the end of the address space"},
        {2 * TIB + 319, true, 0, "wl_redistribute: to[0] and from[1] overlap: "},
        {5 * TIB - 1, true, 0, "wl_redistribute: to[0] and to[1] overlap: "},
        {6 * TIB - 383, true, 0, "wl_redistribute: to[0] and to[2] overlap: "},
        {3 * TIB, true, 2, "wl_redistribute: to[2] and from[2] overlap: "},
    };
    const struct request request = valid();
    wl_redistribution *plan;
    assert_int_equal(create(&plan, &request), WL_ERROR_OK);
    fake->step_count = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        wl_devptr lists[2][RANKS];
        memcpy(lists[0], from, sizeof(from));
        memcpy(lists[1], to, sizeof(to));
        lists[rows[i].of_to][rows[i].rank] = rows[i].value;
        assert_int_equal(wl_redistribute(plan, lists[1], lists[0], handles), WL_ERROR_INVALID_ARGUMENT);
        if (strncmp(wl_message(), rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("\"%s\" does not begin with \"%s\"", wl_message(), rows[i].message);
        if (rows[i].value == fake->host)
            assert_non_null(strstr(wl_message(), "pageable host memory"));
    }
    assert_int_equal(wl_redistribute(plan, to, NULL, handles), WL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(wl_message(), "wl_redistribute: from is NULL");
    assert_int_equal(wl_redistribute(plan, NULL, from, handles), WL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(wl_message(), "wl_redistribute: to is NULL");
    assert_int_equal(wl_redistribute(NULL, to, from, handles), WL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(wl_message(), "wl_redistribute: plan is NULL");
    assert_int_equal(fake->step_count, 0);
    fake->host_bytes = 0;
    wl_redistribution_destroy(plan);
    wl_redistribution_destroy(NULL);
}

/* ---------------------------------------------------------------- order */

enum { PLACES = 64 };

/* What is known to be behind something: streams, and events as they were last recorded. */
struct behind {
    const void *places[PLACES];
    unsigned count;
};

static bool is_behind(const struct behind *behind, const void *place) {
    for (unsigned i = 0; i < behind->count; i++)
        if (behind->places[i] == place)
            return true;
    return false;
}

static void put_behind(struct behind *behind, const void *place, bool is) {
    const bool was = is_behind(behind, place);
    if (is && !was) {
        assert_true(behind->count < PLACES);
        behind->places[behind->count++] = place;
    }
    for (unsigned i = 0; !is && was && i < behind->count; i++)
        if (behind->places[i] == place)
            behind->places[i--] = behind->places[--behind->count];
}

/* Goes through the steps from `first` to before `end`. */
static void follow(struct behind *behind, unsigned first, unsigned end) {
    for (unsigned i = first; i < end; i++) {
        const struct fake_step *step = &fake->steps[i];
        if (step->kind == FAKE_RECORD)
            put_behind(behind, step->event, is_behind(behind, step->stream));
        else if (step->kind == FAKE_WAIT && is_behind(behind, step->event))
            put_behind(behind, step->stream, true);
    }
}

/* Of the launches, how many are behind a stream's work before the call, and how many are ahead of its work
 * after it. */
static void count_order(const void *stream, unsigned *after, unsigned *ahead) {
    *after = *ahead = 0;
    for (unsigned i = 0; i < fake->step_count; i++) {
        if (fake->steps[i].kind != FAKE_LAUNCH)
            continue;
        struct behind before = {{stream}, 1}, later = {{fake->steps[i].stream}, 1};
        follow(&before, 0, i);
        follow(&later, i, fake->step_count);
        *after += is_behind(&before, fake->steps[i].stream);
        *ahead += is_behind(&later, stream);
    }
}

static unsigned launches(void) {
    unsigned count = 0;
    for (unsigned i = 0; i < fake->step_count; i++)
        count += fake->steps[i].kind == FAKE_LAUNCH;
    return count;
}

static const wl_devptr given[RANKS] = {TIB, 2 * TIB, 3 * TIB}, wanted[RANKS] = {4 * TIB, 5 * TIB, 6 * TIB};

/* Each rank of three sends to both others and to itself.  A rank's stream is ahead of what it sends and what
 * it gets, five launches, and behind them; but the others' own parts and what they send each other, four
 * launches, are another matter.  A lane waits for all that it sends to, and all that a rank sends ends
 * together: so it is also ordered with what these send to the third. */
static void streams_are_ordered(void **state) {
    (void)state;
    const struct request request = valid();
    wl_redistribution *plan;
    assert_int_equal(create(&plan, &request), WL_ERROR_OK);
    fake->step_count = 0;
    assert_int_equal(wl_redistribute(plan, wanted, given, handles), WL_ERROR_OK);
    assert_true(fake->step_count <= 1024);
    assert_int_equal(launches(), 9);
    for (unsigned r = 0; r < RANKS; r++) {
        unsigned after, ahead;
        count_order(handles[r], &after, &ahead);
        assert_int_equal(after, 7);
        assert_int_equal(ahead, 7);
    }
    wl_redistribution_destroy(plan);
}

/* Rank 0 sends to rank 1, and rank 2 keeps what it has: its stream does it, and nothing waits for it. */
static void who_sends_nothing_waits_for_nobody(void **state) {
    (void)state;
    struct request request = valid();
    wl_redistribution *plan;
    request.to[0].sizes[0] = 0;
    request.to[1] = request.from[0];
    request.to[2] = request.from[2];
    assert_int_equal(create(&plan, &request), WL_ERROR_OK);
    fake->step_count = 0;
    const wl_devptr to[RANKS] = {0, 5 * TIB, 6 * TIB};
    assert_int_equal(wl_redistribute(plan, to, given, handles), WL_ERROR_OK);
    assert_int_equal(launches(), 2);
    unsigned after, ahead;
    for (unsigned r = 0; r < 2; r++) {
        count_order(handles[r], &after, &ahead);
        assert_int_equal(after, 1);
        assert_int_equal(ahead, 1);
    }
    count_order(handles[2], &after, &ahead);
    assert_int_equal(after, 1);
    assert_int_equal(ahead, 1);
    for (unsigned i = 0; i < fake->step_count; i++)
        if (fake->steps[i].stream == handles[2])
            assert_int_equal(fake->steps[i].kind, FAKE_LAUNCH);
    wl_redistribution_destroy(plan);
}

/* ---------------------------------------------------------------- faults of the driver */

static void creation_fails_anywhere(void **state) {
    (void)state;
    const struct request request = valid();
    unsigned number = 1;
    for (;; number++) {
        wl_redistribution *plan;
        fake->fail_after = number;
        const wl_error error = create(&plan, &request);
        if (!error) {
            wl_redistribution_destroy(plan);
            break;
        }
        assert_null(plan);
        assert_true(error == WL_ERROR_OUT_OF_MEMORY || error == WL_ERROR_DRIVER);
        assert_int_equal(fake->streams, 0);
        assert_int_equal(fake->events, 0);
        assert_int_equal(fake->depth, 0);
    }
    /* Three ranks: three events, two streams, two peers each. */
    assert_int_equal(number, 3 * 7 + 1);
    fake->fail_after = 0;
}

enum { PUSH_PROCESSORS = 32 }; /* as in lib/processors.h */

/* Devices that have enough multiprocessors share them out: some push, the others do the rank's own part.  All
 * plans of a context have the same parts. */
static void multiprocessors_are_shared_out(void **state) {
    static const unsigned processors[] = {0, 2 * PUSH_PROCESSORS - 1, 2 * PUSH_PROCESSORS, 132};
    if (!fake->can_part)
        skip();
    for (unsigned i = 0; i < 4; i++) {
        const unsigned parts = i < 2 ? 0 : 6;
        wl_redistribution *plan, *other;
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        const struct request again = valid();
        fake->processors = processors[i];
        assert_int_equal(create(&plan, &again), WL_ERROR_OK);
        assert_int_equal(fake->streams, 6);
        assert_int_equal(fake->parts, parts);
        assert_int_equal(fake->part_streams, parts);
        if (i == 3) {
            assert_int_equal(fake->part_processors[0], PUSH_PROCESSORS);
            assert_int_equal(fake->part_processors[1], 132 - PUSH_PROCESSORS);
        }
        assert_int_equal(create(&other, &again), WL_ERROR_OK);
        wl_redistribution_destroy(plan);
        assert_int_equal(fake->streams, 6);
        assert_int_equal(fake->parts, parts);
        assert_int_equal(fake->part_streams, 2 * parts);
        wl_redistribution_destroy(other);
        assert_int_equal(fake->streams, 0);
        assert_int_equal(fake->parts, parts);
    }
}

/* If a driver cannot, the streams have all multiprocessors. */
static void sharing_out_may_fail_anywhere(void **state) {
    unsigned number = 1;
    for (bool failed = true; failed; number++) {
        wl_redistribution *plan;
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
        const struct request request = valid();
        fake->processors = fake->can_part ? 132 : 0;
        fake->fail_after = number;
        const wl_error error = create(&plan, &request);
        failed = fake->fail_after == 0;
        if (!error)
            assert_int_equal(fake->streams, 6);
        wl_redistribution_destroy(plan);
        assert_int_equal(fake->streams, 0);
        assert_int_equal(fake->events, 0);
        fake->fail_after = 0;
    }
    /* Three ranks: three events, two peers, and for two parts eight calls; or two streams. */
    assert_int_equal(number - 1, 3 * (fake->can_part ? 13 : 7) + 1);
}

/* After the failure nothing more is launched, and every launch is behind what its sender's and its receiver's
 * streams held, and ahead of what they hold then, as far as the failing call itself allows. */
static void calls_fail_anywhere(void **state) {
    (void)state;
    const struct request request = valid();
    wl_redistribution *plan;
    unsigned number = 1, in_pieces = 0;
    assert_int_equal(create(&plan, &request), WL_ERROR_OK);
    for (;; number++) {
        fake->step_count = 0;
        fake->fail_after = number;
        const wl_error error = wl_redistribute(plan, wanted, given, handles);
        if (!error)
            break;
        assert_int_equal(error, WL_ERROR_KERNEL_FAULT);
        assert_int_equal(fake->depth, 0);
        const bool in_launch = strstr(wl_message(), "cuLaunchKernel") != NULL;
        const char *words =
            in_launch ? "wl_redistribute: what rank " : "wl_redistribute: the streams of rank ";
        if (strncmp(wl_message(), words, strlen(words)) != 0)
            fail_msg("call %u: \"%s\"", number, wl_message());
        if (!in_launch)
            continue;
        in_pieces++;
        assert_non_null(strstr(wl_message(), ": cuLaunchKernel: "));
        assert_int_equal(launches(), in_pieces - 1);
        /* All that was launched is ahead of its sender's stream. */
        unsigned waited = 0;
        for (unsigned i = 0; i < fake->step_count; i++) {
            struct behind later = {{fake->steps[i].stream}, 1};
            follow(&later, i, fake->step_count);
            waited += fake->steps[i].kind == FAKE_LAUNCH &&
                      (is_behind(&later, handles[0]) || is_behind(&later, handles[1]) ||
                       is_behind(&later, handles[2]));
        }
        assert_int_equal(waited, in_pieces - 1);
        assert_int_equal(fake->steps[fake->step_count - 1].kind, FAKE_WAIT);
    }
    fake->fail_after = 0;
    assert_int_equal(in_pieces, 9);
    /* Three begin; a lane of pushes waits for three, and one for one; nine launches; per rank two records,
     * two waits of its stream, and two for what it gets. */
    assert_int_equal(number, 3 + 3 * 4 + 9 + 3 * 6 + 1);
    wl_redistribution_destroy(plan);
}

/* The first failure's message stays if the driver fails from then on. */
static void the_first_failure_is_told(void **state) {
    (void)state;
    const struct request request = valid();
    wl_redistribution *plan;
    assert_int_equal(create(&plan, &request), WL_ERROR_OK);
    fake->fail_after = 3 + 3 * 4 + 1;
    fake->fail_on = true;
    assert_int_equal(wl_redistribute(plan, wanted, given, handles), WL_ERROR_KERNEL_FAULT);
    assert_non_null(strstr(wl_message(), "wl_redistribute: what rank 0 sends to rank 1: cuLaunchKernel"));
    fake->fail_on = false;
    wl_redistribution_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wrong_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_boxes, setup, teardown),
        cmocka_unit_test_setup_teardown(holes_and_overlaps, setup, teardown),
        cmocka_unit_test_setup_teardown(unwanted_elements, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(no_peer_access, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_addresses, setup, teardown),
        cmocka_unit_test_setup_teardown(streams_are_ordered, setup, teardown),
        cmocka_unit_test_setup_teardown(who_sends_nothing_waits_for_nobody, setup, teardown),
        cmocka_unit_test_setup_teardown(creation_fails_anywhere, setup, teardown),
        cmocka_unit_test_setup_teardown(multiprocessors_are_shared_out, setup, teardown),
        cmocka_unit_test_setup_teardown(sharing_out_may_fail_anywhere, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_fail_anywhere, setup, teardown),
        cmocka_unit_test_setup_teardown(the_first_failure_is_told, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
