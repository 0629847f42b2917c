#include "prof/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prof/demangle.h"
#include "prof/waste.h"

/* ---------------------------------------------------------------- launches to rows */

static bool select_launches(const struct prof_recording *recording, const struct prof_selection *selection,
                            struct prof_rows *out) {
    out->launches = calloc(recording->launch_count + 1, sizeof *out->launches);
    if (!out->launches)
        return false;
    uint64_t matched = 0;
    /* Launches of one kernel mostly follow each other, and expressions are slow. */
    const char *asked = NULL;
    bool answer = true;
    for (size_t i = 0; i < recording->launch_count; i++) {
        const struct prof_launch *launch = &recording->launches[i];
        if (selection->kernel && launch->detail->name != asked) {
            asked = launch->detail->name;
            answer = regexec(selection->kernel, asked, 0, NULL, 0) == 0;
        }
        if (answer && matched++ >= selection->skip && out->launch_count < selection->count)
            out->launches[out->launch_count++] = launch;
    }
    return true;
}

static int compare_pointers(const void *a, const void *b) {
    return (a > b) - (a < b);
}

struct order {
    const char *kernel;
    size_t index;
};

/* By kernel (names are kept once, so the same name is the same pointer), then by time. */
static int compare_kernels(const void *left, const void *right) {
    const struct order *a = left, *b = right;
    int order = compare_pointers(a->kernel, b->kernel);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int compare_first_launches(const void *left, const void *right) {
    const struct prof_row *a = left, *b = right;
    return compare_pointers(a->launches[0], b->launches[0]);
}

static bool add_row(struct prof_rows *rows, const struct order *order, size_t count) {
    struct prof_row *row = &rows->items[rows->count++];
    row->launches = calloc(count, sizeof *row->launches);
    if (!row->launches)
        return false;
    row->launch_count = count;
    for (size_t i = 0; i < count; i++)
        row->launches[i] = rows->launches[order[i].index];
    row->first = row->launches[0]->detail;
    return true;
}

static bool make_rows(struct prof_rows *rows, bool each) {
    struct order *order = calloc(rows->launch_count + 1, sizeof *order);
    rows->items = calloc(rows->launch_count + 1, sizeof *rows->items);
    bool good = order && rows->items;
    for (size_t i = 0; good && i < rows->launch_count; i++)
        order[i] = (struct order){each ? NULL : rows->launches[i]->detail->kernel, i};
    if (good && !each)
        qsort(order, rows->launch_count, sizeof *order, compare_kernels);
    for (size_t i = 0, next; good && i < rows->launch_count; i = next) {
        for (next = i + 1; !each && next < rows->launch_count && order[next].kernel == order[i].kernel;
             next++)
            ;
        good = add_row(rows, &order[i], next - i);
    }
    free(order);
    return good;
}

/* ---------------------------------------------------------------- lines */

/* Adds a launch's lines, which like the row's own stand in order. */
static bool merge_lines(struct prof_row *row, const struct prof_detail *detail, uint64_t times) {
    struct prof_line *merged = calloc(row->line_count + detail->line_count + 1, sizeof *merged);
    if (!merged)
        return false;
    size_t a = 0, b = 0, count = 0;
    bool good = true;
    while (a < row->line_count || b < detail->line_count) {
        int order = a == row->line_count      ? 1
                    : b == detail->line_count ? -1
                                              : prof_line_compare(&row->lines[a], &detail->lines[b]);
        struct prof_line *line = &merged[count++];
        if (order <= 0) {
            *line = row->lines[a++];
        } else {
            *line = detail->lines[b];
            memset(&line->sums, 0, sizeof line->sums);
            line->kinds = (struct prof_kinds){0};
        }
        if (order >= 0) {
            line->doubts |= detail->lines[b].doubts;
            good = prof_kinds_add(&line->kinds, &detail->lines[b].kinds, times) && good;
            struct prof_sums sums = detail->lines[b++].sums;
            prof_sums_scale(&sums, times);
            prof_sums_add(&line->sums, &sums);
        }
    }
    free(row->lines);
    row->lines = merged;
    row->line_count = count;
    return good;
}

static int compare_details(const void *left, const void *right) {
    const struct prof_detail *const *a = left, *const *b = right;
    return compare_pointers(*a, *b);
}

/* Launches that did the same share their detail, which is added once, times their number. */
static bool sum_up(struct prof_row *row) {
    const struct prof_detail **details = calloc(row->launch_count, sizeof *details);
    struct prof_arrays_of *arrays = calloc(row->launch_count, sizeof *arrays);
    bool good = details && arrays;
    for (size_t i = 0; good && i < row->launch_count; i++)
        details[i] = row->launches[i]->detail;
    if (good)
        qsort(details, row->launch_count, sizeof *details, compare_details);
    size_t distinct = 0;
    for (size_t i = 0, next; good && i < row->launch_count; i = next) {
        for (next = i + 1; next < row->launch_count && details[next] == details[i]; next++)
            ;
        struct prof_sums sums = details[i]->sums;
        prof_sums_scale(&sums, next - i);
        prof_sums_add(&row->sums, &sums);
        row->faulted |= details[i]->fault != NULL;
        arrays[distinct++] = (struct prof_arrays_of){&details[i]->arrays, next - i};
        good = merge_lines(row, details[i], next - i);
    }
    good = good && prof_arrays_sum(arrays, distinct, &row->arrays);
    free(details);
    free(arrays);
    for (size_t i = 0; i < row->line_count; i++) {
        row->transactions += prof_line_transactions(&row->lines[i]);
        row->waste += prof_line_waste(&row->lines[i]);
        row->doubts |= row->lines[i].doubts;
    }
    return good;
}

/* ---------------------------------------------------------------- names */

static int compare_row_kernels(const void *left, const void *right) {
    const struct prof_row *const *a = left, *const *b = right;
    return compare_pointers((*a)->first->name, (*b)->first->name);
}

/* Rows of one kernel share its label. */
static bool label_rows(struct prof_rows *rows) {
    struct prof_row **order = calloc(rows->count + 1, sizeof *order);
    const char **names = calloc(rows->count + 1, sizeof *names);
    rows->labels = calloc(rows->count + 1, sizeof *rows->labels);
    bool good = order && names && rows->labels;
    size_t distinct = 0;
    for (size_t i = 0; good && i < rows->count; i++)
        order[i] = &rows->items[i];
    if (good)
        qsort(order, rows->count, sizeof *order, compare_row_kernels);
    for (size_t i = 0; good && i < rows->count; i++) {
        if (i == 0 || compare_row_kernels(&order[i - 1], &order[i]) != 0)
            names[distinct++] = order[i]->first->name;
        order[i]->label = rows->labels[distinct - 1];
    }
    good = good && prof_labels_make(names, distinct, rows->labels);
    free(order);
    free(names);
    return good;
}

/* ---------------------------------------------------------------- the whole */

bool prof_is_much(double waste, double transactions) {
    return waste > 0 && waste * 20 >= transactions;
}

bool prof_rows_make(const struct prof_recording *recording, const struct prof_selection *selection,
                    struct prof_rows *out, struct base_error *error) {
    *out = (struct prof_rows){0};
    bool good = select_launches(recording, selection, out) && make_rows(out, selection->each);
    for (size_t i = 0; good && i < out->count; i++)
        good = sum_up(&out->items[i]);
    if (!good) {
        prof_rows_free(out);
        return base_failure(error, "out of memory");
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, compare_first_launches);
    if (!label_rows(out)) {
        prof_rows_free(out);
        return base_failure(error, "out of memory");
    }
    for (size_t i = 0; i < out->count; i++) {
        const struct prof_row *row = &out->items[i];
        if (prof_is_much(row->waste, row->transactions) && (!out->worst || row->waste > out->worst->waste))
            out->worst = row;
    }
    return true;
}

void prof_rows_free(struct prof_rows *rows) {
    for (size_t i = 0; rows->items && i < rows->count; i++) {
        free(rows->items[i].launches);
        for (size_t l = 0; l < rows->items[i].line_count; l++)
            free(rows->items[i].lines[l].kinds.items);
        prof_arrays_free(&rows->items[i].arrays);
        free(rows->items[i].lines);
    }
    free(rows->items);
    free(rows->launches);
    free(rows->labels);
    *rows = (struct prof_rows){0};
}

const struct prof_line *prof_row_worst_line(const struct prof_row *row) {
    const struct prof_line *worst = NULL;
    double most = 0;
    for (size_t i = 0; i < row->line_count; i++) {
        double waste = prof_line_waste(&row->lines[i]);
        if (waste > most) {
            most = waste;
            worst = &row->lines[i];
        }
    }
    return worst;
}

struct prof_range prof_row_range(const struct prof_row *row, const struct prof_metric *metric) {
    struct prof_range range = {NAN, NAN, NAN};
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < row->launch_count; i++) {
        double value = metric->of(&row->launches[i]->detail->sums);
        if (isnan(value))
            continue;
        range.least = count && range.least < value ? range.least : value;
        range.most = count && range.most > value ? range.most : value;
        sum += value;
        count++;
    }
    if (count)
        range.average = sum / (double)count;
    return range;
}
