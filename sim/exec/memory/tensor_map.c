/* Instructions on tensor maps, except loads and stores. */
#include "sim/exec/memory/tensor_map.h"

#include "sim/exec/check/hooks.h"
#include "sim/exec/handlers.h"
#include "sim/exec/worker.h"

/* a: the map's old word; b: the new value, 64-bit if in->small is set. */
const struct sim_insn *sim_run_map_field(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_map_bits *bits = in->extra;
    const uint32_t *old = SIM_SLOT(w, in->a);
    uint32_t *d = SIM_SLOT(w, in->d);
    for (unsigned i = 0; i < SIM_LANES; i++) {
        const uint64_t value =
            in->small ? ((const uint64_t *)SIM_SLOT(w, in->b))[i] : ((const uint32_t *)SIM_SLOT(w, in->b))[i];
        d[i] = w->mask >> i & 1 ? sim_map_put(old[i], *bits, value) : d[i];
    }
    return in + 1;
}

/* A warp copies a map, one word per lane: each lane reads its own word from its own address. */
const struct sim_insn *sim_run_lane_word32(struct sim_warp *w, const struct sim_insn *in) {
    const uint32_t *a = SIM_SLOT(w, in->a);
    uint32_t *d = SIM_SLOT(w, in->d);
    for (uint32_t i = 0; i < SIM_LANES; i++)
        d[i] = w->mask >> i & 1 ? a[i] + 4 * i : d[i];
    return in + 1;
}

const struct sim_insn *sim_run_lane_word64(struct sim_warp *w, const struct sim_insn *in) {
    const uint64_t *a = SIM_SLOT(w, in->a);
    uint64_t *d = SIM_SLOT(w, in->d);
    for (uint32_t i = 0; i < SIM_LANES; i++)
        d[i] = w->mask >> i & 1 ? a[i] + 4 * i : d[i];
    return in + 1;
}

/* As on an H200, checks the alignment but not whether there is memory: nothing is read. */
const struct sim_insn *sim_run_map_line(struct sim_warp *w, const struct sim_insn *in) {
    const uint64_t *a = SIM_SLOT(w, in->a);
    for (uint32_t left = w->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t address = a[lane] + (uint64_t)in->imm;
        if (address % SIM_TENSOR_MAP_ALIGN)
            sim_fault_raise(w, in, lane, SIM_FAULT_MISALIGNED, address,
                            "tensor map at 0x%llx, which is no multiple of %d", (unsigned long long)address,
                            SIM_TENSOR_MAP_ALIGN);
    }
    return in + 1;
}
