/* mbarrier: threads, and bytes that are copied behind their backs, arrive; threads wait for a phase's end.
 *
 * The object's 64 bits, which are nobody's business but the hardware's: arrivals that each phase takes (20
 * bits), those that this one still takes (20), bytes still expected (22, signed), whether it is an object at
 * all, and the phase's parity.  An arrival's state is what the object was before.
 *
 * Not counted: an H200's counters of shared loads, stores and atomics take no notice of them.  Copies are
 * done when they are issued, so what arrives when they end arrives at once. */
#include "sim/exec/mbarrier.h"

#include <string.h>

#include "sim/exec/access.h"
#include "sim/exec/handlers.h"

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
    int32_t bytes;
    bool valid, parity;
};

static struct object unpack(uint64_t word) {
    uint32_t bytes = word >> BYTES_AT & BYTES_MASK;
    return (struct object){
        .expected = word & COUNT_MASK,
        .pending = word >> PENDING_AT & COUNT_MASK,
        .bytes = (int32_t)(bytes << (32 - BYTES_BITS)) >> (32 - BYTES_BITS),
        .valid = word >> VALID_AT & 1,
        .parity = word >> PARITY_AT,
    };
}

static uint64_t pack(const struct object *o) {
    return (uint64_t)o->expected | (uint64_t)o->pending << PENDING_AT |
           (uint64_t)((uint32_t)o->bytes & BYTES_MASK) << BYTES_AT | (uint64_t)o->valid << VALID_AT |
           (uint64_t)o->parity << PARITY_AT;
}

static uint64_t *word_at(struct sim_warp *w, uint64_t address) {
    return (uint64_t *)(void *)(w->block->shared + address);
}

/* The lanes' offsets in shared memory; other addresses are faults. */
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

static struct object read_object(struct sim_warp *w, const struct sim_insn *in, unsigned lane,
                                 uint64_t address) {
    struct object o = unpack(*word_at(w, address));
    if (!o.valid)
        sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, address,
                        "the mbarrier at offset 0x%llx of shared memory is not initialised",
                        (unsigned long long)address);
    return o;
}

static void write_object(struct sim_warp *w, const struct sim_insn *in, unsigned lane, uint64_t address,
                         struct object o, bool may_end) {
    if (o.valid && !o.pending && !o.bytes) {
        if (!may_end)
            sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, address,
                            "an arrival that must not complete the mbarrier's phase would");
        o.parity = !o.parity;
        o.pending = o.expected;
        w->block->phases++;
    }
    *word_at(w, address) = pack(&o);
}

static void arrive(struct sim_warp *w, const struct sim_insn *in, const struct sim_mbarrier *m, unsigned lane,
                   uint64_t address, uint32_t amount) {
    struct object o = read_object(w, in, lane, address);
    uint32_t arrivals = m->expect ? 1 : amount;
    if (m->has_result)
        ((uint64_t *)SIM_SLOT(w, m->result))[lane] = pack(&o);
    if (arrivals > o.pending || (m->drop && arrivals > o.expected))
        sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, address,
                        "%u arrivals at an mbarrier whose phase takes only %u more", arrivals, o.pending);
    o.bytes += m->expect ? (int32_t)amount : 0;
    o.pending -= arrivals;
    o.expected -= m->drop ? arrivals : 0;
    write_object(w, in, lane, address, o, !m->unfinished);
}

const struct sim_insn *sim_run_mbarrier(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_mbarrier *m = in->extra;
    struct sim_lanes lanes;
    find_objects(w, in, &m->at, in->a, &lanes);
    if (w->check)
        sim_check_release(w);
    sim_access(w, in, &m->at, SIM_SPACE_SHARED, &lanes, 8);
    for (uint32_t left = lanes.mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = lanes.address[lane];
        uint32_t amount = m->count == -1 ? 1 : ((const uint32_t *)SIM_SLOT(w, m->count))[lane];
        struct object o;
        switch (m->op) {
        case SIM_MBARRIER_INIT:
            if (!amount || amount > COUNT_MASK)
                sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, amount, "an mbarrier for %u arrivals", amount);
            *word_at(w, address) =
                pack(&(struct object){.expected = amount, .pending = amount, .valid = true});
            break;
        case SIM_MBARRIER_INVAL:
            *word_at(w, address) = 0;
            break;
        case SIM_MBARRIER_EXPECT_TX:
        case SIM_MBARRIER_COMPLETE_TX:
            o = read_object(w, in, lane, address);
            o.bytes += m->op == SIM_MBARRIER_EXPECT_TX ? (int32_t)amount : -(int32_t)amount;
            write_object(w, in, lane, address, o, true);
            break;
        default:
            arrive(w, in, m, lane, address, amount);
        }
    }
    return in + 1;
}

/* ---------------------------------------------------------------- waiting */

/* The lanes whose phase has ended: the object has another parity by now. */
static uint32_t ended(struct sim_warp *w, const struct sim_insn *in, const struct sim_mbarrier *m,
                      const struct sim_lanes *lanes) {
    uint32_t done = 0;
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct object o = read_object(w, in, lane, lanes->address[lane]);
        bool phase = m->parity ? ((const uint32_t *)SIM_SLOT(w, m->count))[lane] & 1
                               : unpack(((const uint64_t *)SIM_SLOT(w, m->count))[lane]).parity;
        done |= (uint32_t)(o.parity != phase) << lane;
    }
    return done;
}

const struct sim_insn *sim_run_mbarrier_wait(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_mbarrier *m = in->extra;
    struct sim_strand *s = w->strand;
    struct sim_lanes lanes;
    find_objects(w, in, &m->at, in->a, &lanes);
    bool again = s->waited == in; /* counted when it came here */
    if (!again)
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

static void check_bulk(struct sim_warp *w, const struct sim_insn *in, unsigned lane, uint64_t global,
                       uint64_t shared, uint32_t size) {
    uint64_t limit = w->worker->shared_limit;
    if ((global | shared | size) & 15)
        sim_fault_raise(
            w, in, lane, SIM_FAULT_MISALIGNED, global,
            "bulk copy of %u bytes between 0x%llx and offset 0x%llx of shared memory: all must be "
            "multiples of 16",
            size, (unsigned long long)global, (unsigned long long)shared);
    if (shared > limit || size > limit - shared)
        sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, shared,
                        "bulk copy of %u bytes at offset 0x%llx of shared memory is out of bounds: there are "
                        "%llu bytes",
                        size, (unsigned long long)shared, (unsigned long long)limit);
    if (sim_memory_reaches(w->worker->launch->memory, global, size))
        return;
    char nearest[160];
    sim_memory_describe(w->worker->launch->memory, global, nearest, sizeof nearest);
    sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, global,
                    "bulk copy of %u bytes at 0x%llx is out of bounds: %s", size, (unsigned long long)global,
                    nearest);
}

/* Not counted: the copy engine's traffic does not go through the load and store units. */
const struct sim_insn *sim_run_bulk_copy(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_bulk_copy *copy = in->extra;
    struct sim_lanes global, shared, barrier;
    sim_lanes_fill(w, copy->loads ? &copy->from : &copy->to,
                   copy->loads ? copy->from_address : copy->to_address, &global);
    find_objects(w, in, copy->loads ? &copy->to : &copy->from,
                 copy->loads ? copy->to_address : copy->from_address, &shared);
    if (copy->loads)
        find_objects(w, in, &copy->barrier, copy->barrier_address, &barrier);
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t size = ((const uint32_t *)SIM_SLOT(w, copy->size))[lane];
        check_bulk(w, in, lane, global.address[lane], shared.address[lane], size);
        if (w->check)
            sim_check_bulk(w, in, lane, global.address[lane], shared.address[lane], size, copy->loads);
        char *far = (char *)(uintptr_t)global.address[lane], *near = w->block->shared + shared.address[lane];
        if (!copy->loads) {
            memcpy(far, near, size);
            continue;
        }
        memcpy(near, far, size);
        uint64_t address = barrier.address[lane];
        if (address & 7 || address > w->worker->shared_limit - 8)
            sim_access_fault(w, in, &copy->barrier, SIM_SPACE_SHARED, &barrier, 8);
        struct object o = read_object(w, in, lane, address);
        o.bytes -= (int32_t)size;
        write_object(w, in, lane, address, o, true);
    }
    return in + 1;
}
