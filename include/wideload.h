/* Wideload: move and combine arrays on a GPU at the speed of its memory.
 *
 * This is the library's only public header.  It is plain C11 and may be included from C++.
 *
 * The library opens a CUDA driver at run time: NVIDIA's (libcuda.so.1), or Wideload's own simulator
 * (libwideload-sim.so), which runs the same kernels on the CPU and counts what the memory system
 * would do.  Nothing here exits, prints or throws.  Every function that can fail returns a wl_error;
 * 0 is success, and wl_message() says in words what went wrong.
 *
 * Thread-safety: any function may be called from any thread, on one context by several at once, but
 * wl_close() by the last.  wl_message() and wl_explain() are about the calling thread's own calls.
 */
#ifndef WIDELOAD_H
#define WIDELOAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WL_VERSION_MAJOR  0
#define WL_VERSION_MINOR  1
#define WL_VERSION_PATCH  0
#define WL_VERSION_STRING "0.1.0"

#if defined(__GNUC__)
#define WL_API __attribute__((visibility("default")))
#else
#define WL_API
#endif

/* ---------------------------------------------------------------- errors */

/* One list makes the enum, the names and the messages. */
#define WL_ERROR_MAP(X)                                                                                      \
    X(OK, 0, "success")                                                                                      \
    X(INVALID_ARGUMENT, 1, "invalid argument")                                                               \
    X(OUT_OF_MEMORY, 2, "out of memory")                                                                     \
    X(NO_DRIVER, 3, "no CUDA driver could be opened")                                                        \
    X(NO_DEVICE, 4, "no such device")                                                                        \
    X(UNSUPPORTED, 5, "not supported on this device")                                                        \
    X(DRIVER, 6, "the CUDA driver reported an error")                                                        \
    X(KERNEL_FAULT, 7, "a kernel faulted")                                                                   \
    X(NOT_APPLICABLE, 8, "the kernel does not apply to this problem")

typedef enum wl_error {
#define WL_ERROR_ENUM(name, code, text) WL_ERROR_##name = code,
    WL_ERROR_MAP(WL_ERROR_ENUM)
#undef WL_ERROR_ENUM
} wl_error;

/* "WL_ERROR_OUT_OF_MEMORY", or "WL_ERROR_UNKNOWN".  Never NULL. */
WL_API const char *wl_error_name(wl_error error);
/* "out of memory".  Never NULL. */
WL_API const char *wl_error_text(wl_error error);
/* The calling thread's last failure in full: which call, which argument, what the driver or the
 * kernel said.  "" when there was none.  Valid until the thread's next failing call. */
WL_API const char *wl_message(void);
/* The library's version, "0.1.0". */
WL_API const char *wl_version(void);

/* ---------------------------------------------------------------- contexts */

/* A device made ready: a driver, a CUDA context, and the library's kernels, which are loaded as they are
 * first used. */
typedef struct wl_context wl_context;

/* A device address, as CUDA's CUdeviceptr. */
typedef uint64_t wl_devptr;
/* A CUDA stream, as CUDA's CUstream; NULL is the default stream. */
typedef void *wl_stream;

/* Opens a device: "auto" (the first GPU, else the simulator; the environment's WIDELOAD_DEVICE
 * overrides "auto"), "gpu", "gpu:N", or "sim"; NULL means "auto".  These take the device's primary context,
 * which is also that of the CUDA runtime and so of torch, CuPy and the like: memory and streams of theirs
 * serve here. "current" takes the calling thread's current CUDA context instead, for programs that made their
 * own with the driver API; it must outlive the wl_context. Its driver is NVIDIA's, or the simulator where the
 * program runs on that. Errors: INVALID_ARGUMENT for an unknown name, NO_DEVICE (also where no context is
 * current), NO_DRIVER, DRIVER, OUT_OF_MEMORY. */
WL_API wl_error wl_open(wl_context **out, const char *device);
/* Unloads the kernels and gives the CUDA context back.  Before it, what was launched is to be done and what
 * wl_alloc() gave to be freed; after it, graphs that captured calls cannot be launched.  NULL is allowed. */
WL_API void wl_close(wl_context *context);

typedef struct wl_device_info {
    char name[128];     /* "NVIDIA H200", "Wideload simulator" */
    char kind[8];       /* "gpu" or "sim" */
    char arch[16];      /* "sm_90"; on the simulator the counting rules' name */
    int driver_version; /* CUDA's number: 13000 is 13.0 */
    int multiprocessors;
    int memory_clock_khz; /* 0 when the driver does not say, and on the simulator */
    int memory_bus_bits;  /* the same */
    int l2_bytes;
    uint64_t memory_bytes; /* total device memory */
    uint64_t free_bytes;   /* free when asked */
    int arch_proved;       /* 1 on a GPU, and where the rules were held against hardware counters */
    double peak_gbps;      /* 2 x memory clock x bus width / 8, in 10^9 B/s; 0 when unknown */
} wl_device_info;

WL_API wl_error wl_get_device_info(wl_context *context, wl_device_info *out);

/* ---------------------------------------------------------------- memory */

/* Device memory, aligned to 256 bytes or better.  bytes == 0 gives a valid, unique address.
 * Errors: OUT_OF_MEMORY, INVALID_ARGUMENT. */
WL_API wl_error wl_alloc(wl_context *context, wl_devptr *out, size_t bytes);
/* Of wl_alloc()'s memory, when nothing uses it any more.  Address 0 is nothing to free. */
WL_API wl_error wl_free(wl_context *context, wl_devptr address);
/* Copies between host and device, which wait until they are done; in the order of the NULL stream.  Work on
 * non-blocking streams that they depend on is to be waited for before. */
WL_API wl_error wl_upload(wl_context *context, wl_devptr to, const void *from, size_t bytes);
WL_API wl_error wl_download(wl_context *context, void *to, wl_devptr from, size_t bytes);
/* Sets bytes of device memory to a value; asynchronous on the stream. */
WL_API wl_error wl_fill(wl_context *context, wl_devptr to, uint8_t value, size_t bytes, wl_stream stream);
/* Waits for everything submitted; reports a kernel's fault (KERNEL_FAULT) if there was one. */
WL_API wl_error wl_synchronize(wl_context *context);

/* ---------------------------------------------------------------- operations
 *
 * What holds for every operation below:
 *
 * - Arrays are row-major: the last dimension is the one whose elements lie side by side.  Sizes, pitches,
 * leading dimensions and strides are in elements unless a name says bytes, and may be as large as memory.
 * - `width` is an element's size in bytes: 1, 2, 4, 8 or 16.  Elements are moved, never computed with, so a
 * width serves every type that has it.  An array's address is a multiple of its elements' width, and needs no
 * more.
 * - Addresses are of device memory, managed memory or pinned host memory that the context's device can reach,
 *   whoever allocated it.  Input and output do not overlap, but where a function says that they may.
 * - A call puts work on the stream and returns: it does not wait, and after the first call that needs a
 * kernel it allocates nothing.  It may be captured in a CUDA graph, the first call too.  Streams are CUDA's:
 * NULL (the legacy default stream), CU_STREAM_LEGACY, CU_STREAM_PER_THREAD or a CUstream of the context.
 * - Any thread may call, several at once, whatever CUDA context is current in it; that one is current after
 * it.
 * - Only bytes that the operation names are read or written (wl_deinterleave_fields() may read padding).
 * - An operation on nothing (a size of 0) does nothing and succeeds; its addresses may be NULL then.
 * - Errors: INVALID_ARGUMENT for a NULL context or address, a pageable host address, a width, rank or order
 * that is none, a misaligned address, a leading dimension or stride that is too small, sizes whose product is
 * no address, arrays that overlap; nothing is put on the stream then, and wl_message() names the argument.
 *   DRIVER and OUT_OF_MEMORY come from the driver: the kernels could not be loaded or launched.  A fault on
 * the device is reported by wl_synchronize(), or by CUDA's own calls; on a GPU its context is lost then. */

/* Copies bytes; `to` and `from` may have any alignment, both. */
WL_API wl_error wl_copy(wl_context *context, wl_devptr to, wl_devptr from, size_t bytes, wl_stream stream);

/* Copies rows of row_bytes bytes that begin every to_pitch and from_pitch bytes; any alignment of addresses
 * and pitches.  A pitch is at least row_bytes.  The bytes between rows are not touched, and may belong to the
 * other array: the rows must not overlap, and it is checked that the arrays from first to last byte do not,
 * or that both have one pitch and the rows lie beside each other.
 *
 *     wl_copy_2d(context, tile, 64 * 4, image + 4 * (y * width + x), width * 4, 64 * 4, 64, stream);  */
WL_API wl_error wl_copy_2d(wl_context *context, wl_devptr to, size_t to_pitch, wl_devptr from,
                           size_t from_pitch, size_t row_bytes, size_t rows, wl_stream stream);

/* Types that wl_add adds: name, code, bytes. */
#define WL_TYPE_MAP(X)                                                                                       \
    X(I8, 0, 1)                                                                                              \
    X(I16, 1, 2)                                                                                             \
    X(I32, 2, 4)                                                                                             \
    X(I64, 3, 8)                                                                                             \
    X(U8, 4, 1)                                                                                              \
    X(U16, 5, 2)                                                                                             \
    X(U32, 6, 4)                                                                                             \
    X(U64, 7, 8)                                                                                             \
    X(F16, 8, 2)                                                                                             \
    X(BF16, 9, 2)                                                                                            \
    X(F32, 10, 4)                                                                                            \
    X(F64, 11, 8)

typedef enum wl_type {
#define WL_TYPE_ENUM(name, code, bytes) WL_TYPE_##name = code,
    WL_TYPE_MAP(WL_TYPE_ENUM)
#undef WL_TYPE_ENUM
} wl_type;

/* out[i] = a[i] + b[i] for n elements.  Integers wrap; floats are rounded to nearest even, each sum once (an
 * F16 or BF16 sum too).  out may be a, or b, or both; otherwise it overlaps neither.  a and b may overlap.
 * Each address is a multiple of the type's size and needs no more. */
WL_API wl_error wl_add(wl_context *context, wl_type type, wl_devptr out, wl_devptr a, wl_devptr b, uint64_t n,
                       wl_stream stream);

/* to[c][r] = from[r][c]: from has rows x cols elements, to has cols x rows.
 *
 *     wl_transpose(context, sizeof(float), to, from, 8191, 8193, stream);  */
WL_API wl_error wl_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from, uint64_t rows,
                             uint64_t cols, wl_stream stream);

/* Matrices that are parts of larger arrays, and many of one shape. */
typedef struct wl_transpose_layout {
    uint64_t rows, cols;     /* of each input matrix; each output matrix has cols rows of rows elements */
    uint64_t from_ld, to_ld; /* from a row to the next: at least cols, at least rows; 0: just that */
    uint64_t batch;          /* matrices; 0: nothing is done */
    uint64_t from_stride, to_stride; /* from a matrix to the next: at least rows * from_ld, cols * to_ld, of
                                        which the last row need not be whole; 0: just that */
} wl_transpose_layout;

/* to[b][c][r] = from[b][r][c].  Elements between rows and between matrices are not touched.
 *
 * Images from NCHW to NHWC: rows = C, cols = H * W, batch = N; and back: rows = H * W, cols = C. */
WL_API wl_error wl_transpose_batched(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                                     const wl_transpose_layout *layout, wl_stream stream);

/* A rows x cols matrix becomes its cols x rows transpose in the same memory.
 *
 * Square matrices need no workspace. Others may: wl_transpose_inplace_workspace() says how many bytes, at
 * most 160 * width * max(rows, cols) + 17 KiB, and 0 where none is needed (workspace may be NULL then); it
 * depends on the device. The workspace is the caller's, aligned to 16 bytes, not overlapping the matrix, and
 * in use until the stream has passed the call; calls that run at once need one each.
 *
 * Matrices whose sides, of 256 elements and more, differ by 1 to 16 are done by blocks that wait for each
 * other: of elements of 1 and 2 bytes all of them, of 4, 8 and 16 bytes from 8, 40 and 20 MiB on (compute
 * capability 8.0 and later), in a cooperative launch: it begins when the device has room for all of them.
 *
 *     size_t bytes;
 *     wl_transpose_inplace_workspace(context, sizeof(float), 8191, 8193, &bytes);
 *     wl_alloc(context, &workspace, bytes);
 *     wl_transpose_inplace(context, sizeof(float), matrix, 8191, 8193, workspace, bytes, stream);  */
WL_API wl_error wl_transpose_inplace_workspace(wl_context *context, unsigned width, uint64_t rows,
                                               uint64_t cols, size_t *bytes);
WL_API wl_error wl_transpose_inplace(wl_context *context, unsigned width, wl_devptr matrix, uint64_t rows,
                                     uint64_t cols, wl_devptr workspace, size_t workspace_bytes,
                                     wl_stream stream);

/* n structures of `fields` elements become as many arrays of n: to[f][i] = from[i * fields + f].
 * to[] lies in host memory and is read before the call returns; each to[f] has its own address and alignment.
 * No fields are nothing to do.
 *
 *     wl_devptr xyz[3] = {x, y, z};
 *     wl_deinterleave(context, sizeof(float), 3, xyz, points, n, stream);  */
WL_API wl_error wl_deinterleave(wl_context *context, unsigned width, unsigned fields, const wl_devptr *to,
                                wl_devptr from, uint64_t n, wl_stream stream);
/* And back: to[i * fields + f] = from[f][i].  Arrays of from[] may overlap each other. */
WL_API wl_error wl_interleave(wl_context *context, unsigned width, unsigned fields, wl_devptr to,
                              const wl_devptr *from, uint64_t n, wl_stream stream);

/* A field of a structure, as offsetof and sizeof give it. */
typedef struct wl_field {
    uint32_t offset, bytes;
} wl_field;

/* Structures of fields of any sizes, with padding between them or none: n structures, structure_bytes from
 * one to the next; array f has n elements of fields[f].bytes, side by side.  There are 1 to WL_FIELDS_MAX
 * fields, in any order, none empty, none overlapping another, all inside the structure; structure_bytes is 1
 * to WL_STRUCTURE_MAX.  Any alignment.
 *
 *     struct particle { float position[3]; double mass; int32_t id; };
 *     wl_field fields[] = {{offsetof(struct particle, position), 12}, {offsetof(struct particle, mass), 8},
 *                          {offsetof(struct particle, id), 4}};
 *     wl_deinterleave_fields(context, fields, 3, sizeof(struct particle), arrays, particles, n, stream);
 *
 * wl_deinterleave_fields() uses the named bytes alone.  Of the others it may read those between the first and
 * the last that are named, so that `from` may point into larger structures of which the last ends early.
 * wl_interleave_fields() writes all of each structure, with 0 where no field is. */
#define WL_FIELDS_MAX    64
#define WL_STRUCTURE_MAX 1024
WL_API wl_error wl_deinterleave_fields(wl_context *context, const wl_field *fields, unsigned count,
                                       uint32_t structure_bytes, const wl_devptr *to, wl_devptr from,
                                       uint64_t n, wl_stream stream);
WL_API wl_error wl_interleave_fields(wl_context *context, const wl_field *fields, unsigned count,
                                     uint32_t structure_bytes, wl_devptr to, const wl_devptr *from,
                                     uint64_t n, wl_stream stream);

/* Reorders the dimensions of an array: dimension i of `to` is dimension order[i] of `from`, as NumPy's
 * transpose(axes) and torch's permute have it.  rank is 0 to WL_RANK_MAX; sizes are those of `from`; order
 * has each of 0 .. rank - 1 once.
 *
 *     uint64_t sizes[4] = {n, c, h, w};
 *     unsigned order[4] = {0, 2, 3, 1};
 *     wl_permute(context, 2, nhwc, nchw, 4, sizes, order, stream);
 *
 * The first call of a shape plans, for up to 1 ms on the host; a thread remembers eight plans.  Besides the
 * errors above: UNSUPPORTED for more than 2^31 tiles, some hundreds of GB. */
#define WL_RANK_MAX 8
WL_API wl_error wl_permute(wl_context *context, unsigned width, wl_devptr to, wl_devptr from, unsigned rank,
                           const uint64_t *sizes, const unsigned *order, wl_stream stream);

/* Which kernel the calling thread's last operation took, and why: "wl_transpose: tile-skewed: ...".  ""
 * before the first.  Valid until the thread's next call of this function.  With WIDELOAD_LOG=1 in the
 * environment when the context is opened, each operation writes that line to stderr. */
WL_API const char *wl_explain(void);

/* ---------------------------------------------------------------- counters */

/* What the memory system did, summed over launches since the last reset.  Names are nvprof's where
 * nvprof had one.  Only the simulator counts: elsewhere wl_get_counters says UNSUPPORTED.
 *
 * request      one warp-level memory instruction with at least one lane on
 * transaction  what one request moves: a 32-byte sector (Maxwell and later, and every store), or a
 *              128-byte line (loads under the fermi rules with L1)
 * wavefront    one pass of a shared-memory request through the 32 banks
 * dshared_*    shared memory of other blocks of a cluster, in sectors; reductions count as atomics
 * bulk_*       bulk copies (cp.async.bulk) from and to global memory, in sectors, and to other blocks
 *              (dshared_bulk_*); a request is one lane's copy, useful bytes are all that arrive
 * *_useful_bytes  distinct bytes that a request's lanes touch, summed over requests
 * *_moved_bytes   transactions x their size */
#define WL_COUNTER_MAP(X)                                                                                    \
    X(global_load_requests)                                                                                  \
    X(gld_transactions)                                                                                      \
    X(gld_useful_bytes)                                                                                      \
    X(gld_moved_bytes)                                                                                       \
    X(global_store_requests)                                                                                 \
    X(gst_transactions)                                                                                      \
    X(gst_useful_bytes)                                                                                      \
    X(gst_moved_bytes)                                                                                       \
    X(global_atomic_requests)                                                                                \
    X(global_atomic_transactions)                                                                            \
    X(global_reduction_requests)                                                                             \
    X(global_reduction_transactions)                                                                         \
    X(local_load_requests)                                                                                   \
    X(local_load_transactions)                                                                               \
    X(local_store_requests)                                                                                  \
    X(local_store_transactions)                                                                              \
    X(shared_load_requests)                                                                                  \
    X(shared_load_transactions)                                                                              \
    X(shared_store_requests)                                                                                 \
    X(shared_store_transactions)                                                                             \
    X(shared_atomic_requests)                                                                                \
    X(shared_atomic_transactions)                                                                            \
    X(shared_useful_bytes)                                                                                   \
    X(inst_executed)                                                                                         \
    X(thread_inst_executed)                                                                                  \
    X(launches)                                                                                              \
    X(texture_load_requests)                                                                                 \
    X(texture_load_transactions)                                                                             \
    X(dshared_load_requests)                                                                                 \
    X(dshared_load_transactions)                                                                             \
    X(dshared_store_requests)                                                                                \
    X(dshared_store_transactions)                                                                            \
    X(dshared_atomic_requests)                                                                               \
    X(dshared_atomic_transactions)                                                                           \
    X(bulk_load_requests)                                                                                    \
    X(bulk_load_transactions)                                                                                \
    X(bulk_load_useful_bytes)                                                                                \
    X(bulk_store_requests)                                                                                   \
    X(bulk_store_transactions)                                                                               \
    X(bulk_store_useful_bytes)                                                                               \
    X(dshared_bulk_requests)                                                                                 \
    X(dshared_bulk_transactions)

typedef struct wl_counters {
#define WL_COUNTER_FIELD(name) uint64_t name;
    WL_COUNTER_MAP(WL_COUNTER_FIELD)
#undef WL_COUNTER_FIELD
} wl_counters;

WL_API wl_error wl_get_counters(wl_context *context, wl_counters *out);
WL_API wl_error wl_reset_counters(wl_context *context);
/* Chooses the simulator's counting rules for launches to come: "fermi", "fermi-l2", "kepler",
 * "maxwell", "pascal", "sm_70" ... "sm_90".  Errors: INVALID_ARGUMENT, UNSUPPORTED on a GPU. */
WL_API wl_error wl_set_arch(wl_context *context, const char *arch);
/* The i-th set of counting rules, oldest first: *name is a static string; *proved is 1 where they were held
 * against hardware counters, 0 where they follow public documents.  Either may be NULL.
 * Errors: INVALID_ARGUMENT past the last, UNSUPPORTED on a GPU. */
WL_API wl_error wl_arch_at(wl_context *context, unsigned i, const char **name, int *proved);

/* ---------------------------------------------------------------- the simulator's extension */

/* The simulator is a CUDA driver that exports, beside CUDA's functions, these; find them with dlsym
 * or cuGetProcAddress.  Each returns 0 or CUDA's error number.
 *
 *   int wlSimGetCounters(struct wl_counters *out)   the process's sums, all contexts and kernels
 *   int wlSimResetCounters(void)
 *   int wlSimSetArch(const char *arch)              1 (CUDA_ERROR_INVALID_VALUE) when unknown
 *   const char *wlSimArch(void)
 *   const char *wlSimArchAt(unsigned i, int *proved)  the i-th rules' name, NULL past the last
 *   const char *wlSimLastError(void)                the last load error or kernel fault in words, "" if none
 *   int wlSimStrictBounds(void)                     before cuInit; 401 (CUDA_ERROR_ILLEGAL_STATE) after it
 *
 * A kernel's access outside every allocation faults where a GPU would have no memory either; mostly there is
 * some, next to an array's end, and the access goes through.  After wlSimStrictBounds() every such access
 * faults.  wl_open() calls it.
 */
typedef int wl_sim_get_counters_fn(struct wl_counters *out);
typedef int wl_sim_reset_counters_fn(void);
typedef int wl_sim_set_arch_fn(const char *arch);
typedef int wl_sim_strict_bounds_fn(void);
typedef const char *wl_sim_string_fn(void);
typedef const char *wl_sim_arch_at_fn(unsigned i, int *proved);

#ifdef __cplusplus
}
#endif
#endif
