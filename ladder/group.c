/* Peer access between a group's devices, and the order of their default streams. */
#include "ladder/group.h"

#include "lib/context.h"
#include "lib/error.h"

static wl_error open_member(struct wl_group *group, unsigned r) {
    wl_context *on = group->contexts[r];
    wl_error error = wl__enter(on);
    if (error)
        return error;
    for (unsigned i = 0; i < group->count && !error; i++)
        if (i != r)
            error = wl__enable_peer(on, group->contexts[i]);
    CUevent event = NULL;
    if (!error)
        error = wl__driver_check(&on->driver, on->driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
                                 "cuEventCreate");
    group->events[r] = event;
    wl__leave(on);
    return error;
}

wl_error wl__group_open(struct wl_group *group) {
    for (unsigned r = 0; r < WL_DEVICES_MOST; r++)
        group->events[r] = NULL;
    for (unsigned r = 0; r < group->count; r++) {
        wl_error error = open_member(group, r);
        if (error) {
            wl__group_close(group);
            return error;
        }
    }
    return WL_ERROR_OK;
}

void wl__group_close(struct wl_group *group) {
    for (unsigned r = 0; r < group->count; r++) {
        wl_context *on = group->contexts[r];
        if (!group->events[r] || wl__enter(on))
            continue;
        (void)on->driver.cuEventDestroy(group->events[r]);
        group->events[r] = NULL;
        wl__leave(on);
    }
}

static wl_error record(const struct wl_group *group, unsigned r) {
    wl_context *on = group->contexts[r];
    wl_error error = wl__enter(on);
    if (error)
        return error;
    error = wl__driver_check(&on->driver, on->driver.cuEventRecord(group->events[r], NULL), "cuEventRecord");
    wl__leave(on);
    return error;
}

static wl_error wait(const struct wl_group *group, unsigned r) {
    wl_context *on = group->contexts[r];
    wl_error error = wl__enter(on);
    if (error)
        return error;
    for (unsigned i = 0; i < group->count && !error; i++)
        if (i != r)
            error = wl__driver_check(&on->driver, on->driver.cuStreamWaitEvent(NULL, group->events[i], 0),
                                     "cuStreamWaitEvent");
    wl__leave(on);
    return error;
}

wl_error wl__group_meet(const struct wl_group *group) {
    wl_error error = WL_ERROR_OK;
    for (unsigned r = 0; r < group->count && !error; r++)
        error = record(group, r);
    for (unsigned r = 0; r < group->count && !error; r++)
        error = wait(group, r);
    return error;
}
