/* The parameter of fields.cu's kernels: the same struct on both sides. */
#ifndef WIDELOAD_LIB_FIELDS_SHAPE_H
#define WIDELOAD_LIB_FIELDS_SHAPE_H

#include <stdint.h>

#define WL_FIELDS_LIMIT 64
/* Tasks of a chunk: a warp moves 32 vectors of one field in one. */
#define WL_FIELD_TASKS 256

struct wl_field_shape {
    uint64_t array;       /* address */
    uint32_t offset, bytes;
    uint32_t inverse;     /* ceil(2^32 / bytes): a multiplication divides; 0 for 1 */
    uint16_t first_task;
    uint16_t unit;        /* 1, 2 or 4: how many bytes at once its values can be moved by */
};

struct wl_fields_shape {
    uint64_t n;               /* structures */
    uint64_t packed;          /* address of the structures */
    uint32_t structures;      /* by which chunks advance: a multiple of 32, so that every field's part of a
                                 chunk is whole sectors */
    uint32_t slack;           /* deinterleave: structures before a chunk's that it holds too */
    uint32_t structure_bytes;
    uint32_t tasks;           /* of all fields in a chunk */
    uint32_t gaps;            /* interleave: bytes that no field names are set to 0 */
    uint32_t pad;             /* an empty vector in shared memory after each 2^pad */
    struct wl_field_shape fields[WL_FIELDS_LIMIT];
    uint8_t task_field[WL_FIELD_TASKS];
};

#endif
