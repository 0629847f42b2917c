/* Where in the program an array was allocated, for the profiler's pages. */
#ifndef WIDELOAD_SIM_CUDA_ORIGIN_H
#define WIDELOAD_SIM_CUDA_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#define ORIGIN_FRAMES 4

/* The calls that led to an allocation, the innermost first, without those inside CUDA's libraries. */
struct origin {
    void *frame[ORIGIN_FRAMES]; /* an address in each call; NULL after the last one */
};

/* Thread-safe; not for signal handlers.  All NULL if nobody asks for origins (WIDELOAD_PROF_PAGE). */
void origin_note(struct origin *origin);

/* The file that the address lies in, and its offset there, in the file's own addresses.  False: unknown, as
 * after dlclose().  (If another file was mapped at the same addresses since then, it is named.) */
struct origin_place {
    char module[4096];
    uint64_t offset;
};
bool origin_place(const void *address, struct origin_place *out);

#endif
