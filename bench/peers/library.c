#include "bench/peers/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NVIDIA's libraries are not made to be unloaded, so they stay loaded. */
static void *load(const char *folder, const char *file) {
    char path[4096];
    if (folder && !*folder)
        return NULL;
    int length = snprintf(path, sizeof path, "%s%s%s", folder ? folder : "", folder ? "/lib64/" : "", file);
    if (length < 0 || (size_t)length >= sizeof path)
        return NULL;
    return dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
}

void *peer_load(const char *const files[], char why[200]) {
    const char *home = getenv("CUDA_HOME"), *path = getenv("CUDA_PATH");
    const char *const folders[] = {home ? home : "", path ? path : "", NULL, "/usr/local/cuda"};
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
        for (size_t i = 0; files[i]; i++) {
            void *library = load(folders[f], files[i]);
            if (library)
                return library;
        }
    int at = 0;
    for (size_t i = 0; files[i] && at < 100; i++)
        at += snprintf(why + at, 200 - (size_t)at, "%s%s", i ? " or " : "", files[i]);
    snprintf(why + at, 200 - (size_t)at, " cannot be opened: set CUDA_HOME or LD_LIBRARY_PATH");
    return NULL;
}

bool peer_find(void *library, const char *name, void *slot, char why[200]) {
    void *symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    if (!symbol)
        snprintf(why, 200, "the library found has no %s: it is too old", name);
    return symbol != NULL;
}

void peer_version_text(int (*get)(int which, int *value), char version[24]) {
    int part[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        if (get(i, &part[i]))
            part[i] = 0;
    snprintf(version, 24, "%d.%d.%d", part[0], part[1], part[2]);
}

wl_error peer_check(int status, const char *call) {
    return status ? wl__fail(WL_ERROR_DRIVER, "%s gave status %d", call, status) : WL_ERROR_OK;
}
