/* wideload prof: runs a program on the simulator and reports what its kernels did. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/output.h"
#include "base/place.h"
#include "base/text.h"
#include "base/utf8.h"
#include "bench/parse.h"
#include "cli/arguments.h"
#include "cli/devices.h"
#include "cli/unfinished.h"
#include "prof/program.h"
#include "prof/records.h"
#include "prof/report.h"
#include "prof/run.h"
#include "prof/tree.h"

enum { STATUS_TIME = 124, MOST_GATES = 64 };

enum {
    KEY_METRICS = CLI_KEY_FIRST,
    KEY_KERNEL,
    KEY_SKIP,
    KEY_COUNT,
    KEY_EACH,
    KEY_LINES,
    KEY_ARCH,
    KEY_TIMEOUT,
    KEY_CHECK,
    KEY_READ,
    KEY_FAIL_IF,
    KEY_GITHUB,
    KEY_OUTPUT,
    KEY_CSV,
    KEY_SARIF,
    KEY_JSON,
    KEY_PAGE,
};

/* The files that the command writes, and after them its records. */
enum { OUTPUT, CSV, JSON, SARIF, PAGE, RECORDS, FILES };
static const char *const file_options[RECORDS] = {"--output", "--csv", "--json", "--sarif", "--page"};

struct input {
    struct cli_common common;
    char **program; /* the program's name and arguments; NULL: none given */
    struct prof_choices choices;
    bool metrics_help;
    regex_t kernel;
    bool has_kernel, lines, github, leaks_fail;
    struct prof_selection selection;
    struct prof_gate gates[MOST_GATES];
    size_t gate_count;
    const char *arch, *checks, *read;
    const char *paths[RECORDS]; /* of the files; NULL: not wanted */
    double seconds;
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to show:", 1},
    {"metrics", KEY_METRICS, "LIST", 0,
     "Report these metrics instead of the table, by nvprof's or Nsight Compute's names; `all`; `help` lists "
     "them",
     1},
    {"lines", KEY_LINES, 0, 0, "Also report each source line's accesses (compile with -lineinfo)", 1},
    {"each", KEY_EACH, 0, 0, "One row per launch instead of one per kernel", 1},
    {"kernel", KEY_KERNEL, "REGEX", 0,
     "Report only kernels whose name matches this extended regular expression", 1},
    {"launch-skip", KEY_SKIP, "N", 0, "Skip the first N launches of those kernels", 1},
    {"launch-count", KEY_COUNT, "N", 0, "Report at most N launches, after those skipped", 1},
    {0, 0, 0, 0, "How to run:", 2},
    {"arch", KEY_ARCH, "NAME", 0, "The counting rules; see `wideload devices`", 2},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "End the program after this long; the exit status is then 124", 2},
    {"check", KEY_CHECK, "LIST", 0,
     "Also look for bugs: memory, race, init, sync, leak; the exit status is 1 if there are any", 2},
    {"read", KEY_READ, "FILE", 0,
     "Run nothing; report the records that a program on the simulator wrote to this file, which its "
     "WIDELOAD_PROF_OUT named",
     2},
    {0, 0, 0, 0, "Gates:", 3},
    {"fail-if", KEY_FAIL_IF, "EXPR", 0,
     "Exit with 3 if this holds for a kernel, as in 'gld_efficiency<80'; may be given several times", 3},
    {"github", KEY_GITHUB, 0, 0, "Also write annotations for GitHub workflows to standard error", 3},
    {0, 0, 0, 0, "Where to:", 4},
    {"output", KEY_OUTPUT, "FILE", 0, "Write the report to a file instead of standard error", 4},
    {"csv", KEY_CSV, "FILE", 0, "Write CSV, one line per row of the table", 4},
    {"json", KEY_JSON, "FILE", 0, "Write JSON, schema " PROF_SCHEMA, 4},
    {"sarif", KEY_SARIF, "FILE", 0,
     "Write what the checks found, gates that failed and lines that waste as SARIF 2.1.0, for code hosts and "
     "editors",
     4},
    {"page", KEY_PAGE, "FILE", 0, "Write an HTML page: the source, its requests as pictures, arrays as maps",
     4},
    CLI_COMMON_OPTIONS,
    {0}};

/* ---------------------------------------------------------------- arguments */

static bool parse_kernel(struct input *input, const char *argument, struct base_error *error) {
    if (input->has_kernel)
        return base_usage(error, "--kernel: given twice; one expression may hold alternatives, a|b");
    int result = regcomp(&input->kernel, argument, REG_EXTENDED | REG_NOSUB);
    if (result) {
        char why[200];
        regerror(result, &input->kernel, why, sizeof why);
        return base_usage(error, "--kernel: '%.80s' is not a regular expression: %s", argument, why);
    }
    input->has_kernel = true;
    input->selection.kernel = &input->kernel;
    return true;
}

static bool parse_checks(const char *list, bool *leaks, struct base_error *error) {
    *leaks = false;
    static const char *const names[] = {"memory", "race", "init", "sync", "leak"};
    enum { NAMES = sizeof names / sizeof *names };
    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ","), i = 0;
        while (i < NAMES && (strlen(names[i]) != length || memcmp(names[i], name, length) != 0))
            i++;
        if (i == NAMES) {
            char wanted[80];
            snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
            const char *near = base_nearest(wanted, names, NAMES);
            return base_usage(
                error, "--check: unknown check '%s'%s%s%s; there are memory, race, init, sync and leak",
                wanted, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
        *leaks |= strcmp(names[i], "leak") == 0;
        name += length;
        if (!*name)
            return true;
    }
}

static bool set_file(struct input *input, int file, const char *argument) {
    struct base_error *error = &input->common.error;
    input->paths[file] = argument;
    if (!*argument)
        return base_usage(error, "%s: an empty file name", file_options[file]);
    /* Only the program writes to standard output. */
    return !base_place_is_stdout(argument) ||
           base_usage(error, "%s: standard output is the program's; give a file", file_options[file]);
}

static bool parse_option(struct input *input, int key, const char *argument) {
    struct base_error *error = &input->common.error;
    switch (key) {
    case KEY_METRICS:
        input->metrics_help = strcmp(argument, "help") == 0;
        return input->metrics_help || prof_choices_parse(argument, &input->choices, error);
    case KEY_KERNEL:
        return parse_kernel(input, argument, error);
    case KEY_SKIP:
        return bench_parse_number("--launch-skip", argument, &input->selection.skip, error);
    case KEY_COUNT:
        return bench_parse_number("--launch-count", argument, &input->selection.count, error);
    case KEY_EACH:
        return input->selection.each = true;
    case KEY_LINES:
        return input->lines = true;
    case KEY_ARCH:
        input->arch = argument;
        return true;
    case KEY_TIMEOUT:
        return bench_parse_positive("--timeout", argument, &input->seconds, error);
    case KEY_CHECK:
        input->checks = argument;
        return parse_checks(argument, &input->leaks_fail, error);
    case KEY_READ:
        input->read = argument;
        return true;
    case KEY_FAIL_IF:
        if (input->gate_count == MOST_GATES)
            return base_usage(error, "--fail-if: given more than %d times", MOST_GATES);
        return prof_gate_parse(argument, &input->gates[input->gate_count++], error);
    case KEY_GITHUB:
        return input->github = true;
    case KEY_OUTPUT:
        return set_file(input, OUTPUT, argument);
    case KEY_CSV:
        return set_file(input, CSV, argument);
    case KEY_SARIF:
        return set_file(input, SARIF, argument);
    case KEY_JSON:
        return set_file(input, JSON, argument);
    default:
        return set_file(input, PAGE, argument);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct input *input = state->input;
    if (key == ARGP_KEY_ARG) {
        /* The remaining arguments are the program's. */
        input->program = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    }
    if (key >= KEY_METRICS && key <= KEY_PAGE)
        return parse_option(input, key, argument) ? 0 : EINVAL;
    return cli_parse_common(key, argument, state);
}

static const struct argp argp = {
    options,
    parse,
    "PROGRAM [ARGUMENT...]\n--read FILE",
    "Runs a CUDA program on the simulator and reports the memory accesses of its kernels, counted exactly.  "
    "The "
    "program keeps its standard streams, exit status and signals; the report goes to standard error.",
    NULL,
    NULL,
    NULL};

static bool check_arch(const char *arch, struct base_error *error) {
    wl_context *context;
    if (!arch)
        return true;
    if (!cli_open(&context, "sim", arch, error))
        return false;
    wl_close(context);
    return true;
}

/* ---------------------------------------------------------------- files */

struct files {
    struct base_output outputs[RECORDS];
    bool wanted[RECORDS];
    struct prof_records records;
    char *created; /* the path of the records that the command makes */
};

/* An output must not be another output, the program, an argument of it, or a file behind its streams. */
static bool check_places(const struct input *input, const struct prof_program *program,
                         struct base_error *error) {
    size_t count = 0, words = 0;
    while (input->program && input->program[words])
        words++;
    /* The files, three streams, the program or the records, and the program's arguments. */
    struct base_place *places = calloc(RECORDS + 3 + 1 + words, sizeof *places);
    if (!places)
        return base_failure(error, "out of memory");
    for (int i = 0; i < RECORDS; i++)
        places[count++] = (struct base_place){.name = file_options[i], .path = input->paths[i]};
    places[count++] = (struct base_place){
        .name = "where standard output goes", .is_stream = true, .stream = STDOUT_FILENO, .read = true};
    places[count++] = (struct base_place){
        .name = "where standard error goes", .is_stream = true, .stream = STDERR_FILENO, .read = true};
    places[count++] = (struct base_place){
        .name = "standard input", .is_stream = true, .stream = STDIN_FILENO, .read = true};
    if (input->read)
        places[count++] = (struct base_place){.name = "--read", .path = input->read, .read = true};
    else
        places[count++] = (struct base_place){.name = "the program", .path = program->path, .read = true};
    for (size_t i = 1; input->program && input->program[i]; i++)
        places[count++] = (struct base_place){
            .name = "an argument of the program", .path = input->program[i], .read = true};
    bool good = base_places_check(places, count, error);
    free(places);
    return good;
}

static bool open_files(struct files *files, const struct input *input, struct base_error *error) {
    cli_guard_unfinished();
    for (int i = 0; i < RECORDS; i++) {
        if (!input->paths[i])
            continue;
        if (!base_output_open(&files->outputs[i], file_options[i], input->paths[i], error))
            return false;
        files->wanted[i] = true;
        cli_note_unfinished(i, &files->outputs[i].temporary);
        /* The program must not inherit the descriptor. */
        fcntl(fileno(files->outputs[i].file), F_SETFD, FD_CLOEXEC);
    }
    if (input->read)
        return prof_records_open(&files->records, input->read, error);
    if (!prof_records_create(&files->records, error))
        return false;
    files->created = files->records.path;
    cli_note_unfinished(RECORDS, &files->created);
    return true;
}

static bool commit(struct files *files, int i, struct base_error *error) {
    bool good = base_output_commit(&files->outputs[i], error);
    if (good)
        cli_note_unfinished(i, NULL);
    return good;
}

static void close_files(struct files *files) {
    for (int i = 0; i < RECORDS; i++)
        if (files->wanted[i])
            base_output_close(&files->outputs[i]);
    prof_records_close(&files->records);
    for (int i = 0; i < FILES; i++)
        cli_note_unfinished(i, NULL);
}

/* ---------------------------------------------------------------- the report */

static bool out_of_memory(struct base_error *error) {
    return base_failure(error, "out of memory");
}

/* program: NULL for --read.  Returns the driver's message that gives the reason, or NULL. */
static const struct prof_message *put_silence(FILE *file, const struct prof_program *program,
                                              const struct prof_report *report) {
    const struct prof_recording *recording = report->recording;
    const struct prof_message *why = NULL;
    fprintf(file, "wideload prof: %s: ", report->program);
    if (recording->launch_count) {
        fprintf(file, "none of its %zu launches was asked for\n", recording->launch_count);
    } else if (!program || recording->begun || !recording->has_account) {
        fputs("no launch was recorded\n", file);
    } else if ((why = prof_first_error(report))) {
        fprintf(file, "no kernel ran: %.*s\n", (int)strcspn(why->text, "\n"), why->text);
    } else {
        bool simulator = recording->process_count || recording->lost;
        fprintf(file, "no kernel ran: %s\n", prof_program_silence(program, simulator));
    }
    return why;
}

static bool put_report(FILE *file, const struct input *input, const struct prof_program *program,
                       const struct prof_report *report) {
    const struct prof_message *told = NULL;
    if (report->rows->count) {
        prof_put_header(file, report);
        if (!(report->choices->count ? prof_put_metrics(file, report) : prof_put_table(file, report)) ||
            (input->lines && !prof_put_lines(file, report)))
            return false;
    } else {
        told = put_silence(file, program, report);
    }
    prof_put_faults(file, report);
    prof_put_losses(file, report);
    prof_put_notes(file, report);
    prof_put_messages(file, report, told);
    if ((input->checks || input->read) && report->recording->has_checks)
        prof_put_findings(file, report);
    return true;
}

static void fail(FILE *file, int *status, int value, const char *words) {
    fprintf(file, "FAIL %s\n", words);
    *status = value;
}

/* The exit status by gates and checks; CLI_GO_ON: the program's own.  An incomplete report fails both. */
static int judge(FILE *file, const struct input *input, const struct prof_report *report) {
    const struct prof_recording *recording = report->recording;
    bool incomplete = prof_is_incomplete(report);
    int status = CLI_GO_ON;
    if (prof_put_failures(file, report))
        status = CLI_GATE;
    if (input->gate_count && !report->rows->count)
        fail(file, &status, CLI_GATE, "--fail-if: no launch was there to be held against it");
    else if (input->gate_count && incomplete)
        fail(file, &status, CLI_GATE, "--fail-if: the report is incomplete");
    if (!input->checks)
        return status;
    if (incomplete)
        fail(file, &status, CLI_FAILURE,
             "--check: the report is incomplete, so faults may be missing from it");
    else if (!recording->process_count)
        fail(file, &status, CLI_FAILURE, "--check: nothing was checked: no process opened the simulator");
    return prof_count_errors(report) ? CLI_FAILURE : status;
}

static bool put_file(struct files *files, int i, bool (*put)(FILE *file, const struct prof_report *report),
                     const struct prof_report *report, struct base_error *error) {
    if (!files->wanted[i])
        return true;
    FILE *file = files->outputs[i].file;
    /* If the stream has failed, memory is not the reason, and commit() reports the error. */
    if (!put(file, report) && !ferror(file))
        return out_of_memory(error);
    return commit(files, i, error);
}

static bool write_report(struct files *files, const struct input *input, const struct prof_program *program,
                         const struct prof_report *report, int *status, struct base_error *error) {
    FILE *file = files->wanted[OUTPUT] ? files->outputs[OUTPUT].file : stderr;
    bool good = put_report(file, input, program, report) || out_of_memory(error);
    if (good)
        *status = judge(file, input, report);
    if (good && input->github)
        prof_put_annotations(stderr, report);
    good = good && (!files->wanted[OUTPUT] || commit(files, OUTPUT, error));
    good = good && put_file(files, CSV, prof_put_csv, report, error) &&
           put_file(files, JSON, prof_put_json, report, error) &&
           put_file(files, SARIF, prof_put_sarif, report, error) &&
           put_file(files, PAGE, prof_put_page, report, error);
    /* The files above are written even if standard error fails. */
    return good && (!ferror(stderr) || base_failure(error, "standard error: the report cannot be written"));
}

/* Counts processes that still run, such as daemons. */
static size_t count_running(const struct prof_recording *recording) {
    size_t count = 0;
    for (size_t i = 0; i < recording->process_count; i++)
        count += prof_tree_runs(recording->processes[i].pid);
    return count;
}

static bool report_records(struct files *files, const struct input *input, const struct prof_program *program,
                           int *status, struct base_error *error) {
    struct prof_recording recording;
    struct prof_rows rows = {0};
    if (!prof_recording_read(files->records.file, &recording, error))
        return false;
    char *name = base_utf8(!input->read              ? input->program[0]
                           : recording.process_count ? recording.processes[0].program
                                                     : input->read);
    bool good = name || out_of_memory(error);
    if (good && input->checks && recording.process_count && !recording.has_checks && !recording.lost)
        good =
            base_failure(error, "--check: nothing was checked: the program emptied its environment, or the "
                                "simulator has no checks");
    good = good && prof_rows_make(&recording, &input->selection, &rows, error);
    if (good) {
        struct prof_report report = {.program = name,
                                     .recording = &recording,
                                     .rows = &rows,
                                     .choices = &input->choices,
                                     .gates = input->gates,
                                     .gate_count = input->gate_count,
                                     .each = input->selection.each,
                                     .leaks_fail = input->leaks_fail,
                                     .read = input->read != NULL,
                                     .running = input->read ? 0 : count_running(&recording)};
        good = write_report(files, input, program, &report, status, error);
    }
    prof_rows_free(&rows);
    prof_recording_free(&recording);
    free(name);
    return good;
}

/* ---------------------------------------------------------------- the run */

/* Returns the program's exit status, or ends by the same signal, without a second core file. */
static int program_status(const struct input *input, const struct prof_outcome *outcome) {
    if (outcome->timed_out) {
        fprintf(stderr, "wideload: %s ran longer than %g s and was ended\n", input->program[0],
                input->seconds);
        return STATUS_TIME;
    }
    if (WIFEXITED(outcome->status))
        return WEXITSTATUS(outcome->status);
    int number = WTERMSIG(outcome->status);
    struct rlimit none = {0, 0};
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t set;
    fflush(NULL);
    setrlimit(RLIMIT_CORE, &none);
    sigaction(number, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    return 128 + number;
}

static int profile(struct input *input) {
    struct base_error error;
    struct prof_program program;
    struct files files = {0};
    if (!check_arch(input->arch, &error))
        return cli_report(&error);
    int status = prof_program_find(input->program[0], &program, &error);
    if (status) {
        cli_report(&error);
        return status;
    }
    struct prof_outcome outcome;
    int verdict = CLI_GO_ON;
    if (!check_places(input, &program, &error) || !open_files(&files, input, &error)) {
        status = cli_report(&error);
        close_files(&files);
        return status;
    }
    struct prof_run run = {.path = program.path,
                           .arguments = input->program,
                           .records = files.records.path,
                           .arch = input->arch,
                           .checks = input->checks,
                           .page = input->paths[PAGE] != NULL,
                           .seconds = input->seconds,
                           .simulator = prof_program_takes_simulator(&program),
                           .abandoned = cli_remove_unfinished};
    status = prof_run_program(&run, &outcome, &error);
    if (status) {
        cli_report(&error);
        close_files(&files);
        return status;
    }
    bool good = report_records(&files, input, &program, &verdict, &error);
    close_files(&files);
    if (!good)
        return cli_report(&error);
    /* If the program was killed by a signal, its status takes precedence over the verdict. */
    if (verdict != CLI_GO_ON && !outcome.timed_out && WIFEXITED(outcome.status))
        return verdict;
    return program_status(input, &outcome);
}

/* --read: the records are there already. */
static int report_read(const struct input *input) {
    struct base_error error;
    struct files files = {0};
    int verdict = CLI_GO_ON;
    bool good = check_places(input, NULL, &error) && open_files(&files, input, &error) &&
                report_records(&files, input, NULL, &verdict, &error);
    close_files(&files);
    if (!good)
        return cli_report(&error);
    return verdict == CLI_GO_ON ? CLI_SUCCESS : verdict;
}

/* Refuses what says how to run, beside --read. */
static bool check_read(const struct input *input, struct base_error *error) {
    const char *beside = input->program         ? "a program"
                         : input->arch          ? "--arch"
                         : input->checks        ? "--check"
                         : input->seconds > 0.0 ? "--timeout"
                                                : NULL;
    return !beside || base_usage(error, "--read: %s was given too, but --read runs nothing", beside);
}

static int run(int argc, char **argv) {
    struct input input = {.selection = {.count = UINT64_MAX}};
    int status = cli_parse(&cli_prof, argc, argv, &input.common);
    if (status == CLI_GO_ON && input.metrics_help) {
        prof_metrics_help(stdout);
        status = CLI_SUCCESS;
    } else if (status == CLI_GO_ON && input.read) {
        struct base_error error;
        status = check_read(&input, &error) ? report_read(&input) : cli_report(&error);
    } else if (status == CLI_GO_ON && !input.program) {
        struct base_error error;
        base_usage(&error, "no program given; see `wideload help prof`");
        status = cli_report(&error);
    } else if (status == CLI_GO_ON) {
        status = profile(&input);
    }
    prof_choices_free(&input.choices);
    if (input.has_kernel)
        regfree(&input.kernel);
    return status;
}

const struct cli_command cli_prof = {"prof", "Run a CUDA program on the simulator; report its kernels", &argp,
                                     run};
