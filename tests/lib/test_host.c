/* Every operation on the host device, with each set of vector instructions that this processor has, at random
 * and against plain C: outputs are poisoned, and bytes around and between the arrays must not change.  Each
 * array is an allocation of its own, so that a sanitizer sees every access outside it.
 *
 * usage: test_lib_host [CASES [SEED]] */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "calls.h"
#include "lib/host/host.h"
#include "lib/host/kernels.h"

enum { BYTES = 1 << 20, MEMORY = 16 << 20 };

static uint64_t cases = 3000, seed;

struct memory {
    unsigned char *expected, *got; /* MEMORY bytes each */
    unsigned char *own[CALL_ARRAYS];
};

/* An allocation for each array, with what `expected` has at its place. */
static void send(struct memory *memory, struct call *call) {
    for (unsigned k = 0; k < call->arrays; k++) {
        struct call_array *array = &call->array[k];
        memory->own[k] = NULL;
        if (array->inside >= 0)
            continue;
        const uint64_t bytes = array->shift + array->bytes;
        assert_int_equal(posix_memalign((void **)&memory->own[k], 256, bytes ? bytes : 1), 0);
        memcpy(memory->own[k], memory->expected + array->offset - array->shift, bytes);
        array->device = (uintptr_t)memory->own[k] + array->shift;
    }
    for (unsigned k = 0; k < call->arrays; k++)
        if (call->array[k].inside >= 0)
            call->array[k].device = call->array[call->array[k].inside].device + call->array[k].delta;
}

static void fetch(struct memory *memory, const struct call *call) {
    for (unsigned k = 0; k < call->arrays; k++) {
        const struct call_array *array = &call->array[k];
        if (memory->own[k])
            memcpy(memory->got + array->offset - array->shift, memory->own[k], array->shift + array->bytes);
        free(memory->own[k]);
    }
}

/* False: the case needs too much memory, and was not tried. */
static bool check(wl_context *context, struct memory *memory, uint64_t number) {
    static struct call call;
    char words[4096] = "", what[1024];
    struct draw draw = draw_from(seed, number);
    unsigned operations = 0;
    while (operation_at(operations))
        operations++;
    const struct operation *operation = operation_at((unsigned)draw_below(&draw, operations));
    call_choose(&call, operation, context, &draw, (uint64_t)BYTES >> draw_below(&draw, 15));
    const uint64_t end = call_place(&call, 0);
    if (end > MEMORY)
        return false;
    draw_fill(memory->expected, end, seed ^ number);
    memcpy(memory->got, memory->expected, end);
    call_bind(&call, 0, memory->expected);
    send(memory, &call);
    const wl_error error = operation->run(context, &call, NULL);
    fetch(memory, &call);
    call_describe(&call, words, sizeof(words));
    if (error)
        fail_msg("%" PRIu64 " %" PRIu64 ": %s: %s", seed, number, words, wl_message());
    operation->expect(&call);
    if (!call_compare(&call, memory->got, memory->expected, 0, end, what, sizeof(what)))
        fail_msg("%" PRIu64 " %" PRIu64 ": %s: %s: %s", seed, number, words, what, wl_explain());
    return true;
}

static void every_operation(void **state) {
    (void)state;
    struct memory memory = {malloc(MEMORY + 8), malloc(MEMORY + 8), {0}};
    wl_context *context;
    assert_non_null(memory.expected);
    assert_non_null(memory.got);
    assert_int_equal(wl_open(&context, "host"), WL_ERROR_OK);
    const struct wl__host_kernels *kernels;
    for (unsigned i = 0; (kernels = wl__host_kernels_at(i)); i++) {
        uint64_t tried = 0;
        /* As it is, and with streaming stores from the smallest sizes on. */
        for (int stream = 0; stream < 2; stream++) {
            const struct wl__host host = {kernels, stream ? 0 : context->host->stream_from};
            const struct wl__host *kept = context->host;
            context->host = &host;
            for (uint64_t number = 0; number < cases; number++)
                tried += check(context, &memory, number);
            context->host = kept;
        }
        print_message("%s: %" PRIu64 " cases of seed %" PRIu64 "\n", kernels->name, tried, seed);
        assert_true(tried > cases);
    }
    wl_close(context);
    free(memory.expected);
    free(memory.got);
}

int main(int count, char **words) {
    cases = count > 1 ? strtoull(words[1], NULL, 10) : cases;
    seed = count > 2 ? strtoull(words[2], NULL, 10) : (uint64_t)time(NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
