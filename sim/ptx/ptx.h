/* PTX as a tree: a parsed module with every name resolved.
 *
 * The parser knows PTX's grammar but no instructions: an instruction is its opcode's words and its operands.
 * The lowering defines which opcodes exist and what their words mean; it rejects unknown ones with
 * ptx_error_set() at the instruction's position.
 *
 * Everything lives in the module's arena and is freed by ptx_module_free().  Strings are NUL-terminated.
 * Only one thread may build a module; a finished module is read-only and can be shared between threads.
 */
#ifndef WIDELOAD_SIM_PTX_H
#define WIDELOAD_SIM_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ptx_pos {
    uint32_t line, column; /* in the PTX text, from 1 */
};

/* Why a module was rejected.  text is ready to print and ends without a newline:
 *     copy.ptx:12:5: unknown instruction 'wgmma.fence.sync.aligned'
 *         wgmma.fence.sync.aligned;
 *         ^
 */
struct ptx_error {
    struct ptx_pos pos;
    char message[256]; /* "unknown instruction 'wgmma...'" */
    char text[1024];   /* file:line:column: message, the source line, a caret */
};

enum ptx_space {
    PTX_SPACE_NONE, /* generic: the instruction names no space */
    PTX_SPACE_REG,
    PTX_SPACE_PARAM,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_CONST,
};

/* name, bytes (0: a predicate) */
#define PTX_TYPE_MAP(X)                                                                                      \
    X(PRED, "pred", 0)                                                                                       \
    X(B8, "b8", 1)                                                                                           \
    X(U8, "u8", 1)                                                                                           \
    X(S8, "s8", 1)                                                                                           \
    X(B16, "b16", 2)                                                                                         \
    X(U16, "u16", 2)                                                                                         \
    X(S16, "s16", 2)                                                                                         \
    X(F16, "f16", 2)                                                                                         \
    X(BF16, "bf16", 2)                                                                                       \
    X(B32, "b32", 4)                                                                                         \
    X(U32, "u32", 4)                                                                                         \
    X(S32, "s32", 4)                                                                                         \
    X(F32, "f32", 4)                                                                                         \
    X(TF32, "tf32", 4)                                                                                       \
    X(F16X2, "f16x2", 4)                                                                                     \
    X(BF16X2, "bf16x2", 4)                                                                                   \
    X(B64, "b64", 8)                                                                                         \
    X(U64, "u64", 8)                                                                                         \
    X(S64, "s64", 8)                                                                                         \
    X(F64, "f64", 8)                                                                                         \
    X(B128, "b128", 16)

enum ptx_type {
    PTX_TYPE_NONE,
#define PTX_TYPE_ENUM(id, name, bytes) PTX_TYPE_##id,
    PTX_TYPE_MAP(PTX_TYPE_ENUM)
#undef PTX_TYPE_ENUM
};

/* "u32" -> PTX_TYPE_U32; PTX_TYPE_NONE if unknown. */
enum ptx_type ptx_type_find(const char *name);
const char *ptx_type_name(enum ptx_type type);
unsigned ptx_type_bytes(enum ptx_type type);

struct ptx_register {
    const char *name;   /* "%r12" */
    enum ptx_type type; /* as declared: a .b32 and a .f32 register are equivalent */
    uint32_t index;     /* dense, from 0 within its function */
};

/* An address in an initializer: the width bytes at offset hold (address of symbol) + addend >> shift. */
struct ptx_relocation {
    size_t offset;
    unsigned width; /* 8 or 4; 1 with the mask(0xff..)(symbol) form, where shift selects the byte */
    unsigned shift; /* bits */
    struct ptx_variable *variable; /* one of these two is set */
    const struct ptx_function *function;
    int64_t addend;
    bool generic; /* generic(symbol): a generic address; otherwise an address in the symbol's space */
};

enum ptx_linkage { PTX_LINK_NONE, PTX_LINK_EXTERN, PTX_LINK_VISIBLE, PTX_LINK_WEAK, PTX_LINK_COMMON };

struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_linkage linkage;
    enum ptx_type type; /* type of an element */
    size_t size;        /* total bytes; 0 for an array of unknown extent (.extern .shared x[]) */
    size_t align;       /* at least the type's own (a .v4 variable: four times that) */
    bool unsized;
    bool managed;  /* .attribute(.managed): the host may access it */
    uint8_t *init; /* size bytes; NULL: zeros */
    struct ptx_relocation *relocations;
    size_t relocation_count;
    struct ptx_pos pos;
    uint32_t index; /* module variables: index in module->variables; others: in function->variables,
                       ->params or ->returns */
    const struct ptx_function *owner; /* NULL: module scope */
    bool is_param, is_return;         /* one of owner's params or returns */
    uint64_t user;                    /* set by the lowering: where the variable was placed */
};

struct ptx_label {
    const char *name;
    size_t target; /* index of the instruction that follows; instruction_count at the end */
    /* A label before .branchtargets, .calltargets or .callprototype names that list instead: */
    struct ptx_label **branch_targets;
    size_t branch_target_count;
    struct ptx_function *prototype; /* .callprototype: a function with params and returns only;
                                       .calltargets: its first function, whose signature all share */
    bool is_list;
    size_t index; /* set and read only by sim/exec/lower/flow.c */
};

enum ptx_operand_kind {
    PTX_OPERAND_REGISTER, /* reg */
    PTX_OPERAND_SPECIAL,  /* name: "%tid.x", "%laneid", "WARP_SZ" ... */
    PTX_OPERAND_INTEGER,  /* bits: 64-bit two's complement */
    PTX_OPERAND_F32,      /* bits: the low 32, from 0fXXXXXXXX */
    PTX_OPERAND_F64,      /* bits: from 0dXXXX or a decimal literal */
    PTX_OPERAND_VARIABLE, /* variable + offset, taken as an address: mov.u32 %r1, tile+4 */
    PTX_OPERAND_FUNCTION, /* function */
    PTX_OPERAND_LABEL,    /* label */
    PTX_OPERAND_ADDRESS,  /* [reg + offset], [variable + offset] or [offset]; items: what follows a comma in a
                             texture's address, else none */
    PTX_OPERAND_VECTOR,   /* {a, b}: items */
    PTX_OPERAND_LIST,     /* (a, b) of a call: items */
    PTX_OPERAND_PAIR,     /* p|q: items[0], items[1] */
    PTX_OPERAND_SINK,     /* _ */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated; /* !p, for a predicate */
    bool indexed; /* a variable written as array[1]; its offset is still in bytes */
    struct ptx_pos pos;
    const struct ptx_register *reg;
    struct ptx_variable *variable;
    struct ptx_function *function;
    struct ptx_label *label;
    const char *name;
    uint64_t bits;
    int64_t offset;
    struct ptx_operand *items;
    size_t item_count;
};

/* An instruction's place in the user's source (.loc).  file == 0: unknown.  Code inlined from the CUDA
 * toolkit's own headers (atomicAdd) has the place of the user's call. */
struct ptx_source {
    uint32_t file; /* index into module->files + 1 */
    uint32_t line, column;
    const struct ptx_source *caller; /* the call that it was inlined at; NULL: not inlined */
};

struct sim_instruction;

struct ptx_instruction {
    const char *opcode; /* with its modifiers: "ld.global.nc.v4.f32" */
    const char *name;   /* "ld" */
    const char **words; /* "global", "nc", "v4", "f32"; "L1::no_allocate" is one word */
    size_t word_count;
    const struct ptx_register *guard; /* @p, @!p; NULL: none */
    bool guard_negated;
    bool nounroll; /* a pragma before it: do not unroll the loop that it begins */
    /* As written.  A call: [list of returns,] function or register [, list of arguments [, label]] */
    struct ptx_operand *operands;
    size_t operand_count;
    struct ptx_pos pos; /* position of the opcode, after any guard */
    struct ptx_source source;
    const struct sim_instruction *row; /* for the lowering: what sim/exec/lower/instructions.def says of it */
};

struct ptx_function {
    const char *name;
    bool entry;
    bool defined; /* false: a declaration, or a prototype */
    enum ptx_linkage linkage;
    struct ptx_variable **params;
    size_t param_count;
    struct ptx_variable **returns;
    size_t return_count;
    struct ptx_register **registers; /* of a range such as .reg .b32 %r<12>, only those that the body names */
    size_t register_count;
    struct ptx_variable **variables; /* declared in the body: .local, .shared, .param, .const, .global */
    size_t variable_count;
    struct ptx_instruction *instructions;
    size_t instruction_count;
    struct ptx_label **labels;
    size_t label_count;
    uint32_t max_threads[3];      /* .maxntid; 0: not given */
    uint32_t required_threads[3]; /* .reqntid */
    uint32_t cluster[3];          /* .reqnctapercluster; 0: not given */
    uint32_t max_cluster;         /* .maxclusterrank */
    bool nounroll; /* do not unroll loops: .pragma "nounroll" here or in the module, or .target debug */
    bool explicit_cluster; /* .explicitcluster: launches have clusters, of `cluster` or of a size they give */
    uint32_t min_blocks;   /* .minnctapersm */
    uint32_t max_registers; /* .maxnreg */
    struct ptx_pos pos;
    uint32_t index; /* index in module->functions */
};

struct ptx_module {
    const char *name;      /* as given to ptx_parse, for messages */
    uint32_t version;      /* .version 8.4 -> 804 */
    char target[32];       /* "sm_75" */
    unsigned address_size; /* 32 or 64 */
    const char **files;    /* .file: files[index - 1], index as in the text; NULL where unused */
    size_t file_count;
    struct ptx_variable **variables; /* module scope */
    size_t variable_count;
    struct ptx_function **functions; /* names are unique: a definition replaces its declaration */
    size_t function_count;
    const char *text; /* a copy of the source, for messages */
    size_t text_size;
    struct ptx_arena *arena;
};

/* Parses size bytes of PTX (a NUL ends the text early).  On success the caller frees *out with
 * ptx_module_free().  On failure, also out-of-memory, returns false, sets *out to NULL and fills *error. */
bool ptx_parse(const char *name, const char *text, size_t size, struct ptx_module **out,
               struct ptx_error *error);
void ptx_module_free(struct ptx_module *module);

/* One module's text, and its name in messages. */
struct ptx_text {
    const char *name, *text;
    size_t size;
};

/* Joins the texts of several modules that may use each other's .visible, .weak and .common symbols into one
 * text of *size bytes and a NUL; the caller frees *out.  Mismatches between the modules show only when the
 * result is parsed.  false: a directive does not end, or out of memory. */
bool ptx_link(const struct ptx_text *texts, size_t count, char **out, size_t *size, struct ptx_error *error);

/* Fills *error for a position in the module's text.  Always returns false, so a caller can write
 * `return ptx_error_set(...)`. */
bool ptx_error_set(struct ptx_error *error, const struct ptx_module *module, struct ptx_pos pos,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

const struct ptx_function *ptx_module_function(const struct ptx_module *module, const char *name);
const struct ptx_variable *ptx_module_variable(const struct ptx_module *module, const char *name);
/* Whether the instruction has this name, without its words.  The first letter decides most often. */
static inline bool ptx_is(const struct ptx_instruction *instruction, const char *name) {
    return *instruction->name == *name && strcmp(instruction->name, name) == 0;
}
bool ptx_has_word(const struct ptx_instruction *instruction, const char *word);

#endif
