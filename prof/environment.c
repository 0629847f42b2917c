#include "prof/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prof/program.h"

/* Puts a path in front of a variable's list. */
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

/* Sets the variables by which programs find the toolkit, since they would look for nvcc in PATH and find
 * ours.  CuPy reads NVCC first, and PyCUDA CUDA_ROOT.  CUDA_PATH and CUDA_HOME mean the same folder, so
 * neither is set if the user set one.  Without an nvcc there is nothing to replace.  Call it before PATH has
 * our folder. */
static bool set_toolkit(const char *ours) {
    struct prof_program nvcc;
    struct base_error unused;
    char *slash;
    if (prof_program_find("nvcc", &nvcc, &unused))
        return true;
    for (int i = 0; i < 2; i++) /* remove nvcc and bin */
        if ((slash = strrchr(nvcc.path, '/')))
            *slash = 0;
    bool named = getenv("CUDA_PATH") || getenv("CUDA_HOME");
    return setenv("NVCC", ours, 0) == 0 && setenv("CUDA_ROOT", nvcc.path, 0) == 0 &&
           (named || (setenv("CUDA_PATH", nvcc.path, 1) == 0 && setenv("CUDA_HOME", nvcc.path, 1) == 0));
}

/* Makes programs find our compilers, which output PTX as machine code: in PATH, and in the variables of
 * Triton and CuPy. */
static bool set_compilers(const struct prof_parts *parts) {
    char tools[PROF_PATH_BYTES], ptxas[PROF_PATH_BYTES + 8], nvcc[PROF_PATH_BYTES + 8];
    snprintf(tools, sizeof tools, "%s/bin", parts->folder);
    snprintf(ptxas, sizeof ptxas, "%s/ptxas", tools);
    snprintf(nvcc, sizeof nvcc, "%s/nvcc", tools);
    /* Without PATH the system searches default folders. */
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
    if (run->page)
        good = good && setenv("WIDELOAD_PROF_PAGE", "1", 1) == 0;
    return good;
}
