#include "sim/cuda/module/host_object.h"

#include <ar.h>
#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* nvcc's sections for complete code and for code to be linked later (-rdc=true). */
static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"};

static const unsigned char magic[4] = {0x50, 0xed, 0x55, 0xba};
enum { HEADER_SIZE = 16, ALIGNMENT = 8 };

struct walk {
    host_object_take *take;
    void *context;
};

static bool is_wanted(const char *name) {
    for (size_t i = 0; name && i < sizeof sections / sizeof *sections; i++)
        if (strcmp(name, sections[i]) == 0)
            return true;
    return false;
}

/* The linker concatenates sections; each begins aligned. */
static bool walk_section(const unsigned char *data, size_t size, const struct walk *walk) {
    size_t at = 0;
    while (at + HEADER_SIZE <= size) {
        uint64_t body;
        if (memcmp(data + at, magic, sizeof magic) != 0) {
            at += ALIGNMENT;
            continue;
        }
        memcpy(&body, data + at + 8, sizeof body);
        size_t length = size - at;
        if (body < length - HEADER_SIZE)
            length = (size_t)body + HEADER_SIZE;
        if (!walk->take(walk->context, data + at, length))
            return false;
        at += (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return true;
}

static bool walk_sections(Elf *elf, const struct walk *walk) {
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return false;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return false;
        if (header.sh_type == SHT_NOBITS || !is_wanted(elf_strptr(elf, names, header.sh_name)))
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (data && data->d_buf && !walk_section(data->d_buf, data->d_size, walk))
            return false;
    }
    return true;
}

/* libelf reads structures in place, but a library's members are only 2-byte aligned: each is copied. */
static bool walk_object(const void *data, size_t size, const struct walk *walk) {
    char *copy = malloc(size + 1);
    if (!copy)
        return false;
    memcpy(copy, data, size);
    Elf *elf = elf_memory(copy, size);
    bool good = elf && elf_kind(elf) == ELF_K_ELF && walk_sections(elf, walk);
    elf_end(elf);
    free(copy);
    return good;
}

static bool is_elf(const char *data, size_t size) {
    return size >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0;
}

/* libelf opens members only of files.  Members that are not objects, such as the index, hold no kernels. */
static bool walk_library(const char *data, size_t size, const struct walk *walk) {
    size_t at = SARMAG;
    while (at + sizeof(struct ar_hdr) <= size) {
        struct ar_hdr header;
        char digits[sizeof header.ar_size + 1] = "";
        memcpy(&header, data + at, sizeof header);
        memcpy(digits, header.ar_size, sizeof header.ar_size);
        if (memcmp(header.ar_fmag, ARFMAG, sizeof header.ar_fmag) != 0)
            return false;
        at += sizeof header;
        size_t length = strtoul(digits, NULL, 10);
        if (length > size - at)
            return false;
        if (is_elf(data + at, length) && !walk_object(data + at, length, walk))
            return false;
        at += length + length % 2;
    }
    return true;
}

bool host_object_walk(const void *data, size_t size, host_object_take *take, void *context) {
    struct walk walk = {take, context};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    if (size >= SARMAG && memcmp(data, ARMAG, SARMAG) == 0)
        return walk_library(data, size, &walk);
    return is_elf(data, size) && walk_object(data, size, &walk);
}
