/* The simulator's core as the CUDA driver above it sees it: device memory, modules, launches.
 *
 * Device addresses are host addresses: an allocation is a range of this process's memory, so a copy is
 * a memcpy and a kernel's pointer can be followed.  Shared and local memory have address windows of
 * their own in the generic space, far above any host address.
 *
 * Thread-safety: a sim_memory and a loaded module may be used from any thread.  Unloading a module
 * while it runs is the caller's error, and so is unregistering memory that a kernel uses, or freeing it by
 * other means than sim_memory_free(): after that a kernel that runs may still reach what it used before,
 * which stays memory of the device's until the kernel has ended.
 */
#ifndef WIDELOAD_SIM_SIM_H
#define WIDELOAD_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/count/count.h"
#include "sim/exec/sample/sample.h"
#include "sim/ptx/ptx.h"
#include "wideload.h"

/* Whether the size bytes from `at` on lie in [0, limit).  No sum is formed, so that none can wrap round:
 * every bound of what a kernel names is checked by this. */
static inline bool sim_within(uint64_t at, uint64_t size, uint64_t limit) {
    return at <= limit && size <= limit - at;
}

/* ---------------------------------------------------------------- device memory (memory.c) */

enum sim_memory_kind {
    SIM_MEMORY_DEVICE,
    SIM_MEMORY_HOST,
    SIM_MEMORY_MANAGED,
    SIM_MEMORY_MODULE,
    SIM_MEMORY_HEAP,   /* a kernel's malloc(): not for the driver's own functions */
    SIM_MEMORY_SHARED, /* device memory that another process reaches as well */
};

struct sim_allocation {
    uint64_t base;
    size_t size; /* as asked for */
    enum sim_memory_kind kind;
    uint64_t serial;  /* the how-manieth allocation of this memory, from 1 */
    void *user;       /* the driver's own note; NULL until sim_memory_set_user() */
    const char *name; /* of the module's variable that it is, as in PTX; NULL: none */
    unsigned device;  /* that it lies on; of the host's and managed memory: that it was made for */
    uint64_t access;  /* who reaches it: bits of the devices, and SIM_ACCESS_BY_PEERS */
};

#define SIM_MAX_DEVICES       16
#define SIM_ACCESS_OF(device) (UINT64_C(1) << (device))
#define SIM_ACCESS_ALL        UINT64_MAX /* of the host's memory; a device's may be open to each device, too */
#define SIM_ACCESS_BY_PEERS   (UINT64_C(1) << 32) /* so do launches with peer access to its device */

/* One device's memory.  Devices have one space of addresses, so whatever takes an address takes any of them.
 */
struct sim_memory;

/* Device 0's.  limit: device memory in bytes; host and managed allocations do not count against it. */
struct sim_memory *sim_memory_create(uint64_t limit);
/* The memory of one more device, with the same limit; NULL: there are SIM_MAX_DEVICES.  Call it before the
 * first allocation. */
struct sim_memory *sim_memory_add_device(struct sim_memory *memory);
/* That of a device that exists; and the device that it is of. */
struct sim_memory *sim_memory_of(struct sim_memory *memory, unsigned device);
unsigned sim_memory_device(const struct sim_memory *memory);
/* How many devices there are. */
unsigned sim_memory_devices(const struct sim_memory *memory);
/* From now on allocations lie as a GPU has them, in whole pages and next to each other, and kernels may touch
 * the slack between them, as on hardware.  Call it before the first allocation.  False where the process may
 * not have the addresses: then all stays as it was, and every access outside an allocation faults. */
bool sim_memory_pack(struct sim_memory *memory);
/* Ends all devices' memory, and frees every allocation too. */
void sim_memory_destroy(struct sim_memory *memory);
uint64_t sim_memory_limit(const struct sim_memory *memory);
uint64_t sim_memory_used(struct sim_memory *memory);
/* Zero bytes are allowed.  Aligned to 512.  Unless packed, gaps lie between allocations, so an overrun is
 * seen. Returns 0 when the limit, or the machine's memory, is spent.  Contents are undefined. */
uint64_t sim_memory_alloc(struct sim_memory *memory, size_t size, enum sim_memory_kind kind);
/* Makes host memory that the simulator did not allocate known to kernels (cuMemHostRegister). */
bool sim_memory_register(struct sim_memory *memory, void *base, size_t size); /* false: it overlaps one */
/* From the one to the other what sim_memory_free() frees stays mapped, since somebody may use it: launches do
 * this for themselves, copies have to.  They may be nested. */
void sim_memory_enter(struct sim_memory *memory);
void sim_memory_leave(struct sim_memory *memory);
/* False when base is not the start of an allocation. */
bool sim_memory_free(struct sim_memory *memory, uint64_t base);
/* The allocation that holds all of [address, address + size); false if none does. */
bool sim_memory_find(struct sim_memory *memory, uint64_t address, size_t size, struct sim_allocation *out);
/* Whether a kernel may touch [address, address + size), which no one allocation holds: the memory is packed,
 * and has pages there.  *out: the bytes around it that no allocation holds, base and size; where it lies in
 * allocations partly, its own bytes; and who reaches all of it. */
bool sim_memory_slack(struct sim_memory *memory, uint64_t address, size_t size, struct sim_allocation *out);
/* The allocation made next after that serial number; false when there is none. */
bool sim_memory_next(struct sim_memory *memory, uint64_t serial, struct sim_allocation *out);
/* False when base is not the start of an allocation. */
bool sim_memory_set_user(struct sim_memory *memory, uint64_t base, void *user);
/* The same of who reaches it. */
bool sim_memory_set_access(struct sim_memory *memory, uint64_t base, uint64_t access);
/* The same of the name, which must live as long as the allocation. */
bool sim_memory_set_name(struct sim_memory *memory, uint64_t base, const char *name);
/* Whether what lies in the allocation around the address depends on the order in which threads of a launch
 * came (handed.c). */
bool sim_memory_ordered(struct sim_memory *memory, uint64_t address);
void sim_memory_set_ordered(struct sim_memory *memory, uint64_t address);
/* The same of what a copy brings along; the host's memory counts as one allocation. */
void sim_memory_copied(struct sim_memory *memory, uint64_t to, uint64_t from, size_t size);
/* "5 bytes after allocation #3 (0x..., 1024 bytes)", for messages.  True when it lay in freed memory. */
bool sim_memory_describe(struct sim_memory *memory, uint64_t address, char *text, size_t size);
/* The same of the first byte past an allocation, whatever lies there. */
void sim_memory_describe_end(const struct sim_allocation *allocation, char *text, size_t size);

/* ---------------------------------------------------------------- memory of several processes (share.c) */

/* What one process tells another about an allocation.  It has no padding. */
struct sim_share_name {
    uint64_t magic;
    int32_t process, file;
    uint64_t offset, nonce;
};

/* An allocation of another process. */
struct sim_shared {
    int file; /* open */
    uint64_t offset;
    size_t size;
};

/* Exports the allocation at base, which is SIM_MEMORY_DEVICE and becomes SIM_MEMORY_SHARED, or is that
 * already. Nobody may write to device memory meanwhile.  Freeing it ends the name.  False where it is another
 * kind, or an import, and where the process may have no more files, mappings or memory. */
bool sim_memory_export(struct sim_memory *memory, uint64_t base, struct sim_share_name *name);
/* Whether it could be one; sim_share_open() says whether it is. */
bool sim_share_is_name(const struct sim_share_name *name);
/* False where the name is nobody's, or a process's that this one may not look into.  The caller closes
 * out->file. */
bool sim_share_open(const struct sim_share_name *name, struct sim_shared *out);
/* Maps an allocation of another process; 0 where the process may not have the addresses.  It does not count
 * against the limit, and sim_memory_free() unmaps it. */
uint64_t sim_memory_import(struct sim_memory *memory, const struct sim_shared *shared);
/* In the child of a fork, where the memory is of no use: closes its copies of the parent's files. */
void sim_memory_forked(struct sim_memory *memory);

/* ---------------------------------------------------------------- kernels' malloc and free (heap.c) */

struct sim_heap;

/* NULL: out of memory.  limit: bytes that kernels may have at once. */
struct sim_heap *sim_heap_create(struct sim_memory *memory, size_t limit);
/* Frees what kernels left, too. */
void sim_heap_destroy(struct sim_heap *heap);
/* False once a kernel has called malloc, as CUDA has it. */
bool sim_heap_set_limit(struct sim_heap *heap, size_t limit);

/* ---------------------------------------------------------------- modules (module.c) */

struct sim_module;
struct sim_function;

/* Parses and lowers PTX text; places its global and constant variables in memory.  extern variables must be
 * defined in the module itself, and so must functions, but for those that every device has (services.c). */
bool sim_module_load(struct sim_memory *memory, const char *name, const char *text, size_t size,
                     struct sim_module **out, struct ptx_error *error);
/* The same text as other's once more, for another device.  They share the managed variables, which live until
 * the last module that has them is unloaded.  Only the first module initializes them, so an initializer that
 * names a variable which is not managed gives the address of the first module's.  NULL: no other.  Nobody may
 * unload other meanwhile. */
bool sim_module_load_beside(const struct sim_module *other, struct sim_memory *memory, const char *name,
                            const char *text, size_t size, struct sim_module **out, struct ptx_error *error);
void sim_module_unload(struct sim_module *module);
/* The PTX's .target: "sm_90a". */
const char *sim_module_target(const struct sim_module *module);
/* An .entry function, NULL if there is none of that name. */
const struct sim_function *sim_module_function(const struct sim_module *module, const char *name);
/* The i-th .entry function, NULL past the end. */
const struct sim_function *sim_module_function_at(const struct sim_module *module, size_t i);
/* A module-scope .global or .const variable. */
bool sim_module_variable(const struct sim_module *module, const char *name, uint64_t *address, size_t *size);

struct sim_param {
    size_t offset, size;
};

struct sim_function_info {
    const char *name;
    const struct sim_param *params;
    size_t param_count, param_bytes; /* the parameter buffer, as laid out by CUDA's ABI */
    size_t shared_bytes;             /* static */
    size_t const_bytes;              /* the module's .const variables */
    size_t local_bytes;              /* a thread */
    unsigned registers;              /* an estimate: 32-bit registers that the lowering needed; sim/cuda
                                        puts ptxas's number in its place where it knows that */
    unsigned max_threads;            /* a block: 1024, or less by .maxntid / .reqntid */
    unsigned ptx_version;            /* 90: the module's .target */
    uint32_t cluster[3];             /* blocks of a cluster, that all launches have; 0: not given */
    unsigned max_cluster;            /* blocks of a cluster at most; 0: not given */
    bool explicit_cluster;           /* launches have clusters: these, or some that they name */
};
void sim_function_info(const struct sim_function *function, struct sim_function_info *out);
const struct sim_module *sim_function_module(const struct sim_function *function);

/* ---------------------------------------------------------------- launches (launch.c) */

enum sim_fault_kind {
    SIM_FAULT_NONE,
    SIM_FAULT_ADDRESS,    /* CUDA_ERROR_ILLEGAL_ADDRESS */
    SIM_FAULT_MISALIGNED, /* CUDA_ERROR_MISALIGNED_ADDRESS */
    SIM_FAULT_DEADLOCK,   /* CUDA_ERROR_LAUNCH_TIMEOUT: a barrier that some live thread cannot reach */
    SIM_FAULT_TRAP,       /* CUDA_ERROR_ILLEGAL_INSTRUCTION */
    SIM_FAULT_STACK,      /* call depth or local memory: CUDA_ERROR_LAUNCH_FAILED */
    SIM_FAULT_MEMORY,     /* the simulator itself ran out of memory */
    SIM_FAULT_ASSERT,     /* CUDA_ERROR_ASSERT */
    SIM_FAULT_STOP,       /* CUDA_ERROR_LAUNCH_FAILED: trap, brkpt without a debugger */
    SIM_FAULT_TIME,       /* CUDA_ERROR_LAUNCH_TIMEOUT: longer than the launch's limit */
    SIM_FAULT_KINDS
};

struct sim_fault {
    enum sim_fault_kind kind;
    uint32_t block[3], thread[3];
    uint64_t address;
    const char *file; /* the kernel's source; NULL without -lineinfo */
    uint32_t line;    /* of file, or of the PTX text when file is NULL */
    char text[512];   /* one line, ready to print: kernel, file:line, thread, address, nearest allocation */
};

/* Why an instruction's counts may not be a GPU's: bits. */
enum sim_doubt {
    SIM_DOUBT_LANES = 1 << 0, /* ptxas may have its lanes meet elsewhere, or take it out of its loop */
    SIM_DOUBT_ORDER = 1 << 1, /* where it goes to depends on the order in which atomics came */
    SIM_DOUBT_TURNS = 1 << 2, /* how often it runs depends on what other threads do meanwhile */
    SIM_DOUBT_LOCAL = 1 << 3, /* ptxas may keep an array of local memory in registers */
    SIM_DOUBT_HEAP = 1 << 4,  /* malloc() and free() have accesses of their own on a GPU */
    SIM_DOUBT_KIND = 1 << 5,  /* a GPU's counters of shared loads and stores leave it out */
    SIM_DOUBT_WIDTH = 1 << 6, /* ptxas may make one wide shared access of it and others */
    SIM_DOUBT_CALLS = 1 << 7, /* a call whose lanes may come back apart */
    SIM_DOUBT_WORDS = 1 << 8, /* atomics of many words of a sector, for which no exact rule is known */
    SIM_DOUBT_PAIRS = 1 << 9, /* loads of shared memory for which no exact rule is known */
    SIM_DOUBT_DATA = 1 << 10, /* it goes by data that earlier launches left in their threads' order */
    SIM_DOUBT_SHARED_TURNS = 1 << 11, /* SIM_DOUBT_TURNS where it goes to shared memory; told as that */
};

/* What one PTX instruction did in a launch, all threads together. */
struct sim_instruction_count {
    const char *function; /* that it stands in */
    const char *opcode;
    const char *file; /* of the source; NULL without -lineinfo */
    uint32_t line, column;
    uint32_t ptx_line;
    struct wl_counters counters; /* its share; launches is 0 */
    unsigned bytes;              /* that a lane moves, of a memory instruction; else 0 */
    bool has_stride; /* in every access of several lanes, each lies stride bytes after the one before */
    int64_t stride;
    uint64_t divergent; /* of a branch: how often its lanes parted */
    uint64_t undefined; /* of a barrier or .sync instruction: how often it did what CUDA leaves undefined; a
                           basic block's last such instruction stands for all of it */
    unsigned doubts;    /* bits of enum sim_doubt */
    uint64_t
        outside; /* lanes' accesses of global memory that no allocation held, and packed memory let pass */
    struct sim_kind **kinds; /* of a sampled launch: the list of its requests, which may be taken out;
                                else NULL */
};
typedef void sim_instruction_fn(void *argument, const struct sim_instruction_count *count);

/* What a kernel prints: one thread's printf, or (error) the line of a failed assert.  Called after the
 * launch on the caller's thread, by block and then in the order in which the block's threads came to it,
 * whatever the number of worker threads; nothing of blocks after one that faulted. */
typedef void sim_print_fn(void *argument, bool error, const char *text, size_t size);

struct sim_check;
struct sim_textures;

/* Forward progress: a block that waits for what other blocks will do (grid-wide barriers, decoupled
 * look-back) takes turns with them.  Blocks start in order, and as soon as all that have started only wait,
 * more start, as many as an H200 holds at once (all of a cooperative launch).  So whatever ends on hardware
 * whichever way it schedules its resident blocks, ends here.  The blocks of a cluster start together, on one
 * thread; the grid is a multiple of it in each dimension. */
#define SIM_MAX_CLUSTER 16 /* blocks */
struct sim_launch {
    struct sim_memory *memory; /* of the device that it runs on */
    uint32_t peers;            /* bits of the devices to which it has peer access */
    const struct sim_function *function;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks that run together; 0: as the kernel says, or each on its own */
    size_t shared_bytes; /* dynamic */
    const void *params;  /* param_bytes of them */
    const struct count_rules *rules;
    unsigned threads; /* worker threads; 0: all cores */
    uint32_t limit;   /* 0: none.  Basic blocks that each of a worker's warps may run, more or less, all
                         its blocks' taken together; a launch that comes to it has SIM_FAULT_TIME */
    struct sim_check *check; /* NULL, or what watches the launch (sim/exec/check/check.h), on one thread */
    bool cooperative;        /* all blocks are resident at once; they may meet at grid-wide barriers */
    const struct sim_textures *textures; /* sim/exec/texture/texture.h; NULL: there are no texture objects */
    struct sim_heap *heap;               /* NULL: malloc() in the kernel returns NULL */
    size_t print_bytes;                  /* printf's buffer: when it is full, the oldest output is lost */
    sim_print_fn *print;                 /* NULL: what the kernel prints is lost */
    void *print_argument;
    sim_instruction_fn *each; /* NULL, or told of each instruction that ran, after the launch, in the
                                 text's order, on the caller's thread */
    sim_array_fn *array;      /* NULL, or requests are sampled (sim/exec/sample/sample.h), and it is told of
                                 arrays */
    void *argument;           /* of both */
};

/* Runs a launch to its end.  counters gets this launch's counts (launches == 1).  Counters, and results
 * where the program itself is deterministic, do not depend on threads.  False when a thread faulted;
 * then *fault says which, the lowest block's first fault if several did, and the counters are partial. */
bool sim_launch_run(const struct sim_launch *launch, struct wl_counters *counters, struct sim_fault *fault);

#endif
