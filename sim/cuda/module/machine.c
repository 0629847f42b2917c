#include "sim/cuda/module/machine.h"

#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The section .nv.info is a list of attributes: a byte of format, a byte of kind, a 16-bit size and, in
 * REGCOUNT's format, that many bytes.  REGCOUNT's are a symbol's index and the registers per thread.
 */
static const char info_name[] = ".nv.info";
/* The note .note.nv.cuinfo contains its version and the virtual architecture, 16 bits each.  Before version 8
 * of the ELF file, the architecture was in the header's flags. */
static const char note_owner[] = "NVIDIA Corp";
enum { NOTE_CUINFO = 1000, VERSION_OF_NOTES = 8, FLAGS_VIRTUAL = 16 };
enum { FORMAT_SIZED = 4, REGCOUNT = 0x2f, ATTRIBUTE_HEADER = 4, REGCOUNT_SIZE = 8, MOST_REGISTERS = 255 };

static void add(struct machine_code *code, const char *name, unsigned registers) {
    struct machine_kernel *larger = realloc(code->kernels, (code->count + 1) * sizeof *larger);
    if (!larger)
        return;
    code->kernels = larger;
    larger[code->count].name = strdup(name);
    larger[code->count].registers = registers;
    if (larger[code->count].name)
        code->count++;
}

static uint32_t read32(const unsigned char *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void read_attributes(Elf *elf, const Elf_Data *info, const GElf_Shdr *symbol_header, Elf_Data *symbols,
                            struct machine_code *out) {
    // A section without bytes in the file gets none here, whatever size it claims.
    if (!info->d_buf)
        return;
    const unsigned char *at = info->d_buf, *end = at + info->d_size;
    while (end - at >= ATTRIBUTE_HEADER) {
        unsigned format = at[0], attribute = at[1], size = at[2] | at[3] << 8;
        at += ATTRIBUTE_HEADER;
        if (format != FORMAT_SIZED)
            continue;
        if (size > end - at)
            return;
        GElf_Sym symbol;
        if (attribute == REGCOUNT && size == REGCOUNT_SIZE &&
            gelf_getsym(symbols, (int)read32(at), &symbol)) {
            const char *name = elf_strptr(elf, symbol_header->sh_link, symbol.st_name);
            uint32_t registers = read32(at + 4);
            if (name && registers && registers <= MOST_REGISTERS)
                add(out, name, registers);
        }
        at += size;
    }
}

static void read_sections(Elf *elf, struct machine_code *out) {
    size_t names;
    GElf_Shdr header, symbol_header = {0};
    Elf_Data *info = NULL, *symbols = NULL;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
        return;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && header.sh_type == SHT_SYMTAB) {
            symbols = elf_getdata(section, NULL);
            symbol_header = header;
        } else if (name && strcmp(name, info_name) == 0)
            info = elf_rawdata(section, NULL);
    }
    if (info && symbols)
        read_attributes(elf, info, &symbol_header, symbols, out);
}

/* libelf keeps its own data beside the image and reads structures in place, but an entry of a fat binary may
 * be unaligned.  So it gets an aligned copy; the caller frees *copy after elf_end().  NULL on failure. */
static Elf *open_copy(const void *cubin, size_t size, char **copy) {
    *copy = elf_version(EV_CURRENT) == EV_NONE ? NULL : malloc(size + 1);
    if (!*copy)
        return NULL;
    memcpy(*copy, cubin, size);
    return elf_memory(*copy, size);
}

void machine_read(const void *cubin, size_t size, struct machine_code *out) {
    *out = (struct machine_code){0};
    char *copy;
    Elf *elf = open_copy(cubin, size, &copy);
    if (elf)
        read_sections(elf, out);
    elf_end(elf);
    free(copy);
}

static unsigned virtual_in_notes(const Elf_Data *data) {
    GElf_Nhdr note;
    size_t name, at = 0, text;
    while (data && data->d_buf && (at = gelf_getnote((Elf_Data *)data, at, &note, &name, &text)) > 0)
        if (note.n_type == NOTE_CUINFO && note.n_namesz == sizeof note_owner && note.n_descsz >= 4 &&
            memcmp((const char *)data->d_buf + name, note_owner, sizeof note_owner) == 0)
            return read32((const unsigned char *)data->d_buf + text) >> 16;
    return 0;
}

static unsigned find_virtual(Elf *elf) {
    GElf_Ehdr header;
    GElf_Shdr section_header;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return 0;
    if (header.e_ident[EI_ABIVERSION] < VERSION_OF_NOTES)
        return header.e_flags >> FLAGS_VIRTUAL & 0xff;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section))
        if (gelf_getshdr(section, &section_header) && section_header.sh_type == SHT_NOTE) {
            unsigned number = virtual_in_notes(elf_getdata(section, NULL));
            if (number)
                return number;
        }
    return 0;
}

unsigned machine_compiled_from(const void *cubin, size_t size) {
    char *copy;
    Elf *elf = open_copy(cubin, size, &copy);
    unsigned number = elf ? find_virtual(elf) : 0;
    elf_end(elf);
    free(copy);
    return number;
}

unsigned machine_registers(const struct machine_code *code, const char *name) {
    for (size_t i = 0; i < code->count; i++)
        if (strcmp(code->kernels[i].name, name) == 0)
            return code->kernels[i].registers;
    return 0;
}

void machine_free(struct machine_code *code) {
    for (size_t i = 0; i < code->count; i++)
        free(code->kernels[i].name);
    free(code->kernels);
    *code = (struct machine_code){0};
}
