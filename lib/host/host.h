/* The host device: the machine's own processors and memory.  Operations do what they do on a GPU, but in the
 * calling thread and others of OpenMP, and are done when the call returns.  No driver is open.
 *
 * An operation of lib/ checks its arguments and then calls one of these.  All of them but sums, structures
 * and squares in place are the same problem, a copy between strides, for which there is one engine. */
#ifndef WIDELOAD_LIB_HOST_H
#define WIDELOAD_LIB_HOST_H

#include "lib/choice.h"
#include "lib/copy/strided.h"
#include "lib/sparse/check_parameters.h"
#include "lib/sparse/sort.h"

/* What the host device knows of the machine. */
struct wl__host {
    const struct wl__host_kernels *kernels;
    uint64_t stream_from; /* bytes of output from which stores go past the caches */
};

static inline bool wl__is_host(const wl_context *context) {
    return context->host;
}

/* An address as a pointer. */
static inline unsigned char *wl__host_pointer(wl_devptr address) {
    return (unsigned char *)(uintptr_t)address;
}

/* lib/host/device.c */
wl_error wl__host_open(wl_context *context);
void wl__host_info(wl_device_info *out);
wl_error wl__host_alloc(wl_devptr *out, size_t bytes);
void wl__host_free(wl_devptr address);

/* Copies; completes and records the choice.  The problem need not be reduced. */
wl_error wl__host_move(const wl_context *context, struct wl__choice *choice, const struct wl__strided *all);

/* bytes: of the type. */
wl_error wl__host_add(const wl_context *context, struct wl__choice *choice, wl_type type, unsigned bytes,
                      wl_devptr out, wl_devptr a, wl_devptr b, uint64_t n);

wl_error wl__host_transpose_inplace(const wl_context *context, struct wl__choice *choice, unsigned width,
                                    wl_devptr matrix, uint64_t rows, uint64_t cols);

/* Sorts a sparse matrix's entries. */
wl_error wl__host_sort(const wl_context *context, struct wl__choice *choice, const struct wl__sort *sort);

/* The least place of a wrong element, or WL_CHECK_NONE.  It writes nothing. */
uint64_t wl__host_check(const struct wl_check *all, unsigned index_bytes);

/* Structures of `fields` elements <-> arrays, as in wl_deinterleave and wl_interleave (together). */
wl_error wl__host_streams(const wl_context *context, struct wl__choice *choice, bool together, unsigned width,
                          unsigned fields, wl_devptr packed, const wl_devptr *streams, uint64_t n);

/* The same for fields of any sizes.  Together, bytes that no field names become 0. */
struct wl__host_structures {
    bool together;
    unsigned count;
    const wl_field *fields;
    uint32_t structure_bytes;
    wl_devptr packed;
    const wl_devptr *arrays;
    uint64_t n;
};
wl_error wl__host_fields(const wl_context *context, struct wl__choice *choice,
                         const struct wl__host_structures *all);

#endif
