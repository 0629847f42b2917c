#include "sim/exec/memory/access.h"

#include <stdio.h>
#include <string.h>

#define MAX_SPREAD (UINT64_C(1) << 62)

/* A single lane has no stride. */
static void learn_stride(struct sim_stride *stride, const struct sim_lanes *lanes) {
    uint32_t left = lanes->mask & (lanes->mask - 1);
    if (stride->state == SIM_STRIDE_MIXED || !left)
        return;
    unsigned before = lanes->first;
    for (; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        int64_t apart = (int64_t)(lanes->address[lane] - lanes->address[before]);
        int64_t lanes_apart = (int64_t)(lane - before);
        if (stride->state == SIM_STRIDE_NONE && apart % lanes_apart == 0)
            *stride = (struct sim_stride){SIM_STRIDE_ONE, apart / lanes_apart};
        /* Invalid addresses may wrap: the product is modulo 2^64, like the difference. */
        if (stride->state == SIM_STRIDE_NONE ||
            (uint64_t)apart != (uint64_t)stride->bytes * (uint64_t)lanes_apart) {
            stride->state = SIM_STRIDE_MIXED;
            return;
        }
        before = lane;
    }
}

void sim_access_learn(struct sim_site_tally *site, const struct sim_lanes *lanes, unsigned bytes) {
    struct sim_pattern *p = &site->pattern;
    uint64_t base = lanes->address[lanes->first];
    int64_t low = 0, high = 0;
    uint64_t misaligned = 0;
    bool uniform = lanes->mask == SIM_ALL_LANES, contiguous = uniform;
    for (unsigned i = 0; i < SIM_LANES; i++) {
        uint64_t delta = lanes->address[i] - base;
        p->delta[i] = delta;
        misaligned |= delta;
        uint64_t in_half = delta - p->delta[i & 16];
        uniform &= in_half == 0;
        contiguous &= in_half == (uint64_t)(i & 15) * bytes;
        if ((int64_t)delta < low)
            low = (int64_t)delta;
        if ((int64_t)delta > high)
            high = (int64_t)delta;
    }
    p->bytes = (uint16_t)bytes;
    p->split = false;
    p->uniform = uniform;
    p->contiguous = contiguous;
    p->mask = lanes->mask;
    p->phases = 0;
    /* Lanes may be as far apart as the address space, and with the last bytes added their span would wrap to
     * 0.  No memory is even half that large. */
    uint64_t spread = (uint64_t)high - (uint64_t)low;
    p->low = (uint64_t)low;
    p->span = spread > MAX_SPREAD ? MAX_SPREAD : spread + bytes;
    p->misaligned = misaligned;
    learn_stride(&site->stride, lanes);
}

/* The access as the rules count it.  wide: room for the lanes, if it is counted as a wider one. */
static struct count_access as_counted(const struct sim_memop *op, enum sim_space space,
                                      const struct sim_lanes *lanes, unsigned bytes, struct sim_lanes *wide) {
    static const enum count_kind kinds[] = {
        [SIM_ACCESS_LOAD] = COUNT_LOAD,
        [SIM_ACCESS_STORE] = COUNT_STORE,
        [SIM_ACCESS_ATOM] = COUNT_ATOM,
        [SIM_ACCESS_RED] = COUNT_RED,
    };
    if (op->merged) {
        *wide = *lanes;
        for (unsigned i = 0; i < SIM_LANES; i++)
            wide->address[i] += (uint64_t)(int64_t)op->shift;
        lanes = wide;
        bytes = op->merged;
    }
    return (struct count_access){
        .kind = kinds[op->access],
        .skips_l1 = op->skips_l1,
        .increment = op->increment,
        .compare = space == SIM_SPACE_SHARED && (op->loops_shared || op->atomic == SIM_ATOMIC_CAS),
        .width = bytes,
        .mask = lanes->mask,
        .address = lanes->address,
    };
}

struct count_result sim_access_cost(struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                                    const struct sim_lanes *lanes, unsigned bytes) {
    struct sim_lanes wide;
    const struct count_access access = as_counted(op, space, lanes, bytes, &wide);
    const struct count_rules *rules = w->worker->launch->rules;
    if (space == SIM_SPACE_SHARED) {
        w->worker->sites[op->site].pattern.unsure |= count_shared_unsure(rules, &access);
        return count_shared(rules, &access);
    }
    return space == SIM_SPACE_LOCAL ? count_local(rules, &access) : count_global(rules, &access);
}

void sim_access_sample(struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                       const struct sim_lanes *lanes, unsigned bytes, const struct count_result *cost) {
    static const enum sim_sample_space spaces[] = {
        [SIM_SPACE_GLOBAL] = SIM_SAMPLE_GLOBAL,
        [SIM_SPACE_SHARED] = SIM_SAMPLE_SHARED,
        [SIM_SPACE_LOCAL] = SIM_SAMPLE_LOCAL,
        [SIM_SPACE_CLUSTER] = SIM_SAMPLE_CLUSTER,
    };
    const struct sim_pattern *p = &w->worker->sites[op->site].pattern;
    struct sim_site_sample *site = &w->worker->samples->sites[op->site];
    const int way = op->access == SIM_ACCESS_LOAD ? SIM_CELL_READ : SIM_CELL_WRITTEN;
    const bool again = sim_sample_again(site, spaces[space], cost),
               placed = space != SIM_SPACE_GLOBAL ||
                        sim_sample_part(site, lanes->address[lanes->first] + p->low, p->span, way, cost);
    if (again && placed)
        return;
    struct sim_lanes wide;
    const struct count_access access = as_counted(op, space, lanes, bytes, &wide);
    if (!again)
        sim_sample_kind(w, op->site, spaces[space], &access, cost);
    if (!placed)
        sim_sample_lanes(w->worker, op->site, &access, way, cost);
}

const char *sim_space_name(enum sim_space space) {
    return space == SIM_SPACE_SHARED ? "shared" : space == SIM_SPACE_LOCAL ? "local" : "global";
}

const char *sim_access_name(enum sim_access access, bool texture) {
    static const char *const names[] = {"load", "store", "atomic", "reduction"};
    return texture ? "texture fetch" : names[access];
}

/* The block's storage for an address of shared memory: in it; past its end, in the allocation granule; or in
 * the system's part below it, whose addresses are negative here.  False: a fault. */
static bool find_shared(const struct sim_worker *worker, uint64_t address, unsigned bytes, uint64_t *at) {
    const uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32);
    *at = address;
    if (sim_within(address, bytes, worker->shared_end))
        return true;
    if (!worker->shared_below || low < UINT32_MAX - SIM_RESERVED_SHARED + 1 || (high && ~high))
        return false;
    *at = worker->shared_below + (low - (UINT32_MAX - SIM_RESERVED_SHARED + 1));
    return true; /* aligned to its width, so it cannot cross the end */
}

_Noreturn void sim_access_fault(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                                enum sim_space space, const struct sim_lanes *lanes, unsigned bytes) {
    uint64_t limit = sim_access_limit(w, space);
    unsigned lane = lanes->first;
    bool aligned = true;
    for (unsigned i = 0; i < SIM_LANES; i++) {
        uint64_t address = lanes->address[i];
        if (!(lanes->mask >> i & 1))
            continue;
        if (address & (bytes - 1)) {
            lane = i;
            aligned = false;
            break;
        }
        uint64_t at;
        bool outside = space == SIM_SPACE_GLOBAL   ? !sim_launch_reaches(w->worker->launch, address, bytes)
                       : space == SIM_SPACE_SHARED ? !find_shared(w->worker, address, bytes, &at)
                                                   : !sim_within(address, bytes, limit + SIM_LOCAL_ABOVE);
        if (outside) {
            lane = i;
            break;
        }
    }
    uint64_t address = lanes->address[lane];
    const char *what = sim_access_name(op->access, op->texture), *where = sim_space_name(space);
    if (!aligned)
        sim_fault_raise(w, in, lane, SIM_FAULT_MISALIGNED, address,
                        "%u-byte %s %s at 0x%llx, which is no multiple of %u", bytes, where, what,
                        (unsigned long long)address, bytes);
    if (space == SIM_SPACE_LOCAL) {
        address -= SIM_LOCAL_BELOW;
        limit -= SIM_LOCAL_BELOW;
    }
    if (space != SIM_SPACE_GLOBAL)
        sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, address,
                        "%u-byte %s %s at offset 0x%llx is out of bounds: there are %llu bytes", bytes, where,
                        what, (unsigned long long)address, (unsigned long long)limit);
    char why[256];
    sim_launch_describe(w->worker->launch, address, why, sizeof why);
    sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, address, "%u-byte %s %s at 0x%llx is %s", bytes, where,
                    what, (unsigned long long)address, why);
}

bool sim_access_slack(struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                      struct sim_lanes *lanes, unsigned bytes) {
    struct sim_site_tally *site = &w->worker->sites[op->site];
    const uint64_t low = space == SIM_SPACE_LOCAL ? SIM_LOCAL_BELOW : 0, limit = sim_access_limit(w, space);
    uint64_t at[SIM_LANES], outside = 0;
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t address = lanes->address[i];
        at[i] = address;
        outside += !sim_within(address - low, bytes, limit - low);
        if (space == SIM_SPACE_SHARED ? !find_shared(w->worker, address, bytes, &at[i])
                                      : !sim_within(address, bytes, limit + SIM_LOCAL_ABOVE))
            return false;
    }
    if (space == SIM_SPACE_LOCAL)
        sim_local_reserve(w, limit + SIM_LOCAL_ABOVE);
    for (unsigned i = 0; i < SIM_LANES; i++)
        lanes->address[i] = at[lanes->mask >> i & 1 ? i : lanes->first];
    site->outside += outside;
    sim_access_learn(site, lanes, bytes);
    return true;
}

bool sim_launch_may(const struct sim_launch *launch, const struct sim_allocation *allocation) {
    return allocation->access & SIM_ACCESS_OF(sim_memory_device(launch->memory)) ||
           (allocation->access & SIM_ACCESS_BY_PEERS && launch->peers >> allocation->device & 1);
}

bool sim_launch_reaches(const struct sim_launch *launch, uint64_t address, size_t size) {
    struct sim_allocation found;
    return (sim_memory_find(launch->memory, address, size, &found) ||
            sim_memory_slack(launch->memory, address, size, &found)) &&
           sim_launch_may(launch, &found);
}

bool sim_launch_describe(const struct sim_launch *launch, uint64_t address, char *text, size_t size) {
    struct sim_allocation found;
    char where[160];
    const bool freed = sim_memory_describe(launch->memory, address, where, sizeof where);
    if (!sim_memory_find(launch->memory, address, 1, &found) || sim_launch_may(launch, &found))
        snprintf(text, size, "%s: %s", freed ? "in freed memory" : "out of bounds", where);
    else
        snprintf(text, size, "in memory of device %u, to which device %u has no %saccess: call %s",
                 found.device, sim_memory_device(launch->memory),
                 found.access & SIM_ACCESS_BY_PEERS ? "peer " : "",
                 found.access & SIM_ACCESS_BY_PEERS ? "cuCtxEnablePeerAccess or cudaDeviceEnablePeerAccess"
                                                    : "cuMemPoolSetAccess or cudaMemPoolSetAccess");
    return freed;
}

/* Host and managed memory is the device's own: what crosses there is another matter. */
static bool is_peers(const struct sim_launch *launch, const struct sim_allocation *found) {
    return found->device != sim_memory_device(launch->memory) && found->access != SIM_ACCESS_ALL;
}

bool sim_launch_crosses(const struct sim_launch *launch, uint64_t address, size_t size) {
    struct sim_allocation found;
    return sim_memory_devices(launch->memory) > 1 && sim_memory_find(launch->memory, address, size, &found) &&
           is_peers(launch, &found);
}

/* The cost of all of a request's lanes, if the site stores it: the pattern is that of these lanes. */
static const struct count_result *known_cost(const struct sim_pattern *p, const struct sim_lanes *lanes,
                                             unsigned bytes) {
    const uint64_t base = lanes->address[lanes->first];
    const unsigned phase = base >> 2 & 31;
    return p->mask == lanes->mask && p->space == SIM_SPACE_GLOBAL && p->bytes == bytes && base % 4 == 0 &&
                   p->phases >> phase & 1
               ? &p->costs[phase]
               : NULL;
}

/* Counts the lanes in the mask. */
static void count_peers(struct sim_warp *w, const struct sim_memop *op, const struct sim_lanes *lanes,
                        uint32_t mask, unsigned bytes) {
    struct sim_site_tally *site = &w->worker->sites[op->site];
    site->by[SIM_SPACE_PEER].requests++;
    const struct count_result *known = mask == lanes->mask ? known_cost(&site->pattern, lanes, bytes) : NULL;
    if (known) {
        site->by[SIM_SPACE_PEER].transactions += known->transactions;
        return;
    }
    struct sim_lanes peers = *lanes;
    peers.mask = mask;
    peers.first = (unsigned)__builtin_ctz(mask);
    for (unsigned i = 0; i < SIM_LANES; i++)
        peers.address[i] = lanes->address[mask >> i & 1 ? i : peers.first];
    const struct count_result cost = sim_access_cost(w, op, SIM_SPACE_GLOBAL, &peers, bytes);
    site->by[SIM_SPACE_PEER].transactions += cost.transactions;
}

void sim_access_count_peers(struct sim_warp *w, const struct sim_memop *op, const struct sim_lanes *lanes,
                            unsigned bytes) {
    if (sim_memory_devices(w->worker->launch->memory) == 1)
        return;
    uint32_t mask = 0;
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        mask |= (uint32_t)sim_launch_crosses(w->worker->launch, lanes->address[i], 1) << i;
    }
    if (mask)
        count_peers(w, op, lanes, mask, bytes);
}

/* Each lane's range must be in one allocation, or in slack that hardware permits, which is counted.  Caches
 * the last allocation found for the next access, unless the kernel itself may free it, or it is another
 * device's: accesses to that always come here, which counts them, and those to the device's own memory cost
 * nothing for it. */
void sim_access_check_global(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                             struct sim_site_tally *site, const struct sim_lanes *lanes, unsigned bytes) {
    const struct sim_launch *launch = w->worker->launch;
    struct sim_memory *memory = launch->memory;
    struct sim_allocation found = {0};
    bool outside = false, peers = false;
    uint32_t crossing = 0;
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t address = lanes->address[i];
        if (!sim_within(address - found.base, bytes, found.size)) {
            outside = !sim_memory_find(memory, address, bytes, &found);
            if ((outside && !sim_memory_slack(memory, address, bytes, &found)) ||
                !sim_launch_may(launch, &found))
                sim_access_fault(w, in, op, SIM_SPACE_GLOBAL, lanes, bytes);
            peers = is_peers(launch, &found);
            if (!outside && !peers && found.kind != SIM_MEMORY_HEAP) {
                site->allowed_base = found.base;
                site->allowed_end = found.base + found.size;
            }
        }
        site->outside += outside;
        crossing |= (uint32_t)peers << i;
    }
    /* Constants are no global loads.  atomic.c counts the loops that ptxas makes of atomics. */
    if (crossing && op->space != SIM_SPACE_CONST && !op->uncounted && !op->texture && !(op->loops && op->to))
        count_peers(w, op, lanes, crossing, bytes);
}

/* The rank of the block in an address of shared memory. */
static uint64_t rank_of(const struct sim_warp *w, uint64_t address) {
    uint64_t named = address >> SIM_RANK_SHIFT;
    return named ? named - 1 : w->block->rank;
}

struct sim_block *sim_shared_owner(struct sim_warp *w, const struct sim_insn *in, unsigned lane,
                                   enum sim_space space, uint64_t address) {
    const struct sim_cluster *cluster = w->block->cluster;
    uint64_t rank = rank_of(w, address);
    if (rank >= cluster->size)
        sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, address,
                        "address 0x%llx is of shared memory of block %llu of a cluster of %u",
                        (unsigned long long)address, (unsigned long long)rank, cluster->size);
    struct sim_block *owner = cluster->blocks[rank];
    if (!owner)
        sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, address,
                        "address 0x%llx is of shared memory of block %llu of the cluster, which has ended",
                        (unsigned long long)address, (unsigned long long)rank);
    if (owner != w->block && space == SIM_SPACE_SHARED)
        sim_fault_raise(
            w, in, lane, SIM_FAULT_ADDRESS, address,
            "address 0x%llx is of shared memory of block %llu of the cluster, not of its own, which "
            "is all that the instruction reaches",
            (unsigned long long)address, (unsigned long long)rank);
    return owner;
}

struct sim_block *sim_lanes_take_block(struct sim_warp *w, const struct sim_insn *in, enum sim_space space,
                                       struct sim_lanes *lanes, const struct sim_lanes *all, uint32_t *left) {
    unsigned first = (unsigned)__builtin_ctz(*left);
    uint64_t rank = rank_of(w, all->address[first]);
    struct sim_block *owner = sim_shared_owner(w, in, first, space, all->address[first]);
    uint32_t mask = 0;
    for (unsigned i = 0; i < SIM_LANES; i++)
        if (*left >> i & 1 && rank_of(w, all->address[i]) == rank)
            mask |= 1u << i;
    for (unsigned i = 0; i < SIM_LANES; i++)
        lanes->address[i] = all->address[mask >> i & 1 ? i : first] & SIM_RANK_OFFSET;
    lanes->mask = mask;
    lanes->first = first;
    *left &= ~mask;
    return owner;
}

/* Checks the bounds and runs the checks, without counting. */
bool sim_access_far(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                    struct sim_block *owner, struct sim_lanes *lanes, unsigned bytes) {
    if (w->check && !sim_check_far(w, in, op, owner, lanes, bytes))
        return false;
    sim_access_pattern(w, op, SIM_SPACE_SHARED, lanes, bytes);
    sim_access_bounds(w, in, op, SIM_SPACE_SHARED, lanes, bytes);
    return true;
}

/* Counts as an H200 does: one request for any number of blocks, and sectors per block as in global memory. */
void sim_access_count_far(struct sim_warp *w, const struct sim_memop *op, const struct sim_lanes *all,
                          uint32_t mask, unsigned bytes) {
    struct sim_lanes far = *all;
    for (unsigned i = 0; i < SIM_LANES; i++)
        mask &= ~((uint32_t)(rank_of(w, all->address[i]) == w->block->rank) << i);
    if (!mask || op->uncounted)
        return;
    far.mask = mask;
    far.first = (unsigned)__builtin_ctz(mask);
    for (unsigned i = 0; i < SIM_LANES; i++)
        far.address[i] = all->address[mask >> i & 1 ? i : far.first];
    sim_access_pattern(w, op, SIM_SPACE_CLUSTER, &far, bytes);
    sim_access_count(w, op, SIM_SPACE_CLUSTER, &far, bytes);
}

enum sim_space sim_lanes_take_window(struct sim_warp *w, struct sim_lanes *lanes, const struct sim_lanes *all,
                                     uint32_t *left) {
    unsigned first = (unsigned)__builtin_ctz(*left);
    uint64_t window = all->address[first] & SIM_WINDOW_MASK, own = sim_rank_bits(w);
    uint32_t mask = 0;
    for (unsigned i = 0; i < SIM_LANES; i++)
        if (*left >> i & 1 && (all->address[i] & SIM_WINDOW_MASK) == window)
            mask |= 1u << i;
    for (unsigned i = 0; i < SIM_LANES; i++)
        lanes->address[i] = all->address[mask >> i & 1 ? i : first] - window;
    lanes->mask = mask;
    lanes->first = first;
    *left &= ~mask;
    switch (window) {
    case SIM_WINDOW_SHARED:
        for (unsigned i = 0; i < SIM_LANES && own; i++)
            lanes->address[i] -= lanes->address[i] >> SIM_RANK_SHIFT == own >> SIM_RANK_SHIFT ? own : 0;
        return SIM_SPACE_SHARED;
    case SIM_WINDOW_LOCAL:
        return SIM_SPACE_LOCAL;
    case SIM_WINDOW_PARAM:
        return SIM_SPACE_PARAM;
    default:
        /* Not in any window: restores the address, and the check for global memory rejects it. */
        for (unsigned i = 0; i < SIM_LANES; i++)
            lanes->address[i] += window;
        return SIM_SPACE_GLOBAL;
    }
}
