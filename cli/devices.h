/* Opens devices by the user's names, and lists the simulator's counting rules. */
#ifndef WIDELOAD_CLI_DEVICES_H
#define WIDELOAD_CLI_DEVICES_H

#include <stddef.h>

#include "base/error.h"
#include "wideload.h"

enum { CLI_MOST_ARCHS = 32 };

/* Fills names with the simulator's counting rules and returns their number; 0 on a GPU. */
size_t cli_archs(wl_context *context, const char *names[CLI_MOST_ARCHS]);

/* Accepts "auto", "gpu", "gpu:N", "sim", "sim:N" and "host". */
bool cli_check_device(const char *device, struct base_error *error);

/* Opens a device (NULL: "auto") with counting rules (NULL: the simulator's own choice).  Rules without a
 * device mean the simulator.  Refuses the host device, which runs no kernels. */
bool cli_open(wl_context **out, const char *device, const char *arch, struct base_error *error);

#endif
