#include "sim/ptx/parser.h"

#include <string.h>

#define LARGEST_ALIGN    UINT64_C(1048576)
#define LARGEST_VARIABLE (UINT64_C(1) << 40)

static const struct {
    const char *word;
    enum ptx_space space;
} spaces[] = {
    {".reg", PTX_SPACE_REG},       {".param", PTX_SPACE_PARAM}, {".global", PTX_SPACE_GLOBAL},
    {".shared", PTX_SPACE_SHARED}, {".local", PTX_SPACE_LOCAL}, {".const", PTX_SPACE_CONST},
};

enum ptx_space ptx__space_at(const struct ptx_parser *p) {
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (ptx__at_word(p, spaces[i].word))
            return spaces[i].space;
    return PTX_SPACE_NONE;
}

/* align = ".align" constant */
static bool alignment(struct ptx_parser *p, size_t *align) {
    uint64_t value;
    if (!ptx__next(p))
        return false;
    struct ptx_pos pos = p->token.pos;
    if (!ptx__count(p, "an alignment", LARGEST_ALIGN, &value))
        return false;
    if (value == 0 || (value & (value - 1)) != 0)
        return ptx_error_set(p->error, p->module, pos, "an alignment must be a power of two");
    *align = value;
    return true;
}

/* attribute = ".attribute" "(" WORD [ "(" constant { "," constant } ")" ] { "," ... } ")"
 * .unified allows a real driver to move the variable; the simulator has only one memory. */
bool ptx__attribute(struct ptx_parser *p, bool *managed) {
    if (!ptx__next(p) || !ptx__skip_mark(p, '('))
        return false;
    for (;;) {
        if (!ptx__at_word(p, ".managed") && !ptx__at_word(p, ".unified"))
            return ptx__expected(p, "'.managed' or '.unified'");
        *managed |= ptx__at_word(p, ".managed");
        if (!ptx__next(p))
            return false;
        if (ptx__at_mark(p, '(')) {
            do {
                struct ptx_constant ignored;
                if (!ptx__next(p) || !ptx__constant(p, PTX_ANY_OPERATOR, &ignored))
                    return false;
            } while (ptx__at_mark(p, ','));
            if (!ptx__skip_mark(p, ')'))
                return false;
        }
        if (!ptx__at_mark(p, ','))
            return ptx__skip_mark(p, ')');
        if (!ptx__next(p))
            return false;
    }
}

static enum ptx_type type_at(const struct ptx_parser *p) {
    char name[8];
    size_t length = p->token.length - 1;
    if (length >= sizeof name)
        return PTX_TYPE_NONE;
    memcpy(name, p->token.start + 1, length);
    name[length] = '\0';
    return ptx_type_find(name);
}

static unsigned vector_at(const struct ptx_parser *p) {
    return ptx__at_word(p, ".v2") ? 2 : ptx__at_word(p, ".v4") ? 4 : ptx__at_word(p, ".v8") ? 8 : 0;
}

/* pointer = ".ptr" [ ".global" | ".shared" | ".local" | ".const" ] [ align ]: what a kernel's parameter
 * points to, a hint to ptxas */
static bool pointer(struct ptx_parser *p) {
    size_t align;
    if (!ptx__next(p))
        return false;
    if (ptx__space_at(p) != PTX_SPACE_NONE && !ptx__next(p))
        return false;
    return !ptx__at_word(p, ".align") || alignment(p, &align);
}

/* declaration = SPACE { align | attribute | ".v2" | ".v4" | ".v8" | TYPE | pointer } */
bool ptx__declaration(struct ptx_parser *p, struct ptx_declaration *out) {
    *out = (struct ptx_declaration){.space = ptx__space_at(p), .vector = 1};
    if (!ptx__next(p))
        return false;
    while (p->token.kind == PTX_TOKEN_WORD) {
        enum ptx_type type;
        if (ptx__at_word(p, ".align") && out->space != PTX_SPACE_REG) {
            if (!alignment(p, &out->align))
                return false;
        } else if (ptx__at_word(p, ".attribute") && out->space != PTX_SPACE_REG) {
            if (!ptx__attribute(p, &out->managed))
                return false;
        } else if (ptx__at_word(p, ".ptr") && out->space == PTX_SPACE_PARAM) {
            if (!pointer(p))
                return false;
        } else if (vector_at(p) != 0 && out->vector == 1) {
            out->vector = vector_at(p);
            if (!ptx__next(p))
                return false;
        } else if (out->type == PTX_TYPE_NONE && (type = type_at(p)) != PTX_TYPE_NONE) {
            if (type == PTX_TYPE_PRED && out->space != PTX_SPACE_REG)
                return ptx_error_set(p->error, p->module, p->token.pos, "only a register can be a predicate");
            out->type = type;
            if (!ptx__next(p))
                return false;
        } else {
            return ptx__expected(p, out->type == PTX_TYPE_NONE ? "a type" : "a name");
        }
    }
    return out->type != PTX_TYPE_NONE || ptx__expected(p, "a type");
}

/* dimensions = { "[" [ constant ] "]" }; only the first may be empty */
static bool dimensions(struct ptx_parser *p, struct ptx_variable *variable, struct ptx_shape *shape) {
    while (ptx__at_mark(p, '[')) {
        uint64_t extent = 0;
        if (!ptx__next(p))
            return false;
        if (ptx__at_mark(p, ']') && shape->count == 0)
            variable->unsized = true;
        else if (!ptx__count(p, "an array's extent", LARGEST_VARIABLE, &extent))
            return false;
        if (shape->count == PTX_MAX_DIMENSIONS - 1)
            return ptx_error_set(p->error, p->module, p->token.pos, "an array has more than %d dimensions",
                                 PTX_MAX_DIMENSIONS - 1);
        shape->extents[shape->count++] = extent;
        if (!ptx__skip_mark(p, ']'))
            return false;
    }
    return true;
}

/* declarator = NAME dimensions */
struct ptx_variable *ptx__declarator(struct ptx_parser *p, const struct ptx_declaration *declaration,
                                     struct ptx_name **name, struct ptx_shape *shape) {
    if (p->token.kind != PTX_TOKEN_NAME) {
        ptx__expected(p, "a variable's name");
        return NULL;
    }
    struct ptx_variable *variable = ptx__arena_alloc(p->arena, 1, sizeof *variable);
    if (variable == NULL) {
        ptx__out_of_memory(p);
        return NULL;
    }
    *name = ptx__token_name(p);
    if (*name == NULL)
        return NULL;
    variable->name = (*name)->text;
    variable->space = declaration->space;
    variable->type = declaration->type;
    variable->managed = declaration->managed;
    variable->pos = p->token.pos;
    variable->owner = p->function;
    *shape = (struct ptx_shape){.element = ptx_type_bytes(declaration->type)};
    if (!ptx__next(p) || !dimensions(p, variable, shape))
        return NULL;
    if (declaration->vector > 1)
        shape->extents[shape->count++] = declaration->vector;

    variable->align = shape->element * declaration->vector;
    if (variable->align < declaration->align)
        variable->align = declaration->align;
    uint64_t size = shape->element;
    for (size_t i = variable->unsized ? 1 : 0; i < shape->count; i++) {
        if (__builtin_mul_overflow(size, shape->extents[i], &size) || size > LARGEST_VARIABLE) {
            ptx_error_set(p->error, p->module, variable->pos, "'%.100s' is larger than 2^40 bytes",
                          variable->name);
            return NULL;
        }
    }
    variable->size = variable->unsized ? 0 : size;
    return variable;
}

static bool same_kind(const struct ptx_variable *a, const struct ptx_variable *b) {
    return a->space == b->space && ptx_type_bytes(a->type) == ptx_type_bytes(b->type) &&
           (a->size == b->size || a->unsized || b->unsized);
}

/* An .extern variable may be declared again, once without .extern.  References already point at the first
 * object, so it takes over the definition. */
static bool redeclare(struct ptx_parser *p, struct ptx_variable *old, const struct ptx_variable *new) {
    if (old->linkage != PTX_LINK_EXTERN && new->linkage != PTX_LINK_EXTERN)
        return ptx_error_set(p->error, p->module, new->pos, "'%.100s' is already defined at line %u",
                             new->name, old->pos.line);
    if (!same_kind(old, new))
        return ptx_error_set(p->error, p->module, new->pos,
                             "'%.100s' differs from its declaration at line %u", new->name, old->pos.line);
    if (old->linkage == PTX_LINK_EXTERN && (new->linkage != PTX_LINK_EXTERN || old->unsized)) {
        uint32_t index = old->index;
        *old = *new;
        old->index = index;
    }
    return true;
}

static bool module_variable(struct ptx_parser *p, struct ptx_name *name, struct ptx_variable *variable) {
    struct ptx_binding *old = name->binding;
    if (old != NULL && old->kind == PTX_BIND_VARIABLE)
        return redeclare(p, old->variable, variable);
    struct ptx_binding *binding = ptx__bind(p, name, PTX_BIND_VARIABLE, variable->pos);
    if (binding == NULL)
        return false;
    binding->variable = variable;
    variable->index = (uint32_t)p->variables.count;
    return ptx__append(p, &p->variables, variable);
}

static bool local_variable(struct ptx_parser *p, struct ptx_name *name, struct ptx_variable *variable) {
    struct ptx_binding *binding = ptx__bind(p, name, PTX_BIND_VARIABLE, variable->pos);
    if (binding == NULL)
        return false;
    binding->variable = variable;
    variable->index = (uint32_t)p->locals.count;
    return ptx__append(p, &p->locals, variable);
}

/* variables = declaration declarator [ "=" initializer ] { "," declarator [ "=" initializer ] } ";" */
bool ptx__variables(struct ptx_parser *p, enum ptx_linkage linkage) {
    struct ptx_declaration declaration;
    struct ptx_pos pos = p->token.pos;
    if (!ptx__declaration(p, &declaration))
        return false;
    if (p->depth == 0 && (declaration.space == PTX_SPACE_LOCAL || declaration.space == PTX_SPACE_PARAM))
        return ptx_error_set(p->error, p->module, pos, "a %s variable must be declared in a function",
                             declaration.space == PTX_SPACE_LOCAL ? ".local" : ".param");
    for (;;) {
        struct ptx_name *name;
        struct ptx_shape shape;
        struct ptx_variable *variable = ptx__declarator(p, &declaration, &name, &shape);
        if (variable == NULL)
            return false;
        variable->linkage = linkage;
        if (ptx__at_mark(p, '=') && !ptx__initializer(p, variable, &shape))
            return false;
        if (variable->unsized && linkage != PTX_LINK_EXTERN)
            return ptx_error_set(p->error, p->module, variable->pos, "the extent of '%.100s' is not given",
                                 variable->name);
        if (!(p->depth == 0 ? module_variable(p, name, variable) : local_variable(p, name, variable)))
            return false;
        if (!ptx__at_mark(p, ','))
            return ptx__skip_mark(p, ';');
        if (!ptx__next(p))
            return false;
    }
}
