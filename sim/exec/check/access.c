/* An access under the checks: first its bounds, then unwritten bytes and races. */
#include "sim/exec/memory/access.h"

#include <stdio.h>

#include "sim/exec/check/state.h"

/* Shared memory is read far more often than it changes.  A load that found nothing finds nothing at the same
 * place until something is stored there or orders threads. */
static bool is_known(const struct sim_warp *w, const struct sim_lanes *lanes, const struct check_site *site) {
    const struct check_block *b = w->check;
    return site->quiet_version == b->version && b->partial < b->full &&
           site->quiet_base == lanes->address[lanes->first];
}

static void look(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                 enum sim_space space, const struct sim_lanes *lanes, unsigned bytes,
                 struct check_site *site) {
    struct check_block *b = w->check;
    unsigned checks = b->launch->checks;
    bool quiet = space == SIM_SPACE_SHARED && op->access == SIM_ACCESS_LOAD;
    if (space == SIM_SPACE_SHARED && !quiet)
        check_changed(b);
    /* Unwritten bytes first; both look at the state before this access. */
    if (checks & SIM_CHECK_INIT)
        quiet &= check_init(w, in, op, space, lanes, bytes, site);
    if (checks & SIM_CHECK_RACE && space != SIM_SPACE_LOCAL)
        quiet &= check_races(w, in, op, space, lanes, bytes, site);
    if (quiet) {
        site->quiet_version = b->version;
        site->quiet_base = lanes->address[lanes->first];
    }
}

bool sim_check_access(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                      enum sim_space space, struct sim_lanes *lanes, unsigned bytes) {
    struct sim_pattern *p = &w->worker->sites[op->site].pattern;
    struct check_site *site = &w->check->launch->sites[op->site];
    if (p->split && is_known(w, lanes, site))
        return true;
    if (!check_inside(w, op, space, lanes, bytes, p)) {
        switch (check_drop(w, in, op, space, lanes, bytes)) {
        case CHECK_DROP_NONE:
            break;
        case CHECK_DROP_SOME:
            sim_access_learn(&w->worker->sites[op->site], lanes, bytes);
            break;
        case CHECK_DROP_ALL:
            return false;
        case CHECK_DROP_FAULT:
            return true;
        }
    }
    if (!(w->check->launch->checks & (SIM_CHECK_INIT | SIM_CHECK_RACE)))
        return true;
    if (!p->split && space != SIM_SPACE_LOCAL) {
        check_words_find(site, lanes, bytes);
        site->quiet_version = 0;
        p->split = true;
    }
    look(w, in, op, space, lanes, bytes, site);
    return true;
}

/* Drops lanes of any pattern that access no memory.  Returns whether there is more to check; the site then
 * has the words.  If not, *done is the result of the access. */
static bool gather(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                   enum sim_space space, struct sim_lanes *lanes, unsigned bytes, bool *done) {
    struct check_site *site = &w->check->launch->sites[op->site];
    enum check_drop dropped = check_drop(w, in, op, space, lanes, bytes);
    *done = dropped != CHECK_DROP_ALL;
    if (dropped == CHECK_DROP_ALL || dropped == CHECK_DROP_FAULT ||
        !(w->check->launch->checks & (SIM_CHECK_INIT | SIM_CHECK_RACE)))
        return false;
    check_words_find(site, lanes, bytes);
    site->quiet_version = 0;
    w->worker->sites[op->site].pattern.split = false;
    return true;
}

bool sim_check_lanes(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                     enum sim_space space, struct sim_lanes *lanes, unsigned bytes) {
    bool done;
    if (!gather(w, in, op, space, lanes, bytes, &done))
        return done;
    look(w, in, op, space, lanes, bytes, &w->check->launch->sites[op->site]);
    return true;
}

/* Another block's shared memory exists from that block's start to its end.  The block cannot end before a
 * strong access that it may be waiting for. */
static void visit(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                  struct sim_block *owner, const struct sim_lanes *lanes) {
    struct check_block *b = w->check;
    if (!(b->launch->checks & SIM_CHECK_SYNC))
        return;
    uint64_t address = lanes->address[lanes->first];
    const struct check_side by = {check_code(w), in->index, b->linear, SIM_LANES * w->index + lanes->first};
    if (!check_is_strong(op))
        owner->check->visits[w->block->rank] = (struct check_visit){
            by, {.stamp = check_stamp(b, w->index), .block = b->linear, .warp = (uint8_t)w->index}, address};
    if (b->view)
        return; /* this block has acquired something from another */
    struct sim_finding *f = check_report_sides(b->launch, SIM_FINDING_BLOCK_NOT_THERE, address, &by, NULL);
    if (f)
        snprintf(f->text, sizeof f->text,
                 "%s shared memory of block %u of the cluster, which may not have begun: no barrier.cluster "
                 "comes before",
                 op->access == SIM_ACCESS_LOAD ? "loads from" : "writes to", owner->rank);
}

void sim_check_block_end(struct sim_block *block) {
    struct check_block *b = block->check;
    for (uint32_t rank = 0; rank < block->cluster->size; rank++) {
        const struct check_visit *v = &b->visits[rank];
        if (!v->by.code || check_released(b, &v->event))
            continue;
        struct sim_finding *f =
            check_report_sides(b->launch, SIM_FINDING_BLOCK_NOT_THERE, v->address, &v->by, NULL);
        if (f)
            snprintf(f->text, sizeof f->text,
                     "reaches shared memory of block %u of the cluster, which may have ended: no "
                     "barrier.cluster comes after",
                     block->rank);
    }
}

bool sim_check_far(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                   struct sim_block *owner, struct sim_lanes *lanes, unsigned bytes) {
    struct check_site *site = &w->check->launch->sites[op->site];
    bool done;
    visit(w, in, op, owner, lanes);
    if (!gather(w, in, op, SIM_SPACE_SHARED, lanes, bytes, &done))
        return done;
    if (op->access != SIM_ACCESS_LOAD)
        check_changed(owner->check);
    if (w->check->launch->checks & SIM_CHECK_INIT)
        check_init_shared(w, in, op, owner->check, lanes, bytes, site);
    if (w->check->launch->checks & SIM_CHECK_RACE)
        check_races_far(w, in, op, lanes, bytes, site, owner);
    return true;
}
