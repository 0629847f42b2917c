/* Checks: find errors in a program's memory accesses and barriers while it runs.
 *
 * A sim_check watches the launches that it is passed to (struct sim_launch, check), and the host's operations
 * on device memory that are reported to it.  A checked launch runs on one thread, in the order of its blocks,
 * so the findings are the same in every run.
 *
 * All functions are thread-safe.  Findings are reported on the thread whose call found them; a launch reports
 * them when it has ended.
 */
#ifndef WIDELOAD_SIM_CHECK_H
#define WIDELOAD_SIM_CHECK_H

#include "sim/exec/sim.h"

enum sim_check_set {
    SIM_CHECK_MEMORY = 1, /* out of bounds, misaligned, freed; the launch continues without these lanes, and
                             leaks are found, which are then no errors */
    SIM_CHECK_RACE = 2,   /* unordered accesses of two threads, one of them a store */
    SIM_CHECK_INIT = 4,   /* reads of bytes that were never written */
    SIM_CHECK_SYNC = 8,   /* barriers that only part of a warp reaches, masks without the lane, shuffles from
                             inactive lanes, deadlocks; shared memory of blocks that may not have started
                             yet or have ended */
    SIM_CHECK_LEAK = 16,  /* memory that was never freed */
    SIM_CHECK_ALL = 31,
};

/* id, its check, name */
#define SIM_FINDING_MAP(X)                                                                                   \
    X(OUT_OF_BOUNDS, MEMORY, "out-of-bounds")                                                                \
    X(MISALIGNED, MEMORY, "misaligned")                                                                      \
    X(USE_AFTER_FREE, MEMORY, "use-after-free")                                                              \
    X(STACK_OVERFLOW, MEMORY, "stack-overflow")                                                              \
    X(INVALID_FREE, MEMORY, "invalid-free")                                                                  \
    X(LEAK, LEAK, "leak")                                                                                    \
    X(READ_AFTER_WRITE, RACE, "read-after-write")                                                            \
    X(WRITE_AFTER_READ, RACE, "write-after-read")                                                            \
    X(WRITE_AFTER_WRITE, RACE, "write-after-write")                                                          \
    X(UNINITIALIZED, INIT, "uninitialized-read")                                                             \
    X(DIVERGENT_BARRIER, SYNC, "divergent-barrier")                                                          \
    X(INVALID_MASK, SYNC, "invalid-mask")                                                                    \
    X(UNDEFINED_SHUFFLE, SYNC, "undefined-shuffle")                                                          \
    X(DEADLOCK, SYNC, "deadlock")                                                                            \
    X(BLOCK_NOT_THERE, SYNC, "block-not-there")

enum sim_finding_kind {
#define SIM_FINDING_ENUM(id, check, name) SIM_FINDING_##id,
    SIM_FINDING_MAP(SIM_FINDING_ENUM)
#undef SIM_FINDING_ENUM
};

/* One side of a finding: an instruction, and a thread that ran it. */
struct sim_finding_side {
    const char *function; /* that contains the instruction; NULL: this side does not exist */
    const char *file;     /* source file; NULL without -lineinfo */
    uint32_t line;        /* in file, or in the PTX text if file is NULL */
    uint32_t ptx_line;
    uint32_t block[3], thread[3];
};

struct sim_finding {
    enum sim_finding_kind kind;
    const char *kernel;            /* NULL: found in a call of the host, not in a kernel */
    struct sim_finding_side at;    /* function is NULL if kernel is */
    struct sim_finding_side other; /* a race's earlier access; what else a diverged warp waits for */
    uint64_t address;              /* in its space; 0 if there is none */
    uint64_t count;                /* number of the threads' accesses that it represents */
    char text[512];                /* what happened, in one line, without the place */
};

/* The strings in the finding are valid until the function returns. */
typedef void sim_finding_fn(void *argument, const struct sim_finding *finding);

const char *sim_finding_name(enum sim_finding_kind kind);
enum sim_check_set sim_finding_check(enum sim_finding_kind kind);
/* Writes a line for people: kernel, place, thread, text, the other place; truncated to size > 0. */
void sim_finding_describe(const struct sim_finding *finding, char *text, size_t size);
/* "memory", "race", "init", "sync", "leak"; NULL unless exactly one check is given. */
const char *sim_check_name(enum sim_check_set one);
/* "memory,race" -> SIM_CHECK_MEMORY | SIM_CHECK_RACE; blanks and empty names are allowed.  False for an
 * unknown name, which is copied to bad, truncated to size. */
bool sim_check_parse(const char *text, unsigned *checks, char *bad, size_t size);

/* checks: bits of enum sim_check_set.  NULL on out-of-memory. */
struct sim_check *sim_check_create(struct sim_memory *memory, unsigned checks, sim_finding_fn *found,
                                   void *argument);
/* No launch may be using it. */
void sim_check_destroy(struct sim_check *check);
unsigned sim_check_enabled(const struct sim_check *check);

/* Report host operations.  check NULL: a no-op.  function: the API function's name, for the text. */
void sim_check_written(struct sim_check *check, uint64_t address, size_t size);
/* A copy within device memory: unwritten bytes stay unwritten. */
void sim_check_copied(struct sim_check *check, uint64_t to, uint64_t from, size_t size);
/* A copy to the host. */
void sim_check_fetched(struct sim_check *check, const char *function, uint64_t address, size_t size);
/* Call before sim_memory_free(). */
void sim_check_freed(struct sim_check *check, uint64_t base);
/* The host passed an invalid address; format: why. */
void sim_check_refused(struct sim_check *check, enum sim_finding_kind kind, uint64_t address,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
