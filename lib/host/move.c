/* Copies between strides on the host. */
#include <string.h>

#include "lib/host/plan.h"
#include "lib/host/threads.h"

/* Longer elements are cut. */
#define ELEMENT_BYTES 16384
/* Bytes of output that make a thread worth waking. */
#define SHARE_BYTES (1 << 18)

static void explain(const struct wl__host_plan *plan, struct wl__choice *choice) {
    static const struct {
        const char *name, *why;
    } ways[][2] = {
        {{"host-rows", "elements that are rows"}, {"host-rows", "elements that are rows, past the caches"}},
        {{"host-lines", "elements at any strides, in blocks of what is near on both sides"},
         {"host-lines", "elements at any strides, in blocks that go past the caches"}},
        {{"host-tiles", "two dimensions change places: tiles in registers"},
         {"host-tiles", "two dimensions change places: tiles in registers, lines past the caches"}},
    };
    const unsigned way = plan->transpose ? 2 : plan->all.bytes > 16 ? 0 : 1;
    const bool past = plan->past && plan->stores != STORED;
    choice->kernel = ways[way][past].name;
    choice->why = ways[way][past].why;
}

static void run(const struct wl__host_plan *plan) {
    wl__host_share(wl__host_move_blocks, plan, plan->blocks, SHARE_BYTES / plan->block_bytes);
}

/* Makes long elements a dimension of shorter ones.  What remains of them is the problem `tail`, if it has
 * bytes.
 */
static void cut(struct wl__strided *all, struct wl__strided *tail) {
    *tail = *all;
    tail->bytes = 0;
    if (all->bytes <= ELEMENT_BYTES || all->rank == WL_RANK_MAX)
        return;
    tail->bytes = all->bytes % ELEMENT_BYTES;
    tail->to += all->bytes - tail->bytes;
    tail->from += all->bytes - tail->bytes;
    memmove(all->dim + 1, all->dim, all->rank * sizeof(all->dim[0]));
    all->dim[0] = (struct wl__strided_dimension){all->bytes / ELEMENT_BYTES, ELEMENT_BYTES, ELEMENT_BYTES};
    all->rank++;
    all->bytes = ELEMENT_BYTES;
}

/* Bytes that are left of one run. */
static void copy_rest(const struct wl__strided *all) {
    memcpy(wl__host_pointer(all->to), wl__host_pointer(all->from), all->bytes);
}

wl_error wl__host_move(const wl_context *context, struct wl__choice *choice,
                       const struct wl__strided *asked) {
    const struct wl__host *host = context->host;
    struct wl__strided all = *asked, tail;
    struct wl__host_plan plan;
    wl__strided_reduce(&all);
    uint64_t bytes = all.bytes;
    for (unsigned d = 0; d < all.rank; d++)
        bytes *= all.dim[d].size;
    const bool one_run = all.rank == 0;
    cut(&all, &tail);
    if (all.rank)
        wl__host_plan(&plan, host, &all, bytes);
    if (one_run) {
        choice->kernel = "host-copy";
        choice->why = "one run of bytes";
    } else
        explain(&plan, choice);
    wl__chose(context, choice);
    if (all.rank)
        run(&plan);
    else
        copy_rest(&all);
    if (tail.bytes && one_run)
        copy_rest(&tail);
    else if (tail.bytes) {
        wl__host_plan(&plan, host, &tail, bytes);
        run(&plan);
    }
    return WL_ERROR_OK;
}
