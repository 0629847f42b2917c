/* Before the program's own constructors register its kernels, its statically linked runtime's functions are
 * made to jump to ours.  exports.map and -z initfirst see to it that this comes first.
 *
 * A function is known by its name, so the program must not be stripped.  Which CUDA it was built with shows
 * in a name that only CUDA 12's runtime has. */
#include "sim/cudart/patch.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/cudart/runtime.h"

/* movabs $target, %r11; jmp *%r11: a register that no call preserves and none passes anything in. */
enum { JUMP_SIZE = 13, FUNCTION_ALIGN = 16 };

static void write_jump(unsigned char *at, void *target) {
    static const unsigned char code[JUMP_SIZE] = {0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3};
    memcpy(at, code, sizeof code);
    memcpy(at + 2, &target, sizeof target);
}

static const struct runtime_entry *find(const char *name) {
    for (size_t i = 0; i < runtime_entry_count; i++)
        if (strcmp(runtime_entries[i].name, name) == 0)
            return &runtime_entries[i];
    return NULL;
}

static bool has(const struct static_runtime *runtime, const char *name) {
    for (size_t i = 0; i < runtime->count; i++)
        if (strcmp(runtime->functions[i].name, name) == 0)
            return true;
    return false;
}

/* A shorter function leaves room up to the next one, which is aligned as it is itself. */
static bool fits(const struct static_function *function) {
    return function->size >= JUMP_SIZE || function->address % FUNCTION_ALIGN == 0;
}

static void patch(const char *path, uintptr_t base, const struct static_runtime *runtime) {
    uintptr_t first = UINTPTR_MAX, last = 0, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < runtime->count; i++) {
        uintptr_t at = base + runtime->functions[i].address;
        if (!find(runtime->functions[i].name) || !fits(&runtime->functions[i]))
            continue;
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    if (last == 0)
        return;
    void *start = (void *)(first / page * page);
    size_t size = (last + JUMP_SIZE + page - 1) / page * page - first / page * page;
    if (mprotect(start, size, PROT_READ | PROT_WRITE)) {
        runtime_complain("%s: its CUDA runtime cannot be replaced (%s): link it with -cudart shared", path,
                         strerror(errno));
        return;
    }
    bool older = has(runtime, "cudaGetDeviceProperties_v2");
    for (size_t i = 0; i < runtime->count; i++) {
        const struct runtime_entry *entry = find(runtime->functions[i].name);
        if (entry && fits(&runtime->functions[i]))
            write_jump((unsigned char *)(base + runtime->functions[i].address),
                       older ? entry->function_v12 : entry->function);
    }
    /* It was executable before, so this is allowed unless the system forbids changed code altogether. */
    if (mprotect(start, size, PROT_READ | PROT_EXEC))
        runtime_complain("%s: its CUDA runtime cannot be replaced (%s): link it with -cudart shared", path,
                         strerror(errno));
}

/* Every object that is loaded: the program, and shared libraries, which may hold a runtime of their own. */
static int visit(struct dl_phdr_info *info, size_t size, void *own_base) {
    (void)size;
    if (info->dlpi_addr == *(const uintptr_t *)own_base)
        return 0;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    struct static_runtime runtime;
    if (!static_runtime_read(path, &runtime))
        return 0;
    if (has(&runtime, "__cudaRegisterFatBinary"))
        patch(path, info->dlpi_addr, &runtime);
    else if (runtime.has_kernels && !runtime.shared)
        runtime_complain("%s is stripped of its symbols, so its static CUDA runtime cannot be replaced: link "
                         "it with -cudart shared (CMake: CUDA_RUNTIME_LIBRARY Shared)",
                         *info->dlpi_name ? path : "the program");
    static_runtime_free(&runtime);
    return 0;
}

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

__attribute__((constructor)) static void patch_all(int argc, char **argv, char **environment) {
    (void)argc;
    (void)argv;
    /* The C library has not begun yet, so getenv() would find nothing; the library sets the same itself. */
    if (!environ)
        environ = environment;
    uintptr_t own_base = (uintptr_t)&__ehdr_start;
    (void)dl_iterate_phdr(visit, &own_base);
}
