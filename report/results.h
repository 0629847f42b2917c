/* Results of `wideload bench --json` (docs/schema.md) as the report needs them.  What a file does not have,
 * or has as null, is NULL or NaN here. */
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
    /* What the library's operations are asked; see report_is_variant(). */
    REPORT_ORDER,
    REPORT_TYPE,
    REPORT_FIELDS,
    REPORT_WIDTH,
    REPORT_FROM_SHIFT,
    REPORT_TO_SHIFT,
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
    const char *library, *library_version; /* of a peer; NULL: a kernel of ours */
    double param[REPORT_PARAMS];           /* "32x8" counts 256; NaN: there is none, or it is a word */
    const char *param_text[REPORT_PARAMS]; /* for people; NULL: there is none */
    enum report_status status;
    const char *note; /* why it failed or was skipped */
    double bytes;
    double median, iqr, min, samples; /* milliseconds a launch */
    const char *stop;
    double gbps, pct_peak, pct_copy, gops;
    bool fits_l2;
    const char *l2; /* "cold", "hot" or NULL */
    double occupancy;
    double sm_mhz, memory_mhz;
    const char *throttle; /* reasons with commas; NULL: none seen, or not looked for */
    bool has_counters;
    double ratio[REPORT_RATIOS];
    double moved; /* bytes of global loads and stores by sectors */
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

/* Parameters that make another work of it, which a ladder does not mix. */
static inline bool report_is_variant(enum report_param param) {
    return param >= REPORT_ORDER;
}

/* As strcmp(); NULL equals NULL alone, and comes first. */
int report_compare_text(const char *a, const char *b);
bool report_same_text(const char *a, const char *b);
bool report_is_simulator(const struct report_device *device);

/* Whether two rows agree in all parameters of that kind. */
bool report_same_variant(const struct report_row *a, const struct report_row *b);

/* Reads and checks a file.  Everything lives in the pool. */
bool report_read(struct report_results *results, const char *path, struct report_pool *pool,
                 struct base_error *error);
/* A file's contents, already parsed; path is its name in messages. */
bool report_take(struct report_results *results, const char *path, json_t *document, struct report_pool *pool,
                 struct base_error *error);

/* All the files of a report: what is measured on one device, and the simulator's counters beside it. */
struct report_data {
    size_t file_count, counter_file_count;
    struct report_results *files;         /* of the device that the page is about */
    struct report_results *counter_files; /* of a simulator beside a GPU */
    size_t row_count, counter_row_count;
    struct report_row *rows, *counter_rows;
    const struct report_row **counters_by_kernel; /* counter_rows, those of a kernel together */
    size_t replaced;                              /* rows that a later file measured again */
    bool simulator;                               /* the page is about a simulator */
};

bool report_join(struct report_data *data, struct report_results *files, size_t count,
                 struct report_pool *pool, struct base_error *error);

/* The simulator's row for a row of a GPU: the same kernel, offset and stride, at any size, and of those the
 * one that has most else in common; the row itself where it has counters; NULL where there is none. */
const struct report_row *report_counters_of(const struct report_data *data, const struct report_row *row);

#endif
