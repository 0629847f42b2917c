#include "bench/experiment.h"

#include <ctype.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <string.h>

#include "report/view.h"

const struct report_metric_text report_metric_texts[REPORT_METRICS] = {
    [REPORT_METRIC_GBPS] = {"gbps", "GB/s", "bandwidth"},
    [REPORT_METRIC_GOPS] = {"gops", "GOP/s", "operations per second"},
    [REPORT_METRIC_BOUND] = {"bound", "% of the bytes moved that are useful", "bound"},
    [REPORT_METRIC_SHARED] = {"shared-efficiency", "% of shared memory's passes that are useful",
                              "efficiency of shared memory"},
    [REPORT_METRIC_OCCUPANCY] = {"occupancy", "% of the resident warps", "occupancy"},
};

double report_value(const struct report_row *row, enum report_metric metric) {
    switch (metric) {
    case REPORT_METRIC_GBPS:
        return row->gbps;
    case REPORT_METRIC_GOPS:
        return row->gops;
    case REPORT_METRIC_BOUND:
        return row->ratio[REPORT_BOUND];
    case REPORT_METRIC_SHARED:
        return row->ratio[REPORT_SHARED_EFFICIENCY];
    default:
        return row->occupancy;
    }
}

bool report_same_kernel(const struct report_row *a, const struct report_row *b) {
    return strcmp(a->kernel, b->kernel) == 0 && report_same_text(a->library, b->library) &&
           report_same_text(a->library_version, b->library_version);
}

const char *report_kernel_text(const struct report_row *row, struct report_pool *pool) {
    if (!row->library)
        return row->kernel;
    return report_format(pool, "%s (%s%s%s)", row->kernel, row->library, row->library_version ? " " : "",
                         row->library_version ? row->library_version : "");
}

const char *report_param_words(enum report_param param) {
    return param == REPORT_FROM_SHIFT ? "from shift"
           : param == REPORT_TO_SHIFT ? "to shift"
                                      : report_param_names[param];
}

const char *report_params_text(const struct report_row *row, unsigned which, struct report_pool *pool) {
    const char *text = "";
    for (int i = 0; i < REPORT_PARAMS; i++)
        if (which >> i & 1 && row->param_text[i])
            text = report_format(pool, "%s%s%s %s", text, *text ? ", " : "",
                                 report_param_words((enum report_param)i), row->param_text[i]);
    if (which >> REPORT_PARAMS & 1 && row->l2 && strcmp(row->l2, "hot") == 0)
        text = report_format(pool, "%s%swarm L2", text, *text ? ", " : "");
    return text;
}

unsigned report_common(const struct report_row *const *rows, size_t count) {
    unsigned common = (1u << (REPORT_PARAMS + 1)) - 1;
    for (size_t i = 1; i < count; i++) {
        for (int p = 0; p < REPORT_PARAMS; p++)
            if (!report_same_text(rows[0]->param_text[p], rows[i]->param_text[p]))
                common &= ~(1u << p);
        if (!report_same_text(rows[0]->l2, rows[i]->l2))
            common &= ~(1u << REPORT_PARAMS);
    }
    return common;
}

/* An id in use, and the next number to try for another experiment of that id. */
struct taken {
    const char *id;
    size_t next;
};

static int compare_taken(const void *left, const void *right) {
    return strcmp(((const struct taken *)left)->id, ((const struct taken *)right)->id);
}

/* Takes an id.  NULL if it is in use; *there is then its entry. */
static const char *take(void **ids, const char *id, struct taken **there, struct report_pool *pool) {
    struct taken *mine = report_alloc(pool, sizeof *mine);
    *mine = (struct taken){id, 2};
    struct taken **node = tsearch(mine, ids, compare_taken);
    if (!node)
        report_out_of_memory();
    *there = *node;
    return *node == mine ? id : NULL;
}

/* An id of a name's letters, digits and dashes, with a number if another experiment has the same id. */
static const char *make_id(void **ids, const char *name, struct report_pool *pool) {
    char id[48];
    size_t length = 0;
    for (const char *c = name; *c && length < 40; c++) {
        if (isascii(*c) && isalnum((unsigned char)*c))
            id[length++] = (char)tolower((unsigned char)*c);
        else if (length && id[length - 1] != '-')
            id[length++] = '-';
    }
    while (length && id[length - 1] == '-')
        length--;
    id[length] = '\0';
    struct taken *base, *other;
    const char *plain = length ? report_format(pool, "%s", id) : "x";
    const char *result = take(ids, plain, &base, pool);
    while (!result)
        result = take(ids, report_format(pool, "%s-%zu", plain, base->next++), &other, pool);
    return result;
}

/* Experiments are in the bench's order; unknown ones come last. */
static size_t rank(const char *name) {
    size_t count, i = 0;
    const struct bench_experiment *known = bench_experiments(&count);
    while (i < count && strcmp(known[i].name, name))
        i++;
    return i;
}

static void insert(const struct report_row **firsts, size_t count, const struct report_row *row) {
    size_t at = count;
    for (; at && rank(firsts[at - 1]->experiment) > rank(row->experiment); at--)
        firsts[at] = firsts[at - 1];
    firsts[at] = row;
}

static size_t find_experiments(const struct report_data *data, const struct report_row **firsts) {
    size_t count = 0;
    for (size_t i = 0; i < data->row_count; i++) {
        size_t j = 0;
        while (j < count && strcmp(firsts[j]->experiment, data->rows[i].experiment))
            j++;
        if (j == count)
            insert(firsts, count++, &data->rows[i]);
    }
    return count;
}

static void collect(struct report_experiment *experiment, const struct report_data *data,
                    struct report_pool *pool) {
    size_t count = 0;
    for (size_t i = 0; i < data->row_count; i++)
        count += strcmp(data->rows[i].experiment, experiment->name) == 0;
    experiment->rows = report_alloc(pool, count * sizeof *experiment->rows);
    experiment->metric = data->simulator ? REPORT_METRIC_BOUND : REPORT_METRIC_GBPS;
    for (size_t i = 0; i < data->row_count; i++) {
        const struct report_row *row = &data->rows[i];
        if (strcmp(row->experiment, experiment->name))
            continue;
        experiment->rows[experiment->row_count++] = row;
        if (!data->simulator && row->gops > 0)
            experiment->metric = REPORT_METRIC_GOPS;
    }
    const struct bench_experiment *known = bench_find_experiment(experiment->name);
    experiment->question = known ? known->question : NULL;
}

/* A row's bandwidth and its percentage of the copy's give the copy's bandwidth. */
double report_copy_gbps(const struct report_row *const *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (rows[i]->gbps > 0 && rows[i]->pct_copy > 0)
            return 100 * rows[i]->gbps / rows[i]->pct_copy;
    return NAN;
}

/* For tdestroy(): the pool owns the entry. */
static void keep(void *taken) {
    (void)taken;
}

struct report_experiment *report_experiments(const struct report_data *data, size_t *count,
                                             struct report_pool *pool) {
    const struct report_row **firsts = report_alloc(pool, data->row_count * sizeof *firsts);
    *count = find_experiments(data, firsts);
    struct report_experiment *experiments = report_alloc(pool, *count * sizeof *experiments);
    void *ids = NULL;
    for (size_t i = 0; i < *count; i++) {
        experiments[i].name = firsts[i]->experiment;
        experiments[i].id = make_id(&ids, experiments[i].name, pool);
        collect(&experiments[i], data, pool);
        report_find_ladder(&experiments[i], pool);
        report_find_sweeps(&experiments[i], pool);
    }
    tdestroy(ids, keep);
    return experiments;
}
