/* An instruction's requests by their transactions, with an example of each kind. */
#include <stdlib.h>

#include "sim/exec/worker.h"

static struct sim_kind *new_kind(const struct sim_warp *w, enum sim_sample_space space,
                                 const struct count_access *access, uint32_t transactions) {
    struct sim_kind *kind = calloc(1, sizeof *kind);
    if (!kind)
        return NULL;
    const struct sim_block *block = w->block;
    kind->space = space;
    kind->transactions = transactions;
    kind->order = block->linear;
    kind->warp = (uint32_t)(w - block->warps);
    kind->access = *access;
    kind->access.address = NULL; /* the warp's, which go on */
    for (int d = 0; d < 3; d++)
        kind->block[d] = block->id[d];
    for (unsigned i = 0; i < SIM_LANES; i++)
        kind->address[i] = access->mask >> i & 1 ? access->address[i] : 0;
    return kind;
}

static bool is_kind(const struct sim_kind *kind, enum sim_sample_space space, uint32_t transactions) {
    return kind->transactions == transactions && kind->space == space;
}

/* Takes the kind out of the list; NULL if it has none such. */
static struct sim_kind *take(struct sim_kind **list, enum sim_sample_space space, uint32_t transactions) {
    for (struct sim_kind **at = list; *at; at = &(*at)->next)
        if (is_kind(*at, space, transactions)) {
            struct sim_kind *kind = *at;
            *at = kind->next;
            return kind;
        }
    return NULL;
}

void sim_sample_kind(struct sim_warp *w, uint32_t site, enum sim_sample_space space,
                     const struct count_access *access, const struct count_result *cost) {
    struct sim_samples *samples = w->worker->samples;
    struct sim_site_sample *seen = &samples->sites[site];
    struct sim_kind *kind = take(&seen->kinds, space, cost->transactions);
    if (!kind)
        kind = new_kind(w, space, access, cost->transactions);
    if (!kind) {
        samples->failed = true;
        return;
    }
    /* The next request is most likely of this kind, too. */
    kind->next = seen->kinds;
    seen->kinds = kind;
    sim_sample_again(seen, space, cost);
}

/* The example of the first block stays. */
static void merge(struct sim_kind *to, const struct sim_kind *from) {
    const struct sim_kind old = *to;
    if (from->order < old.order)
        *to = *from;
    to->next = old.next;
    to->requests = old.requests + from->requests;
    to->moved = old.moved + from->moved;
    to->useful = old.useful + from->useful;
}

void sim_kinds_add(struct sim_kind **to, struct sim_kind **from) {
    for (struct sim_kind *kind = *from, *next; kind; kind = next) {
        next = kind->next;
        struct sim_kind *same = *to;
        while (same && !is_kind(same, kind->space, kind->transactions))
            same = same->next;
        if (same) {
            merge(same, kind);
            free(kind);
        } else {
            kind->next = *to;
            *to = kind;
        }
    }
    *from = NULL;
}

void sim_kinds_free(struct sim_kind **list) {
    for (struct sim_kind *kind = *list, *next; kind; kind = next) {
        next = kind->next;
        free(kind);
    }
    *list = NULL;
}
