/* Peers: other libraries' kernels as rungs of the same experiments, so that they are verified by the same
 * reference and timed by the same code on the same buffers.  Nothing is linked: a library is opened at run
 * time if it is there. */
#ifndef WIDELOAD_BENCH_PEERS_PEERS_H
#define WIDELOAD_BENCH_PEERS_PEERS_H

#include "base/error.h"
#include "ladder/ladder.h"

struct bench_plan;
struct bench_request;

/* What --peers asks for. */
struct bench_peer_choice {
    unsigned libraries; /* bit i: the i-th of the libraries; 0: none */
    bool named;         /* one by one: a library that is not there is told, not passed over */
};

/* "all", "none", or names with commas between. */
bool bench_parse_peers(const char *option, const char *text, struct bench_peer_choice *out,
                       struct base_error *error);

/* The library's ladder, then the peers' rungs, whether their libraries are there or not. */
const struct wl_rung *bench_ladder(size_t *count);

/* True of our own rungs and the driver's. */
bool bench_peer_is_chosen(const struct wl_rung *rung, const struct bench_peer_choice *choice);

/* Opens the libraries that the plan's rows need and tells each row its library's version.  Rows of libraries
 * that are not there leave the plan, unless the library or the kernel was asked for by name: such a row says
 * why it is skipped.  Peers run on a GPU only. */
bool bench_peers_open(struct bench_plan *plan, wl_context *context, const struct bench_request *request,
                      struct base_error *error);
/* Before the context is closed. */
void bench_peers_close(wl_context *context);

#endif
