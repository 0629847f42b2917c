/* An access under the checks: first its bounds, then unwritten bytes and races. */
#include "sim/exec/access.h"
#include "sim/check/state.h"

static void look(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                 enum sim_space space, const struct sim_lanes *lanes, unsigned bytes,
                 struct check_site *site) {
    unsigned checks = w->check->launch->checks;
    /* First what was unwritten, since both look at what was before this access. */
    if (checks & SIM_CHECK_INIT)
        check_init(w, in, op, space, lanes, bytes, site);
    if (checks & SIM_CHECK_RACE && space != SIM_SPACE_LOCAL)
        check_races(w, in, op, space, lanes, bytes, site);
}

bool sim_check_access(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                      enum sim_space space, struct sim_lanes *lanes, unsigned bytes) {
    struct sim_pattern *p = &w->worker->sites[op->site].pattern;
    struct check_site *site = &w->check->launch->sites[op->site];
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
        p->split = true;
    }
    look(w, in, op, space, lanes, bytes, site);
    return true;
}

bool sim_check_lanes(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                     enum sim_space space, struct sim_lanes *lanes, unsigned bytes) {
    struct check_site *site = &w->check->launch->sites[op->site];
    enum check_drop dropped = check_drop(w, in, op, space, lanes, bytes);
    if (dropped == CHECK_DROP_ALL || dropped == CHECK_DROP_FAULT)
        return dropped == CHECK_DROP_FAULT;
    if (!(w->check->launch->checks & (SIM_CHECK_INIT | SIM_CHECK_RACE)))
        return true;
    check_words_find(site, lanes, bytes);
    w->worker->sites[op->site].pattern.split = false;
    look(w, in, op, space, lanes, bytes, site);
    return true;
}
