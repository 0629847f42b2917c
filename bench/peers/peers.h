/* Peers are other libraries' kernels as rungs of the same experiments: the same reference verifies them, and
 * the same code times them on the same buffers.  Libraries are not linked but opened at run time. */
#ifndef WIDELOAD_BENCH_PEERS_PEERS_H
#define WIDELOAD_BENCH_PEERS_PEERS_H

#include "base/error.h"
#include "ladder/ladder.h"

struct bench_plan;
struct bench_request;

/* What --peers asks for. */
struct bench_peer_choice {
    unsigned libraries; /* bit i: the i-th library; 0: none */
    bool named;         /* by name: a library that is not installed is reported, not ignored */
};

/* "all", "none", or names separated by commas. */
bool bench_parse_peers(const char *option, const char *text, struct bench_peer_choice *out,
                       struct base_error *error);

/* Our ladder, then the peers' rungs, whether or not their libraries are installed. */
const struct wl_rung *bench_ladder(size_t *count);

/* Also true for our own rungs and the driver's. */
bool bench_peer_is_chosen(const struct wl_rung *rung, const struct bench_peer_choice *choice);

/* Opens the libraries that the plan's rows need and sets each row's library version.  Rows of libraries that
 * are not installed are removed from the plan, unless the library or the kernel was requested by name: such a
 * row says why it is skipped.  Peers run on a GPU only. */
bool bench_peers_open(struct bench_plan *plan, wl_context *context, const struct bench_request *request,
                      struct base_error *error);
/* Closes the libraries; call it before the context is closed. */
void bench_peers_close(wl_context *context);

#endif
