#include "tests/exec/lanes/fake.h"

#include <string.h>

unsigned fake_lane_bytes(enum ptx_type type) {
    return type == PTX_TYPE_PRED ? 0 : ptx_type_bytes(type) == 8 ? 8 : 4;
}

enum ptx_type fake_type(const struct fake *fake, enum fake_slot slot) {
    const enum ptx_type types[] = {fake->op.d, fake->op.e, fake->op.a, fake->op.b, fake->op.c, fake->op.f};
    return types[slot];
}

void fake_begin(struct fake *fake, const char *mnemonic) {
    const char *why = NULL;
    memset(fake->frame, 0xa5, sizeof fake->frame);
    if (!sim_op_find(mnemonic, &fake->op, &why))
        fail_msg("%s: %s", mnemonic, why);
    fake->warp = (struct sim_warp){.base = {(char *)fake->frame[0], NULL}};
    fake->insn = (struct sim_insn){.body = fake->op.body,
                                   .d = 512 * FAKE_D,
                                   .e = fake->op.e ? 512 * FAKE_E : SIM_NO_OPERAND,
                                   .a = 512 * FAKE_A,
                                   .b = 512 * FAKE_B,
                                   .c = 512 * FAKE_C,
                                   .f = 512 * FAKE_F,
                                   .mod = fake->op.mod,
                                   .small = fake->op.small,
                                   .count = fake->op.count};
}

void fake_set(struct fake *fake, enum fake_slot slot, unsigned lane, uint64_t value) {
    const unsigned bytes = fake_lane_bytes(fake_type(fake, slot));
    unsigned char *base = fake->frame[slot];
    if (bytes) {
        memcpy(base + bytes * lane, &value, bytes); /* little-endian */
        return;
    }
    uint32_t bits;
    memcpy(&bits, base, sizeof bits);
    bits = value ? bits | 1u << lane : bits & ~(1u << lane);
    memcpy(base, &bits, sizeof bits);
}

uint64_t fake_get(const struct fake *fake, enum fake_slot slot, unsigned lane) {
    const unsigned bytes = fake_lane_bytes(fake_type(fake, slot));
    uint64_t value = 0;
    memcpy(&value, fake->frame[slot] + bytes * lane, bytes ? bytes : 4);
    return bytes ? value : value >> lane & 1;
}

void fake_run(struct fake *fake, uint32_t mask) {
    fake->warp.mask = mask;
    assert_ptr_equal(fake->insn.body(&fake->warp, &fake->insn), &fake->insn + 1);
}

static const uint64_t edges_int[] = {
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    0x55,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x12345,
    0x7fffff,
    0x800000,
    0x7fffffff,
    0x80000000,
    0xdeadbeef,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x0123456789abcdef,
    0xfffffffffffffffe,
    0xffffffffffffffff,
};
static const uint64_t edges_f32[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fffffff, 0xffc00000,
    0x7f800001, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff,
    0x3f000000, 0x3effffff, 0x40490fdb, 0x4b000001, 0xcb7fffff, 0x33800000, 0x33800001, 0x4f000000,
    0x4effffff, 0xcf000000, 0x4f800000, 0x3fc00000, 0xc0200000, 0x477ff000, 0x387fe000,
};
static const uint64_t edges_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001, 0x0000000000000001, 0x800fffffffffffff,
    0x0010000000000000, 0x7fefffffffffffff, 0x3ca0000000000000, 0x3ca0000000000001, 0x400921fb54442d18,
    0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0x43e0000000000000, 0xc3e0000000000000,
    0x43f0000000000000, 0x36a0000000000000, 0x47efffffefffffff, 0x47effffff0000000, 0x3fe0000000000000,
    0x3ff8000000000000, 0xc004000000000000, 0x3810000000000000, 0x380fffffffffffff,
};
static const uint64_t edges_half[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7fff, 0x7e01,
                                      0x0001, 0x83ff, 0x0400, 0x7bff, 0x3555, 0x3f80, 0xbf80, 0x7f80,
                                      0xff80, 0x7fc1, 0x0080, 0x7f7f, 0x1001, 0x5bff, 0x4248, 0x3bff};

#define COUNT(list) (unsigned)(sizeof(list) / sizeof *(list))

unsigned edge_count(enum ptx_type type) {
    switch (type) {
    case PTX_TYPE_NONE:
        return 1;
    case PTX_TYPE_PRED:
        return 2;
    case PTX_TYPE_F32:
        return COUNT(edges_f32);
    case PTX_TYPE_F64:
        return COUNT(edges_f64);
    case PTX_TYPE_F16:
    case PTX_TYPE_BF16:
    case PTX_TYPE_F16X2:
    case PTX_TYPE_BF16X2:
        return COUNT(edges_half);
    default:
        return COUNT(edges_int);
    }
}

uint64_t edge_value(enum ptx_type type, unsigned n) {
    switch (type) {
    case PTX_TYPE_NONE:
        return 0;
    case PTX_TYPE_PRED:
        return n;
    case PTX_TYPE_F32:
        return edges_f32[n];
    case PTX_TYPE_F64:
        return edges_f64[n];
    case PTX_TYPE_F16:
    case PTX_TYPE_BF16:
        return edges_half[n];
    case PTX_TYPE_F16X2:
    case PTX_TYPE_BF16X2:
        return edges_half[n] | edges_half[(n + 7) % COUNT(edges_half)] << 16;
    default: {
        const unsigned bytes = ptx_type_bytes(type);
        return bytes < 8 ? edges_int[n] & ((UINT64_C(1) << 8 * bytes) - 1) : edges_int[n];
    }
    }
}

uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t any_value(enum ptx_type type, uint64_t *state) {
    const uint64_t bits = next_random(state);
    const unsigned bytes = ptx_type_bytes(type);
    if (type == PTX_TYPE_PRED)
        return bits & 1;
    if (bits % 4 == 0)
        return edge_value(type, (unsigned)(bits >> 8) % edge_count(type));
    return bytes < 8 ? bits >> 3 & ((UINT64_C(1) << 8 * bytes) - 1) : bits;
}

/* Runs one warp's worth of tuples under a mask and checks every lane. */
static void check_warp(struct fake *fake, const uint64_t tuples[SIM_LANES][4], reference_fn *reference,
                       uint32_t mask) {
    static const enum fake_slot sources[] = {FAKE_A, FAKE_B, FAKE_C, FAKE_F};
    uint64_t before[SIM_LANES];
    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
        for (unsigned k = 0; k < 4; k++)
            if (fake_type(fake, sources[k]))
                fake_set(fake, sources[k], lane, tuples[lane][k]);
        before[lane] = fake_get(fake, FAKE_D, lane);
    }
    fake_run(fake, mask);
    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
        const uint64_t got = fake_get(fake, FAKE_D, lane);
        const uint64_t want = mask >> lane & 1 ? reference(tuples[lane]) : before[lane];
        if (got != want)
            fail_msg("%s lane %u mask %08x: a %llx b %llx c %llx f %llx: got %llx, not %llx",
                     fake->op.mnemonic, lane, mask, (unsigned long long)tuples[lane][0],
                     (unsigned long long)tuples[lane][1], (unsigned long long)tuples[lane][2],
                     (unsigned long long)tuples[lane][3], (unsigned long long)got, (unsigned long long)want);
    }
}

void check_op(const char *mnemonic, reference_fn *reference) {
    static const uint32_t masks[] = {SIM_ALL_LANES, 0x00010000, 0x5a0ff00f, 0xfffffffe};
    struct fake fake;
    fake_begin(&fake, mnemonic);
    const enum ptx_type types[4] = {fake.op.a, fake.op.b, fake.op.c, fake.op.f};
    uint64_t state = 1, tuples[SIM_LANES][4];
    unsigned total = 1, lane = 0, warp = 0;
    for (unsigned k = 0; k < 4; k++)
        total *= edge_count(types[k]);
    const unsigned step = total > 30000 ? total / 30000 | 1 : 1; /* odd: every value of each place occurs */
    for (unsigned n = 0; n < total + 2048; n += n < total ? step : 1) {
        unsigned rest = n;
        for (unsigned k = 0; k < 4; k++) {
            tuples[lane][k] =
                n < total ? edge_value(types[k], rest % edge_count(types[k])) : any_value(types[k], &state);
            rest /= edge_count(types[k]);
        }
        if (++lane == SIM_LANES) {
            lane = 0;
            check_warp(&fake, tuples, reference, masks[warp++ % COUNT(masks)]);
            check_warp(&fake, tuples, reference, SIM_ALL_LANES);
        }
    }
}
