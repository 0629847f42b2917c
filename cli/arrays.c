/* wideload transpose, permute, add, deinterleave, interleave: operations on arrays in NumPy's .npy files. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/parse.h"
#include "cli/arguments.h"
#include "cli/files/operations.h"

enum { KEY_MEMORY = CLI_KEY_FIRST, KEY_AXES, KEY_FIELDS };

struct input {
    struct cli_common common;
    const char **paths;
    size_t count;
    bool has_axes;
    struct files_axes axes;
    const char *fields, *prefix;
    uint64_t memory; /* 0: not given */
};

static bool parse_memory(struct input *input, const char *argument, struct base_error *error) {
    if (!bench_parse_number("--memory", argument, &input->memory, error))
        return false;
    return input->memory || base_usage(error, "--memory: 0 bytes hold no element; give a size such as 512Mi");
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct input *input = state->input;
    struct base_error *error = &input->common.error;
    switch (key) {
    case ARGP_KEY_ARG:
        input->paths[input->count++] = argument;
        return *argument || base_usage(error, "an empty file name; give a path") ? 0 : EINVAL;
    case KEY_MEMORY:
        return parse_memory(input, argument, error) ? 0 : EINVAL;
    case KEY_AXES:
        input->has_axes = true;
        return files_axes_parse(&input->axes, argument, error) ? 0 : EINVAL;
    case KEY_FIELDS:
        input->fields = argument;
        return 0;
    case 'o':
        input->prefix = argument;
        return *argument ||
                       base_usage(error, "--output: an empty prefix; give the beginning of the files' names")
                   ? 0
                   : EINVAL;
    default:
        return cli_parse_common(key, argument, state);
    }
}

#define MEMORY_OPTION                                                                                        \
    {                                                                                                        \
        "memory", KEY_MEMORY, "SIZE", 0,                                                                     \
            "Bytes to take for the parts that are moved at a time: 512Mi.  Default: 256Mi, or a quarter of " \
            "the "                                                                                           \
            "memory or of `ulimit -v` if that is less",                                                      \
            1                                                                                                \
    }
#define FILES_TEXT                                                                                           \
    "\vFiles are NumPy's, format 1.0 to 3.0, with elements of any type but Python objects.  They may be "    \
    "larger than memory.  Output is in C order and appears when it is complete, or not at all."

static const struct argp_option options[] = {MEMORY_OPTION, CLI_COMMON_OPTIONS, {0}};

static const struct argp_option permute_options[] = {
    {"axes", KEY_AXES, "LIST", 0,
     "The input's dimension that becomes each dimension of the output: 0,2,3,1; negative numbers count from "
     "the end",
     1},
    MEMORY_OPTION,
    CLI_COMMON_OPTIONS,
    {0}};

static const struct argp_option deinterleave_options[] = {
    {"output", 'o', "PREFIX", 0, "Write PREFIX.x.npy, PREFIX.y.npy, ... (IN.npy: IN.x.npy, IN.y.npy, ...)",
     1},
    MEMORY_OPTION,
    CLI_COMMON_OPTIONS,
    {0}};

static const struct argp_option interleave_options[] = {
    {"fields", KEY_FIELDS, "LIST", 0, "Make a structured array with fields of these names: x,y,z", 1},
    MEMORY_OPTION,
    CLI_COMMON_OPTIONS,
    {0}};

/* Parses the arguments, then does `work`, if there are at least `least` files and at most `most`. */
static int run(const struct cli_command *command, size_t least, size_t most,
               bool (*work)(const struct input *input, struct base_error *error), int argc, char **argv) {
    struct input input = {.paths = calloc((size_t)argc + 1, sizeof *input.paths)};
    struct base_error error;
    if (!input.paths) {
        fprintf(stderr, "wideload: out of memory\n");
        return CLI_FAILURE;
    }
    int status = cli_parse(command, argc, argv, &input.common);
    if (status == CLI_GO_ON) {
        bool good = input.count >= least && input.count <= most;
        if (!good)
            base_usage(&error, "%s takes %s; %zu given; see `wideload help %s`", command->name,
                       command->argp->args_doc, input.count, command->name);
        status = good && work(&input, &error) ? CLI_SUCCESS : cli_report(&error);
    }
    free(input.paths);
    return status;
}

/* ---------------------------------------------------------------- transpose */

static const struct argp transpose_argp = {
    options,
    parse,
    "IN.npy OUT.npy",
    "Writes an array with its dimensions in reverse order, as numpy.transpose gives it." FILES_TEXT,
    NULL,
    NULL,
    NULL};

static bool do_transpose(const struct input *input, struct base_error *error) {
    return files_permute("transpose", input->paths[0], input->paths[1], NULL, input->memory, error);
}

static int run_transpose(int argc, char **argv) {
    return run(&cli_transpose, 2, 2, do_transpose, argc, argv);
}

const struct cli_command cli_transpose = {"transpose", "Reverse the dimensions of an array in a .npy file",
                                          &transpose_argp, run_transpose};

/* ---------------------------------------------------------------- permute */

static const struct argp permute_argp = {permute_options,
                                         parse,
                                         "IN.npy OUT.npy",
                                         "Writes an array with its dimensions in the order of --axes, as "
                                         "numpy.transpose gives it: --axes 0,2,3,1 makes "
                                         "NHWC of NCHW." FILES_TEXT,
                                         NULL,
                                         NULL,
                                         NULL};

static bool do_permute(const struct input *input, struct base_error *error) {
    if (!input->has_axes)
        return base_usage(error, "permute needs an order: give --axes, such as --axes 0,2,1");
    return files_permute("permute", input->paths[0], input->paths[1], &input->axes, input->memory, error);
}

static int run_permute(int argc, char **argv) {
    return run(&cli_permute, 2, 2, do_permute, argc, argv);
}

const struct cli_command cli_permute = {"permute", "Reorder the dimensions of an array in a .npy file",
                                        &permute_argp, run_permute};

/* ---------------------------------------------------------------- add */

static const struct argp add_argp = {
    options,
    parse,
    "A.npy B.npy OUT.npy",
    "Writes the sum of two arrays of one shape and one type: integers, which wrap, floats and complex "
    "numbers." FILES_TEXT,
    NULL,
    NULL,
    NULL};

static bool do_add(const struct input *input, struct base_error *error) {
    return files_add(input->paths[0], input->paths[1], input->paths[2], input->memory, error);
}

static int run_add(int argc, char **argv) {
    return run(&cli_add, 3, 3, do_add, argc, argv);
}

const struct cli_command cli_add = {"add", "Add two arrays in .npy files", &add_argp, run_add};

/* ---------------------------------------------------------------- deinterleave, interleave */

static const struct argp deinterleave_argp = {deinterleave_options,
                                              parse,
                                              "IN.npy",
                                              "Splits a structured array into one array per field, any other "
                                              "array along its last dimension: PREFIX.0.npy, "
                                              "PREFIX.1.npy, ..." FILES_TEXT,
                                              NULL,
                                              NULL,
                                              NULL};

static bool do_deinterleave(const struct input *input, struct base_error *error) {
    return files_deinterleave(input->paths[0], input->prefix, input->memory, error);
}

static int run_deinterleave(int argc, char **argv) {
    return run(&cli_deinterleave, 1, 1, do_deinterleave, argc, argv);
}

const struct cli_command cli_deinterleave = {"deinterleave", "Split an array in a .npy file by field or item",
                                             &deinterleave_argp, run_deinterleave};

static const struct argp interleave_argp = {interleave_options,
                                            parse,
                                            "IN.npy... OUT.npy",
                                            "Joins arrays of one shape and one type along a new last "
                                            "dimension; with --fields, arrays of one shape to a "
                                            "structured array." FILES_TEXT,
                                            NULL,
                                            NULL,
                                            NULL};

static bool do_interleave(const struct input *input, struct base_error *error) {
    return files_interleave(input->paths, input->count - 1, input->paths[input->count - 1], input->fields,
                            input->memory, error);
}

static int run_interleave(int argc, char **argv) {
    return run(&cli_interleave, 2, SIZE_MAX, do_interleave, argc, argv);
}

const struct cli_command cli_interleave = {"interleave", "Join arrays in .npy files to one", &interleave_argp,
                                           run_interleave};
