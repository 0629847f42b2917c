/* The parameter of fields.cu's kernels: the same struct on both sides. */
#ifndef WIDELOAD_KERNELS_FIELDS_H
#define WIDELOAD_KERNELS_FIELDS_H

#include <stdint.h>

/* fields.cu is compiled for this many fields, and again for few, WL_FIELDS_FEW, with a shorter parameter: a
 * launch with 1.9 KB costs the host 7 % more than one with 0.5 KB. */
#ifndef WL_FIELDS_LIMIT
#define WL_FIELDS_LIMIT 64
#endif
#define WL_FIELDS_FEW     8
#define WL_FIELDS_THREADS 128
/* Tasks per chunk: in each, a warp moves 32 vectors of one field.  Their table fills 8 bytes at a time. */
#define WL_FIELD_TASKS 256

struct wl_field_shape {
    uint64_t array; /* address */
    uint32_t offset, bytes;
    uint32_t inverse; /* ceil(2^32 / bytes): a multiplication divides; 0 for 1 */
    uint16_t first_task;
    uint16_t unit; /* 1, 2 or 4: bytes at once by which its values can move */
};

struct wl_fields_shape {
    uint64_t n;          /* structures */
    uint64_t packed;     /* address of the first byte that a field names; of the structures for interleave */
    uint32_t structures; /* by which chunks advance: a multiple of 16 or 32, so that every field's part of a
                            chunk is whole vectors or sectors */
    uint32_t skew_mask;  /* 15 or 31: the largest distance of an array from an aligned address */
    uint32_t slack;      /* deinterleave: structures before a chunk's own that it also holds */
    uint32_t structure_bytes;
    uint32_t tail;  /* bytes at a structure's end that no field names: the last structure may lack them */
    uint32_t gaps;  /* interleave: some bytes are named by no field, and are set to 0 */
    uint32_t tasks; /* of all fields in a chunk */
    uint32_t pad;   /* an empty vector in shared memory after each 2^pad */
    uint8_t task_field[WL_FIELD_TASKS + 8];
    struct wl_field_shape fields[WL_FIELDS_LIMIT];
};

#endif
