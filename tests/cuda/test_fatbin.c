/* Fat binaries: every compression, and the result if each is cut or altered anywhere. */
#include <elf.h>
#include <stdio.h>

#include "sim/cuda/module/fatbin.h"
#include "sim/cuda/module/machine.h"
#include "tests/cuda/api.h"

static const char *const files[] = {"default.fatbin", "speed.fatbin", "size.fatbin",
                                    "none.fatbin",    "lines.fatbin", "lines-none.fatbin"};
enum { FILES = sizeof files / sizeof *files };

static enum fatbin_status find(const void *image, size_t size, unsigned capability, struct fatbin_ptx *ptx) {
    char reason[256] = "";
    enum fatbin_status status = fatbin_find_ptx(image, size, capability, ptx, reason, sizeof reason);
    if (status != FATBIN_OK) {
        assert_true(reason[0] != '\0');
        assert_null(strchr(reason, '\n'));
        assert_null(ptx->owned);
    }
    return status;
}

static void every_mode(void **state) {
    (void)state;
    char *first = NULL;
    size_t first_size = 0;
    for (int i = 0; i < FILES; i++) {
        size_t size;
        char *image = api_read(files[i], &size);
        struct fatbin_ptx ptx;
        assert_int_equal(find(image, size, 90, &ptx), FATBIN_OK);
        assert_int_equal(ptx.made_for.number, 75);
        assert_true(ptx.size > 100 && !memchr(ptx.text, 0, ptx.size));
        char *text = strndup(ptx.text, ptx.size);
        assert_non_null(strstr(text, ".visible .entry vadd("));
        assert_true((strstr(text, ".loc") != NULL) == (strncmp(files[i], "lines", 5) == 0));
        if (strncmp(files[i], "lines", 5) == 0) {
            free(text);
        } else if (!first) { /* all modes contain the same text */
            first = text;
            first_size = ptx.size;
        } else {
            assert_int_equal(ptx.size, first_size);
            assert_memory_equal(text, first, first_size);
            free(text);
        }
        free(ptx.owned);
        /* Unaligned, and with its size known only from the header. */
        char *moved = malloc(size + 1);
        memcpy(moved + 1, image, size);
        assert_int_equal(find(moved + 1, SIZE_MAX, 90, &ptx), FATBIN_OK);
        free(ptx.owned);
        free(moved);
        free(image);
    }
    free(first);
}

static void choice(void **state) {
    (void)state;
    static const unsigned wanted[][2] = {{90, 80}, {86, 80}, {80, 80}, {75, 75}, {20, 75}};
    size_t size;
    char *image = api_read("mixed.fatbin", &size);
    for (int i = 0; i < 5; i++) {
        struct fatbin_ptx ptx;
        assert_int_equal(find(image, size, wanted[i][0], &ptx), FATBIN_OK);
        assert_int_equal(ptx.made_for.number, wanted[i][1]);
        free(ptx.owned);
    }
    free(image);
}

static void no_ptx(void **state) {
    (void)state;
    size_t size;
    struct fatbin_ptx ptx;
    char reason[256];
    char *image = api_read("machine.fatbin", &size);
    assert_int_equal(fatbin_find_ptx(image, size, 90, &ptx, reason, sizeof reason), FATBIN_NO_PTX);
    assert_non_null(strstr(reason, "-gencode arch=compute_75,code=compute_75"));
    free(image);
    image = api_read("machine.cubin", &size);
    assert_int_equal(find(image, size, 90, &ptx), FATBIN_OTHER);
    free(image);
    assert_int_equal(find("", 0, 90, &ptx), FATBIN_OTHER);
    unsigned wrapper[6] = {0x466243b1, 1, 1, 1, 1, 1}; /* addresses from a file must not be followed */
    assert_int_equal(find(wrapper, sizeof wrapper, 90, &ptx), FATBIN_OTHER);
}

/* Each prefix, in memory of exactly its size, so that a sanitizer detects accesses beyond it. */
static void truncated(void **state) {
    (void)state;
    for (int i = 0; i < FILES; i++) {
        size_t size;
        char *image = api_read(files[i], &size);
        for (size_t cut = 0; cut < size; cut++) {
            char *part = malloc(cut + !cut);
            memcpy(part, image, cut);
            struct fatbin_ptx ptx;
            assert_int_equal(find(part, cut, 90, &ptx), cut < 4 ? FATBIN_OTHER : FATBIN_CORRUPT);
            free(part);
        }
        free(image);
    }
}

/* Any byte altered: any answer but never a crash; alterations of the structure are detected. */
static void altered(void **state) {
    (void)state;
    for (int i = 0; i < FILES; i++) {
        size_t size;
        char *image = api_read(files[i], &size);
        char *copy = malloc(size);
        for (size_t at = 0; at < size; at++)
            for (int mask = 1; mask < 256; mask = mask == 1 ? 0x80 : mask == 0x80 ? 0xff : 256) {
                memcpy(copy, image, size);
                copy[at] = (char)(copy[at] ^ mask);
                struct fatbin_ptx ptx;
                enum fatbin_status status = find(copy, size, 90, &ptx);
                assert_true(status <= FATBIN_LINKED);
                if (at < 4)
                    assert_int_equal(status, FATBIN_OTHER);
                else if (at < 16 && !(at >= 8 && (mask & 0xff) && status == FATBIN_OK))
                    assert_int_not_equal(status, FATBIN_OTHER);
                if (status == FATBIN_OK)
                    for (size_t k = 0; k < ptx.size; k += 64) /* readable to the end */
                        assert_true(ptx.text[k] != 0);
                free(ptx.owned);
            }
        free(copy);
        free(image);
    }
}

/* The number of registers that ptxas reported for a kernel. */
static unsigned used(const char *kernel) {
    char *text = api_read("usage.txt", NULL), quoted[100];
    unsigned registers = 0;
    snprintf(quoted, sizeof quoted, "entry function '%s'", kernel);
    const char *at = strstr(text, quoted);
    at = at ? strstr(at, "Used ") : NULL;
    if (!at || sscanf(at, "Used %u registers", &registers) != 1)
        fail_msg("ptxas says nothing of %s: %s", kernel, text);
    free(text);
    return registers;
}

static void machine_code(void **state) {
    (void)state;
    static const char *const holders[] = {"both.fatbin", "machine.fatbin", "mixed.fatbin"};
    struct fatbin_code code;
    struct machine_code machine;
    size_t size;
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++) {
        char *image = api_read(holders[i], &size);
        assert_true(fatbin_find_code(image, size, 90, &code));
        machine_read(code.code, code.size, &machine);
        assert_int_equal(machine_registers(&machine, "vadd"), used("vadd"));
        assert_int_equal(machine_registers(&machine, "dynamic_shared"), used("dynamic_shared"));
        assert_int_equal(machine_registers(&machine, "vad"), 0);
        machine_free(&machine);
        free(code.owned);
        /* Code for sm_90 does not fit another major version. */
        assert_false(fatbin_find_code(image, size, 89, &code));
        assert_false(fatbin_find_code(image, size, 100, &code));
        assert_null(code.owned);
        free(image);
    }
    char *image = api_read("default.fatbin", &size);
    assert_false(fatbin_find_code(image, size, 90, &code));
    free(image);
}

/* Damaged machine code gives less or different information, and does no other harm. */
static void damaged_machine_code(void **state) {
    (void)state;
    struct machine_code machine;
    size_t size;
    char *image = api_read("machine.cubin", &size);
    assert_int_equal(machine_compiled_from(image, size), 90);
    assert_int_equal(machine_compiled_from(image, size / 2), 0);
    for (size_t cut = 0; cut < size; cut += cut < 2048 ? 1 : 61) {
        (void)machine_compiled_from(image, cut);
        machine_read(image, cut, &machine);
        machine_free(&machine);
    }
    for (size_t at = 0; at < size; at += 3) {
        image[at] = (char)(image[at] ^ 0xff);
        (void)machine_compiled_from(image, size);
        machine_read(image, size, &machine);
        machine_free(&machine);
        image[at] = (char)(image[at] ^ 0xff);
    }
    free(image);
}

/* A section of attributes with no bytes in the file, with sizes 0 and 1. */
static void no_attributes(void **state) {
    (void)state;
    struct machine_code machine;
    size_t size;
    char *image = api_read("machine.cubin", &size);
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    Elf64_Shdr *sections = calloc(header.e_shnum, sizeof *sections);
    assert_non_null(sections);
    memcpy(sections, image + header.e_shoff, header.e_shnum * sizeof *sections);
    const char *names = image + sections[header.e_shstrndx].sh_offset;
    bool found = false;
    for (int empty = 0; empty < 2; empty++) {
        for (size_t i = 0; i < header.e_shnum; i++)
            if (strcmp(names + sections[i].sh_name, ".nv.info") == 0) {
                Elf64_Shdr without = sections[i];
                without.sh_type = SHT_NOBITS;
                without.sh_size = empty ? 0 : without.sh_size;
                memcpy(image + header.e_shoff + i * sizeof without, &without, sizeof without);
                found = true;
            }
        machine_read(image, size, &machine);
        assert_int_equal(machine.count, 0);
        machine_free(&machine);
    }
    assert_true(found);
    free(sections);
    free(image);
}

/* The same through the driver: a truncated or damaged file gives one of the documented errors. */
static void through_the_driver(void **state) {
    (void)state;
    assert_int_equal(api_setup(state), 0);
    size_t size;
    char *image = api_read("default.fatbin", &size);
    for (size_t at = 4; at < size; at += 13) {
        CUmodule module;
        image[at] = (char)(image[at] ^ 0x55);
        CUresult error = at < 16 ? CUDA_SUCCESS : api.cuModuleLoadData(&module, image);
        image[at] = (char)(image[at] ^ 0x55);
        if (!error && at >= 16)
            assert_ok(api.cuModuleUnload(module));
        else if (error)
            assert_true(error == CUDA_ERROR_INVALID_IMAGE || error == CUDA_ERROR_INVALID_PTX ||
                        error == CUDA_ERROR_NO_BINARY_FOR_GPU);
    }
    free(image);
    assert_int_equal(api_teardown(state), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mode),
        cmocka_unit_test(choice),
        cmocka_unit_test(no_ptx),
        cmocka_unit_test(truncated),
        cmocka_unit_test(altered),
        cmocka_unit_test(machine_code),
        cmocka_unit_test(damaged_machine_code),
        cmocka_unit_test(no_attributes),
        cmocka_unit_test(through_the_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
