#include "sim/ptx/parser.h"

static struct ptx_function *function_at(struct ptx_parser *p) {
    if (p->token.kind != PTX_TOKEN_NAME) {
        ptx__expected(p, "a function");
        return NULL;
    }
    struct ptx_name *name = ptx__token_name(p);
    if (name == NULL)
        return NULL;
    if (name->binding == NULL || name->binding->kind != PTX_BIND_FUNCTION) {
        ptx_error_set(p->error, p->module, p->token.pos, "'%.100s' is no function declared above",
                      name->text);
        return NULL;
    }
    return ptx__next(p) ? name->binding->function : NULL;
}

/* alias = ".alias" NAME "," NAME ";": the first, only declared, becomes another name of the second */
bool ptx__alias(struct ptx_parser *p) {
    struct ptx_alias *alias = ptx__arena_alloc(p->scratch, 1, sizeof *alias);
    if (alias == NULL)
        return ptx__out_of_memory(p);
    if (!ptx__next(p))
        return false;
    alias->pos = p->token.pos;
    alias->alias = function_at(p);
    if (alias->alias == NULL || !ptx__skip_mark(p, ','))
        return false;
    alias->target = function_at(p);
    if (alias->target == NULL)
        return false;
    alias->next = p->aliases;
    p->aliases = alias;
    return ptx__skip_mark(p, ';');
}

static void replace(struct ptx_function *const *targets, struct ptx_function **function) {
    if (*function != NULL && targets[(*function)->index] != NULL)
        *function = targets[(*function)->index];
}

static void replace_operands(struct ptx_function *const *targets, struct ptx_operand *operands,
                             size_t count) {
    for (size_t i = 0; i < count; i++) {
        replace(targets, &operands[i].function);
        replace_operands(targets, operands[i].items, operands[i].item_count); /* at most two levels */
    }
}

static void replace_relocations(struct ptx_function *const *targets, const struct ptx_variable *variable) {
    for (size_t i = 0; i < variable->relocation_count; i++) {
        const struct ptx_function *function = variable->relocations[i].function;
        if (function != NULL && targets[function->index] != NULL)
            variable->relocations[i].function = targets[function->index];
    }
}

/* Makes every reference to an alias refer to its target.  The alias remains as a declaration. */
bool ptx__resolve_aliases(struct ptx_parser *p) {
    if (p->aliases == NULL)
        return true;
    struct ptx_function **targets = ptx__arena_alloc(p->scratch, p->functions.count, sizeof *targets);
    if (targets == NULL)
        return ptx__out_of_memory(p);
    for (const struct ptx_alias *alias = p->aliases; alias != NULL; alias = alias->next) {
        if (alias->alias->defined)
            return ptx_error_set(p->error, p->module, alias->pos, "the alias '%.100s' has a body of its own",
                                 alias->alias->name);
        if (!alias->target->defined)
            return ptx_error_set(p->error, p->module, alias->pos,
                                 "'%.80s' is an alias of '%.80s', which has no body", alias->alias->name,
                                 alias->target->name);
        targets[alias->alias->index] = alias->target;
    }
    for (size_t i = 0; i < p->functions.count; i++) {
        struct ptx_function *function = p->functions.items[i];
        for (size_t j = 0; j < function->instruction_count; j++)
            replace_operands(targets, function->instructions[j].operands,
                             function->instructions[j].operand_count);
        for (size_t j = 0; j < function->variable_count; j++)
            replace_relocations(targets, function->variables[j]);
    }
    for (size_t i = 0; i < p->variables.count; i++)
        replace_relocations(targets, p->variables.items[i]);
    return true;
}
