/* wideload transpose, permute, add, deinterleave, interleave, sparse-transpose: operations on arrays in
 * files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const struct argp_option sparse_options[] = {CLI_COMMON_OPTIONS, {0}};

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

/* ---------------------------------------------------------------- what each does */

static bool transpose(const struct input *input, struct base_error *error) {
    return files_permute("transpose", input->paths[0], input->paths[1], NULL, input->memory, error);
}

static bool permute(const struct input *input, struct base_error *error) {
    if (!input->has_axes)
        return base_usage(error, "permute needs an order: give --axes, such as --axes 0,2,1");
    return files_permute("permute", input->paths[0], input->paths[1], &input->axes, input->memory, error);
}

static bool add(const struct input *input, struct base_error *error) {
    return files_add(input->paths[0], input->paths[1], input->paths[2], input->memory, error);
}

static bool deinterleave(const struct input *input, struct base_error *error) {
    return files_deinterleave(input->paths[0], input->prefix, input->memory, error);
}

static bool interleave(const struct input *input, struct base_error *error) {
    return files_interleave(input->paths, input->count - 1, input->paths[input->count - 1], input->fields,
                            input->memory, error);
}

static bool sparse_transpose(const struct input *input, struct base_error *error) {
    return files_sparse_transpose(input->paths[0], input->paths[1], error);
}

static const struct operation {
    const struct cli_command *command;
    bool (*work)(const struct input *input, struct base_error *error);
    size_t least, most; /* files */
} operations[] = {
    {&cli_transpose, transpose, 2, 2},
    {&cli_permute, permute, 2, 2},
    {&cli_add, add, 3, 3},
    {&cli_deinterleave, deinterleave, 1, 1},
    {&cli_interleave, interleave, 2, SIZE_MAX},
    {&cli_sparse_transpose, sparse_transpose, 2, 2},
};

/* Parses the arguments, then does the work of the command that argv[0] names. */
static int run(int argc, char **argv) {
    const struct operation *operation = operations;
    while (strcmp(operation->command->name, argv[0]) != 0)
        operation++;
    const struct cli_command *command = operation->command;
    struct input input = {.paths = calloc((size_t)argc + 1, sizeof *input.paths)};
    struct base_error error;
    if (!input.paths) {
        fprintf(stderr, "wideload: out of memory\n");
        return CLI_FAILURE;
    }
    int status = cli_parse(command, argc, argv, &input.common);
    if (status == CLI_GO_ON) {
        bool good = input.count >= operation->least && input.count <= operation->most;
        if (!good)
            base_usage(&error, "%s takes %s; %zu given; see `wideload help %s`", command->name,
                       command->argp->args_doc, input.count, command->name);
        status = good && operation->work(&input, &error) ? CLI_SUCCESS : cli_report(&error);
    }
    free(input.paths);
    return status;
}

/* ---------------------------------------------------------------- what each says of itself */

#define COMMAND(id, name, options, files, summary, text)                                                     \
    static const struct argp id##_argp = {options, parse, files, text, NULL, NULL, NULL};                    \
    const struct cli_command cli_##id = {name, summary, &id##_argp, run};

COMMAND(transpose, "transpose", options, "IN.npy OUT.npy",
        "Reverse the dimensions of an array in a .npy file",
        "Writes an array with its dimensions in reverse order, as numpy.transpose gives it." FILES_TEXT)

COMMAND(
    permute, "permute", permute_options, "IN.npy OUT.npy",
    "Reorder the dimensions of an array in a .npy file",
    "Writes an array with its dimensions in the order of --axes, as numpy.transpose gives it: --axes 0,2,3,1 "
    "makes NHWC of NCHW." FILES_TEXT)

COMMAND(add, "add", options, "A.npy B.npy OUT.npy", "Add two arrays in .npy files",
        "Writes the sum of two arrays of one shape and one type: integers, which wrap, floats and complex "
        "numbers." FILES_TEXT)

COMMAND(deinterleave, "deinterleave", deinterleave_options, "IN.npy",
        "Split an array in a .npy file by field or item",
        "Splits a structured array into one array per field, any other array along its last dimension: "
        "PREFIX.0.npy, PREFIX.1.npy, ..." FILES_TEXT)

COMMAND(interleave, "interleave", interleave_options, "IN.npy... OUT.npy", "Join arrays in .npy files to one",
        "Joins arrays of one shape and one type along a new last dimension; with --fields, arrays of "
        "one shape to a structured array." FILES_TEXT)

COMMAND(sparse_transpose, "sparse-transpose", sparse_options, "IN OUT",
        "Transpose a sparse matrix in a .mtx or .npz file",
        "Writes the transpose of a sparse matrix, row by row.  A file is Matrix Market's (.mtx, "
        ".mtx.gz) or SciPy's (.npz), as its name says, and IN and OUT may differ in that."
        "\vA .mtx is in coordinate format: real, complex, integer or pattern.  If it is symmetric, "
        "skew-symmetric or hermitian, OUT has both sides of the diagonal, as a general matrix.  A .npz "
        "is read as csr, csc or coo, and written as csr, not compressed.  Values stay as they are, bit "
        "for bit; entries of one place are all kept.  The matrix has to fit into memory, and the output "
        "appears when it is complete, or not at all.")
