/* A call of a plan between processes: packing, NCCL and unpacking, in rounds.
 *
 * The order between a round's steps, and before a slot of memory is used again, is that of events:
 *
 *     pack      waits until its slot was sent       (moved, WL__SLOTS rounds earlier)
 *     NCCL      waits for packed, and until its slot was unpacked, WL__SLOTS rounds earlier
 *     unpack    waits for moved
 *
 * A rank that packs in another one's memory has to know that the other one has unpacked what was in the slot.
 * So in rounds with pairs both waits are for two rounds earlier: then NCCL's bytes of a round say that what
 * was packed two rounds before is unpacked, and who packs the round after the next one is behind them.  That
 * is WL__SLOTS rounds.  Slots go on from call to call, and the bytes of a call's first round say that all of
 * the call before was unpacked.
 *
 * All streams wait for the caller's, which at the end waits for all of them.  It waits for the plan's call
 * before this one first, so rounds of two calls never meet. */
#include <stdio.h>

#include "lib/choice.h"
#include "lib/error.h"
#include "lib/redistribute/exchange.h"

static const char call[] = "wl_redistribute";

/* What a call has in hand. */
struct run {
    struct wl__exchange *exchange;
    wl_devptr to, from;
    wl_stream stream;
};

static const struct wl__driver *driver_of(const struct run *run) {
    return &run->exchange->context->driver;
}

static wl_error record(const struct run *run, CUevent event, wl_stream stream) {
    return wl__driver_check(driver_of(run), driver_of(run)->cuEventRecord(event, stream), "cuEventRecord");
}

static wl_error wait_for(const struct run *run, wl_stream stream, CUevent event) {
    return wl__driver_check(driver_of(run), driver_of(run)->cuStreamWaitEvent(stream, event, 0),
                            "cuStreamWaitEvent");
}

/* ---------------------------------------------------------------- chunks */

/* Where a chunk lies that is sent, or that is received. */
static wl_devptr slot_of(const struct run *run, const struct wl__flow *flow, uint64_t round) {
    const uint64_t slot = (run->exchange->calls * flow->cut.chunks + round) % wl__slots_of(flow);
    return flow->slots + slot * flow->slot_bytes;
}

static bool has_staged(const struct wl__flow *flows, unsigned count, uint64_t round) {
    for (unsigned i = 0; i < count; i++)
        if (flows[i].staged && round < flows[i].cut.chunks)
            return true;
    return false;
}

static wl_error move_strided(const struct run *run, const struct wl__strided *all, enum wl__stage stage,
                             unsigned from, unsigned to) {
    struct wl__choice choice = {.operation = call};
    const wl_stream stream = stage == WL__STAGES ? run->stream : (wl_stream)run->exchange->stages[stage];
    const wl_error error = wl__strided_move(run->exchange->context, &choice, all, stream);
    if (!error)
        return WL_ERROR_OK;
    char message[1024];
    snprintf(message, sizeof(message), "%s", wl_message());
    return wl__fail(error, "what rank %u sends to rank %u: %s", from, to, message);
}

static wl_error pack_chunk(const struct run *run, const struct wl__flow *flow, uint64_t round) {
    struct wl__strided chunk;
    wl__chunk(&chunk, &flow->all, &flow->cut, round);
    chunk.from += run->from;
    wl__chunk_pack(&chunk, slot_of(run, flow, round));
    return move_strided(run, &chunk, WL__STAGE_PACK, run->exchange->rank, flow->peer);
}

static wl_error unpack_chunk(const struct run *run, const struct wl__flow *flow, uint64_t round) {
    struct wl__strided chunk;
    wl__chunk(&chunk, &flow->all, &flow->cut, round);
    chunk.to += run->to;
    wl__chunk_unpack(&chunk, slot_of(run, flow, round));
    return move_strided(run, &chunk, WL__STAGE_UNPACK, flow->peer, run->exchange->rank);
}

static wl_error send_chunk(const struct run *run, const struct wl__flow *flow, uint64_t round) {
    struct wl__communicator *communicator = run->exchange->communicator;
    struct wl__strided chunk;
    if (flow->mapped)
        return WL_ERROR_OK;
    const uint64_t bytes = wl__chunk(&chunk, &flow->all, &flow->cut, round);
    const wl_devptr from = flow->staged ? slot_of(run, flow, round) : run->from + chunk.from;
    const int result =
        communicator->nccl.ncclSend((const void *)(uintptr_t)from, bytes, WL__NCCL_INT8, (int)flow->peer,
                                    communicator->comm, run->exchange->stages[WL__STAGE_LINK]);
    return wl__nccl_check(communicator, result, "ncclSend");
}

static wl_error receive_chunk(const struct run *run, const struct wl__flow *flow, uint64_t round) {
    struct wl__communicator *communicator = run->exchange->communicator;
    struct wl__strided chunk;
    if (flow->mapped)
        return WL_ERROR_OK;
    const uint64_t bytes = wl__chunk(&chunk, &flow->all, &flow->cut, round);
    const wl_devptr to = flow->staged ? slot_of(run, flow, round) : run->to + chunk.to;
    const int result =
        communicator->nccl.ncclRecv((void *)(uintptr_t)to, bytes, WL__NCCL_INT8, (int)flow->peer,
                                    communicator->comm, run->exchange->stages[WL__STAGE_LINK]);
    return wl__nccl_check(communicator, result, "ncclRecv");
}

/* What pairs tell each other in a round. */
static wl_error exchange_bytes(const struct run *run, uint64_t round) {
    struct wl__exchange *exchange = run->exchange;
    wl_error error = WL_ERROR_OK;
    for (unsigned i = 0; i < exchange->pair_count && !error; i++) {
        if (round >= exchange->pairs[i].rounds)
            continue;
        error = wl__send_byte(exchange, exchange->pairs[i].peer);
        if (!error)
            error = wl__receive_byte(exchange, exchange->pairs[i].peer);
    }
    return error;
}

static bool has_pairs(const struct wl__exchange *exchange, uint64_t round) {
    for (unsigned i = 0; i < exchange->pair_count; i++)
        if (round < exchange->pairs[i].rounds)
            return true;
    return false;
}

/* How many rounds earlier a slot must have become free. */
static uint64_t lag_of(const struct wl__exchange *exchange, uint64_t round) {
    return has_pairs(exchange, round) ? 2 : WL__SLOTS;
}

typedef wl_error chunk_fn(const struct run *run, const struct wl__flow *flow, uint64_t round);

/* Does something with the round's chunk of each flow that has one. */
static wl_error for_chunks(const struct run *run, const struct wl__flow *flows, unsigned count,
                           uint64_t round, bool staged_only, chunk_fn *step) {
    wl_error error = WL_ERROR_OK;
    for (unsigned i = 0; i < count && !error; i++)
        if (round < flows[i].cut.chunks && (flows[i].staged || !staged_only))
            error = step(run, &flows[i], round);
    return error;
}

/* ---------------------------------------------------------------- rounds */

static wl_error pack(const struct run *run, uint64_t round) {
    const struct wl__exchange *exchange = run->exchange;
    const unsigned slot = (unsigned)(round % WL__SLOTS);
    const uint64_t lag = lag_of(exchange, round);
    const wl_stream stream = exchange->stages[WL__STAGE_PACK];
    wl_error error =
        round < lag ? WL_ERROR_OK : wait_for(run, stream, exchange->moved[(round - lag) % WL__SLOTS]);
    if (!error)
        error = for_chunks(run, exchange->sends, exchange->send_count, round, true, pack_chunk);
    if (!error)
        error = record(run, exchange->packed[slot], stream);
    return error ? error : wait_for(run, exchange->stages[WL__STAGE_LINK], exchange->packed[slot]);
}

/* A group must be ended even if something failed in it. */
static wl_error move(const struct run *run, uint64_t round) {
    const struct wl__exchange *exchange = run->exchange;
    struct wl__communicator *communicator = exchange->communicator;
    wl_error error = wl__nccl_check(communicator, communicator->nccl.ncclGroupStart(), "ncclGroupStart");
    if (error)
        return error;
    error = for_chunks(run, exchange->sends, exchange->send_count, round, false, send_chunk);
    if (!error)
        error = for_chunks(run, exchange->receives, exchange->receive_count, round, false, receive_chunk);
    if (!error)
        error = exchange_bytes(run, round);
    const wl_error end = wl__nccl_check(communicator, communicator->nccl.ncclGroupEnd(), "ncclGroupEnd");
    if (!error)
        error = end;
    return error ? error : record(run, exchange->moved[round % WL__SLOTS], exchange->stages[WL__STAGE_LINK]);
}

static wl_error unpack(const struct run *run, uint64_t round) {
    const struct wl__exchange *exchange = run->exchange;
    const unsigned slot = (unsigned)(round % WL__SLOTS);
    const wl_stream stream = exchange->stages[WL__STAGE_UNPACK];
    wl_error error = wait_for(run, stream, exchange->moved[slot]);
    if (!error)
        error = for_chunks(run, exchange->receives, exchange->receive_count, round, true, unpack_chunk);
    return error ? error : record(run, exchange->unpacked[slot], stream);
}

static wl_error run_round(const struct run *run, uint64_t round) {
    const struct wl__exchange *exchange = run->exchange;
    const bool packs = has_staged(exchange->sends, exchange->send_count, round),
               unpacks = has_staged(exchange->receives, exchange->receive_count, round);
    const uint64_t lag = lag_of(exchange, round);
    wl_error error = packs ? pack(run, round) : WL_ERROR_OK;
    /* Staged chunks end with a flow's last one, so the slot was in use then as well.  What a pair has
     * unpacked it tells after its last chunk, too. */
    if (!error && round >= lag && (unpacks || lag < WL__SLOTS))
        error =
            wait_for(run, exchange->stages[WL__STAGE_LINK], exchange->unpacked[(round - lag) % WL__SLOTS]);
    if (!error)
        error = move(run, round);
    return error || !unpacks ? error : unpack(run, round);
}

/* The own part begins behind the first chunks, for which other ranks wait; at once if those have
 * multiprocessors of their own. */
static wl_error run_own(const struct run *run) {
    const struct wl__exchange *exchange = run->exchange;
    const unsigned rank = exchange->rank;
    struct wl__strided own = exchange->own;
    own.to += run->to;
    own.from += run->from;
    if (!exchange->rounds)
        return move_strided(run, &own, WL__STAGES, rank, rank);
    wl_error error = WL_ERROR_OK;
    const bool apart = exchange->pair_count && exchange->parts;
    if (!apart && has_staged(exchange->sends, exchange->send_count, 0))
        error = wait_for(run, exchange->stages[WL__STAGE_OWN], exchange->packed[0]);
    return error ? error : move_strided(run, &own, WL__STAGE_OWN, rank, rank);
}

static wl_error run_all(const struct run *run) {
    const struct wl__exchange *exchange = run->exchange;
    wl_error error = WL_ERROR_OK;
    for (uint64_t round = 0; round < exchange->rounds && !error; round++) {
        error = run_round(run, round);
        if (round == 0 && !error && exchange->keeps)
            error = run_own(run);
    }
    return !error && !exchange->rounds && exchange->keeps ? run_own(run) : error;
}

/* ---------------------------------------------------------------- beside the caller's stream */

static wl_error fork_stages(const struct run *run) {
    struct wl__exchange *exchange = run->exchange;
    wl_error error = exchange->called ? wait_for(run, run->stream, exchange->finished) : WL_ERROR_OK;
    if (!error && exchange->rounds)
        error = record(run, exchange->begun, run->stream);
    for (unsigned stage = 0; stage < WL__STAGES && exchange->rounds && !error; stage++)
        error = wait_for(run, exchange->stages[stage], exchange->begun);
    return error;
}

/* Goes on after failures, so that the caller's stream waits for what can be waited for. */
static wl_error join_stages(const struct run *run) {
    struct wl__exchange *exchange = run->exchange;
    wl_error first = WL_ERROR_OK;
    for (unsigned stage = 0; stage < WL__STAGES && exchange->rounds; stage++) {
        wl_error error = record(run, exchange->done[stage], exchange->stages[stage]);
        if (!error)
            error = wait_for(run, run->stream, exchange->done[stage]);
        first = first ? first : error;
    }
    const wl_error error = record(run, exchange->finished, run->stream);
    exchange->called = exchange->called || !error;
    exchange->calls++;
    return first ? first : error;
}

/* The context is current.  Keeps the first failure's message. */
static wl_error run_stages(const struct run *run) {
    wl_error error = fork_stages(run);
    if (!error)
        error = run_all(run);
    if (!error)
        return join_stages(run);
    char message[1024];
    snprintf(message, sizeof(message), "%s", wl_message());
    (void)join_stages(run);
    return wl__fail(error, "%s", message);
}

static wl_error refuse_capture(const struct run *run) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const wl_error error = wl__driver_check(
        driver_of(run), driver_of(run)->cuStreamIsCapturing(run->stream, &status), "cuStreamIsCapturing");
    return error || status == CU_STREAM_CAPTURE_STATUS_NONE
               ? error
               : wl__fail(WL_ERROR_UNSUPPORTED, "%s: the stream captures, which a plan of NCCL cannot", call);
}

wl_error wl__exchange_run(struct wl__exchange *exchange, wl_devptr to, wl_devptr from, wl_stream stream) {
    const struct run run = {exchange, to, from, stream};
    wl_error error = wl__communicator_check(exchange->communicator, call);
    if (!error)
        error = wl__enter(exchange->context);
    if (error)
        return error;
    error = refuse_capture(&run);
    if (!error) {
        error = run_stages(&run);
        if (error)
            error = wl__communicator_abort(exchange->communicator, call);
    }
    wl__leave(exchange->context);
    return error;
}
