/* wideload: chooses the command, and sets up what all commands need. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/arguments.h"
#include "wideload.h"

static const struct cli_command *const commands[] = {
    &cli_bench,           &cli_report_command, &cli_prof, &cli_list,         &cli_devices,
    &cli_transpose,       &cli_permute,        &cli_add,  &cli_deinterleave, &cli_interleave,
    &cli_sparse_transpose};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void) {
    puts("Usage: wideload COMMAND [ARGUMENT...]\n"
         "Shows what each memory access pattern of a CUDA kernel costs, on a GPU or without one,\n"
         "and moves arrays in files.\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-16s  %s\n", commands[i]->name, commands[i]->summary);
    puts("  help              Print this help, or a command's\n"
         "\n"
         "      --help     Print this help; after a command, its own\n"
         "      --version  Print the version\n"
         "\n"
         "Exit status: 0 for success, 1 for a failure, 2 for a wrong request, 3 if a gate failed\n"
         "(--compare, --fail-if).  `prof` exits with the program's status, with 124 if its time\n"
         "was up, and with 126 or 127 if it cannot be run.");
}

static const struct cli_command *find(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown(const char *what, const char *name, const char *const *names, size_t count,
                   const char *quote) {
    struct base_error error;
    const char *near = base_nearest(name, names, count);
    base_usage(&error, "unknown %s '%.80s'%s%s%s%s; see `wideload --help`", what, name,
               near ? ": did you mean " : "", near ? quote : "", near ? near : "", near ? "'?" : "");
    return cli_report(&error);
}

static int unknown_command(const char *name) {
    const char *names[COMMANDS + 1];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    names[COMMANDS] = "help";
    return unknown("command", name, names, COMMANDS + 1, "'");
}

static int help(int argc, char **argv) {
    if (argc > 2) {
        struct base_error error;
        base_usage(&error, "help takes one command, not %d; see `wideload --help`", argc - 1);
        return cli_report(&error);
    }
    if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0) {
        print_help();
        return CLI_SUCCESS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("wideload %s\n", wl_version());
        return CLI_SUCCESS;
    }
    const struct cli_command *command = find(argv[1]);
    if (!command)
        return unknown_command(argv[1]);
    cli_print_help(command);
    return CLI_SUCCESS;
}

static int option(const char *text) {
    static const char *const names[] = {"--help", "--version"};
    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
        print_help();
        return CLI_SUCCESS;
    }
    if (strcmp(text, "--version") == 0) {
        printf("wideload %s\n", wl_version());
        return CLI_SUCCESS;
    }
    return unknown("option", text, names, 2, "'");
}

/* If a standard stream is closed, the next file opened would get its descriptor and everything printed.  So
 * its descriptor goes to /dev/null, opened so that using the stream is an error.  A child process finds it
 * closed, as before. */
static void fill_streams(void) {
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", (i ? O_RDONLY : O_WRONLY) | O_CLOEXEC) < 0)
            return;
}

static void pass_over(int number) {
    (void)number;
}

/* With a handler for SIGXFSZ, a file beyond the size limit is a write error, and no unfinished file stays.  A
 * child process gets the default action again. */
static void take_limit_as_error(void) {
    struct sigaction action = {.sa_handler = pass_over}, old;
    if (sigaction(SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, char **argv) {
    int status;
    fill_streams();
    take_limit_as_error();
    if (argc < 2) {
        struct base_error error;
        base_usage(&error, "no command given; see `wideload --help`");
        return cli_report(&error);
    }
    const struct cli_command *command = find(argv[1]);
    if (command)
        status = command->run(argc - 1, argv + 1);
    else if (strcmp(argv[1], "help") == 0)
        status = help(argc - 1, argv + 1);
    else if (argv[1][0] == '-')
        status = option(argv[1]);
    else
        status = unknown_command(argv[1]);
    if ((fflush(stdout) || ferror(stdout)) && status == CLI_SUCCESS) {
        fprintf(stderr, "wideload: standard output cannot be written\n");
        status = CLI_FAILURE;
    }
    return status;
}
