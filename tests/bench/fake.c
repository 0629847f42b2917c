#include "tests/bench/fake.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/reference.h"
#include "lib/parts.h"
#include "tests/bench/fake_group.h"

struct fake_state fake;
unsigned fake_allocations;

struct wl_event {
    unsigned launches;
};

static char message[200];

wl_error fake_fail(wl_error error, const char *text) {
    snprintf(message, sizeof message, "%s", text);
    return error;
}

const char *wl_error_name(wl_error error) {
    return error ? "WL_ERROR_FAKE" : "WL_ERROR_OK";
}

const char *wl_error_text(wl_error error) {
    return error ? "a fake error" : "success";
}

const char *wl_message(void) {
    return message;
}

bool wl__parts_folder(unsigned i, char *folder, size_t size) {
    (void)i, (void)folder, (void)size;
    return false;
}

const char *wl_version(void) {
    return WL_VERSION_STRING;
}

/* For a whole program: the environment says what to spoil. */
static void read_environment(void) {
    static const char *const names[] = {[FAKE_RIGHT] = "right",
                                        [FAKE_NEVER_WRITES] = "never-writes",
                                        [FAKE_ONE_WRONG] = "one-wrong",
                                        [FAKE_LAST_WRONG] = "last-wrong",
                                        [FAKE_NAN] = "nan",
                                        [FAKE_PAST_END] = "past-end",
                                        [FAKE_BEFORE_START] = "before-start",
                                        [FAKE_INPUT_CHANGED] = "input-changed"};
    const char *fault = getenv("FAKE_FAULT"), *gpu = getenv("FAKE_GPU");
    for (size_t i = 0; fault && i < sizeof names / sizeof *names; i++)
        if (names[i] && strcmp(names[i], fault) == 0)
            fake.fault = (enum fake_fault)i;
    if (gpu)
        fake.gpu = *gpu;
    /* A launch that takes less is repeated with a hot cache. */
    if (getenv("FAKE_NO_GRAPHS")) {
        fake.no_graphs = true;
        fake.launch_ms = 0.01;
    }
    fake.no_peer_access = fake.no_peer_access || getenv("FAKE_NO_PEER_ACCESS");
}

wl_error wl_open(wl_context **out, const char *device) {
    read_environment();
    if (device && strncmp(device, "gpu", 3) == 0 && !fake.gpu)
        return fake_fail(WL_ERROR_NO_DRIVER, "libcuda.so.1 is not there");
    *out = calloc(1, sizeof **out);
    if (!*out)
        return fake_fail(WL_ERROR_OUT_OF_MEMORY, "context");
    strcpy((*out)->arch, "sm_90");
    return WL_ERROR_OK;
}

void wl_close(wl_context *context) {
    free(context);
}

wl_error wl_get_device_info(wl_context *context, wl_device_info *out) {
    memset(out, 0, sizeof *out);
    strcpy(out->name, fake.gpu ? "Fake GPU" : "Fake simulator");
    strcpy(out->kind, fake.gpu ? "gpu" : "sim");
    strcpy(out->arch, context->arch);
    out->arch_proved = strcmp(context->arch, "sm_90") == 0;
    out->driver_version = 13000;
    out->multiprocessors = 4;
    out->l2_bytes = fake.l2_bytes == 0 ? 1 << 20 : fake.l2_bytes < 0 ? 0 : fake.l2_bytes;
    out->memory_bytes = out->free_bytes = fake.memory ? fake.memory : (uint64_t)1 << 30;
    out->peak_gbps = fake.gpu ? 1000 : 0;
    return WL_ERROR_OK;
}

wl_error wl_alloc(wl_context *context, wl_devptr *out, size_t bytes) {
    if (context->broken)
        return fake_fail(WL_ERROR_DRIVER, "the context is broken");
    void *memory = aligned_alloc(256, (bytes + 256) / 256 * 256);
    if (!memory)
        return fake_fail(WL_ERROR_OUT_OF_MEMORY, "device");
    memset(memory, 0x11, bytes); /* memory that was never written is not poison */
    fake_allocations++;
    *out = (uintptr_t)memory;
    return WL_ERROR_OK;
}

wl_error wl_free(wl_context *context, wl_devptr address) {
    (void)context;
    free(fake_pointer(address));
    fake_allocations--;
    return WL_ERROR_OK;
}

wl_error wl_upload(wl_context *context, wl_devptr to, const void *from, size_t bytes) {
    if (context->broken)
        return fake_fail(WL_ERROR_DRIVER, "the context is broken");
    if (bytes)
        memcpy(fake_pointer(to), from, bytes);
    return WL_ERROR_OK;
}

wl_error wl_download(wl_context *context, void *to, wl_devptr from, size_t bytes) {
    if (fake.fault == FAKE_DOWNLOAD_FAILS && fake.distance-- == 0)
        return fake_fail(WL_ERROR_DRIVER, "the link is down");
    if (context->broken)
        return fake_fail(WL_ERROR_DRIVER, "the context is broken");
    if (bytes)
        memcpy(to, fake_pointer(from), bytes);
    return WL_ERROR_OK;
}

wl_error wl_fill(wl_context *context, wl_devptr to, uint8_t value, size_t bytes, wl_stream stream) {
    (void)stream;
    if (context->broken)
        return fake_fail(WL_ERROR_DRIVER, "the context is broken");
    memset(fake_pointer(to), value, bytes);
    return WL_ERROR_OK;
}

wl_error wl_synchronize(wl_context *context) {
    return context->broken
               ? fake_fail(WL_ERROR_KERNEL_FAULT, "copy_scalar, copy.cu:12: out of bounds\nby thread 0")
               : WL_ERROR_OK;
}

/* Matrices in files are sorted by these; no test of the stand-in reads one. */
wl_error wl_coo_to_csr(wl_context *context, const wl_sparse_shape *shape, const wl_csr *to, wl_devptr rows,
                       wl_devptr cols, wl_devptr values, wl_devptr workspace, size_t workspace_bytes,
                       wl_stream stream) {
    (void)context, (void)shape, (void)to, (void)rows, (void)cols, (void)values, (void)workspace;
    (void)workspace_bytes, (void)stream;
    return WL_ERROR_UNSUPPORTED;
}

wl_error wl_csr_transpose(wl_context *context, const wl_sparse_shape *shape, const wl_csr *to,
                          const wl_csr *from, wl_devptr workspace, size_t workspace_bytes, wl_stream stream) {
    (void)context, (void)shape, (void)to, (void)from, (void)workspace, (void)workspace_bytes, (void)stream;
    return WL_ERROR_UNSUPPORTED;
}

wl_error wl_get_counters(wl_context *context, wl_counters *out) {
    (void)context;
    memset(out, 0, sizeof *out);
    out->launches = fake.launches;
    out->global_load_requests = 10;
    out->gld_transactions = 50;
    out->gld_useful_bytes = 1280;
    out->gld_moved_bytes = 1600;
    out->global_store_requests = 10;
    out->gst_transactions = 40;
    out->gst_useful_bytes = 1280;
    out->gst_moved_bytes = 1280;
    out->inst_executed = 100;
    return WL_ERROR_OK;
}

wl_error wl_reset_counters(wl_context *context) {
    (void)context;
    fake.launches = 0;
    return WL_ERROR_OK;
}

wl_error wl_set_arch(wl_context *context, const char *arch) {
    if (fake.gpu)
        return fake_fail(WL_ERROR_UNSUPPORTED, "a GPU");
    if (strcmp(arch, "fermi") && strcmp(arch, "sm_90"))
        return fake_fail(WL_ERROR_INVALID_ARGUMENT, "no such rules");
    strcpy(context->arch, arch);
    return WL_ERROR_OK;
}

wl_error wl_arch_at(wl_context *context, unsigned i, const char **name, int *proved) {
    (void)context;
    static const char *const names[] = {"fermi", "sm_90"};
    if (i >= 2)
        return fake_fail(WL_ERROR_INVALID_ARGUMENT, "no such rules");
    if (name)
        *name = names[i];
    if (proved)
        *proved = i == 1;
    return WL_ERROR_OK;
}

wl_error wl__event_create(wl_context *context, wl_event **out) {
    (void)context;
    *out = calloc(1, sizeof **out);
    return *out ? WL_ERROR_OK : fake_fail(WL_ERROR_OUT_OF_MEMORY, "event");
}

void wl__event_destroy(wl_event *event) {
    free(event);
}

wl_error wl__event_record(wl_event *event, wl_stream stream) {
    (void)stream;
    event->launches = fake.launches;
    return WL_ERROR_OK;
}

/* Every launch takes the same time. */
wl_error wl__cache_release(wl_context *context) {
    (void)context;
    return WL_ERROR_OK;
}

wl_error wl__event_elapsed(wl_event *from, wl_event *to, float *milliseconds) {
    *milliseconds =
        (float)(fake.launch_ms > 0 ? fake.launch_ms : 0.5) * (float)(to->launches - from->launches);
    return WL_ERROR_OK;
}

struct wl_replay {
    unsigned launches;
};

wl_error wl__replay_create(wl_context *context, wl_record_fn *record, void *argument, wl_replay **out) {
    (void)context;
    *out = NULL;
    if (fake.no_graphs)
        return fake_fail(WL_ERROR_DRIVER, "no graphs");
    unsigned before = fake.launches;
    wl_error error = record(argument, (wl_stream)&fake);
    if (error)
        return error;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return fake_fail(WL_ERROR_OUT_OF_MEMORY, "replay");
    (*out)->launches = fake.launches - before;
    fake.launches = before;
    return WL_ERROR_OK;
}

wl_error wl__replay_launch(wl_replay *replay, wl_stream stream) {
    (void)stream;
    fake.launches += replay->launches;
    fake.replays++;
    return WL_ERROR_OK;
}

void wl__replay_destroy(wl_replay *replay) {
    free(replay);
}

wl_error wl__last_occupancy(wl_context *context, struct wl_occupancy *out) {
    (void)context;
    *out = fake.launches ? (struct wl_occupancy){4, 32, 64} : (struct wl_occupancy){0};
    return WL_ERROR_OK;
}

void wl__forget_launch(void) {}

wl_error wl__enter(wl_context *context) {
    return context ? WL_ERROR_OK : fake_fail(WL_ERROR_INVALID_ARGUMENT, "no context");
}

void wl__leave(wl_context *context) {
    (void)context;
}

wl_error wl__fail(wl_error error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error;
}

wl_error wl__device_uuid(wl_context *context, unsigned char uuid[16]) {
    (void)context;
    for (unsigned i = 0; i < 16; i++)
        uuid[i] = (unsigned char)(0x10 + i);
    return WL_ERROR_OK;
}

bool wl__is_simulator(const wl_context *context) {
    (void)context;
    return !fake.gpu;
}

/* ---------------------------------------------------------------- kernels */

static void swap(uint32_t *a, uint32_t *b) {
    uint32_t old = *a;
    *a = *b;
    *b = old;
}

static void spoil(const struct wl_problem *p, uint32_t *out, uint64_t elements, uint32_t *input,
                  uint64_t input_elements) {
    uint32_t *starts = fake_pointer(p->out[0]), *rows = fake_pointer(p->out[1]),
             *values = fake_pointer(p->out[2]);
    float nan = NAN;
    switch (fake.fault) {
    case FAKE_ONE_WRONG:
        out[3] ^= 1;
        break;
    case FAKE_LAST_WRONG:
    case FAKE_TOUCHES_OTHERS:
        out[elements - 1] ^= 0x80000000;
        break;
    case FAKE_NAN:
        memcpy(&out[3], &nan, 4);
        break;
    case FAKE_PAST_END:
        *((unsigned char *)out + 4 * elements + fake.distance) = 1;
        break;
    case FAKE_BEFORE_START:
        *((unsigned char *)out - 1 - fake.distance) = 1;
        break;
    case FAKE_COPIES_PAST_END:
        out[elements] = input[input_elements];
        break;
    case FAKE_INPUT_CHANGED:
        input[2]++;
        break;
    case FAKE_INPUT_PAST_END:
        *((unsigned char *)input + 4 * input_elements) = 1;
        break;
    case FAKE_WORK_OVERRUN:
        *((unsigned char *)fake_pointer(p->work) + 64) = 1;
        break;
    case FAKE_WRONG_ENTRIES:
        for (uint64_t e = fake.distance; e < p->nnz && e <= fake.distance + 5; e += 5)
            values[e] ^= 1;
        /* fall through */
    case FAKE_REVERSES_COLUMNS:
        for (uint64_t c = 0; c < p->cols; c++)
            for (uint32_t a = starts[c], b = starts[c + 1]; a + 1 < b; a++) {
                swap(&rows[a], &rows[--b]);
                swap(&values[a], &values[b]);
            }
        break;
    case FAKE_SWAPS_ENTRIES:
    case FAKE_MOVES_ENTRY:
        for (uint64_t c = 0; c < p->cols; c++)
            if (starts[c + 1] - starts[c] >= 2 && starts[c + 1] < p->nnz) {
                uint32_t a = starts[c], b = fake.fault == FAKE_SWAPS_ENTRIES ? a + 1 : starts[c + 1];
                swap(&rows[a], &rows[b]);
                swap(&values[a], &values[b]);
                break;
            }
        break;
    default:
        break;
    }
}

static wl_error launch(wl_context *context, enum wl_reference reference, const struct wl_problem *p) {
    struct bench_extents extents = bench_extents_of(reference, p);
    const uint32_t *in[BENCH_INPUTS];
    uint32_t *out[BENCH_OUTPUTS], *scratch = NULL;
    unsigned from = 0, to = 0, ins = 0, outs = 0; /* numbers of the arrays that are spoilt */
    fake.launches++;
    if (fake.fault == FAKE_LAUNCH_REFUSED)
        return fake_fail(WL_ERROR_DRIVER, "too many resources");
    if (fake.fault == FAKE_KERNEL_FAULT || fake.fault == FAKE_LAUNCH_BREAKS) {
        context->broken = true;
        return fake.fault == FAKE_KERNEL_FAULT ? WL_ERROR_OK
                                               : fake_fail(WL_ERROR_DRIVER, "the device is gone");
    }
    if (fake.fault == FAKE_NEVER_WRITES)
        return WL_ERROR_OK;
    for (unsigned i = 0; i < BENCH_INPUTS; i++) {
        in[i] = fake_pointer(p->in[i]);
        if (in[i] && ins++ <= fake.input)
            from = i;
    }
    for (unsigned i = 0; i < BENCH_OUTPUTS; i++) {
        out[i] = fake_pointer(p->out[i]);
        if (out[i] && outs++ <= fake.output)
            to = i;
    }
    if (reference == WL_REF_COO_TRANSPOSE)
        out[0] = scratch = malloc(4 * (p->cols + 1));
    bench_reference_of(reference)(p, in, out);
    free(scratch);
    spoil(p, out[to], extents.out[to].elements, fake_pointer(p->in[from]), extents.in[from].elements);
    return WL_ERROR_OK;
}

#define LAUNCH(name, reference)                                                                              \
    static wl_error name(wl_context *context, const struct wl_problem *p, wl_stream stream) {                \
        (void)stream;                                                                                        \
        return launch(context, reference, p);                                                                \
    }
LAUNCH(copy, WL_REF_COPY)
LAUNCH(add, WL_REF_ADD)
LAUNCH(read_offset, WL_REF_READ_OFFSET)
LAUNCH(write_offset, WL_REF_WRITE_OFFSET)
LAUNCH(stride_load, WL_REF_STRIDE_LOAD)
LAUNCH(stride_store, WL_REF_STRIDE_STORE)
LAUNCH(aos, WL_REF_LAYOUT_AOS)
LAUNCH(soa, WL_REF_LAYOUT_SOA)
LAUNCH(transpose_copy, WL_REF_TRANSPOSE_COPY)
LAUNCH(transpose, WL_REF_TRANSPOSE)
LAUNCH(tile_copy, WL_REF_TILE_COPY)
LAUNCH(tile_32x32, WL_REF_TILE_32x32)
LAUNCH(tile_32x16, WL_REF_TILE_32x16)
LAUNCH(matmul, WL_REF_MATMUL)
LAUNCH(csr, WL_REF_CSR_TO_CSC)
LAUNCH(coo, WL_REF_COO_TRANSPOSE)
LAUNCH(copy_bytes, WL_REF_COPY_BYTES)
LAUNCH(add_type, WL_REF_ADD_TYPE)
LAUNCH(transpose_any, WL_REF_TRANSPOSE_ANY)
LAUNCH(deinterleave, WL_REF_DEINTERLEAVE)
LAUNCH(interleave, WL_REF_INTERLEAVE)
LAUNCH(permute, WL_REF_PERMUTE)
LAUNCH(same_bytes, WL_REF_SAME_BYTES)

/* Checks that the matrix is in place when the launch comes. */
static wl_error same_bytes_before(wl_context *context, const struct wl_problem *p, wl_stream stream) {
    (void)context;
    (void)stream;
    if (fake.fault == FAKE_PREPARE_FAILS)
        return fake_fail(WL_ERROR_DRIVER, "nothing was copied");
    memcpy(fake_pointer(p->out[0]), fake_pointer(p->in[0]), wl__bytes_a_side(p));
    return WL_ERROR_OK;
}

static wl_error in_place(wl_context *context, const struct wl_problem *p, wl_stream stream) {
    if (fake.launches == 0 &&
        memcmp(fake_pointer(p->out[0]), fake_pointer(p->in[0]), wl__bytes_a_side(p)) != 0)
        return fake_fail(WL_ERROR_DRIVER, "the matrix is not there");
    return transpose_any(context, p, stream);
}

static uint64_t bytes_1d(const struct wl_problem *p) {
    return 8 * p->n;
}

static uint64_t bytes_2d(const struct wl_problem *p) {
    return 8 * p->rows * p->cols;
}

static uint64_t bytes_matmul(const struct wl_problem *p) {
    return 4 * (p->m * p->n + p->n * p->k + p->m * p->k);
}

static uint64_t operations_matmul(const struct wl_problem *p) {
    return 2 * p->m * p->n * p->k;
}

static uint64_t bytes_sparse(const struct wl_problem *p) {
    return 16 * p->nnz + 4 * (p->rows + p->cols + 2);
}

static uint64_t bytes_any(const struct wl_problem *p) {
    return 2 * wl__bytes_a_side(p);
}

static uint64_t work_64(wl_context *context, const struct wl_problem *p) {
    (void)context;
    (void)p;
    return 64;
}

static const char *applicable(wl_context *context, const struct wl_problem *p) {
    (void)context;
    (void)p;
    return fake.not_applicable;
}

#define RUNG(e, r, ref, outs, x, y, fixed, formula, fn)                                                      \
    .experiment = e, .name = r, .idea = "the reference itself, as if it were a kernel", .reference = ref,    \
    .outputs = outs, .block_x = x, .block_y = y, .fixed_block = fixed, .bytes_formula = "a formula",         \
    .bytes = formula, .applicable = applicable, .launch = fn

static const struct wl_rung ladder[] = {
    {RUNG("copy", "scalar", WL_REF_COPY, 1, 256, 1, false, bytes_1d, copy), .unrolls = 1 + 2 + 4 + 8},
    {RUNG("copy", "vec4", WL_REF_COPY, 1, 256, 1, false, bytes_1d, copy), .unrolls = 1 + 4},
    {RUNG("copy", "driver", WL_REF_COPY, 1, 0, 0, false, bytes_1d, copy), .library = "CUDA driver"},
    {RUNG("add", "scalar", WL_REF_ADD, 1, 256, 1, false, bytes_1d, add)},
    {RUNG("read-offset", "plain", WL_REF_READ_OFFSET, 1, 512, 1, false, bytes_1d, read_offset)},
    {RUNG("write-offset", "plain", WL_REF_WRITE_OFFSET, 1, 512, 1, false, bytes_1d, write_offset)},
    {RUNG("stride", "load", WL_REF_STRIDE_LOAD, 1, 256, 1, false, bytes_1d, stride_load)},
    {RUNG("stride", "store", WL_REF_STRIDE_STORE, 1, 256, 1, false, bytes_1d, stride_store)},
    {RUNG("layout", "aos", WL_REF_LAYOUT_AOS, 1, 128, 1, false, bytes_1d, aos)},
    {RUNG("layout", "soa", WL_REF_LAYOUT_SOA, 6, 128, 1, false, bytes_1d, soa)},
    {RUNG("transpose", "copy-row", WL_REF_TRANSPOSE_COPY, 1, 16, 16, false, bytes_2d, transpose_copy)},
    {RUNG("transpose", "naive-row", WL_REF_TRANSPOSE, 1, 16, 16, false, bytes_2d, transpose)},
    {RUNG("transpose", "shared", WL_REF_TRANSPOSE, 1, 32, 8, true, bytes_2d, transpose)},
    {RUNG("shared", "row-row", WL_REF_TILE_COPY, 1, 32, 32, true, bytes_1d, tile_copy)},
    {RUNG("shared", "row-col", WL_REF_TILE_32x32, 1, 32, 32, true, bytes_1d, tile_32x32)},
    {RUNG("shared", "rect-row-col", WL_REF_TILE_32x16, 1, 32, 16, true, bytes_1d, tile_32x16)},
    {RUNG("matmul", "naive", WL_REF_MATMUL, 1, 16, 16, true, bytes_matmul, matmul),
     .operations = operations_matmul},
    {RUNG("csr-transpose", "fast", WL_REF_CSR_TO_CSC, 7, 256, 1, false, bytes_sparse, csr),
     .work_bytes = work_64},
    {RUNG("csr-transpose", "triplet", WL_REF_COO_TRANSPOSE, 14, 256, 1, false, bytes_sparse, coo),
     .work_bytes = work_64},
    {RUNG("copy-any", "wideload", WL_REF_COPY_BYTES, 1, 0, 0, true, bytes_any, copy_bytes)},
    {RUNG("add-any", "wideload", WL_REF_ADD_TYPE, 1, 0, 0, true, bytes_any, add_type)},
    {RUNG("transpose-any", "wideload", WL_REF_TRANSPOSE_ANY, 1, 0, 0, true, bytes_any, transpose_any)},
    {RUNG("transpose-any", "memcpy", WL_REF_SAME_BYTES, 1, 0, 0, true, bytes_any, same_bytes),
     .library = "CUDA driver"},
    {RUNG("transpose-inplace", "wideload", WL_REF_TRANSPOSE_ANY, 1, 0, 0, true, bytes_any, in_place),
     .prepare = same_bytes_before, .work_bytes = work_64},
    {RUNG("deinterleave", "wideload", WL_REF_DEINTERLEAVE, 1, 0, 0, true, bytes_any, deinterleave)},
    {RUNG("deinterleave", "memcpy", WL_REF_SAME_BYTES, 1, 0, 0, true, bytes_any, same_bytes),
     .library = "CUDA driver"},
    {RUNG("interleave", "wideload", WL_REF_INTERLEAVE, 1, 0, 0, true, bytes_any, interleave)},
    {RUNG("permute", "wideload", WL_REF_PERMUTE, 1, 0, 0, true, bytes_any, permute)},
    {RUNG("redistribute", "wideload", WL_REF_TRANSPOSE_ANY, 1, 0, 0, true, wl__crossing_bytes, fake_several),
     .open = fake_several_open, .close = fake_several_close},
    {RUNG("redistribute", "copy-engine", WL_REF_TRANSPOSE_ANY, 1, 0, 0, true, wl__crossing_bytes,
          fake_several),
     .open = fake_several_open, .close = fake_several_close, .library = "CUDA driver"},
};

const struct wl_rung *wl__ladder(size_t *count) {
    *count = sizeof ladder / sizeof *ladder;
    return ladder;
}
