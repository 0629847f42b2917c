/* Results of `wideload bench --json` (docs/schema.md) as the report needs them.  What is absent or null in a
 * file is NULL or NaN here. */
#ifndef WIDELOAD_REPORT_RESULTS_H
#define WIDELOAD_REPORT_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "report/pool.h"

enum report_param {
    REPORT_SIZE,
    REPORT_OFFSET,
    REPORT_STRIDE,
    REPORT_BLOCK,
    REPORT_UNROLL,
    /* Parameters of the library's operations and of sparse matrices; see report_is_variant(). */
    REPORT_ORDER,
    REPORT_TYPE,
    REPORT_FIELDS,
    REPORT_WIDTH,
    REPORT_FROM_SHIFT,
    REPORT_TO_SHIFT,
    REPORT_MATRIX,
    REPORT_GPUS,
    REPORT_PARAMS,
};

enum report_status { REPORT_VERIFIED, REPORT_FAILED, REPORT_SKIPPED };

enum report_ratio {
    REPORT_GLD_EFFICIENCY,
    REPORT_GST_EFFICIENCY,
    REPORT_GLD_PER_REQUEST,
    REPORT_GST_PER_REQUEST,
    REPORT_SHARED_EFFICIENCY,
    REPORT_BOUND,
    REPORT_RATIOS,
};

struct report_row {
    const char *experiment, *kernel;
    const char *library, *library_version; /* of a peer; NULL: one of our kernels */
    double param[REPORT_PARAMS];           /* 256 for "32x8"; NaN: absent, or a word */
    const char *param_text[REPORT_PARAMS]; /* for people; NULL: absent */
    enum report_status status;
    const char *note; /* why it failed or was skipped */
    double bytes;
    double median, iqr, min, samples; /* milliseconds per launch, and the number of samples */
    const char *stop;
    double gbps, pct_peak, pct_copy, gops;
    bool fits_l2;
    const char *l2; /* "cold", "hot" or NULL */
    double occupancy;
    double sm_mhz, memory_mhz;
    const char *throttle; /* reasons separated by commas; NULL: none seen, or unknown */
    bool has_counters;
    double ratio[REPORT_RATIOS];
    double moved; /* bytes of all sectors of global loads and stores */
};

struct report_device {
    const char *name, *kind, *arch;
    double peak_gbps, driver_version, multiprocessors, l2_bytes, memory_bytes, sm_mhz_max, memory_mhz_max;
};

/* One file. */
struct report_results {
    const char *path, *version, *date, *cpu, *command;
    double cores, seed;
    struct report_device device;
    size_t row_count;
    struct report_row *rows;
};

extern const char *const report_param_names[REPORT_PARAMS];

/* Whether the parameter changes the work itself; the rows of a ladder agree in those. */
static inline bool report_is_variant(enum report_param param) {
    return param >= REPORT_ORDER;
}

/* Like strcmp(), with NULL before all texts. */
int report_compare_text(const char *a, const char *b);
bool report_same_text(const char *a, const char *b);
bool report_is_simulator(const struct report_device *device);

/* Whether two rows agree in all parameters for which report_is_variant(). */
bool report_same_variant(const struct report_row *a, const struct report_row *b);

/* Reads and checks a file.  The results live in the pool. */
bool report_read(struct report_results *results, const char *path, struct report_pool *pool,
                 struct base_error *error);
/* The same for a parsed file; path is its name in messages. */
bool report_take(struct report_results *results, const char *path, json_t *document, struct report_pool *pool,
                 struct base_error *error);

/* All files of a report: measurements on one device, and optionally counters from the simulator. */
struct report_data {
    size_t file_count, counter_file_count;
    struct report_results *files;         /* of the page's device */
    struct report_results *counter_files; /* of the simulator, if the page's device is a GPU */
    size_t row_count, counter_row_count;
    struct report_row *rows, *counter_rows;
    const struct report_row **counters_by_kernel; /* counter_rows, sorted by kernel */
    size_t replaced;                              /* rows that were replaced by a later file's */
    bool simulator;                               /* the page's device is a simulator */
};

bool report_join(struct report_data *data, struct report_results *files, size_t count,
                 struct report_pool *pool, struct base_error *error);

/* The row with the counters for `row`: itself if it has counters, else the simulator's row of the same
 * kernel, offset, stride and matrix, at any size, that has most else in common.  NULL: none. */
const struct report_row *report_counters_of(const struct report_data *data, const struct report_row *row);

#endif
