/* Where in the program an array was allocated: for pages of the profiler, which ask for it. */
#ifndef WIDELOAD_SIM_CUDA_ORIGIN_H
#define WIDELOAD_SIM_CUDA_ORIGIN_H

#include <stdint.h>

#define ORIGIN_FRAMES 4

/* The calls that led to an allocation, the innermost first, without those inside CUDA's libraries. */
struct origin {
    void *frame[ORIGIN_FRAMES]; /* addresses in the calls; NULL after the last one */
};

/* Thread-safe.  All NULL where nobody asks for origins (WIDELOAD_PROF_PAGE). */
void origin_note(struct origin *origin);

/* The file that has the address, and the address's offset in it as the file's own addresses are.  False:
 * unknown. */
struct origin_place {
    char module[4096];
    uint64_t offset;
};
bool origin_place(const void *address, struct origin_place *out);

#endif
