/* A lowered module, private to sim/exec: what the loader makes and warps run.  Read-only once loaded,
 * but for the counts that launches add to it under its lock. */
#ifndef WIDELOAD_SIM_PROGRAM_H
#define WIDELOAD_SIM_PROGRAM_H

#include <pthread.h>

#include "sim/exec/insn.h"
#include "sim/exec/lower/doubt.h"
#include "sim/exec/sim.h"

/* Where generic addresses of the small spaces begin.  Host addresses have at most 57 bits, the highest
 * of them clear in user space, so no device pointer falls in here. */
#define SIM_WINDOW_SHARED 0x0100000000000000u
#define SIM_WINDOW_LOCAL  0x0200000000000000u
#define SIM_WINDOW_PARAM  0x0300000000000000u
#define SIM_WINDOW_MASK   0xff00000000000000u

/* Shared memory of a cluster's blocks: an address that names a block has its rank plus 1 from this bit on;
 * one that names none is of the running block's own.  As generic addresses, in clusters, all name theirs. */
#define SIM_RANK_SHIFT  24
#define SIM_RANK_OFFSET ((UINT64_C(1) << SIM_RANK_SHIFT) - 1)
#define SIM_MAX_RANK    ((1u << (32 - SIM_RANK_SHIFT)) - 2) /* that an address can name */

#define SIM_MAX_LOCAL_BYTES  (512u << 10) /* a thread, as on hardware */
#define SIM_MAX_SHARED_BYTES (227u << 10) /* a block, as on an H200 */

/* A block's shared memory that belongs to the system.  Cooperative groups of several warps keep their
 * barriers in it, and know where it lies by this register.  An H200 has it below the kernel's variables, here
 * it comes after them; a block whose kernel does not ask has none. */
#define SIM_RESERVED_SHARED   (1u << 10)
#define SIM_RESERVED_REGISTER "%reserved_smem_offset_1"

/* Code addresses are indices into module->codes, tagged so that a null or wild pointer is noticed. */
#define SIM_CODE_ADDRESS 0x0400000000000000u

/* A branch that may send lanes two ways, and where they meet again. */
struct sim_branch {
    uint32_t block; /* the module's number of the basic block that it ends */
    const struct sim_insn *target;
    const struct sim_insn *join;   /* the immediate post-dominator's first instruction; NULL: at exit */
    const struct sim_insn *nearer; /* of those that do not pass it by; NULL: there is no such place */
};

/* brx.idx: the lanes' targets by index. */
struct sim_switch {
    uint32_t block; /* as a branch's */
    const struct sim_insn *join, *nearer;
    size_t count;
    const struct sim_insn *targets[];
};

/* A test before several rounds of a loop run: that its own test holds after all but the last of them.  The
 * counter goes as far as reach in them, downwards where down is set. */
struct sim_rounds {
    uint8_t test; /* enum flow_test */
    bool wide, sign, down;
    int64_t reach; /* less than 2^42 */
};

struct sim_code;

/* A .param variable in a frame: lane-major bytes, lane i's copy at offset + i * stride. */
struct sim_frame_param {
    uint32_t offset, stride;
    uint32_t size;
};

struct sim_call {
    const struct sim_code *callee; /* NULL: indirect, through operand a */
    size_t argument_count, result_count;
    struct sim_frame_param *arguments, *results; /* in the caller's frame */
};

enum sim_space {
    SIM_SPACE_GLOBAL,
    SIM_SPACE_SHARED,
    SIM_SPACE_LOCAL,
    SIM_SPACE_CLUSTER, /* the shared memory of any of the cluster's blocks; in counts, of the others */
    SIM_SPACE_PEER,    /* in counts: those of global memory that lie on another device, once more */
    SIM_SPACE_CONST,
    SIM_SPACE_PARAM,
    SIM_SPACE_GENERIC,
    SIM_COUNTED_SPACES = SIM_SPACE_PEER + 1
};

enum sim_access { SIM_ACCESS_LOAD, SIM_ACCESS_STORE, SIM_ACCESS_ATOM, SIM_ACCESS_RED };

/* Bits: how an access orders others. */
enum sim_order { SIM_ORDER_STRONG = 1, SIM_ORDER_ACQUIRE = 2, SIM_ORDER_RELEASE = 4 };

enum sim_atomic {
    SIM_ATOMIC_ADD,
    SIM_ATOMIC_MIN,
    SIM_ATOMIC_MAX,
    SIM_ATOMIC_AND,
    SIM_ATOMIC_OR,
    SIM_ATOMIC_XOR,
    SIM_ATOMIC_EXCH,
    SIM_ATOMIC_CAS,
    SIM_ATOMIC_INC,
    SIM_ATOMIC_DEC,
};

/* What a memory instruction does, apart from its registers. */
struct sim_memop {
    int64_t offset;
    enum sim_space space;
    enum sim_access access;
    enum ptx_type type; /* of an element */
    uint8_t width;      /* bytes an element */
    uint8_t count;      /* elements a lane: 1, 2, 4, 8 */
    bool address64;     /* the address register is 64 bits wide */
    bool sign;          /* loads: sign-extend to the register */
    uint8_t slot;       /* loads: enum sim_slot of the destinations; stores: of the sources */
    bool narrow;        /* loads: the destination is a 16-bit register: its upper half stays zero */
    bool skips_l1;
    /* What ptxas makes of neighbouring shared accesses (merge.h): counted as one of merged bytes from shift
     * bytes off, or not at all. */
    bool uncounted;
    uint8_t merged;
    int8_t shift;
    bool single_lane;  /* atomics: one lane can do the work of all, as far as the compiler can see */
    bool exact;        /* hardware's leniency with addresses is not for it: mbarriers */
    bool full_warp;    /* single_lane holds where all 32 lanes take part */
    bool loops;        /* atomics: ptxas makes a loop of compare and swap of it, ... */
    bool loops_shared; /* ... if the memory is shared */
    bool increment;    /* atomics of shared memory: adds one, and nobody reads the old value */
    uint8_t order;     /* enum sim_order; 0: a plain access */
    enum sim_atomic atomic;
    uint32_t site;              /* the module's number of this instruction, for its tally */
    int32_t reg[8];             /* destinations (loads) or sources (stores) of the elements */
    const struct sim_memop *to; /* cp.async: the shared side; atomics that may loop: the load before it */
    int32_t size;               /* cp.async: the operand that holds the bytes to read, when has_size, */
    bool has_size;
    bool texture;   /* a texel of a fetch, which is counted as a whole */
    bool bulk;      /* a bulk copy's: it has a count of its own */
    bool ignorable; /* or a predicate: nothing is read where it holds */
};

/* A basic block, for counting: its warps and lanes times its instructions. */
struct sim_code_block {
    uint32_t instructions; /* PTX instructions in it */
    uint32_t first;        /* the first one's index in its function */
    uint32_t copy_of;      /* as a flow_block's, by the module's numbers; copies share their sites */
    uint32_t given_up_count;
    const uint32_t
        *given_up; /* blocks, by the module's numbers: no way leads to their nearer places any more */
};

/* A memory instruction, for its counts. */
struct sim_site {
    uint32_t insn; /* index of the PTX instruction in its function */
    enum sim_access access;
    bool texture;  /* a fetch: its counts are a texture's */
    bool bulk;     /* a bulk copy: a load, a store, or a store to another block */
    uint8_t bytes; /* a lane, as counted */
};

struct sim_code {
    const struct ptx_function *source;
    struct sim_module *module;
    struct sim_insn *insns;
    size_t insn_count;
    char *pool; /* constants, spread over the lanes, 64-byte aligned */
    size_t pool_bytes;
    uint32_t frame_bytes;
    uint32_t *zero; /* pairs {offset, bytes}: slots that may be read before they are written */
    size_t zero_count;
    struct sim_frame_param *params, *returns; /* of a device function, in its frame */
    size_t local_bytes;
    size_t own_shared;   /* bytes of an entry's own shared variables */
    size_t shared_bytes; /* static shared memory: its own and what it reaches of the module's */
    size_t shared_end;   /* offset where its static shared memory ends */
    uint32_t block_base; /* the first of its basic blocks in module->blocks */
    uint32_t block_count;
    uint32_t site_base;
    size_t site_count, site_capacity;
    struct sim_site *sites; /* by site - site_base */
    struct doubts doubts;
    void *extras; /* what instructions point at */
    unsigned registers;
    bool reserved; /* asks where the system's shared memory is */
    bool may_spin; /* has accesses that a loop which waits for another thread would make */
    bool ordered;  /* results depend on the order of blocks: run them in order, on one thread */
    /* What it may call, for the marks that callers inherit. */
    const struct ptx_function **callees;
    size_t callee_count;
    bool calls_indirect;
    uint64_t shared_reach; /* end of the furthest module-scope shared variable it names */
    bool reached;          /* a mark for walks over the call graph */
    /* An entry's: itself and all that it may call, in the text's order.  A launch counts only these. */
    const struct sim_code **reachable;
    size_t reachable_count;
};

struct sim_function {
    const struct sim_code *code;
    struct sim_param *params;
    size_t param_bytes;
};

struct sim_module {
    struct sim_memory *memory;
    struct ptx_module *ptx;
    struct sim_code *codes;         /* one a ptx function, by index; .insns NULL for declarations */
    struct sim_function *functions; /* the entries */
    size_t function_count;
    struct sim_code_block *blocks;
    size_t block_count, block_capacity;
    uint32_t site_count;
    uint64_t const_bytes;
    /* Shared memory: the module's own variables (and device functions'), then the entry's, then, at one
     * offset for all entries since device functions name it too, the launch's dynamic part. */
    uint64_t shared_bytes, dynamic_offset;
    struct sim_managed *managed; /* the managed variables */
    size_t managed_count;
    bool shares_managed;   /* with a module that came before, which gave them their values */
    uint64_t *allocations; /* device memory of the other variables */
    size_t allocation_count;
};

/* Lowers one function into module->codes[function->index].  (lower.c) */
bool sim_lower(struct sim_module *module, const struct ptx_function *function, struct ptx_error *error);
void sim_code_release(struct sim_code *code);

#endif
