/* Declarations shared by the parser's files: the parser's state and the productions.  Tokens are in lexer.h,
 * the meanings of names in scope.h.
 *
 * Each grammar production is one function, with the production as its comment: "quoted" text and CAPITAL
 * token kinds stand for themselves, [x] is optional, {x} repeats.  A production is called with the token at
 * its beginning and leaves the token after its end.  On failure it sets the error and returns false or NULL.
 */
#ifndef WIDELOAD_SIM_PTX_PARSER_H
#define WIDELOAD_SIM_PTX_PARSER_H

#include "sim/ptx/arena.h"
#include "sim/ptx/lexer.h"
#include "sim/ptx/names.h"
#include "sim/ptx/ptx.h"
#include "sim/ptx/scope.h"

#define PTX_MAX_DEPTH      128 /* nested blocks in a function */
#define PTX_MAX_DIMENSIONS 8   /* of an array; a vector's elements count as one */

/* A growing array in the scratch arena. */
struct ptx_list {
    void **items;
    size_t count, capacity;
};

/* An operand on the parser's stack, not yet in its final place. */
struct ptx_draft {
    struct ptx_operand operand;
    struct ptx_name *wanted; /* the name may still turn out to be a label of the scope */
};

struct ptx_opcode {
    const char *text, *name;
    const char **words;
    size_t word_count;
};

struct ptx_alias {
    struct ptx_function *alias, *target;
    struct ptx_pos pos;
    struct ptx_alias *next;
};

/* The number of .locs kept to find where a call was itself inlined. */
#define PTX_RECENT_LOCS 64

struct ptx_parser {
    struct ptx_module *module;
    struct ptx_arena *arena;   /* the module's */
    struct ptx_arena *scratch; /* freed with the parser */
    struct ptx_error *error;

    const char *cursor, *line_start; /* cursor: after the token */
    uint32_t line;
    struct ptx_token token;
    unsigned constant_depth; /* nested parentheses and signs; bounded to limit stack use */

    struct ptx_names names;
    struct ptx_scope scopes[PTX_MAX_DEPTH + 1]; /* [0]: the module's scope */
    unsigned depth;
    unsigned range_depth; /* innermost scope with register ranges */

    struct ptx_list variables, functions; /* the module's */
    const char **files;
    size_t file_count;
    struct ptx_alias *aliases;

    /* The function whose body is being parsed, and its parts so far. */
    struct ptx_function *function;
    struct ptx_list registers, locals, labels;
    bool nounroll;      /* the module's pragma: do not unroll its loops */
    bool nounroll_next; /* the same for the loop that begins with the next instruction */
    struct ptx_instruction *instructions;
    size_t instruction_count, instruction_capacity;
    struct ptx_source source;                  /* the last .loc */
    struct ptx_source recent[PTX_RECENT_LOCS]; /* a ring of earlier ones */
    size_t loc_count;

    struct ptx_draft *drafts; /* a stack of operands */
    size_t draft_count, draft_capacity;
};

/* Sets the error "out of memory" at the token; returns false. */
bool ptx__out_of_memory(struct ptx_parser *p);

/* Appends to a list.  On out-of-memory sets the error and returns false. */
bool ptx__append(struct ptx_parser *p, struct ptx_list *list, void *item);

/* Copies the list's items to the module's arena.  items: the address of a T **. */
bool ptx__finish_list(struct ptx_parser *p, const struct ptx_list *list, void *items, size_t *count);

/* Interns the token, which is a name.  On out-of-memory sets the error and returns NULL. */
struct ptx_name *ptx__token_name(struct ptx_parser *p);

/* ---- constant.c ---- */

/* kind is PTX_OPERAND_INTEGER, _F32 or _F64. */
struct ptx_constant {
    enum ptx_operand_kind kind;
    uint64_t bits;
    bool is_unsigned;
};

/* Minimum binding powers.  PTX_ABOVE_SUM stops at + and -: "[x + 4]" reads its terms one by one. */
enum { PTX_ANY_OPERATOR = 0, PTX_ABOVE_SUM = 10 };

bool ptx__constant(struct ptx_parser *p, int binding, struct ptx_constant *out);

/* offset = { ("+" | "-") constant }; adds to *offset. */
bool ptx__offset(struct ptx_parser *p, int64_t *offset);

/* A constant from 0 to limit; error messages call it `what`. */
bool ptx__count(struct ptx_parser *p, const char *what, uint64_t limit, uint64_t *out);

/* ---- variable.c ---- */

/* The part of a declaration before the name. */
struct ptx_declaration {
    enum ptx_space space;
    enum ptx_type type;
    unsigned vector; /* elements: 1, 2, 4 or 8 */
    size_t align;    /* 0: not given */
    bool managed;
};

/* The space that the token names, as ".shared" does; PTX_SPACE_NONE if it names none. */
enum ptx_space ptx__space_at(const struct ptx_parser *p);

/* Sets *managed if one of the attributes is .managed. */
bool ptx__attribute(struct ptx_parser *p, bool *managed);
bool ptx__declaration(struct ptx_parser *p, struct ptx_declaration *out);

/* Reads a name and its dimensions.  *name is interned.  The variable is not bound yet.  shape holds the
 * extents for the initializer. */
struct ptx_shape {
    size_t extents[PTX_MAX_DIMENSIONS];
    size_t count;
    size_t element; /* bytes */
};
struct ptx_variable *ptx__declarator(struct ptx_parser *p, const struct ptx_declaration *declaration,
                                     struct ptx_name **name, struct ptx_shape *shape);

bool ptx__variables(struct ptx_parser *p, enum ptx_linkage linkage);

/* ---- initializer.c ---- */

bool ptx__initializer(struct ptx_parser *p, struct ptx_variable *variable, const struct ptx_shape *shape);

/* ---- register.c ---- */

bool ptx__registers(struct ptx_parser *p);

/* ---- operand.c ---- */

/* One operand, pushed on the stack of drafts.  in_call: "(" opens a list, not an expression. */
bool ptx__operand(struct ptx_parser *p, bool in_call);

/* Moves the drafts from mark on to their final place. */
bool ptx__seal_operands(struct ptx_parser *p, size_t mark, struct ptx_operand **items, size_t *count);

/* The name of a guard's register. */
const struct ptx_register *ptx__register(struct ptx_parser *p);

/* ---- instruction.c ---- */

bool ptx__instruction(struct ptx_parser *p);

/* ---- body.c, function.c, alias.c, module.c ---- */

bool ptx__body(struct ptx_parser *p);
bool ptx__pragma(struct ptx_parser *p, bool *nounroll);
bool ptx__function(struct ptx_parser *p, enum ptx_linkage linkage);
struct ptx_function *ptx__prototype(struct ptx_parser *p);
bool ptx__alias(struct ptx_parser *p);
bool ptx__resolve_aliases(struct ptx_parser *p);
bool ptx__file(struct ptx_parser *p);

#endif
