/* Memory for staging that ranks of one machine map, so that a rank packs straight across the link. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/redistribute/exchange.h"

bool wl__maps_peers = true;

/* ---------------------------------------------------------------- machines */

/* NCCL_P2P_DISABLE=1, or the level LOC, is for machines on which devices do not reach each other's memory,
 * whatever the driver says.  0 is NCCL's older word for LOC. */
static bool may_map(void) {
    const char *disable = getenv("NCCL_P2P_DISABLE"), *level = getenv("NCCL_P2P_LEVEL");
    return !(disable && atoi(disable)) && !(level && (strcmp(level, "LOC") == 0 || strcmp(level, "0") == 0));
}

static bool can_map(const struct wl__driver *driver) {
    return wl__maps_peers && driver->cuIpcGetMemHandle && driver->cuIpcOpenMemHandle &&
           driver->cuIpcCloseMemHandle && may_map();
}

void wl__name_machine(const struct wl__exchange *exchange, char name[WL__MACHINE_BYTES]) {
    memset(name, 0, WL__MACHINE_BYTES);
    const bool can = can_map(&exchange->context->driver) && exchange->ranks <= WL__MAPPED_RANKS;
    FILE *file = can ? fopen("/proc/sys/kernel/random/boot_id", "re") : NULL;
    if (!file)
        return;
    if (!fgets(name, WL__MACHINE_BYTES, file))
        memset(name, 0, WL__MACHINE_BYTES);
    fclose(file);
}

bool wl__are_near(const struct wl__exchange *exchange, unsigned rank, unsigned other) {
    const char *name = exchange->machines[rank];
    return rank != other && *name && memcmp(name, exchange->machines[other], WL__MACHINE_BYTES) == 0;
}

bool wl__any_near(const struct wl__exchange *exchange) {
    for (unsigned r = 0; r < exchange->ranks; r++)
        for (unsigned other = r + 1; other < exchange->ranks; other++)
            if (wl__are_near(exchange, r, other))
                return true;
    return false;
}

/* ---------------------------------------------------------------- mapping */

/* The context is current.  What cannot be shared is not: NCCL serves all the same. */
void wl__share_staging(const struct wl__exchange *exchange, struct wl__share *share) {
    const struct wl__driver *driver = &exchange->context->driver;
    CUipcMemHandle handle;
    memset(share, 0, sizeof(*share));
    if (!exchange->near_staging || driver->cuIpcGetMemHandle(&handle, exchange->near_staging))
        return;
    _Static_assert(sizeof(handle) == sizeof(share->handle), "a handle has 64 bytes");
    memcpy(share->handle, &handle, sizeof(handle));
    share->is_there = 1;
}

bool wl__map_staging(struct wl__exchange *exchange, unsigned peer, const struct wl__share *share) {
    const struct wl__driver *driver = &exchange->context->driver;
    CUipcMemHandle handle;
    CUdeviceptr address = 0;
    if (!share->is_there)
        return false;
    memcpy(&handle, share->handle, sizeof(handle));
    if (driver->cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS))
        return false;
    exchange->maps[peer] = address;
    return true;
}

/* The context is current. */
void wl__unmap_staging(struct wl__exchange *exchange) {
    for (unsigned r = 0; r < exchange->ranks && exchange->maps; r++) {
        if (exchange->maps[r])
            (void)exchange->context->driver.cuIpcCloseMemHandle(exchange->maps[r]);
        exchange->maps[r] = 0;
    }
}
