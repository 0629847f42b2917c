/* wl_deinterleave_fields and wl_interleave_fields: structures of fields of any sizes. */
#include <stdio.h>
#include <string.h>

#include "lib/arguments.h"
#include "lib/error.h"
#include "lib/fields/fields.h"
#include "lib/fields/streams.h"
#include "lib/host/host.h"
#include "lib/mover.h"

#define WARP         32
#define VECTOR_BYTES 16
#define SECTOR_BYTES 32
/* Maximum bytes of shared memory of a chunk. */
#define SHARED_LIMIT 49152
/* One empty vector after every 8. */
#define PAD 3

struct wl__problem {
    wl_context *context;
    wl_stream stream;
    const char *call;
    bool together;
    const struct wl_field *fields;
    unsigned count;
    uint32_t structure_bytes;
    wl_devptr packed;
    const wl_devptr *arrays;
    uint64_t n;
    /* The bytes of a structure that fields name: where the first begins, and where the last ends. */
    uint32_t named_begin, named_end;
};

/* ---------------------------------------------------------------- the movers */

/* One field is the whole structure. */
static bool can_copy(const struct wl__problem *p) {
    return p->count == 1 && p->fields[0].bytes == p->structure_bytes;
}
static wl_error run_copy(const struct wl__problem *p) {
    wl_devptr to = p->together ? p->packed : p->arrays[0], from = p->together ? p->arrays[0] : p->packed;
    return wl_copy(p->context, to, from, p->n * p->structure_bytes, p->stream);
}

/* Fields of one width fill the structure, and all are aligned to it. */
static bool can_streams(const struct wl__problem *p) {
    uint32_t width = p->fields[0].bytes;
    if (width > 16 || (width & (width - 1)) || p->count < 2 || p->count * width != p->structure_bytes)
        return false;
    uint64_t bits = p->packed;
    for (unsigned f = 0; f < p->count; f++) {
        if (p->fields[f].bytes != width)
            return false;
        bits |= p->fields[f].offset | p->arrays[f];
    }
    return bits % width == 0;
}
static wl_error run_streams(const struct wl__problem *p) {
    wl_devptr each[WL_FIELDS_MAX];
    for (unsigned f = 0; f < p->count; f++)
        each[p->fields[f].offset / p->fields[f].bytes] = p->arrays[f];
    const struct wl__streams moved = {
        .together = p->together,
        .width = p->fields[0].bytes,
        .fields = p->count,
        .n = p->n,
        .packed = p->packed,
        .each = each,
        .batch = 1,
    };
    return wl__streams_move(p->context, &moved, p->stream);
}

/* Bytes at once by which a field's values can move: a common divisor of their size and all their
 * addresses. */
static uint16_t unit_of(const struct wl_fields_shape *shape, const struct wl_field_shape *field) {
    uint64_t bits = shape->packed | shape->structure_bytes | field->offset | field->bytes | field->array;
    return bits % 4 == 0 ? 4 : bits % 2 == 0 ? 2 : 1;
}

/* Cuts chunks of so many structures; returns the bytes of shared memory that one needs. */
static uint32_t cut(const struct wl__problem *p, struct wl_fields_shape *shape, uint32_t structures) {
    shape->structures = structures;
    shape->skew_mask = (structures % SECTOR_BYTES == 0 && !p->together ? SECTOR_BYTES : VECTOR_BYTES) - 1;
    shape->slack = 0;
    shape->tasks = 0;
    for (unsigned f = 0; f < p->count; f++) {
        struct wl_field_shape *field = &shape->fields[f];
        uint32_t skew = (uint32_t)field->array & shape->skew_mask;
        uint32_t before = (skew + field->bytes - 1) / field->bytes;
        if (!p->together && before > shape->slack)
            shape->slack = before;
        uint32_t vectors = structures * field->bytes / VECTOR_BYTES + (p->together && skew);
        uint32_t tasks = (vectors + WARP - 1) / WARP;
        field->first_task = (uint16_t)shape->tasks;
        shape->tasks += tasks;
        /* Writes words past the end: the next field overwrites that. */
        for (uint32_t task = field->first_task; task < shape->tasks && shape->tasks <= WL_FIELD_TASKS;
             task += 8)
            memcpy(shape->task_field + task, &(uint64_t){f * UINT64_C(0x0101010101010101)}, 8);
    }
    uint32_t bytes = (structures + shape->slack) * p->structure_bytes;
    uint32_t vectors = bytes / VECTOR_BYTES + 2;
    return VECTOR_BYTES * (vectors + (vectors >> PAD) + 1);
}

static wl_error run_warps(const struct wl__problem *p) {
    /* Not initialised as a whole, which is 1.9 KB: unused tasks and fields are never read. */
    struct wl_fields_shape shape;
    shape.n = p->n;
    shape.packed = p->packed;
    shape.structure_bytes = p->structure_bytes;
    shape.pad = PAD;
    shape.tail = 0;
    uint32_t named = 0, offset = 0;
    if (!p->together) {
        /* Bytes before the first named one or after the last are not read: they need not be memory. */
        offset = p->named_begin;
        shape.packed += offset;
        shape.tail = p->structure_bytes - (p->named_end - offset);
    }
    for (unsigned f = 0; f < p->count; f++) {
        uint32_t bytes = p->fields[f].bytes;
        struct wl_field_shape *field = &shape.fields[f];
        field->array = p->arrays[f];
        field->offset = p->fields[f].offset - offset;
        field->bytes = bytes;
        field->inverse = bytes == 1 ? 0 : (uint32_t)(((UINT64_C(1) << 32) + bytes - 1) / bytes);
        field->unit = unit_of(&shape, field);
        named += bytes;
    }
    shape.gaps = named != p->structure_bytes;

    /* Whole sectors of each array, if shared memory holds as much; else whole vectors. */
    uint32_t structures = p->context->tuned->fields.chunk / p->structure_bytes / SECTOR_BYTES * SECTOR_BYTES;
    if (structures == 0)
        structures = SECTOR_BYTES;
    uint32_t shared_bytes = cut(p, &shape, structures);
    if (shared_bytes > SHARED_LIMIT || shape.tasks > WL_FIELD_TASKS)
        shared_bytes = cut(p, &shape, VECTOR_BYTES);

    uint64_t ends = p->n + shape.slack, blocks = ends / shape.structures + (ends % shape.structures != 0),
             first;
    static const wl__kernel kernels[2][2] = {
        {WL_KERNEL_deinterleave_fields, WL_KERNEL_deinterleave_fields_few},
        {WL_KERNEL_interleave_fields, WL_KERNEL_interleave_fields_few},
    };
    /* A kernel for few fields takes the beginning of the parameter. */
    void *arguments[] = {&shape, &first};
    return wl__streams_launch(
        p->context, kernels[p->together][p->count <= WL_FIELDS_FEW && !WL_MASKED(kernels[p->together][1])],
        blocks, WL_FIELDS_THREADS, shared_bytes, arguments, &first, p->stream);
}

static const struct wl__mover movers[] = {
    {"copy", "one field that is the structure: both sides are the same", can_copy, NULL, run_copy},
    {"streams", "equal fields without gaps: as wl_deinterleave and wl_interleave have it", can_streams, NULL,
     run_streams},
    {"warps",
     "fields of any sizes: whole structures go through shared memory, a warp moves one field at a time", NULL,
     wl__cost_floor, run_warps},
};

/* ---------------------------------------------------------------- checks */

/* A field before f that shares a byte with it; f if there is none. */
static unsigned find_overlapped(const struct wl__problem *p, unsigned f) {
    const wl_field *fields = p->fields;
    unsigned other = 0;
    while (other < f && (fields[f].offset >= fields[other].offset + fields[other].bytes ||
                         fields[other].offset >= fields[f].offset + fields[f].bytes))
        other++;
    return other;
}

/* Checks fields, and finds the range of bytes that they name. */
static wl_error check_fields(struct wl__problem *p) {
    if (!p->fields)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: fields is NULL", p->call);
    if (p->count < 1 || p->count > WL_FIELDS_MAX)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: count is %u: it must be 1 to %d", p->call, p->count,
                        WL_FIELDS_MAX);
    if (p->structure_bytes < 1 || p->structure_bytes > WL_STRUCTURE_MAX)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: structure_bytes is %u: it must be 1 to %d", p->call,
                        p->structure_bytes, WL_STRUCTURE_MAX);
    p->named_begin = p->structure_bytes;
    p->named_end = 0;
    for (unsigned f = 0; f < p->count; f++) {
        uint32_t begin = p->fields[f].offset, bytes = p->fields[f].bytes;
        if (bytes == 0)
            return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: fields[%u] has 0 bytes", p->call, f);
        if (begin > p->structure_bytes || bytes > p->structure_bytes - begin)
            return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                            "%s: fields[%u], %u bytes at offset %u, goes past the structure's %u", p->call, f,
                            bytes, begin, p->structure_bytes);
        /* Most callers' fields are in order, which this sees at once. */
        if (begin < p->named_end && find_overlapped(p, f) != f)
            return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                            "%s: fields[%u], %u bytes at offset %u, overlaps another", p->call, f, bytes,
                            begin);
        if (begin < p->named_begin)
            p->named_begin = begin;
        if (begin + bytes > p->named_end)
            p->named_end = begin + bytes;
    }
    return WL_ERROR_OK;
}

static wl_error check_one(const struct wl__problem *p, struct wl__reach *reach, unsigned f,
                          const struct wl__array *packed, const char *name) {
    const struct wl__array array = {name, p->arrays[f], p->n * p->fields[f].bytes};
    wl_error error = wl__check_array(p->call, reach, &array, 1);
    return error ? error : wl__check_apart(p->call, &array, packed);
}

/* Whether no outputs share a byte.  Most callers' arrays are in order, which this sees at once. */
static bool are_apart(const struct wl__problem *p, unsigned *a, unsigned *b) {
    const wl_devptr *arrays = p->arrays;
    bool ascending = true;
    for (unsigned f = 1; f < p->count && ascending; f++)
        ascending = arrays[f] > arrays[f - 1] && arrays[f] - arrays[f - 1] >= p->n * p->fields[f - 1].bytes;
    if (ascending)
        return true;
    for (*b = 1; *b < p->count; ++*b)
        for (*a = 0; *a < *b; ++*a)
            if (arrays[*b] - arrays[*a] < p->n * p->fields[*a].bytes ||
                arrays[*a] - arrays[*b] < p->n * p->fields[*b].bytes)
                return false;
    return true;
}

static wl_error check_arrays(const struct wl__problem *p) {
    const char *arrays = p->together ? "from" : "to";
    if (!p->arrays)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", p->call, arrays);
    struct wl__array packed = {p->together ? "to" : "from", p->packed,
                               wl__multiply(p->n, p->structure_bytes)};
    if (!p->together && p->packed && packed.bytes < UINT64_MAX) {
        packed.address += p->named_begin;
        packed.bytes -= p->structure_bytes - (p->named_end - p->named_begin);
    }
    struct wl__reach reach = {.context = p->context};
    wl_error error = wl__check_array(p->call, &reach, &packed, 1);
    for (unsigned f = 0; f < p->count && !error; f++) {
        error = check_one(p, &reach, f, &packed, arrays);
        if (error) {
            /* Repeats the check, to name the array. */
            char name[24];
            snprintf(name, sizeof(name), "%s[%u]", arrays, f);
            return check_one(p, &reach, f, &packed, name);
        }
    }
    unsigned a, b;
    if (!error && !p->together && !are_apart(p, &a, &b))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: to[%u] and to[%u] overlap", p->call, a, b);
    return error;
}

static wl_error move(struct wl__problem *p) {
    wl_error error = wl__check_context(p->call, p->context);
    if (!error)
        error = check_fields(p);
    if (error || p->n == 0)
        return error;
    error = check_arrays(p);
    if (error)
        return error;
    struct wl__choice choice = {
        .operation = p->call,
        .facts = {{"fields", p->count}, {"structure_bytes", p->structure_bytes}, {"n", p->n}}};
    if (wl__is_host(p->context))
        return wl__host_fields(p->context, &choice,
                               &(struct wl__host_structures){p->together, p->count, p->fields,
                                                             p->structure_bytes, p->packed, p->arrays, p->n});
    return wl__move(p->context, WL_MOVERS(movers), &choice, p);
}

wl_error wl_deinterleave_fields(wl_context *context, const wl_field *fields, unsigned count,
                                uint32_t structure_bytes, const wl_devptr *to, wl_devptr from, uint64_t n,
                                wl_stream stream) {
    struct wl__problem problem = {
        context, stream, "wl_deinterleave_fields", false, fields, count, structure_bytes, from, to, n, 0, 0};
    return move(&problem);
}

wl_error wl_interleave_fields(wl_context *context, const wl_field *fields, unsigned count,
                              uint32_t structure_bytes, wl_devptr to, const wl_devptr *from, uint64_t n,
                              wl_stream stream) {
    struct wl__problem problem = {
        context, stream, "wl_interleave_fields", true, fields, count, structure_bytes, to, from, n, 0, 0};
    return move(&problem);
}
