/* Prints the nanoseconds per warp instruction, with all lanes active and with half: bench_lanes
 * [MNEMONIC...]. */
#include "tests/exec/lanes/fake.h"

#include <stdio.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cost(struct fake *fake, uint32_t mask) {
    double best = 1e9;
    fake->warp.mask = mask;
    for (unsigned trial = 0; trial < 7; trial++) {
        const unsigned runs = 20000;
        const double start = seconds();
        for (unsigned i = 0; i < runs; i++)
            fake->insn.body(&fake->warp, &fake->insn);
        const double each = (seconds() - start) / runs;
        best = each < best ? each : best;
    }
    return 1e9 * best;
}

int main(int argc, char **argv) {
    static char *hot[] = {
        "add.s32",
        "sub.u32",
        "mul.lo.s32",
        "mad.lo.s32",
        "shl.b32",
        "shr.u32",
        "shr.s32",
        "and.b32",
        "or.b32",
        "setp.lt.s32",
        "setp.ge.u32",
        "setp.lt.u64",
        "setp.eq.f32",
        "setp.lt.f64",
        "setp.lt.and.s32",
        "selp.b32",
        "selp.f32",
        "selp.b64",
        "mov.u32",
        "mov.u64",
        "cvt.u64.u32",
        "cvt.s64.s32",
        "cvt.u32.u64",
        "mul.wide.u32",
        "mul.wide.s32",
        "add.s64",
        "mul.lo.s64",
        "shl.b64",
        "fma.rn.f32",
        "add.f32",
        "mul.f32",
        "add.ftz.f32",
        "fma.rn.f64",
        "div.u32",
        "rem.u32",
        "div.s32",
        "div.rn.f32",
        "min.s32",
        "max.f32",
        "lop3.b32",
        "prmt.b32",
        "shf.l.wrap.b32",
        "bfe.u32",
        "popc.b32",
        "cvt.rn.f32.s32",
        "cvt.rzi.s32.f32",
        "cvt.f32.f16",
        "cvt.rn.f16.f32",
        "add.rn.f16x2",
        "fma.rn.f16x2",
        "add.rz.f32",
        "add.sat.f32",
        "ex2.approx.f32",
        "sin.approx.f32",
        "add.cc.u32",
        "shfl.sync.down.b32",
        "vote.sync.ballot.b32",
        "redux.sync.add.u32",
        "cvt.rm.f32.f64",
        "cvt.rzi.s8.f32",
        "mov.unpack.2x32",
        "and.pred",
        "abs.f32",
        "dp4a.s32.s32",
        "mul.hi.u32",
        "set.lt.u32.s32",
    };
    const int count = argc > 1 ? argc - 1 : (int)(sizeof hot / sizeof *hot);
    char **names = argc > 1 ? argv + 1 : hot;
    for (int i = 0; i < count; i++) {
        struct fake fake;
        fake_begin(&fake, names[i]);
        for (enum fake_slot slot = FAKE_A; slot <= FAKE_F; slot++)
            for (unsigned lane = 0; lane < SIM_LANES && fake_type(&fake, slot); lane++)
                fake_set(&fake, slot, lane,
                         slot == FAKE_F && fake.op.member         ? SIM_ALL_LANES
                         : fake_type(&fake, slot) == PTX_TYPE_F32 ? 0x3f8ccccd + lane
                                                                  : lane + 3);
        if (fake.op.member == 'b')
            for (unsigned lane = 0; lane < SIM_LANES; lane++)
                fake_set(&fake, FAKE_B, lane, SIM_ALL_LANES);
        printf("%-24s %6.1f ns  %6.1f ns\n", names[i], cost(&fake, SIM_ALL_LANES), cost(&fake, 0x0000ffff));
    }
    return 0;
}
