#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/place.h"

static bool refuse(const char *option, const char *path, struct base_error *error) {
    return base_usage(error, "%s: %.400s cannot be written: %s", option, path, strerror(errno));
}

static bool open_beside(struct base_output *output, const char *option, struct base_error *error) {
    if (asprintf(&output->temporary, "%s.XXXXXX", output->path) < 0) {
        output->temporary = NULL;
        return base_failure(error, "out of memory");
    }
    int descriptor = mkstemp(output->temporary);
    if (descriptor < 0) {
        bool refused = refuse(option, output->path, error);
        free(output->temporary);
        output->temporary = NULL;
        return refused;
    }
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
    if (!output->is_stdout && fclose(file))
        written = false;
    if (written && output->temporary) {
        written = rename(output->temporary, output->path) == 0;
        if (written) {
            free(output->temporary);
            output->temporary = NULL;
        }
    }
    return written || base_failure(error, "%.400s: %s", name, strerror(errno));
}

void base_output_close(struct base_output *output) {
    if (output->file && !output->is_stdout)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    memset(output, 0, sizeof *output);
}
