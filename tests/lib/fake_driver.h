/* A CUDA driver that runs nothing and records what it was asked, to test the library's host side.  Loaded
 * through WIDELOAD_SIM_LIBRARY; the tests find these functions with dlsym. */
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

struct fake_state {
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
