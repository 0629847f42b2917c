/* wl_redistribution_create_nccl, wl_transpose_distributed_create_nccl, wl_redistribution_wait.
 *
 * Each rank tells all others what it has and wants, so all check the same request and come to one verdict.
 * Then each makes its part of the plan, and tells how that went. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/redistribute/exchange.h"

/* ---------------------------------------------------------------- records */

/* What a rank says.  The version comes first in all versions. */
struct record {
    uint32_t version, error, dimensions, unused;
    uint64_t element_bytes, round_bytes, sizes[WL_RANK_MAX];
    wl_box from, to;
    char machine[WL__MACHINE_BYTES];
    union {
        char words[568]; /* if there is an error */
        struct wl__share share;
        uint8_t unmapped[WL__MAPPED_RANKS / 8]; /* a bit for each rank whose memory could not be mapped */
    } more;
};
enum { VERSION = 2 };
_Static_assert(sizeof(struct record) == WL__RECORD_BYTES, "a record has the size that all versions have");

static const struct record *record_of(const struct wl__exchange *exchange, unsigned rank) {
    return (const struct record *)(const void *)(exchange->records + (size_t)rank * WL__RECORD_BYTES);
}

/* What a rank has failed at, without the call's name, which each rank puts ahead of it. */
static void say_failure(struct record *record, const char *call, wl_error error, const char *message) {
    const size_t length = strlen(call);
    if (strncmp(message, call, length) == 0 && message[length] == ':')
        message += length + 2;
    record->error = (uint32_t)error;
    snprintf(record->more.words, sizeof(record->more.words), "%s", message);
}

/* The first rank that failed decides, for all. */
static wl_error check_failures(const struct wl__exchange *exchange, const char *call) {
    for (unsigned r = 0; r < exchange->ranks; r++) {
        const struct record *record = record_of(exchange, r);
        if (record->version != VERSION)
            return wl__fail(WL_ERROR_UNSUPPORTED, "%s: rank %u has another version of Wideload", call, r);
        if (record->error)
            return wl__fail((wl_error)record->error, "%s: rank %u: %.*s", call, r,
                            (int)sizeof(record->more.words) - 1, record->more.words);
    }
    return WL_ERROR_OK;
}

static wl_error fail_mismatch(const char *call, const char *what, uint64_t first, uint64_t other,
                              unsigned rank) {
    return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is %llu on rank 0, and %llu on rank %u", call, what,
                    (unsigned long long)first, (unsigned long long)other, rank);
}

/* All ranks must speak of one array. */
static wl_error check_matches(const struct wl__exchange *exchange, const char *call) {
    const struct record *first = record_of(exchange, 0);
    for (unsigned r = 1; r < exchange->ranks; r++) {
        const struct record *other = record_of(exchange, r);
        if (other->element_bytes != first->element_bytes)
            return fail_mismatch(call, "element_bytes", first->element_bytes, other->element_bytes, r);
        if (other->dimensions != first->dimensions)
            return fail_mismatch(call, "dimensions", first->dimensions, other->dimensions, r);
        for (unsigned d = 0; d < first->dimensions; d++) {
            char name[16];
            snprintf(name, sizeof(name), "sizes[%u]", d);
            if (other->sizes[d] != first->sizes[d])
                return fail_mismatch(call, name, first->sizes[d], other->sizes[d], r);
        }
        if (other->round_bytes != first->round_bytes)
            return fail_mismatch(call, "the length of a round", first->round_bytes, other->round_bytes, r);
    }
    return WL_ERROR_OK;
}

/* ---------------------------------------------------------------- plans */

/* What the caller says of this rank. */
struct mine {
    const char *call;
    size_t element_bytes;
    unsigned dimensions;
    const uint64_t *sizes;
    const wl_box *from, *to;
};

static wl_error check_mine(const struct mine *mine) {
    if (mine->dimensions > WL_RANK_MAX)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "dimensions is %u: it must be 0 to %d", mine->dimensions,
                        WL_RANK_MAX);
    if ((mine->dimensions && !mine->sizes) || !mine->from || !mine->to)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s is NULL",
                        !mine->from ? "from"
                        : !mine->to ? "to"
                                    : "sizes");
    return WL_ERROR_OK;
}

static void fill_record(struct record *record, const struct mine *mine) {
    record->dimensions = mine->dimensions;
    record->element_bytes = mine->element_bytes;
    for (unsigned d = 0; d < mine->dimensions; d++)
        record->sizes[d] = mine->sizes[d];
    record->from = *mine->from;
    record->to = *mine->to;
}

/* Tells `error` of this rank, with its message, or what is in the record. */
static wl_error tell(struct wl__exchange *exchange, const char *call, struct record *record, wl_error error) {
    record->version = VERSION;
    if (error)
        say_failure(record, call, error, wl_message());
    error = wl__exchange_tell(exchange, call, record);
    return error ? error : check_failures(exchange, call);
}

/* Tells what this rank has and wants, and where it is. */
static wl_error tell_request(struct wl__exchange *exchange, const struct mine *mine, wl_error error) {
    struct record record = {.round_bytes = wl__round_bytes};
    if (!error)
        fill_record(&record, mine);
    wl__name_machine(exchange, record.machine);
    error = tell(exchange, mine->call, &record, error);
    for (unsigned r = 0; r < exchange->ranks && !error; r++)
        memcpy(exchange->machines[r], record_of(exchange, r)->machine, WL__MACHINE_BYTES);
    return error;
}

/* Gathers all ranks' boxes.  `sizes` keeps those of the array. */
static wl_error make_request(struct wl__request *request, const struct wl__exchange *exchange,
                             const char *call, uint64_t sizes[WL_RANK_MAX]) {
    const struct record *first = record_of(exchange, 0);
    wl_box *boxes = exchange->boxes;
    memcpy(sizes, first->sizes, sizeof(first->sizes));
    for (unsigned r = 0; r < exchange->ranks; r++) {
        boxes[r] = record_of(exchange, r)->from;
        boxes[exchange->ranks + r] = record_of(exchange, r)->to;
    }
    *request = (struct wl__request){.call = call,
                                    .ranks = exchange->ranks,
                                    .dimensions = first->dimensions,
                                    .element_bytes = (size_t)first->element_bytes,
                                    .sizes = sizes,
                                    .from = boxes,
                                    .to = boxes + exchange->ranks};
    const wl_error error = check_matches(exchange, call);
    return error ? error : wl__check_boxes(request);
}

/* ---------------------------------------------------------------- mapping */

static void set_bit(uint8_t *bits, unsigned bit) {
    bits[bit / 8] |= (uint8_t)(1 << bit % 8);
}

/* Maps what this rank would pack in.  unmapped: the ranks whose memory it could not map. */
static wl_error map_peers(struct wl__exchange *exchange, const struct wl__request *request,
                          uint8_t *unmapped) {
    const wl_error error = wl__enter(exchange->context);
    if (error)
        return error;
    for (unsigned i = 0; i < exchange->send_count; i++) {
        struct wl__flow *flow = &exchange->sends[i];
        if (!flow->near)
            continue;
        if (wl__map_staging(exchange, flow->peer, &record_of(exchange, flow->peer)->more.share))
            flow->slots =
                exchange->maps[flow->peer] + wl__near_offset(exchange, request, flow->peer, exchange->rank);
        else
            set_bit(unmapped, flow->peer);
    }
    wl__leave(exchange->context);
    return WL_ERROR_OK;
}

/* The pairs: near ranks of which neither has failed to map the other's memory. */
static bool is_mapped(const struct wl__exchange *exchange, unsigned rank) {
    const uint8_t *mine = record_of(exchange, exchange->rank)->more.unmapped,
                  *other = record_of(exchange, rank)->more.unmapped;
    return !(mine[rank / 8] >> rank % 8 & 1) && !(other[exchange->rank / 8] >> exchange->rank % 8 & 1);
}

static void add_pair(struct wl__exchange *exchange, struct wl__flow *flow) {
    unsigned i = 0;
    flow->mapped = flow->near && is_mapped(exchange, flow->peer);
    flow->staged = flow->mapped || !flow->dense;
    if (!flow->mapped)
        return;
    while (i < exchange->pair_count && exchange->pairs[i].peer != flow->peer)
        i++;
    if (i == exchange->pair_count)
        exchange->pairs[exchange->pair_count++] = (struct wl__pair){flow->peer, 0};
    if (flow->cut.chunks > exchange->pairs[i].rounds)
        exchange->pairs[i].rounds = flow->cut.chunks;
}

/* Ranks tell each other how to map their memory, and whether that went well. */
static wl_error agree_on_maps(struct wl__exchange *exchange, const struct wl__request *request,
                              wl_error error) {
    struct record share = {0}, outcome = {0};
    if (!error)
        error = wl__enter(exchange->context);
    if (!error) {
        wl__share_staging(exchange, &share.more.share);
        wl__leave(exchange->context);
    }
    error = tell(exchange, request->call, &share, error);
    if (error)
        return error;
    error = map_peers(exchange, request, outcome.more.unmapped);
    error = tell(exchange, request->call, &outcome, error);
    for (unsigned i = 0; i < exchange->send_count && !error; i++)
        add_pair(exchange, &exchange->sends[i]);
    for (unsigned i = 0; i < exchange->receive_count && !error; i++)
        add_pair(exchange, &exchange->receives[i]);
    return error;
}

/* ---------------------------------------------------------------- the verdict */

/* This rank's part. */
static wl_error make_plan(wl_redistribution **out, struct wl__exchange *exchange,
                          const struct wl__request *request) {
    const unsigned rank = exchange->rank;
    struct wl__request mine = *request;
    mine.ranks = 1;
    mine.contexts = &exchange->context;
    mine.from += rank;
    mine.to += rank;
    wl_error error = wl__make_stages(exchange);
    if (!error)
        error = wl__new_redistribution(out, &mine);
    for (unsigned to = 0; to < request->ranks && !error; to++) {
        wl_box shared;
        if (to != rank && wl__box_meet(&shared, &request->from[rank], &request->to[to], request->dimensions))
            (*out)->crossing += wl__box_volume(&shared, 0, request->dimensions) * request->element_bytes;
    }
    return error;
}

/* Agrees on the request, makes the plan, and agrees that all have one. */
static wl_error agree(wl_redistribution **plan, struct wl__exchange *exchange, const struct mine *mine,
                      wl_error error) {
    struct wl__request request;
    uint64_t sizes[WL_RANK_MAX];
    struct record outcome = {0};
    error = tell_request(exchange, mine, error);
    if (!error)
        error = make_request(&request, exchange, mine->call, sizes);
    if (error)
        return error;
    error = wl__make_flows(exchange, &request);
    if (wl__any_near(exchange)) {
        error = agree_on_maps(exchange, &request, error);
        if (error)
            return error;
    }
    if (!error)
        error = make_plan(plan, exchange, &request);
    error = tell(exchange, mine->call, &outcome, error);
    return error ? error : wl__connect(exchange, mine->call);
}

/* What is wrong on this rank is told to all: `error`, with its message, and what the communicator and the
 * arguments are refused for. */
static wl_error create(wl_redistribution **out, struct wl__exchange *exchange, const struct mine *mine,
                       wl_error error) {
    wl_redistribution *plan = NULL;
    if (!error && exchange->refused)
        error = wl__fail(exchange->refused, "%s", exchange->words);
    if (!error)
        error = check_mine(mine);
    error = agree(&plan, exchange, mine, error);
    if (!error) {
        plan->exchange = exchange;
        *out = plan;
        return WL_ERROR_OK;
    }
    wl_redistribution_destroy(plan);
    wl__exchange_close(exchange);
    return error;
}

static wl_error open_exchange(struct wl__exchange **exchange, wl_redistribution **out, const char *call,
                              wl_context *context, void *comm) {
    if (!out)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: out is NULL", call);
    *out = NULL;
    return wl__exchange_open(exchange, call, context, comm);
}

wl_error wl_redistribution_create_nccl(wl_redistribution **out, wl_context *context, void *comm,
                                       size_t element_bytes, unsigned dimensions, const uint64_t *sizes,
                                       const wl_box *from, const wl_box *to) {
    const struct mine mine = {"wl_redistribution_create_nccl", element_bytes, dimensions, sizes, from, to};
    struct wl__exchange *exchange;
    const wl_error error = open_exchange(&exchange, out, mine.call, context, comm);
    return error ? error : create(out, exchange, &mine, WL_ERROR_OK);
}

wl_error wl_transpose_distributed_create_nccl(wl_redistribution **out, wl_context *context, void *comm,
                                              size_t element_bytes, uint64_t rows, uint64_t cols,
                                              const uint64_t *from_rows, const uint64_t *to_rows) {
    const uint64_t sizes[2] = {rows, cols};
    wl_box from, to;
    const struct mine mine = {"wl_transpose_distributed_create_nccl", element_bytes, 2, sizes, &from, &to};
    struct wl__exchange *exchange;
    wl_error error = open_exchange(&exchange, out, mine.call, context, comm);
    if (error)
        return error;
    const struct wl__request request = {.call = mine.call, .ranks = exchange->ranks, .sizes = sizes};
    error = wl__find_slabs(&from, exchange->rank, 1, &request, 0, from_rows);
    if (!error)
        error = wl__find_slabs(&to, exchange->rank, 1, &request, 1, to_rows);
    return create(out, exchange, &mine, error);
}

/* ---------------------------------------------------------------- waiting */

wl_error wl_redistribution_wait(wl_redistribution *plan, unsigned milliseconds) {
    static const char call[] = "wl_redistribution_wait";
    if (!plan)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: plan is NULL", call);
    struct wl__exchange *exchange = plan->exchange;
    if (!exchange)
        return wl__fail(WL_ERROR_UNSUPPORTED, "%s: the plan is not of NCCL: wait for its ranks' streams",
                        call);
    const wl_error error = wl__communicator_check(exchange->communicator, call);
    if (error || !exchange->called)
        return error;
    return wl__communicator_await(exchange->communicator, exchange->context, exchange->finished, milliseconds,
                                  call, exchange->missing);
}

void wl__finish_exchange(struct wl__exchange *exchange) {
    if ((exchange->connects || exchange->called) && !exchange->communicator->aborted)
        (void)wl__communicator_await(exchange->communicator, exchange->context, exchange->finished,
                                     wl__nccl_patience, "wl_redistribution_destroy", exchange->missing);
    wl__exchange_close(exchange);
}
