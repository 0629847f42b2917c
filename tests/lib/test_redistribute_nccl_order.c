/* The order of a redistribution's work between processes: each byte of a rank's memory that two pieces of
 * work touch, of which one writes it, is touched by one behind the other.  The simulator does work as it is
 * asked for, and so would not notice a wait that is missing.  So the order is proved from the streams and
 * events.
 *
 * Where ranks map each other's memory, the other rank's work stands for itself in the bytes that they
 * exchange.  A byte sent in a round allows the peer to pack two rounds later, and so counts as writing that
 * slot; the byte got in that later round counts as the write.  A byte sent also counts as reading what this
 * rank has packed in the round, and a byte got as the peer's reading of what was packed two rounds earlier.
 *
 *     test_lib_redistribute_nccl_order [CASES] */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/redistribute/exchange.h"
#include "nccl/ranks.h"
#include "redistributions.h"

enum {
    NODES = 1024,
    WORDS = NODES / 64,
    STREAMS = 8,
    EVENTS = 32,
    BYTES = 12000,
    REGION = 1 << 16,
    HALF = REGION / 2
};

/* A set of pieces of work. */
struct set {
    uint64_t bits[WORDS];
};

static void add(struct set *set, unsigned node) {
    set->bits[node / 64] |= UINT64_C(1) << node % 64;
}

static bool has(const struct set *set, unsigned node) {
    return set->bits[node / 64] >> node % 64 & 1;
}

static void join(struct set *set, const struct set *other) {
    for (unsigned i = 0; i < WORDS; i++)
        set->bits[i] |= other->bits[i];
}

static bool is_within(const struct set *set, const struct set *other) {
    for (unsigned i = 0; i < WORDS; i++)
        if (set->bits[i] & ~other->bits[i])
            return false;
    return true;
}

/* ---------------------------------------------------------------- what is known */

/* What is behind a stream's next work, or behind an event as it was last recorded. */
struct place {
    const void *handle;
    struct set before;
};

static struct rank *self;
static struct place streams[STREAMS], events[EVENTS];
static unsigned node_count;
static const char *names[NODES];

/* Of each byte of a region the last one that wrote it, and who has read it since. */
struct byte {
    unsigned writer; /* 1 + its number */
    bool unread;     /* in another rank's memory: that one has not unpacked it */
    struct set readers;
};
static struct region {
    const char *name;
    wl_devptr base;
    struct byte *bytes;
} regions[] = {{.name = "from"},
               {.name = "to"},
               {.name = "the memory for staging"},
               {.name = "the memory that others map"},
               {.name = "another rank's memory"},
               {.name = "another rank's memory"},
               {.name = "another rank's memory"}};
enum { REGIONS = sizeof(regions) / sizeof(regions[0]), STAGING = 2, NEAR, PEERS };

static struct place *find(struct place *places, unsigned room, const void *handle) {
    for (unsigned i = 0; i < room; i++) {
        if (!places[i].handle)
            places[i].handle = handle;
        if (places[i].handle == handle)
            return &places[i];
    }
    rank_fail(self, "there are too many streams or events");
}

static unsigned new_node(const char *name) {
    if (node_count == NODES)
        rank_fail(self, "there is too much work");
    names[node_count] = name;
    return node_count++;
}

/* ---------------------------------------------------------------- work */

static struct byte *byte_at(wl_devptr address, const struct region **region) {
    for (unsigned i = 0; i < REGIONS; i++)
        if (regions[i].base && address >= regions[i].base && address - regions[i].base < REGION) {
            *region = &regions[i];
            return &regions[i].bytes[address - regions[i].base];
        }
    rank_fail(self, "work touches other memory");
}

static void touch(unsigned node, const struct set *before, wl_devptr address, bool writes) {
    const struct region *region = NULL;
    struct byte *byte = byte_at(address, &region);
    if (byte->writer && byte->writer - 1 != node && !has(before, byte->writer - 1))
        rank_fail(self, "%s touches byte %" PRIu64 " of %s, and is not behind %s, which wrote it",
                  names[node], (uint64_t)(address - region->base), region->name, names[byte->writer - 1]);
    if (writes && !is_within(&byte->readers, before))
        rank_fail(self, "%s writes byte %" PRIu64 " of %s, and is not behind all that read it", names[node],
                  (uint64_t)(address - region->base), region->name);
    if (writes && byte->unread)
        rank_fail(self, "%s writes byte %" PRIu64 " of %s, which that one has not read", names[node],
                  (uint64_t)(address - region->base), region->name);
    if (writes)
        *byte = (struct byte){.writer = node + 1, .unread = region >= &regions[PEERS]};
    else
        add(&byte->readers, node);
}

/* All elements of one side. */
static void touch_strided(unsigned node, const struct set *before, const struct wl__strided *all,
                          bool writes) {
    uint64_t index[WL_RANK_MAX] = {0};
    for (bool more = true; more;) {
        wl_devptr at = writes ? all->to : all->from;
        for (unsigned d = 0; d < all->rank; d++)
            at += index[d] * (uint64_t)(writes ? all->dim[d].to : all->dim[d].from);
        for (uint64_t byte = 0; byte < all->bytes; byte++)
            touch(node, before, at + byte, writes);
        unsigned d = 0;
        while (d < all->rank && ++index[d] == all->dim[d].size)
            index[d++] = 0;
        more = d < all->rank;
    }
}

wl_error __real_wl__strided_move(wl_context *context, struct wl__choice *choice,
                                 const struct wl__strided *all, wl_stream stream);
wl_error __wrap_wl__strided_move(wl_context *context, struct wl__choice *choice,
                                 const struct wl__strided *all, wl_stream stream);

wl_error __wrap_wl__strided_move(wl_context *context, struct wl__choice *choice,
                                 const struct wl__strided *all, wl_stream stream) {
    struct place *place = find(streams, STREAMS, stream);
    const unsigned node = new_node("a copy between strides");
    touch_strided(node, &place->before, all, false);
    touch_strided(node, &place->before, all, true);
    add(&place->before, node);
    return __real_wl__strided_move(context, choice, all, stream);
}

/* The caller's work: all of an array. */
static void work(wl_stream stream, const char *name, wl_devptr array, uint64_t bytes, bool writes) {
    struct place *place = find(streams, STREAMS, stream);
    const unsigned node = new_node(name);
    for (uint64_t i = 0; i < bytes; i++)
        touch(node, &place->before, array + i, writes);
    add(&place->before, node);
}

static CUresult (*real_record)(CUevent event, CUstream stream);
static CUresult (*real_wait)(CUstream stream, CUevent event, unsigned flags);

static CUresult record(CUevent event, CUstream stream) {
    find(events, EVENTS, event)->before = find(streams, STREAMS, stream)->before;
    return real_record(event, stream);
}

static CUresult wait_for(CUstream stream, CUevent event, unsigned flags) {
    join(&find(streams, STREAMS, stream)->before, &find(events, EVENTS, event)->before);
    return real_wait(stream, event, flags);
}

/* ---------------------------------------------------------------- NCCL */

/* A group's messages are of one piece of work each, which no other of the group is behind. */
static struct wl__nccl real;
static unsigned group[64], in_group;

static unsigned in_stream(const char *name, CUstream stream, struct set *before) {
    const unsigned node = new_node(name);
    *before = find(streams, STREAMS, stream)->before;
    if (in_group == sizeof(group) / sizeof(group[0]))
        rank_fail(self, "a group has too many messages");
    group[in_group++] = node;
    return node;
}

static struct wl__exchange *current;
static uint64_t call, current_round;

/* Touches the slot of a flow's chunk, of this call or of the one before.  Ahead of a plan's first call a peer
 * needs no leave. */
static void touch_slot(unsigned node, const struct set *before, const struct wl__flow *flow, uint64_t chunk,
                       bool writes) {
    const wl_devptr slot = flow->slots + chunk % wl__slots_of(flow) * flow->slot_bytes;
    for (uint64_t i = 0; i < flow->slot_bytes; i++)
        touch(node, before, slot + i, writes);
}

/* The peer has unpacked a chunk. */
static void peer_read(unsigned node, const struct set *before, const struct wl__flow *flow, uint64_t chunk) {
    const wl_devptr slot = flow->slots + chunk % wl__slots_of(flow) * flow->slot_bytes;
    const struct region *region = NULL;
    touch_slot(node, before, flow, chunk, false);
    for (uint64_t i = 0; i < flow->slot_bytes; i++)
        byte_at(slot + i, &region)->unread = false;
}

static const struct wl__flow *mapped_flow(const struct wl__flow *flows, unsigned count, int peer) {
    for (unsigned i = 0; i < count; i++)
        if (flows[i].mapped && flows[i].peer == (unsigned)peer)
            return &flows[i];
    return NULL;
}

static const struct wl__pair *pair_with(int peer) {
    for (unsigned i = 0; i < current->pair_count; i++)
        if (current->pairs[i].peer == (unsigned)peer)
            return &current->pairs[i];
    return NULL;
}

/* What the peer reads of what this rank packs, and when it may pack what. */
static void byte_sent(unsigned node, const struct set *before, int peer) {
    const struct wl__flow *out = mapped_flow(current->sends, current->send_count, peer),
                          *in = mapped_flow(current->receives, current->receive_count, peer);
    const uint64_t rounds = pair_with(peer)->rounds, round = current_round;
    if (out && round < out->cut.chunks)
        touch_slot(node, before, out, call * out->cut.chunks + round, false);
    if (in && round + 2 < in->cut.chunks)
        touch_slot(node, before, in, call * in->cut.chunks + round + 2, true);
    /* The peer begins its next call as soon as it has the last byte of this one. */
    for (uint64_t first = 0; in && round + 1 == rounds && first < 2 && first < in->cut.chunks; first++)
        touch_slot(node, before, in, (call + 1) * in->cut.chunks + first, true);
}

static void byte_got(unsigned node, const struct set *before, int peer) {
    const struct wl__flow *out = mapped_flow(current->sends, current->send_count, peer),
                          *in = mapped_flow(current->receives, current->receive_count, peer);
    const uint64_t round = current_round;
    if (in && round < in->cut.chunks)
        touch_slot(node, before, in, call * in->cut.chunks + round, true);
    if (!out)
        return;
    if (round >= 2 && round - 2 < out->cut.chunks)
        peer_read(node, before, out, call * out->cut.chunks + round - 2);
    /* The last two rounds of the call before. */
    const uint64_t rounds = pair_with(peer)->rounds;
    for (uint64_t chunk = rounds < 2 ? 0 : rounds - 2; round == 0 && call && chunk < out->cut.chunks; chunk++)
        peer_read(node, before, out, (call - 1) * out->cut.chunks + chunk);
}

/* Whether a message is one of the bytes that mean nothing by themselves. */
static bool is_letter(wl_devptr address) {
    return address >= current->letters &&
           address - current->letters < (uint64_t)(current->ranks + 1) * WL__RECORD_BYTES;
}

static int send(const void *from, size_t count, int type, int peer, void *comm, CUstream stream) {
    struct set before;
    const unsigned node = in_stream("ncclSend", stream, &before);
    if ((uintptr_t)from == current->letters)
        byte_sent(node, &before, peer);
    for (size_t i = 0; i < count && (uintptr_t)from != current->letters; i++)
        touch(node, &before, (uintptr_t)from + i, false);
    return real.ncclSend(from, count, type, peer, comm, stream);
}

static int receive(void *to, size_t count, int type, int peer, void *comm, CUstream stream) {
    struct set before;
    const unsigned node = in_stream("ncclRecv", stream, &before);
    const bool letter = is_letter((uintptr_t)to);
    if (letter)
        byte_got(node, &before, peer);
    for (size_t i = 0; i < count && !letter; i++)
        touch(node, &before, (uintptr_t)to + i, true);
    return real.ncclRecv(to, count, type, peer, comm, stream);
}

static int end_group(void) {
    struct place *place = find(streams, STREAMS, current->stages[WL__STAGE_LINK]);
    while (in_group)
        add(&place->before, group[--in_group]);
    current_round++;
    return real.ncclGroupEnd();
}

static void watch(struct wl__exchange *exchange) {
    struct wl__nccl *nccl = &exchange->communicator->nccl;
    current = exchange;
    real = *nccl;
    nccl->ncclSend = send;
    nccl->ncclRecv = receive;
    nccl->ncclGroupEnd = end_group;
    call = 0;
    regions[STAGING].base = exchange->staging;
    regions[NEAR].base = exchange->near_staging;
    for (unsigned i = PEERS; i < REGIONS; i++) {
        const unsigned peer = (exchange->rank + 1 + i - PEERS) % exchange->ranks;
        regions[i].base = i - PEERS + 1 < exchange->ranks ? exchange->maps[peer] : 0;
    }
    memset(streams, 0, sizeof(streams));
    memset(events, 0, sizeof(events));
    node_count = 0;
    for (unsigned i = 0; i < REGIONS; i++)
        memset(regions[i].bytes, 0, REGION * sizeof(struct byte));
}

/* ---------------------------------------------------------------- cases */

/* Whether a plan unpacks in more rounds than there are slots: then one is used again. */
static bool uses_slots_again(const struct wl__exchange *exchange) {
    for (unsigned i = 0; i < exchange->receive_count; i++)
        if (exchange->receives[i].staged && exchange->receives[i].cut.chunks > WL__SLOTS)
            return true;
    return false;
}

static CUstream other_stream;
static unsigned again; /* so many cases do */

/* Calls amid the caller's work on both arrays: two in one stream, and one of other arrays in another stream,
 * which the caller does not put behind the first. */
static void run_case(const struct rank *rank, const struct redistribution *all) {
    const uint64_t has_bytes = box_bytes(all, &all->from[rank->rank]),
                   wants_bytes = box_bytes(all, &all->to[rank->rank]);
    wl_redistribution *plan;
    need(wl_redistribution_create_nccl(&plan, rank->context, rank->comm, all->element_bytes, all->dimensions,
                                       all->sizes, &all->from[rank->rank], &all->to[rank->rank]));
    watch(plan->exchange);
    again += uses_slots_again(plan->exchange);
    for (unsigned time = 0; time < 3; time++) {
        const wl_stream stream = time < 2 ? rank->stream : other_stream;
        const wl_devptr from = regions[0].base + (time < 2 ? 0 : HALF),
                        to = regions[1].base + (time < 2 ? 0 : HALF);
        work(stream, "work ahead on from", from, has_bytes, true);
        work(stream, "work ahead on to", to, wants_bytes, true);
        current_round = 0;
        need(wl_redistribute(plan, &to, &from, &stream));
        call++;
        work(stream, "work behind on to", to, wants_bytes, false);
        work(stream, "work behind on from", from, has_bytes, true);
    }
    need(wl_redistribution_wait(plan, 20000));
    wl_redistribution_destroy(plan);
}

/* Boxes at random; in every second case slabs of a matrix and of its transpose, of which all is staged. */
static struct redistribution draw_case(struct draw *draw, unsigned ranks, uint64_t number) {
    const uint64_t rows = 60 + draw_below(draw, 30), cols = 60 + draw_below(draw, 30);
    uint64_t from_rows[4], to_rows[4];
    if (number % 2)
        return redistribution_draw(draw, ranks, BYTES);
    for (unsigned r = 0; r < ranks; r++) {
        from_rows[r] = (r + 1) * rows / ranks - r * rows / ranks;
        to_rows[r] = (r + 1) * cols / ranks - r * cols / ranks;
    }
    return redistribution_of_matrix(ranks, 1 + draw_below(draw, 3), rows, cols, from_rows, to_rows);
}

static void order(struct rank *rank, int argc, char **argv) {
    const uint64_t cases = strtoull(argv[0], NULL, 10);
    (void)argc;
    self = rank;
    rank_load(rank, true);
    rank_open(rank);
    cuda_need(rank->cuda.cuCtxSetCurrent(rank->primary));
    cuda_need(rank->cuda.cuStreamCreate(&other_stream, CU_STREAM_NON_BLOCKING));
    cuda_need(rank->cuda.cuCtxSetCurrent(NULL));
    struct wl__driver *driver = &rank->context->driver;
    real_record = driver->cuEventRecord;
    real_wait = driver->cuStreamWaitEvent;
    driver->cuEventRecord = record;
    driver->cuStreamWaitEvent = wait_for;
    for (unsigned i = 0; i < REGIONS; i++) {
        regions[i].bytes = calloc(REGION, sizeof(struct byte));
        if (!regions[i].bytes)
            rank_fail(rank, "no memory");
    }
    need(wl_alloc(rank->context, &regions[0].base, REGION));
    need(wl_alloc(rank->context, &regions[1].base, REGION));
    for (uint64_t number = 0; number < cases; number++) {
        struct draw draw = draw_from(31 + rank->ranks, number);
        const struct redistribution all = draw_case(&draw, rank->ranks, number);
        wl__maps_peers = draw_below(&draw, 3) != 0;
        wl__round_bytes = 150 + draw_below(&draw, 1500 / rank->ranks);
        run_case(rank, &all);
    }
    if (rank->ranks > 1 && again < cases / 20)
        rank_fail(rank, "only %u of %" PRIu64 " cases use a slot again", again, cases);
    for (unsigned i = 0; i < REGIONS; i++)
        free(regions[i].bytes);
    need(wl_free(rank->context, regions[0].base));
    need(wl_free(rank->context, regions[1].base));
    cuda_need(rank->cuda.cuCtxSetCurrent(rank->primary));
    cuda_need(rank->cuda.cuStreamDestroy(other_stream));
    cuda_need(rank->cuda.cuCtxSetCurrent(NULL));
    rank_close(rank);
}

static const char *cases = "40";

static void work_is_ordered(void **state) {
    const char *words[] = {cases, NULL};
    (void)state;
    for (unsigned ranks = 1; ranks <= 4; ranks++)
        assert_int_equal(ranks_run("order", ranks, 60 + (unsigned)atoi(cases), words, NULL), 0);
}

int main(int argc, char **argv) {
    static const struct rank_mode modes[] = {{"order", order}, {NULL, NULL}};
    const int status = ranks_child(argc, argv, modes);
    if (status >= 0)
        return status;
    if (argc > 1)
        cases = argv[1];
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_is_ordered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
