/* What names stand for.
 *
 * Each name keeps a stack of bindings, innermost scope first, and each scope the list of those it made:
 * looking a name up, entering and leaving a scope cost nothing that grows with the text.
 *
 * Scope 0 is the module's, 1 a function's (its parameters and the outermost block), and each block within
 * adds one.  Labels may be used before they stand, so a reference to an unbound name is kept until the scope
 * ends: then it is the scope's label, or becomes a reference of the scope outside.
 */
#ifndef WIDELOAD_SIM_PTX_SCOPE_H
#define WIDELOAD_SIM_PTX_SCOPE_H

#include "sim/ptx/names.h"
#include "sim/ptx/ptx.h"

struct ptx_parser;

enum ptx_binding_kind {
    PTX_BIND_REGISTER,
    PTX_BIND_VECTOR,
    PTX_BIND_VARIABLE,
    PTX_BIND_FUNCTION,
    PTX_BIND_LABEL
};

struct ptx_binding {
    struct ptx_name *name;
    enum ptx_binding_kind kind;
    unsigned depth;
    struct ptx_pos pos;
    union {
        struct ptx_register *reg;
        struct {
            struct ptx_register **elements; /* .reg .v4: %v.x %v.y %v.z %v.w */
            size_t element_count;
        };
        struct ptx_variable *variable;
        struct ptx_function *function;
        struct ptx_label *label;
    };
    struct ptx_binding *outer, *next_in_scope;
};

/* .reg .b32 %r<12>: its registers are made when they are first named, so a large range costs nothing. */
struct ptx_range {
    struct ptx_name *prefix;
    uint64_t count;
    enum ptx_type type;
    unsigned depth;
    struct ptx_pos pos;
    struct ptx_range *outer, *next_in_scope;
};

struct ptx_reference {
    struct ptx_label **slot;
    struct ptx_operand *operand; /* NULL: of .branchtargets */
    struct ptx_pos pos;
    bool found; /* a symbol of the module, unless a label of that name turns up */
    struct ptx_reference *next;
};

/* References in a scope to one name that may be a label. */
struct ptx_wanted {
    struct ptx_name *name;
    unsigned depth;
    struct ptx_reference *first, **last;
    struct ptx_wanted *outer, *next_in_scope;
};

struct ptx_scope {
    struct ptx_binding *bindings;
    struct ptx_range *ranges;
    struct ptx_wanted *wanted;
    struct ptx_pos opened;
};

bool ptx__open_scope(struct ptx_parser *p, struct ptx_pos pos);

/* Resolves the scope's labels.  false: one is used and never defined. */
bool ptx__close_scope(struct ptx_parser *p);

/* A new binding in the innermost scope.  NULL: the scope has the name already, or out of memory; the error is
 * set. */
struct ptx_binding *ptx__bind(struct ptx_parser *p, struct ptx_name *name, enum ptx_binding_kind kind,
                              struct ptx_pos pos);

/* The same in the module's scope, for a name that it lacks. */
struct ptx_binding *ptx__bind_in_module(struct ptx_parser *p, struct ptx_name *name,
                                        enum ptx_binding_kind kind, struct ptx_pos pos);

bool ptx__bind_range(struct ptx_parser *p, struct ptx_name *prefix, uint64_t count, enum ptx_type type,
                     struct ptx_pos pos);

/* *out: what the name stands for, NULL: nothing.  false: out of memory. */
bool ptx__lookup(struct ptx_parser *p, struct ptx_name *name, struct ptx_binding **out);

/* Has the label put in *slot once it is known.  operand, if any, becomes a PTX_OPERAND_LABEL.  found: not an
 * error when there is no such label. */
bool ptx__want_label(struct ptx_parser *p, struct ptx_name *name, struct ptx_label **slot,
                     struct ptx_operand *operand, bool found, struct ptx_pos pos);

/* A new register of the function. */
struct ptx_register *ptx__new_register(struct ptx_parser *p, const char *name, enum ptx_type type);

#endif
