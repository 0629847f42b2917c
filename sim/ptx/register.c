#include "sim/ptx/parser.h"

#include <stdio.h>
#include <string.h>

/* vector = ".v2" | ".v4" | ".v8": its registers are %v.x %v.y ..., and %v stands for all of them. */
static bool vector_register(struct ptx_parser *p, struct ptx_name *name, enum ptx_type type, unsigned count,
                            struct ptx_pos pos) {
    static const char components[] = "xyzw";
    struct ptx_binding *whole = ptx__bind(p, name, PTX_BIND_VECTOR, pos);
    if (whole == NULL)
        return false;
    whole->elements = ptx__arena_alloc(p->scratch, count, sizeof *whole->elements);
    char *text = ptx__arena_alloc(p->scratch, name->length + 3, 1);
    if (whole->elements == NULL || text == NULL)
        return ptx__out_of_memory(p);
    whole->element_count = count;
    for (unsigned i = 0; i < count; i++) {
        sprintf(text, "%s.%c", name->text, components[i]);
        struct ptx_name *component = ptx__names_add(&p->names, text, name->length + 2);
        if (component == NULL)
            return ptx__out_of_memory(p);
        struct ptx_binding *binding = ptx__bind(p, component, PTX_BIND_REGISTER, pos);
        if (binding == NULL)
            return false;
        binding->reg = whole->elements[i] = ptx__new_register(p, component->text, type);
        if (binding->reg == NULL)
            return false;
    }
    return true;
}

/* register = NAME ["<" INTEGER ">"] */
static bool one_register(struct ptx_parser *p, enum ptx_type type, unsigned vector) {
    struct ptx_pos pos = p->token.pos;
    if (p->token.kind != PTX_TOKEN_NAME)
        return ptx__expected(p, "a register's name");
    struct ptx_name *name = ptx__token_name(p);
    if (name == NULL || !ptx__next(p))
        return false;
    if (ptx__at_mark(p, '<')) {
        if (vector != 1)
            return ptx_error_set(p->error, p->module, p->token.pos, "a vector register cannot be a range");
        if (!ptx__next(p))
            return false;
        if (p->token.kind != PTX_TOKEN_INTEGER)
            return ptx__expected(p, "the number of registers");
        if (p->token.bits == 0 || p->token.bits > UINT32_MAX)
            return ptx_error_set(p->error, p->module, p->token.pos, "a range has 1 to 4294967295 registers");
        uint64_t count = p->token.bits;
        return ptx__next(p) && ptx__skip_mark(p, '>') && ptx__bind_range(p, name, count, type, pos);
    }
    if (vector != 1)
        return vector_register(p, name, type, vector, pos);
    struct ptx_binding *binding = ptx__bind(p, name, PTX_BIND_REGISTER, pos);
    if (binding == NULL)
        return false;
    binding->reg = ptx__new_register(p, name->text, type);
    return binding->reg != NULL;
}

/* registers = ".reg" [".v2" | ".v4"] TYPE register { "," register } ";" */
bool ptx__registers(struct ptx_parser *p) {
    struct ptx_declaration declaration;
    struct ptx_pos pos = p->token.pos;
    if (!ptx__declaration(p, &declaration))
        return false;
    if (declaration.vector == 8)
        return ptx_error_set(p->error, p->module, pos, "a vector register has 2 or 4 elements");
    for (;;) {
        if (!one_register(p, declaration.type, declaration.vector))
            return false;
        if (!ptx__at_mark(p, ','))
            return ptx__skip_mark(p, ';');
        if (!ptx__next(p))
            return false;
    }
}
