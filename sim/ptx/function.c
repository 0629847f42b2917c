#include "sim/ptx/parser.h"

#include <stdio.h>
#include <string.h>

/* parameters = "(" [ declaration declarator { "," declaration declarator } ] ")"
 * bound: bind them in the innermost scope.  A prototype's are not bound, as their names have no meaning. */
static bool parameters(struct ptx_parser *p, bool is_return, bool bound, struct ptx_variable ***items,
                       size_t *count) {
    struct ptx_list list = {0};
    if (!ptx__next(p))
        return false;
    while (!ptx__at_mark(p, ')')) {
        struct ptx_declaration declaration;
        struct ptx_name *name;
        struct ptx_shape shape;
        if (ptx__space_at(p) != PTX_SPACE_PARAM)
            return ptx__expected(p, list.count == 0 ? "'.param' or ')'" : "'.param'");
        if (!ptx__declaration(p, &declaration))
            return false;
        struct ptx_variable *variable = ptx__declarator(p, &declaration, &name, &shape);
        if (variable == NULL)
            return false;
        variable->is_param = !is_return;
        variable->is_return = is_return;
        variable->index = (uint32_t)list.count;
        if (bound && strcmp(name->text, "_") != 0) {
            struct ptx_binding *binding = ptx__bind(p, name, PTX_BIND_VARIABLE, variable->pos);
            if (binding == NULL)
                return false;
            binding->variable = variable;
        }
        if (!ptx__append(p, &list, variable))
            return false;
        if (!ptx__at_mark(p, ','))
            break;
        if (!ptx__next(p))
            return false;
    }
    if (!ptx__at_mark(p, ')'))
        return ptx__expected(p, "',' or ')'");
    return ptx__next(p) && ptx__finish_list(p, &list, items, count);
}

/* signature = [ "(" parameters ")" ] NAME [ "(" parameters ")" ] */
static bool signature(struct ptx_parser *p, struct ptx_function *function, bool bound,
                      struct ptx_name **name) {
    if (ptx__at_mark(p, '(')) {
        if (function->entry)
            return ptx_error_set(p->error, p->module, p->token.pos, "a kernel returns nothing");
        if (!parameters(p, true, bound, &function->returns, &function->return_count))
            return false;
    }
    if (p->token.kind != PTX_TOKEN_NAME)
        return ptx__expected(p, "a function's name");
    *name = ptx__token_name(p);
    if (*name == NULL)
        return false;
    function->name = (*name)->text;
    function->pos = p->token.pos;
    if (!ptx__next(p))
        return false;
    return !ptx__at_mark(p, '(') || parameters(p, false, bound, &function->params, &function->param_count);
}

/* extents = constant { "," constant }, at most three; missing ones are 1.  what: "block", for messages */
static bool extents(struct ptx_parser *p, const char *what, uint32_t out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = 1;
    for (int i = 0;; i++) {
        uint64_t value;
        struct ptx_pos pos = p->token.pos;
        if (i == 3)
            return ptx_error_set(p->error, p->module, pos, "a %s has at most three extents", what);
        char extent[24];
        snprintf(extent, sizeof extent, "a %s's extent", what);
        if (!ptx__count(p, extent, UINT32_MAX, &value))
            return false;
        if (value == 0)
            return ptx_error_set(p->error, p->module, pos, "%s must not be 0", extent);
        out[i] = (uint32_t)value;
        if (!ptx__at_mark(p, ','))
            return true;
        if (!ptx__next(p))
            return false;
    }
}

static bool one_number(struct ptx_parser *p, const char *what, uint32_t *out) {
    uint64_t value;
    if (!ptx__count(p, what, UINT32_MAX, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

/* directive = ".maxntid" extents | ".reqntid" extents | ".minnctapersm" N | ".maxnctapersm" N | ".maxnreg" N
 *           | ".reqnctapercluster" extents | ".maxclusterrank" N | ".explicitcluster"
 *           | ".noreturn" | ".abi_preserve" N | ".abi_preserve_control" N | pragma */
static bool directive(struct ptx_parser *p, struct ptx_function *function) {
    uint32_t ignored;
    if (ptx__at_word(p, ".pragma"))
        return ptx__pragma(p, &function->nounroll);
    if (ptx__at_word(p, ".noreturn"))
        return ptx__next(p);
    if (ptx__at_word(p, ".maxntid"))
        return ptx__next(p) && extents(p, "block", function->max_threads);
    if (ptx__at_word(p, ".reqntid"))
        return ptx__next(p) && extents(p, "block", function->required_threads);
    if (ptx__at_word(p, ".reqnctapercluster"))
        return ptx__next(p) && extents(p, "cluster", function->cluster);
    if (ptx__at_word(p, ".maxclusterrank"))
        return ptx__next(p) && one_number(p, "'.maxclusterrank'", &function->max_cluster);
    if (ptx__at_word(p, ".explicitcluster")) {
        function->explicit_cluster = true;
        return ptx__next(p);
    }
    if (ptx__at_word(p, ".minnctapersm"))
        return ptx__next(p) && one_number(p, "'.minnctapersm'", &function->min_blocks);
    if (ptx__at_word(p, ".maxnctapersm"))
        return ptx__next(p) && one_number(p, "'.maxnctapersm'", &ignored);
    if (ptx__at_word(p, ".maxnreg"))
        return ptx__next(p) && one_number(p, "'.maxnreg'", &function->max_registers);
    if (ptx__at_word(p, ".abi_preserve") || ptx__at_word(p, ".abi_preserve_control"))
        return ptx__next(p) && one_number(p, "'.abi_preserve'", &ignored);
    return ptx__expected(p, "'{', ';' or a directive");
}

static bool same_parameters(struct ptx_variable *const *a, size_t a_count, struct ptx_variable *const *b,
                            size_t b_count) {
    if (a_count != b_count)
        return false;
    for (size_t i = 0; i < a_count; i++)
        if (a[i]->size != b[i]->size || a[i]->unsized != b[i]->unsized)
            return false;
    return true;
}

/* A function may be declared any number of times and defined once.  All of them share the object that was
 * made first, because references already point at it; the definition fills in the rest. */
static bool redeclare(struct ptx_parser *p, struct ptx_function *old, struct ptx_function *new,
                      bool defines) {
    if (defines && old->defined)
        return ptx_error_set(p->error, p->module, new->pos, "'%.100s' is already defined at line %u",
                             new->name, old->pos.line);
    if (old->entry != new->entry ||
        !same_parameters(old->params, old->param_count, new->params, new->param_count) ||
        !same_parameters(old->returns, old->return_count, new->returns, new->return_count))
        return ptx_error_set(p->error, p->module, new->pos,
                             "'%.100s' differs from its declaration at line %u", new->name, old->pos.line);
    if (old->defined)
        return true;
    uint32_t index = old->index;
    *old = *new;
    old->index = index;
    for (size_t i = 0; i < old->param_count; i++)
        old->params[i]->owner = old;
    for (size_t i = 0; i < old->return_count; i++)
        old->returns[i]->owner = old;
    return true;
}

/* The module's object for the function.  NULL: the error is set. */
static struct ptx_function *declare(struct ptx_parser *p, struct ptx_name *name,
                                    struct ptx_function *function, bool defines) {
    struct ptx_binding *binding = name->binding;
    while (binding != NULL && binding->depth > 0) /* a parameter may have its function's name */
        binding = binding->outer;
    if (binding != NULL && binding->kind == PTX_BIND_FUNCTION)
        return redeclare(p, binding->function, function, defines) ? binding->function : NULL;
    if (binding != NULL) {
        ptx_error_set(p->error, p->module, function->pos, "'%.100s' is already defined at line %u",
                      name->text, binding->pos.line);
        return NULL;
    }
    binding = ptx__bind_in_module(p, name, PTX_BIND_FUNCTION, function->pos);
    if (binding == NULL)
        return NULL;
    binding->function = function;
    function->index = (uint32_t)p->functions.count;
    return ptx__append(p, &p->functions, function) ? function : NULL;
}

/* function = ( ".entry" | ".func" ) signature { directive } ( body | ";" ) */
bool ptx__function(struct ptx_parser *p, enum ptx_linkage linkage) {
    struct ptx_name *name;
    struct ptx_function *function = ptx__arena_alloc(p->arena, 1, sizeof *function);
    if (function == NULL)
        return ptx__out_of_memory(p);
    function->entry = ptx__at_word(p, ".entry");
    function->linkage = linkage;
    p->function = function;
    if (!ptx__open_scope(p, p->token.pos) || !ptx__next(p))
        return false;
    bool ignored = false;
    while (ptx__at_word(p, ".attribute"))
        if (!ptx__attribute(p, &ignored))
            return false;
    if (!signature(p, function, true, &name))
        return false;
    while (p->token.kind == PTX_TOKEN_WORD)
        if (!directive(p, function))
            return false;

    bool defines = ptx__at_mark(p, '{');
    if (!defines && !ptx__at_mark(p, ';'))
        return ptx__expected(p, "'{', ';' or a directive");
    function = declare(p, name, function, defines);
    if (function == NULL)
        return false;
    p->function = function;
    if (defines) {
        function->defined = true;
        function->nounroll |= p->nounroll;
        p->nounroll_next = false;
        if (!ptx__body(p))
            return false;
    } else if (!ptx__close_scope(p) || !ptx__next(p)) {
        return false;
    }
    p->function = NULL;
    return true;
}

/* prototype = ".callprototype" signature [ ".noreturn" ] ";" */
struct ptx_function *ptx__prototype(struct ptx_parser *p) {
    struct ptx_name *name;
    struct ptx_function *around = p->function;
    struct ptx_function *function = ptx__arena_alloc(p->arena, 1, sizeof *function);
    if (function == NULL) {
        ptx__out_of_memory(p);
        return NULL;
    }
    p->function = function;
    bool ok = ptx__next(p) && signature(p, function, false, &name);
    while (ok && p->token.kind == PTX_TOKEN_WORD)
        ok = directive(p, function);
    p->function = around;
    return ok && ptx__skip_mark(p, ';') ? function : NULL;
}
