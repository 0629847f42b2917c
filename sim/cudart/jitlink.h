/* nvJitLink above the simulator, which runs PTX and no machine code.
 *
 * nvJitLink gives PTX only for what it optimises at link time (-lto), so its functions are made to jump to
 * ours.  Link-time code goes on to the library itself, which is asked for PTX by its own option -ptx; that,
 * and every input that holds PTX, goes to the driver's linker.  Its result is the "cubin". */
#ifndef WIDELOAD_SIM_CUDART_JITLINK_H
#define WIDELOAD_SIM_CUDART_JITLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nvJitLink *jitlink_handle;
typedef int jitlink_result; /* nvJitLinkResult */

/* What a library's own functions do, behind the entries that jump to ours. */
struct jitlink_originals {
    jitlink_result (*create)(jitlink_handle *, uint32_t, const char *const *);
    jitlink_result (*destroy)(jitlink_handle *);
    jitlink_result (*add_data)(jitlink_handle, int type, const void *, size_t, const char *name);
    jitlink_result (*add_file)(jitlink_handle, int type, const char *path);
    jitlink_result (*complete)(jitlink_handle);
    jitlink_result (*cubin_size)(jitlink_handle, size_t *);
    jitlink_result (*cubin)(jitlink_handle, void *);
    jitlink_result (*ptx_size)(jitlink_handle, size_t *);
    jitlink_result (*ptx)(jitlink_handle, char *);
    jitlink_result (*error_size)(jitlink_handle, size_t *);
    jitlink_result (*error)(jitlink_handle, char *);
};

/* How many functions there are, and each one's name without nvJitLink before it. */
enum { JITLINK_FUNCTIONS = 11 };
extern const char *const jitlink_names[JITLINK_FUNCTIONS];

/* Which function a name means, "nvJitLinkCreate" and "__nvJitLinkCreate_13_0" alike; -1: none of them. */
int jitlink_function(const char *name);

/* Keeps a library's own functions, in the order of the names, and gives those that take their places.
 * False: too many libraries. */
bool jitlink_keep(void *const originals[JITLINK_FUNCTIONS], void *replacements[JITLINK_FUNCTIONS]);

#endif
