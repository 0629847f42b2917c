/* Groups rows by kernel, and by all parameters but one.  It sorts, so that the time is nearly linear in the
 * number of rows. */
#include <stdlib.h>
#include <string.h>

#include "report/view.h"

static int compare_kernels(const struct report_row *a, const struct report_row *b) {
    int order = strcmp(a->kernel, b->kernel);
    if (!order)
        order = report_compare_text(a->library, b->library);
    return order ? order : report_compare_text(a->library_version, b->library_version);
}

/* An order that puts rows next to each other if they differ only in parameter `but` (REPORT_PARAMS: if they
 * have the same kernel). */
struct order {
    const struct report_row *const *rows;
    int but;
};

static int compare_rows(const struct report_row *a, const struct report_row *b, int but) {
    int order = compare_kernels(a, b);
    if (order || but == REPORT_PARAMS)
        return order;
    for (int i = 0; i < REPORT_PARAMS && !order; i++)
        if (i != but)
            order = report_compare_text(a->param_text[i], b->param_text[i]);
    return order ? order : report_compare_text(a->l2, b->l2);
}

static int compare(const void *left, const void *right, void *argument) {
    const struct order *order = argument;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int result = compare_rows(order->rows[a], order->rows[b], order->but);
    return result ? result : (a > b) - (a < b);
}

size_t *report_group(const struct report_row *const *rows, size_t count, int but, size_t *groups) {
    struct order order = {rows, but};
    size_t *sorted = calloc(count + 1, sizeof *sorted), *number = calloc(count + 1, sizeof *number);
    if (!sorted || !number)
        report_out_of_memory();
    for (size_t i = 0; i < count; i++)
        sorted[i] = i;
    qsort_r(sorted, count, sizeof *sorted, compare, &order);
    *groups = 0;
    for (size_t i = 0; i < count; i++) {
        *groups += !i || compare_rows(rows[sorted[i - 1]], rows[sorted[i]], but) != 0;
        number[sorted[i]] = *groups - 1;
    }
    free(sorted);
    return number;
}
