#include "plans.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

struct request valid_request(const struct rank *rank) {
    const uint64_t r = rank->rank;
    struct request request = {rank->context, rank->comm, 8, 3, .sizes = {6, 5, 4}};
    request.from = (wl_box){{2 * r, 0, 0}, {2, 5, 4}, {0, 1, 2}};
    request.to = (wl_box){{0, 2 * r, 0}, {6, r < 2 ? 2 : 1, 4}, {2, 1, 0}};
    return request;
}

wl_error create_plan(wl_redistribution **plan, const struct request *request) {
    return wl_redistribution_create_nccl(plan, request->context, request->comm, request->element_bytes,
                                         request->dimensions, request->no_sizes ? NULL : request->sizes,
                                         request->no_from ? NULL : &request->from,
                                         request->no_to ? NULL : &request->to);
}

wl_devptr rank_from, rank_to;

void open_rank(struct rank *rank) {
    wl__nccl_patience = PATIENCE_MS;
    wl__round_bytes = 40;
    rank_load(rank, rank->rank % 2);
    rank_open(rank);
    need(wl_alloc(rank->context, &rank_from, 6 * 5 * 4 * 8));
    need(wl_alloc(rank->context, &rank_to, 6 * 5 * 4 * 8));
}

void close_rank(struct rank *rank) {
    need(wl_free(rank->context, rank_from));
    need(wl_free(rank->context, rank_to));
    rank_close(rank);
}

wl_redistribution *make_plan(const struct rank *rank) {
    const struct request request = valid_request(rank);
    wl_redistribution *plan;
    need(create_plan(&plan, &request));
    return plan;
}

wl_error call_plan(const struct rank *rank, wl_redistribution *plan) {
    const wl_stream stream = rank->stream;
    return wl_redistribute(plan, &rank_to, &rank_from, &stream);
}

void plan_works(const struct rank *rank) {
    wl_redistribution *plan = make_plan(rank);
    need(call_plan(rank, plan));
    need(wl_redistribution_wait(plan, 1000 * LONGEST));
    wl_redistribution_destroy(plan);
}

void expect_error(const struct rank *rank, wl_error error, wl_error wanted, const char *words) {
    if (error != wanted)
        rank_fail(rank, "%s, not %s with \"%s\": %s", wl_error_name(error), wl_error_name(wanted), words,
                  wl_message());
    if (!strstr(wl_message(), words))
        rank_fail(rank, "\"%s\" is not in \"%s\"", words, wl_message());
}

void need_in_time(const struct rank *rank, double since) {
    if (now_seconds() - since > LONGEST)
        rank_fail(rank, "it took %.1f s", now_seconds() - since);
}

void need_ranks(const char *mode, const char *word, int dies) {
    int statuses[RANKS];
    const char *words[] = {word, NULL};
    if (ranks_run(mode, RANKS, 60, words, statuses) == UINT64_MAX)
        fail_msg("the ranks could not be started");
    for (int r = 0; r < RANKS; r++) {
        const bool killed = WIFSIGNALED(statuses[r]) && WTERMSIG(statuses[r]) == SIGKILL;
        if (r == dies ? !killed : statuses[r] != 0)
            fail_msg("%s %s: rank %d has status %x", mode, word ? word : "", r, (unsigned)statuses[r]);
    }
}
