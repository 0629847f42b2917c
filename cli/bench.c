/* wideload bench: reads the request, runs it and writes the results. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/place.h"
#include "base/text.h"
#include "bench/compare.h"
#include "bench/json.h"
#include "bench/run.h"
#include "bench/summary.h"
#include "bench/table.h"
#include "cli/arguments.h"
#include "cli/devices.h"
#include "cli/group.h"
#include "cli/progress.h"
#include "cli/unfinished.h"

enum {
    KEY_KERNEL = CLI_KEY_FIRST,
    KEY_SIZE,
    KEY_OFFSET,
    KEY_STRIDE,
    KEY_BLOCK,
    KEY_UNROLL,
    KEY_BYTES,
    KEY_WIDTH,
    KEY_TYPE,
    KEY_FIELDS,
    KEY_ORDER,
    KEY_MATRIX,
    KEY_FROM_SHIFT,
    KEY_TO_SHIFT,
    KEY_DEVICE,
    KEY_ARCH,
    KEY_JSON,
    KEY_CSV,
    KEY_MARKDOWN,
    KEY_COMPARE,
    KEY_TOLERANCE,
    KEY_PEAK,
    KEY_HOT,
    KEY_GRAPH,
    KEY_SEED,
    KEY_SAMPLES,
    KEY_TIME,
    KEY_PEERS,
    KEY_GPUS,
    KEY_LAST = KEY_GPUS,
};

struct input {
    struct cli_common common;
    struct bench_request request;
    const char **experiments;
    const char *const *command;
    size_t command_count;
    const char *device, *arch, *json, *csv, *markdown, *compare;
    double tolerance; /* in percent; negative: the device's default */
    bool has_tolerance;
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to run:", 1},
    {"kernel", KEY_KERNEL, "LIST", 0, "Only these kernels of the chosen experiments: shared,shared-pad", 1},
    {"size", KEY_SIZE, "LIST", 0,
     "N elements; RxC for matrices (BxRxC for a batch); MxNxK for an MxN times NxK product; every dimension "
     "of a tensor.  Numbers may end in K, M, G, Ki, Mi, Gi or be powers such as 2^20.  text: the sizes of "
     "the teaching texts.  Default: text on the simulator; on a GPU a working set of at least 4 times its L2 "
     "cache",
     1},
    {"bytes", KEY_BYTES, "LIST", 0, "Instead of --size: as many elements as move this many bytes", 1},
    {"offset", KEY_OFFSET, "LIST", 0, "Elements to shift by (0,11,128)", 1},
    {"stride", KEY_STRIDE, "LIST", 0, "Elements from one access to the next (1,2,4,8,16,32)", 1},
    {"block", KEY_BLOCK, "LIST", 0, "Threads per block, 512 or 32x8, for kernels that do not fix them", 1},
    {"unroll", KEY_UNROLL, "LIST", 0,
     "Accesses per thread, for kernels where `wideload list` says that it can be chosen", 1},
    {"width", KEY_WIDTH, "LIST", 0, "Element size in bytes, for operations that move elements: 1,2,4,8,16",
     1},
    {"type", KEY_TYPE, "LIST", 0, "Element type of sums: i8 to i64, u8 to u64, f16, bf16, f32, f64", 1},
    {"fields", KEY_FIELDS, "LIST", 0,
     "Fields of a structure: a number of fields of --width bytes, 2:32, or members as C lays them out, "
     "f32x3+f64+i32 (without padding: packed:f32x3+f64)",
     1},
    {"order", KEY_ORDER, "LIST", 0,
     "The input's dimension that becomes each dimension of the output: 0213 or 0,2,1,3; a size may include "
     "its own, 64x12x512x64@0213",
     1},
    {"matrix", KEY_MATRIX, "LIST", 0,
     "Sparse matrices, each with N entries a row and a size of its own if given: uneven, uniform:N, rmat:N, "
     "banded:N, laplacian2d, laplacian3d, dense-row:N, hypersparse; rmat@2^20; files, cage14.mtx.gz; twelve "
     "and twelve-small are lists of them (`wideload list csr-transpose`)",
     1},
    {"from-shift", KEY_FROM_SHIFT, "LIST", 0,
     "How far the input is from its alignment, in elements (copy-any: bytes)", 1},
    {"to-shift", KEY_TO_SHIFT, "LIST", 0, "The same for the output", 1},
    {"peers", KEY_PEERS, "LIST", 0,
     "Other libraries' kernels as rows, on a GPU: all (that are installed), none, or a list of "
     "cublas,cusparse,cutensor,nccl",
     1},
    {"seed", KEY_SEED, "N", 0, "Seed of the pseudo-random inputs (1)", 1},
    {0, 0, 0, 0, "Where:", 2},
    {"device", KEY_DEVICE, "DEVICE", 0,
     "auto, gpu, gpu:N, sim or sim:N (auto: the first GPU, else the simulator)", 2},
    {"gpus", KEY_GPUS, "N", 0,
     "Devices of redistribute, from the first one on (2); the simulator has as many, unless "
     "WIDELOAD_SIM_DEVICES says otherwise",
     2},
    {"arch", KEY_ARCH, "NAME", 0, "The simulator's counting rules; see `wideload devices`", 2},
    {0, 0, 0, 0, "Timing, on a GPU:", 3},
    {"peak", KEY_PEAK, "GBPS", 0, "The memory's theoretical peak, instead of the driver's figure", 3},
    {"hot", KEY_HOT, 0, 0, "Leave the L2 cache warm between samples", 3},
    {"graph", KEY_GRAPH, 0, 0, "With --hot: each sample is one replay of a CUDA graph of 20 calls", 3},
    {"samples", KEY_SAMPLES, "N", 0, "Take exactly N samples per row", 3},
    {"time", KEY_TIME, "SECONDS", 0, "Spend at most this long on a row (15)", 3},
    {0, 0, 0, 0, "Results:", 4},
    {"json", KEY_JSON, "FILE", 0,
     "Write JSON, schema " BENCH_SCHEMA "; - is standard output, without the table", 4},
    {"csv", KEY_CSV, "FILE", 0, "Write CSV; - is standard output, without the table", 4},
    {"markdown", KEY_MARKDOWN, "FILE", 0, "Write the table as Markdown; - is standard output", 4},
    {"compare", KEY_COMPARE, "OLD.json", 0,
     "Print each row's ratio to an earlier run on the same device; exit with 3 if a row got worse", 4},
    {"tolerance", KEY_TOLERANCE, "PCT", 0,
     "How much worse a row may be, in percent (2 for times; 0 for the simulator's counters, which are exact)",
     4},
    CLI_COMMON_OPTIONS,
    {0}};

/* Lists, of which the last one that is given counts. */
static bool parse_list(struct bench_request *request, int key, const char *argument,
                       struct base_error *error) {
    switch (key) {
    case KEY_KERNEL:
        bench_names_free(&request->kernels);
        return bench_parse_names("--kernel", argument, &request->kernels, error);
    case KEY_SIZE:
        bench_sizes_free(&request->sizes);
        return bench_parse_sizes("--size", argument, &request->sizes, error);
    case KEY_OFFSET:
        bench_numbers_free(&request->offsets);
        return bench_parse_numbers("--offset", argument, &request->offsets, error);
    case KEY_STRIDE:
        bench_numbers_free(&request->strides);
        return bench_parse_numbers("--stride", argument, &request->strides, error);
    case KEY_BLOCK:
        bench_blocks_free(&request->blocks);
        return bench_parse_blocks("--block", argument, &request->blocks, error);
    case KEY_UNROLL:
        bench_numbers_free(&request->unrolls);
        return bench_parse_numbers("--unroll", argument, &request->unrolls, error);
    case KEY_BYTES:
        bench_numbers_free(&request->bytes);
        return bench_parse_numbers("--bytes", argument, &request->bytes, error);
    case KEY_WIDTH:
        bench_numbers_free(&request->widths);
        return bench_parse_numbers("--width", argument, &request->widths, error);
    case KEY_TYPE:
        bench_numbers_free(&request->types);
        return bench_parse_types("--type", argument, &request->types, error);
    case KEY_FIELDS:
        bench_field_choices_free(&request->fields);
        return bench_parse_fields("--fields", argument, &request->fields, error);
    case KEY_ORDER:
        bench_orders_free(&request->orders);
        return bench_parse_orders("--order", argument, &request->orders, error);
    case KEY_MATRIX:
        bench_matrices_free(&request->matrices);
        return bench_parse_matrices("--matrix", argument, &request->matrices, error);
    case KEY_FROM_SHIFT:
        bench_numbers_free(&request->from_shifts);
        return bench_parse_numbers("--from-shift", argument, &request->from_shifts, error);
    case KEY_TO_SHIFT:
        bench_numbers_free(&request->to_shifts);
        return bench_parse_numbers("--to-shift", argument, &request->to_shifts, error);
    default:
        return true;
    }
}

static bool parse_option(struct input *input, int key, const char *argument) {
    struct bench_request *request = &input->request;
    struct base_error *error = &input->common.error;
    uint64_t number;
    switch (key) {
    case KEY_PEERS:
        return bench_parse_peers("--peers", argument, &request->peers, error);
    case KEY_SEED:
        return bench_parse_number("--seed", argument, &request->seed, error);
    case KEY_PEAK:
        return bench_parse_positive("--peak", argument, &request->peak_gbps, error);
    case KEY_TIME:
        return bench_parse_positive("--time", argument, &request->seconds, error);
    case KEY_SAMPLES:
        if (!bench_parse_number("--samples", argument, &number, error))
            return false;
        if (number < 1 || number > 1000000)
            return base_usage(error, "--samples: %.80s is not within 1 .. 1000000", argument);
        request->samples = (size_t)number;
        return true;
    case KEY_GPUS:
        if (!bench_parse_number("--gpus", argument, &number, error))
            return false;
        if (number < WL_DEVICES_LEAST || number > WL_DEVICES_MOST)
            return base_usage(error, "--gpus: %.80s is not within %d .. %d devices", argument,
                              WL_DEVICES_LEAST, WL_DEVICES_MOST);
        request->gpus = (unsigned)number;
        return true;
    case KEY_DEVICE:
        input->device = argument;
        return cli_check_device(argument, error);
    case KEY_ARCH:
        input->arch = argument;
        return true;
    case KEY_JSON:
        input->json = argument;
        return *argument || base_usage(error, "--json: an empty file name; give a path or -");
    case KEY_CSV:
        input->csv = argument;
        return *argument || base_usage(error, "--csv: an empty file name; give a path or -");
    case KEY_MARKDOWN:
        input->markdown = argument;
        return *argument || base_usage(error, "--markdown: an empty file name; give a path or -");
    case KEY_COMPARE:
        input->compare = argument;
        return *argument || base_usage(error, "--compare: an empty file name; give an earlier run's JSON");
    case KEY_TOLERANCE:
        input->has_tolerance = true;
        return bench_parse_percentage("--tolerance", argument, &input->tolerance, error);
    case KEY_HOT:
        request->hot = true;
        return true;
    case KEY_GRAPH:
        request->graph = true;
        return true;
    default:
        return parse_list(request, key, argument, error);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct input *input = state->input;
    if (key == ARGP_KEY_ARG) {
        input->experiments[input->request.experiment_count++] = argument;
        return 0;
    }
    if (key >= KEY_KERNEL && key <= KEY_LAST)
        return parse_option(input, key, argument) ? 0 : EINVAL;
    return cli_parse_common(key, argument, state);
}

static const struct argp argp = {
    options,
    parse,
    "[EXPERIMENT...]",
    "Runs experiments (by default all), each a ladder of kernels.  Every row is verified element by element "
    "before its figures are shown: time and bandwidth on a GPU, memory counters on the simulator."
    "\vA LIST makes a sweep with one row per value.  Commas separate its items, which may be ranges: 0:32 is "
    "every number from 0 to 32, 0:128:8 every eighth of them, and 1:64:x2 doubles from each number to the "
    "next.",
    NULL,
    NULL,
    NULL};

/* ---------------------------------------------------------------- results */

enum { JSON, CSV, MARKDOWN, OUTPUTS };

typedef bool write_fn(FILE *file, const struct bench_plan *plan);

static const struct {
    const char *option;
    write_fn *write;
} outputs[OUTPUTS] = {
    [JSON] = {"--json", bench_write_json},
    [CSV] = {"--csv", bench_write_csv},
    [MARKDOWN] = {"--markdown", bench_write_markdown},
};

struct results {
    struct base_output files[OUTPUTS];
    bool wanted[OUTPUTS];
    bool table; /* print the table: no results go to standard output */
};

static bool check_places(const struct input *input, struct base_error *error) {
    const struct base_place places[] = {
        {.name = "--json", .path = input->json},
        {.name = "--csv", .path = input->csv},
        {.name = "--markdown", .path = input->markdown},
        {.name = "the file of --compare", .path = input->compare, .read = true},
        {.name = "where standard output goes", .is_stream = true, .stream = STDOUT_FILENO, .read = true},
        {.name = "where standard error goes", .is_stream = true, .stream = STDERR_FILENO, .read = true},
    };
    return base_places_check(places, sizeof places / sizeof *places, error);
}

static bool open_results(struct results *results, const struct input *input, struct base_error *error) {
    const char *paths[OUTPUTS] = {input->json, input->csv, input->markdown};
    cli_guard_unfinished();
    results->table = true;
    for (int i = 0; i < OUTPUTS; i++) {
        if (!paths[i])
            continue;
        if (!base_output_open(&results->files[i], outputs[i].option, paths[i], error))
            return false;
        results->wanted[i] = true;
        cli_note_unfinished(i, &results->files[i].temporary);
        results->table = results->table && !results->files[i].is_stdout;
    }
    return true;
}

static bool commit_results(struct results *results, const struct bench_plan *plan, struct base_error *error) {
    for (int i = 0; i < OUTPUTS; i++) {
        if (!results->wanted[i])
            continue;
        FILE *file = results->files[i].file;
        if (!outputs[i].write(file, plan))
            return base_failure(error, "%s: the results cannot be written: %s", outputs[i].option,
                                strerror(errno));
        if (!base_output_commit(&results->files[i], error))
            return false;
        cli_note_unfinished(i, NULL);
    }
    return true;
}

static void close_results(struct results *results) {
    for (int i = 0; i < OUTPUTS; i++) {
        if (results->wanted[i])
            base_output_close(&results->files[i]);
        cli_note_unfinished(i, NULL);
    }
}

/* ---------------------------------------------------------------- the run */

struct display {
    struct cli_progress progress;
    bool table, colour;
};

static void show_row(void *argument, const struct bench_row *row, size_t done, size_t total) {
    struct display *display = argument;
    cli_progress_show(&display->progress, "%s/%s %zu of %zu", row->experiment->name, row->rung->name,
                      done + 1, total);
}

static void show_timing(void *argument, const struct bench_section *section, size_t done, size_t total) {
    struct display *display = argument;
    cli_progress_show(&display->progress, "%s timed %zu of %zu", section->experiment->name, done, total);
}

static void show_section(void *argument, const struct bench_plan *plan, const struct bench_section *section) {
    struct display *display = argument;
    cli_progress_clear(&display->progress);
    if (display->table) {
        bench_table_section(stdout, plan, section, display->colour);
        fflush(stdout);
    }
    for (size_t i = 0; i < section->row_count; i++)
        if (section->rows[i].status == BENCH_FAILED) {
            char name[200];
            bench_row_text(&section->rows[i], name, sizeof name);
            fprintf(stderr, "wideload: FAIL %s: %s\n", name, section->rows[i].note);
        }
}

static bool wants_colour(void) {
    const char *no_colour = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
}

/* Prints the comparison after the table, or to standard error if results go to standard output. */
static int compare(const struct input *input, const struct bench_plan *plan,
                   const struct bench_earlier *earlier, bool table) {
    FILE *file = table ? stdout : stderr;
    size_t worse;
    if (!bench_compare(file, earlier, plan, input->has_tolerance ? input->tolerance : -1,
                       table && wants_colour(), &worse)) {
        fputs("wideload: out of memory\n", stderr);
        return CLI_FAILURE;
    }
    return worse ? CLI_GATE : CLI_SUCCESS;
}

/* Prints the summary of a run of all experiments and the paths of its full results. */
static bool summarise(const struct input *input, const struct bench_plan *plan) {
    const char *paths[OUTPUTS] = {input->json, input->csv, input->markdown};
    if (!bench_put_summary(stdout, plan))
        return false;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return false;
    fputs("Every row is in the tables above", out);
    bool kept = false;
    for (int i = 0; i < OUTPUTS; i++)
        if (paths[i]) {
            fprintf(out, "%s %s", kept ? "," : " and in", paths[i]);
            kept = true;
        }
    fputs(kept ? "." : "; --markdown, --csv and --json FILE keep them.", out);
    bool right = fclose(out) == 0;
    if (right)
        base_wrap(stdout, text, 0, 0);
    free(text);
    return right;
}

static int run_plan(const struct input *input, struct bench_plan *plan, wl_context *context,
                    const struct bench_earlier *earlier, struct results *results) {
    struct display display = {.table = results->table, .colour = wants_colour()};
    struct bench_observer observer = {&display, show_row, show_timing, show_section};
    struct bench_result result;
    struct base_error error;
    cli_progress_open(&display.progress);
    if (display.table)
        bench_table_header(stdout, plan);
    bool ran = bench_run(plan, context, &input->request, &observer, &result, &error);
    cli_progress_clear(&display.progress);
    int status = CLI_SUCCESS;
    if (!ran)
        status = cli_report(&error);
    else if (result.broken) {
        fprintf(stderr, "wideload: %s; %zu rows were not run\n", result.reason, result.pending);
        status = CLI_FAILURE;
    }
    if (result.failed) {
        fprintf(stderr, "wideload: %zu of %zu rows failed\n", result.failed, plan->row_count);
        status = CLI_FAILURE;
    }
    if (!commit_results(results, plan, &error))
        status = cli_report(&error);
    else if (results->table && !input->request.experiment_count && !summarise(input, plan)) {
        fputs("wideload: out of memory\n", stderr);
        status = CLI_FAILURE;
    }
    if (status == CLI_SUCCESS && earlier)
        status = compare(input, plan, earlier, results->table);
    return status;
}

/* If there are too few devices, rows that need them say so; but --gpus asked for them. */
static bool open_group(struct cli_group *group, const struct input *input, struct bench_plan *plan,
                       wl_context *context, struct base_error *error) {
    unsigned gpus = bench_plan_gpus(plan);
    if (gpus == 1)
        return true;
    if (cli_group_open(group, context, input->device, gpus)) {
        plan->group = &group->devices;
        return true;
    }
    plan->group_absent = group->absent;
    return !input->request.gpus || base_usage(error, "--gpus: %s", group->absent);
}

static int bench(struct input *input) {
    struct base_error error;
    struct bench_plan plan = {0};
    struct results results = {0};
    struct bench_earlier *earlier = NULL;
    wl_context *context = NULL;
    struct cli_group group = {.devices = {.count = 0}};
    int status;
    if (input->has_tolerance && !input->compare) {
        base_usage(&error, "--tolerance: there is nothing to tolerate without --compare OLD.json");
        return cli_report(&error);
    }
    bool ready = bench_plan_make(&plan, &input->request, &error) && check_places(input, &error) &&
                 (!input->compare || bench_earlier_read(&earlier, input->compare, &error)) &&
                 cli_group_prepare(input->device, bench_plan_gpus(&plan), &error) &&
                 cli_open(&context, input->device, input->arch, &error) &&
                 open_group(&group, input, &plan, context, &error) &&
                 bench_peers_open(&plan, context, &input->request, &error) &&
                 bench_plan_admit(&plan, context, &input->request, &error) &&
                 (!earlier || bench_earlier_check(earlier, &plan, &error)) &&
                 open_results(&results, input, &error);
    plan.command = input->command;
    plan.command_count = input->command_count;
    status = ready ? run_plan(input, &plan, context, earlier, &results) : cli_report(&error);
    bench_earlier_free(earlier);
    close_results(&results);
    bench_peers_close(context);
    cli_group_close(&group);
    wl_close(context);
    bench_plan_free(&plan);
    return status;
}

static int run(int argc, char **argv) {
    struct input input = {.request = {.seed = 1, .seconds = 15}};
    input.experiments = calloc((size_t)argc + 1, sizeof *input.experiments);
    if (!input.experiments) {
        fprintf(stderr, "wideload: out of memory\n");
        return CLI_FAILURE;
    }
    input.command = (const char *const *)argv;
    input.command_count = (size_t)argc;
    input.request.experiments = input.experiments;
    bench_parse_peers("--peers", "all", &input.request.peers, &input.common.error);
    int status = cli_parse(&cli_bench, argc, argv, &input.common);
    if (status == CLI_GO_ON)
        status = bench(&input);
    free(input.experiments);
    bench_names_free(&input.request.kernels);
    bench_sizes_free(&input.request.sizes);
    bench_numbers_free(&input.request.offsets);
    bench_numbers_free(&input.request.strides);
    bench_blocks_free(&input.request.blocks);
    bench_numbers_free(&input.request.unrolls);
    bench_numbers_free(&input.request.bytes);
    bench_numbers_free(&input.request.widths);
    bench_numbers_free(&input.request.types);
    bench_numbers_free(&input.request.from_shifts);
    bench_numbers_free(&input.request.to_shifts);
    bench_field_choices_free(&input.request.fields);
    bench_orders_free(&input.request.orders);
    bench_matrices_free(&input.request.matrices);
    return status;
}

const struct cli_command cli_bench = {"bench", "Run experiments: verified, timed or counted", &argp, run};
