/* A CUDA driver that runs nothing and records what it was asked, to test the library's host side.  Loaded
 * through WIDELOAD_SIM_LIBRARY; the tests find these functions with dlsym.  A multiprocessor has as many KB
 * of shared memory as FAKE_SHARED in the environment says, 228 if unset; launches that ask for more fail. */
#ifndef WIDELOAD_TESTS_FAKE_DRIVER_H
#define WIDELOAD_TESTS_FAKE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

struct fake_launch {
    char kernel[64];
    uint32_t grid[3], block[3];
    void *stream;
    uint64_t arguments[12]; /* what the first arguments point to, 8 bytes each */
};

/* Work on streams and events, in the order of the calls.  For a launch the event is NULL. */
struct fake_step {
    enum fake_kind { FAKE_LAUNCH, FAKE_RECORD, FAKE_WAIT } kind;
    void *stream, *event;
};

struct fake_state {
    unsigned devices;      /* 0: one */
    bool no_peers;         /* no device has access to another one */
    unsigned peers;        /* number of calls that enabled it */
    int streams;           /* created but not destroyed */
    bool can_part;         /* streams may have parts of a device's multiprocessors: CUDA 12.5's header */
    unsigned processors;   /* of a device, in parts of which streams may be; 0: they may not */
    int parts;             /* made but not destroyed */
    unsigned part_streams; /* streams made in parts */
    unsigned part_processors[2]; /* of the last two of these */
    int events;
    struct fake_step steps[1024]; /* the first ones */
    unsigned step_count;
    unsigned fail_after; /* of the calls on streams, events and peers, and copies between them, this one
                            fails, counted from 1; then 0 */
    bool fail_on;        /* and so do all after it */
    struct fake_launch launches[64]; /* the first ones */
    unsigned launch_count;
    int depth;        /* contexts pushed but not popped */
    bool current;     /* the application has made the context current */
    unsigned pushes;  /* number of pushes */
    int retained;     /* primary contexts retained but not released */
    unsigned modules; /* loaded but not unloaded */
    unsigned loads;   /* number of loads */
    int capture_mode; /* the threads' mode; a capture allows loading only in the relaxed mode */
    bool fail_load;   /* the next load of a module fails: out of memory */
    uint64_t host;    /* from here on, host_bytes bytes are pageable host memory */
    uint64_t host_bytes;
    unsigned pointer_questions;        /* calls that asked for an address's kind of memory */
    unsigned allocations;              /* not freed */
    int fail_next;                     /* CUDA error of the next launch or synchronisation; then reset to 0 */
    int fail_wait;                     /* the same of the next wait for a stream */
    int capture_status, capture_error; /* what it says of each stream's capture */
    int release;                       /* result of releasing the L2 cache's lines */
    unsigned releases;                 /* number of those calls */
    uint64_t last_memset_bytes;
};

typedef struct fake_state *fake_state_fn(void);

#endif
