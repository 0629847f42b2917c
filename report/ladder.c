/* The ladder: one row per kernel, so that bars can be compared.  If a kernel ran with several parameters, the
 * most informative row is kept: the size of most kernels, a misaligned offset, the widest stride, a cold
 * cache, and the best of the kernel's blocks and unrolls.  Peers that ran other problems get other ladders.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/view.h"

enum { SECTOR_WORDS = 8 };

/* number: each row's kernel.  place: each kernel's place in the ladder so far, from 1; 0: none. */
struct kernels {
    size_t *number, *place;
    size_t count;
};

static struct kernels number_kernels(const struct report_experiment *experiment) {
    struct kernels kernels;
    kernels.number = report_group(experiment->rows, experiment->row_count, REPORT_PARAMS, &kernels.count);
    kernels.place = calloc(kernels.count + 1, sizeof *kernels.place);
    if (!kernels.place)
        report_out_of_memory();
    return kernels;
}

static void free_kernels(struct kernels *kernels) {
    free(kernels->number);
    free(kernels->place);
}

struct sized {
    double size;
    size_t kernel;
};

static int compare_sized(const void *left, const void *right) {
    const struct sized *a = left, *b = right;
    int order = (a->size > b->size) - (a->size < b->size);
    return order ? order : (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

/* The size that most kernels ran at, the largest of equals.  NaN: no row has a size. */
static double wanted_size(const struct report_experiment *experiment, const struct kernels *kernels) {
    struct sized *all = calloc(experiment->row_count + 1, sizeof *all);
    double best = NAN;
    size_t most = 0, count = 0;
    if (!all)
        report_out_of_memory();
    for (size_t i = 0; i < experiment->row_count; i++)
        if (!isnan(experiment->rows[i]->param[REPORT_SIZE]))
            all[count++] = (struct sized){experiment->rows[i]->param[REPORT_SIZE], kernels->number[i]};
    qsort(all, count, sizeof *all, compare_sized);
    for (size_t i = 0, next; i < count; i = next) {
        size_t different = 0;
        for (next = i; next < count && all[next].size == all[i].size; next++)
            different += next == i || all[next].kernel != all[next - 1].kernel;
        if (different >= most) {
            most = different;
            best = all[i].size;
        }
    }
    free(all);
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

/* The row with the ladder's variant: if possible 4 bytes, f32 and unshifted. */
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

/* The problem that the ladder's rows should have. */
struct target {
    double param[REPORT_PARAMS];
    const struct report_row *usual;
};

/* How well a row fits; more is better, and earlier terms count more. */
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
    /* Of rows without the target's size, the larger size is better. */
    if (a->param[REPORT_SIZE] != b->param[REPORT_SIZE])
        return a->param[REPORT_SIZE] > b->param[REPORT_SIZE];
    return report_value(a, experiment->metric) > report_value(b, experiment->metric);
}

static void add_kernels(struct report_experiment *experiment, struct kernels *kernels, bool peers,
                        const struct target *target) {
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct report_row *row = experiment->rows[i];
        if ((row->library != NULL) != peers)
            continue;
        size_t *place = &kernels->place[kernels->number[i]];
        if (!*place) {
            experiment->ladder[experiment->ladder_count++] = row;
            *place = experiment->ladder_count;
        } else if (better(experiment, row, experiment->ladder[*place - 1], target)) {
            experiment->ladder[*place - 1] = row;
        }
    }
}

static void make_ladder(struct report_experiment *experiment, struct kernels *kernels,
                        const struct target *target, struct report_pool *pool) {
    experiment->ladder = report_alloc(pool, kernels->count * sizeof *experiment->ladder);
    add_kernels(experiment, kernels, false, target);
    add_kernels(experiment, kernels, true, target);
}

/* A row without the parameter (NaN) agrees too. */
static bool agrees(const struct report_row *row, enum report_param param, double target) {
    return isnan(row->param[param]) || row->param[param] == target;
}

static bool is_of(const struct report_row *row, const struct target *target) {
    return agrees(row, REPORT_SIZE, target->param[REPORT_SIZE]) &&
           agrees(row, REPORT_OFFSET, target->param[REPORT_OFFSET]) &&
           agrees(row, REPORT_STRIDE, target->param[REPORT_STRIDE]) &&
           report_same_variant(row, target->usual);
}

static void end_ladder(struct report_experiment *experiment, struct report_pool *pool) {
    unsigned common = report_common(experiment->ladder, experiment->ladder_count);
    experiment->fixed = report_params_text(experiment->ladder[0], common, pool);
    experiment->copy_gbps = report_copy_gbps(experiment->ladder, experiment->ladder_count);
}

/* A problem of some peer that is not the ladder's. */
struct problem {
    const struct report_row *of;
    size_t kernels; /* number of kernels that ran it */
};

static struct target target_of(const struct report_row *row) {
    struct target target = {.usual = row};
    memcpy(target.param, row->param, sizeof target.param);
    return target;
}

static bool is_one_problem(const struct report_row *a, const struct report_row *b) {
    struct target target = target_of(b), other = target_of(a);
    return is_of(a, &target) && is_of(b, &other);
}

/* The number of kernels that ran the problem of row `of`.  seen: zeroed, one element per kernel.  mark: above
 * 0 and new in each call. */
static size_t count_kernels(const struct report_experiment *experiment, const struct kernels *kernels,
                            const struct report_row *of, size_t *seen, size_t mark) {
    struct target target = target_of(of);
    size_t count = 0;
    for (size_t i = 0; i < experiment->row_count; i++)
        if (seen[kernels->number[i]] != mark && is_of(experiment->rows[i], &target)) {
            seen[kernels->number[i]] = mark;
            count++;
        }
    return count;
}

/* Makes an experiment of the rows of one problem. */
static struct report_experiment *make_beside(const struct report_experiment *experiment,
                                             const struct report_row *of, struct report_pool *pool) {
    struct target target = target_of(of);
    struct report_experiment *beside = report_alloc(pool, sizeof *beside);
    *beside = (struct report_experiment){.name = experiment->name,
                                         .id = experiment->id,
                                         .question = experiment->question,
                                         .metric = experiment->metric};
    size_t count = 0;
    for (size_t i = 0; i < experiment->row_count; i++)
        count += is_of(experiment->rows[i], &target);
    beside->rows = report_alloc(pool, count * sizeof *beside->rows);
    for (size_t i = 0; i < experiment->row_count; i++)
        if (is_of(experiment->rows[i], &target))
            beside->rows[beside->row_count++] = experiment->rows[i];
    struct kernels kernels = number_kernels(beside);
    make_ladder(beside, &kernels, &target, pool);
    free_kernels(&kernels);
    end_ladder(beside, pool);
    return beside;
}

/* The problem that most kernels ran, the largest of equals. */
static const struct problem *next_problem(const struct problem *problems, size_t count) {
    const struct problem *best = &problems[0];
    for (const struct problem *p = problems; p < problems + count; p++)
        if (p->kernels > best->kernels ||
            (p->kernels == best->kernels && p->of->param[REPORT_SIZE] > best->of->param[REPORT_SIZE]))
            best = p;
    return best;
}

/* Adds ladders beside until each kernel of `left` is in one. */
static void add_besides(struct report_experiment *experiment, const struct kernels *kernels,
                        struct problem *problems, const size_t *left, size_t count,
                        struct report_pool *pool) {
    bool *done = calloc(kernels->count + 1, sizeof *done);
    size_t *number = calloc(count + 1, sizeof *number);
    if (!done || !number)
        report_out_of_memory();
    memcpy(number, left, count * sizeof *number);
    for (struct report_experiment **next = &experiment->beside; count; next = &(*next)->beside) {
        const struct report_row *of = next_problem(problems, count)->of;
        struct target target = target_of(of);
        *next = make_beside(experiment, of, pool);
        for (size_t i = 0; i < experiment->row_count; i++)
            if (is_of(experiment->rows[i], &target))
                done[kernels->number[i]] = true;
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            if (!done[number[i]]) {
                problems[kept] = problems[i];
                number[kept++] = number[i];
            }
        count = kept;
    }
    free(done);
    free(number);
}

/* Moves peers that did not run the ladder's problem to ladders beside.  A ladder of peers alone stays whole,
 * since there is no rung of ours with which they could be compared. */
static void part(struct report_experiment *experiment, const struct kernels *kernels,
                 const struct target *target, struct report_pool *pool) {
    bool alone = experiment->ladder[0]->library != NULL;
    bool *out = calloc(experiment->ladder_count + 1, sizeof *out);
    struct problem *problems = calloc(experiment->row_count + 1, sizeof *problems);
    size_t *left = calloc(experiment->row_count + 1, sizeof *left);
    size_t *seen = calloc(kernels->count + 1, sizeof *seen);
    if (!out || !problems || !left || !seen)
        report_out_of_memory();
    size_t kept = 0, count = 0;
    for (size_t i = 0; i < experiment->ladder_count; i++) {
        const struct report_row *row = experiment->ladder[i];
        out[i] = !alone && row->library && !is_of(row, target);
        if (!out[i])
            experiment->ladder[kept++] = row;
    }
    experiment->ladder_count = kept;
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct report_row *row = experiment->rows[i];
        if (!row->library || !out[kernels->place[kernels->number[i]] - 1])
            continue;
        /* Adjacent rows mostly have the same problem. */
        size_t ran = count && is_one_problem(row, problems[count - 1].of)
                         ? problems[count - 1].kernels
                         : count_kernels(experiment, kernels, row, seen, i + 1);
        left[count] = kernels->number[i];
        problems[count++] = (struct problem){row, ran};
    }
    add_besides(experiment, kernels, problems, left, count, pool);
    free(out);
    free(problems);
    free(left);
    free(seen);
}

void report_find_ladder(struct report_experiment *experiment, struct report_pool *pool) {
    struct kernels kernels = number_kernels(experiment);
    struct target target = {.usual = usual(experiment)};
    for (int i = 0; i < REPORT_PARAMS; i++)
        target.param[i] = wanted(experiment, (enum report_param)i);
    target.param[REPORT_SIZE] = wanted_size(experiment, &kernels);
    make_ladder(experiment, &kernels, &target, pool);
    part(experiment, &kernels, &target, pool);
    free_kernels(&kernels);
    end_ladder(experiment, pool);
}
