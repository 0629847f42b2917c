/* Bad addresses: finds the lanes that have one and reports them, so that the others can continue. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/exec/check/state.h"
#include "sim/exec/memory/access.h"

static uint64_t local_limit(const struct sim_warp *w) {
    return sim_access_limit(w, SIM_SPACE_LOCAL);
}

/* Whether the size bytes from address on are in one of the block's parts of shared memory.  Only this check
 * knows of the gaps between them: without it, an access to a gap does not stop the launch. */
static bool in_shared(const struct check_block *b, uint64_t address, uint64_t size) {
    if (!(b->launch->checks & SIM_CHECK_MEMORY))
        return sim_within(address, size, 4 * (uint64_t)b->words - 4);
    for (int i = 0; i < CHECK_RANGES; i++)
        if (sim_within(address - b->ranges[i][0], size, b->ranges[i][1] - b->ranges[i][0]))
            return true;
    return false;
}

bool check_find_site(const struct sim_warp *w, struct check_site *site, uint64_t address, unsigned bytes) {
    if (sim_within(address - site->base, bytes, site->end - site->base))
        return true;
    struct sim_allocation found;
    if (!sim_memory_find(w->worker->launch->memory, address, bytes, &found) ||
        !sim_launch_may(w->worker->launch, &found))
        return false;
    site->base = found.base;
    site->end = found.kind == SIM_MEMORY_HEAP ? found.base : found.base + found.size;
    site->shadow = check_shadow_of(w->check->launch->check, &found);
    return true;
}

static bool is_inside(const struct sim_warp *w, struct check_site *site, enum sim_space space,
                      uint64_t address, unsigned bytes) {
    if (space == SIM_SPACE_GLOBAL)
        return check_find_site(w, site, address, bytes);
    if (space == SIM_SPACE_SHARED)
        return in_shared(w->check, address, bytes);
    return sim_within(address - SIM_LOCAL_BELOW, bytes, local_limit(w) - SIM_LOCAL_BELOW);
}

bool check_inside(const struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                  const struct sim_lanes *lanes, unsigned bytes, const struct sim_pattern *p) {
    const struct check_site *site = &w->check->launch->sites[op->site];
    uint64_t base = lanes->address[lanes->first];
    uint64_t begin = base + p->low, size = p->span;
    if ((base | p->misaligned) & (bytes - 1))
        return false;
    if (space == SIM_SPACE_GLOBAL)
        return sim_within(begin - site->base, size, site->end - site->base);
    return space == SIM_SPACE_SHARED
               ? in_shared(w->check, begin, size)
               : sim_within(begin - SIM_LOCAL_BELOW, size, local_limit(w) - SIM_LOCAL_BELOW);
}

/* "1 byte after the kernel's dynamic shared memory (1024 bytes)" */
static void describe_shared(const struct check_block *b, uint64_t address, char *text, size_t size) {
    static const char *const names[CHECK_RANGES] = {"the module's static", "the kernel's static",
                                                    "the dynamic", "the system's"};
    int near = -1;
    uint64_t distance = UINT64_MAX;
    bool after = false;
    for (int i = 0; i < CHECK_RANGES; i++) {
        uint64_t begin = b->ranges[i][0], end = b->ranges[i][1];
        if (begin == end)
            continue;
        /* The ranges ascend: one that begins below the address is nearer to it than the earlier ones. */
        if (address >= begin || begin - address < distance) {
            near = i;
            after = address >= begin;
            distance = !after ? begin - address : address < end ? 0 : address - end + 1;
        }
    }
    if (near < 0)
        snprintf(text, size, "the block has no shared memory");
    else if (!distance)
        snprintf(text, size, "it crosses the end of %s shared memory (%" PRIu64 " bytes)", names[near],
                 b->ranges[near][1] - b->ranges[near][0]);
    else
        snprintf(text, size, "%" PRIu64 " byte%s %s %s shared memory (%" PRIu64 " bytes)", distance,
                 distance == 1 ? "" : "s", after ? "after" : "before", names[near],
                 b->ranges[near][1] - b->ranges[near][0]);
}

static void report(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                   enum sim_space space, unsigned lane, uint64_t address, unsigned bytes) {
    const char *what = sim_access_name(op->access, op->texture), *where = sim_space_name(space);
    const struct sim_code *code = check_code(w);
    struct sim_finding *f;
    if (space == SIM_SPACE_LOCAL)
        address -= SIM_LOCAL_BELOW;
    if (address & (bytes - 1)) {
        f = check_report(w, code, in, lane, SIM_FINDING_MISALIGNED, address);
        if (f)
            snprintf(f->text, sizeof f->text, "%u-byte %s %s at 0x%" PRIx64 ", which is no multiple of %u",
                     bytes, where, what, address, bytes);
        return;
    }
    char near[256] = "out of bounds: ";
    const size_t start = strlen(near);
    bool freed = false;
    if (space == SIM_SPACE_GLOBAL)
        freed = sim_launch_describe(w->worker->launch, address, near, sizeof near);
    else if (space == SIM_SPACE_SHARED)
        describe_shared(w->check, address, near + start, sizeof near - start);
    else
        snprintf(near + start, sizeof near - start, "a thread has %" PRIu64 " bytes",
                 local_limit(w) - SIM_LOCAL_BELOW);
    f = check_report(w, code, in, lane, freed ? SIM_FINDING_USE_AFTER_FREE : SIM_FINDING_OUT_OF_BOUNDS,
                     address);
    if (f)
        snprintf(f->text, sizeof f->text, "%u-byte %s %s at %s0x%" PRIx64 " is %s", bytes, where, what,
                 space == SIM_SPACE_GLOBAL ? "" : "offset ", address, near);
}

static void zero_results(struct sim_warp *w, const struct sim_memop *op, uint32_t lanes) {
    const int32_t *reg = op->access == SIM_ACCESS_LOAD ? op->reg : op->reg + 4;
    if (op->slot == SIM_NONE || op->access == SIM_ACCESS_STORE || op->access == SIM_ACCESS_RED)
        return;
    for (unsigned e = 0; e < op->count; e++)
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            if (op->slot == SIM_64)
                ((uint64_t *)SIM_SLOT(w, reg[e]))[i] = 0;
            else
                ((uint32_t *)SIM_SLOT(w, reg[e]))[i] = 0;
        }
}

enum check_drop check_drop(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                           enum sim_space space, struct sim_lanes *lanes, unsigned bytes) {
    struct check_site *site = &w->check->launch->sites[op->site];
    uint32_t bad = 0;
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t address = lanes->address[i];
        if (address & (bytes - 1) || !is_inside(w, site, space, address, bytes))
            bad |= 1u << i;
    }
    if (!bad)
        return CHECK_DROP_NONE;
    if (!(w->check->launch->checks & SIM_CHECK_MEMORY))
        return CHECK_DROP_FAULT;
    for (uint32_t left = bad; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        report(w, in, op, space, i, lanes->address[i], bytes);
    }
    zero_results(w, op, bad);
    lanes->mask &= ~bad;
    if (!lanes->mask)
        return CHECK_DROP_ALL;
    lanes->first = (unsigned)__builtin_ctz(lanes->mask);
    for (unsigned i = 0; i < SIM_LANES; i++)
        if (!(lanes->mask >> i & 1))
            lanes->address[i] = lanes->address[lanes->first];
    return CHECK_DROP_SOME;
}

bool sim_check_bounds(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                      enum sim_space space, struct sim_lanes *lanes, unsigned bytes) {
    return check_drop(w, in, op, space, lanes, bytes) != CHECK_DROP_ALL;
}

bool sim_check_no_texture(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                          uint32_t lanes, uint64_t handle, bool destroyed) {
    if (!(w->check->launch->checks & SIM_CHECK_MEMORY))
        return false;
    struct sim_finding *f =
        check_report(w, check_code(w), in, (unsigned)__builtin_ctz(lanes),
                     destroyed ? SIM_FINDING_USE_AFTER_FREE : SIM_FINDING_OUT_OF_BOUNDS, handle);
    if (f)
        snprintf(f->text, sizeof f->text, "texture fetch through object 0x%" PRIx64 ", which %s", handle,
                 destroyed ? "was destroyed" : "does not exist");
    zero_results(w, op, lanes);
    return true;
}
