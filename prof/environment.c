#include "prof/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prof/program.h"

/* Puts a path before those that a variable holds already. */
static bool prepend(const char *name, const char *path) {
    const char *rest = getenv(name);
    char *value = NULL;
    if (!rest || !*rest)
        return setenv(name, path, 1) == 0;
    bool good = asprintf(&value, "%s:%s", path, rest) >= 0 && setenv(name, value, 1) == 0;
    free(value);
    return good;
}

/* ---------------------------------------------------------------- compilers */

/* Where the toolkit is to its users, who look for nvcc in PATH and find ours there; NVCC is what CuPy asks
 * before that, CUDA_ROOT PyCUDA.  CUDA_PATH and CUDA_HOME mean one folder, so that a user who set one has set
 * both.  Without an nvcc there is nothing to stand in for.  Called before PATH has our folder. */
static bool set_toolkit(const char *ours) {
    struct prof_program nvcc;
    struct base_error unused;
    char *slash;
    if (prof_program_find("nvcc", &nvcc, &unused))
        return true;
    for (int i = 0; i < 2; i++) /* its name, and bin */
        if ((slash = strrchr(nvcc.path, '/')))
            *slash = 0;
    bool named = getenv("CUDA_PATH") || getenv("CUDA_HOME");
    return setenv("NVCC", ours, 0) == 0 && setenv("CUDA_ROOT", nvcc.path, 0) == 0 &&
           (named || (setenv("CUDA_PATH", nvcc.path, 1) == 0 && setenv("CUDA_HOME", nvcc.path, 1) == 0));
}

/* Compilers that give PTX for machine code: in PATH, and by the names that Triton and CuPy have for them. */
static bool set_compilers(const struct prof_parts *parts) {
    char tools[PROF_PATH_BYTES], ptxas[PROF_PATH_BYTES + 8], nvcc[PROF_PATH_BYTES + 8];
    snprintf(tools, sizeof tools, "%s/bin", parts->folder);
    snprintf(ptxas, sizeof ptxas, "%s/ptxas", tools);
    snprintf(nvcc, sizeof nvcc, "%s/nvcc", tools);
    /* Without PATH the system searches folders of its own. */
    return set_toolkit(nvcc) && (!getenv("PATH") || prepend("PATH", tools)) &&
           setenv("TRITON_PTXAS_PATH", ptxas, 1) == 0 &&
           setenv("TRITON_PTXAS_BLACKWELL_PATH", ptxas, 1) == 0 &&
           setenv("TRITON_LIBCUDA_PATH", parts->folder, 1) == 0;
}

const char *prof_environment_path(const struct prof_run *run, const struct prof_parts *parts,
                                  char out[PROF_PATH_BYTES]) {
    if (strchr(run->arguments[0], '/') ||
        snprintf(out, PROF_PATH_BYTES, "%s/bin/%s", parts->folder, run->arguments[0]) >= PROF_PATH_BYTES)
        return run->path;
    return access(out, X_OK) ? run->path : out;
}

/* ---------------------------------------------------------------- the whole */

bool prof_environment_set(const struct prof_run *run, const struct prof_parts *parts) {
    bool good = prepend("LD_LIBRARY_PATH", parts->folder) && prepend("LD_PRELOAD", parts->runtime) &&
                setenv("WIDELOAD_PROF_OUT", run->records, 1) == 0 && set_compilers(parts);
    if (run->arch)
        good = good && setenv("WIDELOAD_ARCH", run->arch, 1) == 0;
    if (run->checks)
        good = good && setenv("WIDELOAD_CHECK", run->checks, 1) == 0;
    return good;
}
