#include "sim/cuda/record/profile_samples.h"

enum { LANES = 32 };

static void put_field(struct profile_text *text, const char *name, uint64_t value) {
    profile_put_name(text, name);
    profile_put_number(text, value);
}

static void put_flag(struct profile_text *text, const char *name, bool set) {
    if (!set)
        return;
    profile_put_name(text, name);
    profile_put(text, "true");
}

static void put_word(struct profile_text *text, const char *name, const char *word) {
    profile_put_name(text, name);
    profile_put_string(text, word);
}

/* ---------------------------------------------------------------- kinds */

/* Whether the lanes that take part lie evenly; then *stride is how far apart neighbours are.  One lane does
 * not. */
static bool has_stride(const struct sim_kind *kind, unsigned first, int64_t *stride) {
    const uint32_t mask = kind->access.mask;
    const uint32_t others = mask & (mask - 1);
    if (!others)
        return false;
    const unsigned second = (unsigned)__builtin_ctz(others);
    const uint64_t apart = kind->address[second] - kind->address[first];
    *stride = (int64_t)apart / (int64_t)(second - first);
    for (uint32_t left = others; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (kind->address[lane] - kind->address[first] != (uint64_t)*stride * (lane - first))
            return false;
    }
    return true;
}

static void put_lanes(struct profile_text *text, const struct sim_kind *kind) {
    const unsigned first = (unsigned)__builtin_ctz(kind->access.mask);
    int64_t stride;
    put_field(text, "mask", kind->access.mask);
    put_field(text, "address", kind->address[first]);
    if (has_stride(kind, first, &stride)) {
        profile_put_name(text, "stride");
        profile_put_signed(text, stride);
        return;
    }
    profile_put_name(text, "offsets");
    for (unsigned lane = 0; lane < LANES; lane++) {
        profile_put(text, lane ? "," : "[");
        profile_put_signed(
            text, kind->access.mask >> lane & 1 ? (int64_t)(kind->address[lane] - kind->address[first]) : 0);
    }
    profile_put(text, "]");
}

static void put_kind(struct profile_text *text, const struct sim_kind *kind) {
    static const char *const spaces[] = {
        [SIM_SAMPLE_GLOBAL] = "global",
        [SIM_SAMPLE_SHARED] = "shared",
        [SIM_SAMPLE_LOCAL] = "local",
        [SIM_SAMPLE_CLUSTER] = "cluster",
    };
    static const char *const accesses[] = {
        [COUNT_LOAD] = "load",
        [COUNT_STORE] = "store",
        [COUNT_ATOM] = "atomic",
        [COUNT_RED] = "reduction",
    };
    profile_put(text, "{");
    put_word(text, "space", spaces[kind->space]);
    put_field(text, "requests", kind->requests);
    put_field(text, "transactions", kind->transactions);
    put_field(text, "moved", kind->moved);
    put_field(text, "useful", kind->useful);
    profile_put_name(text, "block");
    for (int d = 0; d < 3; d++) {
        profile_put(text, d ? "," : "[");
        profile_put_number(text, kind->block[d]);
    }
    profile_put(text, "]");
    put_field(text, "warp", kind->warp);
    put_word(text, "access", accesses[kind->access.kind]);
    put_flag(text, "skips_l1", kind->access.skips_l1);
    put_flag(text, "increment", kind->access.increment);
    put_flag(text, "compare", kind->access.compare);
    put_field(text, "bytes", kind->access.width);
    put_lanes(text, kind);
    profile_put(text, "}");
}

/* By space, then by requests, then by transactions: the order does not depend on which worker saw a kind
 * first. */
static bool comes_first(const struct sim_kind *a, const struct sim_kind *b) {
    if (a->space != b->space)
        return a->space < b->space;
    if (a->requests != b->requests)
        return a->requests > b->requests;
    return a->transactions < b->transactions;
}

static void sort(struct sim_kind **kinds) {
    struct sim_kind *sorted = NULL;
    for (struct sim_kind *kind = *kinds, *next; kind; kind = next) {
        next = kind->next;
        struct sim_kind **at = &sorted;
        while (*at && comes_first(*at, kind))
            at = &(*at)->next;
        kind->next = *at;
        *at = kind;
    }
    *kinds = sorted;
}

void profile_kinds_put(struct sim_kind **kinds, struct profile_text *text) {
    sort(kinds);
    profile_put(text, "[");
    for (const struct sim_kind *kind = *kinds; kind; kind = kind->next) {
        if (kind != *kinds)
            profile_put(text, ",");
        put_kind(text, kind);
    }
    profile_put(text, "]");
}

/* ---------------------------------------------------------------- arrays */

static uint64_t value(const struct sim_cell *cell, int way, bool moved) {
    return moved ? cell->moved[way] : cell->useful[way];
}

static void put_series(struct profile_text *text, const char *name, const struct sim_array *array, int way,
                       bool moved) {
    unsigned count = array->cells;
    while (count && !value(&array->cell[count - 1], way, moved))
        count--;
    if (!count)
        return;
    profile_put_name(text, name);
    for (unsigned i = 0; i < count; i++) {
        profile_put(text, i ? "," : "[");
        profile_put_number(text, value(&array->cell[i], way, moved));
    }
    profile_put(text, "]");
}

void profile_array_put(const struct sim_array *array, struct profile_text *text) {
    profile_put(text, text->size ? ",{" : "{");
    put_field(text, "serial", array->serial);
    put_field(text, "address", array->base);
    put_field(text, "size", array->size);
    put_field(text, "cell", (uint64_t)1 << array->shift);
    put_series(text, "read_useful", array, SIM_CELL_READ, false);
    put_series(text, "read_moved", array, SIM_CELL_READ, true);
    put_series(text, "written_useful", array, SIM_CELL_WRITTEN, false);
    put_series(text, "written_moved", array, SIM_CELL_WRITTEN, true);
    profile_put(text, "}");
}
