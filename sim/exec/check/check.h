/* Checks: what is wrong with a program's memory accesses and barriers, found while it runs.
 *
 * A sim_check watches the launches it is given to (struct sim_launch, check) and what the host does to
 * device memory, as far as it is told.  A launch that is checked runs on one thread, in the order of its
 * blocks, so what is found is the same in every run.
 *
 * Thread-safety: all calls may come from any thread; findings are told on the thread that made the call
 * which found them, a launch's when it has ended.
 */
#ifndef WIDELOAD_SIM_CHECK_H
#define WIDELOAD_SIM_CHECK_H

#include "sim/exec/sim.h"

enum sim_check_set {
    SIM_CHECK_MEMORY = 1, /* out of bounds, misaligned, freed; the launch goes on without the lanes.  It looks
                             for leaks, too, which are no errors then. */
    SIM_CHECK_RACE = 2,   /* accesses of two threads, one of them a store, that nothing orders */
    SIM_CHECK_INIT = 4,   /* reads of bytes that nobody wrote */
    SIM_CHECK_SYNC = 8,   /* barriers that part of a warp reaches, masks without the lane, shuffles from lanes
                             that do not take part, deadlocks; shared memory of blocks that may not have
                             begun, or have ended */
    SIM_CHECK_LEAK = 16,  /* memory that was never freed */
    SIM_CHECK_ALL = 31,
};

/* id, the check it belongs to, name */
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
    const char *function; /* that the instruction stands in; NULL: this side does not exist */
    const char *file;     /* of the source; NULL without -lineinfo */
    uint32_t line;        /* of file, or of the PTX text when file is NULL */
    uint32_t ptx_line;
    uint32_t block[3], thread[3];
};

struct sim_finding {
    enum sim_finding_kind kind;
    const char *kernel;            /* NULL: not found in a kernel, but in what the host did */
    struct sim_finding_side at;    /* function is NULL when kernel is */
    struct sim_finding_side other; /* a race's earlier access; what else a diverged warp waits for */
    uint64_t address;              /* in its space; 0 where there is none */
    uint64_t count;                /* accesses of threads that it stands for */
    char text[512];                /* what happened, one line, without the place */
};

/* The strings in the finding live until the function returns. */
typedef void sim_finding_fn(void *argument, const struct sim_finding *finding);

const char *sim_finding_name(enum sim_finding_kind kind);
enum sim_check_set sim_finding_check(enum sim_finding_kind kind);
/* Its line for people: kernel, place, thread, text, the other place; as much of it as fits, size > 0. */
void sim_finding_describe(const struct sim_finding *finding, char *text, size_t size);
/* "memory", "race", "init", "sync", "leak"; NULL for anything but one check. */
const char *sim_check_name(enum sim_check_set one);
/* "memory,race" -> SIM_CHECK_MEMORY | SIM_CHECK_RACE; blanks are allowed, and empty names.  False for a
 * name that is none: then bad, which has room for size bytes, is that name. */
bool sim_check_parse(const char *text, unsigned *checks, char *bad, size_t size);

/* checks: of enum sim_check_set.  NULL when out of memory. */
struct sim_check *sim_check_create(struct sim_memory *memory, unsigned checks, sim_finding_fn *found,
                                   void *argument);
/* No launch may use it any longer. */
void sim_check_destroy(struct sim_check *check);
unsigned sim_check_enabled(const struct sim_check *check);

/* What the host did; check may be NULL, then nothing happens.  function: the API's name, for the text. */
void sim_check_written(struct sim_check *check, uint64_t address, size_t size);
/* A copy within device memory: what was never written stays so. */
void sim_check_copied(struct sim_check *check, uint64_t to, uint64_t from, size_t size);
/* A copy to the host. */
void sim_check_fetched(struct sim_check *check, const char *function, uint64_t address, size_t size);
/* To be called before sim_memory_free(). */
void sim_check_freed(struct sim_check *check, uint64_t base);
/* The host named an address that it must not: text says why. */
void sim_check_refused(struct sim_check *check, enum sim_finding_kind kind, uint64_t address,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
