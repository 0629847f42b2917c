/* Special registers, address windows, and instructions that have no effect here. */
#include <string.h>
#include <time.h>

#include "sim/exec/check/hooks.h"
#include "sim/exec/clones.h"
#include "sim/exec/handlers.h"
#include "sim/exec/worker.h"

#define MULTIPROCESSORS 132

enum special {
    TID_X,
    TID_Y,
    TID_Z,
    NTID_X,
    NTID_Y,
    NTID_Z,
    CTAID_X,
    CTAID_Y,
    CTAID_Z,
    NCTAID_X,
    NCTAID_Y,
    NCTAID_Z,
    LANEID,
    WARPID,
    NWARPID,
    SMID,
    NSMID,
    GRIDID,
    LANEMASK_EQ,
    LANEMASK_LE,
    LANEMASK_LT,
    LANEMASK_GE,
    LANEMASK_GT,
    CLOCK,
    CLOCK_HI,
    CLOCK64,
    GLOBALTIMER,
    GLOBALTIMER_LO,
    GLOBALTIMER_HI,
    DYNAMIC_SMEM,
    TOTAL_SMEM,
    WORKSPACE_HI,
    WORKSPACE_LO,
    RESERVED_SMEM,
    CLUSTERID_X,
    CLUSTERID_Y,
    CLUSTERID_Z,
    NCLUSTERID_X,
    NCLUSTERID_Y,
    NCLUSTERID_Z,
    CLUSTER_CTAID_X,
    CLUSTER_CTAID_Y,
    CLUSTER_CTAID_Z,
    CLUSTER_NCTAID_X,
    CLUSTER_NCTAID_Y,
    CLUSTER_NCTAID_Z,
    CLUSTER_CTARANK,
    CLUSTER_NCTARANK,
    ZERO,
};

/* Without clusters, each block is a cluster of its own. */
static const struct {
    const char *name;
    enum special number;
    unsigned bytes;
} registers[] = {
    {"%tid.x", TID_X, 4},
    {"%tid.y", TID_Y, 4},
    {"%tid.z", TID_Z, 4},
    {"%ntid.x", NTID_X, 4},
    {"%ntid.y", NTID_Y, 4},
    {"%ntid.z", NTID_Z, 4},
    {"%ctaid.x", CTAID_X, 4},
    {"%ctaid.y", CTAID_Y, 4},
    {"%ctaid.z", CTAID_Z, 4},
    {"%nctaid.x", NCTAID_X, 4},
    {"%nctaid.y", NCTAID_Y, 4},
    {"%nctaid.z", NCTAID_Z, 4},
    {"%laneid", LANEID, 4},
    {"%warpid", WARPID, 4},
    {"%nwarpid", NWARPID, 4},
    {"%smid", SMID, 4},
    {"%nsmid", NSMID, 4},
    {"%gridid", GRIDID, 8},
    {"%lanemask_eq", LANEMASK_EQ, 4},
    {"%lanemask_le", LANEMASK_LE, 4},
    {"%lanemask_lt", LANEMASK_LT, 4},
    {"%lanemask_ge", LANEMASK_GE, 4},
    {"%lanemask_gt", LANEMASK_GT, 4},
    {"%clock", CLOCK, 4},
    {"%clock_hi", CLOCK_HI, 4},
    {"%clock64", CLOCK64, 8},
    {"%globaltimer", GLOBALTIMER, 8},
    {"%globaltimer_lo", GLOBALTIMER_LO, 4},
    {"%globaltimer_hi", GLOBALTIMER_HI, 4},
    {"%dynamic_smem_size", DYNAMIC_SMEM, 4},
    {"%total_smem_size", TOTAL_SMEM, 4},
    {"%envreg0", ZERO, 4},
    {"%envreg1", WORKSPACE_HI, 4},
    {"%envreg2", WORKSPACE_LO, 4},
    {SIM_RESERVED_REGISTER, RESERVED_SMEM, 4},
    {"%clusterid.x", CLUSTERID_X, 4},
    {"%clusterid.y", CLUSTERID_Y, 4},
    {"%clusterid.z", CLUSTERID_Z, 4},
    {"%nclusterid.x", NCLUSTERID_X, 4},
    {"%nclusterid.y", NCLUSTERID_Y, 4},
    {"%nclusterid.z", NCLUSTERID_Z, 4},
    {"%cluster_ctaid.x", CLUSTER_CTAID_X, 4},
    {"%cluster_ctaid.y", CLUSTER_CTAID_Y, 4},
    {"%cluster_ctaid.z", CLUSTER_CTAID_Z, 4},
    {"%cluster_nctaid.x", CLUSTER_NCTAID_X, 4},
    {"%cluster_nctaid.y", CLUSTER_NCTAID_Y, 4},
    {"%cluster_nctaid.z", CLUSTER_NCTAID_Z, 4},
    {"%cluster_ctarank", CLUSTER_CTARANK, 4},
    {"%cluster_nctarank", CLUSTER_NCTARANK, 4},
};

int sim_special_find(const char *name, unsigned *bytes) {
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (strcmp(registers[i].name, name) == 0) {
            *bytes = registers[i].bytes;
            return (int)registers[i].number;
        }
    return -1;
}

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Values that are the same for all threads of a block. */
static uint64_t block_value(const struct sim_warp *w, enum special number) {
    const struct sim_launch *launch = w->worker->launch;
    const uint32_t *cluster = w->worker->cluster;
    switch (number) {
    case NTID_X:
    case NTID_Y:
    case NTID_Z:
        return launch->block[number - NTID_X];
    case CTAID_X:
    case CTAID_Y:
    case CTAID_Z:
        return w->block->id[number - CTAID_X];
    case NCTAID_X:
    case NCTAID_Y:
    case NCTAID_Z:
        return launch->grid[number - NCTAID_X];
    case WARPID:
        return w->index;
    case NWARPID:
        return 64;
    case SMID:
        return w->block->linear % MULTIPROCESSORS;
    case NSMID:
        return MULTIPROCESSORS;
    case CLOCK:
    case CLOCK64:
    case GLOBALTIMER:
    case GLOBALTIMER_LO:
        return nanoseconds();
    case CLOCK_HI:
    case GLOBALTIMER_HI:
        return nanoseconds() >> 32;
    case DYNAMIC_SMEM:
        return launch->shared_bytes;
    case TOTAL_SMEM:
        return launch->shared_bytes + w->worker->code->shared_bytes;
    case WORKSPACE_HI:
        return w->worker->workspace >> 32;
    case WORKSPACE_LO:
        return w->worker->workspace;
    case RESERVED_SMEM:
        return w->worker->reserved;
    case CLUSTERID_X:
    case CLUSTERID_Y:
    case CLUSTERID_Z:
        return w->block->id[number - CLUSTERID_X] / cluster[number - CLUSTERID_X];
    case NCLUSTERID_X:
    case NCLUSTERID_Y:
    case NCLUSTERID_Z:
        return launch->grid[number - NCLUSTERID_X] / cluster[number - NCLUSTERID_X];
    case CLUSTER_CTAID_X:
    case CLUSTER_CTAID_Y:
    case CLUSTER_CTAID_Z:
        return w->block->id[number - CLUSTER_CTAID_X] % cluster[number - CLUSTER_CTAID_X];
    case CLUSTER_NCTAID_X:
    case CLUSTER_NCTAID_Y:
    case CLUSTER_NCTAID_Z:
        return cluster[number - CLUSTER_NCTAID_X];
    case CLUSTER_CTARANK:
        return w->block->rank;
    case CLUSTER_NCTARANK:
        return w->worker->cluster_size;
    default:
        return 0;
    }
}

static uint32_t lane_mask(enum special number, unsigned lane) {
    uint32_t self = 1u << lane, below = self - 1;
    switch (number) {
    case LANEMASK_EQ:
        return self;
    case LANEMASK_LE:
        return below | self;
    case LANEMASK_LT:
        return below;
    case LANEMASK_GE:
        return ~below;
    default:
        return ~(below | self);
    }
}

SIM_CLONES const struct sim_insn *sim_run_special32(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t *d = SIM_SLOT(w, in->d), mask = w->mask;
    enum special number = (enum special)in->small;
    if (number <= TID_Z) {
        const uint32_t *id = w->worker->thread_ids[w->index][number];
        for (unsigned i = 0; i < SIM_LANES; i++)
            d[i] = mask >> i & 1 ? id[i] : d[i];
    } else if (number >= LANEMASK_EQ && number <= LANEMASK_GT) {
        for (unsigned i = 0; i < SIM_LANES; i++)
            d[i] = mask >> i & 1 ? lane_mask(number, i) : d[i];
    } else if (number == LANEID) {
        for (unsigned i = 0; i < SIM_LANES; i++)
            d[i] = mask >> i & 1 ? i : d[i];
    } else {
        uint32_t value = (uint32_t)block_value(w, number);
        for (unsigned i = 0; i < SIM_LANES; i++)
            d[i] = mask >> i & 1 ? value : d[i];
    }
    return in + 1;
}

SIM_CLONES const struct sim_insn *sim_run_special64(struct sim_warp *w, const struct sim_insn *in) {
    uint64_t *d = SIM_SLOT(w, in->d), value = block_value(w, (enum special)in->small);
    for (unsigned i = 0; i < SIM_LANES; i++)
        d[i] = w->mask >> i & 1 ? value : d[i];
    return in + 1;
}

const struct sim_insn *sim_run_local_address32(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t *d = SIM_SLOT(w, in->d), value = (uint32_t)(w->strand->frame->local_base + (uint64_t)in->imm);
    for (unsigned i = 0; i < SIM_LANES; i++)
        d[i] = w->mask >> i & 1 ? value : d[i];
    return in + 1;
}

const struct sim_insn *sim_run_local_address64(struct sim_warp *w, const struct sim_insn *in) {
    uint64_t *d = SIM_SLOT(w, in->d), value = w->strand->frame->local_base + (uint64_t)in->imm;
    for (unsigned i = 0; i < SIM_LANES; i++)
        d[i] = w->mask >> i & 1 ? value : d[i];
    return in + 1;
}

SIM_CLONES const struct sim_insn *sim_run_explicit_cluster(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t *d = SIM_SLOT(w, in->d);
    const struct sim_launch *launch = w->worker->launch;
    bool given = launch->cluster[0] || launch->function->code->source->cluster[0];
    *d = (*d & ~w->mask) | (given ? w->mask : 0);
    return in + 1;
}

/* Converts a space's own address to a generic one, and back; global addresses are already generic.  In a
 * cluster a generic address of shared memory includes its block's rank, so other blocks can use it too. */
SIM_CLONES const struct sim_insn *sim_run_cvta_from(struct sim_warp *w, const struct sim_insn *in) {
    uint64_t *d = SIM_SLOT(w, in->d), window = (uint64_t)in->imm;
    const uint64_t *a = SIM_SLOT(w, in->a);
    uint64_t rank = window == SIM_WINDOW_SHARED ? sim_rank_bits(w) : 0;
    for (unsigned i = 0; i < SIM_LANES; i++)
        d[i] = w->mask >> i & 1 ? a[i] + window + (a[i] >> SIM_RANK_SHIFT ? 0 : rank) : d[i];
    return in + 1;
}

SIM_CLONES const struct sim_insn *sim_run_cvta_to(struct sim_warp *w, const struct sim_insn *in) {
    uint64_t *d = SIM_SLOT(w, in->d), window = (uint64_t)in->imm;
    const uint64_t *a = SIM_SLOT(w, in->a);
    uint64_t own = window == SIM_WINDOW_SHARED ? sim_rank_bits(w) : 0;
    for (unsigned i = 0; i < SIM_LANES; i++) {
        uint64_t to = a[i] - window;
        to -= to >> SIM_RANK_SHIFT == own >> SIM_RANK_SHIFT ? own : 0;
        d[i] = w->mask >> i & 1 ? to : d[i];
    }
    return in + 1;
}

/* small: only addresses of the block's own shared memory count */
const struct sim_insn *sim_run_isspacep(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t *d = SIM_SLOT(w, in->d), inside = 0;
    const uint64_t *a = SIM_SLOT(w, in->a);
    for (unsigned i = 0; i < SIM_LANES; i++) {
        uint64_t rank = (a[i] & ~SIM_WINDOW_MASK) >> SIM_RANK_SHIFT;
        bool here = (a[i] & SIM_WINDOW_MASK) == (uint64_t)in->imm;
        inside |= (uint32_t)(here && (!in->small || !rank || rank == w->block->rank + 1)) << i;
    }
    *d = (*d & ~w->mask) | (inside & w->mask);
    return in + 1;
}

/* mapa: the address of the same place in another block's shared memory. */
static uint64_t map_address(const struct sim_warp *w, uint64_t address, uint32_t rank) {
    if (w->worker->cluster_size == 1 && !rank)
        return address;
    uint64_t named = (rank < SIM_MAX_RANK ? rank : SIM_MAX_RANK) + 1;
    return (address & ~(uint64_t)UINT32_MAX) | named << SIM_RANK_SHIFT | (address & SIM_RANK_OFFSET);
}

const struct sim_insn *sim_run_mapa64(struct sim_warp *w, const struct sim_insn *in) {
    uint64_t *d = SIM_SLOT(w, in->d);
    const uint64_t *a = SIM_SLOT(w, in->a);
    const uint32_t *rank = SIM_SLOT(w, in->b);
    for (unsigned i = 0; i < SIM_LANES; i++)
        d[i] = w->mask >> i & 1 ? map_address(w, a[i], rank[i]) : d[i];
    return in + 1;
}

const struct sim_insn *sim_run_mapa32(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t *d = SIM_SLOT(w, in->d);
    const uint32_t *a = SIM_SLOT(w, in->a), *rank = SIM_SLOT(w, in->b);
    for (unsigned i = 0; i < SIM_LANES; i++)
        d[i] = w->mask >> i & 1 ? (uint32_t)map_address(w, a[i], rank[i]) : d[i];
    return in + 1;
}

/* getctarank: the rank of the block whose shared memory contains the address. */
static uint32_t rank_of(const struct sim_warp *w, uint64_t address) {
    uint32_t named = (uint32_t)address >> SIM_RANK_SHIFT;
    return named ? named - 1 : w->block->rank;
}

const struct sim_insn *sim_run_getctarank64(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t *d = SIM_SLOT(w, in->d);
    const uint64_t *a = SIM_SLOT(w, in->a);
    for (unsigned i = 0; i < SIM_LANES; i++)
        d[i] = w->mask >> i & 1 ? rank_of(w, a[i]) : d[i];
    return in + 1;
}

const struct sim_insn *sim_run_getctarank32(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t *d = SIM_SLOT(w, in->d);
    const uint32_t *a = SIM_SLOT(w, in->a);
    for (unsigned i = 0; i < SIM_LANES; i++)
        d[i] = w->mask >> i & 1 ? rank_of(w, a[i]) : d[i];
    return in + 1;
}

const struct sim_insn *sim_run_fence(struct sim_warp *w, const struct sim_insn *in) {
    if (w->check)
        sim_check_fence(w);
    return in + 1;
}

/* nanosleep: lets others run instead of waiting. */
const struct sim_insn *sim_run_rest(struct sim_warp *w, const struct sim_insn *in) {
    sim_rest(w);
    return in + 1;
}

const struct sim_insn *sim_run_nothing(struct sim_warp *w, const struct sim_insn *in) {
    (void)w;
    return in + 1;
}
