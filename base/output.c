#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/place.h"

static bool refuse(const char *option, const char *path, struct base_error *error) {
    return base_usage(error, "%s: %.400s cannot be written: %s", option, path, strerror(errno));
}

/* Where an open file can be given a name. */
static void name_of_descriptor(int descriptor, char name[40]) {
    snprintf(name, 40, "/proc/self/fd/%d", descriptor);
}

/* The length of a path's folder, with the slash. */
static int folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* A file without a name in the path's folder; -1 where the file system or the kernel has none, or without
 * /proc, which is what it will get its name through. */
static int open_unnamed(const char *path) {
    char folder[PATH_MAX], name[40];
    if (snprintf(folder, sizeof folder, "%.*s.", folder_length(path), path) >= PATH_MAX)
        return -1;
    int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return -1;
    name_of_descriptor(descriptor, name);
    if (access(name, F_OK) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

/* Makes a name beside the path the temporary one. */
static bool name_beside(struct base_output *output) {
    unsigned number;
    char *beside;
    if (getrandom(&number, sizeof number, 0) != sizeof number ||
        asprintf(&beside, "%.*s.wideload.%06x", folder_length(output->path), output->path,
                 number & 0xffffff) < 0)
        return false;
    output->temporary = beside;
    return true;
}

static void forget_temporary(struct base_output *output) {
    char *temporary = output->temporary;
    output->temporary = NULL;
    free(temporary);
}

/* Gives a file its name.  linkat() replaces no file, so one that is there is replaced by a rename. */
static bool put_unnamed(struct base_output *output, int descriptor) {
    char name[40];
    name_of_descriptor(descriptor, name);
    if (linkat(AT_FDCWD, name, AT_FDCWD, output->path, AT_SYMLINK_FOLLOW) == 0)
        return true;
    for (int tries = 0; errno == EEXIST && tries < 100; tries++) {
        if (!name_beside(output))
            return false;
        if (linkat(AT_FDCWD, name, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0)
            return true; /* the commit renames it */
        int reason = errno;
        forget_temporary(output);
        errno = reason;
    }
    return false;
}

static bool open_beside(struct base_output *output, const char *option, struct base_error *error) {
    int descriptor = open_unnamed(output->path);
    output->is_unnamed = descriptor >= 0;
    if (output->is_unnamed) {
        output->file = fdopen(descriptor, "w");
        if (!output->file)
            close(descriptor);
        return output->file || refuse(option, output->path, error);
    }
    char *temporary;
    if (asprintf(&temporary, "%s.XXXXXX", output->path) < 0)
        return base_failure(error, "out of memory");
    descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        bool refused = refuse(option, output->path, error);
        free(temporary);
        return refused;
    }
    output->temporary = temporary;
    /* mkstemp makes the file private; a result gets the permissions of the user's other files. */
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    output->file = fdopen(descriptor, "w");
    if (!output->file) {
        close(descriptor);
        return refuse(option, output->path, error);
    }
    return true;
}

bool base_output_open(struct base_output *output, const char *option, const char *path,
                      struct base_error *error) {
    struct stat status;
    memset(output, 0, sizeof *output);
    if (base_place_is_stdout(path)) {
        output->is_stdout = true;
        output->file = stdout;
        return true;
    }
    bool exists = stat(path, &status) == 0;
    if (!exists && errno != ENOENT)
        return refuse(option, path, error);
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return refuse(option, path, error);
    }
    if (exists && S_ISREG(status.st_mode) && access(path, W_OK))
        return refuse(option, path, error);
    /* If the path is a symbolic link, its target is replaced, not the link. */
    char followed[PATH_MAX];
    if (!exists && !base_place_follow(path, followed)) {
        errno = ELOOP;
        return refuse(option, path, error);
    }
    output->path = exists ? realpath(path, NULL) : strdup(followed);
    if (!output->path)
        return exists ? refuse(option, path, error) : base_failure(error, "out of memory");
    if (!exists || S_ISREG(status.st_mode))
        return open_beside(output, option, error) || (base_output_close(output), false);
    output->file = fopen(output->path, "w");
    return output->file || refuse(option, path, error) || (base_output_close(output), false);
}

bool base_output_commit(struct base_output *output, struct base_error *error) {
    FILE *file = output->file;
    const char *name = output->is_stdout ? "standard output" : output->path;
    output->file = NULL;
    bool written = fflush(file) == 0 && !ferror(file);
    if (written && output->is_unnamed)
        written = put_unnamed(output, fileno(file));
    if (!output->is_stdout && fclose(file))
        written = false;
    if (written && output->temporary) {
        written = rename(output->temporary, output->path) == 0;
        if (written)
            forget_temporary(output);
    }
    return written || base_failure(error, "%.400s: %s", name, strerror(errno));
}

void base_output_close(struct base_output *output) {
    if (output->file && !output->is_stdout)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    forget_temporary(output);
    free(output->path);
    memset(output, 0, sizeof *output);
}
