#include "sim/ptx/parser.h"

#include <string.h>

/* pragma = ".pragma" STRING { "," STRING } ";" */
bool ptx__pragma(struct ptx_parser *p, bool *nounroll) {
    static const char word[] = "nounroll";
    do {
        if (!ptx__next(p))
            return false;
        if (p->token.kind != PTX_TOKEN_STRING)
            return ptx__expected(p, "a string");
        *nounroll |= p->token.length == sizeof word - 1 && memcmp(p->token.start, word, sizeof word - 1) == 0;
        if (!ptx__next(p))
            return false;
    } while (ptx__at_mark(p, ','));
    return ptx__skip_mark(p, ';');
}

static bool integer(struct ptx_parser *p, const char *what, uint32_t *out) {
    if (p->token.kind != PTX_TOKEN_INTEGER)
        return ptx__expected(p, what);
    if (p->token.bits > UINT32_MAX)
        return ptx_error_set(p->error, p->module, p->token.pos, "%s must be 0 to 4294967295", what);
    *out = (uint32_t)p->token.bits;
    return ptx__next(p);
}

static bool location(struct ptx_parser *p, struct ptx_source *source) {
    return integer(p, "a file's number", &source->file) && integer(p, "a line's number", &source->line) &&
           integer(p, "a column's number", &source->column);
}

/* The call that code was inlined at, with the call that it was itself inlined at.  nvcc gives that one in an
 * earlier .loc, the call's own.  NULL: out of memory, and the error is set. */
static struct ptx_source *call_at(struct ptx_parser *p, const struct ptx_source *place) {
    struct ptx_source *call = ptx__arena_alloc(p->arena, 1, sizeof *call);
    if (call == NULL) {
        ptx__out_of_memory(p);
        return NULL;
    }
    *call = *place;
    for (size_t i = 0; i < p->loc_count && i < PTX_RECENT_LOCS; i++) {
        const struct ptx_source *loc = &p->recent[(p->loc_count - 1 - i) % PTX_RECENT_LOCS];
        if (loc->file == place->file && loc->line == place->line && loc->column == place->column) {
            call->caller = loc->caller;
            break;
        }
    }
    return call;
}

/* loc = ".loc" location [ "," "function_name" ( NAME | WORD ) [ offset ] "," "inlined_at" location ] */
static bool loc(struct ptx_parser *p) {
    struct ptx_source source = {0};
    if (!ptx__next(p) || !location(p, &source))
        return false;
    while (ptx__at_mark(p, ',')) {
        if (!ptx__next(p))
            return false;
        if (ptx__at_name(p, "function_name")) {
            int64_t offset = 0;
            if (!ptx__next(p))
                return false;
            if (p->token.kind != PTX_TOKEN_NAME && p->token.kind != PTX_TOKEN_WORD)
                return ptx__expected(p, "a label");
            if (!ptx__next(p) || !ptx__offset(p, &offset))
                return false;
        } else if (ptx__at_name(p, "inlined_at")) {
            struct ptx_source place = {0};
            if (!ptx__next(p) || !location(p, &place) || !(source.caller = call_at(p, &place)))
                return false;
        } else {
            return ptx__expected(p, "'function_name' or 'inlined_at'");
        }
    }
    p->recent[p->loc_count++ % PTX_RECENT_LOCS] = source;
    while (source.line == 0 && source.caller)
        source = *source.caller;
    if (source.line || !p->source.line)
        p->source = source;
    return true;
}

/* Code that belongs to no line, or to several, has line 0.  Such an instruction gets the line of the call
 * that it was inlined at, else (in loc()) of the instruction before it, else (here) of the one after it. */
static void give_lines(struct ptx_function *function) {
    struct ptx_source next = {0};
    for (size_t i = function->instruction_count; i-- > 0;) {
        struct ptx_source *source = &function->instructions[i].source;
        if (source->line)
            next = *source;
        else if (source->file)
            *source = next;
    }
}

/* branch_targets = ".branchtargets" NAME { "," NAME } ";" */
static bool branch_targets(struct ptx_parser *p, struct ptx_label *list) {
    struct ptx_name **names = NULL;
    struct ptx_pos *positions = NULL;
    size_t name_capacity = 0, position_capacity = 0, count = 0;
    do {
        void *name_items = names, *position_items = positions;
        if (!ptx__next(p))
            return false;
        if (p->token.kind != PTX_TOKEN_NAME)
            return ptx__expected(p, "a label");
        if (!ptx__arena_grow(p->scratch, &name_items, &name_capacity, count, sizeof *names) ||
            !ptx__arena_grow(p->scratch, &position_items, &position_capacity, count, sizeof *positions))
            return ptx__out_of_memory(p);
        names = name_items;
        positions = position_items;
        positions[count] = p->token.pos;
        names[count] = ptx__token_name(p);
        if (names[count++] == NULL || !ptx__next(p))
            return false;
    } while (ptx__at_mark(p, ','));
    list->branch_targets = ptx__arena_alloc(p->arena, count, sizeof *list->branch_targets);
    if (list->branch_targets == NULL)
        return ptx__out_of_memory(p);
    list->branch_target_count = count;
    for (size_t i = 0; i < count; i++)
        if (!ptx__want_label(p, names[i], &list->branch_targets[i], NULL, false, positions[i]))
            return false;
    return ptx__skip_mark(p, ';');
}

/* call_targets = ".calltargets" NAME { "," NAME } ";": all have the parameters of the first */
static bool call_targets(struct ptx_parser *p, struct ptx_label *list) {
    do {
        struct ptx_binding *binding;
        if (!ptx__next(p))
            return false;
        if (p->token.kind != PTX_TOKEN_NAME)
            return ptx__expected(p, "a function");
        struct ptx_name *name = ptx__token_name(p);
        if (name == NULL || !ptx__lookup(p, name, &binding))
            return false;
        if (binding == NULL || binding->kind != PTX_BIND_FUNCTION)
            return ptx_error_set(p->error, p->module, p->token.pos, "'%.100s' is no function declared above",
                                 name->text);
        if (list->prototype == NULL)
            list->prototype = binding->function;
        if (!ptx__next(p))
            return false;
    } while (ptx__at_mark(p, ','));
    return ptx__skip_mark(p, ';');
}

/* label = NAME ":" [ branch_targets | call_targets | prototype ] */
static bool label(struct ptx_parser *p) {
    struct ptx_name *name = ptx__token_name(p);
    if (name == NULL)
        return false;
    struct ptx_binding *binding = ptx__bind(p, name, PTX_BIND_LABEL, p->token.pos);
    struct ptx_label *new = binding == NULL ? NULL : ptx__arena_alloc(p->arena, 1, sizeof *new);
    if (new == NULL)
        return binding != NULL && ptx__out_of_memory(p);
    binding->label = new;
    new->name = name->text;
    new->target = p->instruction_count;
    if (!ptx__append(p, &p->labels, new) || !ptx__next(p) || !ptx__skip_mark(p, ':'))
        return false;
    new->is_list = true;
    if (ptx__at_word(p, ".branchtargets"))
        return branch_targets(p, new);
    if (ptx__at_word(p, ".calltargets"))
        return call_targets(p, new);
    if (ptx__at_word(p, ".callprototype")) {
        new->prototype = ptx__prototype(p);
        return new->prototype != NULL;
    }
    new->is_list = false;
    return true;
}

/* directive = registers | variables | loc | pragma */
static bool directive(struct ptx_parser *p) {
    enum ptx_space space = ptx__space_at(p);
    if (space == PTX_SPACE_REG)
        return ptx__registers(p);
    if (space != PTX_SPACE_NONE)
        return ptx__variables(p, PTX_LINK_NONE);
    if (ptx__at_word(p, ".loc"))
        return loc(p);
    if (ptx__at_word(p, ".pragma"))
        return ptx__pragma(p, &p->nounroll_next);
    return ptx__expected(p, "an instruction or declaration");
}

/* statement = "{" | "}" | directive | label | instruction | ";" */
static bool statement(struct ptx_parser *p) {
    switch (p->token.kind) {
    case PTX_TOKEN_NAME:
        return *p->cursor != '.' && ptx__peek(p) == ':' ? label(p) : ptx__instruction(p);
    case PTX_TOKEN_WORD:
        return directive(p);
    case PTX_TOKEN_END:
        return ptx_error_set(
            p->error, p->module, p->token.pos,
            "expected '}' to end the block that begins at line %u, found the end of the text",
            p->scopes[p->depth].opened.line);
    default:
        break;
    }
    if (ptx__at_mark(p, '@'))
        return ptx__instruction(p);
    if (ptx__at_mark(p, ';'))
        return ptx__next(p);
    if (ptx__at_mark(p, '{'))
        return ptx__open_scope(p, p->token.pos) && ptx__next(p);
    if (ptx__at_mark(p, '}'))
        return ptx__close_scope(p) && (p->depth == 0 || ptx__next(p));
    return ptx__expected(p, "an instruction or '}'");
}

static bool finish(struct ptx_parser *p) {
    struct ptx_function *function = p->function;
    function->instruction_count = p->instruction_count;
    function->instructions = ptx__arena_alloc(p->arena, p->instruction_count, sizeof *function->instructions);
    if (function->instructions == NULL)
        return ptx__out_of_memory(p);
    if (p->instruction_count != 0)
        memcpy(function->instructions, p->instructions,
               p->instruction_count * sizeof *function->instructions);
    give_lines(function);
    return ptx__finish_list(p, &p->registers, &function->registers, &function->register_count) &&
           ptx__finish_list(p, &p->locals, &function->variables, &function->variable_count) &&
           ptx__finish_list(p, &p->labels, &function->labels, &function->label_count);
}

/* body = "{" { statement } "}", in the scope that holds the parameters.
 * Blocks are a stack in p->scopes instead of recursion, so no text can overflow the C stack. */
bool ptx__body(struct ptx_parser *p) {
    p->registers.count = p->locals.count = p->labels.count = 0;
    p->instruction_count = 0;
    p->source = (struct ptx_source){0};
    p->loc_count = 0;
    p->scopes[p->depth].opened = p->token.pos;
    if (!ptx__next(p))
        return false;
    while (p->depth > 0)
        if (!statement(p))
            return false;
    return finish(p) && ptx__next(p);
}
