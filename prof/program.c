#include "prof/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "prof/elf.h"

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Finds the first executable file of that name in PATH; if there is none, the first file. */
static bool search(const char *name, char out[PATH_MAX]) {
    const char *list = getenv("PATH");
    bool found = false;
    for (const char *folder = list ? list : "/bin:/usr/bin"; folder; folder = strchr(folder, ':')) {
        folder += *folder == ':';
        int length = (int)strcspn(folder, ":");
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%.*s%s%s", length, folder, length ? "/" : "./", name) >= PATH_MAX ||
            !is_file(path))
            continue;
        bool good = access(path, X_OK) == 0;
        if (good || !found)
            strcpy(out, path);
        if (good)
            return true;
        found = true;
        if (!folder[length])
            break;
    }
    return found;
}

static int refuse(int status, struct base_error *error, const char *name, const char *why) {
    base_failure(error, "%.400s: %s", name, why);
    return status;
}

/* Whether the loader ignores LD_PRELOAD and LD_LIBRARY_PATH for the program. */
static bool is_privileged(const char *path, const struct stat *status) {
    return (status->st_mode & S_ISUID && status->st_uid != getuid()) ||
           (status->st_mode & S_ISGID && status->st_gid != getgid()) ||
           getxattr(path, "security.capability", NULL, 0) > 0;
}

int prof_program_find(const char *name, struct prof_program *out, struct base_error *error) {
    *out = (struct prof_program){0};
    if (!*name)
        return refuse(PROF_NOT_FOUND, error, "''", "no such program");
    if (!strchr(name, '/')) {
        if (!search(name, out->path))
            return refuse(PROF_NOT_FOUND, error, name, "no such program in PATH");
    } else if (snprintf(out->path, sizeof out->path, "%s", name) >= (int)sizeof out->path) {
        return refuse(PROF_NOT_FOUND, error, name, strerror(ENAMETOOLONG));
    }
    struct stat status;
    if (stat(out->path, &status))
        return refuse(errno == EACCES ? PROF_NOT_EXECUTABLE : PROF_NOT_FOUND, error, out->path,
                      errno == ENOENT ? "no such program" : strerror(errno));
    if (S_ISDIR(status.st_mode))
        return refuse(PROF_NOT_EXECUTABLE, error, out->path, "a folder, not a program");
    if (access(out->path, X_OK))
        return refuse(PROF_NOT_EXECUTABLE, error, out->path, "not executable (chmod +x makes it so)");
    out->privileged = is_privileged(out->path, &status);
    switch (prof_elf_read(out)) {
    case PROF_ELF_GOOD:
        return 0;
    case PROF_ELF_32_BITS:
        return refuse(PROF_NOT_EXECUTABLE, error, out->path, "a 32-bit program; CUDA's are 64-bit");
    case PROF_ELF_OTHER_MACHINE:
        return refuse(PROF_NOT_EXECUTABLE, error, out->path, "a program for another machine");
    case PROF_ELF_NO_PROGRAM:
        return refuse(PROF_NOT_EXECUTABLE, error, out->path,
                      "neither a program nor a script that begins with #!");
    default:
        return 0; /* it can be executed but not read, so nothing is known of it */
    }
}

bool prof_program_takes_simulator(const struct prof_program *program) {
    return !program->elf || program->dynamic || !program->has_gpu_code;
}

const char *prof_program_silence(const struct prof_program *program, bool simulator) {
    if (program->has_gpu_code && !program->needs_cudart && !program->has_symbols && program->dynamic)
        return "its CUDA runtime is linked in and its symbols are stripped, so the runtime cannot be "
               "replaced; relink it with -cudart shared, or do not strip it";
    if (simulator)
        return "it opened the simulator and launched nothing";
    if (program->privileged)
        return "it runs as another user or with capabilities, so the simulator cannot be put beneath it; "
               "run a copy without its setuid bit";
    if (!program->elf)
        return "it is a script, and what it started did not open a CUDA driver";
    if (!program->dynamic)
        return "it is linked statically, so the simulator cannot be put beneath it; link it with -cudart "
               "shared and without -static";
    if (program->has_gpu_code || program->needs_cudart || program->needs_driver)
        return "it has GPU code, but it did not open the CUDA driver this time";
    return "it holds no GPU code and loads no CUDA library";
}
