#include "prof/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/parts.h"

/* Paths relative to libwideload.so's folder. */
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

/* The folder of Wideload's libraries, without a slash at its end: the first that has any part, else the
 * program's. */
static bool library_folder(char out[PATH_MAX]) {
    char place[PATH_MAX], path[PATH_MAX];
    for (unsigned i = 0; wl__parts_folder(i, place, sizeof place); i++)
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            if (join(path, place, files[k]) && access(path, F_OK) == 0)
                return realpath(place, out) != NULL;
    return wl__parts_folder(0, place, sizeof place) && realpath(place, out);
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
