#include "cli/devices.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/arguments.h"

enum { MOST_GPUS = 64 };

size_t cli_archs(wl_context *context, const char *names[CLI_MOST_ARCHS]) {
    size_t count = 0;
    while (count < CLI_MOST_ARCHS && wl_arch_at(context, (unsigned)count, &names[count], NULL) == WL_ERROR_OK)
        count++;
    return count;
}

bool cli_check_device(const char *device, struct base_error *error) {
    static const char *const names[] = {"auto", "gpu", "sim", "host"};
    for (size_t i = 0; i < 4; i++)
        if (strcmp(device, names[i]) == 0)
            return true;
    if (strncmp(device, "gpu:", 4) == 0 || strncmp(device, "sim:", 4) == 0) {
        size_t digits = strspn(device + 4, "0123456789");
        if (digits >= 1 && digits <= 4 && device[4 + digits] == 0)
            return true;
        return base_usage(error, "--device: '%.80s' has no device number; give %.4s0 or a higher number",
                          device, device);
    }
    const char *near = base_nearest(device, names, 3); /* of those that run kernels */
    return base_usage(error, "--device: unknown device '%.80s'%s%s%s; give auto, gpu, gpu:N, sim or sim:N",
                      device, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool set_arch(wl_context *context, const char *arch, struct base_error *error) {
    wl_error result = wl_set_arch(context, arch);
    if (result == WL_ERROR_OK)
        return true;
    if (result == WL_ERROR_UNSUPPORTED)
        return base_usage(
            error, "--arch: counting rules are the simulator's and the device is a GPU; add --device sim");
    if (result != WL_ERROR_INVALID_ARGUMENT)
        return base_failure(error, "--arch: %s: %s", arch, wl_message());
    const char *names[CLI_MOST_ARCHS];
    size_t count = cli_archs(context, names);
    const char *near = base_nearest(arch, names, count);
    char known[300] = "";
    for (size_t i = 0, length = 0; i < count && length < sizeof known; i++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", names[i]);
    return base_usage(error, "--arch: unknown rules '%.80s'%s%s%s; there are %s", arch,
                      near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

/* Refuses the host device, which WIDELOAD_DEVICE may have named: what is measured and counted here are
 * kernels. */
static bool check_kernels(wl_context *context, struct base_error *error) {
    wl_device_info info;
    if (wl_get_device_info(context, &info) == WL_ERROR_OK && strcmp(info.kind, "host") == 0)
        return base_usage(error, "the device 'host' runs no kernels; give auto, gpu, gpu:N, sim or sim:N");
    return true;
}

bool cli_open(wl_context **out, const char *device, const char *arch, struct base_error *error) {
    *out = NULL;
    if (device && !cli_check_device(device, error))
        return false;
    bool chosen = (device && strcmp(device, "auto") != 0) || getenv("WIDELOAD_DEVICE");
    if (arch && !chosen)
        device = "sim";
    wl_error result = wl_open(out, device);
    if (result) {
        *out = NULL;
        base_failure(error, "the device '%s' cannot be opened: %s", device ? device : "auto",
                     wl_message()[0] ? wl_message() : wl_error_text(result));
        error->usage = result == WL_ERROR_INVALID_ARGUMENT;
        return false;
    }
    if (!check_kernels(*out, error) || (arch && !set_arch(*out, arch, error))) {
        wl_close(*out);
        *out = NULL;
        return false;
    }
    return true;
}

/* ---------------------------------------------------------------- the command */

static const struct argp_option options[] = {CLI_COMMON_OPTIONS, {0}};
static const struct argp argp = {
    options, cli_parse_common,
    "",      "Lists every device that can be opened, and the simulator's counting rules.",
    NULL,    NULL,
    NULL};

static bool print_device(const char *device, wl_context *context) {
    wl_device_info info;
    char peak[32] = "unknown";
    if (wl_get_device_info(context, &info))
        return false;
    if (info.peak_gbps > 0)
        snprintf(peak, sizeof peak, "%.1f GB/s", info.peak_gbps);
    printf("%-7s %-5s %-28.28s %-9s %9.1f GiB  %s\n", device, info.kind, info.name, info.arch,
           (double)info.memory_bytes / (1 << 30), peak);
    return true;
}

static void print_failure(const char *device, int *status) {
    fprintf(stderr, "wideload: %s: %s\n", device, wl_message());
    *status = CLI_FAILURE;
}

/* False if there is no such device. */
static bool print_named(const char *device, int *status) {
    wl_context *context;
    wl_error result = wl_open(&context, device);
    if (result == WL_ERROR_NO_DRIVER || result == WL_ERROR_NO_DEVICE)
        return false;
    if (result || !print_device(device, context))
        print_failure(device, status);
    if (!result)
        wl_close(context);
    fflush(stdout);
    return result == WL_ERROR_OK;
}

static bool print_numbered(const char *kind, unsigned number, int *status) {
    char device[16];
    snprintf(device, sizeof device, "%s:%u", kind, number);
    return print_named(device, status);
}

static int run(int argc, char **argv) {
    struct cli_common common = {0};
    int status = cli_parse(&cli_devices, argc, argv, &common);
    if (status != CLI_GO_ON)
        return status;
    status = CLI_SUCCESS;
    printf("%-7s %-5s %-28s %-9s %13s  %s\n", "device", "kind", "name", "arch", "memory", "peak");
    for (unsigned i = 0; i < MOST_GPUS && print_numbered("gpu", i, &status); i++)
        ;
    print_named("host", &status);
    wl_context *context;
    struct base_error error;
    if (!cli_open(&context, "sim", NULL, &error)) {
        cli_report(&error);
        return CLI_FAILURE;
    }
    if (!print_device("sim", context))
        print_failure("sim", &status);
    fflush(stdout);
    for (unsigned i = 1; i < MOST_GPUS && print_numbered("sim", i, &status); i++)
        ;
    const char *names[CLI_MOST_ARCHS];
    size_t count = cli_archs(context, names);
    char rules[CLI_MOST_ARCHS * 16] = "";
    for (size_t i = 0; i < count; i++) {
        int proved = 0;
        wl_arch_at(context, (unsigned)i, NULL, &proved);
        snprintf(rules + strlen(rules), sizeof rules - strlen(rules), "%s%s%s", i ? " " : "", names[i],
                 proved ? "*" : "");
    }
    int column = printf("\nThe simulator's counting rules (--arch): ") - 1;
    base_wrap(stdout, rules, 2, column);
    puts("* held against hardware counters; the others follow public documents");
    wl_close(context);
    return status;
}

const struct cli_command cli_devices = {"devices", "List the devices that can be opened", &argp, run};
