/* insn.h's requirements on every handler: lanes outside the mask keep their bytes, a destination may be a
 * source's slot, a 16-bit result leaves the upper half zero, nothing beyond a slot is written. */
#include "tests/exec/lanes/fake.h"

#include <string.h>

#include "sim/exec/lanes/lanes_rows.h"

/* Puts random and edge values into every source. */
static void fill(struct fake *fake, uint64_t *state) {
    for (enum fake_slot slot = FAKE_A; slot <= FAKE_F; slot++) {
        const enum ptx_type type = fake_type(fake, slot);
        if (!type)
            continue;
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            const uint64_t bits = next_random(state);
            const uint64_t value =
                bits % 2 ? edge_value(type, (unsigned)(bits >> 9) % edge_count(type)) : bits >> 3;
            const unsigned bytes = ptx_type_bytes(type);
            const uint64_t kept = bytes == 0 ? 1 : bytes < 8 ? (UINT64_C(1) << 8 * bytes) - 1 : UINT64_MAX;
            fake_set(fake, slot, lane, value & kept);
        }
    }
}

static bool across_lanes(const struct fake *fake) {
    return (fake->op.flags & SIM_OP_SYNC) || strncmp(fake->op.mnemonic, "vote", 4) == 0 ||
           strncmp(fake->op.mnemonic, "shfl", 4) == 0 || strncmp(fake->op.mnemonic, "activemask", 10) == 0;
}

static void bytes_beyond_are_untouched(const struct fake *fake, const struct fake *before) {
    for (unsigned slot = 0; slot < FAKE_SLOTS; slot++) {
        const unsigned bytes = fake_lane_bytes(fake_type(fake, slot));
        const bool written = slot <= FAKE_E && fake_type(fake, slot);
        const size_t used = !written ? 0 : bytes ? SIM_LANES * bytes : 4;
        if (memcmp(fake->frame[slot] + used, before->frame[slot] + used, sizeof fake->frame[slot] - used) !=
            0)
            fail_msg("%s writes outside its destination, in slot %u", fake->op.mnemonic, slot);
    }
}

static void masks_and_shared_slots(void **state) {
    (void)state;
    static const uint32_t masks[] = {0x80000000, 0x00000001, 0x0ff0a5c3, 0x7fffffff};
    uint64_t random = 7;
    for (unsigned i = 0; i < sim_op_count(); i++) {
        struct fake full, part;
        fake_begin(&full, sim_op_name(i));
        full.warp.cc = 0x13579bdf;
        fill(&full, &random);
        const struct fake before = full;
        fake_run(&full, SIM_ALL_LANES);
        bytes_beyond_are_untouched(&full, &before);
        const unsigned bits = 8 * ptx_type_bytes(full.op.d);
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            if (bits && bits < 32 && fake_get(&full, FAKE_D, lane) >> 16)
                fail_msg("%s: %llx in a 16-bit register", full.op.mnemonic,
                         (unsigned long long)fake_get(&full, FAKE_D, lane));
        const uint32_t mask = masks[i % 4];
        part = before;
        part.warp.base[0] = (char *)part.frame[0];
        fake_run(&part, mask);
        bytes_beyond_are_untouched(&part, &before);
        for (enum fake_slot slot = FAKE_D; slot <= FAKE_E; slot++)
            for (unsigned lane = 0; lane < SIM_LANES && fake_type(&part, slot); lane++) {
                const bool on = mask >> lane & 1;
                if (on && across_lanes(&part))
                    continue;
                const uint64_t got = fake_get(&part, slot, lane);
                const uint64_t want = fake_get(on ? &full : &before, slot, lane);
                if (got != want)
                    fail_msg("%s mask %08x lane %u: %llx, not %llx", part.op.mnemonic, mask, lane,
                             (unsigned long long)got, (unsigned long long)want);
            }
        assert_int_equal(part.warp.cc & ~mask, before.warp.cc & ~mask);
        /* The destination in place of a source, for each source of the same slot type. */
        for (enum fake_slot slot = FAKE_A; slot <= FAKE_F; slot++) {
            const enum ptx_type type = fake_type(&before, slot);
            if (!type || fake_lane_bytes(type) != fake_lane_bytes(before.op.d))
                continue;
            part = before;
            part.warp.base[0] = (char *)part.frame[0];
            part.insn.d = 512 * slot;
            fake_run(&part, SIM_ALL_LANES);
            const size_t size = fake_lane_bytes(type) ? SIM_LANES * fake_lane_bytes(type) : 4;
            if (memcmp(part.frame[slot], full.frame[FAKE_D], size) != 0)
                fail_msg("%s: wrong when its destination is source %u", part.op.mnemonic, slot);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(masks_and_shared_slots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
