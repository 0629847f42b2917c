/* A CUDA driver that runs nothing and remembers what it was asked: to test the library's host side.
 * Loaded through WIDELOAD_SIM_LIBRARY; the tests find these functions with dlsym. */
#ifndef WIDELOAD_TESTS_FAKE_DRIVER_H
#define WIDELOAD_TESTS_FAKE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

struct fake_launch {
    char kernel[64];
    uint32_t grid[3], block[3];
    void *stream;
    uint64_t arguments[12]; /* what the first of them point at, 8 bytes each */
};

struct fake_state {
    struct fake_launch launches[64]; /* the first of them */
    unsigned launch_count;
    int depth;        /* contexts pushed and not popped */
    bool current;     /* the application has made the context current */
    unsigned pushes;  /* ever pushed */
    int retained;     /* primary contexts retained and not released */
    unsigned modules; /* loaded and not unloaded */
    unsigned loads;   /* ever loaded */
    int capture_mode; /* the threads', for a capture forbids loading in any but the relaxed one */
    bool fail_load;   /* the next module is refused for want of memory */
    uint64_t host;    /* from here on, host_bytes bytes are pageable host memory */
    uint64_t host_bytes;
    unsigned pointer_questions; /* calls that asked what memory an address is of */
    unsigned allocations;       /* not freed */
    int fail_next;              /* CUDA error that the next launch or synchronisation returns; then 0 */
    int release;                /* what releasing the lines of the L2 cache returns */
    unsigned releases;          /* times that it was asked for */
    uint64_t last_memset_bytes;
};

typedef struct fake_state *fake_state_fn(void);

#endif
