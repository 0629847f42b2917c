/* What tests of failures between processes share: a small plan of three ranks, and how its errors are looked
 * at.  With the stand-in for NCCL. */
#ifndef WIDELOAD_TESTS_PLANS_H
#define WIDELOAD_TESTS_PLANS_H

#include "lib/redistribute/exchange.h"
#include "ranks.h"

/* PATIENCE_MS is the library's in these tests, and LONGEST seconds what any call may take then.  A call of
 * wl_redistribute has at least two rounds on each rank, and creating a plan three groups: two gathers, and
 * the connections.  Two more gathers are about mapping each other's memory. */
enum { RANKS = 3, PATIENCE_MS = 400, LONGEST = 10, CREATING_APART = 3, CREATING = 5, ROUNDS = 2 };

/* A request of a rank. */
struct request {
    wl_context *context;
    void *comm;
    size_t element_bytes;
    unsigned dimensions;
    uint64_t sizes[WL_RANK_MAX + 1];
    wl_box from, to;
    bool no_sizes, no_from, no_to;
};

/* A valid one: an array of 6 x 5 x 4 elements, in slabs of the first dimension, which are to be pencils of
 * the second one.  Each test changes something. */
struct request valid_request(const struct rank *rank);
wl_error create_plan(wl_redistribution **plan, const struct request *request);

/* A rank's arrays. */
extern wl_devptr rank_from, rank_to;

void open_rank(struct rank *rank);
void close_rank(struct rank *rank);
/* The plan of the valid request, and a call of it. */
wl_redistribution *make_plan(const struct rank *rank);
wl_error call_plan(const struct rank *rank, wl_redistribution *plan);
/* A whole call that ends well. */
void plan_works(const struct rank *rank);

void expect_error(const struct rank *rank, wl_error error, wl_error wanted, const char *words);
void need_in_time(const struct rank *rank, double since);

/* Starts the ranks, of which `dies` is killed; -1: none. */
void need_ranks(const char *mode, const char *word, int dies);

#endif
