/* Unusual texts: any bytes, any size, any depth.  Each must be refused or parsed quickly. */
#include "check.h"

#include <time.h>

static bool parses(const char *text, size_t size) {
    struct ptx_module *module;
    struct ptx_error error = {.pos = {0, 0}};
    bool ok = ptx_parse("hostile.ptx", text, size, &module, &error);
    if (ok) {
        ptx_module_free(module);
    } else {
        assert_null(module);
        assert_true(error.pos.line >= 1 && error.pos.column >= 1);
        assert_true(strlen(error.text) < sizeof error.text && strlen(error.message) > 0);
    }
    return ok;
}

static void test_one_byte(void **state) {
    (void)state;
    for (int c = 0; c < 256; c++) {
        char text[1] = {(char)c};
        assert_false(parses(text, 1)); /* not even blanks: .version is missing */
    }
    assert_false(parses(NULL, 0));
}

/* Replaces each byte of a text by several others, and removes it. */
static void test_mutations(void **state) {
    (void)state;
    static const char text[] = HEAD
        ".global .align 4 .u32 x[2][2] = {{1, 2}, {3}};\n"
        ".global .u64 y[2] = {generic(x)+8, 0x10};\n"
        ".visible .func (.param .b32 r) f(.param .b32 a) { st.param.b32 [r+0], -1; ret; }\n"
        ".visible .entry k(.param .u64 a) .maxntid 32, 1, 1 {\n"
        ".reg .b32 %r<4>; .reg .pred p, q; .loc 1 2 3\n"
        "L: setp.eq.s32 p|q, %r0, 0b11U; @!p bra L;\n"
        "{ .param .b32 b; call.uni (b), f, (b); proto: .callprototype (.param .b32 _) _ (.param .b32 _); }\n"
        "ld.global.v2.f32 {%r1, _}, [x + 4]; mov.f32 %r2, 0f3F800000; /* end */ ret; }\n"
        ".file 1 \"a\\\\b.cu\"\n.section .debug_str { .b8 1,2\n }\n";
    static const char bytes[] = {'\0', '\n', ' ', '"', '\\', '{', '}', '(',       ')', '[',
                                 ']',  '<',  '>', ';', ':',  '.', ',', '+',       '-', '0',
                                 '9',  'x',  '%', '_', '@',  '!', '|', (char)0xff};
    assert_true(parses(text, sizeof text - 1));
    for (size_t i = 0; i < sizeof text - 1; i++) {
        /* Allocated with its exact size, so that the sanitizer detects the first byte read past the end. */
        char *copy = malloc(sizeof text - 1);
        assert_non_null(copy);
        memcpy(copy, text, sizeof text - 1);
        for (size_t j = 0; j < sizeof bytes; j++) {
            copy[i] = bytes[j];
            parses(copy, sizeof text - 1);
        }
        memmove(copy + i, text + i + 1, sizeof text - 2 - i);
        parses(copy, sizeof text - 2);
        free(copy);
    }
}

static void test_random_bytes(void **state) {
    (void)state;
    uint64_t seed = 1;
    char text[256];
    for (int round = 0; round < 4000; round++) {
        for (size_t i = 0; i < sizeof text; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[i] = (char)(seed >> 56);
        }
        if (round % 2)
            memcpy(text, HEAD, strlen(HEAD));
        parses(text, sizeof text);
    }
}

/* A text also ends at its first NUL, in the middle of anything. */
static void test_nul(void **state) {
    (void)state;
    static const char text[] = HEAD ".global .u32 x;\0garbage \x01";
    assert_true(parses(text, sizeof text - 1));
}

/* head, then unit repeated up to size bytes, then tail. */
static char *repeated(const char *head, const char *unit, size_t size, const char *tail) {
    char *text = malloc(strlen(head) + size + strlen(tail) + 1);
    assert_non_null(text);
    char *at = text + sprintf(text, "%s", head);
    size_t length = strlen(unit);
    for (size_t done = 0; done + length <= size; done += length) {
        memcpy(at, unit, length);
        at += length;
    }
    strcpy(at, tail);
    return text;
}

static void test_deep(void **state) {
    (void)state;
    static const struct {
        const char *head, *unit;
    } rows[] = {
        {"", "{"},
        {HEAD, "{"},
        {HEAD ".entry k() {", "{"},
        {HEAD ".global .u32 x[1][1][1][1] = {", "{"},
        {HEAD ".global .u32 x", "[1]"},
        {HEAD ".global .u32 x = ", "("},
        {HEAD ".global .u32 x = ", "-"},
        {HEAD ".global .u32 x = ", "1+("},
        {HEAD ".entry k() { mov.u32 x, ", "{"},
        {HEAD ".entry k() { call ", "("},
        {HEAD ".entry k() { ld.u32 x, ", "["},
        {HEAD ".section .debug_info ", "{"},
        {HEAD, "/*"},
        {HEAD, "//"},
        {HEAD, "\""},
        {HEAD ".entry k() { mov", ".x"},
        {HEAD ".entry k() { mov", " .x"},
        {HEAD, "a"},
        {HEAD ".global .u32 x = ", "9"},
        {HEAD ".global .f64 x = 0.", "9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = repeated(rows[i].head, rows[i].unit, 1 << 20, "");
        bool comment = strcmp(rows[i].unit, "//") == 0;
        assert_int_equal(parses(text, strlen(text)), comment);
        free(text);
    }
}

static void test_hundred_megabytes(void **state) {
    (void)state;
    char *text = repeated("", "{", 100u << 20, "");
    assert_false(parses(text, 100u << 20));
    free(text);
    text = repeated(HEAD ".entry k() ", "{", 100u << 20, "");
    assert_false(parses(text, strlen(text)));
    free(text);
}

/* Processor time, not wall-clock time: other processes may be running. */
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Lines that a number makes distinct; it replaces %d. */
static const struct {
    const char *head, *line, *tail;
} families[] = {
    {HEAD, ".global .u32 variable_%d;\n", ""},
    {HEAD, ".func function_%d() { ret; }\n", ""},
    {HEAD ".entry k() {\n", ".reg .b32 register_%d;\n", "}\n"},
    {HEAD ".entry k() {\n", ".reg .b32 prefix_%dx<5>;\n", "}\n"},
    {HEAD ".entry k() {\n.reg .b32 %r<99999999>;\n", "mov.b32 %%r%d, 1;\n", "}\n"},
    {HEAD ".entry k() {\n.reg .pred %p;\n", "label_%d: @%%p bra label_%d;\n", "}\n"},
    {HEAD ".entry k() {\n", "bra END; mov.b32 END, %d;\n", "END: }\n"},
    {HEAD ".entry k() {\n", "{ bra END; { bra L%d; } L%d: }\n", "END: }\n"},
    {HEAD ".entry k() {\n{{{{{{{{{{{{{{{{{{{{\n", "bra END%d;\n", "}}}}}}}}}}}}}}}}}}}}}\n"},
    {HEAD ".entry k() {\n", "{ .reg .b32 a; .param .b32 p%d; mov.b32 a, 1; }\n", "}\n"},
    {HEAD ".global .u32 x[] = {\n", "%d,\n", "0};\n"},
    {HEAD ".global .u64 y;\n.global .u64 x[] = {\n", "y+%d,\n", "0};\n"},
    {HEAD ".entry k() {\n", "add.x%d.y 1, {2, 3}, [4];\n", "}\n"},
    {HEAD, ".file 1 \"%d.cu\"\n", ""},
    {HEAD ".entry k() {\nx: .branchtargets END,\n", "END, END,\n", "END;\nEND: }\n"},
};

static double time_of(size_t family, size_t size) {
    char *text = malloc(size + 1024), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", families[family].head);
    for (int i = 0; (size_t)(at - text) < size; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        at += sprintf(at, families[family].line, i, i);
#pragma GCC diagnostic pop
    }
    at += sprintf(at, "%s", families[family].tail);
    double begin = seconds();
    bool undefined = strstr(families[family].line, "bra END%d") != NULL;
    assert_int_equal(parses(text, (size_t)(at - text)), !undefined);
    double time = seconds() - begin;
    free(text);
    return time;
}

/* 16 times the text must take far less than 256 times as long.  The bound allows for a busy machine; a
 * quadratic algorithm at these sizes takes minutes. */
static void test_linear(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        double small = time_of(i, 64 << 10), large = time_of(i, 1 << 20);
        if (large > 1.0 && large > 100 * small)
            fail_msg("family %zu: %.3f s for 64 KiB, %.3f s for 1 MiB", i, small, large);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_byte),     cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_random_bytes), cmocka_unit_test(test_nul),
        cmocka_unit_test(test_deep),         cmocka_unit_test(test_hundred_megabytes),
        cmocka_unit_test(test_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
