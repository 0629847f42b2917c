/* The list of instructions, sim/exec/lower/instructions.def: an instruction for each row, and each fact of
 * the row as the pass that uses it shows it.  A row without an instruction here fails, and so does an
 * instruction that no lowering accepts.  The lowering itself refuses an instruction whose result or accesses
 * do not match its row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/check/state.h"
#include "sim/exec/lanes/lanes.h"
#include "sim/exec/lower/facts.h"
#include "sim/exec/lower/instructions.h"
#include "sim/exec/lower/loops.h"
#include "sim/exec/lower/merge.h"
#include "sim/exec/lower/slots.h"
#include "sim/exec/program.h"

#include "tests/exec/instruction_samples.h"

enum { SAMPLES = sizeof samples / sizeof *samples, TEXT = 16384 };

static const char head[] = ".version 8.6\n.target sm_90a\n.address_size 64\n"
                           ".shared .align 16 .b8 tile[1024];\n.func helper() { ret; }\n";
static const char registers[] = ".reg .b16 %h<20>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<20>;\n";

/* ---------------------------------------------------------------- the modules of an instruction */

enum kernel { PLAIN, GUARDED, LOADS, STORES, STEADY, ONCE, TWICE, THRICE, USED, KERNELS };

struct sample {
    struct sim_memory *memory;
    struct sim_module *module;
    const char *line;
};

static const char *register_of(enum ptx_type type) {
    const unsigned bytes = ptx_type_bytes(type);
    return type == PTX_TYPE_PRED ? "%p" : bytes == 8 ? "%d" : bytes == 4 ? "%r" : "%h";
}

/* Writes an instruction with its operands. */
static void write_line(const char *text, char line[256]) {
    struct sim_op op;
    const char *why;
    snprintf(line, 256, "%s", text);
    if (strchr(text, ';'))
        return;
    if (!sim_op_find(text, &op, &why))
        fail_msg("%s: %s", text, why);
    int size = snprintf(line, 256, "%s %s1", text, register_of(op.d));
    const enum ptx_type types[] = {op.a, op.b, op.c, op.f};
    for (unsigned i = 0; i < 4; i++)
        if (types[i])
            size += snprintf(line + size, 256 - (size_t)size, ", %s%u", register_of(types[i]), i + 2);
    snprintf(line + size, 256 - (size_t)size, ";");
}

static void write_kernel(FILE *out, enum kernel kernel, const char *line) {
    fprintf(out, ".visible .entry k%d(.param .u16 h, .param .u32 r, .param .u64 d) {\n%s", kernel, registers);
    for (int i = 2; i <= 9; i++)
        fprintf(out, "ld.param.u16 %%h%d, [h]; ld.param.u32 %%r%d, [r]; ld.param.u64 %%d%d, [d];\n", i, i, i);
    fprintf(out, "ld.param.u32 %%r17, [r];\n");
    for (int i = 2; i <= 9; i++)
        fprintf(out, "setp.ne.u32 %%p%d, %%r17, %d;\n", i, i);
    const int rounds = kernel == THRICE ? 3 : kernel == TWICE ? 2 : 1;
    const bool loop = kernel >= STEADY && kernel <= THRICE;
    if (kernel == LOADS)
        fputs("ld.shared.u32 %r12, [tile];\n", out);
    if (kernel == STORES)
        fputs("st.shared.u32 [tile], %r17;\n", out);
    if (kernel == STEADY)
        fputs(".pragma \"nounroll\";\n", out);
    if (loop)
        fputs("LOOP:\n", out);
    for (int i = 0; i < rounds; i++)
        fprintf(out, "%s%s\n", kernel == GUARDED ? "@%p9 " : "", line);
    if (kernel == LOADS)
        fputs("ld.shared.u32 %r13, [tile+4];\n", out);
    if (kernel == STORES)
        fputs("st.shared.u32 [tile+4], %r17;\n", out);
    if (loop)
        fputs("add.u32 %r18, %r18, 1; setp.lt.u32 %p18, %r18, %r17; @%p18 bra LOOP;\n", out);
    if (kernel == USED)
        fputs("add.u32 %r15, %r1, 1; add.u64 %d15, %d1, 1;\n", out);
    fputs("HERE: ret;\nPLACES: .branchtargets HERE;\n}\n", out);
}

static void start(struct sample *s, const char *line) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(head, out);
    for (enum kernel kernel = 0; kernel < KERNELS; kernel++)
        write_kernel(out, kernel, line);
    fclose(out);
    *s = (struct sample){.memory = sim_memory_create(1 << 24), .line = line};
    struct ptx_error error;
    assert_non_null(s->memory);
    if (!sim_module_load(s->memory, "instructions", text, size, &s->module, &error))
        fail_msg("%s", error.text);
    free(text);
}

static void end(struct sample *s) {
    sim_module_unload(s->module);
    sim_memory_destroy(s->memory);
}

static const struct ptx_function *kernel_of(const struct sample *s, enum kernel kernel) {
    char name[8];
    snprintf(name, sizeof name, "k%d", kernel);
    return ptx_module_function(s->module->ptx, name);
}

/* The index of the tested instruction, after the loads of parameters, the tests, and other preparation. */
static size_t place_in(enum kernel kernel) {
    return 3 * 8 + 1 + 8 + (kernel == LOADS || kernel == STORES);
}

static const struct ptx_instruction *instruction_in(const struct sample *s, enum kernel kernel) {
    return &kernel_of(s, kernel)->instructions[place_in(kernel)];
}

static const struct sim_code *code_of(const struct sample *s, enum kernel kernel) {
    return &s->module->codes[kernel_of(s, kernel)->index];
}

/* ---------------------------------------------------------------- the passes' view of the facts */

static const struct ptx_register *result_of(const struct ptx_instruction *in) {
    if (!in->operand_count || in->row->result == SIM_RESULT_NONE)
        return NULL;
    const struct ptx_operand *d = &in->operands[0];
    return d->item_count ? d->items[0].reg : d->reg;
}

/* Calls `each` for every source register of an operand, or an item of it. */
static void each_register(const struct ptx_operand *operand,
                          void (*each)(void *, const struct ptx_register *), void *argument) {
    for (size_t i = 0; i < operand->item_count; i++)
        each_register(&operand->items[i], each, argument);
    if (operand->reg)
        each(argument, operand->reg);
}

struct sharing {
    const struct slots *slots;
    const struct ptx_register *result;
    bool can, does;
};

static void note_sharing(void *argument, const struct ptx_register *reg) {
    struct sharing *s = argument;
    s->can |= slots_class(reg->type) == slots_class(s->result->type);
    s->does |= s->slots->of_register[reg->index] == s->slots->of_register[s->result->index];
}

static bool has_own_slot(const struct sample *s) {
    const struct ptx_function *f = kernel_of(s, PLAIN);
    const struct ptx_instruction *in = instruction_in(s, PLAIN);
    struct flow flow;
    struct slots slots;
    assert_true(flow_build(f, &flow) && slots_assign(f, &flow, &slots));
    struct sharing sharing = {.slots = &slots, .result = result_of(in)};
    if (sharing.result && in->operands[0].kind == PTX_OPERAND_REGISTER)
        for (size_t i = 1; i < in->operand_count; i++)
            each_register(&in->operands[i], note_sharing, &sharing);
    slots_free(&slots);
    flow_free(&flow);
    return sharing.can && !sharing.does;
}

static char *show_control(const struct sample *s, char *at) {
    static const char kinds[] = {
        [FLOW_BRANCH] = 'J', [FLOW_SWITCH] = 'S', [FLOW_RETURN] = 'R', [FLOW_EXIT] = 'X'};
    struct flow flow;
    bool branch = false;
    assert_true(flow_build(kernel_of(s, GUARDED), &flow));
    for (size_t n = 0; n < flow.node_count; n++) {
        const struct flow_node *node = &flow.nodes[n];
        if (node->in != instruction_in(s, GUARDED))
            continue;
        branch |= node->synthetic;
        if (node->kind != FLOW_PLAIN && !node->synthetic)
            *at++ = kinds[node->kind];
    }
    flow_free(&flow);
    /* A branch around the instruction makes a block; so does a call of an unknown function. */
    assert_true(flow_build(kernel_of(s, PLAIN), &flow));
    if (flow.nodes[place_in(PLAIN)].kind == FLOW_PLAIN && flow.blocks[1].is_join)
        *at++ = 'C';
    flow_free(&flow);
    if (branch)
        *at++ = 'b';
    return at;
}

static char *show_merges(const struct sample *s, char *at) {
    struct flow flow;
    for (enum kernel kernel = LOADS; kernel <= STORES; kernel++) {
        const struct ptx_function *f = kernel_of(s, kernel);
        assert_true(flow_build(f, &flow));
        struct merged_access *merged = merge_find(f, &flow);
        assert_non_null(merged);
        const struct merged_access *first = &merged[place_in(kernel) - 1];
        if (first->bytes != 8)
            *at++ = kernel == STORES ? 's' : first->in_doubt ? 'a' : 'l';
        free(merged);
        flow_free(&flow);
    }
    return at;
}

static bool is_uniform(const struct sample *s) {
    const struct ptx_register *result = result_of(instruction_in(s, PLAIN));
    struct facts facts;
    assert_true(facts_find(kernel_of(s, PLAIN), &facts));
    const bool uniform = result && !facts.varying[result->index];
    facts_free(&facts);
    return uniform;
}

static bool is_steady(const struct sample *s) {
    const struct ptx_register *result = result_of(instruction_in(s, STEADY));
    struct flow flow;
    struct flow_before before;
    struct flow_loops loops;
    if (!result)
        return false;
    assert_true(flow_build(kernel_of(s, STEADY), &flow) && flow_find_before(&flow, &before) &&
                flow_find_loops(&flow, &before, &loops));
    assert_int_equal(loops.count, 1);
    const bool steady = flow_is_steady(&flow, &loops.items[0], result);
    flow_loops_free(&loops);
    flow_before_free(&before);
    flow_free(&flow);
    return steady;
}

static bool is_unrolled(const struct sample *s, enum kernel kernel) {
    struct flow flow;
    bool unrolled = false;
    assert_true(flow_build(kernel_of(s, kernel), &flow));
    for (size_t b = 0; b < flow.block_count; b++)
        unrolled |= flow.blocks[b].copy_of != 0;
    flow_free(&flow);
    return unrolled;
}

/* Whether something computes with the value that an instruction, by its place, loads. */
static bool computes(const struct sample *s, enum kernel kernel, size_t place) {
    struct check_site site = {.words = NULL};
    return check_computes(code_of(s, kernel), (uint32_t)place, 0, &site);
}

struct moving {
    const struct sample *sample;
    size_t count;
    bool moves;
};

/* Called for a register that a kernel's parameter is loaded to. */
static void note_moving(void *argument, const struct ptx_register *reg) {
    struct moving *m = argument;
    const struct ptx_function *f = kernel_of(m->sample, PLAIN);
    for (size_t i = 0; i < place_in(PLAIN); i++)
        if (f->instructions[i].operands[0].reg == reg && reg->type != PTX_TYPE_PRED) {
            m->count++;
            m->moves &= !computes(m->sample, PLAIN, i);
        }
}

static char *show_values(const struct sample *s, char *at) {
    const struct ptx_instruction *in = instruction_in(s, PLAIN);
    for (size_t i = in->row->result != SIM_RESULT_NONE; i < in->operand_count; i++) {
        struct moving moving = {.sample = s, .moves = true};
        each_register(&in->operands[i], note_moving, &moving);
        if (!moving.count || !moving.moves)
            continue;
        *at++ = i == 1 ? 'v' : 'w';
        if (i != 1)
            break;
    }
    if (!computes(s, PLAIN, place_in(PLAIN)))
        *at++ = computes(s, USED, place_in(USED)) ? 'm' : 'M';
    return at;
}

static void show(const struct sample *s, char *at) {
    if (has_own_slot(s))
        *at++ = 'e';
    at = show_merges(s, show_control(s, at));
    if (is_uniform(s))
        *at++ = 'u';
    if (is_steady(s))
        *at++ = 't';
    if (is_unrolled(s, ONCE))
        *at++ = is_unrolled(s, THRICE) ? '1' : is_unrolled(s, TWICE) ? '2' : '?';
    *show_values(s, at) = '\0';
}

/* ---------------------------------------------------------------- completeness of the rows */

static unsigned accesses_of(const struct sample *s) {
    const struct sim_code *code = code_of(s, PLAIN);
    unsigned made = 0;
    for (size_t i = 0; i < code->site_count; i++)
        if (code->sites[i].insn == place_in(PLAIN))
            made |= code->sites[i].access == SIM_ACCESS_LOAD    ? SIM_MEMORY_READS
                    : code->sites[i].access == SIM_ACCESS_STORE ? SIM_MEMORY_WRITES
                                                                : SIM_MEMORY_READS | SIM_MEMORY_WRITES;
    return made;
}

static bool is_word(const struct ptx_instruction *in, const char *text, size_t length) {
    bool found = strncmp(in->name, text, length) == 0 && !in->name[length];
    for (size_t i = 0; i < in->word_count; i++)
        found |= strncmp(in->words[i], text, length) == 0 && !in->words[i][length];
    return found;
}

/* The names and words of a row's pattern that an instruction has: one bit each, in order. */
static unsigned parts_of(const struct sim_instruction *row, const struct ptx_instruction *in) {
    unsigned parts = 0, bit = 1;
    for (const char *at = row->pattern; *at; bit <<= 1) {
        const size_t length = strcspn(at, "/.");
        if (!in || is_word(in, at, length))
            parts |= bit;
        at += length + (at[length] != '\0');
    }
    return parts;
}

static void test_samples(void **state) {
    (void)state;
    unsigned parts[256] = {0}, accesses[256] = {0}, wrong = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        char line[256], facts[32];
        struct sample s;
        write_line(samples[i].text, line);
        start(&s, line);
        show(&s, facts);
        if (strcmp(facts, samples[i].facts) != 0) {
            print_error("%s: %s, not %s\n", line, facts, samples[i].facts);
            wrong++;
        }
        const struct ptx_instruction *in = instruction_in(&s, PLAIN);
        const size_t row = (size_t)(in->row - sim_instruction_at(0));
        assert_in_range(row, 0, sizeof parts / sizeof *parts - 1);
        assert_ptr_equal(sim_instruction_at(row), in->row);
        parts[row] |= parts_of(in->row, in);
        accesses[row] |= accesses_of(&s);
        end(&s);
    }
    const struct sim_instruction *row;
    for (size_t i = 0; (row = sim_instruction_at(i)) != NULL; i++) {
        if (parts[i] != parts_of(row, NULL)) {
            print_error("%s: no instruction here has all of it\n", row->pattern);
            wrong++;
        }
        if (accesses[i] != (row->memory & (SIM_MEMORY_READS | SIM_MEMORY_WRITES))) {
            print_error("%s: its accesses are %u\n", row->pattern, accesses[i]);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Every computing instruction has a row. */
static void test_computing(void **state) {
    (void)state;
    for (unsigned i = 0; i < sim_op_count(); i++) {
        char text[64];
        const char *words[16], *why;
        struct ptx_instruction in = {.opcode = sim_op_name(i), .name = text, .words = words};
        snprintf(text, sizeof text, "%s", in.opcode);
        for (char *dot = strchr(text, '.'); dot; dot = strchr(dot + 1, '.')) {
            *dot = '\0';
            words[in.word_count++] = dot + 1;
        }
        if (!sim_instruction_find(&in, &why))
            fail_msg("%s: %s", in.opcode, why);
    }
}

static void refused(const char *line, const char *message) {
    char text[1024];
    struct ptx_error error = {.pos = {0, 0}};
    struct sim_module *module;
    struct sim_memory *memory = sim_memory_create(1 << 24);
    assert_non_null(memory);
    const int size =
        snprintf(text, sizeof text, "%s.visible .entry k() {\n%s\n%s\nret;\n}\n", head, registers, line);
    if (sim_module_load(memory, "refused", text, (size_t)size, &module, &error))
        fail_msg("%s is taken", line);
    assert_string_equal(error.message, message);
    assert_int_equal(error.pos.line, 9);
    sim_memory_destroy(memory);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const unknown[] = {"suld", "ldx", "l", "bars", "wgmma.fence.sync.aligned"};
    static const char *const forms[] = {"mbarrier.foo", "mbarrier.arrives", "cp.sync",  "bar.cta",
                                        "wmma.matrix",  "tensormap.copy",   "cp.async_"};
    char line[128], message[128];
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        snprintf(line, sizeof line, "%s %%r1;", unknown[i]);
        snprintf(message, sizeof message, "instruction '%s' is not supported (unknown instruction)",
                 unknown[i]);
        refused(line, message);
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(line, sizeof line, "%s %%r1;", forms[i]);
        snprintf(message, sizeof message,
                 "instruction '%s' is not supported (no such form of this instruction)", forms[i]);
        refused(line, message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples), cmocka_unit_test(test_computing),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
