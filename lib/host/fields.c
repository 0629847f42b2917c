/* Structures and arrays on the host: a strided copy for each field, of a few structures at a time, so that
 * these stay in the cache until their last field has moved. */
#include <string.h>

#include "lib/host/host.h"
#include "lib/host/kernels.h"
#include "lib/host/threads.h"

/* Bytes of structures that move at a time, and of a thread's share. */
#define PIECE_BYTES 16384
#define SHARE_BYTES (1 << 18)

/* One field of structures that lie `structure` bytes apart, to or from an array of its own. */
static void move_field(const struct wl__host_kernels *kernels, bool together, unsigned char *packed,
                       uint64_t structure, unsigned char *array, uint64_t bytes, uint64_t n) {
    const bool has_width = bytes <= 16 && (bytes & (bytes - 1)) == 0;
    wl__host_line *line = has_width ? kernels->line[__builtin_ctzll(bytes)] : kernels->line_any;
    if (together)
        line(packed, (int64_t)structure, array, (int64_t)bytes, n, bytes);
    else
        line(array, (int64_t)bytes, packed, (int64_t)structure, n, bytes);
}

struct problem {
    const struct wl__host_structures *all;
    const struct wl__host_kernels *kernels;
    bool gaps; /* together: some bytes are named by no field */
};

static void move(const void *problem, uint64_t first, uint64_t end) {
    const struct problem *p = problem;
    const struct wl__host_structures *all = p->all;
    const uint64_t most = all->structure_bytes < PIECE_BYTES ? PIECE_BYTES / all->structure_bytes : 1;
    for (uint64_t n; first < end; first += n) {
        n = end - first < most ? end - first : most;
        if (p->gaps)
            memset(wl__host_pointer(all->packed) + first * all->structure_bytes, 0, n * all->structure_bytes);
        for (unsigned f = 0; f < all->count; f++) {
            unsigned char *packed = wl__host_pointer(all->packed) + first * all->structure_bytes;
            move_field(p->kernels, all->together, packed + all->fields[f].offset, all->structure_bytes,
                       wl__host_pointer(all->arrays[f]) + first * all->fields[f].bytes, all->fields[f].bytes,
                       n);
        }
    }
}

wl_error wl__host_fields(const wl_context *context, struct wl__choice *choice,
                         const struct wl__host_structures *all) {
    uint64_t named = 0;
    for (unsigned f = 0; f < all->count; f++)
        named += all->fields[f].bytes;
    const struct problem problem = {all, context->host->kernels,
                                    all->together && named < all->structure_bytes};
    choice->kernel = "host-fields";
    choice->why = "field by field of structures that are in the cache";
    wl__chose(context, choice);
    const uint64_t least = SHARE_BYTES / all->structure_bytes;
    wl__host_share(move, &problem, all->n, least);
    return WL_ERROR_OK;
}

/* Whether arrays lie equally far apart: then they are a matrix, which is transposed. */
static bool are_matrix(const wl_devptr *streams, unsigned fields) {
    const wl_devptr apart = fields > 1 ? streams[1] - streams[0] : 0;
    for (unsigned f = 2; f < fields; f++)
        if (streams[f] - streams[f - 1] != apart)
            return false;
    return true;
}

struct streams {
    bool together;
    unsigned width, fields;
    wl_devptr packed;
    const wl_devptr *each;
    const struct wl__host_kernels *kernels;
};

static void move_streams(const void *problem, uint64_t first, uint64_t end) {
    const struct streams *p = problem;
    const uint64_t structure = (uint64_t)p->fields * p->width;
    const uint64_t most = structure < PIECE_BYTES ? PIECE_BYTES / structure : 1;
    for (uint64_t n; first < end; first += n) {
        n = end - first < most ? end - first : most;
        for (unsigned f = 0; f < p->fields; f++)
            move_field(p->kernels, p->together,
                       wl__host_pointer(p->packed) + first * structure + f * p->width, structure,
                       wl__host_pointer(p->each[f]) + first * p->width, p->width, n);
    }
}

wl_error wl__host_streams(const wl_context *context, struct wl__choice *choice, bool together, unsigned width,
                          unsigned fields, wl_devptr packed, const wl_devptr *streams, uint64_t n) {
    if (are_matrix(streams, fields)) {
        const int64_t apart = fields > 1 ? (int64_t)(streams[1] - streams[0]) : 0;
        const int64_t structure = (int64_t)fields * width, each = width;
        struct wl__strided all = {
            packed, streams[0], width, 2, {{n, structure, each}, {fields, each, apart}}};
        if (!together) {
            all = (struct wl__strided){
                streams[0], packed, width, 2, {{n, each, structure}, {fields, apart, each}}};
        }
        return wl__host_move(context, choice, &all);
    }
    choice->kernel = "host-fields";
    choice->why = "field by field of structures that are in the cache";
    wl__chose(context, choice);
    const struct streams problem = {together, width, fields, packed, streams, context->host->kernels};
    const uint64_t structure_bytes = (uint64_t)fields * width;
    wl__host_share(move_streams, &problem, n, SHARE_BYTES / structure_bytes);
    return WL_ERROR_OK;
}
