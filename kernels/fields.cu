/* Structures of fields of any sizes <-> an array a field: wl_deinterleave_fields, wl_interleave_fields.
 *
 * As in interleave.cu a block moves a chunk of structures through shared memory, which mirrors the structures' side
 * to the byte. The arrays are streams of bytes, moved by aligned 16-byte vectors; a warp takes 32 consecutive vectors of
 * one field at a time, so that its lanes agree on how the values may be accessed: by words, halves or bytes.
 * A vector may begin and end inside a value.
 *
 * Where an array begins `skew` bytes past a sector's boundary, its part of a chunk begins that much earlier: no
 * sector of an array is written by two blocks.
 *
 * Traffic: every byte between the structures' first and last is read once, padding too, and every byte of the arrays
 * once; with a skew a chunk's first few structures twice, the second time out of L2.
 */
#include "index.cuh"

#include "lib/fields_shape.h"

#ifndef WL_LOADS
#define WL_LOADS 4
#endif
#define WL_THREADS 256

static __device__ __forceinline__ uint8_t *wl_global(uint64_t address) {
    return (uint8_t *)__cvta_global_to_generic(address);
}

/* Byte `at` of the chunk in shared memory. */
static __device__ __forceinline__ unsigned wl_padded(unsigned at, unsigned pad) {
    return at + ((at >> (4 + pad)) << 4);
}

/* A place in a field: the structure's first byte in the chunk, and the byte within the value. */
struct wl_cursor {
    unsigned structure, byte;
};

static __device__ __forceinline__ struct wl_cursor wl_cursor_at(const struct wl_field_shape *field, unsigned structure_bytes,
                                                                unsigned byte) {
    unsigned value = field->inverse ? __umulhi(byte, field->inverse) : byte;
    struct wl_cursor cursor = {value * structure_bytes, byte - value * field->bytes};
    return cursor;
}

static __device__ __forceinline__ void wl_cursor_next(struct wl_cursor *cursor, unsigned unit, unsigned field_bytes,
                                                      unsigned structure_bytes) {
    cursor->byte += unit;
    if (cursor->byte == field_bytes) {
        cursor->byte = 0;
        cursor->structure += structure_bytes;
    }
}

/* 16 bytes of a field, from the cursor on, by units of a size that is known where this is inlined. */
static __device__ __forceinline__ uint4 wl_gather_units(const uint8_t *shared, struct wl_cursor cursor, unsigned unit,
                                                        unsigned bytes, unsigned structure_bytes, unsigned base, unsigned pad) {
    uint32_t word[4];
#pragma unroll
    for (unsigned w = 0; w < 4; w++) {
        uint32_t part[4];
#pragma unroll
        for (unsigned i = 0; i < 4 / unit; i++) {
            const uint8_t *from = shared + wl_padded(base + cursor.structure + cursor.byte, pad);
            part[i] = unit == 4 ? *(const uint32_t *)from : unit == 2 ? *(const uint16_t *)from : *from;
            wl_cursor_next(&cursor, unit, bytes, structure_bytes);
        }
        word[w] = unit == 4   ? part[0]
                  : unit == 2 ? __byte_perm(part[0], part[1], 0x5410)
                              : __byte_perm(__byte_perm(part[0], part[1], 0x0040), __byte_perm(part[2], part[3], 0x0040),
                                            0x5410);
    }
    return make_uint4(word[0], word[1], word[2], word[3]);
}

static __device__ __forceinline__ void wl_scatter_units(uint8_t *shared, uint4 vector, struct wl_cursor cursor, unsigned unit,
                                                        unsigned bytes, unsigned structure_bytes, unsigned base, unsigned pad,
                                                        unsigned end) {
    const uint32_t word[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
    for (unsigned b = 0; b < 16; b += unit) {
        uint8_t *to = shared + wl_padded(base + cursor.structure + cursor.byte, pad);
        uint32_t part = word[b / 4] >> (8 * (b % 4));
        if (cursor.structure < end) {
            if (unit == 4)
                *(uint32_t *)to = part;
            else if (unit == 2)
                *(uint16_t *)to = (uint16_t)part;
            else
                *to = (uint8_t)part;
        }
        wl_cursor_next(&cursor, unit, bytes, structure_bytes);
    }
}

extern "C" __global__ void __launch_bounds__(WL_THREADS) wl_deinterleave_fields(
    const __grid_constant__ struct wl_fields_shape shape, uint64_t first) {
    extern __shared__ uint4 wl_shared[];
    uint8_t *shared = (uint8_t *)wl_shared;
    const uint64_t start = (first + blockIdx.x) * shape.structures;
    const unsigned row = shape.structure_bytes;
    const uint64_t low = start > shape.slack ? start - shape.slack : 0;
    const uint64_t high = min(start + shape.structures, shape.n);
    const unsigned count = (unsigned)(high - low), lead = (unsigned)(start - low);
    const uint64_t begin = shape.packed + low * row;
    const unsigned misfit = (unsigned)begin & 15, end = misfit + count * row;
    const uint8_t *from = wl_global(begin - misfit);
    const unsigned vectors = (end + 15) >> 4;
    const unsigned whole_begin = low == 0 && misfit;
    const unsigned whole_end = vectors - (high == shape.n && end & 15);
    for (unsigned q0 = threadIdx.x; q0 < whole_end; q0 += WL_LOADS * WL_THREADS) {
        uint4 moved[WL_LOADS];
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            unsigned q = q0 + u * WL_THREADS;
            if (q >= whole_begin && q < whole_end)
                moved[u] = *((const uint4 *)from + q);
        }
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            unsigned q = q0 + u * WL_THREADS;
            if (q >= whole_begin && q < whole_end)
                *(uint4 *)(shared + wl_padded(16 * q, shape.pad)) = moved[u];
        }
    }
    if (threadIdx.x < 32) {
        unsigned q = threadIdx.x < 16 ? 0 : vectors - 1, at = 16 * q + threadIdx.x % 16;
        if ((q < whole_begin || q >= whole_end) && at >= misfit && at < end)
            shared[wl_padded(at, shape.pad)] = from[at];
    }
    __syncthreads();

    for (unsigned task = threadIdx.x / 32; task < shape.tasks; task += WL_THREADS / 32) {
        const struct wl_field_shape *field = &shape.fields[shape.task_field[task]];
        const unsigned bytes = field->bytes, vector = (task - field->first_task) * 32 + threadIdx.x % 32;
        const unsigned skew = (unsigned)field->array & 31;
        if (16 * vector >= shape.structures * bytes)
            continue;
        /* The array's bytes from value `low` on. */
        int i = (int)(16 * vector + lead * bytes - skew);
        uint8_t *to = wl_global(field->array + low * bytes) + i;
        const unsigned base = misfit + field->offset;
        if (i >= 0 && i + 16 <= (int)(count * bytes)) {
            struct wl_cursor cursor = wl_cursor_at(field, row, (unsigned)i);
            if (field->unit == 4)
                *(uint4 *)to = wl_gather_units(shared, cursor, 4, bytes, row, base, shape.pad);
            else if (field->unit == 2)
                *(uint4 *)to = wl_gather_units(shared, cursor, 2, bytes, row, base, shape.pad);
            else
                *(uint4 *)to = wl_gather_units(shared, cursor, 1, bytes, row, base, shape.pad);
        } else {
#pragma unroll 1
            for (int b = 0; b < 16; b++)
                if (i + b >= 0 && i + b < (int)(count * bytes)) {
                    struct wl_cursor cursor = wl_cursor_at(field, row, (unsigned)(i + b));
                    to[b] = shared[wl_padded(base + cursor.structure + cursor.byte, shape.pad)];
                }
        }
    }
}

extern "C" __global__ void __launch_bounds__(WL_THREADS) wl_interleave_fields(
    const __grid_constant__ struct wl_fields_shape shape, uint64_t first) {
    extern __shared__ uint4 wl_shared[];
    uint8_t *shared = (uint8_t *)wl_shared;
    const uint64_t start = (first + blockIdx.x) * shape.structures;
    const unsigned row = shape.structure_bytes;
    const unsigned count = (unsigned)(min(start + shape.structures, shape.n) - start);
    const uint64_t begin = shape.packed + start * row;
    const unsigned misfit = (unsigned)begin & 15, end = misfit + count * row;
    if (shape.gaps) {
        for (unsigned q = threadIdx.x; 16 * q < end; q += WL_THREADS)
            *(uint4 *)(shared + wl_padded(16 * q, shape.pad)) = make_uint4(0, 0, 0, 0);
        __syncthreads();
    }

    for (unsigned task0 = threadIdx.x / 32; task0 < shape.tasks; task0 += WL_LOADS * (WL_THREADS / 32)) {
        uint4 moved[WL_LOADS];
        int index[WL_LOADS];
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            unsigned task = task0 + u * (WL_THREADS / 32);
            if (task < shape.tasks) {
                const struct wl_field_shape *field = &shape.fields[shape.task_field[task]];
                const unsigned skew = (unsigned)field->array & 15;
                index[u] = (int)(16 * ((task - field->first_task) * 32 + threadIdx.x % 32) - skew);
                uint64_t at = start * field->bytes + (int64_t)index[u];
                if (index[u] < (int)(count * field->bytes) && (index[u] >= 0 || start) && at + 16 <= shape.n * field->bytes)
                    moved[u] = *(const uint4 *)wl_global(field->array + at);
            }
        }
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            unsigned task = task0 + u * (WL_THREADS / 32);
            if (task >= shape.tasks)
                continue;
            const struct wl_field_shape *field = &shape.fields[shape.task_field[task]];
            const unsigned bytes = field->bytes, base = misfit + field->offset;
            uint64_t at = start * bytes + (int64_t)index[u];
            if (index[u] >= (int)(count * bytes))
                continue;
            if (index[u] >= 0 && at + 16 <= shape.n * bytes) {
                struct wl_cursor cursor = wl_cursor_at(field, row, (unsigned)index[u]);
                if (field->unit == 4)
                    wl_scatter_units(shared, moved[u], cursor, 4, bytes, row, base, shape.pad, count * row);
                else if (field->unit == 2)
                    wl_scatter_units(shared, moved[u], cursor, 2, bytes, row, base, shape.pad, count * row);
                else
                    wl_scatter_units(shared, moved[u], cursor, 1, bytes, row, base, shape.pad, count * row);
            } else {
                const uint8_t *from = wl_global(field->array + start * bytes) + index[u];
#pragma unroll 1
                for (int b = 0; b < 16; b++)
                    if (index[u] + b >= 0 && index[u] + b < (int)(count * bytes)) {
                        struct wl_cursor cursor = wl_cursor_at(field, row, (unsigned)(index[u] + b));
                        shared[wl_padded(base + cursor.structure + cursor.byte, shape.pad)] = from[b];
                    }
            }
        }
    }
    __syncthreads();

    uint8_t *to = wl_global(begin - misfit);
    const unsigned whole_begin = misfit != 0, whole_end = end >> 4;
#pragma unroll 4
    for (unsigned q = whole_begin + threadIdx.x; q < whole_end; q += WL_THREADS)
        *((uint4 *)to + q) = *(const uint4 *)(shared + wl_padded(16 * q, shape.pad));
    if (threadIdx.x < 32) {
        unsigned q = threadIdx.x < 16 ? 0 : end >> 4, at = 16 * q + threadIdx.x % 16;
        if ((q < whole_begin || q >= whole_end) && at >= misfit && at < end)
            to[at] = shared[wl_padded(at, shape.pad)];
    }
}
