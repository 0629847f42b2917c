/* Structures to arrays and back, with equal fields and with any fields. */
#include <string.h>

#include "calls.h"

/* array[0] is the array of structures, with the call's name for it; array[1 + f] is that of field f. */
static void add_arrays(struct call *call, struct draw *draw, const char *structures, const char *arrays,
                       uint64_t structure_bytes, unsigned align) {
    call_add(call, structures, call->n * structure_bytes, align);
    for (unsigned f = 0; f < call->fields; f++) {
        uint64_t each = call->structure_bytes ? call->field[f].bytes : call->width;
        call_add(call, arrays, call->n * each, align);
        /* Input arrays may coincide. */
        if (f && strcmp(arrays, "from") == 0 && draw_one_in(draw, 16) &&
            call->array[f + 1].bytes <= call->array[f].bytes && call->array[f].inside < 0)
            call->array[f + 1].inside = (int)f;
    }
}

static wl_error run(wl_context *context, const struct call *call, wl_stream stream, bool back) {
    wl_devptr arrays[WL_FIELDS_MAX + 1] = {0};
    for (unsigned f = 0; f < call->fields; f++)
        arrays[f] = call->array[1 + f].device;
    wl_devptr structures = call->array[0].device;
    if (call->structure_bytes)
        return back ? wl_interleave_fields(context, call->field, call->fields, call->structure_bytes,
                                           structures, arrays, call->n, stream)
                    : wl_deinterleave_fields(context, call->field, call->fields, call->structure_bytes,
                                             arrays, structures, call->n, stream);
    return back ? wl_interleave(context, call->width, call->fields, structures, arrays, call->n, stream)
                : wl_deinterleave(context, call->width, call->fields, arrays, structures, call->n, stream);
}

static wl_error run_deinterleave(wl_context *context, const struct call *call, wl_stream stream) {
    return run(context, call, stream, false);
}

static wl_error run_interleave(wl_context *context, const struct call *call, wl_stream stream) {
    return run(context, call, stream, true);
}

static void expect(const struct call *call, bool back) {
    uint64_t structure = call->structure_bytes ? call->structure_bytes : (uint64_t)call->fields * call->width;
    if (back && call->n)
        memset(call->array[0].host, 0, call->n * structure);
    for (unsigned f = 0; f < call->fields; f++) {
        uint64_t offset = call->structure_bytes ? call->field[f].offset : (uint64_t)f * call->width;
        uint64_t bytes = call->structure_bytes ? call->field[f].bytes : call->width;
        for (uint64_t i = 0; i < call->n; i++) {
            unsigned char *of_structure = call->array[0].host + i * structure + offset;
            unsigned char *of_array = call->array[1 + f].host + i * bytes;
            memcpy(back ? of_structure : of_array, back ? of_array : of_structure, bytes);
        }
    }
}

static void expect_deinterleave(const struct call *call) {
    expect(call, false);
}

static void expect_interleave(const struct call *call) {
    expect(call, true);
}

/* ---------------------------------------------------------------- equal fields */

static void choose_equal(struct call *call, struct draw *draw, uint64_t bytes) {
    call->width = draw_width(draw);
    call->fields = 1 + (unsigned)draw_below(draw, draw_one_in(draw, 4) ? WL_FIELDS_MAX : 9);
    call->n = draw_size(draw, bytes / 2 / call->width / call->fields);
}

static void choose_deinterleave(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes) {
    (void)context;
    choose_equal(call, draw, bytes);
    add_arrays(call, draw, "from", "to", (uint64_t)call->fields * call->width, call->width);
}

static void choose_interleave(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes) {
    (void)context;
    choose_equal(call, draw, bytes);
    add_arrays(call, draw, "to", "from", (uint64_t)call->fields * call->width, call->width);
}

const struct operation call_deinterleave = {"wl_deinterleave", choose_deinterleave, run_deinterleave,
                                            expect_deinterleave};
const struct operation call_interleave = {"wl_interleave", choose_interleave, run_interleave,
                                          expect_interleave};

/* ---------------------------------------------------------------- described fields */

/* Fields in sequence, with or without gaps, listed in any order; C's sizes and alignments, or any. */
static void choose_fields(struct call *call, struct draw *draw, uint64_t bytes) {
    bool usual = !draw_one_in(draw, 3);
    uint32_t end = 0, align = 1;
    unsigned wanted = 1 + (unsigned)draw_below(draw, draw_one_in(draw, 6) ? WL_FIELDS_MAX : 8);
    while (call->fields < wanted) {
        uint32_t size =
            usual ? draw_width(draw) : 1 + (uint32_t)draw_below(draw, draw_one_in(draw, 4) ? 60 : 20);
        uint32_t count = usual && draw_one_in(draw, 5) ? 1 + (uint32_t)draw_below(draw, 4) : 1;
        if (usual) {
            align = size > align ? size : align;
            end = (end + size - 1) / size * size;
        } else {
            end += draw_one_in(draw, 3) ? (uint32_t)draw_below(draw, 9) : 0;
        }
        if (end + size * count > WL_STRUCTURE_MAX)
            break;
        call->field[call->fields++] = (wl_field){end, size * count};
        end += size * count;
    }
    end = usual ? (end + align - 1) / align * align
                : end + (draw_one_in(draw, 2) ? (uint32_t)draw_below(draw, 9) : 0);
    call->structure_bytes = end < WL_STRUCTURE_MAX ? end : WL_STRUCTURE_MAX;
    for (unsigned k = 0; k < call->fields; k++) {
        unsigned other = draw_one_in(draw, 2) ? k : (unsigned)draw_below(draw, call->fields);
        wl_field kept = call->field[k];
        call->field[k] = call->field[other];
        call->field[other] = kept;
    }
    call->n = draw_size(draw, bytes / 2 / call->structure_bytes);
}

static void choose_deinterleave_fields(struct call *call, wl_context *context, struct draw *draw,
                                       uint64_t bytes) {
    (void)context;
    choose_fields(call, draw, bytes);
    add_arrays(call, draw, "from", "to", call->structure_bytes, 1);
}

static void choose_interleave_fields(struct call *call, wl_context *context, struct draw *draw,
                                     uint64_t bytes) {
    (void)context;
    choose_fields(call, draw, bytes);
    add_arrays(call, draw, "to", "from", call->structure_bytes, 1);
}

const struct operation call_deinterleave_fields = {"wl_deinterleave_fields", choose_deinterleave_fields,
                                                   run_deinterleave, expect_deinterleave};
const struct operation call_interleave_fields = {"wl_interleave_fields", choose_interleave_fields,
                                                 run_interleave, expect_interleave};
