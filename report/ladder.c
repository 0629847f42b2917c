/* The ladder: one row a kernel, so that bars can be compared.  Where a kernel ran at several parameters, the
 * rows kept are those that tell the most: the size that most kernels ran at, a misaligned offset, the widest
 * stride, a cold cache; and of several blocks and unrollings each kernel's best.  Peers that ran another
 * problem are kept apart from it. */
#include <math.h>
#include <string.h>

#include "report/view.h"

enum { SECTOR_WORDS = 8 };

/* How many kernels ran at a size. */
static size_t popularity(const struct report_experiment *experiment, double size) {
    size_t count = 0;
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct report_row *row = experiment->rows[i];
        bool counts = row->param[REPORT_SIZE] == size;
        for (size_t j = 0; j < i && counts; j++)
            counts = experiment->rows[j]->param[REPORT_SIZE] != size ||
                     !report_same_kernel(experiment->rows[j], row);
        count += counts;
    }
    return count;
}

/* The size that most kernels ran at; of several the largest.  NaN: no row has one. */
static double wanted_size(const struct report_experiment *experiment) {
    double best = NAN;
    size_t most = 0;
    for (size_t i = 0; i < experiment->row_count; i++) {
        double size = experiment->rows[i]->param[REPORT_SIZE];
        if (isnan(size) || size == best)
            continue;
        size_t count = popularity(experiment, size);
        if (count > most || (count == most && size > best)) {
            most = count;
            best = size;
        }
    }
    return best;
}

/* NaN: the experiment does not have the parameter. */
static double wanted(const struct report_experiment *experiment, enum report_param param) {
    double result = NAN;
    for (size_t i = 0; i < experiment->row_count; i++) {
        double value = experiment->rows[i]->param[param];
        if (isnan(value))
            continue;
        if (isnan(result) ||
            (param == REPORT_OFFSET ? fmod(result, SECTOR_WORDS) == 0 && fmod(value, SECTOR_WORDS) != 0
                                    : value > result))
            result = value;
    }
    return result;
}

/* The row whose variant the ladder is of: of 4 bytes, f32 and unshifted where there are such rows. */
static const struct report_row *usual(const struct report_experiment *experiment) {
    const struct report_row *best = NULL;
    int most = -1;
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct report_row *row = experiment->rows[i];
        int points = 4 * (row->param[REPORT_WIDTH] == 4) +
                     4 * report_same_text(row->param_text[REPORT_TYPE], "f32") +
                     (row->param[REPORT_FROM_SHIFT] == 0) + (row->param[REPORT_TO_SHIFT] == 0);
        if (points > most) {
            most = points;
            best = row;
        }
    }
    return best;
}

/* What the ladder's rows should be of. */
struct target {
    double param[REPORT_PARAMS];
    const struct report_row *usual;
};

/* How well a row fits, the more the better: what comes first in the sum counts most. */
static int fitness(const struct report_row *row, const struct target *target) {
    int points = 0;
    points += 64 * report_same_variant(row, target->usual);
    points += 32 * (row->status == REPORT_VERIFIED);
    points += 16 * !(row->l2 && strcmp(row->l2, "hot") == 0);
    points += 8 * (row->param[REPORT_OFFSET] == target->param[REPORT_OFFSET]);
    points += 4 * (row->param[REPORT_STRIDE] == target->param[REPORT_STRIDE]);
    points += 2 * (row->param[REPORT_SIZE] == target->param[REPORT_SIZE]);
    return points;
}

static bool better(const struct report_experiment *experiment, const struct report_row *a,
                   const struct report_row *b, const struct target *target) {
    int fit_a = fitness(a, target), fit_b = fitness(b, target);
    if (fit_a != fit_b)
        return fit_a > fit_b;
    /* Where the target's size was not run, the next one below. */
    if (a->param[REPORT_SIZE] != b->param[REPORT_SIZE])
        return a->param[REPORT_SIZE] > b->param[REPORT_SIZE];
    return report_value(a, experiment->metric) > report_value(b, experiment->metric);
}

static void add_kernels(struct report_experiment *experiment, bool peers, const struct target *target) {
    size_t first = experiment->ladder_count;
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct report_row *row = experiment->rows[i];
        if ((row->library != NULL) != peers)
            continue;
        size_t j = first;
        while (j < experiment->ladder_count && !report_same_kernel(experiment->ladder[j], row))
            j++;
        if (j == experiment->ladder_count)
            experiment->ladder[experiment->ladder_count++] = row;
        else if (better(experiment, row, experiment->ladder[j], target))
            experiment->ladder[j] = row;
    }
}

/* NaN: the row does not know the parameter, which is then no reason against it. */
static bool agrees(const struct report_row *row, enum report_param param, double target) {
    return isnan(row->param[param]) || row->param[param] == target;
}

static bool is_of(const struct report_row *row, const struct target *target) {
    return agrees(row, REPORT_SIZE, target->param[REPORT_SIZE]) &&
           agrees(row, REPORT_OFFSET, target->param[REPORT_OFFSET]) &&
           agrees(row, REPORT_STRIDE, target->param[REPORT_STRIDE]) &&
           report_same_variant(row, target->usual);
}

static bool has(const struct report_experiment *experiment, const struct report_row *row) {
    for (size_t i = 0; i < experiment->ladder_count; i++)
        if (report_same_kernel(experiment->ladder[i], row))
            return true;
    return false;
}

static void end_ladder(struct report_experiment *experiment, struct report_pool *pool) {
    unsigned common = report_common(experiment->ladder, experiment->ladder_count);
    experiment->fixed = report_params_text(experiment->ladder[0], common, pool);
    experiment->copy_gbps = report_copy_gbps(experiment->ladder, experiment->ladder_count);
}

/* Makes beside's rows and ladder those of one problem. */
static void fill(struct report_experiment *beside, const struct report_experiment *experiment,
                 const struct report_row *of) {
    struct target own = {.usual = of}, *target = &own;
    memcpy(own.param, of->param, sizeof own.param);
    beside->row_count = beside->ladder_count = 0;
    for (size_t i = 0; i < experiment->row_count; i++)
        if (is_of(experiment->rows[i], target))
            beside->rows[beside->row_count++] = experiment->rows[i];
    add_kernels(beside, false, target);
    add_kernels(beside, true, target);
}

/* Of the problems that `left` ran, the one that most kernels ran; of several the largest.  NULL: none is
 * left. */
static struct report_experiment *find_beside(const struct report_experiment *experiment,
                                             const struct report_row *const *left, size_t left_count,
                                             struct report_pool *pool) {
    if (!left_count)
        return NULL;
    struct report_experiment *beside = report_alloc(pool, sizeof *beside);
    *beside = (struct report_experiment){.name = experiment->name,
                                         .id = experiment->id,
                                         .question = experiment->question,
                                         .metric = experiment->metric};
    beside->rows = report_alloc(pool, experiment->row_count * sizeof *beside->rows);
    beside->ladder = report_alloc(pool, experiment->row_count * sizeof *beside->ladder);
    const struct report_row *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < left_count; i++) {
        fill(beside, experiment, left[i]);
        if (!best || beside->ladder_count > most ||
            (beside->ladder_count == most && left[i]->param[REPORT_SIZE] > best->param[REPORT_SIZE])) {
            best = left[i];
            most = beside->ladder_count;
        }
    }
    fill(beside, experiment, best);
    return beside;
}

/* Takes the peers out of the ladder that did not run its problem.  Without a rung of our own there is nothing
 * that they could be mistaken for. */
static void part(struct report_experiment *experiment, const struct target *target,
                 struct report_pool *pool) {
    size_t kept = 0, left_count = 0;
    const struct report_row **left = report_alloc(pool, experiment->row_count * sizeof *left);
    bool alone = experiment->ladder[0]->library != NULL;
    for (size_t i = 0; i < experiment->ladder_count; i++) {
        const struct report_row *row = experiment->ladder[i];
        if (alone || !row->library || is_of(row, target))
            experiment->ladder[kept++] = row;
    }
    experiment->ladder_count = kept;
    for (size_t i = 0; i < experiment->row_count; i++)
        if (experiment->rows[i]->library && !has(experiment, experiment->rows[i]))
            left[left_count++] = experiment->rows[i];
    struct report_experiment **next = &experiment->beside;
    while ((*next = find_beside(experiment, left, left_count, pool))) {
        size_t count = 0;
        for (size_t i = 0; i < left_count; i++)
            if (!has(*next, left[i]))
                left[count++] = left[i];
        left_count = count;
        end_ladder(*next, pool);
        next = &(*next)->beside;
    }
}

void report_find_ladder(struct report_experiment *experiment, struct report_pool *pool) {
    struct target target = {.usual = usual(experiment)};
    for (int i = 0; i < REPORT_PARAMS; i++)
        target.param[i] = wanted(experiment, (enum report_param)i);
    target.param[REPORT_SIZE] = wanted_size(experiment);
    experiment->ladder = report_alloc(pool, experiment->row_count * sizeof *experiment->ladder);
    add_kernels(experiment, false, &target);
    add_kernels(experiment, true, &target);
    part(experiment, &target, pool);
    end_ladder(experiment, pool);
}
