/* Wideload: copy, add, transpose and permute arrays on a GPU, or on the host, at the speed of memory.
 *
 * This is the library's only public header, and so the longest file.  It is plain C11 and can be included
 * from C++.  In short:
 *
 *     wl_context *context;
 *     wl_open(&context, "auto");                                  a GPU, else the simulator
 *     wl_transpose(context, sizeof(float), to, from, rows, cols, stream);      asynchronous
 *     wl_synchronize(context);
 *     wl_close(context);
 *
 * The library opens a CUDA driver at run time: NVIDIA's (libcuda.so.1), or Wideload's own simulator
 * (libwideload-sim.so), which runs the same kernels on the CPU and counts their memory accesses.  Addresses
 * and streams are CUDA's, from whatever library allocated them.  The device "host" needs no driver: it is the
 * machine's own processors, and its addresses are pointers.
 *
 * Errors: every function that can fail returns a wl_error.  0 is success; wl_message() describes a failure in
 * words.  No function exits or throws.  None prints, except to stderr on request (WIDELOAD_LOG, see
 * wl_explain()).
 *
 * Thread-safety: all functions are thread-safe, also on a shared context.  Call wl_close() only when no other
 * call on that context is running.  wl_message() and wl_explain() are per thread. */
#ifndef WIDELOAD_H
#define WIDELOAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WL_VERSION_MAJOR  0
#define WL_VERSION_MINOR  3
#define WL_VERSION_PATCH  0
#define WL_VERSION_STRING "0.3.0"

#if defined(__GNUC__)
#define WL_API __attribute__((visibility("default")))
#else
#define WL_API
#endif

/* ---------------------------------------------------------------- errors */

/* The enum, the names and the texts all come from this list. */
#define WL_ERROR_MAP(X)                                                                                      \
    X(OK, 0, "success")                                                                                      \
    X(INVALID_ARGUMENT, 1, "invalid argument")                                                               \
    X(OUT_OF_MEMORY, 2, "out of memory")                                                                     \
    X(NO_DRIVER, 3, "no CUDA driver could be opened")                                                        \
    X(NO_DEVICE, 4, "no such device")                                                                        \
    X(UNSUPPORTED, 5, "not supported on this device")                                                        \
    X(DRIVER, 6, "the CUDA driver reported an error")                                                        \
    X(KERNEL_FAULT, 7, "a kernel faulted")                                                                   \
    X(NOT_APPLICABLE, 8, "the kernel does not apply to this problem")                                        \
    X(COMMUNICATION, 9, "ranks could not reach each other")

typedef enum wl_error {
#define WL_ERROR_ENUM(name, code, text) WL_ERROR_##name = code,
    WL_ERROR_MAP(WL_ERROR_ENUM)
#undef WL_ERROR_ENUM
} wl_error;

/* The enumerator's name, "WL_ERROR_OUT_OF_MEMORY"; "WL_ERROR_UNKNOWN" for any other value.  Never NULL. */
WL_API const char *wl_error_name(wl_error error);
/* A short text, "out of memory".  Never NULL. */
WL_API const char *wl_error_text(wl_error error);
/* The calling thread's last failure in full: the call, the argument, and what the driver or the kernel
 * reported.  "" if there was none.  Valid until the thread's next failing call. */
WL_API const char *wl_message(void);
/* The library's version, "0.3.0". */
WL_API const char *wl_version(void);

/* ---------------------------------------------------------------- contexts */

/* An open device: a driver, a CUDA context, and the library's kernels, each loaded on first use. */
typedef struct wl_context wl_context;

/* A device address: CUDA's CUdeviceptr.  On the host device it is a pointer, as (wl_devptr)(uintptr_t)array.
 */
typedef uint64_t wl_devptr;
/* A CUDA stream: CUDA's CUstream, or cudaStream_t.  NULL is the legacy default stream.  The host device
 * ignores it. */
typedef void *wl_stream;

/* Opens a device by name:
 *
 *   "auto", NULL     what the environment variable WIDELOAD_DEVICE names; else the first GPU; else the
 *                    simulator
 *   "gpu", "gpu:N"   a GPU, numbered as CUDA does
 *   "sim", "sim:N"   the simulator: "sim" is its first device, "sim:N" is device N of WIDELOAD_SIM_DEVICES
 *   "host"           the machine's own processors: operations on arrays in host memory, without CUDA
 *   "current"        the calling thread's current CUDA context, for programs that create contexts with the
 *                    driver API.  That context must outlive the wl_context.  Its driver is NVIDIA's, or the
 *                    simulator if the program runs on that.
 *
 * "auto" gives the host device only if WIDELOAD_DEVICE names it.
 *
 * GPUs and the simulator are used through the primary context, except for "current".  The CUDA runtime, torch
 * and CuPy use the same one, so their memory and streams work here.
 *
 * Errors: INVALID_ARGUMENT for an unknown name, NO_DEVICE (for "current": no context is current), NO_DRIVER,
 * DRIVER, OUT_OF_MEMORY. */
WL_API wl_error wl_open(wl_context **out, const char *device);
/* Unloads the kernels and releases the CUDA context.  Synchronize and free all wl_alloc() memory first: it is
 * invalid afterwards if the CUDA context goes with this call.  Graphs that captured calls of this context
 * cannot be launched afterwards.  NULL is a no-op. */
WL_API void wl_close(wl_context *context);

typedef struct wl_device_info {
    char name[128];      /* "NVIDIA H200", "Wideload simulator"; on the host, the processor's name */
    char kind[8];        /* "gpu", "sim" or "host" */
    char arch[16];       /* "sm_90"; the simulator's counting rules; the host's vector instructions: "avx2" */
    int driver_version;  /* 13000 is CUDA 13.0; 0 on the host */
    int multiprocessors; /* on the host, the threads that an operation may use */
    int memory_clock_khz; /* 0: unknown, and except on GPUs */
    int memory_bus_bits;  /* 0: unknown, and except on GPUs */
    int l2_bytes;
    uint64_t memory_bytes; /* total device memory */
    uint64_t free_bytes;   /* free at the time of the call */
    int arch_proved;       /* 0 if hardware counters have not confirmed the simulator's rules; else 1 */
    double peak_gbps;      /* 2 x memory clock x bus width / 8, in 10^9 B/s; 0: unknown */
} wl_device_info;

WL_API wl_error wl_get_device_info(wl_context *context, wl_device_info *out);

/* ---------------------------------------------------------------- memory */

/* Allocates device memory, aligned to at least 256 bytes.  bytes == 0 gives a valid, unique address.
 * Errors: OUT_OF_MEMORY, INVALID_ARGUMENT. */
WL_API wl_error wl_alloc(wl_context *context, wl_devptr *out, size_t bytes);
/* Frees memory from wl_alloc(); no pending work may use it.  Address 0 is a no-op. */
WL_API wl_error wl_free(wl_context *context, wl_devptr address);
/* Copy between host and device, and return when the copy is done.  They are ordered with work on the NULL
 * stream; wait first for work on non-blocking streams that uses the same memory. */
WL_API wl_error wl_upload(wl_context *context, wl_devptr to, const void *from, size_t bytes);
WL_API wl_error wl_download(wl_context *context, void *to, wl_devptr from, size_t bytes);
/* Sets each byte of device memory to a value; asynchronous on the stream. */
WL_API wl_error wl_fill(wl_context *context, wl_devptr to, uint8_t value, size_t bytes, wl_stream stream);
/* Waits for all submitted work.  Returns KERNEL_FAULT if a kernel faulted. */
WL_API wl_error wl_synchronize(wl_context *context);

/* ---------------------------------------------------------------- operations
 *
 * For every operation below:
 *
 * - Arrays are row-major: elements of the last dimension are contiguous.  Sizes, pitches, leading dimensions
 *   and strides count elements unless the name says bytes.  They are limited only by the memory.
 * - `width` is the element size in bytes: 1, 2, 4, 8 or 16.  Elements are moved and never computed with, so
 *   any type of that size will do.  An array must be aligned to its element size, and to no more.
 * - An address may be of device memory, managed memory or pinned host memory, whoever allocated it, as long
 *   as the context's device can access it.  Inputs and outputs must not overlap unless stated otherwise.
 * - On the host device an address is of any host memory.  A call returns when its work is done, on up to
 *   OMP_NUM_THREADS threads: small arrays are the calling thread's, and so is all work in a process that
 *   fork() made.  What is said of streams, graphs and kernels below does not concern it.
 * - A call puts work on the stream and returns without waiting.  It allocates nothing once its kernels are
 *   loaded.  It can be captured in a CUDA graph, even the first call.  Streams are CUDA's: NULL (the legacy
 *   default stream), CU_STREAM_LEGACY, CU_STREAM_PER_THREAD or a CUstream of the context.
 * - The thread's current CUDA context does not matter, and is the same after the call.
 * - Only the bytes that the operation names are read or written (wl_deinterleave_fields() may read padding).
 * - A size of 0 is a no-op that succeeds; addresses may then be NULL.
 * - Errors: INVALID_ARGUMENT for a NULL context or address, a pageable host address, an invalid width, rank
 *   or order, a misaligned address, a leading dimension or stride that is too small, sizes whose product
 *   overflows, and overlapping arrays.  Then nothing is put on the stream, and wl_message() names the
 *   argument.  DRIVER and OUT_OF_MEMORY: the driver could not load or launch the kernels.
 * - wl_synchronize() reports faults on the device, as do CUDA's own calls.  On a GPU the CUDA context is then
 *   lost. */

/* Copies bytes.  Both addresses may have any alignment. */
WL_API wl_error wl_copy(wl_context *context, wl_devptr to, wl_devptr from, size_t bytes, wl_stream stream);

/* Copies rows of row_bytes bytes each.  Rows of `to` start to_pitch bytes apart, rows of `from` from_pitch
 * bytes; a pitch is at least row_bytes.  Addresses and pitches may have any alignment.  Bytes between rows
 * are not touched.
 *
 * No row of `to` may overlap a row of `from`.  The two arrays, from first to last byte, must be disjoint,
 * unless both have the same pitch: then rows of one may lie between rows of the other.  This is checked.
 *
 *     wl_copy_2d(context, tile, 64 * 4, image + 4 * (y * width + x), width * 4, 64 * 4, 64, stream);  */
WL_API wl_error wl_copy_2d(wl_context *context, wl_devptr to, size_t to_pitch, wl_devptr from,
                           size_t from_pitch, size_t row_bytes, size_t rows, wl_stream stream);

/* Dimensions of an array. */
#define WL_RANK_MAX 8

/* Copies an array between any strides: for each index i, the element at to + sum of i[d] * to_stride_bytes[d]
 * becomes the element at from + sum of i[d] * from_stride_bytes[d], for d from 0 to rank - 1 and i[d] from 0
 * to sizes[d] - 1.  rank is 0 to WL_RANK_MAX; rank 0 is one element.  An element has element_bytes bytes, 1
 * or more.  Strides are in bytes, as NumPy's are.  They may be negative; those of `from` may also be 0, or so
 * small that elements of `from` overlap.  `to` and `from` are the addresses of the elements at index 0.
 * Addresses and strides may have any alignment.
 *
 * Elements of `to` must not share a byte.  This is checked by its strides alone: in the order of their sizes,
 * each must be at least the bytes from the first to the last byte that the smaller ones reach.  Strides of
 * dimensions of size 1 do not matter.  The two arrays, each from its first to its last byte, must not
 * overlap.
 *
 *     Every second column of a matrix, last row first:
 *     uint64_t sizes[2] = {rows, cols / 2};
 *     int64_t steps[2] = {-(int64_t)(cols * 4), 8}, to_steps[2] = {(int64_t)(cols / 2 * 4), 4};
 *     wl_copy_strided(context, 4, to, to_steps, last_row, steps, 2, sizes, stream);  */
WL_API wl_error wl_copy_strided(wl_context *context, size_t element_bytes, wl_devptr to,
                                const int64_t *to_stride_bytes, wl_devptr from,
                                const int64_t *from_stride_bytes, unsigned rank, const uint64_t *sizes,
                                wl_stream stream);

/* The types of wl_add(): name, code, bytes. */
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

/* out[i] = a[i] + b[i] for n elements.  Integers wrap.  Each floating-point sum is rounded once, to nearest
 * even, for F16 and BF16 too.  out may be equal to a, to b or to both, and must not overlap them otherwise.
 * a and b may overlap.  Each address is aligned to the type's size. */
WL_API wl_error wl_add(wl_context *context, wl_type type, wl_devptr out, wl_devptr a, wl_devptr b, uint64_t n,
                       wl_stream stream);

/* to[c][r] = from[r][c].  `from` has rows x cols elements, `to` has cols x rows.
 *
 *     wl_transpose(context, sizeof(float), to, from, 8191, 8193, stream);  */
WL_API wl_error wl_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from, uint64_t rows,
                             uint64_t cols, wl_stream stream);

/* A batch of matrices of one shape, which may be parts of larger arrays.  In elements. */
typedef struct wl_transpose_layout {
    uint64_t rows, cols;             /* of each input matrix; an output matrix is cols x rows */
    uint64_t from_ld, to_ld;         /* leading dimensions: at least cols and rows; 0: exactly that */
    uint64_t batch;                  /* number of matrices; 0: a no-op */
    uint64_t from_stride, to_stride; /* between matrices: at least rows * from_ld and cols * to_ld, less the
                                        padding of the last row; 0: exactly those products */
} wl_transpose_layout;

/* to[b][c][r] = from[b][r][c].  Elements between rows and between matrices are not touched.
 *
 * NCHW to NHWC: rows = C, cols = H * W, batch = N.  NHWC to NCHW: rows = H * W, cols = C, batch = N. */
WL_API wl_error wl_transpose_batched(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                                     const wl_transpose_layout *layout, wl_stream stream);

/* Transposes a rows x cols matrix in its own memory.
 *
 * wl_transpose_inplace_workspace() gives the bytes of workspace that the call needs on this device: 0 for a
 * square matrix.  For others they are 256 KiB and 1 % of the matrix at most, or 17 KiB and 160 * width *
 * max(rows, cols) if the sides differ by at most 16.  Without cooperative launches, and where the shorter
 * side has more elements than the device can hold 128 bytes of each, they are an eighth of rows * cols.  If
 * they are 0, workspace may be NULL.  On the host device they are always 0: a matrix that is not square is
 * transposed through memory of its size, which the call allocates.  Then OUT_OF_MEMORY is a further error.
 * The caller provides the workspace, aligned to 16 bytes and not overlapping the matrix.  It is in use until
 * the stream has finished the call.  Concurrent calls need one each.
 *
 * Matrices of more than 256 KiB that are not square use a cooperative launch, which starts when the device
 * has room for all of its blocks; so may smaller ones.
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

/* Splits n structures of `fields` elements into `fields` arrays of n elements: to[f][i] = from[i * fields +
 * f]. The table to[] is in host memory and is read before the call returns.  Each to[f] is an address of its
 * own, with its own alignment.  fields == 0 is a no-op.
 *
 *     wl_devptr xyz[3] = {x, y, z};
 *     wl_deinterleave(context, sizeof(float), 3, xyz, points, n, stream);  */
WL_API wl_error wl_deinterleave(wl_context *context, unsigned width, unsigned fields, const wl_devptr *to,
                                wl_devptr from, uint64_t n, wl_stream stream);
/* The reverse: to[i * fields + f] = from[f][i].  The arrays from[f] may overlap each other. */
WL_API wl_error wl_interleave(wl_context *context, unsigned width, unsigned fields, wl_devptr to,
                              const wl_devptr *from, uint64_t n, wl_stream stream);

/* A field of a structure in bytes, as offsetof and sizeof give it. */
typedef struct wl_field {
    uint32_t offset, bytes;
} wl_field;

/* The same for fields of any size, with or without padding between them.  The n structures start
 * structure_bytes apart (1 to WL_STRUCTURE_MAX).  Array f has n contiguous elements of fields[f].bytes. There
 * are 1 to WL_FIELDS_MAX fields, in any order; none is empty, overlaps another or reaches past the structure.
 * Addresses may have any alignment.
 *
 *     struct particle { float position[3]; double mass; int32_t id; };
 *     wl_field fields[] = {{offsetof(struct particle, position), 12}, {offsetof(struct particle, mass), 8},
 *                          {offsetof(struct particle, id), 4}};
 *     wl_deinterleave_fields(context, fields, 3, sizeof(struct particle), arrays, particles, n, stream);
 *
 * wl_deinterleave_fields() may also read bytes between the first and the last named byte of a structure, but
 * none outside of them.  So fields that are not needed may be left out, and the last structure may end after
 * its last named byte.  wl_interleave_fields() writes each structure whole, with 0 in the padding. */
#define WL_FIELDS_MAX    64
#define WL_STRUCTURE_MAX 1024
WL_API wl_error wl_deinterleave_fields(wl_context *context, const wl_field *fields, unsigned count,
                                       uint32_t structure_bytes, const wl_devptr *to, wl_devptr from,
                                       uint64_t n, wl_stream stream);
WL_API wl_error wl_interleave_fields(wl_context *context, const wl_field *fields, unsigned count,
                                     uint32_t structure_bytes, wl_devptr to, const wl_devptr *from,
                                     uint64_t n, wl_stream stream);

/* Permutes the dimensions of an array: dimension i of `to` is dimension order[i] of `from`, as in NumPy's
 * transpose(axes) and torch's permute.  rank is 0 to WL_RANK_MAX.  sizes are those of `from`.  order holds
 * each of 0 to rank - 1 once.
 *
 *     uint64_t sizes[4] = {n, c, h, w};
 *     unsigned order[4] = {0, 2, 3, 1};
 *     wl_permute(context, 2, nhwc, nchw, 4, sizes, order, stream);
 *
 * The first call for a shape plans, which takes 0.1 ms on the host, rarely up to 3; each thread keeps its
 * last eight plans.  A further error: UNSUPPORTED for more than 2^31 tiles, that is hundreds of GB. */
WL_API wl_error wl_permute(wl_context *context, unsigned width, wl_devptr to, wl_devptr from, unsigned rank,
                           const uint64_t *sizes, const unsigned *order, wl_stream stream);

/* A sparse matrix in rows (CSR): row r has the entries pointers[r] to pointers[r + 1] - 1, and entry i lies
 * in column indices[i] and has the value values[i].  There are rows + 1 pointers; the first is 0, and the
 * last is the number of entries.  Indices and pointers are signed integers of index_bytes bytes, 4 or 8.  A
 * value has width bytes: 1, 2, 4, 8 or 16.  If width is 0, there are no values, and `values` is ignored. */
typedef struct wl_csr {
    wl_devptr pointers, indices, values;
} wl_csr;
typedef struct wl_sparse_shape {
    uint64_t rows, cols; /* at most 2^31 each, or 2^32 with indices of 8 bytes */
    uint64_t entries;    /* at most 2^31 - 1, or 2^42 with indices of 8 bytes */
    unsigned index_bytes, width;
} wl_sparse_shape;

/* Transposes a sparse matrix: `to` has shape->cols rows.  That is `from` in columns (CSC).  The entries of
 * each row of `to` keep their order, so their indices ascend, and equal inputs have equal results.  Entries
 * may be in any order within a row of `from`.  If several have one place, all are kept.  Without entries,
 * to->pointers are set to 0, and no other array is used.
 *
 * wl_csr_transpose_workspace() gives the bytes of workspace that the call needs on this device.  They are at
 * most the following.
 * - For each entry its value and an index, which is no more than to->values and to->indices have.  Up to
 *   2048 columns there is nothing for an entry (on compute capability 7.5 up to 1024).
 * - For each row and column 64 bytes, and 64 MiB.  There is nothing of this with indices of 8 bytes, with up
 *   to 2^22 columns (2^20 on 7.5) if rows * cols is at most 2^46, and with up to 2^24 rows and columns.
 * - For counts 2.1 bytes per entry, but never more than 67 MiB in all.
 * - For each 4096 columns 8 bytes, and 1280 KiB.
 *
 * If all is 0, workspace may be NULL.  On the host device it always is 0, and the call allocates at most the
 * size of indices and values, 8 bytes per entry, and counts for each thread.  Then OUT_OF_MEMORY is a further
 * error.  The caller provides the workspace, aligned to 256 bytes and not overlapping the arrays.  It is in
 * use until the stream has finished the call.  Concurrent calls need one each.
 *
 * Data are not checked (wl_csr_check() does that).  Starts or indices out of range make a result that means
 * nothing, but the call reads and writes nothing outside its arrays and the workspace.
 *
 *     wl_sparse_shape shape = {rows, cols, entries, 4, sizeof(float)};
 *     wl_csr_transpose_workspace(context, &shape, &bytes);
 *     wl_alloc(context, &workspace, bytes);
 *     wl_csr_transpose(context, &shape, &transposed, &matrix, workspace, bytes, stream);  */
WL_API wl_error wl_csr_transpose_workspace(wl_context *context, const wl_sparse_shape *shape, size_t *bytes);
WL_API wl_error wl_csr_transpose(wl_context *context, const wl_sparse_shape *shape, const wl_csr *to,
                                 const wl_csr *from, wl_devptr workspace, size_t workspace_bytes,
                                 wl_stream stream);

/* Makes rows (CSR) of entries in any order (COO): entry i lies in row rows[i] and column cols[i] and has the
 * value values[i].  The entries of each row keep their order.  The rest is as for wl_csr_transpose(), with
 * rows in place of columns.  With indices of 4 bytes, workspace for each row and column is left out only up
 * to 2^22 rows (2^20 on 7.5) if rows * cols is at most 2^40.  */
WL_API wl_error wl_coo_to_csr_workspace(wl_context *context, const wl_sparse_shape *shape, size_t *bytes);
WL_API wl_error wl_coo_to_csr(wl_context *context, const wl_sparse_shape *shape, const wl_csr *to,
                              wl_devptr rows, wl_devptr cols, wl_devptr values, wl_devptr workspace,
                              size_t workspace_bytes, wl_stream stream);

/* Checks a sparse matrix's data: the pointers begin with 0, ascend and end with shape->entries, and each row
 * and column is in the matrix.  Nothing of the matrix is written, values are not read, and indices need not
 * ascend.  The pointers are checked even if there are no entries.  Of entries (COO) there is nothing to check
 * then.
 *
 * These calls return the answer.  So they wait for all work on the stream, and cannot be part of a graph.
 * The workspace has WL_SPARSE_CHECK_BYTES bytes, aligned to 8, and does not overlap the arrays.  It may be
 * used again after the call.  Concurrent calls need one each.  On the host device it is ignored.
 *
 * Errors: INVALID_ARGUMENT for wrong data.  wl_message() says what is wrong first, pointers before indices,
 * the entry's row before its column: "wl_csr_check: pointers[18] is 3, less than pointers[17], which is 5".
 * INVALID_ARGUMENT also for a stream that captures; KERNEL_FAULT and DRIVER also for earlier work. */
#define WL_SPARSE_CHECK_BYTES 8
WL_API wl_error wl_csr_check(wl_context *context, const wl_sparse_shape *shape, const wl_csr *matrix,
                             wl_devptr workspace, wl_stream stream);
WL_API wl_error wl_coo_check(wl_context *context, const wl_sparse_shape *shape, wl_devptr rows,
                             wl_devptr cols, wl_devptr workspace, wl_stream stream);

/* ---------------------------------------------------------------- several devices
 *
 * A redistribution moves an array whose parts lie on several devices, of one process or of several.  Each
 * rank has one part, a box of the global array, and wants another.  A plan is made once, for any number of
 * calls.
 */

/* A box of a global array, dense in memory: of dimension d it has the indices begin[d] to begin[d] + sizes[d]
 * - 1.  order lists the dimensions as they lie in memory, the outermost first; the last one's elements are
 * contiguous.  A box with a size of 0 has no elements; then nothing else in it matters. */
typedef struct wl_box {
    uint64_t begin[WL_RANK_MAX], sizes[WL_RANK_MAX];
    unsigned order[WL_RANK_MAX];
} wl_box;

typedef struct wl_redistribution wl_redistribution;

/* Makes a plan: the global array has `dimensions` dimensions (0 to WL_RANK_MAX) of `sizes` elements, of
 * element_bytes bytes each (1 or more).  Rank r works on contexts[r].  It has the box from[r], and wants the
 * box to[r].  contexts, from and to have `ranks` entries.
 *
 * Each element that a box of `to` has lies in exactly one box of `from`.  Boxes of `to` may overlap, and
 * elements may be wanted by nobody.  Several ranks may have one context.  The contexts are all of GPUs, all
 * of the simulator (WIDELOAD_SIM_DEVICES), or all of the host.  The plan enables peer access from each
 * device to those that it sends to, and leaves it enabled.
 *
 * Destroy a plan before its contexts are closed.  Errors: INVALID_ARGUMENT as above; for a box outside the
 * array; for an order that is no permutation; for sizes whose product overflows; for elements that are wanted
 * and that nobody has, or several ranks: the message names the ranks and the first such index.  UNSUPPORTED:
 * no peer access between two devices, which the message names.  OUT_OF_MEMORY; DRIVER.
 *
 *     wl_redistribution *plan;
 *     wl_redistribution_create(&plan, 2, contexts, sizeof(float), 3, sizes, slabs, pencils);
 *     wl_redistribute(plan, to, from, streams);
 *     wl_redistribution_destroy(plan);  */
WL_API wl_error wl_redistribution_create(wl_redistribution **out, unsigned ranks, wl_context *const *contexts,
                                         size_t element_bytes, unsigned dimensions, const uint64_t *sizes,
                                         const wl_box *from, const wl_box *to);

/* The same for the transpose of a matrix of rows x cols elements.  Rank r has from_rows[r] rows of it, after
 * those of the ranks before, and wants to_rows[r] rows of the transpose, which are columns of the matrix.
 * Counts may be 0; their sums are rows and cols.  NULL: an even split, of which the first ranks have one row
 * more where it does not divide. */
WL_API wl_error wl_transpose_distributed_create(wl_redistribution **out, unsigned ranks,
                                                wl_context *const *contexts, size_t element_bytes,
                                                uint64_t rows, uint64_t cols, const uint64_t *from_rows,
                                                const uint64_t *to_rows);

/* The same between processes, on one machine or several, or between threads, by NCCL 2.7 or newer.  `comm` is
 * the caller's ncclComm_t, and its rank r is rank r of the redistribution.  Each process says what its own
 * rank has and wants: `from` and `to` are one box each, and from_rows and to_rows are still of all ranks.
 * The context is the primary one of the communicator's device.  NCCL is not linked: the caller has loaded it.
 *
 * The calls are collective: each rank makes them in one order among all calls that use the communicator, in
 * this library and beside it, and not within ncclGroupStart.  They wait for each other, at most 5 minutes.
 * Each rank checks what all ranks have and want.  So what is wrong on one is an error with one message on
 * all, which names the rank: boxes that do not fit together, as above; element_bytes, dimensions or sizes
 * that differ; a context of another device; no memory for staging.  What a call refuses before it can speak
 * for its rank the others are not told: INVALID_ARGUMENT for NULL in out, context or comm; UNSUPPORTED
 * without NCCL in the process, and on the host device; OUT_OF_MEMORY and DRIVER if it cannot even make what
 * it speaks with.  They go on waiting for a call of this rank.
 *
 * Ranks of one machine whose devices reach each other map each other's memory for staging (cuIpc*), and pack
 * straight into it: over NVLink that is about as fast as NCCL's own all-to-all.  If the driver cannot, or the
 * environment has NCCL_P2P_DISABLE=1 or NCCL_P2P_LEVEL=LOC, NCCL sends all.
 *
 * The plan has memory for staging on its device, at most 514 MiB, or 2 MiB and 512 KiB for each other rank if
 * that is more; a context's first plan some 12 MiB for parts of its multiprocessors, until wl_close().
 * Destroy it before its communicator, on each rank; that is not collective.
 *
 * COMMUNICATION: NCCL reported an error, or a rank did not answer in time.  Whenever a call of this library
 * returns it, the library has aborted the communicator (ncclCommAbort), so that nothing waits for it any
 * more.  The caller must not use or destroy the communicator then.  All plans with it can only be destroyed.
 * If ncclCommAbort has not returned after 10 seconds, the message says so, and the memory of those plans is
 * not freed.
 *
 * NCCL's functions wait within the call when they make connections, or have no room for more work.  If a rank
 * is lost there, nothing ends that, unless the communicator is one that does not block (ncclConfig_t's
 * blocking = 0): then it is COMMUNICATION after 5 minutes. */
WL_API wl_error wl_redistribution_create_nccl(wl_redistribution **out, wl_context *context, void *comm,
                                              size_t element_bytes, unsigned dimensions,
                                              const uint64_t *sizes, const wl_box *from, const wl_box *to);
WL_API wl_error wl_transpose_distributed_create_nccl(wl_redistribution **out, wl_context *context, void *comm,
                                                     size_t element_bytes, uint64_t rows, uint64_t cols,
                                                     const uint64_t *from_rows, const uint64_t *to_rows);

/* Redistributes.  from[r] and to[r] are the addresses of rank r's boxes, of any alignment.  They are memory
 * of its device, managed memory or pinned host memory.  An address may be NULL if the box is empty.
 * streams[r] is a stream of contexts[r]; if `streams` is NULL, all are the default stream.  The lists are
 * read before the call returns.
 *
 * Memory of pools (cuMemAllocAsync), or that cuMemMap made, is not part of peer access: its owner makes it
 * accessible (cuMemPoolSetAccess, cuMemSetAccess).
 *
 * On each rank's stream the call begins after what is there before it.  What follows on that stream finds all
 * of to[r], and may overwrite from[r].  The call is asynchronous and allocates nothing once its kernels are
 * loaded.  It can be captured in a CUDA graph if all streams belong to one capture.  On the host device it
 * returns when its work is done.
 *
 * A plan is used by one call at a time; its calls on the same streams run in order.  Errors:
 * INVALID_ARGUMENT for a NULL plan or address, pageable host memory, and arrays that overlap: no array of
 * `to` shares a byte with another array.  Then nothing is put on any stream.  DRIVER and OUT_OF_MEMORY: the
 * driver could not load or launch a kernel, which the message names by its ranks.  Then the outputs mean
 * nothing; what was launched before is still waited for on the ranks' streams.
 *
 * With a plan between processes each list has one entry, this process's, and each process makes the call: it
 * is collective as well.  It cannot be captured in a graph (UNSUPPORTED).  After an argument that is refused
 * the other ranks go on waiting for this one's call.  Once it has begun, each error is COMMUNICATION, as
 * ranks are out of step then.  wl_redistribution_wait() tells whether it ended well. */
WL_API wl_error wl_redistribute(wl_redistribution *plan, const wl_devptr *to, const wl_devptr *from,
                                const wl_stream *streams);

/* Waits until this process's last wl_redistribute() of a plan between processes is done, at most so many
 * milliseconds.  A rank that died or that does not call, and an error of NCCL, are COMMUNICATION here: the
 * message says what is known, and the outputs mean nothing.  The communicator is aborted then, also if the
 * time is merely too short.  Waiting for the stream instead may take for ever, as it does with NCCL's own
 * calls.  It returns at once if there was no call.
 *
 * Errors: INVALID_ARGUMENT for NULL; UNSUPPORTED for a plan of one process's devices; COMMUNICATION, also if
 * the driver reports an error. */
WL_API wl_error wl_redistribution_wait(wl_redistribution *plan, unsigned milliseconds);

/* Frees a plan.  Calls of it that are still running finish; the call may wait for them.  A graph that
 * captured a call of the plan must not run afterwards.  A plan between processes waits at most 5 minutes, and
 * then aborts its communicator.  NULL is a no-op. */
WL_API void wl_redistribution_destroy(wl_redistribution *plan);

/* The kernel that the calling thread's last operation used, and why: "wl_transpose: tile-skewed: ...".  ""
 * before the first operation.  Valid until the thread's next call of this function.  If WIDELOAD_LOG=1 is in
 * the environment when a context is opened, each operation on it writes this line to stderr. */
WL_API const char *wl_explain(void);

/* ---------------------------------------------------------------- counters */

/* Memory counters, summed over all launches since the last reset.  They have nvprof's names where nvprof had
 * one.  Only the simulator counts; on a GPU and on the host these functions return UNSUPPORTED.
 *
 * request      one memory instruction of one warp with at least one active lane
 * transaction  global and local memory: a 32-byte sector, or a 128-byte line for loads under the fermi rules
 *              with L1; shared memory: a wavefront, one pass of a request through the 32 banks
 * dshared_*    shared memory of other blocks of a cluster, in sectors; reductions count as atomics
 * bulk_*       bulk copies (cp.async.bulk) from and to global memory, in sectors; dshared_bulk_* to other
 *              blocks.  A request is one lane's copy; useful bytes are all bytes copied
 * peer_*       those of global memory, bulk copies too, that lie on another device: requests with at least
 *              one lane there, and the sectors of these lanes.  The other counters have them as well.
 *              Reductions count as atomics; texture fetches are left out
 * *_useful_bytes  distinct bytes that the lanes of a request touch, summed over requests
 * *_moved_bytes   transactions times their size */
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
    X(dshared_bulk_transactions)                                                                             \
    X(peer_load_requests)                                                                                    \
    X(peer_load_transactions)                                                                                \
    X(peer_store_requests)                                                                                   \
    X(peer_store_transactions)                                                                               \
    X(peer_atomic_requests)                                                                                  \
    X(peer_atomic_transactions)

typedef struct wl_counters {
#define WL_COUNTER_FIELD(name) uint64_t name;
    WL_COUNTER_MAP(WL_COUNTER_FIELD)
#undef WL_COUNTER_FIELD
} wl_counters;

WL_API wl_error wl_get_counters(wl_context *context, wl_counters *out);
WL_API wl_error wl_reset_counters(wl_context *context);
/* Chooses the simulator's counting rules for later launches, by a name that wl_arch_at() gives: "fermi",
 * "sm_90", ...  All devices of the process have them, and the compute capability that goes with them;
 * contexts that are open beside this one go on choosing kernels for what they found.  Errors:
 * INVALID_ARGUMENT for an unknown name, UNSUPPORTED on a GPU. */
WL_API wl_error wl_set_arch(wl_context *context, const char *arch);
/* The i-th set of counting rules, oldest first.  *name is a static string.  *proved is 1 if hardware counters
 * confirmed the rules, 0 if they follow public documents.  Either pointer may be NULL.
 * Errors: INVALID_ARGUMENT past the last set, UNSUPPORTED on a GPU. */
WL_API wl_error wl_arch_at(wl_context *context, unsigned i, const char **name, int *proved);

/* ---------------------------------------------------------------- the simulator's extension */

/* The simulator is a CUDA driver that exports these functions beside CUDA's.  Find them with dlsym or
 * cuGetProcAddress.  Those that return an int return 0 or a CUDA error number.
 *
 *   int wlSimGetCounters(struct wl_counters *out)   sums over the process: all contexts and kernels
 *   int wlSimResetCounters(void)
 *   int wlSimSetArch(const char *arch)              1 (CUDA_ERROR_INVALID_VALUE) for an unknown name
 *   const char *wlSimArch(void)
 *   const char *wlSimArchAt(unsigned i, int *proved)  the name of the i-th rules, NULL past the last
 *   const char *wlSimLastError(void)                the last load error or kernel fault, "" if none
 *   int wlSimStrictBounds(void)                     call before cuInit; 401 (CUDA_ERROR_ILLEGAL_STATE) after
 * it
 *
 * By default, as on a GPU, a kernel's access outside every allocation faults only where no memory is mapped,
 * so an access just past an array usually succeeds.  After wlSimStrictBounds() every such access faults.
 * wl_open() calls it. */
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
