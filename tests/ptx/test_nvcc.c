/* nvcc's output for functions.cu and memory.cu: all of it parses, each prefix is safe, and parsing is
 * fast. */
#include "check.h"

#include <time.h>

static char *read_file(const char *name, size_t *size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", SAMPLES, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    bytes[*size] = '\0';
    return bytes;
}

static uint64_t little(const char *at, int width) {
    uint64_t value = 0;
    for (int i = width - 1; i >= 0; i--)
        value = value << 8 | (unsigned char)at[i];
    return value;
}

/* Moves the PTX of an uncompressed fatbin to the buffer's beginning. */
static void unpack_fatbin(char *bytes, size_t *size) {
    size_t at = 16; /* after the fatbin's header */
    assert_true(*size > 16 && little(bytes, 4) == 0xba55ed50);
    while (at + 64 <= *size) {
        size_t header = little(bytes + at + 4, 4), payload = little(bytes + at + 8, 8);
        assert_true(at + header + payload <= *size);
        if (little(bytes + at, 2) == 1) {
            memmove(bytes, bytes + at + header, payload);
            *size = payload;
            return;
        }
        at += header + payload;
    }
    fail_msg("the fatbin has no PTX");
}

static char *read_sample(const char *name, size_t *size) {
    char *text = read_file(name, size);
    if (strstr(name, "fatbin"))
        unpack_fatbin(text, size);
    return text;
}

static const char *const samples[] = {
    "functions_75_ptx",   "functions_75_debug",  "functions_75_fatbin", "functions_90_ptx",
    "functions_90_debug", "functions_90_fatbin", "memory_75_ptx",       "memory_75_debug",
    "memory_75_fatbin",   "memory_90_ptx",       "memory_90_debug",     "memory_90_fatbin",
};

#define SAMPLE_COUNT (sizeof samples / sizeof samples[0])

static struct ptx_module *parse_sample(const char *name) {
    size_t size;
    char *text = read_sample(name, &size);
    struct ptx_module *module;
    struct ptx_error error;
    if (!ptx_parse(name, text, size, &module, &error))
        fail_msg("%s", error.text);
    free(text);
    return module;
}

/* Every pointer of an operand is set, and belongs to the function or module. */
static void check_operand(const struct ptx_function *function, const struct ptx_operand *operand) {
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        assert_true(operand->reg->index < function->register_count);
        assert_ptr_equal(function->registers[operand->reg->index], operand->reg);
        break;
    case PTX_OPERAND_LABEL:
        assert_non_null(operand->label);
        assert_true(operand->label->target <= function->instruction_count);
        break;
    case PTX_OPERAND_VARIABLE:
        assert_non_null(operand->variable);
        break;
    case PTX_OPERAND_FUNCTION:
        assert_non_null(operand->function);
        break;
    case PTX_OPERAND_SPECIAL:
        assert_non_null(operand->name);
        break;
    case PTX_OPERAND_ADDRESS:
        assert_false(operand->reg && operand->variable);
        break;
    default:
        break;
    }
    for (size_t i = 0; i < operand->item_count; i++)
        check_operand(function, &operand->items[i]);
}

static void test_samples(void **state) {
    (void)state;
    for (size_t s = 0; s < SAMPLE_COUNT; s++) {
        struct ptx_module *module = parse_sample(samples[s]);
        assert_int_equal(module->address_size, 64);
        assert_string_equal(module->target, strstr(samples[s], "_75_") ? "sm_75" : "sm_90");
        assert_true(module->version >= 800);
        assert_true(module->function_count >= 2 && module->file_count >= 1);
        for (size_t i = 0; i < module->function_count; i++) {
            const struct ptx_function *function = module->functions[i];
            assert_int_equal(function->index, i);
            for (size_t j = 0; j < function->param_count; j++)
                assert_ptr_equal(function->params[j]->owner, function);
            for (size_t j = 0; j < function->variable_count; j++)
                assert_int_equal(function->variables[j]->index, j);
            for (size_t j = 0; j < function->instruction_count; j++)
                for (size_t k = 0; k < function->instructions[j].operand_count; k++)
                    check_operand(function, &function->instructions[j].operands[k]);
        }
        ptx_module_free(module);
    }
}

static const struct ptx_instruction *find(const struct ptx_function *function, const char *opcode) {
    assert_non_null(function);
    for (size_t i = 0; i < function->instruction_count; i++)
        if (strcmp(function->instructions[i].opcode, opcode) == 0)
            return &function->instructions[i];
    fail_msg("%s has no %s", function->name, opcode);
    return NULL;
}

/* The stripped text has the same instructions as the formatted one. */
static void test_stripped_is_the_same(void **state) {
    (void)state;
    for (size_t s = 0; s < SAMPLE_COUNT; s += 3) {
        struct ptx_module *pretty = parse_sample(samples[s]), *stripped = parse_sample(samples[s + 2]);
        assert_int_equal(pretty->function_count, stripped->function_count);
        for (size_t i = 0; i < pretty->function_count; i++) {
            const struct ptx_function *a = pretty->functions[i], *b = stripped->functions[i];
            assert_string_equal(a->name, b->name);
            assert_int_equal(a->instruction_count, b->instruction_count);
            for (size_t j = 0; j < a->instruction_count; j++) {
                assert_string_equal(a->instructions[j].opcode, b->instructions[j].opcode);
                assert_int_equal(a->instructions[j].source.line, b->instructions[j].source.line);
            }
        }
        ptx_module_free(pretty);
        ptx_module_free(stripped);
    }
}

static void test_functions(void **state) {
    (void)state;
    struct ptx_module *module = parse_sample("functions_75_ptx");
    const struct ptx_function *kernel = ptx_module_function(module, "call_them");
    assert_non_null(kernel);
    assert_true(kernel->entry && kernel->defined && kernel->linkage == PTX_LINK_VISIBLE);
    assert_int_equal(kernel->param_count, 5);
    assert_int_equal(kernel->params[2]->size, 8);
    assert_int_equal(kernel->params[2]->align, 4);
    assert_int_equal(kernel->max_threads[0], 256);
    assert_int_equal(kernel->max_threads[1], 1);
    assert_int_equal(kernel->min_blocks, 2);

    const struct ptx_function *fibonacci = ptx_module_function(module, "fibonacci");
    const struct ptx_instruction *call = find(fibonacci, "call.uni");
    assert_int_equal(call->operand_count, 3);
    assert_int_equal(call->operands[0].kind, PTX_OPERAND_LIST);
    assert_ptr_equal(call->operands[1].function, fibonacci);
    assert_int_equal(call->operands[2].item_count, 1);
    assert_string_equal(call->operands[2].items[0].variable->name, "param0");

    const struct ptx_instruction *indirect = find(kernel, "call");
    assert_int_equal(indirect->operands[1].kind, PTX_OPERAND_REGISTER);
    assert_int_equal(indirect->operands[3].kind, PTX_OPERAND_LABEL);
    assert_int_equal(indirect->operands[3].label->prototype->param_count, 1);
    assert_int_equal(indirect->operands[3].label->prototype->returns[0]->size, 4);

    const struct ptx_variable *table = ptx_module_variable(module, "functions");
    assert_int_equal(table->relocation_count, 2);
    assert_string_equal(table->relocations[1].function->name, "thrice");
    const struct ptx_variable *inside = ptx_module_variable(module, "inside");
    assert_true(inside->relocations[0].generic);
    assert_int_equal(inside->relocations[0].addend, 8);
    assert_string_equal(inside->relocations[0].variable->name, "offset_table");
    const struct ptx_variable *packed = ptx_module_variable(module, "packed");
    assert_int_equal(packed->size, 50);
    assert_int_equal(packed->relocation_count, 48);
    assert_int_equal(packed->init[0], 1);
    assert_int_equal(packed->init[25], 2);
    assert_int_equal(packed->relocations[23].offset, 24);
    assert_int_equal(packed->relocations[23].width, 1);
    assert_int_equal(packed->relocations[23].shift, 56);
    assert_int_equal(packed->relocations[23].addend, 12);
    assert_int_equal(ptx_module_variable(module, "managed_counter")->init[0], 7);
    assert_true(ptx_module_variable(module, "dynamic_tile")->unsized);

    const struct ptx_instruction *jump = find(ptx_module_function(module, "jump"), "brx.idx");
    const struct ptx_label *list = jump->operands[1].label;
    assert_true(list->is_list);
    assert_int_equal(list->branch_target_count, 3);
    assert_string_equal(list->branch_targets[2]->name, "C");
    assert_true(list->branch_targets[2]->target > list->branch_targets[1]->target);
    ptx_module_free(module);
}

static void test_every_prefix(void **state) {
    (void)state;
    static const char *const names[] = {"functions_75_fatbin", "memory_90_ptx"};
    for (size_t n = 0; n < 2; n++) {
        size_t size;
        char *text = read_sample(names[n], &size);
        for (size_t length = 0; length < size; length += length < size / 4 ? 1 : 7) {
            /* A copy of exactly that length, so that the sanitizer detects a read past its end. */
            char *prefix = malloc(length + 1);
            assert_non_null(prefix);
            memcpy(prefix, text, length);
            struct ptx_module *module;
            struct ptx_error error;
            if (ptx_parse("prefix.ptx", prefix, length, &module, &error))
                ptx_module_free(module);
            else
                assert_true(error.message[0] != '\0');
            free(prefix);
        }
        free(text);
    }
}

/* 300 KB within 30 ms, with a margin for sanitizers and a busy machine: the best of ten. */
static void test_speed(void **state) {
    (void)state;
    size_t size, copies = 0, used = 0;
    char *sample = read_sample("memory_75_ptx", &size), *body = strstr(sample, ".visible .entry");
    assert_non_null(body);
    size_t head = (size_t)(body - sample), rest = size - head;
    char *text = malloc(400000 + size);
    assert_non_null(text);
    memcpy(text, sample, head);
    for (used = head; used < 300000; copies++) {
        memcpy(text + used, body, rest);
        /* Kernels need different names of the same length: widths -> w0dths ... */
        for (char *at = text + used; (at = strstr(at, "widths")) != NULL && at < text + used + rest;
             at += 6) {
            at[1] = (char)('A' + copies / 26);
            at[2] = (char)('A' + copies % 26);
        }
        for (char *at = text + used; (at = strstr(at, "hints")) != NULL && at < text + used + rest; at += 5) {
            at[1] = (char)('A' + copies / 26);
            at[2] = (char)('A' + copies % 26);
        }
        used += rest;
        text[used] = '\0';
    }
    double best = 1e9;
    for (int i = 0; i < 10; i++) {
        struct ptx_module *module;
        struct ptx_error error;
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        if (!ptx_parse("speed.ptx", text, used, &module, &error))
            fail_msg("%s", error.text);
        clock_gettime(CLOCK_MONOTONIC, &end);
        ptx_module_free(module);
        double time =
            (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-6;
        if (time < best)
            best = time;
    }
    print_message("%zu bytes in %.2f ms\n", used, best);
    assert_true(best < 30);
    free(text);
    free(sample);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),   cmocka_unit_test(test_stripped_is_the_same),
        cmocka_unit_test(test_functions), cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
