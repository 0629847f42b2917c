#include "sim/cuda/memory/origin.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/cuda/record/profile.h"

enum { DEEPEST = 32 };

/* The files whose frames say nothing about the program: the driver, and the runtime above it. */
static bool is_ours(const char *path) {
    static const char *const names[] = {"libwideload", "libcuda.so", "libcudart", NULL};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (const char *const *ours = names; *ours; ours++)
        if (strncmp(name, *ours, strlen(*ours)) == 0)
            return true;
    return false;
}

void origin_note(struct origin *origin) {
    void *frames[DEEPEST];
    *origin = (struct origin){0};
    if (!profile_is_sampling())
        return;
    const int count = backtrace(frames, DEEPEST);
    for (int i = 0, kept = 0; i < count && kept < ORIGIN_FRAMES; i++) {
        /* A return address may be past the calling function's end. */
        void *call = (char *)frames[i] - 1;
        Dl_info info;
        if (!dladdr(call, &info) || !info.dli_fname || !is_ours(info.dli_fname))
            origin->frame[kept++] = call;
    }
}

bool origin_place(const void *address, struct origin_place *out) {
    Dl_info info;
    struct link_map *map;
    if (!address || !dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname)
        return false;
    out->offset = (uint64_t)((uintptr_t)address - map->l_addr);
    /* The name of the program itself is as it was started, perhaps relative to a folder that was left. */
    if (!*map->l_name) {
        const ssize_t length = readlink("/proc/self/exe", out->module, sizeof out->module - 1);
        out->module[length > 0 ? length : 0] = 0;
        return length > 0;
    }
    return (size_t)snprintf(out->module, sizeof out->module, "%s", map->l_name) < sizeof out->module;
}
