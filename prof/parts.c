#include "prof/parts.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wideload.h"

/* Paths relative to libwideload.so's folder; targets of links come before the links. */
static const char simulator[] = "libwideload-sim.so", runtime[] = "libwideload-cudart.so",
                  folder[] = "wideload";
static const char *const files[] = {simulator,
                                    runtime,
                                    "wideload/libcuda.so.1",
                                    "wideload/libcudart.so.12",
                                    "wideload/libcudart.so.13",
                                    "wideload/bin/ptxas",
                                    "wideload/bin/nvcc"};

static bool join(char out[PATH_MAX], const char *place, const char *file) {
    return snprintf(out, PATH_MAX, "%s/%s", place, file) < PATH_MAX;
}

/* The folder of libwideload.so, without a trailing slash. */
static bool library_folder(char out[PATH_MAX]) {
    Dl_info info;
    if (!dladdr((void *)(size_t)wl_version, &info) || !info.dli_fname || !realpath(info.dli_fname, out))
        return false;
    *strrchr(out, '/') = 0;
    return true;
}

bool prof_parts_find(struct prof_parts *out, struct base_error *error) {
    char place[PATH_MAX], path[PATH_MAX];
    if (!library_folder(place))
        return base_failure(error, "prof: the folder of libwideload.so cannot be found");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!join(path, place, files[i]))
            return base_failure(error, "prof: %.400s: the path is too long", place);
        if (access(path, R_OK))
            return base_failure(error,
                                "prof: %.400s: %s; programs run on it. Build Wideload with `make`, or "
                                "install it again with `make install`",
                                path, errno == ENOENT ? "this part of Wideload is missing" : strerror(errno));
    }
    return join(out->folder, place, folder) && join(out->runtime, place, runtime);
}
