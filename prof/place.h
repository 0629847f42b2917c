/* Where in a program's source a call stands, from the program's own debug information. */
#ifndef WIDELOAD_PROF_PLACE_H
#define WIDELOAD_PROF_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address in a call, as the file that has it counts addresses. */
struct prof_frame {
    const char *module; /* the file: a program or a shared library */
    uint64_t offset;
};

/* Files that were opened for it.  Not thread-safe. */
struct prof_places;

/* NULL: out of memory. */
struct prof_places *prof_places_open(void);
void prof_places_close(struct prof_places *places);

/* Writes the place of the innermost of the calls that is the user's own: "sumArrays.cu:31".  Calls in headers
 * of CUDA and of the system are passed over, also where they are inlined.  Without debug information it is a
 * function, "main", or a library, "libtorch_cuda.so".  False: nothing is known.  frames: the innermost first.
 * Separate files of debug information are not looked for, so nothing is fetched from a network. */
bool prof_place_of_frames(struct prof_places *places, const struct prof_frame *frames, size_t count,
                          char *out, size_t size);

#endif
