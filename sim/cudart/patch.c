/* The functions of an object's statically linked runtime are patched to jump to ours before its own
 * constructors register its kernels.  For the program and its libraries that is before main: exports.map and
 * -z initfirst make sure that this runs first.  For a library opened later it is after it has been mapped.
 *
 * A function is found by its name, so an object must not be stripped.  The CUDA version that it was built
 * with shows in a name that only CUDA 12's runtime has. */
#include "sim/cudart/patch.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/cudart/jitlink.h"
#include "sim/cudart/runtime.h"

enum { FUNCTION_ALIGN = 16 };

void patch_jump(unsigned char *at, void *target) {
    static const unsigned char code[JUMP_SIZE] = {0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3};
    memcpy(at, code, sizeof code);
    memcpy(at + 2, &target, sizeof target);
}

/* ---------------------------------------------------------------- replacements */

/* A loaded object and the contents of its file. */
struct object {
    const char *path;
    uintptr_t base;
    const struct static_runtime *runtime;
    bool older;                       /* built with CUDA 12 */
    void *jitlink[JITLINK_FUNCTIONS]; /* replacements of nvJitLink's functions */
};

static const struct static_function *find(const struct object *o, const char *name) {
    for (size_t i = 0; i < o->runtime->count; i++)
        if (strcmp(o->runtime->functions[i].name, name) == 0)
            return &o->runtime->functions[i];
    return NULL;
}

/* Functions are aligned, so a short one has room up to the next. */
static bool fits(const struct static_function *function) {
    return function->size >= JUMP_SIZE || function->address % FUNCTION_ALIGN == 0;
}

/* Returns a function's replacement, or NULL. */
typedef void *chooser(const struct object *o, const struct static_function *function);

static void *ours(const struct object *o, const struct static_function *function) {
    for (size_t i = 0; i < runtime_entry_count; i++)
        if (strcmp(runtime_entries[i].name, function->name) == 0)
            return o->older ? runtime_entries[i].function_v12 : runtime_entries[i].function;
    return NULL;
}

/* Both functions take the same parameters. */
static void *ptx_for_cubin(const struct object *o, const struct static_function *function) {
    const struct static_function *other = NULL;
    if (strcmp(function->name, "nvrtcGetCUBIN") == 0)
        other = find(o, "nvrtcGetPTX");
    else if (strcmp(function->name, "nvrtcGetCUBINSize") == 0)
        other = find(o, "nvrtcGetPTXSize");
    return other ? (void *)(o->base + other->address) : NULL;
}

static void *linked_ptx(const struct object *o, const struct static_function *function) {
    int which = jitlink_function(function->name);
    return which < 0 ? NULL : o->jitlink[which];
}

/* The target of an entry that only jumps: a jmp, maybe after a frame that is made and undone.  NULL: the
 * entry does something itself. */
static void *jump_target(const unsigned char *at) {
    static const unsigned char frame[] = {0x55, 0x48, 0x89, 0xe5, 0x5d}; /* push %rbp; mov; pop */
    enum { JUMP = 0xe9, LENGTH = 5 };
    int32_t distance;
    if (memcmp(at, frame, sizeof frame) == 0)
        at += sizeof frame;
    if (*at != JUMP)
        return NULL;
    memcpy(&distance, at + 1, sizeof distance);
    return (void *)(uintptr_t)(at + LENGTH + distance);
}

/* Each function of nvJitLink has one name per version; all entries jump to the same place. */
static bool keep_jitlink(struct object *o) {
    void *originals[JITLINK_FUNCTIONS] = {0};
    for (size_t i = 0; i < o->runtime->count; i++) {
        const struct static_function *function = &o->runtime->functions[i];
        int which = jitlink_function(function->name);
        if (which < 0)
            continue;
        void *target = jump_target((const unsigned char *)(o->base + function->address));
        if (!target || (originals[which] && originals[which] != target))
            return false;
        originals[which] = target;
    }
    for (size_t i = 0; i < JITLINK_FUNCTIONS; i++)
        if (!originals[i])
            return false;
    return jitlink_keep(originals, o->jitlink);
}

static bool has_jitlink(const struct object *o) {
    for (size_t i = 0; i < o->runtime->count; i++)
        if (jitlink_function(o->runtime->functions[i].name) >= 0)
            return true;
    return false;
}

static bool replace(const struct object *o, chooser *choose) {
    uintptr_t first = UINTPTR_MAX, last = 0, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < o->runtime->count; i++) {
        const struct static_function *function = &o->runtime->functions[i];
        uintptr_t at = o->base + function->address;
        if (!fits(function) || !choose(o, function))
            continue;
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    if (last == 0)
        return true;
    void *start = (void *)(first / page * page);
    size_t size = (last + JUMP_SIZE + page - 1) / page * page - first / page * page;
    if (mprotect(start, size, PROT_READ | PROT_WRITE))
        return false;
    for (size_t i = 0; i < o->runtime->count; i++) {
        const struct static_function *function = &o->runtime->functions[i];
        void *target = fits(function) ? choose(o, function) : NULL;
        if (target)
            patch_jump((unsigned char *)(o->base + function->address), target);
    }
    /* The memory was executable before, so this fails only if the system forbids all changed code. */
    return mprotect(start, size, PROT_READ | PROT_EXEC) == 0;
}

/* ---------------------------------------------------------------- the objects */

/* Defined if the driver is the simulator, which runs only PTX. */
extern const char *wlSimLastError(void) __attribute__((weak));

/* Libraries of the toolkit, which users cannot relink. */
static bool is_nvidias(const char *path) {
    static const char *const names[] = {"libcu", "libnpp", "libnv"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void patch(struct object *o) {
    if (find(o, "__cudaRegisterFatBinary")) {
        o->older = find(o, "cudaGetDeviceProperties_v2") != NULL;
        if (!replace(o, ours))
            runtime_complain("%s: its CUDA runtime cannot be replaced (%s): link it with -cudart shared",
                             o->path, strerror(errno));
    } else if (o->runtime->has_kernels && !o->runtime->has_symbols && !o->runtime->shared) {
        bool program = strcmp(o->path, "/proc/self/exe") == 0;
        runtime_complain(
            "%s is stripped of its symbols, so its static CUDA runtime cannot be replaced%s%s",
            program ? "the program" : o->path, program ? "" : " and its kernels cannot run",
            is_nvidias(o->path) ? "" : ": link it with -cudart shared (CMake: CUDA_RUNTIME_LIBRARY Shared)");
    }
    if (wlSimLastError && find(o, "nvrtcGetCUBIN") && !replace(o, ptx_for_cubin))
        runtime_complain(
            "%s: it gives machine code, which the simulator does not run, and cannot be changed (%s): "
            "compile for compute_90, and load what nvrtcGetPTX gives",
            o->path, strerror(errno));
    if (wlSimLastError && has_jitlink(o) && (!keep_jitlink(o) || !replace(o, linked_ptx)))
        runtime_complain(
            "%s: it gives machine code, which the simulator does not run, and cannot be changed: "
            "use the one of CUDA 12.3 or newer, or link with cuLinkCreate",
            o->path);
}

static void look_at(const char *path, uintptr_t base) {
    struct static_runtime runtime;
    if (!static_runtime_read(path, &runtime))
        return;
    patch(&(struct object){.path = path, .base = base, .runtime = &runtime});
    static_runtime_free(&runtime);
}

/* The base addresses of the objects that have been examined, and of those that a walk finds. */
struct bases {
    uintptr_t *at;
    size_t count, capacity;
};

static struct bases known;

static bool has(const struct bases *bases, uintptr_t base) {
    for (size_t i = 0; i < bases->count; i++)
        if (bases->at[i] == base)
            return true;
    return false;
}

/* On out-of-memory an object is examined again, which is harmless: its functions get the same jumps. */
static void add(struct bases *bases, uintptr_t base) {
    if (bases->count == bases->capacity) {
        size_t capacity = 2 * bases->capacity + 32;
        uintptr_t *larger = realloc(bases->at, capacity * sizeof *larger);
        if (!larger)
            return;
        bases->at = larger;
        bases->capacity = capacity;
    }
    bases->at[bases->count++] = base;
}

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static int visit(struct dl_phdr_info *info, size_t size, void *present) {
    (void)size;
    uintptr_t base = info->dlpi_addr;
    if (base != (uintptr_t)&__ehdr_start && !has(&known, base))
        look_at(info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe", base);
    add(present, base);
    return 0;
}

/* Forgets objects that are gone, because another may be loaded at the same address. */
void patch_new_objects(void) {
    struct bases present = {0};
    (void)dl_iterate_phdr(visit, &present);
    free(known.at);
    known = present;
}

__attribute__((constructor)) static void patch_all(int argc, char **argv, char **environment) {
    (void)argc;
    (void)argv;
    /* The C library is not initialized yet, so getenv() would fail; it will set environ to the same value. */
    if (!environ)
        environ = environment;
    patch_new_objects();
    if (!loader_follow(patch_new_objects))
        runtime_note("libraries with a static CUDA runtime that are opened later cannot be followed here");
}
