#include "prof/doubts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANES, ORDER, TURNS, LOCAL, HEAP, KIND, WIDTH, CALLS, WORDS, PAIRS, DATA, UNKNOWN };

const struct prof_doubt prof_doubts[PROF_DOUBTS] = {
    [LANES] = {"lanes", "ptxas may have lanes that parted meet elsewhere, or take a load out of its loop"},
    [ORDER] = {"order", "which sectors are touched depends on the order in which threads come to an atomic"},
    [TURNS] = {"turns", "how often a loop runs depends on what other threads do meanwhile"},
    [LOCAL] = {"local",
               "ptxas may keep arrays of local memory in registers, or spill them; nvcc -Xptxas -v tells"},
    [HEAP] = {"heap", "a GPU's malloc() and free() access memory, too"},
    [KIND] = {"kind", "a GPU's counters leave out cp.async, ldmatrix and stmatrix, which are counted here"},
    [WIDTH] = {"width", "ptxas may make one wide access of neighbouring accesses to shared memory"},
    [CALLS] = {"calls", "lanes may come back apart from a function called by its address or by itself, and "
                        "its registers lie on a stack"},
    [WORDS] = {"words", "no exact rule is known for atomics on several words of a sector"},
    [PAIRS] = {"pairs",
               "no exact rule is known for some loads of 8 or 16 bytes from shared memory by part of a "
               "warp"},
    [DATA] = {"data",
              "it goes by data that depends on the order in which threads of an earlier launch came to an "
              "atomic, or blocks to what they share"},
    [UNKNOWN] = {"unknown", "the simulator gives a reason that this program does not know"},
};

unsigned prof_doubt_bit(const char *name) {
    for (unsigned i = 0; i < UNKNOWN; i++)
        if (strcmp(prof_doubts[i].name, name) == 0)
            return 1u << i;
    return 1u << UNKNOWN;
}

/* What is added to a figure in doubt.  Transactions are no fewer than requests, and useful bytes no more than
 * those moved, nor than 128 a pass: so no ratio of two such figures stays what it was when both change. */
enum { A_REQUEST = 1000003, A_TRANSACTION = 1, A_USEFUL = 1000003 };

/* Counters of one kind of access. */
#define KINDS(X)                                                                                             \
    X(global_load_requests, gld_transactions)                                                                \
    X(global_store_requests, gst_transactions)                                                               \
    X(global_atomic_requests, global_atomic_transactions)                                                    \
    X(global_reduction_requests, global_reduction_transactions)                                              \
    X(texture_load_requests, texture_load_transactions)                                                      \
    X(dshared_load_requests, dshared_load_transactions)                                                      \
    X(dshared_store_requests, dshared_store_transactions)                                                    \
    X(dshared_atomic_requests, dshared_atomic_transactions)                                                  \
    X(bulk_load_requests, bulk_load_transactions)                                                            \
    X(bulk_store_requests, bulk_store_transactions)                                                          \
    X(dshared_bulk_requests, dshared_bulk_transactions)                                                      \
    X(peer_load_requests, peer_load_transactions)                                                            \
    X(peer_store_requests, peer_store_transactions)                                                          \
    X(peer_atomic_requests, peer_atomic_transactions)
#define SHARED_KINDS(X)                                                                                      \
    X(shared_load_requests, shared_load_transactions)                                                        \
    X(shared_store_requests, shared_store_transactions)                                                      \
    X(shared_atomic_requests, shared_atomic_transactions)
#define LOCAL_KINDS(X)                                                                                       \
    X(local_load_requests, local_load_transactions)                                                          \
    X(local_store_requests, local_store_transactions)

#define HOW_OFTEN(requests, transactions)                                                                    \
    if (line->requests) {                                                                                    \
        to->c.requests += A_REQUEST;                                                                         \
        to->c.transactions += A_TRANSACTION;                                                                 \
    }
#define ALWAYS(requests, transactions)                                                                       \
    to->c.requests += A_REQUEST;                                                                             \
    to->c.transactions += A_TRANSACTION;
/* Where each request costs one, it does so wherever it goes. */
#define WHERE(requests, transactions)                                                                        \
    if (line->requests != line->transactions)                                                                \
        to->c.transactions += A_TRANSACTION;

static void change_bytes(struct prof_sums *to, const wl_counters *line) {
    if (line->gld_moved_bytes) {
        to->c.gld_moved_bytes += A_TRANSACTION;
        to->c.gld_useful_bytes += A_USEFUL;
    }
    if (line->gst_moved_bytes) {
        to->c.gst_moved_bytes += A_TRANSACTION;
        to->c.gst_useful_bytes += A_USEFUL;
    }
}

static void change_conflicts(struct prof_sums *to, const wl_counters *line) {
    if (line->shared_load_requests)
        to->shared_load_conflicts += A_TRANSACTION;
    if (line->shared_store_requests)
        to->shared_store_conflicts += A_TRANSACTION;
    if (line->shared_useful_bytes)
        to->c.shared_useful_bytes += A_USEFUL;
}

/* Whatever was done may have been done more often. */
static void change_all(struct prof_sums *to, const wl_counters *line) {
    KINDS(HOW_OFTEN)
    SHARED_KINDS(HOW_OFTEN)
    LOCAL_KINDS(HOW_OFTEN)
    change_bytes(to, line);
    change_conflicts(to, line);
    if (line->bulk_load_requests)
        to->c.bulk_load_useful_bytes += A_USEFUL;
    if (line->bulk_store_requests)
        to->c.bulk_store_useful_bytes += A_USEFUL;
}

static void change(struct prof_sums *to, const wl_counters *line, unsigned doubt) {
    switch (doubt) {
    case ORDER:
        KINDS(WHERE)
        SHARED_KINDS(WHERE)
        if (line->global_load_requests + line->global_store_requests !=
            line->gld_transactions + line->gst_transactions)
            change_bytes(to, line);
        if (line->shared_load_requests + line->shared_store_requests !=
            line->shared_load_transactions + line->shared_store_transactions)
            change_conflicts(to, line);
        break;
    case LOCAL:
        LOCAL_KINDS(HOW_OFTEN)
        break;
    case WORDS:
        WHERE(global_atomic_requests, global_atomic_transactions)
        WHERE(global_reduction_requests, global_reduction_transactions)
        WHERE(dshared_atomic_requests, dshared_atomic_transactions)
        break;
    case CALLS:
        /* An atomic whose result is not read need not be a reduction there. */
        if (to->c.global_reduction_requests) {
            ALWAYS(global_atomic_requests, global_atomic_transactions)
        }
        LOCAL_KINDS(ALWAYS)
        change_all(to, &to->c);
        break;
    case HEAP:
        LOCAL_KINDS(ALWAYS)
        ALWAYS(global_load_requests, gld_transactions)
        ALWAYS(global_store_requests, gst_transactions)
        ALWAYS(global_atomic_requests, global_atomic_transactions)
        to->c.gld_useful_bytes += A_USEFUL, to->c.gst_useful_bytes += A_USEFUL;
        to->c.gld_moved_bytes += A_TRANSACTION, to->c.gst_moved_bytes += A_TRANSACTION;
        break;
    case KIND:
    case WIDTH:
        SHARED_KINDS(HOW_OFTEN)
        change_conflicts(to, line);
        break;
    case PAIRS:
        if (line->shared_load_requests) {
            to->c.shared_load_transactions += A_TRANSACTION;
            to->shared_load_conflicts += A_TRANSACTION;
        }
        break;
    default:
        change_all(to, line);
    }
}

void prof_doubted_find(const struct prof_line *lines, size_t count, const struct prof_sums *sums,
                       struct prof_doubted *out) {
    out->bits = 0;
    for (size_t i = 0; i < count; i++)
        for (unsigned d = 0; d < PROF_DOUBTS && lines[i].doubts >> d; d++) {
            if (!(lines[i].doubts >> d & 1))
                continue;
            if (!(out->bits >> d & 1))
                out->sums[d] = *sums;
            out->bits |= 1u << d;
            change(&out->sums[d], &lines[i].sums.c, d);
        }
}

unsigned prof_doubts_of(const struct prof_doubted *doubted, const struct prof_sums *sums,
                        const struct prof_metric *metric) {
    unsigned bits = 0;
    double value = metric->of(sums);
    for (unsigned d = 0; d < PROF_DOUBTS; d++) {
        if (!(doubted->bits >> d & 1))
            continue;
        double other = metric->of(&doubted->sums[d]);
        if (isnan(value) != isnan(other) || (!isnan(value) && value != other))
            bits |= 1u << d;
    }
    return bits;
}

void prof_doubts_text(unsigned bits, char *out, size_t size) {
    size_t used = 0;
    out[0] = 0;
    for (unsigned d = 0; d < PROF_DOUBTS; d++)
        if (bits >> d & 1 && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", prof_doubts[d].name);
}
