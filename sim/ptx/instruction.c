#include "sim/ptx/parser.h"

#include <string.h>

/* Splits an opcode into words, once for all instructions that have it. */
static const struct ptx_opcode *split(struct ptx_parser *p, struct ptx_name *name) {
    if (name->opcode != NULL)
        return name->opcode;
    size_t count = 0;
    for (const char *at = name->text; *at != '\0'; at++)
        count += *at == '.';
    struct ptx_opcode *opcode = ptx__arena_alloc(p->scratch, 1, sizeof *opcode);
    char *copy = ptx__arena_string(p->arena, name->text, name->length);
    const char **words = ptx__arena_alloc(p->arena, count, sizeof *words);
    if (opcode == NULL || copy == NULL || words == NULL) {
        ptx__out_of_memory(p);
        return NULL;
    }
    opcode->text = name->text;
    opcode->name = copy;
    opcode->words = words;
    for (char *at = copy; *at != '\0'; at++) {
        if (*at == '.') {
            *at = '\0';
            words[opcode->word_count++] = at + 1;
        }
    }
    name->opcode = opcode;
    return opcode;
}

/* Appends words that follow a space to the opcode's text.  The buffer doubles, as there may be any number. */
static struct ptx_name *join_apart(struct ptx_parser *p, const struct ptx_name *name) {
    size_t length = name->length, capacity = 0;
    char *text = NULL;
    while (p->token.kind == PTX_TOKEN_WORD) {
        ptx__join_words(p);
        size_t longer = length + p->token.length;
        if (longer > capacity) {
            char *larger = ptx__arena_alloc(p->scratch, 2, longer);
            if (larger == NULL) {
                ptx__out_of_memory(p);
                return NULL;
            }
            memcpy(larger, text == NULL ? name->text : text, length);
            text = larger;
            capacity = 2 * longer;
        }
        memcpy(text + length, p->token.start, p->token.length);
        length = longer;
        if (!ptx__next(p))
            return NULL;
    }
    struct ptx_name *joined = ptx__names_add(&p->names, text, length);
    if (joined == NULL)
        ptx__out_of_memory(p);
    return joined;
}

/* opcode = NAME { WORD }, one token unless there is a space before a word */
static struct ptx_name *opcode_name(struct ptx_parser *p) {
    ptx__join_words(p);
    struct ptx_name *name = ptx__token_name(p);
    if (name == NULL || !ptx__next(p))
        return NULL;
    return p->token.kind == PTX_TOKEN_WORD ? join_apart(p, name) : name;
}

/* guard = "@" [ "!" ] NAME */
static bool guard(struct ptx_parser *p, struct ptx_instruction *instruction) {
    if (!ptx__next(p))
        return false;
    if (ptx__at_mark(p, '!')) {
        instruction->guard_negated = true;
        if (!ptx__next(p))
            return false;
    }
    struct ptx_pos pos = p->token.pos;
    instruction->guard = ptx__register(p);
    if (instruction->guard == NULL)
        return false;
    if (instruction->guard->type != PTX_TYPE_PRED)
        return ptx_error_set(p->error, p->module, pos, "a guard must be a predicate, and '%.100s' is a .%s",
                             instruction->guard->name, ptx_type_name(instruction->guard->type));
    return true;
}

/* instruction = [ guard ] opcode [ operand { "," operand } ] ";" */
bool ptx__instruction(struct ptx_parser *p) {
    void *items = p->instructions;
    if (!ptx__arena_grow(p->scratch, &items, &p->instruction_capacity, p->instruction_count,
                         sizeof *p->instructions))
        return ptx__out_of_memory(p);
    p->instructions = items;
    struct ptx_instruction *instruction = &p->instructions[p->instruction_count];
    *instruction = (struct ptx_instruction){.source = p->source, .nounroll = p->nounroll_next};
    p->nounroll_next = false;
    if (ptx__at_mark(p, '@') && !guard(p, instruction))
        return false;
    if (p->token.kind != PTX_TOKEN_NAME)
        return ptx__expected(p, "an instruction");
    instruction->pos = p->token.pos;
    struct ptx_name *name = opcode_name(p);
    const struct ptx_opcode *opcode = name == NULL ? NULL : split(p, name);
    if (opcode == NULL)
        return false;
    instruction->opcode = opcode->text;
    instruction->name = opcode->name;
    instruction->words = opcode->words;
    instruction->word_count = opcode->word_count;

    bool in_call = strcmp(opcode->name, "call") == 0;
    size_t mark = p->draft_count;
    if (!ptx__at_mark(p, ';')) {
        for (;;) {
            if (!ptx__operand(p, in_call))
                return false;
            /* Older compilers wrote "call (result) f, ...". */
            bool result =
                in_call && p->draft_count == mark + 1 && p->drafts[mark].operand.kind == PTX_OPERAND_LIST;
            if (!ptx__at_mark(p, ',')) {
                if (result && p->token.kind == PTX_TOKEN_NAME)
                    continue;
                break;
            }
            if (!ptx__next(p))
                return false;
        }
    }
    if (!ptx__at_mark(p, ';'))
        return ptx__expected(p, p->draft_count == mark ? "an operand or ';'" : "',' or ';'");
    if (!ptx__seal_operands(p, mark, &instruction->operands, &instruction->operand_count))
        return false;
    p->instruction_count++;
    return ptx__next(p);
}
