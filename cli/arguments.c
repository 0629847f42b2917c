#include "cli/arguments.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "wideload.h"

enum { MOST_OPTIONS = 64 };

static size_t option_names(const struct argp *argp, const char *names[MOST_OPTIONS]) {
    size_t count = 0;
    for (const struct argp_option *o = argp->options; (o->name || o->doc) && count < MOST_OPTIONS; o++)
        if (o->name)
            names[count++] = o->name;
    return count;
}

/* Finds out why getopt refused an option: it is unknown or ambiguous, lacks its value, or takes none. */
static void describe_option(const char *text, const struct argp *argp, struct base_error *error) {
    const char *names[MOST_OPTIONS];
    size_t count = option_names(argp, names), matches = 0;
    if (strncmp(text, "--", 2) != 0) {
        base_usage(error, "unknown option '%.80s'; see --help", text);
        return;
    }
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    const struct argp_option *match = NULL;
    for (const struct argp_option *o = argp->options; o->name || o->doc; o++)
        if (o->name && strncmp(o->name, name, strlen(name)) == 0) {
            matches++;
            match = o;
            if (strcmp(o->name, name) == 0) {
                matches = 1;
                break;
            }
        }
    if (matches > 1)
        base_usage(error, "option '--%s' is ambiguous; write it out, see --help", name);
    else if (matches == 1 && match->arg)
        base_usage(error, "option '--%s' needs a value: --%s=%s", match->name, match->name, match->arg);
    else if (matches == 1)
        base_usage(error, "option '--%s' takes no value", match->name);
    else {
        const char *near = base_nearest(name, names, count);
        base_usage(error, "unknown option '--%s'%s%s%s; see --help", name, near ? ": did you mean '--" : "",
                   near ? near : "", near ? "'?" : "");
    }
}

error_t cli_parse_common(int key, char *argument, struct argp_state *state) {
    struct cli_common *common = state->input;
    switch (key) {
    case CLI_KEY_HELP:
        common->help = true;
        return 0;
    case CLI_KEY_VERSION:
        common->version = true;
        return 0;
    case ARGP_KEY_ARG:
        base_usage(&common->error, "unexpected argument '%.80s'; see --help", argument);
        return EINVAL;
    case ARGP_KEY_ERROR:
        if (!common->error.text[0] && state->next >= 1 && state->next <= state->argc) {
            /* getopt refuses a cluster of short options before it moves past it. */
            const char *text = state->argv[state->next - 1];
            if (text[0] != '-' && state->next < state->argc)
                text = state->argv[state->next];
            describe_option(text, state->root_argp, &common->error);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void cli_print_help(const struct cli_command *command) {
    char name[64];
    snprintf(name, sizeof name, "wideload %s", command->name);
    argp_help(command->argp, stdout,
              ARGP_HELP_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC, name);
}

int cli_report(const struct base_error *error) {
    fprintf(stderr, "wideload: %s\n", error->text);
    return error->usage ? CLI_USAGE : CLI_FAILURE;
}

int cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_common *input) {
    error_t result = argp_parse(command->argp, argc, argv,
                                ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP | ARGP_IN_ORDER, NULL, input);
    if (result) {
        if (!input->error.text[0])
            base_failure(&input->error, "%s", strerror(result));
        return cli_report(&input->error);
    }
    if (input->help) {
        cli_print_help(command);
        return CLI_SUCCESS;
    }
    if (input->version) {
        printf("wideload %s\n", wl_version());
        return CLI_SUCCESS;
    }
    return CLI_GO_ON;
}
