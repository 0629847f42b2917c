/* Malformed texts: each case gives the message, the line and, with a caret below the input, the column. */
#include "check.h"

struct refused {
    const char *text;
    const char *caret; /* below the column */
    unsigned line;     /* of text, from 1 */
    const char *message;
};

/* Carets are below the characters they point to: */
/* clang-format off */

/* Complete texts. */
static const struct refused whole[] = {
    {"",
     "^",
     1, "expected '.version', found the end of the text"},
    {"version 8.4",
     "^",
     1, "expected '.version', found 'version'"},
    {".version 8",
     "         ^",
     1, "expected a version such as 8.4, found '8'"},
    {".version 8.4 .entry",
     "             ^",
     1, "expected '.target', found '.entry'"},
    {".version 8.4\n.target gfx90",
     "        ^",
     2, "expected a target such as sm_90, found 'gfx90'"},
    {".version 8.4\n.target sm_90, fast",
     "               ^",
     2, "expected a target's option, found 'fast'"},
    {".version 8.4\n.target sm_90\n.address_size 48",
     "              ^",
     3, "expected 32 or 64, found '48'"},
    {"\x7f\x45LF",
     "^",
     1, "unexpected byte 0x7f"},
    {"  #include",
     "  ^",
     1, "unexpected character '#'"},
    {".version 8.4 /* no end",
     "             ^",
     1, "this comment is never closed"},
};

/* Texts that follow HEAD. */
static const struct refused modules[] = {
    {".global .u32 x;\n.entry k() {\n.reg .u64 %rd;\nmov.u64 %rd, x[1];\n}",
     "              ^",
     4, "'x' is not an array"},
    {".global .u32 x[4];\n.entry k() {\n.reg .u64 %rd;\nmov.u64 %rd, x[-1];\n}",
     "               ^",
     4, "an index is an integer, 0 or more"},
    {".globel .u32 x;",
     "^",
     1, "expected a directive, found '.globel'"},
    {".visible .reg .u32 x;",
     "         ^",
     1, "expected a variable or function, found '.reg'"},
    {".global x;",
     "        ^",
     1, "expected a type, found 'x'"},
    {".global .u33 x;",
     "        ^",
     1, "expected a type, found '.u33'"},
    {".global .u32 .u64 x;",
     "             ^",
     1, "expected a name, found '.u64'"},
    {".global .u32 x",
     "              ^",
     1, "expected ';', found the end of the text"},
    {".global .u32 x\n.global .u32 y;",
     "^",
     2, "expected ';', found '.global'"},
    {".global .u32 x;\n.global .u32 x;",
     "             ^",
     2, "'x' is already defined at line 4"},
    {".extern .global .u32 x[];\n.global .u64 x[2];",
     "             ^",
     2, "'x' differs from its declaration at line 4"},
    {".global .pred x;",
     "        ^",
     1, "only a register can be a predicate"},
    {".global .align 3 .u32 x;",
     "               ^",
     1, "an alignment must be a power of two"},
    {".global .align 0 .u32 x;",
     "               ^",
     1, "an alignment must be a power of two"},
    {".global .u32 x[];",
     "             ^",
     1, "the extent of 'x' is not given"},
    {".global .u32 x[4][];",
     "                  ^",
     1, "expected a constant, found ']'"},
    {".global .u32 x[-1];",
     "               ^",
     1, "an array's extent must be 0 to 1099511627776"},
    {".global .u32 x[0x100000][0x100000];",
     "             ^",
     1, "'x' is larger than 2^40 bytes"},
    {".global .u8 x[99999999999999999999];",
     "              ^",
     1, "the number does not fit in 64 bits"},
    {".local .u32 x;",
     "^",
     1, "a .local variable must be declared in a function"},
    {".global .u8 x = 256;",
     "                ^",
     1, "the number does not fit in .u8"},
    {".global .u8 x = -129;",
     "                ^",
     1, "the number does not fit in .u8"},
    {".global .u32 x = 1.5;",
     "                 ^",
     1, "a .u32 variable cannot be initialized with this float"},
    {".global .f16 x = 1;",
     "                 ^",
     1, "a .f16 variable cannot be initialized"},
    {".global .u8 x[2] = {1, 2, 3};",
     "                          ^",
     1, "'x' has too many initializers"},
    {".global .u8 x[2][2] = {1, {2}};",
     "                          ^",
     1, "braces begin in the middle of a row"},
    {".global .u8 x[2] = {{1}};",
     "                    ^",
     1, "braces are nested deeper than the array"},
    {".global .u8 x[2] = {1 2};",
     "                      ^",
     1, "expected ',' or '}', found '2'"},
    {".global .u64 x = y;",
     "                 ^",
     1, "'y' is no variable or function declared above"},
    {".global .u32 y; .global .u16 x = y;",
     "                                 ^",
     1, "an address does not fit in .u16"},
    {".global .u32 y; .global .u8 x = 0xff0(y);",
     "                                ^",
     1, "a mask must be 0xff << 8n, in a variable of bytes"},
    {".shared .u32 x = 1;",
     "               ^",
     1, "only .global and .const variables can be initialized"},
    {".global .u32 x = 1 / 0;",
     "                   ^",
     1, "a constant is divided by zero"},
    {".global .u32 x = 1 << 64;",
     "                   ^",
     1, "a constant is shifted by more than 63 bits"},
    {".global .f32 x = 0f3F80;",
     "                 ^",
     1, "expected 8 hexadecimal digits after '0f', found 4"},
    {".global .f64 x = 1e999;",
     "                 ^",
     1, "the number is too large for a 64-bit float"},
    {".global .u32 x = 12ab;",
     "                 ^",
     1, "malformed number '12ab'"},
    {".global .u32 x = 089;",
     "                 ^",
     1, "malformed number '089'"},
    {".file 1 \"copy.cu\n",
     "        ^",
     1, "this string is never closed"},
    {".file 0 \"copy.cu\"",
     "      ^",
     1, "a file's number must be 1 to 65535"},
    {".section .debug_info { .b8 1",
     "                            ^",
     1, "expected '}' to end the section that begins at line 4, found the end of the text"},
    {".visible .entry (.param .b32 r) k() { ret; }",
     "                ^",
     1, "a kernel returns nothing"},
    {".entry k(.param .u64 a, .param .u64 a) { ret; }",
     "                                    ^",
     1, "'a' is already defined at line 4"},
    {".entry k(.param .u64 a .param .u64 b) { ret; }",
     "                       ^",
     1, "expected ',' or ')', found '.param'"},
    {".entry k(.reg .u64 a) { ret; }",
     "         ^",
     1, "expected '.param' or ')', found '.reg'"},
    {".entry k() { ret; }\n.entry k() { ret; }",
     "       ^",
     2, "'k' is already defined at line 4"},
    {".func f(.param .b32 a);\n.func f(.param .b64 a) { ret; }",
     "      ^",
     2, "'f' differs from its declaration at line 4"},
    {".global .u32 k;\n.entry k() { ret; }",
     "       ^",
     2, "'k' is already defined at line 4"},
    {".entry k() .maxntid 1, 2, 3, 4 { ret; }",
     "                             ^",
     1, "a block has at most three extents"},
    {".entry k() .reqntid 0 { ret; }",
     "                    ^",
     1, "a block's extent must not be 0"},
    {".entry k() .maxfun 3 { ret; }",
     "           ^",
     1, "expected '{', ';' or a directive, found '.maxfun'"},
    {".entry k()\n{ ret;",
     "      ^",
     2, "expected '}' to end the block that begins at line 5, found the end of the text"},
    {".entry k() { ret; } }",
     "                    ^",
     1, "expected a directive, found '}'"},
    {".alias f, g;",
     "       ^",
     1, "'f' is no function declared above"},
    {".func f(); .func g(); .alias f, g;",
     "                             ^",
     1, "'f' is an alias of 'g', which has no body"},
};

/* Statements in a kernel with %r0..3, %rd0..3, %p0..1 and the parameter a. */
static const struct refused bodies[] = {
    {"mov.u32 %r1, %r2",
     "^",
     2, "expected ',' or ';', found 'ret'"},
    {"mov.u32 %r1 %r2;",
     "            ^",
     1, "expected ',' or ';', found '%r2'"},
    {"mov.u32 %r1, ;",
     "             ^",
     1, "expected an operand, found ';'"},
    {"mov.u32 %r1, %r4;",
     "             ^",
     1, "unknown register '%r4'"},
    {"mov.u32 %r1, %r01;",
     "             ^",
     1, "unknown register '%r01'"},
    {"mov.u32 %r1, %tid.q;",
     "             ^",
     1, "unknown register '%tid.q'"},
    {"mov.u32 %r1, tile;\nadd.u32 %r1, tile2, 1;",
     "             ^",
     1, "'tile' is neither declared nor a label of this function"},
    {"bra NOWHERE;\nHERE:\nbra HERE;",
     "    ^",
     1, "'NOWHERE' is neither declared nor a label of this function"},
    {"{ INNER: }\nbra INNER;",
     "    ^",
     2, "'INNER' is neither declared nor a label of this function"},
    {"L: L:",
     "   ^",
     1, "'L' is already defined at line 7"},
    {"ts: .branchtargets A, B;\nA:",
     "                      ^",
     1, "'B' is neither declared nor a label of this function"},
    {"ts: .calltargets f;",
     "                 ^",
     1, "'f' is no function declared above"},
    {"ld.global.u32 %r1, [%rd1;",
     "                        ^",
     1, "expected ']', found ';'"},
    {"ld.global.u32 %r1, [x];",
     "                    ^",
     1, "unknown symbol 'x'"},
    {"ld.global.u32 %r1, [k];",
     "                    ^",
     1, "expected a register or variable, found 'k'"},
    {"ld.global.u32 %r1, [1.5];",
     "                    ^",
     1, "an address is an integer"},
    {"ld.global.u32 %r1, [%rd1+];",
     "                         ^",
     1, "expected a constant, found ']'"},
    {"ld.global.v2.u32 {%r1, %r2, [%rd1];",
     "                            ^",
     1, "expected an operand, found '['"},
    {"ld.global.v2.u32 {}, [%rd1];",
     "                  ^",
     1, "expected an operand, found '}'"},
    {"call (%r1, f;",
     "            ^",
     1, "expected ',' or ')', found ';'"},
    {"@%r1 bra L; L:",
     " ^",
     1, "a guard must be a predicate, and '%r1' is a .b32"},
    {"@a bra L; L:",
     " ^",
     1, "expected a register, found 'a'"},
    {"@%p1 ;",
     "     ^",
     1, "expected an instruction, found ';'"},
    {"@ 1 ret;",
     "  ^",
     1, "expected a register, found '1'"},
    {"and.pred %p0, %p1, !%r1;",
     "                    ^",
     1, "'!' needs a predicate, and '%r1' is a .b32"},
    {"setp.eq.u32 %p0|3, %r1, %r2;",
     "                ^",
     1, "expected a register, found '3'"},
    {"setp.eq.u32 %p0|a, %r1, %r2;",
     "                ^",
     1, "both sides of '|' must be registers"},
    {".reg .b32 %r<5>;",
     "          ^",
     1, "'%r' is already defined at line 6"},
    {".reg .b32 %r3;",
     "          ^",
     1, "'%r3' is already defined at line 6"},
    {".reg .b32 a;",
     "          ^",
     1, "'a' is already defined at line 4"},
    {".reg .b32 t<0>;",
     "            ^",
     1, "a range has 1 to 4294967295 registers"},
    {".reg .b32 t<5;",
     "             ^",
     1, "expected '>', found ';'"},
    {".reg t;",
     "     ^",
     1, "expected a type, found 't'"},
    {".loc 1 2;",
     "        ^",
     1, "expected a column's number, found ';'"},
    {".loc 1 2 3, inlined 4",
     "            ^",
     1, "expected 'function_name' or 'inlined_at', found 'inlined'"},
    {".pragma nounroll;",
     "        ^",
     1, "expected a string, found 'nounroll'"},
    {".entry",
     "^",
     1, "expected an instruction or declaration, found '.entry'"},
    {"mov.u32 %r1, \"string\";",
     "             ^",
     1, "expected an operand, found a string"},
    {"mov.u32\t%r1, `;",
     "             ^",
     1, "unexpected character '`'"},
    {"5;",
     "^",
     1, "expected an instruction or '}', found '5'"},
};

/* clang-format on */

/* prefix ends with a newline or is empty; the error's position must be in text. */
static void check(const char *prefix, const struct refused *refused, const char *suffix) {
    char text[2048], tail[1024];
    unsigned prefix_lines = 0;
    for (const char *at = prefix; *at != '\0'; at++)
        prefix_lines += *at == '\n';
    snprintf(text, sizeof text, "%s%s%s", prefix, refused->text, suffix);

    struct ptx_module *module = (struct ptx_module *)text; /* poison */
    struct ptx_error error;
    if (ptx_parse("test.ptx", text, strlen(text), &module, &error))
        fail_msg("accepted: %s", refused->text);
    assert_null(module);
    if (strcmp(error.message, refused->message) != 0 || error.pos.line != prefix_lines + refused->line ||
        error.pos.column != strlen(refused->caret))
        print_message("%s\n", error.text);
    assert_string_equal(error.message, refused->message);
    assert_int_equal(error.pos.line, prefix_lines + refused->line);
    assert_int_equal(error.pos.column, strlen(refused->caret));

    const char *line = text;
    for (unsigned i = 1; i < error.pos.line; i++)
        line = strchr(line, '\n') + 1;
    char shown[256], caret[256];
    snprintf(shown, sizeof shown, "%.*s", (int)strcspn(line, "\n"), line);
    snprintf(caret, sizeof caret, "%s", refused->caret);
    for (size_t i = 0; shown[i] != '\0'; i++) {
        if (shown[i] == '\t' && i + 1 < strlen(caret))
            caret[i] = '\t'; /* keeps the caret in place for any width of tabs */
        else if (shown[i] < ' ' || shown[i] == 0x7f)
            shown[i] = '?';
    }
    snprintf(tail, sizeof tail, "test.ptx:%u:%u: %s\n%s\n%s", error.pos.line, error.pos.column, error.message,
             shown, caret);
    assert_string_equal(error.text, tail);
}

static void test_whole(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        check("", &whole[i], "");
}

static void test_modules(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        check(HEAD, &modules[i], "");
}

static void test_bodies(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        check(HEAD ".visible .entry k(.param .u64 a)\n"
                   "{\n"
                   ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n",
              &bodies[i], "\nret;\n}\n");
}

/* A line of any length is shown around the column, and a long name is shown by its end. */
static void test_long_line(void **state) {
    (void)state;
    char text[4096] = HEAD, name[1000];
    memset(text + strlen(HEAD), ' ', 3000);
    strcpy(text + strlen(HEAD) + 3000, "bad_token_here                                          ");
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    struct ptx_module *module;
    struct ptx_error error;
    assert_false(ptx_parse(name, text, strlen(text), &module, &error));
    assert_int_equal(error.pos.column, 3001);
    const char *line = strchr(error.text, '\n') + 1, *caret = strchr(line, '\n') + 1;
    assert_memory_equal(line, "...", 3);
    assert_memory_equal(line + strlen(caret) - 1, "bad_token_here", 14);
    assert_true(strlen(error.text) < sizeof error.text);
}

/* The lowering refuses instructions with the same function. */
static void test_error_set(void **state) {
    (void)state;
    struct ptx_module *module = parsed(HEAD ".entry k()\n{\n    wgmma.fence.sync.aligned;\n}\n");
    const struct ptx_instruction *instruction = module->functions[0]->instructions;
    struct ptx_error error;
    assert_false(
        ptx_error_set(&error, module, instruction->pos, "unknown instruction '%s'", instruction->opcode));
    assert_string_equal(error.text, "test.ptx:6:5: unknown instruction 'wgmma.fence.sync.aligned'\n"
                                    "    wgmma.fence.sync.aligned;\n"
                                    "    ^");
    ptx_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),     cmocka_unit_test(test_modules),   cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_long_line), cmocka_unit_test(test_error_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
