/* Finds the functions of the statically linked runtime, and of NVIDIA's compilers, in an ELF file's symbol
 * tables. */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cudart/patch.h"

static bool is_runtime_name(const char *name) {
    return strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
}

static bool is_compiler_name(const char *name) {
    return strncmp(name, "nvrtcGet", 8) == 0 || strncmp(name, "nvJitLink", 9) == 0 ||
           strncmp(name, "__nvJitLink", 11) == 0;
}

/* Only .symtab has the static runtime's functions, because nothing outside calls them.  .dynsym has those of
 * NVRTC and nvJitLink, and of a shared runtime, which must not be patched. */
static bool add_functions(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, bool (*wanted)(const char *),
                          struct static_runtime *out) {
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || !header->sh_entsize)
        return true;
    size_t capacity = out->count;
    for (size_t i = 0; i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || !symbol.st_value)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name || !wanted(name))
            continue;
        if (out->count == capacity) {
            capacity = 2 * capacity + 64;
            struct static_function *larger = realloc(out->functions, capacity * sizeof *larger);
            if (!larger)
                return false;
            out->functions = larger;
        }
        out->functions[out->count++] =
            (struct static_function){(uintptr_t)symbol.st_value, (size_t)symbol.st_size, name};
    }
    return true;
}

static bool asks_for_runtime(Elf *elf, Elf_Scn *section, const GElf_Shdr *header) {
    Elf_Data *data = elf_getdata(section, NULL);
    for (size_t i = 0; data && header->sh_entsize && i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (symbol.st_shndx == SHN_UNDEF && name && strcmp(name, "__cudaRegisterFatBinary") == 0)
            return true;
    }
    return false;
}

static bool read_sections(Elf *elf, struct static_runtime *out) {
    size_t names;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
        return false;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return false;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (name && strcmp(name, ".nv_fatbin") == 0)
            out->has_kernels = true;
        if (header.sh_type == SHT_SYMTAB) {
            out->has_symbols = true;
            if (!add_functions(elf, section, &header, is_runtime_name, out))
                return false;
        } else if (header.sh_type == SHT_DYNSYM) {
            out->shared = asks_for_runtime(elf, section, &header);
            if (!add_functions(elf, section, &header, is_compiler_name, out))
                return false;
        }
    }
    return true;
}

bool static_runtime_read(const char *path, struct static_runtime *out) {
    *out = (struct static_runtime){.file = -1};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    out->file = open(path, O_RDONLY | O_CLOEXEC);
    if (out->file < 0)
        return false;
    out->elf = elf_begin(out->file, ELF_C_READ_MMAP, NULL);
    if (out->elf && read_sections(out->elf, out))
        return true;
    static_runtime_free(out);
    return false;
}

void static_runtime_free(struct static_runtime *runtime) {
    free(runtime->functions);
    if (runtime->elf)
        elf_end(runtime->elf);
    if (runtime->file >= 0)
        close(runtime->file);
    *runtime = (struct static_runtime){.file = -1};
}
