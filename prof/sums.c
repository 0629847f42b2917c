#include "prof/sums.h"

void prof_sums_add(struct prof_sums *to, const struct prof_sums *more) {
#define ADD(name) to->c.name += more->c.name;
    WL_COUNTER_MAP(ADD)
#undef ADD
    to->branches += more->branches;
    to->divergent += more->divergent;
    to->outside += more->outside;
    to->shared_load_conflicts += more->shared_load_conflicts;
    to->shared_store_conflicts += more->shared_store_conflicts;
}

void prof_sums_scale(struct prof_sums *sums, uint64_t times) {
#define SCALE(name) sums->c.name *= times;
    WL_COUNTER_MAP(SCALE)
#undef SCALE
    sums->branches *= times;
    sums->divergent *= times;
    sums->outside *= times;
    sums->shared_load_conflicts *= times;
    sums->shared_store_conflicts *= times;
}
