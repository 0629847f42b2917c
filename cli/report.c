/* wideload report: makes a page or single charts from the bench's JSON. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/place.h"
#include "cli/arguments.h"
#include "cli/unfinished.h"
#include "report/report.h"

enum { KEY_SVG = CLI_KEY_FIRST };

struct input {
    struct cli_common common;
    const char **paths;
    size_t path_count;
    const char *output, *svg;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the page, one self-contained HTML file; - is standard output", 1},
    {"svg", KEY_SVG, "DIR", 0, "Write the charts alone: copy-ladder.svg, copy-ladder-dark.svg, ...", 1},
    CLI_COMMON_OPTIONS,
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct input *input = state->input;
    struct base_error *error = &input->common.error;
    switch (key) {
    case ARGP_KEY_ARG:
        input->paths[input->path_count++] = argument;
        return 0;
    case 'o':
        input->output = argument;
        return *argument || base_usage(error, "--output: an empty file name; give a path or -") ? 0 : EINVAL;
    case KEY_SVG:
        input->svg = argument;
        return *argument || base_usage(error, "--svg: an empty name; give a folder") ? 0 : EINVAL;
    default:
        return cli_parse_common(key, argument, state);
    }
}

static const struct argp argp = {
    options,
    parse,
    "RESULT.json...",
    "Makes one page from the results of `wideload bench --json`: each experiment's ladder as bars beside the "
    "copy "
    "and the theoretical peak, sweeps as lines, and tables of all numbers.  Files of one device are joined; "
    "with a "
    "simulator's file beside a GPU's, counters stand beside the times.  gnuplot draws the charts.",
    NULL,
    NULL,
    NULL};

/* Writes a complete text, so that an error in making it cannot leave half a file. */
static bool put_file(const char *option, const char *path, const char *text, struct base_error *error) {
    struct base_output output;
    if (!base_output_open(&output, option, path, error))
        return false;
    cli_note_unfinished(0, &output.temporary);
    fputs(text, output.file); /* the commit reports errors */
    bool right = base_output_commit(&output, error);
    base_output_close(&output);
    cli_note_unfinished(0, NULL);
    return right;
}

static bool put_page(struct report *report, const char *path, struct base_error *error) {
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return base_failure(error, "out of memory");
    bool right = report_write(report, memory, error);
    if (fclose(memory) && right)
        right = base_failure(error, "out of memory");
    right = right && put_file("--output", path, text, error);
    free(text);
    return right;
}

static bool put_svg(void *argument, const char *name, const char *svg, struct base_error *error) {
    char *path;
    if (asprintf(&path, "%s/%s", (const char *)argument, name) < 0)
        return base_failure(error, "out of memory");
    bool right = put_file("--svg", path, svg, error);
    free(path);
    return right;
}

/* An output must be neither another output nor an input. */
static bool check_place(const struct input *input, struct base_place output, struct base_error *error) {
    struct base_place *places = calloc(input->path_count + 3, sizeof *places);
    size_t count = 0;
    if (!places)
        return base_failure(error, "out of memory");
    places[count++] = output;
    if (strcmp(output.name, "--output") != 0)
        places[count++] = (struct base_place){.name = "--output", .path = input->output};
    places[count++] = (struct base_place){
        .name = "where standard output goes", .is_stream = true, .stream = STDOUT_FILENO, .read = true};
    for (size_t i = 0; i < input->path_count; i++)
        places[count++] = (struct base_place){.name = "an input", .path = input->paths[i], .read = true};
    bool good = base_places_check(places, count, error);
    free(places);
    return good;
}

static bool check_places(struct report *report, const struct input *input, struct base_error *error) {
    bool good = check_place(input, (struct base_place){.name = "--output", .path = input->output}, error);
    for (size_t i = 0; i < report->experiment_count && input->svg; i++)
        for (size_t j = 0; good && j < 2 * report->figure_counts[i]; j++) {
            const char *name = report_svg_name(&report->figures[i][j / 2].chart,
                                               j % 2 ? REPORT_DARK : REPORT_LIGHT, &report->pool);
            const char *path = report_format(&report->pool, "%s/%s", input->svg, name);
            good = check_place(input, (struct base_place){.name = "--svg", .path = path}, error);
        }
    return good;
}

static bool make_folder(const char *path, struct base_error *error) {
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return true;
    int reason = errno;
    if (reason == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    return base_usage(error, "--svg: %.400s cannot be made: %s", path,
                      reason == EEXIST ? "it is not a folder" : strerror(reason));
}

static bool make(struct report *report, const struct input *input, struct base_error *error) {
    if (!report_open(report, input->paths, input->path_count, error) || !check_places(report, input, error))
        return false;
    cli_guard_unfinished();
    if (input->output && !put_page(report, input->output, error))
        return false;
    return !input->svg || (make_folder(input->svg, error) &&
                           report_each_svg(report, put_svg, (void *)(uintptr_t)input->svg, error));
}

static int report(struct input *input) {
    struct base_error error;
    struct report made;
    if (!input->path_count) {
        base_usage(&error, "report needs a result: give what `wideload bench --json FILE` wrote");
        return cli_report(&error);
    }
    if (!input->output && !input->svg) {
        base_usage(&error, "report needs a place: give -o FILE for the page, --svg DIR for the charts");
        return cli_report(&error);
    }
    int status = make(&made, input, &error) ? CLI_SUCCESS : cli_report(&error);
    report_close(&made);
    return status;
}

static int run(int argc, char **argv) {
    struct input input = {.path_count = 0};
    input.paths = calloc((size_t)argc + 1, sizeof *input.paths);
    if (!input.paths) {
        fprintf(stderr, "wideload: out of memory\n");
        return CLI_FAILURE;
    }
    int status = cli_parse(&cli_report_command, argc, argv, &input.common);
    if (status == CLI_GO_ON)
        status = report(&input);
    free(input.paths);
    return status;
}

const struct cli_command cli_report_command = {"report", "Make a page with charts of the bench's JSON", &argp,
                                               run};
