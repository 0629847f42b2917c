/* wl_redistribute: the pieces of a plan, on all ranks' devices. */
#include <stdio.h>

#include "lib/arguments.h"
#include "lib/choice.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/redistribute/exchange.h"

static const char call[] = "wl_redistribute";

/* ---------------------------------------------------------------- arguments */

static struct wl__array from_of(const wl_redistribution *plan, const wl_devptr *from, unsigned rank) {
    const struct wl__member *member = &plan->members[rank];
    return (struct wl__array){member->from_name, member->from_bytes ? from[rank] : 0, member->from_bytes};
}

static struct wl__array to_of(const wl_redistribution *plan, const wl_devptr *to, unsigned rank) {
    const struct wl__member *member = &plan->members[rank];
    return (struct wl__array){member->to_name, member->to_bytes ? to[rank] : 0, member->to_bytes};
}

static wl_error check_lists(const wl_redistribution *plan, const wl_devptr *to, const wl_devptr *from) {
    for (unsigned r = 0; r < plan->ranks; r++) {
        const struct wl__member *member = &plan->members[r];
        if ((member->from_bytes && !from) || (member->to_bytes && !to))
            return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", call,
                            member->to_bytes && !to ? "to" : "from");
    }
    return WL_ERROR_OK;
}

static wl_error check_addresses(const wl_redistribution *plan, const wl_devptr *to, const wl_devptr *from) {
    wl_error error = WL_ERROR_OK;
    for (unsigned r = 0; r < plan->ranks && !error; r++) {
        struct wl__reach reach = {.context = plan->members[r].context};
        const struct wl__array target = to_of(plan, to, r), source = from_of(plan, from, r);
        error = wl__check_array(call, &reach, &target, 1);
        if (!error)
            error = wl__check_array(call, &reach, &source, 1);
    }
    return error;
}

/* All devices have one space of addresses. */
static wl_error check_overlaps(const wl_redistribution *plan, const wl_devptr *to, const wl_devptr *from) {
    wl_error error = WL_ERROR_OK;
    for (unsigned r = 0; r < plan->ranks && !error; r++) {
        const struct wl__array target = to_of(plan, to, r);
        for (unsigned other = 0; other < plan->ranks && !error; other++) {
            const struct wl__array source = from_of(plan, from, other), beside = to_of(plan, to, other);
            error = wl__check_apart(call, &target, &source);
            if (!error && other > r)
                error = wl__check_apart(call, &target, &beside);
        }
    }
    return error;
}

static wl_error check(const wl_redistribution *plan, const wl_devptr *to, const wl_devptr *from) {
    if (!plan)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: plan is NULL", call);
    wl_error error = check_lists(plan, to, from);
    if (!error)
        error = check_addresses(plan, to, from);
    return error ? error : check_overlaps(plan, to, from);
}

/* ---------------------------------------------------------------- work */

/* Puts the piece's name ahead of the message. */
static wl_error fail_piece(wl_error error, const struct wl__piece *piece) {
    char message[1024];
    snprintf(message, sizeof(message), "%s", wl_message());
    return wl__fail(error, "%s: what rank %u sends to rank %u: %s", call, piece->from, piece->to, message);
}

static wl_error run_piece(const wl_redistribution *plan, const struct wl__piece *piece, const wl_devptr *to,
                          const wl_devptr *from, const wl_stream *streams) {
    const struct wl__member *member = &plan->members[piece->from];
    struct wl__choice choice = {.operation = call};
    struct wl__strided all = piece->all;
    all.to += to[piece->to];
    all.from += from[piece->from];
    wl_error error;
    if (plan->host)
        error = wl__host_move(member->context, &choice, &all);
    else
        error = wl__strided_move(member->context, &choice, &all,
                                 piece->lane != WL__LANE_CALLER ? (wl_stream)member->lanes[piece->lane]
                                 : streams                      ? streams[piece->from]
                                                                : NULL);
    return error ? fail_piece(error, piece) : WL_ERROR_OK;
}

static wl_error run_pieces(const wl_redistribution *plan, const wl_devptr *to, const wl_devptr *from,
                           const wl_stream *streams) {
    wl_error error = WL_ERROR_OK;
    for (size_t i = 0; i < plan->count && !error; i++)
        error = run_piece(plan, &plan->pieces[i], to, from, streams);
    return error;
}

/* After a failure the ranks' streams wait for what was launched before it. */
static wl_error run(wl_redistribution *plan, const wl_devptr *to, const wl_devptr *from,
                    const wl_stream *streams) {
    wl_error error = wl__fork_lanes(plan, streams);
    if (!error)
        error = run_pieces(plan, to, from, streams);
    return wl__join_lanes(plan, streams, error);
}

/* The plan's addresses are those of this process's rank. */
static wl_error exchange(const wl_redistribution *plan, const wl_devptr *to, const wl_devptr *from,
                         const wl_stream *streams) {
    static const char sent[] = "each rank packs what others want, and NCCL sends it in rounds",
                      mapped[] =
                          "each rank packs in the memory of others on its machine, in rounds; NCCL tells "
                          "them, and sends to other machines";
    struct wl__exchange *own = plan->exchange;
    const struct wl__choice choice = {.operation = call,
                                      .kernel = "nccl",
                                      .why = own->pair_count ? mapped : sent,
                                      .facts = {{"ranks", own->ranks},
                                                {"dimensions", plan->dimensions},
                                                {"element_bytes", plan->element_bytes},
                                                {"crossing bytes", plan->crossing},
                                                {"rounds", own->rounds},
                                                {"ranks that map", own->pair_count}}};
    wl__choice_begin(own->context, &choice);
    const wl_error error =
        wl__exchange_run(own, plan->members[0].to_bytes ? to[0] : 0,
                         plan->members[0].from_bytes ? from[0] : 0, streams ? streams[0] : NULL);
    wl__choice_end();
    return error;
}

wl_error wl_redistribute(wl_redistribution *plan, const wl_devptr *to, const wl_devptr *from,
                         const wl_stream *streams) {
    wl_error error = check(plan, to, from);
    if (error || plan->exchange)
        return error ? error : exchange(plan, to, from, streams);
    const struct wl__choice choice = {
        .operation = call,
        .kernel = plan->host       ? "host"
                  : plan->crossing ? "push"
                                   : "own",
        .why = plan->host       ? "strided copies, one after the other"
               : plan->crossing ? "each device stores into the others' memory, beside its own part"
                                : "no element changes its rank",
        .facts = {{"ranks", plan->ranks},
                  {"dimensions", plan->dimensions},
                  {"element_bytes", plan->element_bytes},
                  {"crossing bytes", plan->crossing}}};
    wl__choice_begin(plan->members[0].context, &choice);
    error = plan->host ? run_pieces(plan, to, from, streams) : run(plan, to, from, streams);
    wl__choice_end();
    return error;
}
