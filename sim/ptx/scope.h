/* What names stand for.
 *
 * Each name has a stack of bindings, innermost scope first; each scope lists the bindings that it made.  So
 * the cost of looking a name up and of entering and leaving a scope does not grow with the text.
 *
 * Scope 0 is the module's, scope 1 a function's (its parameters and the outermost block); each nested block
 * adds one.  Labels may be used before they are defined, so a reference to an unbound name is kept until the
 * scope ends.  It then resolves to the scope's label, or moves to the enclosing scope.
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

/* .reg .b32 %r<12>: a register is created when it is first named, so a large range costs nothing. */
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
    struct ptx_operand *operand; /* NULL: from .branchtargets */
    struct ptx_pos pos;
    bool found; /* already resolved to a module symbol, unless a label of that name follows */
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

/* Resolves the scope's labels.  false: one is used but never defined. */
bool ptx__close_scope(struct ptx_parser *p);

/* Adds a binding to the innermost scope.  NULL, with the error set: the scope has the name, or no memory. */
struct ptx_binding *ptx__bind(struct ptx_parser *p, struct ptx_name *name, enum ptx_binding_kind kind,
                              struct ptx_pos pos);

/* The same for the module's scope; the name must be unbound there. */
struct ptx_binding *ptx__bind_in_module(struct ptx_parser *p, struct ptx_name *name,
                                        enum ptx_binding_kind kind, struct ptx_pos pos);

bool ptx__bind_range(struct ptx_parser *p, struct ptx_name *prefix, uint64_t count, enum ptx_type type,
                     struct ptx_pos pos);

/* Sets *out to the name's binding, or NULL if it has none.  false on out-of-memory. */
bool ptx__lookup(struct ptx_parser *p, struct ptx_name *name, struct ptx_binding **out);

/* Stores the label in *slot once it is known.  operand, if not NULL, becomes a PTX_OPERAND_LABEL.  With
 * `found` set, a missing label is not an error. */
bool ptx__want_label(struct ptx_parser *p, struct ptx_name *name, struct ptx_label **slot,
                     struct ptx_operand *operand, bool found, struct ptx_pos pos);

/* Adds a register to the function.  NULL on out-of-memory. */
struct ptx_register *ptx__new_register(struct ptx_parser *p, const char *name, enum ptx_type type);

#endif
