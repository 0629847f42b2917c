#include "sim/exec/lanes/bits.h"
#include "sim/exec/lanes/lanes_handlers.h"
#include "sim/exec/lanes/ops_bits.h"

/* The table is an immediate, the same for all lanes.  Its bits are spread to masks; c selects among them,
 * then b, then a. */
SIM_CLONES SIM_HANDLER(logic3) {
    SOURCE_U32(a) SOURCE_U32(b) SOURCE_U32(c) const uint32_t lut = *(const uint32_t *)SIM_SLOT(w, in->f);
    uint32_t base[4], change[4];
    for (unsigned k = 0; k < 4; k++) {
        base[k] = 0u - (lut >> 2 * k & 1);
        change[k] = base[k] ^ (0u - (lut >> (2 * k + 1) & 1));
    }
    const uint32_t b0 = base[0], b1 = base[1], b2 = base[2], b3 = base[3];
    const uint32_t c0 = change[0], c1 = change[1], c2 = change[2], c3 = change[3];
    uint32_t *d = SIM_SLOT(w, in->d);
    const uint32_t mask = w->mask;
    SIM_IVDEP SIM_FOR_LANES {
        const uint32_t x0 = b0 ^ (c_s[i] & c0), x1 = b1 ^ (c_s[i] & c1);
        const uint32_t x2 = b2 ^ (c_s[i] & c2), x3 = b3 ^ (c_s[i] & c3);
        const uint32_t low = x0 ^ (b_s[i] & (x0 ^ x1)), high = x2 ^ (b_s[i] & (x2 ^ x3));
        const uint32_t result = low ^ (a_s[i] & (low ^ high));
        d[i] = mask & (1u << i) ? result : d[i];
    }
    return in + 1;
}

/* prmt with any selectors, lane by lane. */
static const struct sim_insn *permute_each(struct sim_warp *w, const struct sim_insn *in) {
    SOURCE_U32(a) SOURCE_U32(b) SOURCE_U32(c) uint32_t *d = SIM_SLOT(w, in->d);
    SIM_FOR_LANES
    if (w->mask & (1u << i))
        d[i] = permute(a_s[i], b_s[i], c_s[i]);
    return in + 1;
}

/* Usually one selector serves all lanes and takes no sign bit: then each byte of the result is one shift of
 * one source. */
SIM_CLONES SIM_HANDLER(permute_bytes) {
    SOURCE_U32(a) SOURCE_U32(b) SOURCE_U32(c) const uint32_t selector = c_s[0] & 0xffff;
    uint32_t others = selector & 0x8888;
    SIM_FOR_LANES {
        others |= (c_s[i] & 0xffff) ^ selector;
    }
    if (others)
        return permute_each(w, in);
    const uint32_t *s0 = selector & 0x0004 ? b_s : a_s, *s1 = selector & 0x0040 ? b_s : a_s;
    const uint32_t *s2 = selector & 0x0400 ? b_s : a_s, *s3 = selector & 0x4000 ? b_s : a_s;
    const uint32_t n0 = 8 * (selector & 3), n1 = 8 * (selector >> 4 & 3);
    const uint32_t n2 = 8 * (selector >> 8 & 3), n3 = 8 * (selector >> 12 & 3);
    uint32_t *d = SIM_SLOT(w, in->d);
    const uint32_t mask = w->mask;
    SIM_IVDEP SIM_FOR_LANES {
        const uint32_t low = (s0[i] >> n0 & 0xff) | (s1[i] >> n1 & 0xff) << 8;
        const uint32_t high = (s2[i] >> n2 & 0xff) | (s3[i] >> n3 & 0xff) << 8;
        d[i] = mask & (1u << i) ? low | high << 16 : d[i];
    }
    return in + 1;
}

#include "sim/exec/lanes/lanes_list.h"

const struct sim_row sim_rows_bits[] = {
#include "sim/exec/lanes/ops_bits.h"
    {.pattern = NULL}};
