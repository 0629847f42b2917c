/* wideload list: prints the experiments and their rungs, each with its idea. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "bench/cases.h"
#include "bench/experiment.h"
#include "bench/peers/peers.h"
#include "bench/variant.h"
#include "cli/arguments.h"

enum { NAME_WIDTH = 20 };

struct input {
    struct cli_common common;
    const char **names;
    size_t count;
};

static bool add_name(struct input *input, const char *name, struct base_error *error) {
    if (!bench_find_experiment(name)) {
        size_t count;
        const struct bench_experiment *experiments = bench_experiments(&count);
        const char *names[64];
        for (size_t i = 0; i < count && i < 64; i++)
            names[i] = experiments[i].name;
        const char *near = base_nearest(name, names, count);
        return base_usage(error, "unknown experiment '%.80s'%s%s%s; see `wideload list`", name,
                          near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    input->names[input->count++] = name;
    return true;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct input *input = state->input;
    if (key != ARGP_KEY_ARG)
        return cli_parse_common(key, argument, state);
    return add_name(input, argument, &input->common.error) ? 0 : EINVAL;
}

static const struct argp_option options[] = {CLI_COMMON_OPTIONS, {0}};
static const struct argp argp = {
    options,
    parse,
    "[EXPERIMENT...]",
    "Lists the experiments, each a ladder of kernels from the lowest rung up, with "
    "each rung's one idea and the bytes that it must move.",
    NULL,
    NULL,
    NULL};

/* Prints the peers' rungs, which follow our own `count` in the ladder. */
static void print_peers(const char *experiment, size_t count) {
    size_t all;
    const struct wl_rung *ladder = bench_ladder(&all);
    bool first = true;
    for (size_t i = count; i < all; i++)
        if (strcmp(ladder[i].experiment, experiment) == 0) {
            printf("%s%s (%s)", first ? "  peers, where they are there: " : ", ", ladder[i].name,
                   ladder[i].library);
            first = false;
        }
    if (!first)
        putchar('\n');
}

/* name: NULL: the numbers are printed. */
static void put_numbers(FILE *out, const char *title, const struct bench_numbers *numbers,
                        const char *(*name)(unsigned)) {
    for (size_t i = 0; i < numbers->count; i++) {
        fprintf(out, "%s", i ? "," : title);
        if (name)
            fprintf(out, "%s", name((unsigned)numbers->items[i]));
        else
            fprintf(out, "%u", (unsigned)numbers->items[i]);
    }
}

/* Prints an experiment's lists with their defaults. */
static void put_variants(FILE *out, const struct bench_experiment *experiment) {
    char text[100];
    if (experiment->has_type)
        put_numbers(out, "; --type ", bench_default_types(), bench_type_name);
    if (experiment->has_width)
        put_numbers(out, "; --width ", bench_default_widths(experiment), NULL);
    if (experiment->has_shift) {
        put_numbers(out, "; --from-shift ", bench_default_from_shifts(), NULL);
        put_numbers(out, "; --to-shift ", bench_default_to_shifts(), NULL);
    }
    const struct bench_field_choices *fields = bench_default_fields();
    for (size_t i = 0; experiment->has_fields && i < fields->count; i++) {
        struct wl_problem problem = {.fields = fields->items[i].count};
        problem.structure = problem.fields ? NULL : &fields->items[i].structure;
        bench_fields_text(&problem, text, sizeof text);
        fprintf(out, "%s%s", i ? "," : "; --fields ", text);
    }
    if (experiment->shape == BENCH_SHAPE_SPARSE)
        fprintf(out, "; --matrix %s", bench_matrix_name(bench_default_matrices()->items[0].kind));
    const struct bench_orders *orders = bench_default_orders();
    for (size_t i = 0; experiment->shape == BENCH_SHAPE_TENSOR && i < orders->count; i++) {
        struct wl_problem problem = {.rank = orders->items[i].rank};
        for (unsigned d = 0; d < problem.rank; d++)
            problem.order[d] = orders->items[i].axis[d];
        bench_order_text(&problem, text, sizeof text);
        fprintf(out, "%s%s", i ? "," : "; --order ", text);
    }
}

/* "--size N; text is 1048576; --offset 0,11,128" */
static void print_options(const struct bench_experiment *experiment) {
    char size[80], *text = NULL;
    size_t length;
    struct wl_problem problem = {.rank = experiment->size.dimensions};
    struct base_error error;
    bench_set_size(experiment, &experiment->size, &problem, &error);
    bench_size_text(experiment, &problem, size, sizeof size);
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return;
    fprintf(out, "--size %s%s; text is %s%s%s", bench_shape_syntax(experiment->shape),
            experiment->counts_bytes ? " bytes" : "", size,
            experiment->has_offset ? "; --offset 0,11,128" : "",
            experiment->has_stride ? "; --stride 1,2,4,8,16,32" : "");
    if (experiment->has_gpus)
        fprintf(out, "; --gpus %d", WL_DEVICES_LEAST);
    put_variants(out, experiment);
    if (fclose(out) == 0) {
        fputs("  ", stdout);
        base_wrap(stdout, text, 2, 2);
    }
    free(text);
}

static void print_cases(void) {
    struct bench_size size;
    const char *name;
    puts("  names, each of a size, and all of them `cases`:");
    for (size_t i = 0; (name = bench_case_at(i, &size)) != NULL; i++) {
        printf("    %-*s", NAME_WIDTH, name);
        for (unsigned d = 0; d < size.dimensions; d++)
            printf("%s%u", d ? "x" : "", (unsigned)size.extent[d]);
        putchar('@');
        for (unsigned d = 0; d < size.order.rank; d++)
            printf("%u", (unsigned)size.order.axis[d]);
        printf(", width %u\n", (unsigned)size.width);
    }
}

/* "twelve  A, B, ...": lines break after commas. */
static void print_twelve(const char *name, const char *list) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return;
    for (const char *c = list; *c; c++) {
        fputc(*c, out);
        if (*c == ',')
            fputc(' ', out);
    }
    int column = printf("    %-*s", NAME_WIDTH - 4, name);
    if (fclose(out) == 0)
        base_wrap(stdout, text, NAME_WIDTH, column);
    free(text);
}

static void print_matrices(void) {
    puts("  matrices, with the N of each that takes one:");
    for (unsigned i = 0; i < BENCH_MATRIX_KINDS; i++) {
        enum bench_matrix_kind kind = (enum bench_matrix_kind)i;
        char text[80];
        const struct bench_matrix matrix = {.kind = kind, .each = bench_matrix_each(kind)};
        bench_matrix_text(&matrix, text, sizeof text);
        int column = printf("    %-*s", NAME_WIDTH - 4, text);
        base_wrap(stdout, bench_matrix_says(kind), NAME_WIDTH, column);
    }
    print_twelve("twelve", bench_matrix_twelve(false));
    print_twelve("twelve-small", bench_matrix_twelve(true));
}

static void print_experiment(const struct bench_experiment *experiment) {
    int heading = printf("%s: ", experiment->name);
    base_wrap(stdout, experiment->question, 2, heading);
    print_options(experiment);
    size_t count;
    const struct wl_rung *ladder = wl__ladder(&count);
    for (size_t i = 0; i < count; i++) {
        const struct wl_rung *rung = &ladder[i];
        if (strcmp(rung->experiment, experiment->name) != 0)
            continue;
        int column = printf("  %-*s", NAME_WIDTH - 2, rung->name);
        base_wrap(stdout, rung->idea, NAME_WIDTH, column);
        printf("%*sblock ", NAME_WIDTH, "");
        if (rung->block_y > 1)
            printf("%ux%u", (unsigned)rung->block_x, (unsigned)rung->block_y);
        else if (rung->block_x)
            printf("%u", (unsigned)rung->block_x);
        else
            printf("none");
        char unrolls[80];
        bench_unrolls_text(rung->unrolls, unrolls, sizeof unrolls);
        printf("%s%s%s; bytes %s\n", rung->fixed_block ? " (fixed)" : "", unrolls[0] ? "; unroll " : "",
               unrolls, rung->bytes_formula);
    }
    print_peers(experiment->name, count);
    if (experiment->shape == BENCH_SHAPE_TENSOR)
        print_cases();
    if (experiment->shape == BENCH_SHAPE_SPARSE)
        print_matrices();
}

static int run(int argc, char **argv) {
    struct input input = {.names = calloc((size_t)argc + 1, sizeof *input.names)};
    if (!input.names) {
        fprintf(stderr, "wideload: out of memory\n");
        return CLI_FAILURE;
    }
    int status = cli_parse(&cli_list, argc, argv, &input.common);
    if (status == CLI_GO_ON) {
        size_t count, printed = 0;
        const struct bench_experiment *experiments = bench_experiments(&count);
        for (size_t i = 0; i < count; i++) {
            bool wanted = input.count == 0;
            for (size_t n = 0; n < input.count; n++)
                wanted = wanted || strcmp(input.names[n], experiments[i].name) == 0;
            if (!wanted)
                continue;
            if (printed++)
                putchar('\n');
            print_experiment(&experiments[i]);
        }
        status = CLI_SUCCESS;
    }
    free(input.names);
    return status;
}

const struct cli_command cli_list = {"list", "List the experiments and their kernels", &argp, run};
