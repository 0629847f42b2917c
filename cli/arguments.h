/* Shared by the commands' argument parsers: --help, --version, and one line per error. */
#ifndef WIDELOAD_CLI_ARGUMENTS_H
#define WIDELOAD_CLI_ARGUMENTS_H

#include <argp.h>

#include "base/error.h"

enum {
    CLI_SUCCESS = 0,
    CLI_FAILURE = 1,
    CLI_USAGE = 2,
    CLI_GATE = 3,   /* a condition of --compare or --fail-if was not met */
    CLI_GO_ON = -1, /* no exit status yet */
};

enum { CLI_KEY_HELP = 0x1000, CLI_KEY_VERSION, CLI_KEY_FIRST /* of a command's own options */ };

#define CLI_COMMON_OPTIONS                                                                                   \
    {"help", CLI_KEY_HELP, 0, 0, "Print this help", -1}, {                                                   \
        "version", CLI_KEY_VERSION, 0, 0, "Print the version", -1                                            \
    }

/* The first member of every argp input. */
struct cli_common {
    bool help, version;
    struct base_error error;
};

/* A command.  The parser of its argp falls back to cli_parse_common(). */
struct cli_command {
    const char *name;
    const char *summary;
    const struct argp *argp;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
};

extern const struct cli_command cli_bench, cli_report_command, cli_list, cli_devices, cli_prof, cli_transpose,
    cli_permute, cli_add, cli_deinterleave, cli_interleave, cli_sparse_transpose;

/* Handles the common keys, and makes a message for an option that getopt refused. */
error_t cli_parse_common(int key, char *argument, struct argp_state *state);

/* Parses a command's arguments into `input`.  Returns CLI_GO_ON, or the exit status after --help or --version
 * (printed to stdout) or an error (printed to stderr). */
int cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_common *input);

/* Prints the command's help to stdout. */
void cli_print_help(const struct cli_command *command);

/* Prints "wideload: ..." to stderr and returns the error's exit status. */
int cli_report(const struct base_error *error);

#endif
