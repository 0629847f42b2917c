#include "cli/group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *environment(const char *name) {
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* The number in "gpu:1" or "sim:1"; without one, the first device. */
static unsigned number_of(const char *device) {
    if (!device || strcmp(device, "auto") == 0)
        device = environment("WIDELOAD_DEVICE");
    const char *number = device ? strchr(device, ':') : NULL;
    return number ? (unsigned)strtoul(number + 1, NULL, 10) : 0;
}

bool cli_group_prepare(const char *device, unsigned count, struct base_error *error) {
    char text[16];
    unsigned devices = number_of(device) + count;
    if (count == 1 || environment("WIDELOAD_SIM_DEVICES"))
        return true;
    snprintf(text, sizeof text, "%u", devices < WL_DEVICES_MOST ? devices : WL_DEVICES_MOST);
    return setenv("WIDELOAD_SIM_DEVICES", text, 1) == 0 ||
           base_failure(error, "WIDELOAD_SIM_DEVICES cannot be set: %s", strerror(errno));
}

/* Says how many devices there are, and of the simulator, what decides that. */
static void too_few(struct cli_group *group, unsigned count, const char *kind) {
    const struct wl_group *devices = &group->devices;
    int at = snprintf(group->absent, sizeof group->absent, "%u devices are needed", count);
    if (devices->first)
        at += snprintf(group->absent + at, sizeof group->absent - (size_t)at, " from %s:%u on", kind,
                       devices->first);
    at += snprintf(group->absent + at, sizeof group->absent - (size_t)at, ", and there %s %u",
                   devices->count == 1 ? "is" : "are", devices->count);
    const char *simulated = environment("WIDELOAD_SIM_DEVICES");
    if (strcmp(kind, "sim") == 0 && devices->first + count > WL_DEVICES_MOST)
        snprintf(group->absent + at, sizeof group->absent - (size_t)at, ": the simulator has at most %d",
                 WL_DEVICES_MOST);
    else if (strcmp(kind, "sim") == 0 && simulated)
        snprintf(group->absent + at, sizeof group->absent - (size_t)at,
                 ": the simulator has %.20s, by WIDELOAD_SIM_DEVICES", simulated);
}

static bool open_further(struct cli_group *group, unsigned count, const char *kind) {
    struct wl_group *devices = &group->devices;
    while (devices->count < count) {
        char name[32];
        snprintf(name, sizeof name, "%s:%u", kind, devices->first + devices->count);
        wl_error error = wl_open(&devices->contexts[devices->count], name);
        if (error == WL_ERROR_NO_DEVICE)
            too_few(group, count, kind);
        else if (error)
            snprintf(group->absent, sizeof group->absent, "the device '%s' cannot be opened: %.300s", name,
                     wl_message());
        if (error)
            return false;
        devices->count++;
    }
    return true;
}

bool cli_group_open(struct cli_group *group, wl_context *context, const char *device, unsigned count) {
    struct wl_group *devices = &group->devices;
    wl_device_info info;
    *devices = (struct wl_group){.count = 1, .first = number_of(device), .contexts = {context}};
    bool right = wl_get_device_info(context, &info) == WL_ERROR_OK;
    if (!right)
        snprintf(group->absent, sizeof group->absent, "%.390s", wl_message());
    right = right && open_further(group, count, info.kind);
    if (right && wl__group_open(devices)) {
        snprintf(group->absent, sizeof group->absent, "%.390s", wl_message());
        right = false;
    }
    if (!right)
        cli_group_close(group);
    return right;
}

void cli_group_close(struct cli_group *group) {
    wl__group_close(&group->devices);
    for (unsigned r = 1; r < group->devices.count; r++)
        wl_close(group->devices.contexts[r]);
    group->devices.count = 0;
}
