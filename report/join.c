/* Joins several files in one page, and a simulator's counters with a GPU's times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/results.h"

int report_compare_text(const char *a, const char *b) {
    if (a == b)
        return 0;
    return !a ? -1 : !b ? 1 : strcmp(a, b);
}

bool report_same_text(const char *a, const char *b) {
    return report_compare_text(a, b) == 0;
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* Ignores the peak, which may be the user's own (--peak), and a simulator's memory, which is the host's. */
static bool same_device(const struct report_device *a, const struct report_device *b) {
    return report_same_text(a->name, b->name) && report_same_text(a->kind, b->kind) &&
           report_same_text(a->arch, b->arch) &&
           (report_is_simulator(a) || (same_number(a->multiprocessors, b->multiprocessors) &&
                                       same_number(a->memory_bytes, b->memory_bytes)));
}

bool report_same_variant(const struct report_row *a, const struct report_row *b) {
    for (int i = 0; i < REPORT_PARAMS; i++)
        if (report_is_variant((enum report_param)i) && !report_same_text(a->param_text[i], b->param_text[i]))
            return false;
    return true;
}

static int compare_kernel(const struct report_row *a, const struct report_row *b) {
    int order = strcmp(a->experiment, b->experiment);
    return order ? order : strcmp(a->kernel, b->kernel);
}

/* 0: the rows measure the same case. */
static int compare_case(const struct report_row *a, const struct report_row *b) {
    int order = compare_kernel(a, b);
    if (!order)
        order = report_compare_text(a->library, b->library);
    if (!order)
        order = report_compare_text(a->library_version, b->library_version);
    if (!order)
        order = report_compare_text(a->l2, b->l2);
    for (int i = 0; i < REPORT_PARAMS && !order; i++)
        order = report_compare_text(a->param_text[i], b->param_text[i]);
    return order;
}

/* By case, then by position, since all rows are in one array. */
static int by_case(const void *left, const void *right) {
    const struct report_row *const *a = left, *const *b = right;
    int order = compare_case(*a, *b);
    return order ? order : (*a > *b) - (*a < *b);
}

static int by_kernel(const void *left, const void *right) {
    const struct report_row *const *a = left, *const *b = right;
    int order = compare_kernel(*a, *b);
    return order ? order : (*a > *b) - (*a < *b);
}

/* The index of the first row that is not less than `row`. */
static size_t find_first(const struct report_row *const *sorted, size_t count, const struct report_row *row,
                         int (*compare)(const struct report_row *a, const struct report_row *b)) {
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (compare(sorted[middle], row) < 0)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

static const struct report_row **sort(const struct report_row *rows, size_t count,
                                      int (*compare)(const void *a, const void *b),
                                      struct report_pool *pool) {
    const struct report_row **sorted = report_alloc(pool, count * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &rows[i];
    qsort(sorted, count, sizeof *sorted, compare);
    return sorted;
}

/* Appends a file's rows.  A row replaces the same case of an earlier file, but never one of its own file. */
static size_t append(struct report_row *rows, size_t count, const struct report_results *file,
                     size_t *replaced, struct report_pool *pool) {
    size_t earlier = count;
    const struct report_row **sorted = sort(rows, earlier, by_case, pool);
    for (size_t i = 0; i < file->row_count; i++) {
        size_t at = find_first(sorted, earlier, &file->rows[i], compare_case);
        bool again = at < earlier && compare_case(sorted[at], &file->rows[i]) == 0;
        *replaced += again;
        rows[again ? (size_t)(sorted[at] - rows) : count++] = file->rows[i];
    }
    return count;
}

static size_t join_rows(struct report_row **rows, const struct report_results *files, size_t file_count,
                        size_t *replaced, struct report_pool *pool) {
    size_t most = 0, count = 0;
    for (size_t i = 0; i < file_count; i++)
        most += files[i].row_count;
    *rows = report_alloc(pool, most * sizeof **rows);
    for (size_t i = 0; i < file_count; i++)
        count = append(*rows, count, &files[i], replaced, pool);
    return count;
}

bool report_join(struct report_data *data, struct report_results *files, size_t count,
                 struct report_pool *pool, struct base_error *error) {
    memset(data, 0, sizeof *data);
    data->files = report_alloc(pool, count * sizeof *files);
    data->counter_files = report_alloc(pool, count * sizeof *files);
    data->simulator = true;
    for (size_t i = 0; i < count; i++)
        data->simulator = data->simulator && report_is_simulator(&files[i].device);
    for (size_t i = 0; i < count; i++) {
        bool beside = !data->simulator && report_is_simulator(&files[i].device);
        struct report_results *list = beside ? data->counter_files : data->files;
        size_t *length = beside ? &data->counter_file_count : &data->file_count;
        if (*length && !same_device(&list[0].device, &files[i].device))
            return base_usage(
                error,
                "%.300s and %.300s are of different devices, %.80s (%.40s) and %.80s (%.40s): a "
                "page is about one, with a simulator's counters beside it",
                list[0].path, files[i].path, list[0].device.name, list[0].device.arch, files[i].device.name,
                files[i].device.arch);
        list[(*length)++] = files[i];
    }
    size_t replaced = 0;
    data->row_count = join_rows(&data->rows, data->files, data->file_count, &data->replaced, pool);
    data->counter_row_count =
        join_rows(&data->counter_rows, data->counter_files, data->counter_file_count, &replaced, pool);
    data->counters_by_kernel = sort(data->counter_rows, data->counter_row_count, by_kernel, pool);
    return true;
}

const struct report_row *report_counters_of(const struct report_data *data, const struct report_row *row) {
    if (row->has_counters)
        return row;
    const struct report_row *best = NULL;
    int most = -1;
    if (row->library)
        return NULL;
    for (size_t i = find_first(data->counters_by_kernel, data->counter_row_count, row, compare_kernel);
         i < data->counter_row_count && compare_kernel(data->counters_by_kernel[i], row) == 0; i++) {
        const struct report_row *other = data->counters_by_kernel[i];
        if (!other->has_counters || other->library ||
            !same_number(other->param[REPORT_OFFSET], row->param[REPORT_OFFSET]) ||
            !same_number(other->param[REPORT_STRIDE], row->param[REPORT_STRIDE]) ||
            !report_same_text(other->param_text[REPORT_MATRIX], row->param_text[REPORT_MATRIX]))
            continue;
        int common = 8 * report_same_variant(other, row) +
                     4 * report_same_text(other->param_text[REPORT_BLOCK], row->param_text[REPORT_BLOCK]) +
                     2 * report_same_text(other->param_text[REPORT_UNROLL], row->param_text[REPORT_UNROLL]) +
                     report_same_text(other->param_text[REPORT_SIZE], row->param_text[REPORT_SIZE]);
        if (common > most) {
            most = common;
            best = other;
        }
    }
    return best;
}
