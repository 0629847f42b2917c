/* Every mover by itself, on random calls of every operation: where it says that it can, the result is right,
 * whatever it costs.  The floor of each operation always can, on any device: with WIDELOAD_ARCH=sm_75 too.
 * Movers of transposes also have permutations, as batches of several dimensions.
 *
 * usage: test_lib_floors [CALLS [SEED]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "lib/mover.h"
#include "lib/permute/permute_batch.h"
#include "lib/transpose/transpose.h"

bool wl__masks[WL_KERNEL_COUNT], wl__launched[WL_KERNEL_COUNT];

enum { BYTES = 1 << 17, MEMORY = 1 << 20 };

static wl_context *context;
static wl_devptr device;
static unsigned char *host, *before, *got;

static bool is(const struct call *call, const struct operation *operation) {
    return call->operation == operation;
}

/* A permutation as a batch of transposes, where it is one. */
static wl_error run_batch(wl_context *of, const struct call *call, wl_stream stream) {
    if (!call->n)
        return call_permute.run(of, call, stream);
    struct wl__permute_shape shape;
    wl_transpose_layout layout;
    struct wl__digits digits;
    const wl_devptr to = call->array[0].device, from = call->array[1].device;
    wl__permute_reduce(&shape, call->width, to, from, call->rank, call->sizes, call->order);
    if (!wl__permute_as_batch(&shape, &layout, &digits))
        return call_permute.run(of, call, stream);
    return wl__transpose_any(of, shape.width, to, from, &layout, &digits, stream);
}

/* Transposes in place have the workspace that the mover asks for, of any size. */
static wl_error run(const struct call *call) {
    if (!is(call, &call_transpose_inplace))
        return call->operation->run(context, call, NULL);
    const struct call_array *workspace = &call->array[1];
    return wl_transpose_inplace(context, call->width, call->array[0].device, call->rows, call->cols,
                                workspace->bytes ? workspace->device : 0, workspace->bytes, NULL);
}

static bool fail(const struct call *call, int only, const char *what) {
    static char words[4096];
    call_describe(call, words, sizeof(words));
    printf("mover %d (%s): %s: %s\n", only, wl_explain(), what, words);
    return false;
}

/* One call by one mover.  *moved: whether it launched something. */
static bool check(const struct operation *operation, uint64_t seed, uint64_t i, int only, bool *moved) {
    static struct call call;
    static char text[1024];
    struct draw draw = draw_from(seed, i);
    wl__only = only;
    *moved = false;
    call_choose(&call, operation, context, &draw, BYTES);
    const uint64_t end = call_place(&call, 0);
    if (end > MEMORY)
        return true;
    draw_fill(before, end, i);
    memcpy(host, before, end);
    call_bind(&call, device, host);
    if (wl_upload(context, device, before, end))
        return fail(&call, only, wl_message());
    memset(wl__launched, 0, sizeof(wl__launched));
    const wl_error error = run(&call);
    if (error == WL_ERROR_MASKED)
        return only != WL_ONLY_FLOOR || fail(&call, only, "the floor cannot");
    if (error || wl_synchronize(context) || wl_download(context, got, device, end))
        return fail(&call, only, wl_message());
    operation->expect(&call);
    for (unsigned k = 0; k < WL_KERNEL_COUNT; k++)
        *moved = *moved || wl__launched[k];
    return call_compare(&call, got, host, 0, end, text, sizeof(text)) || fail(&call, only, text);
}

/* All movers of an operation; says how many calls each had. */
static bool check_operation(const struct operation *operation, uint64_t seed, uint64_t calls) {
    bool good = true;
    printf("%s:", operation->name);
    for (int only = WL_ONLY_FLOOR; only < WL_MOVERS_LIMIT; only++) {
        unsigned count = 0;
        bool moved;
        for (uint64_t i = 0; i < calls && only != WL_ONLY_ANY && good; i++) {
            good = check(operation, seed, i, only, &moved);
            count += moved;
        }
        if (count)
            printf(" %d: %u", only, count);
    }
    printf("\n");
    return good;
}

int main(int count, char **words) {
    const uint64_t calls = count > 1 ? strtoull(words[1], NULL, 10) : 60,
                   seed = count > 2 ? strtoull(words[2], NULL, 10) : 1;
    host = malloc(MEMORY + 8);
    before = malloc(MEMORY + 8);
    got = malloc(MEMORY + 8);
    if (!host || !before || !got || wl_open(&context, "sim") || wl_alloc(context, &device, MEMORY)) {
        printf("%s\n", wl_message());
        return 1;
    }
    bool good = true;
    for (unsigned i = 0; operation_at(i); i++)
        good = check_operation(operation_at(i), seed, calls) && good;
    const struct operation batch = {"wl_permute as a batch", call_permute.choose, run_batch,
                                    call_permute.expect};
    good = check_operation(&batch, seed, 3 * calls) && good;
    wl_free(context, device);
    wl_close(context);
    free(host);
    free(before);
    free(got);
    return good ? 0 : 1;
}
