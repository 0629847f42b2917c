/* Matrix instructions: the supported ones, and the places of their fragments' elements. */
#include <stdio.h>
#include <string.h>

#include "sim/exec/lower/lower.h"
#include "sim/exec/matrix/matrix.h"

struct shape {
    uint8_t m, n;
    uint16_t k;
};

/* ---------------------------------------------------------------- supported kinds */

struct kind {
    const char *a; /* element types that can be combined, as a set: "s8 u8" */
    const char *c;
    struct shape shapes[5];
};

static const struct kind mma_kinds[] = {
    {"f16", "f16 f32", {{8, 8, 4}, {16, 8, 8}, {16, 8, 16}}},
    {"bf16", "f32", {{16, 8, 8}, {16, 8, 16}}},
    {"tf32", "f32", {{16, 8, 4}, {16, 8, 8}}},
    {"e4m3 e5m2", "f32", {{16, 8, 32}}},
    {"f64", "f64", {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}},
    {"s8 u8", "s32", {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}}},
    {"s4 u4", "s32", {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}}},
    {"b1", "s32", {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}}},
};

static const struct kind wmma_kinds[] = {
    {"f16", "f16 f32", {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}}},
    {"bf16", "f32", {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}}},
    {"tf32", "f32", {{16, 16, 8}}},
    {"f64", "f64", {{8, 8, 4}}},
    {"s8 u8", "s32", {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}}},
    {"s4 u4", "s32", {{8, 8, 32}}},
    {"b1", "s32", {{8, 8, 128}}},
};

static const char *const element_names[] = {
#define NAME(id, name, bits) [SIM_##id##_ELEMENT] = name,
    SIM_ELEMENT_MAP(NAME)
#undef NAME
};
static const uint8_t element_bits[] = {
#define BITS(id, name, bits) [SIM_##id##_ELEMENT] = bits,
    SIM_ELEMENT_MAP(BITS)
#undef BITS
};

static bool find_element(const char *word, enum sim_element *out) {
    for (size_t i = 0; i < sizeof element_names / sizeof *element_names; i++)
        if (strcmp(element_names[i], word) == 0) {
            *out = (enum sim_element)i;
            return true;
        }
    return false;
}

/* Whether a list of names contains the element's name. */
static bool listed(const char *list, enum sim_element element) {
    const char *name = element_names[element];
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static const struct kind *find_kind(bool wmma, enum sim_element a, const struct shape *shape) {
    const struct kind *kinds = wmma ? wmma_kinds : mma_kinds;
    size_t count = wmma ? sizeof wmma_kinds / sizeof *wmma_kinds : sizeof mma_kinds / sizeof *mma_kinds;
    for (size_t i = 0; i < count; i++)
        for (const struct shape *s = kinds[i].shapes; s->m; s++)
            if (listed(kinds[i].a, a) && s->m == shape->m && s->n == shape->n && s->k == shape->k)
                return &kinds[i];
    return NULL;
}

/* ---------------------------------------------------------------- opcodes */

struct opcode {
    struct shape shape;
    enum sim_element types[4];
    unsigned type_count;
    bool column[2]; /* the layouts, in the text's order */
    unsigned layout_count;
    bool saturate, exclusive_or, and, transpose;
    unsigned matrices; /* x1, x2, x4 */
};

/* Reads the words that all matrix instructions may have, and this instruction's own.  Refuses any other. */
static bool read_words(struct lower *l, const char *const *own, struct opcode *out) {
    static const char *const common[] = {"sync",        "aligned", "global", "shared",
                                         "shared::cta", "rn",      "popc",   NULL};
    const struct ptx_instruction *in = l->node->in;
    *out = (struct opcode){.matrices = 1};
    for (size_t i = 0; i < in->word_count; i++) {
        const char *word = in->words[i];
        unsigned m, n, k;
        char rest;
        bool known = false;
        for (const char *const *w = common; *w; w++)
            known |= strcmp(word, *w) == 0;
        for (const char *const *w = own; *w; w++)
            known |= strcmp(word, *w) == 0;
        if (sscanf(word, "m%un%uk%u%c", &m, &n, &k, &rest) == 3 && m <= 32 && n <= 32 && k <= 256) {
            out->shape = (struct shape){(uint8_t)m, (uint8_t)n, (uint16_t)k};
        } else if (strcmp(word, "row") == 0 || strcmp(word, "col") == 0) {
            if (out->layout_count == 2)
                return lower_unknown(l, NULL);
            out->column[out->layout_count++] = word[0] == 'c';
        } else if (out->type_count < 4 && find_element(word, &out->types[out->type_count])) {
            out->type_count++;
        } else if (!known) {
            return lower_error(l, in->pos, "instruction '%s' is not supported ('.%s')", in->opcode, word);
        }
        out->saturate |= strcmp(word, "satfinite") == 0;
        out->exclusive_or |= strcmp(word, "xor") == 0;
        out->and |= strcmp(word, "and") == 0;
        out->transpose |= strcmp(word, "trans") == 0;
        if (word[0] == 'x' && word[1] >= '1' && word[1] <= '4')
            out->matrices = (unsigned)(word[1] - '0');
    }
    return true;
}

bool lower_aligned(struct lower *l, struct sim_insn *out) {
    /* A constant may make the pool grow, but emits nothing: out remains valid. */
    out->run = sim_run_converged;
    return lower_constant(l, UINT32_MAX, SIM_32, &out->guard);
}

/* ---------------------------------------------------------------- fragments */

static void place_operand(struct sim_fragment *f, bool b) {
    unsigned each = f->bits >= 32 ? 1 : 32u / f->bits;
    unsigned row_cores = f->rows / 8u, k_cores = f->columns / (4 * each);
    f->cores = (uint8_t)(row_cores * k_cores);
    f->step = 1;
    for (unsigned core = 0; core < f->cores; core++) {
        unsigned row_core = b ? core / k_cores : core % row_cores;
        unsigned k_core = b ? core % k_cores : core / row_cores;
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            f->at[core][lane] =
                (uint16_t)((lane / 4 + 8 * row_core) * f->columns + (lane % 4 + 4 * k_core) * each);
    }
}

static void place_accumulator(struct sim_fragment *f) {
    unsigned row_cores = f->rows / 8u;
    f->cores = (uint8_t)(f->rows * f->columns / SIM_LANES);
    for (unsigned element = 0; element < f->cores; element++)
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            unsigned core = element / 2, row = lane / 4 + 8 * (core % row_cores);
            f->at[element][lane] =
                (uint16_t)(row * f->columns + 2 * (lane % 4) + element % 2 + 8 * (core / row_cores));
        }
}

/* m8n8k4 with f16: each four lanes i and 16 + i compute a product of their own.  The lanes below 16 have the
 * upper half of the rows (for B: of the columns).  A line of 4 halves is in two registers, along k or, in the
 * other layout, across it. */
static void place_pair_operand(struct sim_fragment *f, bool across) {
    f->cores = 2;
    f->step = across ? 4 : 1;
    for (unsigned reg = 0; reg < 2; reg++)
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            unsigned half = lane / 16 * 4, row = across ? 2 * reg : lane % 4;
            unsigned k = across ? lane % 4 : 2 * reg;
            f->at[reg][lane] = (uint16_t)((lane % 16 / 4 * 8 + half + row) * 4 + k);
        }
}

static void place_pair_accumulator(struct sim_fragment *f) {
    f->cores = 8;
    for (unsigned i = 0; i < 8; i++)
        for (unsigned lane = 0; lane < SIM_LANES; lane++) {
            unsigned row = lane % 4, column = i;
            if (f->element == SIM_F32_ELEMENT) {
                row = (lane & 1) + (i & 2);
                column = (i & 4) + (lane & 2) + (i & 1);
            }
            f->at[i][lane] = (uint16_t)((lane % 16 / 4 * 8 + lane / 16 * 4 + row) * 8 + column);
        }
}

static struct sim_fragment new_fragment(enum sim_element element, unsigned rows, unsigned columns) {
    return (struct sim_fragment){.element = element,
                                 .bits = element_bits[element],
                                 .rows = (uint8_t)rows,
                                 .columns = (uint16_t)columns};
}

/* The fragment of matrix 'a', 'b' or 'c'.  False if it needs too many registers. */
static void make_fragment(struct sim_fragment *f, char matrix, enum sim_element element,
                          const struct shape *s, bool wmma) {
    if (matrix == 'c') {
        *f = new_fragment(element, s->m, s->n);
        place_accumulator(f);
        f->registers = element == SIM_F16_ELEMENT ? f->cores / 2 : f->cores;
    } else {
        *f = new_fragment(element, matrix == 'a' ? s->m : s->n, s->k);
        place_operand(f, matrix == 'b');
        f->registers = wmma && element == SIM_F16_ELEMENT ? SIM_MATRIX_REGISTERS : f->cores;
    }
}

/* {a, b, ...}, or just a. */
static bool lower_fragment(struct lower *l, const struct ptx_operand *operand, struct sim_fragment *f,
                           bool written) {
    const struct ptx_operand *items = operand;
    size_t count = 1;
    if (operand->kind == PTX_OPERAND_VECTOR)
        items = operand->items, count = operand->item_count;
    if (count != f->registers)
        return lower_error(l, operand->pos, "'%s' takes %u registers here, not %zu", l->node->in->opcode,
                           f->registers, count);
    for (size_t i = 0; i < count; i++)
        if (!(written ? lower_destination(l, &items[i], f->bits == 64 ? SIM_64 : SIM_32, &f->reg[i])
                      : lower_source(l, &items[i], f->bits == 64 ? PTX_TYPE_F64 : PTX_TYPE_B32, &f->reg[i])))
            return false;
    return true;
}

/* ---------------------------------------------------------------- products */

static sim_run_fn *multiply_body(enum sim_element a) {
    switch (a) {
    case SIM_F64_ELEMENT:
        return sim_run_multiply_doubles;
    case SIM_S8_ELEMENT:
    case SIM_U8_ELEMENT:
    case SIM_S4_ELEMENT:
    case SIM_U4_ELEMENT:
        return sim_run_multiply_integers;
    case SIM_B1_ELEMENT:
        return sim_run_multiply_bits;
    default:
        return sim_run_multiply_floats;
    }
}

/* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c;  wmma.mma is similar, but names f16 once or
 * not at all: its types are then those of d and c. */
static bool lower_product(struct lower *l, bool wmma) {
    static const char *const words[] = {"mma", "satfinite", "xor", "and", NULL};
    const struct ptx_instruction *in = l->node->in;
    struct opcode op;
    if (!read_words(l, words, &op))
        return false;
    enum sim_element d = op.types[0], a = op.types[1], b = op.types[2], c = op.types[3];
    if (wmma && op.type_count == 2)
        c = op.types[1], a = b = SIM_F16_ELEMENT;
    else if (op.type_count != 4)
        return lower_unknown(l, NULL);
    const struct kind *kind = find_kind(wmma, a, &op.shape);
    bool pairs = !wmma && a == SIM_F16_ELEMENT && op.shape.k == 4, bits = a == SIM_B1_ELEMENT;
    bool integers = listed("s8 u8 s4 u4", a);
    if (!kind || !listed(kind->a, b) || !listed(kind->c, c) || !listed(kind->c, d) || op.layout_count != 2 ||
        (!wmma && !pairs && (op.column[0] || !op.column[1])) || bits != ptx_has_word(in, "popc") ||
        bits != (op.exclusive_or || op.and) || (op.saturate && !integers) || in->operand_count != 4)
        return lower_unknown(l, NULL);
    struct sim_multiply *m = lower_alloc(l, sizeof *m);
    if (!m)
        return false;
    m->products = pairs ? 4 : 1;
    m->saturate = op.saturate;
    m->how = op.and ? SIM_MATRIX_AND : SIM_MATRIX_XOR;
    if (pairs) {
        m->a = new_fragment(a, 8, 4);
        m->b = new_fragment(b, 8, 4);
        m->c = new_fragment(c, 8, 8);
        m->d = new_fragment(d, 8, 8);
        place_pair_operand(&m->a, op.column[0]);
        place_pair_operand(&m->b, !op.column[1]);
        place_pair_accumulator(&m->c);
        place_pair_accumulator(&m->d);
        m->a.registers = m->b.registers = 2;
        m->c.registers = c == SIM_F16_ELEMENT ? 4 : 8;
        m->d.registers = d == SIM_F16_ELEMENT ? 4 : 8;
    } else {
        make_fragment(&m->a, 'a', a, &op.shape, wmma);
        make_fragment(&m->b, 'b', b, &op.shape, wmma);
        make_fragment(&m->c, 'c', c, &op.shape, wmma);
        make_fragment(&m->d, 'c', d, &op.shape, wmma);
    }
    if (!lower_fragment(l, &in->operands[1], &m->a, false) ||
        !lower_fragment(l, &in->operands[2], &m->b, false) ||
        !lower_fragment(l, &in->operands[3], &m->c, false) ||
        !lower_fragment(l, &in->operands[0], &m->d, true))
        return false;
    struct sim_insn *out = lower_emit(l, multiply_body(a));
    if (!out)
        return false;
    out->extra = m;
    return lower_aligned(l, out);
}

bool lower_multiply(struct lower *l) {
    return lower_product(l, false);
}

bool lower_wmma_multiply(struct lower *l) {
    return lower_product(l, true);
}

/* ---------------------------------------------------------------- wmma.load, wmma.store */

static bool add_access(struct lower *l, struct sim_matrix_move *m, enum sim_access how, unsigned bytes,
                       unsigned reg, unsigned first, unsigned count) {
    struct sim_matrix_access *access = &m->access[m->access_count++];
    access->op = (struct sim_memop){.access = how,
                                    .space = m->at.space,
                                    .type = PTX_TYPE_B8,
                                    .width = (uint8_t)(bytes > 8 ? 8 : bytes),
                                    .count = bytes > 8 ? 2 : 1};
    access->reg = (uint8_t)reg;
    access->first = (uint8_t)first;
    access->count = (uint8_t)count;
    return lower_site(l, &access->op);
}

/* Adds one access per register for contiguous elements or a core of halves, otherwise one per element. */
static bool add_accesses(struct lower *l, struct sim_matrix_move *m, enum sim_access how) {
    const struct sim_fragment *f = &m->fragment;
    bool accumulator = m->matrix == 'c', along = m->matrix == 'b' ? m->by_column : !m->by_column;
    unsigned pieces = accumulator ? 2 : f->bits >= 32 ? 1 : 32u / f->bits;
    unsigned registers = accumulator ? f->cores / 2u : f->cores, bytes = pieces * f->bits / 8;
    bool across = !along && f->bits == 16, whole = along || across;
    for (unsigned r = 0; r < registers; r++)
        for (unsigned p = 0; p < (whole ? 1 : pieces); p++) {
            if (!add_access(l, m, how, whole ? bytes : bytes / pieces, r, accumulator ? 2 * r + p : p,
                            whole ? pieces : 1))
                return false;
            m->access[m->access_count - 1].across = across;
        }
    return true;
}

static bool lower_matrix_move(struct lower *l, bool load) {
    static const char *const words[] = {"load", "store", "a", "b", "c", "d", NULL};
    const struct ptx_instruction *in = l->node->in;
    struct opcode op;
    if (!read_words(l, words, &op))
        return false;
    if (op.type_count != 1 || op.layout_count != 1 || in->operand_count < 2 || in->operand_count > 3)
        return lower_unknown(l, NULL);
    struct sim_matrix_move *m = lower_alloc(l, sizeof *m);
    if (!m)
        return false;
    m->matrix = ptx_has_word(in, "a") ? 'a' : ptx_has_word(in, "b") ? 'b' : 'c';
    m->by_column = op.column[0];
    enum sim_element element = op.types[0];
    /* An accumulator's load does not name the product's operand types: any kind with its shape will do. */
    const struct kind *kind = m->matrix == 'c' ? NULL : find_kind(true, element, &op.shape);
    for (unsigned i = 0; m->matrix == 'c' && i < sizeof wmma_kinds / sizeof *wmma_kinds; i++)
        for (const struct shape *s = wmma_kinds[i].shapes; s->m; s++)
            if (s->m == op.shape.m && s->n == op.shape.n && s->k == op.shape.k &&
                listed(wmma_kinds[i].c, element))
                kind = &wmma_kinds[i];
    if (!kind || !lower_space(in, &m->at.space) || m->at.space == SIM_SPACE_CLUSTER)
        return lower_unknown(l, NULL);
    if (element_bits[element] < 8 && m->by_column != (m->matrix == 'b'))
        return lower_unknown(l, "elements smaller than a byte lie along k");
    make_fragment(&m->fragment, m->matrix, element, &op.shape, true);
    bool row_is_line = (m->matrix == 'b') == m->by_column;
    m->tight = row_is_line ? m->fragment.columns : m->fragment.rows;
    m->stride = -1;
    int32_t address;
    if (!lower_address(l, &in->operands[load], &m->at, &address) ||
        (in->operand_count == 3 && !lower_source(l, &in->operands[2], PTX_TYPE_U32, &m->stride)) ||
        !lower_fragment(l, &in->operands[!load], &m->fragment, load) ||
        !add_accesses(l, m, load ? SIM_ACCESS_LOAD : SIM_ACCESS_STORE))
        return false;
    struct sim_insn *out = lower_emit(l, load ? sim_run_load_matrix : sim_run_store_matrix);
    if (!out)
        return false;
    out->a = address;
    out->extra = m;
    return lower_aligned(l, out);
}

bool lower_load_matrix(struct lower *l) {
    return lower_matrix_move(l, true);
}

bool lower_store_matrix(struct lower *l) {
    return lower_matrix_move(l, false);
}

/* ---------------------------------------------------------------- ldmatrix, stmatrix, movmatrix */

static bool lower_rows(struct lower *l, bool load) {
    static const char *const words[] = {"m8n8", "x1", "x2", "x4", "trans", "b16", NULL};
    const struct ptx_instruction *in = l->node->in;
    struct opcode op;
    if (!read_words(l, words, &op))
        return false;
    if (!ptx_has_word(in, "m8n8") || !ptx_has_word(in, "b16") || in->operand_count != 2)
        return lower_unknown(l, NULL);
    struct sim_matrix_rows *m = lower_alloc(l, sizeof *m);
    if (!m)
        return false;
    m->matrices = (uint8_t)op.matrices;
    m->transpose = op.transpose;
    m->op = (struct sim_memop){
        .access = load ? SIM_ACCESS_LOAD : SIM_ACCESS_STORE, .type = PTX_TYPE_B32, .width = 4, .count = 4};
    struct sim_fragment registers = {.registers = m->matrices, .bits = 32};
    int32_t address;
    if (!lower_space(in, &m->op.space) || m->op.space == SIM_SPACE_GLOBAL || m->op.space == SIM_SPACE_CLUSTER)
        return lower_unknown(l, NULL);
    if (!lower_site(l, &m->op) || !lower_address(l, &in->operands[load], &m->op, &address) ||
        !lower_fragment(l, &in->operands[!load], &registers, load))
        return false;
    memcpy(m->reg, registers.reg, sizeof m->reg);
    struct sim_insn *out = lower_emit(l, load ? sim_run_load_rows : sim_run_store_rows);
    if (!out)
        return false;
    out->a = address;
    out->extra = m;
    return lower_aligned(l, out);
}

bool lower_load_rows(struct lower *l) {
    return lower_rows(l, true);
}

bool lower_store_rows(struct lower *l) {
    return lower_rows(l, false);
}

bool lower_transpose(struct lower *l) {
    static const char *const words[] = {"m8n8", "trans", "b16", NULL};
    const struct ptx_instruction *in = l->node->in;
    struct opcode op;
    if (!read_words(l, words, &op))
        return false;
    if (!ptx_has_word(in, "m8n8") || !op.transpose || !ptx_has_word(in, "b16") || in->operand_count != 2)
        return lower_unknown(l, NULL);
    int32_t d, a;
    if (!lower_source(l, &in->operands[1], PTX_TYPE_B32, &a) ||
        !lower_destination(l, &in->operands[0], SIM_32, &d))
        return false;
    struct sim_insn *out = lower_emit(l, sim_run_transpose);
    if (!out)
        return false;
    out->d = d, out->a = a;
    return lower_aligned(l, out);
}
