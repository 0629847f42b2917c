/* Opens several devices by the user's name of the first one. */
#ifndef WIDELOAD_CLI_GROUP_H
#define WIDELOAD_CLI_GROUP_H

#include "bench/plan.h"

struct cli_group {
    struct wl_group devices; /* devices.contexts[0] is the caller's */
    char absent[400];        /* why there are not as many */
};

/* Lets a simulator that is opened later have at least `count` devices, from the one that `device` names
 * (NULL: "auto") on, unless WIDELOAD_SIM_DEVICES is set.  A count of 1 changes nothing. */
bool cli_group_prepare(const char *device, unsigned count, struct base_error *error);

/* Opens the devices that follow `context`, which is open by the name `device`, so that they are `count` in
 * all, and gives them access to each other's memory.  False: group->absent says why, and none is open. */
bool cli_group_open(struct cli_group *group, wl_context *context, const char *device, unsigned count);
/* Call it before the first device is closed.  A group that is not open is a no-op. */
void cli_group_close(struct cli_group *group);

#endif
