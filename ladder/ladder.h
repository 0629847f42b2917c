/* The ladder: every kernel of every experiment, in one table from the lowest rung up.
 *
 * Each rung adds one idea.  ladder/ladder.c joins the experiments' tables; ladder/<experiment>/ has an
 * experiment's table, launches and kernels.  The bench uses only this header and wideload.h of the library.
 */
#ifndef WIDELOAD_LIB_LADDER_H
#define WIDELOAD_LIB_LADDER_H

#include <stdbool.h>

#include "ladder/group.h"
#include "lib/device.h"
#include "lib/error.h"
#include "wideload.h"

/* What a rung computes: the bench has one plain C reference for each.  "n" etc. are wl_problem's.  Every rung
 * must be correct for every size (including 0), offset, stride and block.  Output elements that the formula
 * does not name keep their bytes; the bench checks that. */
enum wl_reference {
    WL_REF_COPY,           /* out0[i] = in0[i], i < n; f32 (moved bit for bit) */
    WL_REF_ADD,            /* out0[i] = in0[i] + in1[i]; f32 */
    WL_REF_READ_OFFSET,    /* out0[i] = in0[i + offset] + in1[i + offset] where i + offset < n */
    WL_REF_WRITE_OFFSET,   /* out0[i + offset] = in0[i] + in1[i] where i + offset < n */
    WL_REF_STRIDE_LOAD,    /* out0[i] = in0[i * stride] where i * stride < n */
    WL_REF_STRIDE_STORE,   /* out0[i * stride] = in0[i] where i * stride < n */
    WL_REF_LAYOUT_AOS,     /* n structures {f32 x, y}: out0[2i] = in0[2i] + 10, out0[2i+1] = in0[2i+1] + 20 */
    WL_REF_LAYOUT_SOA,     /* the same on arrays: out1[i] = in1[i] + 10, out2[i] = in2[i] + 20 */
    WL_REF_TRANSPOSE_COPY, /* out0 = in0, rows x cols, 4-byte elements */
    WL_REF_TRANSPOSE,      /* out0[c * rows + r] = in0[r * cols + c] */
    WL_REF_TILE_COPY,      /* shared row-row: out0[i] = in0[i], i < n; i32 */
    WL_REF_TILE_32x32,     /* shared row-col(-pad): each run of 1024 elements is a 32 x 32 tile, row-major;
                              out0[base + r * 32 + c] = tile[c][r].  If the source is past n (in the last,
                              partial tile) the output is 0; outputs past n do not exist */
    WL_REF_TILE_32x16,     /* rect-*: runs of 512 elements are 16 rows x 32 columns; the tile's transpose (32
                              rows x 16 columns) is written row-major: out0[base + r * 16 + c] = tile[c][r];
                              past n as above */
    WL_REF_MATMUL,         /* out0 = in0 x in1, (m x n) (n x k), i32, wrapping modulo 2^32, row-major */
    WL_REF_CSR_TO_CSC,     /* in0 row starts (rows + 1, u32), in1 columns (nnz, u32), in2 values (nnz, f32) ->
                              out0 column starts (cols + 1), out1 rows (nnz), out2 values (nnz); the order of
                              entries within one column is free */
    WL_REF_COO_TRANSPOSE,  /* in3 rows (nnz, u32, ascending), in1 columns, in2 values -> out3 the columns,
                              ascending, out1 rows, out2 values; order within a column free */
    /* The library's operations, on elements of problem->width bytes: */
    WL_REF_COPY_BYTES,    /* out0[to_shift + i] = in0[from_shift + i], i < n; bytes */
    WL_REF_ADD_TYPE,      /* out0[to_shift + i] = in0[from_shift + i] + in1[i], i < n, of problem->type */
    WL_REF_TRANSPOSE_ANY, /* out0[b][c][r] = in0[b][r][c], batch x rows x cols */
    WL_REF_DEINTERLEAVE,  /* n structures in in0 become arrays, which begin at wl__field_place() of out0 */
    WL_REF_INTERLEAVE,    /* the inverse: arrays in in0, structures in out0, whose padding becomes 0 */
    WL_REF_PERMUTE,       /* dimension i of out0 is dimension order[i] of in0, whose sizes are sizes[] */
    WL_REF_SAME_BYTES,    /* out0 = in0, for half the bytes that the operation moves: wl__bytes_a_side() */
    WL_REF_EXCHANGE, /* on several devices, what crosses, as it lies: each device's part of in0 is cut into
                        runs of as many elements as the pieces that the devices want have; each run but
                        its own comes to the device that wants the piece, behind those of the devices
                        before the sender */
};

/* A structure as a rung sees it: contiguous fields of problem->width bytes if `structure` is NULL, otherwise
 * these. */
enum {
    WL_LADDER_FIELDS = 256, /* maximum number of equal fields in the ladder */
    WL_STRUCTURE_FIELDS = 16,
};
struct wl_structure {
    char text[64]; /* in the form of --fields: "f32x3+f64+i32" */
    uint32_t bytes, count;
    struct wl_field fields[WL_STRUCTURE_FIELDS];
};

struct wl_problem {
    uint64_t n;                /* elements (layout: structures); matmul: the inner size */
    uint64_t rows, cols;       /* transpose; csr-transpose */
    uint64_t m, k;             /* matmul: (m x n) x (n x k) */
    uint64_t nnz;              /* csr-transpose; < 2^32 */
    const void *matrix;        /* csr-transpose: for the caller, who makes it; rungs do not look */
    uint64_t offset, stride;   /* elements; stride >= 1 */
    uint32_t block_x, block_y; /* threads per block; 0, 0: the rung's default.  1-D kernels use block_x *
                                  block_y threads */
    uint32_t unroll;           /* accesses per thread, for a rung with `unrolls`; 0: the rung's own */
    /* For the library's operations: */
    uint32_t width;    /* element size in bytes: 1, 2, 4, 8 or 16; 0 if given by a structure or type */
    enum wl_type type; /* add-any */
    uint32_t fields;   /* deinterleave, interleave; 0 if given by a structure */
    const struct wl_structure *structure;
    uint64_t batch; /* number of matrices in a transpose */
    uint64_t from_shift,
        to_shift;  /* distance of in0 and out0 from their alignment, in elements (copy-any: bytes) */
    uint32_t rank; /* permute; n is the product of its sizes */
    uint64_t sizes[WL_RANK_MAX];
    unsigned order[WL_RANK_MAX];
    wl_devptr in[4], out[4], work; /* in and out as for the reference above; allocations are aligned to 256
                                      bytes unless the caller shifts them by elements */
    /* redistribute: in0 and out0 are matrices whose rows lie on several devices (ladder/group.h). */
    unsigned gpus; /* how many; 0 in other experiments */
    const struct wl_group *group;
    const struct wl_parts *parts; /* instead of in, out and work */
    void *state;                  /* what the rung's open() made */
};

struct wl_rung {
    const char *experiment; /* "transpose" */
    const char *name;       /* "shared-pad" */
    const char *idea;       /* one line: what this rung does and the one below does not */
    enum wl_reference reference;
    const char *library;       /* the origin of its code ("CUDA driver", "cuBLAS"); NULL: ours */
    unsigned outputs;          /* bit i: out[i] is written */
    uint32_t block_x, block_y; /* the default block; 0 for a rung without a kernel */
    bool fixed_block;          /* the kernel's tile fixes the block: --block does not apply */
    unsigned unrolls; /* the sum of the selectable accesses per thread, powers of two; 0: --unroll does not
                         apply */
    const char *bytes_formula; /* "2 * 4 * n" */
    /* Bytes moved, by the formula: each used input element is read once, each output element written once. */
    uint64_t (*bytes)(const struct wl_problem *problem);
    /* Arithmetic operations, for matmul (2 m n k); NULL for others. */
    uint64_t (*operations)(const struct wl_problem *problem);
    /* Size of problem->work in bytes; NULL: none needed. */
    uint64_t (*work_bytes)(wl_context *context, const struct wl_problem *problem);
    /* Returns NULL if the rung can run the problem, otherwise the reason in words ("block of 2048 threads:
     * the device allows 1024").  The slot itself may be NULL: always applicable. */
    const char *(*applicable)(wl_context *context, const struct wl_problem *problem);
    /* Makes what all launches of a problem share, outside their time: a plan, streams.  The launches find it
     * as problem->state.  NULL: nothing.  close() gets what open() made, after the launches are done. */
    wl_error (*open)(const struct wl_problem *problem, void **state);
    void (*close)(void *state);
    /* Called before a launch that is verified, outside its time: fills out[] with the launch's initial data,
     * for operations in place.  NULL: nothing to do. */
    wl_error (*prepare)(wl_context *context, const struct wl_problem *problem, wl_stream stream);
    /* Asynchronous on the stream; a problem without elements launches nothing and succeeds. */
    wl_error (*launch)(wl_context *context, const struct wl_problem *problem, wl_stream stream);
};

/* All rungs: the experiments in the table's order, each from its lowest rung up. */
const struct wl_rung *wl__ladder(size_t *count);

/* The arrays of a structure's fields are in one allocation; each begins at a multiple of 256 bytes, as a
 * separate allocation would. */
static inline uint32_t wl__field_count(const struct wl_problem *problem) {
    return problem->structure ? problem->structure->count : problem->fields;
}
static inline uint32_t wl__field_bytes(const struct wl_problem *problem, uint32_t field) {
    return problem->structure ? problem->structure->fields[field].bytes : problem->width;
}
static inline uint64_t wl__structure_bytes(const struct wl_problem *problem) {
    return problem->structure ? problem->structure->bytes : (uint64_t)problem->fields * problem->width;
}
/* In bytes; for the field after the last: the allocation's end. */
static inline uint64_t wl__field_place(const struct wl_problem *problem, uint32_t field) {
    uint64_t place = 0;
    for (uint32_t f = 0; f < field; f++)
        place += (problem->n * wl__field_bytes(problem, f) + 255) / 256 * 256;
    return place;
}

/* Half the bytes that a library operation moves: the size of the driver's copy that is compared with it.  A
 * structure's padding counts, because it is in the sectors of the fields.  UINT64_MAX if it does not fit. */
static inline uint64_t wl__bytes_a_side(const struct wl_problem *problem) {
    uint64_t each = problem->width, bytes;
    if (wl__field_count(problem)) {
        each = wl__structure_bytes(problem);
        for (uint32_t f = 0; f < wl__field_count(problem); f++)
            each += wl__field_bytes(problem, f);
        /* Odd only if the padding is odd: the last byte belongs to the copy. */
        each = (each + 1) / 2;
    }
    return __builtin_mul_overflow(problem->n, each, &bytes) ? UINT64_MAX : bytes;
}

/* Pieces of a redistribution on their way through memory of their own, for rungs and for other libraries that
 * only exchange bytes.  A piece is packed in the order of its rows in the transpose.  A device's work area
 * has all pieces that it sends, and behind them all that it receives; `from` and `to` are different devices.
 */
uint64_t wl__piece_bytes(const struct wl_problem *problem, unsigned from, unsigned to);
wl_devptr wl__piece_sent(const struct wl_problem *problem, unsigned from, unsigned to);
wl_devptr wl__piece_received(const struct wl_problem *problem, unsigned from, unsigned to);
/* The `work_bytes` of such a rung: of one device. */
uint64_t wl__staging_bytes(wl_context *context, const struct wl_problem *problem);
/* Rows first .. first + count of the transposed piece: packed on `from`; put in place on `to`. */
wl_error wl__piece_pack(const struct wl_problem *problem, unsigned from, unsigned to, uint64_t first,
                        uint64_t count, wl_stream stream);
wl_error wl__piece_unpack(const struct wl_problem *problem, unsigned from, unsigned to, uint64_t first,
                          uint64_t count, wl_stream stream);
/* Transposes what a device has and wants itself. */
wl_error wl__piece_keep(const struct wl_problem *problem, unsigned device, wl_stream stream);
/* WL_REF_EXCHANGE: where a run is in the sender's part of in0, and in the receiver's of out0. */
wl_devptr wl__run_from(const struct wl_problem *problem, unsigned from, unsigned to);
wl_devptr wl__run_to(const struct wl_problem *problem, unsigned from, unsigned to);
/* The `bytes` of all rungs: the most that a device sends to others. */
uint64_t wl__crossing_bytes(const struct wl_problem *problem);

/* What the bench needs of the driver beyond wideload.h: time on the device. */
typedef struct wl_event wl_event;
wl_error wl__event_create(wl_context *context, wl_event **out);
void wl__event_destroy(wl_event *event);
wl_error wl__event_record(wl_event *event, wl_stream stream);
/* Waits for both events; returns the milliseconds between them. */
wl_error wl__event_elapsed(wl_event *from, wl_event *to, float *milliseconds);

/* Waits for the device, then resets the lines that loads marked to stay in the L2 cache: they would survive
 * the sweep that empties it, and the next sample would hit them. */
wl_error wl__cache_release(wl_context *context);

/* Launches that are recorded once and replayed as one CUDA graph, without gaps. */
typedef struct wl_replay wl_replay;
/* Enqueues the work to record on the stream; must not wait for anything. */
typedef wl_error wl_record_fn(void *argument, wl_stream stream);
wl_error wl__replay_create(wl_context *context, wl_record_fn *record, void *argument, wl_replay **out);
wl_error wl__replay_launch(wl_replay *replay, wl_stream stream);
void wl__replay_destroy(wl_replay *replay);

/* Occupancy of the kernel that this thread launched last, by the driver's occupancy query; all 0 if it was
 * not one of the library's. */
struct wl_occupancy {
    unsigned blocks, warps, most_warps;
};
wl_error wl__last_occupancy(wl_context *context, struct wl_occupancy *out);
void wl__forget_launch(void);

#endif
