#include "sim/ptx/parser.h"

#include "sim/ptx/special.h"

#include <string.h>

static bool push(struct ptx_parser *p, const struct ptx_operand *operand, struct ptx_name *wanted) {
    void *items = p->drafts;
    if (!ptx__arena_grow(p->scratch, &items, &p->draft_capacity, p->draft_count, sizeof *p->drafts))
        return ptx__out_of_memory(p);
    p->drafts = items;
    p->drafts[p->draft_count++] = (struct ptx_draft){*operand, wanted};
    return true;
}

bool ptx__seal_operands(struct ptx_parser *p, size_t mark, struct ptx_operand **items, size_t *count) {
    *count = p->draft_count - mark;
    *items = ptx__arena_alloc(p->arena, *count, sizeof **items);
    if (*items == NULL)
        return ptx__out_of_memory(p);
    for (size_t i = 0; i < *count; i++) {
        struct ptx_draft *draft = &p->drafts[mark + i];
        struct ptx_operand *operand = &(*items)[i];
        *operand = draft->operand;
        /* Only now does the operand have its final address, which a later label's reference needs. */
        bool found = operand->kind != PTX_OPERAND_LABEL;
        if (draft->wanted != NULL &&
            !ptx__want_label(p, draft->wanted, &operand->label, operand, found, operand->pos))
            return false;
    }
    p->draft_count = mark;
    return true;
}

static bool unknown_name(struct ptx_parser *p, const struct ptx_name *name, struct ptx_pos pos) {
    return ptx_error_set(p->error, p->module, pos, "unknown %s '%.100s'",
                         name->text[0] == '%' ? "register" : "symbol", name->text);
}

const struct ptx_register *ptx__register(struct ptx_parser *p) {
    struct ptx_binding *binding;
    struct ptx_pos pos = p->token.pos;
    if (p->token.kind != PTX_TOKEN_NAME) {
        ptx__expected(p, "a register");
        return NULL;
    }
    ptx__join_words(p);
    struct ptx_name *name = ptx__token_name(p);
    if (name == NULL || !ptx__lookup(p, name, &binding))
        return NULL;
    if (binding == NULL) {
        unknown_name(p, name, pos);
        return NULL;
    }
    if (binding->kind != PTX_BIND_REGISTER) {
        ptx__expected(p, "a register");
        return NULL;
    }
    return ptx__next(p) ? binding->reg : NULL;
}

static bool whole_vector(struct ptx_parser *p, const struct ptx_binding *vector,
                         struct ptx_operand *operand) {
    operand->kind = PTX_OPERAND_VECTOR;
    operand->item_count = vector->element_count;
    operand->items = ptx__arena_alloc(p->arena, vector->element_count, sizeof *operand->items);
    if (operand->items == NULL)
        return ptx__out_of_memory(p);
    for (size_t i = 0; i < vector->element_count; i++)
        operand->items[i] = (struct ptx_operand){
            .kind = PTX_OPERAND_REGISTER, .pos = operand->pos, .reg = vector->elements[i]};
    return true;
}

/* Resolves the name.  *wanted is set if a label of that name may still follow. */
static bool resolve(struct ptx_parser *p, struct ptx_name *name, struct ptx_operand *operand,
                    struct ptx_name **wanted) {
    struct ptx_binding *binding;
    if (!ptx__lookup(p, name, &binding))
        return false;
    if (binding == NULL && ptx__is_special(name->text)) {
        operand->kind = PTX_OPERAND_SPECIAL;
        operand->name = name->text;
        return true;
    }
    if (binding == NULL && strchr(name->text, '.') != NULL)
        return unknown_name(p, name, operand->pos);
    if (binding == NULL || (binding->kind == PTX_BIND_LABEL && binding->depth < p->depth)) {
        /* A label defined later; in a block it may hide an outer label. */
        if (binding == NULL && name->text[0] == '%')
            return unknown_name(p, name, operand->pos);
        operand->kind = PTX_OPERAND_LABEL;
        *wanted = name;
        return true;
    }
    if (binding->depth == 0)
        *wanted = name; /* a label may have a kernel's name */
    switch (binding->kind) {
    case PTX_BIND_REGISTER:
        operand->kind = PTX_OPERAND_REGISTER;
        operand->reg = binding->reg;
        return true;
    case PTX_BIND_VECTOR:
        return whole_vector(p, binding, operand);
    case PTX_BIND_VARIABLE:
        operand->kind = PTX_OPERAND_VARIABLE;
        operand->variable = binding->variable;
        return true;
    case PTX_BIND_FUNCTION:
        operand->kind = PTX_OPERAND_FUNCTION;
        operand->function = binding->function;
        return true;
    case PTX_BIND_LABEL:
        operand->kind = PTX_OPERAND_LABEL;
        operand->label = binding->label;
        return true;
    }
    return false;
}

/* index = "[" constant "]", counted in elements of the array's basic type, as ptxas does */
static bool array_index(struct ptx_parser *p, struct ptx_operand *operand) {
    const struct ptx_variable *variable = operand->variable;
    unsigned bytes = ptx_type_bytes(variable->type);
    struct ptx_pos pos = p->token.pos;
    struct ptx_constant index;
    if (!variable->unsized && variable->size == bytes)
        return ptx_error_set(p->error, p->module, pos, "'%.100s' is not an array", variable->name);
    if (!ptx__next(p))
        return false;
    pos = p->token.pos;
    if (!ptx__constant(p, PTX_ANY_OPERATOR, &index))
        return false;
    if (index.kind != PTX_OPERAND_INTEGER || index.bits > INT64_MAX / 16)
        return ptx_error_set(p->error, p->module, pos, "an index is an integer, 0 or more");
    if (!ptx__at_mark(p, ']'))
        return ptx__expected(p, "']'");
    operand->offset = (int64_t)(index.bits * bytes);
    operand->indexed = true;
    return ptx__next(p);
}

/* named = NAME { WORD } [ offset | index ] | "_" */
static bool named(struct ptx_parser *p, struct ptx_operand *operand, struct ptx_name **wanted) {
    if (ptx__at_name(p, "_")) {
        operand->kind = PTX_OPERAND_SINK;
        return ptx__next(p);
    }
    ptx__join_words(p);
    struct ptx_name *name = ptx__token_name(p);
    if (name == NULL || !resolve(p, name, operand, wanted) || !ptx__next(p))
        return false;
    if (operand->kind == PTX_OPERAND_VARIABLE && (ptx__at_mark(p, '+') || ptx__at_mark(p, '-'))) {
        *wanted = NULL;
        return ptx__offset(p, &operand->offset);
    }
    if (operand->kind == PTX_OPERAND_VARIABLE && ptx__at_mark(p, '[')) {
        *wanted = NULL;
        return array_index(p, operand);
    }
    return true;
}

static bool immediate(struct ptx_parser *p, struct ptx_operand *operand) {
    struct ptx_constant value;
    if (!ptx__constant(p, PTX_ANY_OPERATOR, &value))
        return false;
    operand->kind = value.kind;
    operand->bits = value.bits;
    return true;
}

static bool starts_constant(const struct ptx_parser *p) {
    switch (p->token.kind) {
    case PTX_TOKEN_INTEGER:
    case PTX_TOKEN_F32:
    case PTX_TOKEN_F64:
        return true;
    default:
        return ptx__at_mark(p, '-') || ptx__at_mark(p, '+') || ptx__at_mark(p, '~') || ptx__at_mark(p, '(');
    }
}

/* simple = named | constant */
static bool simple(struct ptx_parser *p, const char *what) {
    struct ptx_operand operand = {.pos = p->token.pos};
    struct ptx_name *wanted = NULL;
    if (p->token.kind == PTX_TOKEN_NAME)
        return named(p, &operand, &wanted) && push(p, &operand, wanted);
    if (!starts_constant(p))
        return ptx__expected(p, what);
    return immediate(p, &operand) && push(p, &operand, NULL);
}

/* items = simple { "," simple } CLOSE, which become the items of an operand of this kind */
static bool items(struct ptx_parser *p, enum ptx_operand_kind kind, int close, struct ptx_pos pos) {
    struct ptx_operand operand = {.kind = kind, .pos = pos};
    size_t mark = p->draft_count;
    if (!ptx__next(p))
        return false;
    if (!(kind == PTX_OPERAND_LIST && ptx__at_mark(p, close))) {
        for (;;) {
            if (!simple(p, "an operand"))
                return false;
            if (!ptx__at_mark(p, ','))
                break;
            if (!ptx__next(p))
                return false;
        }
    }
    if (!ptx__at_mark(p, close))
        return ptx__expected(p, close == ')' ? "',' or ')'" : "',' or '}'");
    return ptx__next(p) && ptx__seal_operands(p, mark, &operand.items, &operand.item_count) &&
           push(p, &operand, NULL);
}

/* base = NAME [ offset ] | constant */
static bool address_base(struct ptx_parser *p, struct ptx_operand *operand) {
    if (p->token.kind != PTX_TOKEN_NAME) {
        struct ptx_constant value;
        if (!starts_constant(p))
            return ptx__expected(p, "an address");
        struct ptx_pos pos = p->token.pos;
        if (!ptx__constant(p, PTX_ANY_OPERATOR, &value))
            return false;
        if (value.kind != PTX_OPERAND_INTEGER)
            return ptx_error_set(p->error, p->module, pos, "an address is an integer");
        operand->offset = (int64_t)value.bits;
        return true;
    }
    struct ptx_pos pos = p->token.pos;
    struct ptx_binding *binding;
    ptx__join_words(p);
    struct ptx_name *name = ptx__token_name(p);
    if (name == NULL || !ptx__lookup(p, name, &binding))
        return false;
    if (binding == NULL)
        return unknown_name(p, name, pos);
    if (binding->kind == PTX_BIND_REGISTER)
        operand->reg = binding->reg;
    else if (binding->kind == PTX_BIND_VARIABLE)
        operand->variable = binding->variable;
    else
        return ptx__expected(p, "a register or variable");
    return ptx__next(p) && ptx__offset(p, &operand->offset);
}

/* address = "[" base { "," ( vector | simple ) } "]"; a texture's coordinates follow the comma */
static bool address(struct ptx_parser *p) {
    struct ptx_operand operand = {.kind = PTX_OPERAND_ADDRESS, .pos = p->token.pos};
    size_t mark = p->draft_count;
    if (!ptx__next(p) || !address_base(p, &operand))
        return false;
    while (ptx__at_mark(p, ',')) {
        if (!ptx__next(p))
            return false;
        if (!(ptx__at_mark(p, '{') ? items(p, PTX_OPERAND_VECTOR, '}', p->token.pos)
                                   : simple(p, "an operand")))
            return false;
    }
    if (!ptx__at_mark(p, ']'))
        return ptx__expected(p, "']'");
    if (p->draft_count > mark && !ptx__seal_operands(p, mark, &operand.items, &operand.item_count))
        return false;
    return ptx__next(p) && push(p, &operand, NULL);
}

/* pair = named "|" named, the first already pushed */
static bool pair(struct ptx_parser *p) {
    size_t mark = p->draft_count - 1;
    struct ptx_operand operand = {.kind = PTX_OPERAND_PAIR, .pos = p->drafts[mark].operand.pos};
    if (!ptx__next(p))
        return false;
    if (p->token.kind != PTX_TOKEN_NAME)
        return ptx__expected(p, "a register");
    if (!simple(p, "a register"))
        return false;
    for (size_t i = mark; i < p->draft_count; i++) {
        const struct ptx_operand *half = &p->drafts[i].operand;
        if (half->kind != PTX_OPERAND_REGISTER && half->kind != PTX_OPERAND_SINK)
            return ptx_error_set(p->error, p->module, half->pos, "both sides of '|' must be registers");
    }
    return ptx__seal_operands(p, mark, &operand.items, &operand.item_count) && push(p, &operand, NULL);
}

/* negated = "!" NAME */
static bool negated(struct ptx_parser *p) {
    struct ptx_operand operand = {.kind = PTX_OPERAND_REGISTER, .negated = true, .pos = p->token.pos};
    if (!ptx__next(p))
        return false;
    struct ptx_pos pos = p->token.pos;
    operand.reg = ptx__register(p);
    if (operand.reg == NULL)
        return false;
    if (operand.reg->type != PTX_TYPE_PRED)
        return ptx_error_set(p->error, p->module, pos, "'!' needs a predicate, and '%.100s' is a .%s",
                             operand.reg->name, ptx_type_name(operand.reg->type));
    return push(p, &operand, NULL);
}

/* operand = "[" ... | "{" items "}" | "!" NAME | named [ "|" named ] | constant | "(" items ")" in a call */
bool ptx__operand(struct ptx_parser *p, bool in_call) {
    if (p->token.kind == PTX_TOKEN_MARK) {
        if (p->token.mark == '[')
            return address(p);
        if (p->token.mark == '{')
            return items(p, PTX_OPERAND_VECTOR, '}', p->token.pos);
        if (p->token.mark == '!')
            return negated(p);
        if (p->token.mark == '(' && in_call)
            return items(p, PTX_OPERAND_LIST, ')', p->token.pos);
    }
    return simple(p, "an operand") && (!ptx__at_mark(p, '|') || pair(p));
}
