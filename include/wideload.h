/* Wideload: move and combine arrays on a GPU at the speed of its memory.
 *
 * This is the library's only public header.  It is plain C11 and may be included from C++.
 *
 * The library opens a CUDA driver at run time: NVIDIA's (libcuda.so.1), or Wideload's own simulator
 * (libwideload-sim.so), which runs the same kernels on the CPU and counts what the memory system
 * would do.  Nothing here exits, prints or throws.  Every function that can fail returns a wl_error;
 * 0 is success, and wl_message() says in words what went wrong.
 *
 * Thread-safety: distinct contexts are independent.  One context may be used by several threads,
 * except that wl_message() describes the calling thread's last failure.
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

/* A device made ready: a driver, its primary CUDA context, and the library's kernels loaded. */
typedef struct wl_context wl_context;

/* A device address, as CUDA's CUdeviceptr. */
typedef uint64_t wl_devptr;
/* A CUDA stream, as CUDA's CUstream; NULL is the default stream. */
typedef void *wl_stream;

/* Opens a device: "auto" (the first GPU, else the simulator; the environment's WIDELOAD_DEVICE
 * overrides "auto"), "gpu", "gpu:N", or "sim".  NULL means "auto".
 * Errors: INVALID_ARGUMENT for an unknown name, NO_DRIVER, NO_DEVICE, DRIVER, OUT_OF_MEMORY. */
WL_API wl_error wl_open(wl_context **out, const char *device);
/* Releases everything.  NULL is allowed. */
WL_API void wl_close(wl_context *context);

typedef struct wl_device_info {
    char name[128];     /* "NVIDIA H200", "Wideload simulator" */
    char kind[8];       /* "gpu" or "sim" */
    char arch[16];      /* "sm_90"; on the simulator the counting rules' name */
    int driver_version; /* CUDA's number: 13000 is 13.0 */
    int multiprocessors;
    int memory_clock_khz; /* 0 when the driver does not say */
    int memory_bus_bits;  /* 0 when the driver does not say */
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
WL_API wl_error wl_free(wl_context *context, wl_devptr address);
/* Synchronous copies between host and device. */
WL_API wl_error wl_upload(wl_context *context, wl_devptr to, const void *from, size_t bytes);
WL_API wl_error wl_download(wl_context *context, void *to, wl_devptr from, size_t bytes);
/* Sets bytes of device memory to a value; asynchronous on the stream. */
WL_API wl_error wl_fill(wl_context *context, wl_devptr to, uint8_t value, size_t bytes, wl_stream stream);
/* Waits for everything submitted; reports a kernel's fault (KERNEL_FAULT) if there was one. */
WL_API wl_error wl_synchronize(wl_context *context);

/* ---------------------------------------------------------------- operations */

/* Copies bytes from one device range to another that does not overlap it; any alignment.
 * Asynchronous on the stream.  Errors: INVALID_ARGUMENT (null, or overlapping ranges), DRIVER. */
WL_API wl_error wl_copy(wl_context *context, wl_devptr to, wl_devptr from, size_t bytes, wl_stream stream);

/* ---------------------------------------------------------------- counters */

/* What the memory system did, summed over launches since the last reset.  Names are nvprof's where
 * nvprof had one.  Only the simulator counts: elsewhere wl_get_counters says UNSUPPORTED.
 *
 * request      one warp-level memory instruction with at least one lane on
 * transaction  what one request moves: a 32-byte sector (Maxwell and later, and every store), or a
 *              128-byte line (loads under the fermi rules with L1)
 * wavefront    one pass of a shared-memory request through the 32 banks
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
    X(texture_load_transactions)

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
