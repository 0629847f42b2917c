#include "prof/place.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "prof/demangle.h"

enum { MODULES = 16 /* that are open at once */ };

struct module {
    char *path;
    Dwfl *session;
    Dwfl_Module *file; /* NULL: it could not be read */
};

struct prof_places {
    struct module modules[MODULES];
    size_t next;
};

struct prof_places *prof_places_open(void) {
    return calloc(1, sizeof(struct prof_places));
}

static void close_module(struct module *module) {
    if (module->session)
        dwfl_end(module->session);
    free(module->path);
    *module = (struct module){0};
}

void prof_places_close(struct prof_places *places) {
    for (size_t i = 0; places && i < MODULES; i++)
        close_module(&places->modules[i]);
    free(places);
}

/* libdw's own function would ask servers for debug information. */
static int find_nothing(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
                        const char *link, GElf_Word checksum, char **found) {
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)checksum, (void)found;
    return -1;
}

/* Opens the file if it is a regular one: records may name anything. */
static int open_file(const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file >= 0 && (fstat(file, &status) || !S_ISREG(status.st_mode))) {
        close(file);
        return -1;
    }
    return file;
}

/* Addresses are the file's own.  Each file has a session of its own, because their addresses overlap. */
static void read_module(struct module *module) {
    static const Dwfl_Callbacks callbacks = {.find_debuginfo = find_nothing,
                                             .section_address = dwfl_offline_section_address};
    int file = open_file(module->path);
    if (file < 0)
        return;
    module->session = dwfl_begin(&callbacks);
    if (module->session)
        module->file = dwfl_report_elf(module->session, "program", module->path, file, 0, true);
    if (module->file)
        dwfl_report_end(module->session, NULL, NULL); /* the session closes the file */
    else
        close(file);
}

static const struct module *find_module(struct prof_places *places, const char *path) {
    for (size_t i = 0; i < MODULES; i++)
        if (places->modules[i].path && strcmp(places->modules[i].path, path) == 0)
            return &places->modules[i];
    struct module *module = &places->modules[places->next++ % MODULES];
    close_module(module);
    module->path = strdup(path);
    if (module->path)
        read_module(module);
    return module;
}

/* Whether a source file is the user's, and not a header of CUDA or of the system. */
static bool is_own(const char *path) {
    return strncmp(path, "/usr/", 5) != 0 && strncmp(base_file_name(path), "cuda_runtime", 12) != 0 &&
           !strstr(path, "/thrust/") && !strstr(path, "/cub/");
}

static bool put(const char *path, int line, char *out, size_t size) {
    if (!path || line <= 0 || !is_own(path))
        return false;
    snprintf(out, size, "%s:%d", base_file_name(path), line);
    return true;
}

/* The call of an inlined function. */
static bool put_call(Dwarf_Die *unit, Dwarf_Die *scope, char *out, size_t size) {
    Dwarf_Attribute attribute;
    Dwarf_Word file, line;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_tag(scope) != DW_TAG_inlined_subroutine ||
        dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &file) ||
        dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &line) ||
        dwarf_getsrcfiles(unit, &files, &count) || file >= count)
        return false;
    return put(dwarf_filesrc(files, file, NULL, NULL), (int)line, out, size);
}

static bool put_line(Dwfl_Module *file, Dwarf_Addr address, char *out, size_t size) {
    int number = 0;
    Dwfl_Line *line = dwfl_module_getsrc(file, address);
    if (!line)
        return false;
    const char *path = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
    if (put(path, number, out, size))
        return true;
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(file, address, &bias), *scopes = NULL;
    int count = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
    bool good = false;
    for (int i = 0; i < count && !good; i++)
        good = put_call(unit, &scopes[i], out, size);
    free(scopes);
    return good;
}

/* Whether a function has the name of one of CUDA's: cuMemAlloc_v2, or a wrapper of cudaMalloc. */
static bool is_cuda(const char *name) {
    return (strncmp(name, "cu", 2) == 0 && name[2] >= 'A' && name[2] <= 'Z') ||
           strncmp(name, "cuda", 4) == 0 || strstr(name, "cudaMalloc");
}

/* The function that has the address, unless it is one of CUDA's or of the C library's. */
static bool put_function(Dwfl_Module *file, const char *path, Dwarf_Addr address, char *out, size_t size) {
    const char *name = dwfl_module_addrname(file, address);
    if (!name || strncmp(base_file_name(path), "libc.so", 7) == 0 || is_cuda(name))
        return false;
    char *readable = prof_demangle(name);
    snprintf(out, size, "%s", readable ? readable : name);
    free(readable);
    return true;
}

bool prof_place_of_frames(struct prof_places *places, const struct prof_frame *frames, size_t count,
                          char *out, size_t size) {
    for (size_t i = 0; i < count; i++) {
        const struct module *module = find_module(places, frames[i].module);
        if (module->file && put_line(module->file, frames[i].offset, out, size))
            return true;
    }
    for (size_t i = 0; i < count; i++) {
        const struct module *module = find_module(places, frames[i].module);
        if (module->file && put_function(module->file, frames[i].module, frames[i].offset, out, size))
            return true;
    }
    if (!count)
        return false;
    snprintf(out, size, "%s", base_file_name(frames[0].module));
    return true;
}
