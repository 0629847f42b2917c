/* Structures of fields of any sizes <-> one array per field: wl_deinterleave_fields, wl_interleave_fields.
 *
 * As in interleave.cu a block moves a chunk of structures through shared memory, which mirrors the
 * structures' side to the byte.  The arrays are streams of bytes, moved by aligned 16-byte vectors.  A warp
 * takes 32 consecutive vectors of one field at a time, so that its lanes agree on how to access the values:
 * by words, halves or bytes.  A vector may begin and end inside a value.
 *
 * If an array begins `skew` bytes past a sector's boundary, its part of a chunk begins that much earlier: no
 * two blocks write one sector of an array.
 *
 * Traffic: every byte between the structures' first and last is read once, with padding, and every byte of
 * the arrays once; with a skew a chunk's first few structures twice, the second time from L2.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/global.cuh"
#include "lib/cuda/packed.cuh"
#include "lib/cuda/read_once.cuh"

#include "lib/fields/fields.h"

#define WL_LOADS 4
#define WL_WARPS (WL_FIELDS_THREADS / 32)

/* Byte `at` of the chunk in shared memory. */
static __device__ __forceinline__ unsigned wl_padded(unsigned at, unsigned pad) {
    return at + ((at >> (4 + pad)) << 4);
}

/* A place in a field: the structure's first byte in the chunk, and the byte within the value. */
struct wl_cursor {
    unsigned structure, byte;
};

static __device__ __forceinline__ struct wl_cursor wl_cursor_at(const struct wl_field_shape *field,
                                                                unsigned structure_bytes, unsigned byte) {
    unsigned value = field->inverse ? __umulhi(byte, field->inverse) : byte;
    struct wl_cursor cursor = {value * structure_bytes, byte - value * field->bytes};
    return cursor;
}

static __device__ __forceinline__ void wl_cursor_next(struct wl_cursor *cursor, unsigned unit,
                                                      unsigned field_bytes, unsigned structure_bytes) {
    cursor->byte += unit;
    if (cursor->byte == field_bytes) {
        cursor->byte = 0;
        cursor->structure += structure_bytes;
    }
}

/* 16 bytes of a field from the cursor on, by units of a size that is known when this is inlined. */
static __device__ __forceinline__ uint4 wl_gather_units(const uint8_t *shared, struct wl_cursor cursor,
                                                        unsigned unit, unsigned bytes,
                                                        unsigned structure_bytes, unsigned base,
                                                        unsigned pad) {
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
                  : unit == 2 ? wl_packed_halves(part[0], part[1])
                              : wl_packed_bytes(part[0], part[1], part[2], part[3]);
    }
    return make_uint4(word[0], word[1], word[2], word[3]);
}

/* The reverse.  Values that begin before the chunk, or end after it at byte `end`, are left out: structure
 * numbers below 0 are huge. */
static __device__ __forceinline__ void wl_scatter_units(uint8_t *shared, uint4 vector,
                                                        struct wl_cursor cursor, unsigned unit,
                                                        unsigned bytes, unsigned structure_bytes,
                                                        unsigned base, unsigned pad, unsigned end) {
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

/* The thread's vector in a task: its field, and its beginning in bytes of the array after the chunk's first
 * value. */
struct wl_task {
    const struct wl_field_shape *field;
    int byte;
    bool any;
};

static __device__ __forceinline__ struct wl_task wl_task_find(const struct wl_fields_shape *shape,
                                                              unsigned number, bool together) {
    struct wl_task task;
    task.field = &shape->fields[shape->task_field[number]];
    unsigned skew = (unsigned)task.field->array & shape->skew_mask;
    unsigned byte = 16 * ((number - task.field->first_task) * 32 + threadIdx.x % 32);
    task.byte = (int)(byte - skew);
    /* Interleaved values are needed up to the chunk's end, which then lies one vector later. */
    task.any = byte < shape->structures * task.field->bytes + (together ? skew : 0);
    return task;
}

extern "C" __global__ void __launch_bounds__(WL_FIELDS_THREADS)
    wl_deinterleave_fields(const __grid_constant__ struct wl_fields_shape shape, uint64_t first) {
    wl_await_earlier();
    extern __shared__ uint4 wl_shared[];
    uint8_t *shared = (uint8_t *)wl_shared;
    const uint64_t start = (first + blockIdx.x) * shape.structures;
    const unsigned row = shape.structure_bytes;
    const uint64_t low = start > shape.slack ? start - shape.slack : 0;
    const uint64_t high = min(start + shape.structures, shape.n);
    const unsigned count = (unsigned)(high - low), lead = (unsigned)(start - low);
    const uint64_t begin = shape.packed + low * row;
    const unsigned misfit = (unsigned)begin & 15,
                   end = misfit + count * row - (high == shape.n ? shape.tail : 0);
    const uint8_t *from = wl_global(begin - misfit);
    /* Only the array's first and last vectors may reach out of the array; the chunk before the last may have
     * the last one too. */
    const unsigned vectors = (end + 15) >> 4;
    const unsigned whole_begin = low == 0 && misfit;
    const unsigned whole_end =
        vectors - (16 * vectors - end > (high < shape.n ? (shape.n - high) * row - shape.tail : 0));
    for (unsigned q0 = threadIdx.x; q0 < whole_end; q0 += WL_LOADS * WL_FIELDS_THREADS) {
        uint4 moved[WL_LOADS];
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            unsigned q = q0 + u * WL_FIELDS_THREADS;
            if (q >= whole_begin && q < whole_end)
                moved[u] = *wl_once((const uint4 *)from + q);
        }
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            unsigned q = q0 + u * WL_FIELDS_THREADS;
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

#pragma unroll 1
    for (unsigned number = threadIdx.x / 32; number < shape.tasks; number += WL_WARPS) {
        const struct wl_task task = wl_task_find(&shape, number, false);
        const unsigned bytes = task.field->bytes, base = misfit + task.field->offset, pad = shape.pad;
        const int i = task.byte + (int)(lead * bytes);
        if (!task.any || i < 0 || i + 16 > (int)(count * bytes))
            continue;
        uint4 *to = (uint4 *)wl_global(task.field->array + low * bytes + (uint64_t)i);
        const struct wl_cursor cursor = wl_cursor_at(task.field, row, (unsigned)i);
        if (task.field->unit == 4)
            *to = wl_gather_units(shared, cursor, 4, bytes, row, base, pad);
        else if (task.field->unit == 2)
            *to = wl_gather_units(shared, cursor, 2, bytes, row, base, pad);
        else
            *to = wl_gather_units(shared, cursor, 1, bytes, row, base, pad);
    }
    if (low != 0 && high != shape.n)
        return;
        /* The ends of the arrays: vectors that hold bytes before the first or after the last. */
#pragma unroll 1
    for (unsigned number = threadIdx.x / 32; number < shape.tasks; number += WL_WARPS) {
        const struct wl_task task = wl_task_find(&shape, number, false);
        const unsigned bytes = task.field->bytes;
        const int i = task.byte + (int)(lead * bytes);
        if (!task.any || (i >= 0 && i + 16 <= (int)(count * bytes)))
            continue;
        uint8_t *to = wl_global(task.field->array + low * bytes);
#pragma unroll 1
        for (int b = i; b < i + 16; b++)
            if (b >= 0 && b < (int)(count * bytes)) {
                struct wl_cursor cursor = wl_cursor_at(task.field, row, (unsigned)b);
                to[b] = shared[wl_padded(misfit + task.field->offset + cursor.structure + cursor.byte,
                                         shape.pad)];
            }
    }
}

extern "C" __global__ void __launch_bounds__(WL_FIELDS_THREADS)
    wl_interleave_fields(const __grid_constant__ struct wl_fields_shape shape, uint64_t first) {
    wl_await_earlier();
    extern __shared__ uint4 wl_shared[];
    uint8_t *shared = (uint8_t *)wl_shared;
    const uint64_t start = (first + blockIdx.x) * shape.structures;
    const unsigned row = shape.structure_bytes, pad = shape.pad;
    const uint64_t high = min(start + shape.structures, shape.n);
    const unsigned count = (unsigned)(high - start);
    const uint64_t begin = shape.packed + start * row;
    const unsigned misfit = (unsigned)begin & 15, end = misfit + count * row;
    if (shape.gaps) {
        for (unsigned q = threadIdx.x; 16 * q < end; q += WL_FIELDS_THREADS)
            *(uint4 *)(shared + wl_padded(16 * q, pad)) = make_uint4(0, 0, 0, 0);
        __syncthreads();
    }

    /* A vector is read whole if the array has all of it, even if it belongs to other chunks. */
#pragma unroll 1
    for (unsigned number0 = threadIdx.x / 32; number0 < shape.tasks; number0 += WL_LOADS * WL_WARPS) {
        uint4 moved[WL_LOADS];
        bool whole[WL_LOADS];
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            unsigned number = number0 + u * WL_WARPS;
            whole[u] = false;
            if (number < shape.tasks) {
                const struct wl_task task = wl_task_find(&shape, number, true);
                const uint64_t at = start * task.field->bytes + (uint64_t)(int64_t)task.byte;
                whole[u] = task.any && (task.byte >= 0 || start) && at + 16 <= shape.n * task.field->bytes;
                if (whole[u])
                    moved[u] = *wl_once((const uint4 *)wl_global(task.field->array + at));
            }
        }
#pragma unroll
        for (unsigned u = 0; u < WL_LOADS; u++) {
            if (!whole[u])
                continue;
            const struct wl_task task = wl_task_find(&shape, number0 + u * WL_WARPS, true);
            const unsigned bytes = task.field->bytes, base = misfit + task.field->offset;
            /* Adds 16 values, so that none is negative; then subtracts as many structures. */
            struct wl_cursor cursor = wl_cursor_at(task.field, row, (unsigned)(task.byte + 16 * (int)bytes));
            cursor.structure -= 16 * row;
            if (task.field->unit == 4)
                wl_scatter_units(shared, moved[u], cursor, 4, bytes, row, base, pad, count * row);
            else if (task.field->unit == 2)
                wl_scatter_units(shared, moved[u], cursor, 2, bytes, row, base, pad, count * row);
            else
                wl_scatter_units(shared, moved[u], cursor, 1, bytes, row, base, pad, count * row);
        }
    }
    if (start == 0 || shape.n - high < 16) {
        /* The ends of the arrays; this chunk may have a part of the last chunk's. */
#pragma unroll 1
        for (unsigned number = threadIdx.x / 32; number < shape.tasks; number += WL_WARPS) {
            const struct wl_task task = wl_task_find(&shape, number, true);
            const unsigned bytes = task.field->bytes;
            const uint64_t at = start * bytes + (uint64_t)(int64_t)task.byte;
            if (!task.any || ((task.byte >= 0 || start) && at + 16 <= shape.n * bytes))
                continue;
            const uint8_t *from = wl_global(task.field->array + start * bytes);
#pragma unroll 1
            for (int b = task.byte; b < task.byte + 16; b++)
                if (b >= 0 && b < (int)(count * bytes)) {
                    struct wl_cursor cursor = wl_cursor_at(task.field, row, (unsigned)b);
                    shared[wl_padded(misfit + task.field->offset + cursor.structure + cursor.byte, pad)] =
                        from[b];
                }
        }
    }
    __syncthreads();

    uint8_t *to = wl_global(begin - misfit);
    const unsigned whole_begin = misfit != 0, whole_end = end >> 4;
#pragma unroll 4
    for (unsigned q = whole_begin + threadIdx.x; q < whole_end; q += WL_FIELDS_THREADS)
        *((uint4 *)to + q) = *(const uint4 *)(shared + wl_padded(16 * q, pad));
    if (threadIdx.x < 32) {
        unsigned q = threadIdx.x < 16 ? 0 : end >> 4, at = 16 * q + threadIdx.x % 16;
        if ((q < whole_begin || q >= whole_end) && at >= misfit && at < end)
            to[at] = shared[wl_padded(at, pad)];
    }
}
