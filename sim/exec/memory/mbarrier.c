/* mbarrier: threads, and bytes of asynchronous copies, arrive; threads wait for the end of a phase.
 *
 * The object's 64 bits are opaque to programs: the arrivals of each phase (20 bits), those still missing in
 * this phase (20), bytes still expected (22, signed), whether it is a valid object, and the phase's parity.
 * An arrival's state is the object's previous value.
 *
 * They are not counted: an H200's counters of shared loads, stores and atomics ignore them.  Copies are done
 * when they are issued, so what arrives at their end arrives at once. */
#include "sim/exec/memory/mbarrier.h"

#include <string.h>

#include "sim/exec/handlers.h"
#include "sim/exec/memory/access.h"

enum {
    COUNT_BITS = 20,
    BYTES_BITS = 22,
    COUNT_MASK = (1 << COUNT_BITS) - 1,
    BYTES_MASK = (1 << BYTES_BITS) - 1,
    PENDING_AT = COUNT_BITS,
    BYTES_AT = 2 * COUNT_BITS,
    VALID_AT = 62,
    PARITY_AT = 63,
};

struct object {
    uint32_t expected, pending;
    uint32_t bytes; /* modulo 2^22, as a signed number */
    bool valid, parity;
};

static struct object unpack(uint64_t word) {
    return (struct object){
        .expected = word & COUNT_MASK,
        .pending = word >> PENDING_AT & COUNT_MASK,
        .bytes = word >> BYTES_AT & BYTES_MASK,
        .valid = word >> VALID_AT & 1,
        .parity = word >> PARITY_AT,
    };
}

static uint64_t pack(const struct object *o) {
    return (uint64_t)o->expected | (uint64_t)o->pending << PENDING_AT |
           (uint64_t)(o->bytes & BYTES_MASK) << BYTES_AT | (uint64_t)o->valid << VALID_AT |
           (uint64_t)o->parity << PARITY_AT;
}

/* An object's location: the block, and the offset in its shared memory. */
struct place {
    struct sim_block *owner;
    uint64_t offset;
};

static uint64_t *word_at(struct place at) {
    return (uint64_t *)(void *)(at.owner->shared + at.offset);
}

/* The lanes' addresses in shared memory; other addresses fault. */
static void find_objects(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                         int32_t ref, struct sim_lanes *lanes) {
    struct sim_lanes all;
    sim_lanes_fill(w, op, ref, &all);
    *lanes = all;
    if (op->space != SIM_SPACE_GENERIC)
        return;
    uint32_t left = all.mask;
    enum sim_space space = sim_lanes_take_window(w, lanes, &all, &left);
    if (space != SIM_SPACE_SHARED || left)
        sim_fault_raise(w, in, all.first, SIM_FAULT_ADDRESS, all.address[all.first],
                        "an mbarrier lies in shared memory");
}

/* Splits the lanes by the block that they address. */
static struct sim_block *take_block(struct sim_warp *w, const struct sim_insn *in, enum sim_space space,
                                    struct sim_lanes *lanes, const struct sim_lanes *all, uint32_t *left) {
    if (sim_lanes_name_blocks(w, all))
        return sim_lanes_take_block(w, in, space, lanes, all, left);
    *lanes = *all;
    *left = 0;
    return w->block;
}

static struct object read_object(struct sim_warp *w, const struct sim_insn *in, unsigned lane,
                                 struct place at) {
    struct object o = unpack(*word_at(at));
    if (!o.valid)
        sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, at.offset,
                        "the mbarrier at offset 0x%llx of shared memory is not initialised",
                        (unsigned long long)at.offset);
    return o;
}

static void write_object(struct sim_warp *w, const struct sim_insn *in, unsigned lane, struct place at,
                         struct object o, bool may_end) {
    if (o.valid && !o.pending && !(o.bytes & BYTES_MASK)) {
        if (!may_end)
            sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, at.offset,
                            "an arrival that must not complete the mbarrier's phase would");
        o.parity = !o.parity;
        o.pending = o.expected;
        at.owner->phases++;
        at.owner->stuck = false;
    }
    *word_at(at) = pack(&o);
}

static void arrive(struct sim_warp *w, const struct sim_insn *in, const struct sim_mbarrier *m, unsigned lane,
                   struct place at, uint32_t amount) {
    struct object o = read_object(w, in, lane, at);
    uint32_t arrivals = m->expect ? 1 : amount;
    if (m->has_result)
        ((uint64_t *)SIM_SLOT(w, m->result))[lane] = pack(&o);
    if (arrivals > o.pending || (m->drop && arrivals > o.expected))
        sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, at.offset,
                        "%u arrivals at an mbarrier whose phase takes only %u more", arrivals, o.pending);
    o.bytes += m->expect ? amount : 0;
    o.pending -= arrivals;
    o.expected -= m->drop ? arrivals : 0;
    write_object(w, in, lane, at, o, !m->unfinished);
}

static void operate(struct sim_warp *w, const struct sim_insn *in, const struct sim_mbarrier *m,
                    unsigned lane, struct place at) {
    uint32_t amount = m->count == -1 ? 1 : ((const uint32_t *)SIM_SLOT(w, m->count))[lane];
    struct object o;
    switch (m->op) {
    case SIM_MBARRIER_INIT:
        if (!amount || amount > COUNT_MASK)
            sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, amount, "an mbarrier for %u arrivals", amount);
        *word_at(at) = pack(&(struct object){.expected = amount, .pending = amount, .valid = true});
        break;
    case SIM_MBARRIER_INVAL:
        *word_at(at) = 0;
        break;
    case SIM_MBARRIER_EXPECT_TX:
    case SIM_MBARRIER_COMPLETE_TX:
        o = read_object(w, in, lane, at);
        o.bytes += m->op == SIM_MBARRIER_EXPECT_TX ? amount : 0 - amount;
        write_object(w, in, lane, at, o, true);
        break;
    default:
        arrive(w, in, m, lane, at, amount);
    }
}

/* A block initializes and invalidates only its own objects, but arrives at others' too. */
const struct sim_insn *sim_run_mbarrier(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_mbarrier *m = in->extra;
    enum sim_space space =
        m->op == SIM_MBARRIER_INIT || m->op == SIM_MBARRIER_INVAL ? SIM_SPACE_SHARED : m->at.space;
    struct sim_lanes all;
    find_objects(w, in, &m->at, in->a, &all);
    if (w->check)
        sim_check_release(w);
    for (uint32_t others = all.mask; others;) {
        struct sim_lanes lanes;
        struct sim_block *owner = take_block(w, in, space, &lanes, &all, &others);
        if (owner == w->block)
            sim_access(w, in, &m->at, SIM_SPACE_SHARED, &lanes, 8);
        else
            sim_access_far(w, in, &m->at, owner, &lanes, 8);
        for (uint32_t left = lanes.mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            operate(w, in, m, lane, (struct place){owner, lanes.address[lane]});
        }
    }
    return in + 1;
}

/* ---------------------------------------------------------------- waiting */

/* Removes the lanes that the checks removed when they arrived. */
static void drop_outside(const struct sim_warp *w, struct sim_lanes *lanes) {
    for (unsigned i = 0; i < SIM_LANES; i++)
        if (lanes->address[i] & 7 || !sim_within(lanes->address[i], 8, w->worker->shared_limit))
            lanes->mask &= ~(1u << i);
}

/* The lanes whose phase has ended, so that the object's parity has changed. */
static uint32_t ended(struct sim_warp *w, const struct sim_insn *in, const struct sim_mbarrier *m,
                      const struct sim_lanes *lanes) {
    uint32_t done = 0;
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct object o = read_object(w, in, lane, (struct place){w->block, lanes->address[lane]});
        bool phase = m->parity ? ((const uint32_t *)SIM_SLOT(w, m->count))[lane] & 1
                               : unpack(((const uint64_t *)SIM_SLOT(w, m->count))[lane]).parity;
        done |= (uint32_t)(o.parity != phase) << lane;
    }
    return done;
}

const struct sim_insn *sim_run_mbarrier_wait(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_mbarrier *m = in->extra;
    struct sim_strand *s = w->strand;
    struct sim_lanes lanes, all;
    find_objects(w, in, &m->at, in->a, &all);
    uint32_t others = all.mask;
    take_block(w, in, SIM_SPACE_SHARED, &lanes, &all, &others); /* all lanes address this block */
    bool again = s->waited == in;                               /* counted when it arrived */
    if (again)
        drop_outside(w, &lanes);
    else
        sim_access(w, in, &m->at, SIM_SPACE_SHARED, &lanes, 8);
    uint32_t done = ended(w, in, m, &lanes);
    if (m->op == SIM_MBARRIER_TRY && done != w->mask && !s->expired) {
        s->waited = in;
        s->state = STRAND_MBARRIER;
        s->pc = in;
        s->phases = w->block->phases;
        w->block->mbarrier_waiters++;
        return sim_strand_next(w);
    }
    s->waited = NULL;
    s->expired = false;
    uint32_t *p = SIM_SLOT(w, m->result);
    *p = (*p & ~w->mask) | done;
    if (w->check && done)
        sim_check_acquire(w);
    if (done != w->mask)
        sim_poll(w, in, done, false);
    return in + 1;
}

static void wake(struct sim_block *block, bool expired) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        for (struct sim_strand *s = block->warps[i].strands; s; s = s->next)
            if (s->state == STRAND_MBARRIER && (expired || s->phases != block->phases)) {
                s->state = STRAND_READY;
                s->expired = expired;
                block->mbarrier_waiters--;
            }
}

bool sim_mbarrier_settle(struct sim_block *block) {
    if (!block->mbarrier_waiters)
        return false;
    uint32_t before = block->mbarrier_waiters;
    wake(block, false);
    if (before != block->mbarrier_waiters)
        block->timeouts = 0;
    return before != block->mbarrier_waiters;
}

bool sim_mbarrier_expire(struct sim_block *block) {
    if (!block->mbarrier_waiters || ++block->timeouts > SIM_TIMEOUTS)
        return false;
    wake(block, true);
    return true;
}

const struct sim_insn *sim_run_mbarrier_pending(struct sim_warp *w, const struct sim_insn *in) {
    const uint64_t *state = SIM_SLOT(w, in->a);
    uint32_t *d = SIM_SLOT(w, in->d);
    for (unsigned lane = 0; lane < SIM_LANES; lane++)
        if (w->mask >> lane & 1)
            d[lane] = unpack(state[lane]).pending;
    return in + 1;
}

/* ---------------------------------------------------------------- bulk copies */

static void check_shared(struct sim_warp *w, const struct sim_insn *in, unsigned lane, struct place at,
                         uint32_t size) {
    uint64_t limit = w->worker->shared_limit;
    if ((at.offset | size) & 15)
        sim_fault_raise(
            w, in, lane, SIM_FAULT_MISALIGNED, at.offset,
            "bulk copy of %u bytes at offset 0x%llx of shared memory: both must be multiples of 16", size,
            (unsigned long long)at.offset);
    if (!sim_within(at.offset, size, limit))
        sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, at.offset,
                        "bulk copy of %u bytes at offset 0x%llx of shared memory is out of bounds: there are "
                        "%llu bytes",
                        size, (unsigned long long)at.offset, (unsigned long long)limit);
}

static void check_global(struct sim_warp *w, const struct sim_insn *in, unsigned lane, uint64_t address,
                         uint32_t size) {
    if ((address | size) & 15)
        sim_fault_raise(w, in, lane, SIM_FAULT_MISALIGNED, address,
                        "bulk copy of %u bytes at 0x%llx: both must be multiples of 16", size,
                        (unsigned long long)address);
    if (sim_launch_reaches(w->worker->launch, address, size))
        return;
    char why[256];
    sim_launch_describe(w->worker->launch, address, why, sizeof why);
    sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, address, "bulk copy of %u bytes at 0x%llx is %s", size,
                    (unsigned long long)address, why);
}

/* One lane's location in shared memory of a space. */
static struct place find_place(struct sim_warp *w, const struct sim_insn *in, unsigned lane,
                               enum sim_space space, const struct sim_lanes *lanes) {
    uint64_t address = lanes->address[lane];
    if (w->worker->cluster_size == 1 || !(address >> SIM_RANK_SHIFT))
        return (struct place){w->block, address};
    return (struct place){sim_shared_owner(w, in, lane, space, address), address & SIM_RANK_OFFSET};
}

/* Stores the bytes in shared memory and reports their number to the barrier. */
static void fill(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op, unsigned lane,
                 struct place to, struct place barrier, const char *from, uint32_t size) {
    check_shared(w, in, lane, to, size);
    if (barrier.offset & 7 || !sim_within(barrier.offset, 8, w->worker->shared_limit)) {
        struct sim_lanes one = {.mask = 1u << lane, .first = lane};
        one.address[lane] = barrier.offset;
        sim_access_fault(w, in, op, SIM_SPACE_SHARED, &one, 8);
    }
    if (w->check)
        sim_check_bulk_fill(to.owner, to.offset, size);
    memmove(to.owner->shared + to.offset, from, size);
    struct object o = read_object(w, in, lane, barrier);
    o.bytes -= size;
    write_object(w, in, lane, barrier, o, true);
}

/* The same at the same offset of each block in the mask. */
static void fill_several(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                         unsigned lane, uint32_t blocks, struct place to, struct place barrier,
                         const char *from, uint32_t size) {
    for (uint32_t left = blocks; left; left &= left - 1) {
        const uint32_t rank = (uint32_t)__builtin_ctz(left);
        uint64_t named = (uint64_t)(rank + 1) << SIM_RANK_SHIFT;
        to.owner = barrier.owner = sim_shared_owner(w, in, lane, SIM_SPACE_CLUSTER, named | to.offset);
        fill(w, in, op, lane, to, barrier, from, size);
    }
}

/* Counted separately: the copy engine's traffic bypasses the load and store units.  A multicast copy counts
 * once per receiving block. */
static void count_traffic(struct sim_warp *w, const struct sim_bulk_copy *copy, uint64_t own, uint64_t other,
                          uint32_t size, uint32_t receivers) {
    struct sim_site_tally *site = &w->worker->sites[copy->traffic.site];
    enum sim_space space = copy->traffic.space;
    enum count_bulk kind = space == SIM_SPACE_CLUSTER ? COUNT_BULK_CLUSTER
                           : copy->multicast          ? COUNT_BULK_MULTICAST
                                                      : COUNT_BULK_GLOBAL;
    const uint64_t sectors = receivers * count_bulk(kind, own, other, size);
    site->by[space].requests++;
    site->by[space].transactions += sectors;
    site->by[space].useful += (uint64_t)receivers * size;
    if (space == SIM_SPACE_GLOBAL && sim_launch_crosses(w->worker->launch, other, size)) {
        site->by[SIM_SPACE_PEER].requests++;
        site->by[SIM_SPACE_PEER].transactions += sectors;
    }
    if (w->worker->samples && space == SIM_SPACE_GLOBAL)
        sim_sample_range(w->worker, other, size, receivers, 32 * sectors, copy->to.space == SIM_SPACE_GLOBAL);
}

const struct sim_insn *sim_run_bulk_copy(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_bulk_copy *copy = in->extra;
    const bool loads = copy->from.space == SIM_SPACE_GLOBAL, stores = copy->to.space == SIM_SPACE_GLOBAL;
    struct sim_lanes from, to, barrier;
    if (loads)
        sim_lanes_fill(w, &copy->from, copy->from_address, &from);
    else
        find_objects(w, in, &copy->from, copy->from_address, &from);
    if (stores)
        sim_lanes_fill(w, &copy->to, copy->to_address, &to);
    else
        find_objects(w, in, &copy->to, copy->to_address, &to);
    if (!stores)
        find_objects(w, in, &copy->barrier, copy->barrier_address, &barrier);
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t size = ((const uint32_t *)SIM_SLOT(w, copy->size))[lane];
        const char *source = (const char *)(uintptr_t)from.address[lane];
        uint64_t own = 0; /* the beginning of the copy in the shared memory that it reads */
        if (loads) {
            check_global(w, in, lane, from.address[lane], size);
        } else {
            struct place at = find_place(w, in, lane, SIM_SPACE_SHARED, &from);
            check_shared(w, in, lane, at, size);
            source = at.owner->shared + at.offset;
            own = at.offset;
        }
        if (stores) {
            check_global(w, in, lane, to.address[lane], size);
            if (w->check)
                sim_check_bulk_store(w, to.address[lane], size);
            memcpy((char *)(uintptr_t)to.address[lane], source, size);
            count_traffic(w, copy, own, to.address[lane], size, 1);
            continue;
        }
        if (w->check && loads)
            sim_check_bulk_load(w, in, lane, from.address[lane], size);
        struct place target = find_place(w, in, lane, copy->to.space, &to);
        struct place counts = find_place(w, in, lane, copy->barrier.space, &barrier);
        uint32_t blocks = copy->multicast ? ((const uint32_t *)SIM_SLOT(w, copy->blocks))[lane] : 1;
        if (copy->multicast)
            fill_several(w, in, &copy->barrier, lane, blocks, target, counts, source, size);
        else
            fill(w, in, &copy->barrier, lane, target, counts, source, size);
        count_traffic(w, copy, loads ? target.offset : own, loads ? from.address[lane] : target.offset, size,
                      (uint32_t)__builtin_popcount(blocks));
    }
    return in + 1;
}
