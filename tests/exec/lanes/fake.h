/* A warp without a kernel: slots for an instruction's operands, and a way to run one handler on them. */
#ifndef WIDELOAD_TESTS_LANES_FAKE_H
#define WIDELOAD_TESTS_LANES_FAKE_H

/* cmocka needs these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/exec/lanes/lanes.h"
#include "sim/exec/warp.h"

enum fake_slot { FAKE_D, FAKE_E, FAKE_A, FAKE_B, FAKE_C, FAKE_F, FAKE_SLOTS };

struct fake {
    /* 256 bytes per slot, whatever it contains, each followed by 256 bytes of guard. */
    _Alignas(64) unsigned char frame[FAKE_SLOTS][512];
    struct sim_warp warp;
    struct sim_op op;
    struct sim_insn insn;
};

/* Finds the mnemonic, and fails the test if it is unknown; fills every slot with junk. */
void fake_begin(struct fake *fake, const char *mnemonic);
/* Sets a lane of an operand, zero-extended. */
void fake_set(struct fake *fake, enum fake_slot slot, unsigned lane, uint64_t value);
uint64_t fake_get(const struct fake *fake, enum fake_slot slot, unsigned lane);
enum ptx_type fake_type(const struct fake *fake, enum fake_slot slot);
/* Runs the instruction for these lanes.  Fails if it does not return its successor. */
void fake_run(struct fake *fake, uint32_t mask);
/* Bytes per lane of a slot of that type; 0 for a predicate. */
unsigned fake_lane_bytes(enum ptx_type type);

/* The n-th edge value of a type, and the number of edge values.  Predicates: 0 and 1. */
uint64_t edge_value(enum ptx_type type, unsigned n);
unsigned edge_count(enum ptx_type type);
/* Random bits, the same in each run. */
uint64_t next_random(uint64_t *state);

/* An instruction's result for its zero-extended sources a, b, c, f. */
typedef uint64_t reference_fn(const uint64_t *v);

/* Tests every tuple of edge values, and some random ones, against the reference: with all lanes, then with
 * some.  For a 32-bit destination the upper bits of the reference are ignored. */
void check_op(const char *mnemonic, reference_fn *reference);

#endif
