/* Valid texts, compared with the tree node by node. */
#include "check.h"

static const struct ptx_operand *operand(const struct ptx_function *function, size_t instruction,
                                         size_t index) {
    assert_true(instruction < function->instruction_count);
    assert_true(index < function->instructions[instruction].operand_count);
    return &function->instructions[instruction].operands[index];
}

static void assert_register(const struct ptx_operand *operand, const char *name, enum ptx_type type) {
    assert_int_equal(operand->kind, PTX_OPERAND_REGISTER);
    assert_string_equal(operand->reg->name, name);
    assert_int_equal(operand->reg->type, type);
}

static void assert_integer(const struct ptx_operand *operand, uint64_t bits) {
    assert_int_equal(operand->kind, PTX_OPERAND_INTEGER);
    assert_true(operand->bits == bits);
}

static void assert_pos(struct ptx_pos pos, unsigned line, unsigned column) {
    assert_int_equal(pos.line, line);
    assert_int_equal(pos.column, column);
}

static void test_types(void **state) {
    (void)state;
    assert_int_equal(ptx_type_find("u32"), PTX_TYPE_U32);
    assert_int_equal(ptx_type_find("bf16x2"), PTX_TYPE_BF16X2);
    assert_int_equal(ptx_type_find("u33"), PTX_TYPE_NONE);
    assert_int_equal(ptx_type_find("none"), PTX_TYPE_NONE);
    assert_int_equal(ptx_type_find(""), PTX_TYPE_NONE);
    assert_string_equal(ptx_type_name(PTX_TYPE_B128), "b128");
    assert_int_equal(ptx_type_bytes(PTX_TYPE_B128), 16);
    assert_int_equal(ptx_type_bytes(PTX_TYPE_PRED), 0);
    assert_int_equal(ptx_type_bytes((enum ptx_type)99), 0);
}

static void test_head(void **state) {
    (void)state;
    struct ptx_module *module = parsed("// comment\n/* another\n */ .version 8.4\n.target sm_90a, debug\n");
    assert_int_equal(module->version, 804);
    assert_string_equal(module->target, "sm_90a");
    assert_int_equal(module->address_size, 32); /* PTX's default */
    assert_int_equal(module->function_count, 0);
    assert_string_equal(module->name, "test.ptx");
    ptx_module_free(module);
    module = parsed(
        ".version 9.0\r\n.target sm_75, texmode_independent\r\n.address_size 64\r\n.pragma \"x\", \"y\";");
    assert_int_equal(module->version, 900);
    assert_int_equal(module->address_size, 64);
    assert_null(ptx_module_function(module, "k"));
    assert_null(ptx_module_variable(module, "k"));
    ptx_module_free(module);
    module = parsed(".version 1.4\n.target sm_10, map_f64_to_f32\n"); /* from before .address_size */
    assert_int_equal(module->address_size, 64);
    ptx_module_free(module);
    ptx_module_free(NULL);
}

static void test_variables(void **state) {
    (void)state;
    struct ptx_module *module =
        parsed(HEAD ".visible .global .align 4 .b8 a[2][3];\n"
                    ".const .v4 .f32 b;\n"
                    ".weak .shared .align 2 .u64 c, d[5];\n"
                    ".extern .shared .align 16 .b8 e[];\n"
                    ".common .global .attribute(.managed) .s16 f;\n"
                    ".global .attribute(.unified(1, 2), .managed) .u8 g;\n"
                    ".extern .global .u32 h;\n.extern .global .u32 h;\n.visible .global .u32 h = 5;\n");
    static const struct {
        const char *name;
        enum ptx_space space;
        enum ptx_linkage linkage;
        enum ptx_type type;
        size_t size, align;
        bool unsized;
        unsigned line, column;
    } expected[] = {
        {"a", PTX_SPACE_GLOBAL, PTX_LINK_VISIBLE, PTX_TYPE_B8, 6, 4, false, 4, 31},
        {"b", PTX_SPACE_CONST, PTX_LINK_NONE, PTX_TYPE_F32, 16, 16, false, 5, 17},
        {"c", PTX_SPACE_SHARED, PTX_LINK_WEAK, PTX_TYPE_U64, 8, 8, false, 6, 29},
        {"d", PTX_SPACE_SHARED, PTX_LINK_WEAK, PTX_TYPE_U64, 40, 8, false, 6, 32},
        {"e", PTX_SPACE_SHARED, PTX_LINK_EXTERN, PTX_TYPE_B8, 0, 16, true, 7, 31},
        {"f", PTX_SPACE_GLOBAL, PTX_LINK_COMMON, PTX_TYPE_S16, 2, 2, false, 8, 43},
        {"g", PTX_SPACE_GLOBAL, PTX_LINK_NONE, PTX_TYPE_U8, 1, 1, false, 9, 50},
        {"h", PTX_SPACE_GLOBAL, PTX_LINK_VISIBLE, PTX_TYPE_U32, 4, 4, false, 12, 23},
    };
    assert_int_equal(module->variable_count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *variable = ptx_module_variable(module, expected[i].name);
        assert_ptr_equal(variable, module->variables[i]);
        assert_int_equal(variable->index, i);
        assert_int_equal(variable->space, expected[i].space);
        assert_int_equal(variable->linkage, expected[i].linkage);
        assert_int_equal(variable->type, expected[i].type);
        assert_int_equal(variable->size, expected[i].size);
        assert_int_equal(variable->align, expected[i].align);
        assert_int_equal(variable->unsized, expected[i].unsized);
        assert_pos(variable->pos, expected[i].line, expected[i].column);
        assert_null(variable->owner);
    }
    assert_null(ptx_module_variable(module, "a")->init);
    assert_int_equal(ptx_module_variable(module, "h")->init[0], 5);
    ptx_module_free(module);
}

static void test_initializers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *bytes;
    } rows[] = {
        {".global .u32 x = 0x01020304;", 4, "\4\3\2\1"},
        {".global .u32 x = -1;", 4, "\xff\xff\xff\xff"},
        {".global .u64 x = 0xffffffffffffffffU;", 8, "\xff\xff\xff\xff\xff\xff\xff\xff"},
        {".global .u64 x = 18446744073709551615;", 8, "\xff\xff\xff\xff\xff\xff\xff\xff"},
        {".global .b8 x[4] = {254, -128, 0b11, 017};", 4, "\xfe\x80\3\17"},
        {".global .b8 x[4] = {1};", 4, "\1\0\0\0"},
        {".global .b8 x[] = {1, 2, 3};", 3, "\1\2\3"},
        {".global .b8 x[] = {};", 0, ""},
        {".global .b8 x[][2] = {{1}, {2, 3}, {}};", 6, "\1\0\2\3\0\0"},
        {".global .b8 x[][2] = {1, 2, 3};", 4, "\1\2\3\0"},
        {".global .b8 x[2][3] = {{1, 2}, {3}};", 6, "\1\2\0\3\0\0"},
        {".global .b8 x[2][3] = {1, 2, 3, {4}};", 6, "\1\2\3\4\0\0"},
        {".global .b8 x[2][2][2] = {{{1}, {2}}, {{3}}};", 8, "\1\0\2\0\3\0\0\0"},
        {".global .v2 .u8 x = {1, 2};", 2, "\1\2"},
        {".global .v2 .u8 x[2] = {{1, 2}, {3}};", 4, "\1\2\3\0"},
        {".const .f32 x = 0f3FC00000;", 4, "\0\0\xc0\x3f"},
        {".const .f32 x = 0f7F800001;", 4, "\1\0\x80\x7f"}, /* a signalling NaN stays one */
        {".const .f32 x[2] = {1.5, -0.5};", 8, "\0\0\xc0\x3f\0\0\0\xbf"},
        {".const .f32 x = -1;", 4, "\0\0\x80\xbf"},
        {".const .f64 x = 0dC000000000000000;", 8, "\0\0\0\0\0\0\0\xc0"},
        {".const .f64 x = -2.0e0;", 8, "\0\0\0\0\0\0\0\xc0"},
        {".const .f64 x = 0fC0000000;", 8, "\0\0\0\0\0\0\0\xc0"},
        {".const .b32 x = 0f3FC00000;", 4, "\0\0\xc0\x3f"},
        {".global .b128 x = -2;", 16, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"},
        {".global .s32 x = (1 + 2) * 3 - 8 / 2 % 3;", 4, "\x08\0\0\0"},
        {".global .s32 x = 1 << 4 | 3 & 6 ^ 1;", 4, "\x13\0\0\0"},
        {".global .s32 x = ~0 >> 8;", 4, "\xff\xff\xff\xff"},
        {".global .s32 x = -7 / 2;", 4, "\xfd\xff\xff\xff"},
        {".global .u64 x = -1 / 2U;", 8, "\xff\xff\xff\xff\xff\xff\xff\x7f"},
        {".global .u8 x[6] = {1 < 2, 2 <= 1, -1 < 0U, !5, 1 == 1 && 0, 0 || 3 != 4};", 6, "\1\0\0\0\0\1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, HEAD "%s", rows[i].text);
        struct ptx_module *module = parsed(text);
        const struct ptx_variable *variable = ptx_module_variable(module, "x");
        assert_int_equal(variable->size, rows[i].size);
        assert_false(variable->unsized);
        assert_non_null(variable->init);
        assert_memory_equal(variable->init, rows[i].bytes, rows[i].size);
        assert_int_equal(variable->relocation_count, 0);
        ptx_module_free(module);
    }
}

static void test_relocations(void **state) {
    (void)state;
    struct ptx_module *module = parsed(HEAD ".func f();\n.global .u32 a[4];\n"
                                            ".global .u64 x[5] = {a, a+8, generic(a)+4, 7, f};\n"
                                            ".global .u8 y[2] = {0XFF(generic(a)+12), 0xff00000000(a-4)};\n"
                                            ".global .u32 z = generic(a + 4);\n");
    const struct ptx_variable *a = ptx_module_variable(module, "a"), *x = ptx_module_variable(module, "x");
    const struct ptx_variable *y = ptx_module_variable(module, "y"), *z = ptx_module_variable(module, "z");
    static const struct {
        size_t offset;
        int64_t addend;
        bool generic;
    } expected[] = {{0, 0, false}, {8, 8, false}, {16, 4, true}, {32, 0, false}};
    assert_int_equal(x->relocation_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(x->relocations[i].offset, expected[i].offset);
        assert_int_equal(x->relocations[i].width, 8);
        assert_int_equal(x->relocations[i].shift, 0);
        assert_int_equal(x->relocations[i].addend, expected[i].addend);
        assert_int_equal(x->relocations[i].generic, expected[i].generic);
        assert_ptr_equal(x->relocations[i].variable, i < 3 ? a : NULL);
        assert_ptr_equal(x->relocations[i].function, i < 3 ? NULL : ptx_module_function(module, "f"));
    }
    assert_int_equal(x->init[24], 7);
    assert_int_equal(y->relocation_count, 2);
    assert_int_equal(y->relocations[0].width, 1);
    assert_int_equal(y->relocations[0].shift, 0);
    assert_int_equal(y->relocations[0].addend, 12);
    assert_true(y->relocations[0].generic);
    assert_int_equal(y->relocations[1].offset, 1);
    assert_int_equal(y->relocations[1].shift, 32);
    assert_int_equal(y->relocations[1].addend, -4);
    assert_int_equal(z->relocations[0].width, 4);
    assert_int_equal(z->relocations[0].addend, 4);
    ptx_module_free(module);
}

static void test_operands(void **state) {
    (void)state;
    struct ptx_module *module = parsed(
        HEAD ".global .u32 g[4];\n.func f() { ret; }\n"
             ".visible .entry k(.param .u64 .ptr .global .align 16 a)\n"
             "{\n"
             ".reg .b32 %r<9>;\n.reg .f32 x, y;\n.reg .b64 %rd<2>;\n.reg .pred %p<3>, q;\n.reg .v2 .u32 %v;\n"
             "mov.u32 %r1, %tid.x;\n"                                                      /* 0 */
             "mov.u32 %r2, -5; mov.u64 %rd0, 0xFFU;\n"                                     /* 1, 2 */
             "mov.f32 x, 0f3F800000; mov.f64 %rd1, 1.5;\n"                                 /* 3, 4 */
             "mov.u64 %rd0, g+4; mov.u64 %rd0, f;\n"                                       /* 5, 6 */
             "ld.v2.f32 {x, _}, [%rd0+-16];\n"                                             /* 7 */
             "st.u32 [g+4+8], %r8; st.u32 [0x10], 1;\n"                                    /* 8, 9 */
             "setp.eq.or.u32 %p1|_, %r1, %r2, !q;\n"                                       /* 10 */
             "mov.u32 %v.x, %v.y; mov.v2.u32 %v, {1, %r0};\n"                              /* 11, 12 */
             "tex.2d.v4.f32.f32 {x, x, x, x}, [%rd0, {x, y}];\n"                           /* 13 */
             "mov.u32 %r1, WARP_SZ; mov.u32 %r1, %envreg31; mov.u64 %rd0, %clock64;\n"     /* 14 15 16 */
             "ld.param.u64 %rd0, [a]; ld.u32 %r1, [%rd0 - 4]; mov.u32 %r1, (1 + 2) * 3;\n" /* 17 18 19 */
             "mov.b64 %rd0, -0d3FF0000000000000;\n"                                        /* 20 */
             "mov.u64 %rd0, g[3]; ld.global.u32 %r1, g[1+1];\n"                            /* 21 22 */
             "}\n");
    const struct ptx_function *k = ptx_module_function(module, "k");
    const struct ptx_variable *g = ptx_module_variable(module, "g");
    assert_register(operand(k, 0, 0), "%r1", PTX_TYPE_B32);
    assert_int_equal(operand(k, 0, 1)->kind, PTX_OPERAND_SPECIAL);
    assert_string_equal(operand(k, 0, 1)->name, "%tid.x");
    assert_pos(operand(k, 0, 1)->pos, 13, 14);
    assert_integer(operand(k, 1, 1), (uint64_t)-5);
    assert_integer(operand(k, 2, 1), 255);
    assert_int_equal(operand(k, 3, 1)->kind, PTX_OPERAND_F32);
    assert_int_equal(operand(k, 3, 1)->bits, 0x3f800000);
    assert_int_equal(operand(k, 4, 1)->kind, PTX_OPERAND_F64);
    assert_true(operand(k, 4, 1)->bits == 0x3ff8000000000000);
    assert_int_equal(operand(k, 5, 1)->kind, PTX_OPERAND_VARIABLE);
    assert_ptr_equal(operand(k, 5, 1)->variable, g);
    assert_int_equal(operand(k, 5, 1)->offset, 4);
    assert_int_equal(operand(k, 21, 1)->kind, PTX_OPERAND_VARIABLE); /* an index counts elements */
    assert_ptr_equal(operand(k, 21, 1)->variable, g);
    assert_int_equal(operand(k, 21, 1)->offset, 12);
    assert_int_equal(operand(k, 22, 1)->offset, 8);
    assert_int_equal(operand(k, 6, 1)->kind, PTX_OPERAND_FUNCTION);
    assert_ptr_equal(operand(k, 6, 1)->function, ptx_module_function(module, "f"));

    const struct ptx_operand *vector = operand(k, 7, 0), *address = operand(k, 7, 1);
    assert_int_equal(vector->kind, PTX_OPERAND_VECTOR);
    assert_int_equal(vector->item_count, 2);
    assert_register(&vector->items[0], "x", PTX_TYPE_F32);
    assert_int_equal(vector->items[1].kind, PTX_OPERAND_SINK);
    assert_int_equal(address->kind, PTX_OPERAND_ADDRESS);
    assert_string_equal(address->reg->name, "%rd0");
    assert_int_equal(address->offset, -16);
    assert_int_equal(address->item_count, 0);
    assert_ptr_equal(operand(k, 8, 0)->variable, g);
    assert_int_equal(operand(k, 8, 0)->offset, 12);
    assert_null(operand(k, 9, 0)->reg);
    assert_null(operand(k, 9, 0)->variable);
    assert_int_equal(operand(k, 9, 0)->offset, 16);

    const struct ptx_operand *pair = operand(k, 10, 0);
    assert_int_equal(pair->kind, PTX_OPERAND_PAIR);
    assert_int_equal(pair->item_count, 2);
    assert_register(&pair->items[0], "%p1", PTX_TYPE_PRED);
    assert_int_equal(pair->items[1].kind, PTX_OPERAND_SINK);
    assert_register(operand(k, 10, 3), "q", PTX_TYPE_PRED);
    assert_true(operand(k, 10, 3)->negated);

    assert_register(operand(k, 11, 0), "%v.x", PTX_TYPE_U32);
    assert_int_equal(operand(k, 12, 0)->kind, PTX_OPERAND_VECTOR);
    assert_ptr_equal(operand(k, 12, 0)->items[0].reg, operand(k, 11, 0)->reg);
    assert_ptr_equal(operand(k, 12, 0)->items[1].reg, operand(k, 11, 1)->reg);
    assert_integer(&operand(k, 12, 1)->items[0], 1);
    assert_int_equal(operand(k, 13, 1)->item_count, 1);
    assert_int_equal(operand(k, 13, 1)->items[0].item_count, 2);
    assert_string_equal(operand(k, 14, 1)->name, "WARP_SZ");
    assert_string_equal(operand(k, 15, 1)->name, "%envreg31");
    assert_string_equal(operand(k, 16, 1)->name, "%clock64");
    assert_ptr_equal(operand(k, 17, 1)->variable, k->params[0]);
    assert_int_equal(operand(k, 18, 1)->offset, -4);
    assert_integer(operand(k, 19, 1), 9);
    assert_true(operand(k, 20, 1)->bits == 0xbff0000000000000);

    assert_int_equal(k->params[0]->align, 8); /* .ptr's .align is for the pointed-to data */
    for (size_t i = 0; i < k->register_count; i++)
        assert_int_equal(k->registers[i]->index, i);
    ptx_module_free(module);
}

/* Line 0 means none: the instruction gets the line of a call, or of a neighbour. */
static void test_line_zero(void **state) {
    (void)state;
    struct ptx_module *module = parsed(HEAD ".file 1 \"a.cu\"\n.entry k()\n{\n"
                                            ".loc 1 0 3\nret;\n"
                                            ".loc 1 7 2\nret;\n"
                                            ".loc 1 0 9\nret;\n"
                                            ".loc 1 0 4, function_name $L, inlined_at 1 0 5\nret;\n"
                                            ".loc 1 0 4, function_name $L, inlined_at 1 20 5\nret;\n"
                                            ".loc 1 0 6, function_name $L, inlined_at 1 0 4\nret;\n"
                                            ".loc 1 8 1\nret;\n"
                                            "}\n.entry l()\n{\n.loc 1 0 3\nret;\n}\n");
    static const unsigned lines[] = {7, 7, 7, 7, 20, 20, 8};
    const struct ptx_function *k = ptx_module_function(module, "k");
    assert_int_equal(k->instruction_count, sizeof lines / sizeof *lines);
    for (size_t i = 0; i < k->instruction_count; i++) {
        assert_int_equal(k->instructions[i].source.file, 1);
        assert_int_equal(k->instructions[i].source.line, lines[i]);
    }
    assert_int_equal(ptx_module_function(module, "l")->instructions[0].source.file, 0);
    ptx_module_free(module);
}

static void test_instructions(void **state) {
    (void)state;
    struct ptx_module *module =
        parsed(HEAD ".file 2 \"C:\\\\a\\\"b.cu\", 123, 456\n.entry k()\n{\n.reg .pred p;\n"
                    ".reg .b64 a; .reg .f32 f;\n"
                    "ret;\n"
                    ".loc 2 10 3\n"
                    "  @!p ld.global.L1::no_allocate.L2::128B.f32 f, [a];\n"
                    ".loc 2 11 4, function_name $L__info_string0, inlined_at 2 20 5\n"
                    "@p ret ;;\n"
                    ".loc 2 12 1, function_name .debug_str+16, inlined_at 2 21 6\n"
                    "ld .global .f32 f, [a];\n"
                    ".pragma \"nounroll\";\n"
                    ".loc 1 13 1\n"
                    "ld.shared::cta.f32 f, [a];\n"
                    "}\n");
    const struct ptx_function *k = ptx_module_function(module, "k");
    assert_int_equal(k->instruction_count, 5);
    const struct ptx_instruction *in = k->instructions;
    assert_string_equal(in[0].name, "ret");
    assert_string_equal(in[0].opcode, "ret");
    assert_int_equal(in[0].word_count, 0);
    assert_int_equal(in[0].operand_count, 0);
    assert_null(in[0].guard);
    assert_int_equal(in[0].source.file, 0);

    assert_string_equal(in[1].opcode, "ld.global.L1::no_allocate.L2::128B.f32");
    assert_string_equal(in[1].name, "ld");
    assert_int_equal(in[1].word_count, 4);
    assert_string_equal(in[1].words[1], "L1::no_allocate");
    assert_string_equal(in[1].words[3], "f32");
    assert_true(ptx_has_word(&in[1], "L2::128B"));
    assert_false(ptx_has_word(&in[1], "ld"));
    assert_false(ptx_has_word(&in[1], "f3"));
    assert_string_equal(in[1].guard->name, "p");
    assert_true(in[1].guard_negated);
    assert_pos(in[1].pos, 11, 7);
    assert_int_equal(in[1].source.file, 2);
    assert_int_equal(in[1].source.line, 10);
    assert_int_equal(in[1].source.column, 3);

    assert_false(in[2].guard_negated);
    assert_int_equal(in[2].source.line, 11);
    assert_string_equal(in[3].opcode, "ld.global.f32");
    assert_string_equal(in[3].words[1], "f32");
    assert_int_equal(in[3].source.line, 12);
    assert_string_equal(in[4].words[0], "shared::cta");
    assert_int_equal(in[4].source.file, 0); /* no .file 1 */

    assert_int_equal(in[3].source.caller->line, 21);

    assert_int_equal(module->file_count, 2);
    assert_null(module->files[0]);
    assert_string_equal(module->files[1], "C:\\a\"b.cu");
    ptx_module_free(module);
}

/* nvcc's notation for non-ASCII characters; similar text stays as it is. */
static void test_file_names(void **state) {
    (void)state;
    struct ptx_module *module =
        parsed(HEAD ".file 1 \"/jos\\303\\251/a.cu\"\n.file 2 \"\\\\303\\251\\042\\\"\\1\"\n"
                    ".file 3 \"\\000a\\400\\38\\t\\377\"\n");
    assert_int_equal(module->file_count, 3);
    assert_string_equal(module->files[0], "/jos\303\251/a.cu");
    assert_string_equal(module->files[1], "\\303\251\"\"\\1");
    assert_string_equal(module->files[2], "\\000a\\400\\38\\t\377");
    ptx_module_free(module);
}

static void test_functions(void **state) {
    (void)state;
    struct ptx_module *module = parsed(
        HEAD ".extern .func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 y[12]);\n"
             ".func user() { .param .b32 r, a; .param .b8 b[12]; call.uni (r), f, (a, b); call user; ret; }\n"
             ".visible .func (.param .b32 out) f(.param .b32 in, .param .align 8 .b8 s[12])\n"
             ".noreturn\n{ .shared .u8 t; .local .u32 l; ret; }\n"
             ".extern .func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 y[12]);\n"
             ".weak .entry k() .maxntid 16, 8 .reqntid 4,4,4 .minnctapersm 2 .maxnreg 32 .pragma \"x\"; { }\n"
             ".func outside(.param .b64 _, .param .b64 _);\n");
    assert_int_equal(module->function_count, 4);
    struct ptx_function *f = module->functions[0], *user = module->functions[1];
    assert_string_equal(f->name, "f");
    assert_true(f->defined && !f->entry);
    assert_int_equal(f->linkage, PTX_LINK_VISIBLE);
    assert_int_equal(f->index, 0);
    assert_pos(f->pos, 6, 34);
    assert_int_equal(f->param_count, 2);
    assert_string_equal(f->params[1]->name, "s");
    assert_int_equal(f->params[1]->size, 12);
    assert_int_equal(f->params[1]->align, 8);
    assert_int_equal(f->params[1]->index, 1);
    assert_true(f->params[1]->is_param && !f->params[1]->is_return);
    assert_ptr_equal(f->params[1]->owner, f);
    assert_int_equal(f->return_count, 1);
    assert_true(f->returns[0]->is_return && !f->returns[0]->is_param);
    assert_int_equal(f->variable_count, 2);
    assert_int_equal(f->variables[0]->space, PTX_SPACE_SHARED);
    assert_int_equal(f->variables[1]->index, 1);
    assert_ptr_equal(f->variables[1]->owner, f);

    assert_int_equal(operand(user, 0, 0)->kind, PTX_OPERAND_LIST);
    assert_ptr_equal(operand(user, 0, 0)->items[0].variable, user->variables[0]);
    assert_ptr_equal(operand(user, 0, 1)->function, f); /* declared first, defined later */
    assert_int_equal(operand(user, 0, 2)->item_count, 2);
    assert_ptr_equal(operand(user, 1, 0)->function, user);
    assert_int_equal(user->instructions[1].operand_count, 1);

    const struct ptx_function *k = ptx_module_function(module, "k");
    assert_true(k->entry);
    assert_int_equal(k->linkage, PTX_LINK_WEAK);
    assert_int_equal(k->max_threads[0], 16);
    assert_int_equal(k->max_threads[1], 8);
    assert_int_equal(k->max_threads[2], 1);
    assert_int_equal(k->required_threads[2], 4);
    assert_int_equal(k->min_blocks, 2);
    assert_int_equal(k->max_registers, 32);
    assert_int_equal(k->instruction_count, 0);
    assert_false(ptx_module_function(module, "outside")->defined);
    assert_int_equal(f->max_threads[0], 0);
    ptx_module_free(module);
}

static void test_scopes(void **state) {
    (void)state;
    struct ptx_module *module =
        parsed(HEAD ".entry done()\n{\n"
                    ".reg .b32 %r<20>, a;\n"
                    "mov.b32 a, %r12;\n"                     /* 0 */
                    "{ .reg .b64 a; .reg .b64 %r<13>;\n"     /* shadow */
                    "mov.b32 a, %r12; mov.b32 a, %r13;\n"    /* 1, 2 */
                    "{ mov.b32 a, %r11; bra done; done: }\n" /* 3, 4; its own label */
                    "bra done;\n"                            /* 5: the outer one */
                    "}\n"
                    "mov.b32 a, %r12;\n"                                                    /* 6 */
                    "{ .reg .f32 %r1<3>; mov.b32 %r12, %r11; bra done; done: bra done; }\n" /* 7-9 */
                    "done: ret;\n"                                                          /* 10 */
                    "bra done; end: bra end; bra last; last:\n"                             /* 11-13 */
                    "}\n.entry again() { .reg .b32 %r<2>; done: bra done; mov.b32 %r1, %r0; }\n");
    const struct ptx_function *f = ptx_module_function(module, "done");
    assert_register(operand(f, 0, 0), "a", PTX_TYPE_B32);
    assert_register(operand(f, 0, 1), "%r12", PTX_TYPE_B32);
    assert_register(operand(f, 1, 0), "a", PTX_TYPE_B64);
    assert_register(operand(f, 1, 1), "%r12", PTX_TYPE_B64);
    assert_register(operand(f, 2, 1), "%r13", PTX_TYPE_B32); /* the inner range ends at 12 */
    assert_register(operand(f, 3, 1), "%r11", PTX_TYPE_B64);
    assert_int_equal(operand(f, 4, 0)->kind, PTX_OPERAND_LABEL);
    assert_int_equal(operand(f, 4, 0)->label->target, 5);
    assert_int_equal(operand(f, 5, 0)->kind, PTX_OPERAND_LABEL);
    assert_int_equal(operand(f, 5, 0)->label->target, 10);
    assert_null(operand(f, 5, 0)->function); /* a label before the kernel of that name */
    assert_ptr_equal(operand(f, 6, 1)->reg, operand(f, 0, 1)->reg);
    assert_register(operand(f, 7, 0), "%r12", PTX_TYPE_F32);
    assert_register(operand(f, 7, 1), "%r11", PTX_TYPE_F32);
    assert_int_equal(operand(f, 8, 0)->label->target, 9);
    assert_ptr_equal(operand(f, 8, 0)->label, operand(f, 9, 0)->label);
    assert_ptr_equal(operand(f, 11, 0)->label, operand(f, 5, 0)->label);
    assert_int_equal(operand(f, 12, 0)->label->target, 12);
    assert_int_equal(operand(f, 13, 0)->label->target, f->instruction_count);
    assert_int_equal(f->label_count, 5);
    assert_string_equal(f->labels[0]->name, "done");

    const struct ptx_function *again = ptx_module_function(module, "again");
    assert_int_equal(again->register_count, 2); /* its own, numbered from 0 */
    assert_int_equal(operand(again, 1, 0)->reg->index, 0);
    assert_int_equal(operand(again, 1, 1)->reg->index, 1);
    ptx_module_free(module);
}

static void test_lists(void **state) {
    (void)state;
    struct ptx_module *module = parsed(
        HEAD ".func (.param .b64 r) g(.param .b32 x) { ret; }\n.func other(.param .b32 x);\n"
             ".entry k() {\n.reg .b32 i; .reg .b64 f; .param .b64 r; .param .b32 a;\n"
             "table: .branchtargets L0, L1;\nbrx.idx i, table;\nL0: L1:\n"
             "proto : .callprototype (.param .b64 _) _ (.param .b32 _, .param .align 4 .b8 _[8]) .noreturn;\n"
             "call (r), f, (a, a), proto;\n"
             "bare: .callprototype _ ();\ncall f, (), bare;\n"
             "these: .calltargets g;\ncall (r), f, (a), these;\n"
             "call (r) g, (a);\n}\n");
    const struct ptx_function *k = ptx_module_function(module, "k"), *g = ptx_module_function(module, "g");
    const struct ptx_label *table = operand(k, 0, 1)->label;
    assert_true(table->is_list);
    assert_int_equal(table->branch_target_count, 2);
    assert_string_equal(table->branch_targets[1]->name, "L1");
    assert_false(table->branch_targets[1]->is_list);
    assert_int_equal(table->branch_targets[1]->target, 1);
    assert_int_equal(k->instructions[1].operand_count, 4);
    const struct ptx_function *proto = operand(k, 1, 3)->label->prototype;
    assert_int_equal(proto->return_count, 1);
    assert_int_equal(proto->param_count, 2);
    assert_int_equal(proto->params[1]->size, 8);
    assert_ptr_equal(proto->params[1]->owner, proto);
    assert_false(proto->defined);
    assert_int_equal(operand(k, 2, 1)->item_count, 0);
    assert_int_equal(operand(k, 2, 2)->label->prototype->param_count, 0);
    assert_ptr_equal(operand(k, 3, 3)->label->prototype, g);
    assert_int_equal(operand(k, 4, 0)->kind, PTX_OPERAND_LIST); /* no comma: older compilers */
    assert_ptr_equal(operand(k, 4, 1)->function, g);
    assert_int_equal(module->function_count, 3); /* prototypes do not count */
    ptx_module_free(module);
}

static void test_aliases(void **state) {
    (void)state;
    struct ptx_module *module =
        parsed(HEAD ".func name();\n.func real() { ret; }\n.global .u64 x[2] = {name, real};\n"
                    ".entry k() { .reg .b64 f; call name; { mov.b64 f, name; } }\n.alias name, real;\n");
    const struct ptx_function *real = ptx_module_function(module, "real"),
                              *k = ptx_module_function(module, "k");
    assert_ptr_equal(operand(k, 0, 0)->function, real);
    assert_ptr_equal(operand(k, 1, 1)->function, real);
    assert_ptr_equal(ptx_module_variable(module, "x")->relocations[0].function, real);
    assert_ptr_equal(ptx_module_variable(module, "x")->relocations[1].function, real);
    assert_false(ptx_module_function(module, "name")->defined);
    ptx_module_free(module);
}

static void test_sections(void **state) {
    (void)state;
    struct ptx_module *module =
        parsed(HEAD ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90\n.b64 a+4\n}\n"
                    ".section .debug_x { { } .b32 .debug_str+3 }\n.global .u32 x;\n");
    assert_int_equal(module->variable_count, 1);
    assert_int_equal(module->function_count, 0);
    ptx_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),       cmocka_unit_test(test_head),
        cmocka_unit_test(test_variables),   cmocka_unit_test(test_initializers),
        cmocka_unit_test(test_relocations), cmocka_unit_test(test_operands),
        cmocka_unit_test(test_line_zero),   cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_file_names),  cmocka_unit_test(test_functions),
        cmocka_unit_test(test_scopes),      cmocka_unit_test(test_lists),
        cmocka_unit_test(test_aliases),     cmocka_unit_test(test_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
