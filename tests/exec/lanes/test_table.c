/* The table of mnemonics: distinct, found, with the right operands. */
#include "tests/exec/lanes/fake.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/lanes/lanes_rows.h"

static int compare_names(const void *x, const void *y) {
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void every_mnemonic_is_distinct_and_found(void **state) {
    (void)state;
    const unsigned count = sim_op_count();
    assert_true(count > 3000);
    assert_int_equal(sim_op_duplicates(), 0);
    const char **names = calloc(count, sizeof *names);
    assert_non_null(names);
    for (unsigned i = 0; i < count; i++) {
        struct sim_op op;
        names[i] = sim_op_name(i);
        assert_true(sim_op_find(names[i], &op, NULL));
        assert_string_equal(op.mnemonic, names[i]);
        assert_non_null(op.body);
        assert_int_not_equal(op.d, PTX_TYPE_NONE);
        assert_null(strpbrk(names[i], "{}[]| "));
    }
    assert_null(sim_op_name(count));
    qsort(names, count, sizeof *names, compare_names);
    for (unsigned i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            fail_msg("%s twice", names[i]);
    free(names);
}

static void the_unknown_is_refused_with_a_reason(void **state) {
    (void)state;
    static const char *const unknown[] = {"",
                                          "wgmma.fence.sync.aligned",
                                          "ad.u32",
                                          "add",
                                          "add.",
                                          "add.u33",
                                          "add.u32.",
                                          "add.rn",
                                          "ld.global.u32",
                                          "cvt.f32.s32",
                                          "setp.lo.s32",
                                          "add.ftz.f64",
                                          "{",
                                          "mov.b128"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        struct sim_op op;
        const char *why = NULL;
        assert_false(sim_op_find(unknown[i], &op, &why));
        assert_non_null(why);
    }
    const char *why = NULL;
    struct sim_op op;
    sim_op_find("add.u33", &op, &why);
    assert_string_equal(why, "no such form of this instruction");
    sim_op_find("ad.u32", &op, &why);
    assert_string_equal(why, "unknown instruction");
}

/* As in ptxas: the toolkit's own headers contain vote.ballot.sync. */
static void words_come_in_any_order_but_types_do_not(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"vote.ballot.sync.b32", "vote.sync.ballot.b32"},
        {"shfl.idx.sync.b32", "shfl.sync.idx.b32"},
        {"match.sync.any.b64", "match.any.sync.b64"},
        {"redux.add.sync.s32", "redux.sync.add.s32"},
        {"add.f32.ftz.rn", "add.rn.ftz.f32"},
        {"cvt.f64.rn.u64", "cvt.rn.f64.u64"},
        {"setp.u32.lt", "setp.lt.u32"},
    };
    struct sim_op op;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_true(sim_op_find(pairs[i][0], &op, NULL));
        assert_string_equal(op.mnemonic, pairs[i][1]);
    }
    assert_true(sim_op_find("cvt.s64.s32", &op, NULL));
    assert_false(sim_op_find("cvt.rn.u64.f64", &op, NULL));
    assert_false(sim_op_find("sync.vote.ballot.b32", &op, NULL));
    assert_false(sim_op_find("vote.ballot.ballot.b32", &op, NULL));
    assert_false(sim_op_find("add.b.c.d.e.f.g.h.i.j.k.u32", &op, NULL));
}

static void types_and_modifiers_are_the_words(void **state) {
    (void)state;
    static const struct {
        const char *mnemonic;
        enum ptx_type d, e, a, b, c, f;
        enum sim_rounding rounding;
        bool ftz, sat;
        unsigned flags;
        char member;
    } rows[] = {
        {"add.s32", PTX_TYPE_U32, 0, PTX_TYPE_U32, PTX_TYPE_U32, 0, 0, SIM_RN, false, false, 0, 0},
        {"mul.wide.s32", PTX_TYPE_S64, 0, PTX_TYPE_S32, PTX_TYPE_S32, 0, 0, SIM_RN, false, false, 0, 0},
        {"shl.b64", PTX_TYPE_B64, 0, PTX_TYPE_B64, PTX_TYPE_U32, 0, 0, SIM_RN, false, false, 0, 0},
        {"fma.rm.ftz.sat.f32", PTX_TYPE_F32, 0, PTX_TYPE_F32, PTX_TYPE_F32, PTX_TYPE_F32, 0, SIM_RM, true,
         true, 0, 0},
        {"cvt.rzi.ftz.s32.f32", PTX_TYPE_S32, 0, PTX_TYPE_F32, 0, 0, 0, SIM_RZ, true, false, 0, 0},
        {"cvt.rp.sat.f16.u64", PTX_TYPE_F16, 0, PTX_TYPE_U64, 0, 0, 0, SIM_RP, false, true, 0, 0},
        {"cvt.u16.s8", PTX_TYPE_U16, 0, PTX_TYPE_S8, 0, 0, 0, SIM_RN, false, false, 0, 0},
        {"setp.lt.s32", PTX_TYPE_PRED, PTX_TYPE_PRED, PTX_TYPE_S32, PTX_TYPE_S32, 0, 0, SIM_RN, false, false,
         0, 0},
        {"setp.lt.and.s32", PTX_TYPE_PRED, PTX_TYPE_PRED, PTX_TYPE_S32, PTX_TYPE_S32, PTX_TYPE_PRED, 0,
         SIM_RN, false, false, 0, 0},
        {"set.geu.xor.ftz.f32.f32", PTX_TYPE_F32, 0, PTX_TYPE_F32, PTX_TYPE_F32, PTX_TYPE_PRED, 0, SIM_RN,
         true, false, 0, 0},
        {"shfl.sync.down.b32", PTX_TYPE_B32, PTX_TYPE_PRED, PTX_TYPE_B32, PTX_TYPE_U32, PTX_TYPE_U32,
         PTX_TYPE_U32, SIM_RN, false, false, SIM_OP_SYNC, 'f'},
        {"vote.sync.ballot.b32", PTX_TYPE_B32, 0, PTX_TYPE_PRED, PTX_TYPE_U32, 0, 0, SIM_RN, false, false,
         SIM_OP_SYNC, 'b'},
        {"elect.sync", PTX_TYPE_B32, PTX_TYPE_PRED, PTX_TYPE_U32, 0, 0, 0, SIM_RN, false, false, SIM_OP_SYNC,
         'a'},
        {"addc.cc.u64", PTX_TYPE_U64, 0, PTX_TYPE_U64, PTX_TYPE_U64, 0, 0, SIM_RN, false, false, SIM_OP_CARRY,
         0},
        {"mov.pack.4x16", PTX_TYPE_B64, 0, PTX_TYPE_B16, PTX_TYPE_B16, PTX_TYPE_B16, PTX_TYPE_B16, SIM_RN,
         false, false, 0, 0},
        {"mov.unpack.2x32", PTX_TYPE_B32, PTX_TYPE_B32, PTX_TYPE_B64, 0, 0, 0, SIM_RN, false, false, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sim_op op;
        assert_true(sim_op_find(rows[i].mnemonic, &op, NULL));
        assert_int_equal(op.d, rows[i].d);
        assert_int_equal(op.e, rows[i].e);
        assert_int_equal(op.a, rows[i].a);
        assert_int_equal(op.b, rows[i].b);
        assert_int_equal(op.c, rows[i].c);
        assert_int_equal(op.f, rows[i].f);
        assert_int_equal(op.mod.rounding, rows[i].rounding);
        assert_int_equal(op.mod.ftz, rows[i].ftz);
        assert_int_equal(op.mod.sat, rows[i].sat);
        assert_int_equal(op.flags, rows[i].flags);
        assert_int_equal(op.member, rows[i].member);
    }
}

/* One of each form that nvcc emits; the handlers' own tests check the results. */
static void what_nvcc_emits_is_there(void **state) {
    (void)state;
    static const char *const names[] = {
        "mov.u32",
        "mov.u64",
        "mov.b32",
        "mov.f32",
        "mov.f64",
        "mov.pred",
        "mov.u16",
        "add.s64",
        "mad.lo.s32",
        "mul.lo.s64",
        "mul.hi.u32",
        "mul.hi.s64",
        "shr.u64",
        "shf.l.wrap.b32",
        "shf.r.clamp.b32",
        "prmt.b32",
        "lop3.b32",
        "bfe.u32",
        "bfi.b32",
        "popc.b32",
        "clz.b64",
        "brev.b32",
        "bfind.shiftamt.u32",
        "dp4a.s32.s32",
        "dp2a.lo.u32.u32",
        "selp.f64",
        "selp.b16",
        "setp.neu.ftz.f32",
        "setp.ltu.f64",
        "setp.eq.b16",
        "abs.ftz.f32",
        "neg.f64",
        "min.NaN.f32",
        "sqrt.approx.ftz.f32",
        "rsqrt.approx.f32",
        "ex2.approx.ftz.f32",
        "lg2.approx.f32",
        "sin.approx.f32",
        "div.full.ftz.f32",
        "div.approx.f32",
        "div.rn.f64",
        "rcp.approx.ftz.f64",
        "fma.rn.f64",
        "fma.rn.bf16x2",
        "fma.rn.relu.f16x2",
        "add.rn.bf16",
        "max.NaN.f16x2",
        "cvt.rn.bf16x2.f32",
        "cvt.f32.bf16",
        "cvt.rna.tf32.f32",
        "cvt.rpi.ftz.f32.f32",
        "cvt.rmi.f64.f64",
        "cvt.s16.s8",
        "cvt.u32.u16",
        "cvt.sat.u8.s32",
        "cvt.rni.s64.f64",
        "cvt.ftz.f64.f32",
        "cvt.sat.f32.f32",
        "add.sat.s32",
        "mad24.lo.s32",
        "sad.u32",
        "sub.cc.s32",
        "subc.u64",
        "madc.hi.cc.u32",
        "testp.normal.f32",
        "copysign.f64",
        "cnot.b32",
        "slct.f32.s32",
        "match.all.sync.b64",
        "redux.sync.add.s32",
        "activemask.b32",
        "vote.sync.any.pred",
        "set.eq.f16x2.f16x2",
        "setp.gt.and.f16x2",
        "tanh.approx.f32",
        "add.u16x2",
        "min.relu.s16x2",
        "not.pred",
        "xor.pred",
        "fns.b32",
        "bmsk.clamp.b32",
        "szext.wrap.s32",
        "and.b16",
        "rem.u64",
        "div.s16",
        "abs.s16",
        "cvt.rz.f16.f64",
        "vabsdiff4.u32.u32.u32",
        "vabsdiff2.u32.u32.u32.add",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sim_op op;
        if (!sim_op_find(names[i], &op, NULL))
            fail_msg("%s", names[i]);
    }
}

static void *find_some(void *ok) {
    struct sim_op op;
    *(bool *)ok = sim_op_find("add.u32", &op, NULL) && !sim_op_find("nop", &op, NULL);
    return NULL;
}

static void threads_may_look_up_at_once(void **state) {
    (void)state;
    pthread_t threads[4];
    bool ok[4] = {false};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, find_some, &ok[i]), 0);
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_true(ok[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_look_up_at_once), /* first: they race to build the table */
        cmocka_unit_test(every_mnemonic_is_distinct_and_found),
        cmocka_unit_test(the_unknown_is_refused_with_a_reason),
        cmocka_unit_test(words_come_in_any_order_but_types_do_not),
        cmocka_unit_test(types_and_modifiers_are_the_words),
        cmocka_unit_test(what_nvcc_emits_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
