/* nvJitLink on the simulator, which runs PTX but no machine code.
 *
 * nvJitLink gives PTX only for what it optimizes at link time (-lto), so its functions are patched to jump to
 * ours.  These pass link-time code to the library itself and ask it for PTX with its own option -ptx.  That
 * PTX, and every input that contains PTX, goes to the driver's linker, whose result is the "cubin". */
#ifndef WIDELOAD_SIM_CUDART_JITLINK_H
#define WIDELOAD_SIM_CUDART_JITLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nvJitLink *jitlink_handle;
typedef int jitlink_result; /* nvJitLinkResult */

/* A library's own functions, reached behind the patched entries. */
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

/* The functions' names, without the prefix nvJitLink. */
enum { JITLINK_FUNCTIONS = 11 };
extern const char *const jitlink_names[JITLINK_FUNCTIONS];

/* The index of a function, by "nvJitLinkCreate" or "__nvJitLinkCreate_13_0"; -1 if unknown. */
int jitlink_function(const char *name);

/* Stores a library's own functions, in the order of the names, and returns their replacements.
 * False: too many libraries. */
bool jitlink_keep(void *const originals[JITLINK_FUNCTIONS], void *replacements[JITLINK_FUNCTIONS]);

#endif
