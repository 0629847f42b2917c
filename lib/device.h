/* What the classroom and the bench need of a device besides wideload.h. */
#ifndef WIDELOAD_LIB_DEVICE_H
#define WIDELOAD_LIB_DEVICE_H

#include <stdbool.h>

#include "wideload.h"

/* The device's UUID, by which NVML knows it too. */
wl_error wl__device_uuid(wl_context *context, unsigned char uuid[16]);

/* Makes the context the thread's current one, over whatever the application has there, and takes it off
 * again.  Every call of the driver, and of any other CUDA library, stands between the two.  Enter refuses a
 * NULL context, and the host device, which has none. */
wl_error wl__enter(wl_context *context);
void wl__leave(wl_context *context);
/* Lets a device, whose context is current, reach the memory of another.  UNSUPPORTED: it cannot; the message
 * names both.
 */
wl_error wl__enable_peer(const wl_context *on, const wl_context *peer);

bool wl__is_simulator(const wl_context *context);

#endif
