/* Who sends what to whom, in which chunks, and where chunks wait that other ranks of the machine pack. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/error.h"
#include "lib/redistribute/exchange.h"

uint64_t wl__round_bytes = (uint64_t)64 << 20;

/* Chunks begin where any kernel's widest accesses may. */
#define ALIGNMENT ((uint64_t)256)

/* The driver keeps memory that others map for as long as they do, but by blocks of this length.  What is
 * shorter may share one with the caller's memory, or be followed by it: a rank that is late after an abort
 * would store into that. */
#define BLOCK ((uint64_t)2 << 20)

static uint64_t round_up(uint64_t bytes, uint64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/* The most bytes of a chunk.  The slots of all ranks together are no longer than a round. */
static uint64_t chunk_limit(unsigned ranks) {
    const uint64_t least = wl__round_bytes < WL__CHUNK_LEAST ? wl__round_bytes : WL__CHUNK_LEAST,
                   each = ranks > 1 ? wl__round_bytes / (ranks - 1) : wl__round_bytes,
                   whole = each / ALIGNMENT * ALIGNMENT;
    return whole > least ? whole : least;
}

/* What one rank sends to another, as the sender or the receiver has it.  False: nothing.  What lies without
 * gaps on both sides needs no staging, near or far. */
static bool find_flow(struct wl__flow *flow, const struct wl__exchange *exchange,
                      const struct wl__request *request, unsigned from, unsigned to, bool sends) {
    *flow = (struct wl__flow){.peer = sends ? to : from};
    if (!wl__piece_between(&flow->all, request, from, to))
        return false;
    wl__find_cut(&flow->cut, &flow->all, chunk_limit(exchange->ranks));
    const bool dense_from = wl__chunk_is_dense(&flow->all, &flow->cut, true),
               dense_to = wl__chunk_is_dense(&flow->all, &flow->cut, false);
    flow->near = wl__are_near(exchange, from, to) && !(dense_from && dense_to);
    flow->dense = sends ? dense_from : dense_to;
    flow->staged = flow->near || !flow->dense;
    flow->slot_bytes = round_up(wl__chunk_most(&flow->cut, &flow->all), ALIGNMENT);
    return true;
}

static void add_flow(struct wl__exchange *exchange, const struct wl__request *request, unsigned from,
                     unsigned to) {
    const bool sends = from == exchange->rank;
    struct wl__flow flow;
    if (!find_flow(&flow, exchange, request, from, to, sends))
        return;
    if (from == to) {
        exchange->keeps = true;
        exchange->own = flow.all;
        return;
    }
    if (flow.cut.chunks > exchange->rounds)
        exchange->rounds = flow.cut.chunks;
    if (sends)
        exchange->sends[exchange->send_count++] = flow;
    else
        exchange->receives[exchange->receive_count++] = flow;
}

/* Each rank begins with the next one, so that not all pack for the same. */
static void add_flows(struct wl__exchange *exchange, const struct wl__request *request) {
    const unsigned ranks = exchange->ranks, rank = exchange->rank;
    for (unsigned distance = 0; distance < ranks; distance++) {
        add_flow(exchange, request, rank, (rank + distance) % ranks);
        if (distance)
            add_flow(exchange, request, (rank + ranks - distance) % ranks, rank);
    }
}

/* ---------------------------------------------------------------- names */

static bool has_flow(const struct wl__flow *flows, unsigned count, unsigned peer) {
    for (unsigned i = 0; i < count; i++)
        if (flows[i].peer == peer)
            return true;
    return false;
}

/* Whether another rank may keep this one waiting. */
static bool is_peer(const struct wl__exchange *exchange, unsigned rank) {
    return has_flow(exchange->sends, exchange->send_count, rank) ||
           has_flow(exchange->receives, exchange->receive_count, rank);
}

/* As many of them as there is room for. */
static void name_peers(struct wl__exchange *exchange) {
    const size_t room = sizeof(exchange->missing);
    unsigned count = 0, named = 0;
    for (unsigned r = 0; r < exchange->ranks; r++)
        count += is_peer(exchange, r);
    size_t used = (size_t)snprintf(exchange->missing, room, "rank %u waits for %s", exchange->rank,
                                   count == 0   ? "its stream"
                                   : count == 1 ? "rank"
                                                : "ranks");
    for (unsigned r = 0; r < exchange->ranks && used + 16 < room; r++)
        if (is_peer(exchange, r))
            used += (size_t)snprintf(exchange->missing + used, room - used, "%s %u", named++ ? "," : "", r);
    if (named < count)
        snprintf(exchange->missing + used, room - used, " ...");
}

/* ---------------------------------------------------------------- slots */

/* A near sender learns that a slot is free from what its peer says two rounds later.  If there is one round,
 * that is in the next call. */
unsigned wl__slots_of(const struct wl__flow *flow) {
    if (flow->near)
        return flow->cut.chunks == 1 ? 2 : WL__SLOTS;
    return flow->cut.chunks < WL__SLOTS ? (unsigned)flow->cut.chunks : WL__SLOTS;
}

uint64_t wl__near_offset(const struct wl__exchange *exchange, const struct wl__request *request,
                         unsigned rank, unsigned sender) {
    const unsigned ranks = exchange->ranks;
    uint64_t offset = 0;
    for (unsigned from = (rank + 1) % ranks; from != sender && from != rank; from = (from + 1) % ranks) {
        struct wl__flow flow;
        if (find_flow(&flow, exchange, request, from, rank, false) && flow.near)
            offset += wl__slots_of(&flow) * flow.slot_bytes;
    }
    return offset;
}

/* The context is current. */
static wl_error make_near_staging(struct wl__exchange *exchange, const struct wl__request *request) {
    const unsigned rank = exchange->rank;
    const uint64_t bytes = round_up(wl__near_offset(exchange, request, rank, rank), BLOCK);
    const wl_error error = wl__alloc_staging(&exchange->near_staging, exchange, bytes);
    for (unsigned i = 0; i < exchange->receive_count && !error; i++)
        if (exchange->receives[i].near)
            exchange->receives[i].slots =
                exchange->near_staging + wl__near_offset(exchange, request, rank, exchange->receives[i].peer);
    return error;
}

wl_error wl__make_flows(struct wl__exchange *exchange, const struct wl__request *request) {
    const unsigned ranks = exchange->ranks;
    exchange->sends = calloc(ranks, sizeof(*exchange->sends));
    exchange->receives = calloc(ranks, sizeof(*exchange->receives));
    exchange->pairs = calloc(ranks, sizeof(*exchange->pairs));
    exchange->maps = calloc(ranks, sizeof(*exchange->maps));
    if (!exchange->sends || !exchange->receives || !exchange->pairs || !exchange->maps)
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "no memory for a plan of %u ranks", ranks);
    add_flows(exchange, request);
    name_peers(exchange);
    wl_error error = wl__enter(exchange->context);
    if (error)
        return error;
    error = make_near_staging(exchange, request);
    wl__leave(exchange->context);
    return error;
}
