#include "prof/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory.  All offsets that it contains are checked. */
struct image {
    const char *data;
    size_t size;
};

static const void *at(const struct image *image, uint64_t offset, uint64_t size) {
    return offset <= image->size && size <= image->size - offset ? image->data + offset : NULL;
}

/* The string at an offset of a table; "" if it does not end within the file. */
static const char *text_at(const struct image *image, uint64_t table, uint64_t offset) {
    const char *text = offset <= UINT64_MAX - table ? at(image, table + offset, 1) : NULL;
    return text && memchr(text, 0, image->size - (size_t)(text - image->data)) ? text : "";
}

static const Elf64_Shdr *section(const struct image *image, const Elf64_Ehdr *header, size_t i) {
    if (i >= header->e_shnum || header->e_shentsize != sizeof(Elf64_Shdr) ||
        header->e_shoff > UINT64_MAX - i * sizeof(Elf64_Shdr) || header->e_shoff % _Alignof(Elf64_Shdr))
        return NULL;
    return at(image, header->e_shoff + i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

static void read_needed(const struct image *image, const Elf64_Ehdr *header, const Elf64_Shdr *dynamic,
                        struct prof_program *out) {
    const Elf64_Shdr *strings = section(image, header, dynamic->sh_link);
    const Elf64_Dyn *entries = at(image, dynamic->sh_offset, dynamic->sh_size);
    if (!strings || !entries || dynamic->sh_offset % _Alignof(Elf64_Dyn))
        return;
    for (size_t i = 0; i < dynamic->sh_size / sizeof *entries && entries[i].d_tag != DT_NULL; i++) {
        if (entries[i].d_tag != DT_NEEDED)
            continue;
        const char *name = text_at(image, strings->sh_offset, entries[i].d_un.d_val);
        out->needs_cudart |= strncmp(name, "libcudart.so", 12) == 0;
        out->needs_driver |= strncmp(name, "libcuda.so", 10) == 0;
    }
}

static void read_sections(const struct image *image, const Elf64_Ehdr *header, struct prof_program *out) {
    const Elf64_Shdr *names = section(image, header, header->e_shstrndx);
    for (size_t i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *s = section(image, header, i);
        if (!s)
            return;
        const char *name = names ? text_at(image, names->sh_offset, s->sh_name) : "";
        out->has_gpu_code |= strcmp(name, ".nv_fatbin") == 0;
        out->has_symbols |= s->sh_type == SHT_SYMTAB;
        if (s->sh_type == SHT_DYNAMIC)
            read_needed(image, header, s, out);
    }
}

static void read_segments(const struct image *image, const Elf64_Ehdr *header, struct prof_program *out) {
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff % _Alignof(Elf64_Phdr))
        return;
    const Elf64_Phdr *segments = at(image, header->e_phoff, header->e_phnum * sizeof *segments);
    for (size_t i = 0; segments && i < header->e_phnum; i++)
        out->dynamic |= segments[i].p_type == PT_INTERP;
}

static uint16_t own_machine(void) {
#if defined(__aarch64__)
    return EM_AARCH64;
#else
    return EM_X86_64;
#endif
}

static enum prof_elf read_image(const struct image *image, struct prof_program *out) {
    if (image->size >= 2 && memcmp(image->data, "#!", 2) == 0)
        return PROF_ELF_GOOD;
    if (image->size < EI_NIDENT || memcmp(image->data, ELFMAG, SELFMAG) != 0)
        return PROF_ELF_NO_PROGRAM;
    if (image->data[EI_CLASS] == ELFCLASS32)
        return PROF_ELF_32_BITS;
    const Elf64_Ehdr *header = at(image, 0, sizeof *header);
    if (!header || (header->e_type != ET_EXEC && header->e_type != ET_DYN))
        return PROF_ELF_NO_PROGRAM;
    if (header->e_machine != own_machine())
        return PROF_ELF_OTHER_MACHINE;
    out->elf = true;
    read_segments(image, header, out);
    read_sections(image, header, out);
    return PROF_ELF_GOOD;
}

enum prof_elf prof_elf_read(struct prof_program *program) {
    int file = open(program->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (file < 0)
        return PROF_ELF_UNREADABLE;
    if (fstat(file, &status) || !S_ISREG(status.st_mode)) {
        close(file);
        return PROF_ELF_UNREADABLE;
    }
    struct image image = {.size = (size_t)status.st_size};
    if (!image.size) {
        close(file);
        return PROF_ELF_NO_PROGRAM;
    }
    void *data = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (data == MAP_FAILED)
        return PROF_ELF_UNREADABLE;
    image.data = data;
    enum prof_elf result = read_image(&image, program);
    munmap(data, image.size);
    return result;
}
