/* Handmade host objects, libraries and machine code: each length at its maximum, and one above. */
#include <ar.h>
#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/cuda/module/architecture.h"
#include "sim/cuda/module/host_object.h"
#include "sim/cuda/module/machine.h"
#include "tests/cuda/api.h"

/* ---------------------------------------------------------------- ELF files */

struct section {
    const char *name;
    unsigned type, link; /* link: index of a section in the list, from 1 */
    const void *bytes;
    size_t size;
};

enum { MOST_BYTES = 4096 };

struct file {
    unsigned char bytes[MOST_BYTES];
    size_t size;
};

static size_t append(struct file *file, const void *bytes, size_t size, size_t alignment) {
    const size_t at = (file->size + alignment - 1) / alignment * alignment;
    assert_true(at + size <= sizeof file->bytes);
    memcpy(file->bytes + at, bytes, size);
    file->size = at + size;
    return at;
}

/* Writes the sections consecutively, and then their names. */
static void make_elf(struct file *file, const struct section *sections, size_t count) {
    char names[256] = "";
    size_t used = 1;
    Elf64_Shdr headers[10];
    assert_true(count + 2 <= sizeof headers / sizeof *headers);
    memset(headers, 0, sizeof headers);
    memset(file, 0, sizeof *file);
    Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_REL,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof *headers,
                         .e_shnum = (Elf64_Half)(count + 2),
                         .e_shstrndx = (Elf64_Half)(count + 1)};
    header.e_ident[EI_ABIVERSION] = 8;
    (void)append(file, &header, sizeof header, 1);
    for (size_t i = 0; i <= count; i++) {
        const struct section *s = i < count ? &sections[i] : NULL;
        const char *name = s ? s->name : ".shstrtab";
        headers[i + 1] = (Elf64_Shdr){.sh_name = (Elf64_Word)used,
                                      .sh_type = s ? s->type : SHT_STRTAB,
                                      .sh_link = s ? s->link : 0,
                                      .sh_addralign = s && s->type == SHT_NOTE ? 4 : 8,
                                      .sh_entsize = s && s->type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0};
        memcpy(names + used, name, strlen(name) + 1);
        used += strlen(name) + 1;
        headers[i + 1].sh_size = s ? s->size : used;
        headers[i + 1].sh_offset = append(file, s ? s->bytes : names, headers[i + 1].sh_size, 8);
    }
    header.e_shoff = append(file, headers, (count + 2) * sizeof *headers, 8);
    memcpy(file->bytes, &header, sizeof header);
}

/* ---------------------------------------------------------------- host objects */

enum { HEADER = 16 };

struct taken {
    size_t sizes[8], count;
};

static bool take(void *context, const void *fatbin, size_t size) {
    static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};
    struct taken *taken = context;
    assert_memory_equal(fatbin, magic, sizeof magic);
    assert_true(taken->count < 8);
    taken->sizes[taken->count++] = size;
    return true;
}

/* A fat binary's header with the given body size, at any place. */
static void put_header(unsigned char *at, uint64_t body) {
    memcpy(at, (unsigned char[]){0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0}, 8);
    memcpy(at + 8, &body, 8);
}

static void walk(const void *data, size_t size, struct taken *taken) {
    const struct section section = {".nv_fatbin", SHT_PROGBITS, 0, data, size};
    struct file file;
    make_elf(&file, &section, 1);
    *taken = (struct taken){{0}, 0};
    assert_true(host_object_walk(file.bytes, file.size, take, taken));
}

/* One fat binary whose body is longer than the section, as long, and shorter; headers cut off by its end. */
static void fat_binaries(void **state) {
    (void)state;
    unsigned char data[96];
    struct taken taken;
    static const struct {
        uint64_t body;
        size_t size, wanted;
    } cases[] = {
        {24, 40, 40}, {25, 40, 40},        {23, 40, 39}, {1, 40, 17},          {0, 40, 16},
        {0, 16, 16},  {1, 16, 16},         {0, 17, 16},  {UINT64_MAX, 40, 40}, {UINT64_MAX - 15, 40, 40},
        {0, 15, 0},   {UINT64_MAX, 15, 0}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(data, 0, sizeof data);
        put_header(data, cases[i].body);
        walk(data, cases[i].size, &taken);
        if (taken.count != (cases[i].wanted != 0) || (taken.count && taken.sizes[0] != cases[i].wanted))
            fail_msg("case %zu: %zu, of %zu bytes", i, taken.count, taken.sizes[0]);
    }
    /* The second one begins at a multiple of 8, as does one after other bytes. */
    memset(data, 0, sizeof data);
    put_header(data, 1);
    put_header(data + 24, 3);
    put_header(data + 56, 8);
    walk(data, 80, &taken);
    assert_int_equal(taken.count, 3);
    assert_int_equal(taken.sizes[0], 17);
    assert_int_equal(taken.sizes[1], 19);
    assert_int_equal(taken.sizes[2], 24);
    walk(data, 56 + HEADER - 1, &taken);
    assert_int_equal(taken.count, 2);
    walk(data, 24 + HEADER + 1, &taken); /* its last eight bytes are incomplete */
    assert_int_equal(taken.count, 2);
    assert_int_equal(taken.sizes[1], 17);
}

static void put_member(struct file *file, const char *length, const char *end) {
    struct ar_hdr header;
    memset(&header, ' ', sizeof header);
    memcpy(header.ar_size, length, strlen(length));
    memcpy(header.ar_fmag, end, sizeof header.ar_fmag);
    (void)append(file, &header, sizeof header, 1);
}

static bool is_library(const struct file *file, size_t size) {
    struct taken taken = {{0}, 0};
    return host_object_walk(file->bytes, size, take, &taken);
}

static void libraries(void **state) {
    (void)state;
    struct file library = {{0}, 0};
    (void)append(&library, ARMAG, SARMAG, 1);
    assert_true(is_library(&library, SARMAG));
    assert_false(is_library(&library, SARMAG - 1));
    assert_false(is_library(&library, 0));
    /* A member with a damaged header, and one with an incomplete header. */
    put_member(&library, "0", "xx");
    assert_false(is_library(&library, library.size));
    assert_true(is_library(&library, library.size - 1));
    /* A member that is as long as the remaining bytes, and one byte longer. */
    library.size = SARMAG;
    put_member(&library, "5", ARFMAG);
    (void)append(&library, "12345", 5, 1);
    assert_true(is_library(&library, library.size));
    assert_false(is_library(&library, library.size - 1));
    assert_false(is_library(&library, library.size - 5));
    /* A member of odd size is followed by one byte of padding. */
    (void)append(&library, "\n", 1, 1);
    put_member(&library, "0", ARFMAG);
    assert_true(is_library(&library, library.size));
    put_member(&library, "0", "xx");
    assert_false(is_library(&library, library.size));
    /* Four bytes could be an object, though these are not; three cannot, whatever follows. */
    for (int length = 3; length <= 4; length++) {
        library.size = SARMAG;
        put_member(&library, length == 3 ? "3" : "4", ARFMAG);
        (void)append(&library, ELFMAG, SELFMAG, 1);
        assert_int_equal(is_library(&library, library.size), length == 3);
    }
    assert_false(host_object_walk(ELFMAG, SELFMAG, take, NULL));
    assert_false(host_object_walk("no object", 9, take, NULL));
}

/* ---------------------------------------------------------------- machine code */

/* An attribute with a symbol's register count, truncated to `size` bytes. */
static void registers(unsigned char at[12], unsigned symbol, unsigned count, unsigned format,
                      unsigned attribute) {
    const uint32_t words[] = {symbol, count};
    memcpy(at, (unsigned char[]){(unsigned char)format, (unsigned char)attribute, 8, 0}, 4);
    memcpy(at + 4, words, 8);
}

static unsigned read_registers(const void *info, size_t size) {
    static const char names[] = "\0kernel";
    const Elf64_Sym symbols[] = {{0}, {.st_name = 1}};
    const struct section sections[] = {{".nv.info", SHT_LOPROC, 0, info, size},
                                       {".strtab", SHT_STRTAB, 0, names, sizeof names},
                                       {".symtab", SHT_SYMTAB, 2, symbols, sizeof symbols}};
    struct file file;
    struct machine_code code;
    make_elf(&file, sections, 3);
    machine_read(file.bytes, file.size, &code);
    const unsigned found = machine_registers(&code, "kernel");
    machine_free(&code);
    return found;
}

static void register_counts(void **state) {
    (void)state;
    unsigned char info[24] = {0};
    static const struct {
        unsigned count, wanted;
    } counts[] = {{1, 1}, {254, 254}, {255, 255}, {256, 0}, {0, 0}, {UINT32_MAX, 0}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        registers(info, 1, counts[i].count, 4, 0x2f);
        assert_int_equal(read_registers(info, 12), counts[i].wanted);
    }
    /* At the section's end, the attribute is whole or ignored. */
    registers(info, 1, 40, 4, 0x2f);
    for (size_t size = 0; size <= 15; size++)
        assert_int_equal(read_registers(info, size), size < 12 ? 0 : 40);
    registers(info, 1, 40, 4, 0x2e);
    assert_int_equal(read_registers(info, 12), 0);
    registers(info, 9, 40, 4, 0x2f);
    assert_int_equal(read_registers(info, 12), 0);
    /* Preceded by an attribute of another length, and by one whose format has no length. */
    memcpy(info, (unsigned char[]){4, 0x11, 4, 0, 9, 9, 9, 9}, 8);
    registers(info + 8, 1, 41, 4, 0x2f);
    assert_int_equal(read_registers(info, 20), 41);
    memcpy(info, (unsigned char[]){3, 0x11, 99, 0, 1, 1, 0, 0}, 8);
    assert_int_equal(read_registers(info, 20), 41);
    memcpy(info, (unsigned char[]){4, 0x11, 17, 0}, 4);
    assert_int_equal(read_registers(info, 20), 0);
}

struct note {
    uint32_t name_size, text_size, type;
    char owner[12];
    uint16_t text[2]; /* the version and the virtual architecture */
};

static unsigned compiled_from(const struct note *note) {
    const struct section section = {".note.nv.cuinfo", SHT_NOTE, 0, note, sizeof *note};
    struct file file;
    make_elf(&file, &section, 1);
    return machine_compiled_from(file.bytes, file.size);
}

static void notes(void **state) {
    (void)state;
    const struct note right = {12, 4, 1000, "NVIDIA Corp", {2, 86}};
    struct note note = right;
    assert_int_equal(compiled_from(&note), 86);
    for (uint32_t size = 0; size < 4; size++) {
        note.text_size = size;
        assert_int_equal(compiled_from(&note), 0);
    }
    note = right;
    note.type = 1001;
    assert_int_equal(compiled_from(&note), 0);
    note = right;
    note.owner[0] = 'M';
    assert_int_equal(compiled_from(&note), 0);
    note = right;
    note.name_size = 11;
    assert_int_equal(compiled_from(&note), 0);
    note = right;
    note.text[1] = 0;
    assert_int_equal(compiled_from(&note), 0);
}

/* ---------------------------------------------------------------- architectures */

static void architectures(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t size; /* 0: whole file */
        unsigned number;
        enum architecture_kind kind;
    } cases[] = {
        {"sm_90", 0, 90, ARCHITECTURE_PLAIN},      {"sm_90a", 0, 90, ARCHITECTURE_SPECIFIC},
        {"sm_100f", 0, 100, ARCHITECTURE_FAMILY},  {"compute_75", 0, 75, ARCHITECTURE_PLAIN},
        {"sm_9999", 0, 9999, ARCHITECTURE_PLAIN},  {"compute_90a", 0, 90, ARCHITECTURE_SPECIFIC},
        {"sm_90a", 5, 90, ARCHITECTURE_PLAIN},     {"sm_90f", 5, 90, ARCHITECTURE_PLAIN},
        {"sm_90a", 4, 9, ARCHITECTURE_PLAIN},      {"sm_90", 6, 90, ARCHITECTURE_PLAIN},
        {"sm_90ab", 6, 90, ARCHITECTURE_SPECIFIC}, {"compute_9", 9, 9, ARCHITECTURE_PLAIN},
        {"sm_90x", 0, 0, ARCHITECTURE_PLAIN},      {"sm_90aa", 0, 0, ARCHITECTURE_PLAIN},
        {"sm_", 0, 0, ARCHITECTURE_PLAIN},         {"sm_90", 3, 0, ARCHITECTURE_PLAIN},
        {"sm_a", 0, 0, ARCHITECTURE_PLAIN},        {"xm_90", 0, 0, ARCHITECTURE_PLAIN},
        {"sm-90", 0, 0, ARCHITECTURE_PLAIN},       {"computer_90", 0, 0, ARCHITECTURE_PLAIN},
        {"sm_10000", 0, 0, ARCHITECTURE_PLAIN},    {"sm_90 ", 0, 0, ARCHITECTURE_PLAIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct architecture found;
        const bool good =
            architecture_parse(cases[i].text, cases[i].size ? cases[i].size : strlen(cases[i].text), &found);
        if (good != (cases[i].number != 0) ||
            (good && (found.number != cases[i].number || found.kind != cases[i].kind)))
            fail_msg("case %zu, %s: %d, %u, kind %d", i, cases[i].text, good, found.number, (int)found.kind);
    }
}

/* Nothing after the text is read: the process may not read there. */
static void architecture_ends(void **state) {
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    static const char *const texts[] = {"sm_90a", "compute_90"};
    for (size_t i = 0; i < 2; i++)
        for (size_t size = 0; size <= strlen(texts[i]); size++) {
            struct architecture found;
            memcpy(pages + page - size, texts[i], size);
            assert_int_equal(architecture_parse(pages + page - size, size, &found),
                             size > strcspn(texts[i], "_") + 1);
        }
    assert_int_equal(munmap(pages, 2 * page), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fat_binaries), cmocka_unit_test(libraries),     cmocka_unit_test(register_counts),
        cmocka_unit_test(notes),        cmocka_unit_test(architectures), cmocka_unit_test(architecture_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
