/* Redistributions between processes: what the files of the engine that uses NCCL share.
 *
 * A rank packs what another one wants in that one's order of dimensions, NCCL sends it, and the other rank
 * puts it in place.  This goes chunk by chunk, so that the three steps overlap.  In each round a rank sends
 * one chunk to each rank, and gets one from each.
 *
 * Ranks of one machine map each other's memory for staging if they can.  Then a chunk is packed across the
 * link, to where the other rank unpacks it, and what NCCL sends is a byte, in each round and in both
 * directions.  It says that this round's chunk is there, and that the chunk of two rounds before was
 * unpacked. */
#ifndef WIDELOAD_LIB_EXCHANGE_H
#define WIDELOAD_LIB_EXCHANGE_H

#include "lib/redistribute/nccl.h"
#include "lib/redistribute/redistribute.h"

/* Rounds whose chunks are in memory at a time: one is packed, one is sent, and one is unpacked.  A rank that
 * packs in another one's memory learns late that a slot is free. */
#define WL__SLOTS 4

/* Bytes that a rank sends in a round, at most, and gets: 64 MiB, in equal parts for all other ranks, of which
 * each has WL__CHUNK_LEAST or more.  So its memory for staging has at most 2 * WL__SLOTS times as much. Tests
 * lower it.  All ranks have the same. */
extern uint64_t wl__round_bytes;
#define WL__CHUNK_LEAST ((uint64_t)64 << 10)

/* Room for a machine's name, and the most ranks that map each other's memory. */
enum { WL__MACHINE_BYTES = 40, WL__MAPPED_RANKS = 4096 };

/* ---------------------------------------------------------------- chunks (chunks.c) */

/* How a piece is cut.  A chunk has `step` indices of one level, all of the levels below it, and one index of
 * each level above. */
struct wl__cut {
    unsigned level;
    uint64_t step, parts; /* of that level, of which the last one may be shorter */
    uint64_t chunks;
};

/* Cuts a reduced piece into chunks of at most `limit` bytes, 1 or more.  One that has no gaps on either side
 * is a single chunk of any length. */
void wl__find_cut(struct wl__cut *cut, const struct wl__strided *all, uint64_t limit);
/* Bytes of the longest chunk. */
uint64_t wl__chunk_most(const struct wl__cut *cut, const struct wl__strided *all);
/* Makes a chunk, and returns its bytes. */
uint64_t wl__chunk(struct wl__strided *chunk, const struct wl__strided *all, const struct wl__cut *cut,
                   uint64_t number);
/* Whether all chunks lie without gaps, in the receiver's order, where they come from or where they go. */
bool wl__chunk_is_dense(const struct wl__strided *all, const struct wl__cut *cut, bool from);
/* Makes of a chunk the copy that packs it to an address, or the one that unpacks it from there. */
void wl__chunk_pack(struct wl__strided *chunk, wl_devptr to);
void wl__chunk_unpack(struct wl__strided *chunk, wl_devptr from);

/* ---------------------------------------------------------------- the exchange */

/* What this rank sends to another one, or gets from it. */
struct wl__flow {
    unsigned peer;
    bool near;              /* the receiver's slots are in memory that the sender may map */
    bool mapped;            /* the sender has: it packs there, and NCCL sends none of it */
    struct wl__strided all; /* reduced; its addresses are relative to the arrays */
    struct wl__cut cut;
    bool dense;          /* chunks have no gaps on this rank's side */
    bool staged;         /* chunks are packed, or unpacked; otherwise they are sent, or received, in place */
    uint64_t slot_bytes; /* of a staged chunk */
    wl_devptr slots;     /* where a chunk is packed, or where it is unpacked from */
};

/* A rank with which this one exchanges bytes in so many rounds, since chunks are mapped. */
struct wl__pair {
    unsigned peer;
    uint64_t rounds;
};

/* What a rank gives others to map its memory. */
struct wl__share {
    uint32_t is_there, unused;
    unsigned char handle[64]; /* a CUipcMemHandle */
};

/* The streams: packing, NCCL's, unpacking, and the own part's. */
enum wl__stage { WL__STAGE_PACK, WL__STAGE_LINK, WL__STAGE_UNPACK, WL__STAGE_OWN, WL__STAGES };

struct wl__exchange {
    struct wl__communicator *communicator;
    wl_context *context;
    unsigned ranks, rank;
    CUdevice device; /* the communicator's; its primary context is retained if that is not NULL */
    CUcontext primary;
    wl_error refused; /* why this rank cannot take part, which the others are told; with its message */
    char words[512];
    /* What ranks tell each other: this rank's record, and then each rank's. */
    wl_devptr letters;
    char *records;
    wl_box *boxes; /* all ranks' `from`, and then `to` */
    /* What follows is made once all ranks agree. */
    struct wl__flow *sends, *receives;
    unsigned send_count, receive_count;
    struct wl__pair *pairs;
    unsigned pair_count;
    char (*machines)[WL__MACHINE_BYTES]; /* of all ranks */
    wl_devptr *maps;                     /* of all ranks: their `near_staging` as this one sees it, or 0 */
    uint64_t rounds;
    bool keeps; /* the rank has some of what it wants */
    struct wl__strided own;
    wl_devptr staging, near_staging; /* the second is what ranks of this machine map */
    const struct wl__parts *parts;   /* of the context; or NULL */
    CUstream stages[WL__STAGES];
    CUevent packed[WL__SLOTS], moved[WL__SLOTS], unpacked[WL__SLOTS], done[WL__STAGES];
    CUevent begun, finished; /* the caller's stream is at the call, and behind it */
    bool connects, called;   /* `finished` is behind the connections, and then behind the last call */
    uint64_t calls;          /* before this one */
    char missing[256];       /* whom this rank waits for, in words */
};

/* What a rank tells the others of itself: of one size for ever, so that different versions can tell each
 * other. */
enum { WL__RECORD_BYTES = 1024 };

/* ---------------------------------------------------------------- memory of other ranks (mapped.c) */

/* Whether ranks map each other's memory.  Tests say no. */
extern bool wl__maps_peers;

/* What names the machine that this rank runs on; all zeros if it does not map memory. */
void wl__name_machine(const struct wl__exchange *exchange, char name[WL__MACHINE_BYTES]);
/* Whether two ranks, or any two, may be able to map each other's memory.  All ranks see the same. */
bool wl__are_near(const struct wl__exchange *exchange, unsigned rank, unsigned other);
bool wl__any_near(const struct wl__exchange *exchange);

/* What others need to map this rank's memory.  The context is current, here and below. */
void wl__share_staging(const struct wl__exchange *exchange, struct wl__share *share);
/* Maps a rank's memory.  False: it cannot be. */
bool wl__map_staging(struct wl__exchange *exchange, unsigned peer, const struct wl__share *share);
void wl__unmap_staging(struct wl__exchange *exchange);

/* ---------------------------------------------------------------- parts of a plan */

/* Joins the caller's communicator (exchange.c).  After a failure the other ranks are not told. */
wl_error wl__exchange_open(struct wl__exchange **out, const char *call, wl_context *context, void *comm);
/* Frees all of it.  The last call's work has ended, or the communicator was aborted. */
void wl__exchange_close(struct wl__exchange *exchange);
/* Tells every rank what this one has in `record`, and gets what they have, in exchange->records.  The
 * communicator is aborted if that fails. */
wl_error wl__exchange_tell(struct wl__exchange *exchange, const char *call, const void *record);

/* Finds what ranks send each other, and makes the memory that others may map (flows.c).  The request is
 * checked and has all ranks' boxes. */
wl_error wl__make_flows(struct wl__exchange *exchange, const struct wl__request *request);
/* Where in a rank's `near_staging` the slots begin for what another one sends to it; behind the last one's if
 * that is the rank itself. */
uint64_t wl__near_offset(const struct wl__exchange *exchange, const struct wl__request *request,
                         unsigned rank, unsigned sender);
/* Slots of a staged flow. */
unsigned wl__slots_of(const struct wl__flow *flow);
/* Memory for staging; none for 0 bytes.  The context is current (stages.c). */
wl_error wl__alloc_staging(wl_devptr *staging, const struct wl__exchange *exchange, uint64_t bytes);
/* Makes what the calls need (stages.c).  It is known which flows are mapped. */
wl_error wl__make_stages(struct wl__exchange *exchange);
void wl__free_stages(struct wl__exchange *exchange);
/* Sends a rank a byte that means nothing by itself, and gets one.  A group of NCCL's is open. */
wl_error wl__send_byte(struct wl__exchange *exchange, unsigned peer);
wl_error wl__receive_byte(struct wl__exchange *exchange, unsigned peer);
/* Sends a little to each rank that this one will send to, so that NCCL makes its connections now.  It does
 * not wait for them. */
wl_error wl__connect(struct wl__exchange *exchange, const char *call);

/* One call (staged.c).  The arrays are checked.  After a failure the communicator is aborted, except if a
 * stream captures. */
wl_error wl__exchange_run(struct wl__exchange *exchange, wl_devptr to, wl_devptr from, wl_stream stream);
/* Waits for the last call, and frees all (collective.c). */
void wl__finish_exchange(struct wl__exchange *exchange);

#endif
