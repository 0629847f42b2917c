#include "sim/ptx/parser.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE_NUMBER 65535

bool ptx__out_of_memory(struct ptx_parser *p) {
    return ptx_error_set(p->error, p->module, p->token.pos, "out of memory");
}

bool ptx__append(struct ptx_parser *p, struct ptx_list *list, void *item) {
    void *items = list->items;
    if (!ptx__arena_grow(p->scratch, &items, &list->capacity, list->count, sizeof *list->items))
        return ptx__out_of_memory(p);
    list->items = items;
    list->items[list->count++] = item;
    return true;
}

bool ptx__finish_list(struct ptx_parser *p, const struct ptx_list *list, void *items, size_t *count) {
    void **copy = ptx__arena_alloc(p->arena, list->count, sizeof *copy);
    if (copy == NULL)
        return ptx__out_of_memory(p);
    if (list->count != 0)
        memcpy(copy, list->items, list->count * sizeof *copy);
    /* items is the address of a T **; all object pointers have the same representation here. */
    memcpy(items, &copy, sizeof copy);
    *count = list->count;
    return true;
}

struct ptx_name *ptx__token_name(struct ptx_parser *p) {
    struct ptx_name *name = ptx__names_add(&p->names, p->token.start, p->token.length);
    if (name == NULL)
        ptx__out_of_memory(p);
    return name;
}

/* version = ".version" F64, as major "." minor */
static bool version(struct ptx_parser *p) {
    if (!ptx__at_word(p, ".version"))
        return ptx__expected(p, "'.version'");
    if (!ptx__next(p))
        return false;
    const char *at = p->token.start, *end = at + p->token.length;
    uint32_t parts[2] = {0, 0};
    for (int part = 0; part < 2; part++) {
        const char *first = at;
        for (; at < end && *at >= '0' && *at <= '9' && at - first < 3; at++)
            parts[part] = parts[part] * 10 + (uint32_t)(*at - '0');
        if (at == first || (part == 0 && (at == end || *at++ != '.')))
            return ptx__expected(p, "a version such as 8.4");
    }
    if (at != end || parts[1] > 99)
        return ptx__expected(p, "a version such as 8.4");
    p->module->version = parts[0] * 100 + parts[1];
    /* .address_size came with 2.3; older texts have the address size of the host they were made for. */
    if (p->module->version < 203)
        p->module->address_size = 64;
    return ptx__next(p);
}

/* target = ".target" NAME { "," OPTION } */
static bool target(struct ptx_parser *p) {
    static const char *const options[] = {"debug", "map_f64_to_f32", "texmode_unified", "texmode_independent",
                                          "texmode_raw"};
    if (!ptx__at_word(p, ".target"))
        return ptx__expected(p, "'.target'");
    if (!ptx__next(p))
        return false;
    if (p->token.kind != PTX_TOKEN_NAME || p->token.length >= sizeof p->module->target ||
        p->token.length < 4 || memcmp(p->token.start, "sm_", 3) != 0)
        return ptx__expected(p, "a target such as sm_90");
    memcpy(p->module->target, p->token.start, p->token.length);
    p->module->target[p->token.length] = '\0';
    if (!ptx__next(p))
        return false;
    while (ptx__at_mark(p, ',')) {
        bool known = false;
        if (!ptx__next(p))
            return false;
        for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
            known = known || ptx__at_name(p, options[i]);
        if (!known)
            return ptx__expected(p, "a target's option");
        p->nounroll |= ptx__at_name(p, "debug"); /* ptxas does not optimize such code */
        if (!ptx__next(p))
            return false;
    }
    return true;
}

/* address_size = ".address_size" ( "32" | "64" ) */
static bool address_size(struct ptx_parser *p) {
    if (!ptx__next(p))
        return false;
    if (p->token.kind != PTX_TOKEN_INTEGER || (p->token.bits != 32 && p->token.bits != 64))
        return ptx__expected(p, "32 or 64");
    p->module->address_size = (unsigned)p->token.bits;
    return ptx__next(p);
}

static bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

/* A byte written as "\303", which is how nvcc writes non-ASCII; 0 if it is not. */
static unsigned char octal(const char *text) {
    if (text[0] != '\\' || !is_octal(text[1]) || text[1] > '3' || !is_octal(text[2]) || !is_octal(text[3]))
        return 0;
    return (unsigned char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
}

/* Undoes the quoting of a file's name. */
static const char *unquote(struct ptx_parser *p) {
    char *text = ptx__arena_string(p->arena, p->token.start, p->token.length);
    if (text == NULL) {
        ptx__out_of_memory(p);
        return NULL;
    }
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        unsigned char byte = octal(from);
        if (byte) {
            *to++ = (char)byte;
            from += 3;
            continue;
        }
        if (from[0] == '\\' && (from[1] == '\\' || from[1] == '"'))
            from++;
        *to++ = *from;
    }
    *to = '\0';
    return text;
}

/* file = ".file" INTEGER STRING [ "," INTEGER "," INTEGER ]; the last two are its time and size */
bool ptx__file(struct ptx_parser *p) {
    if (!ptx__next(p))
        return false;
    if (p->token.kind != PTX_TOKEN_INTEGER)
        return ptx__expected(p, "a file's number");
    if (p->token.bits == 0 || p->token.bits > LARGEST_FILE_NUMBER)
        return ptx_error_set(p->error, p->module, p->token.pos, "a file's number must be 1 to %d",
                             LARGEST_FILE_NUMBER);
    size_t index = p->token.bits - 1;
    if (!ptx__next(p))
        return false;
    if (p->token.kind != PTX_TOKEN_STRING)
        return ptx__expected(p, "a file's name");
    if (p->files == NULL)
        p->files = ptx__arena_alloc(p->scratch, LARGEST_FILE_NUMBER, sizeof *p->files);
    if (p->files == NULL)
        return ptx__out_of_memory(p);
    p->files[index] = unquote(p);
    if (p->files[index] == NULL)
        return false;
    if (p->file_count <= index)
        p->file_count = index + 1;
    if (!ptx__next(p))
        return false;
    for (int i = 0; i < 2 && ptx__at_mark(p, ','); i++) {
        if (!ptx__next(p))
            return false;
        if (p->token.kind != PTX_TOKEN_INTEGER)
            return ptx__expected(p, "a number");
        if (!ptx__next(p))
            return false;
    }
    return true;
}

/* section = ".section" WORD "{" anything "}": debug information, which the simulator ignores */
static bool section(struct ptx_parser *p) {
    struct ptx_pos pos = p->token.pos;
    if (!ptx__next(p))
        return false;
    if (p->token.kind != PTX_TOKEN_WORD)
        return ptx__expected(p, "a section's name");
    if (!ptx__next(p))
        return false;
    if (!ptx__at_mark(p, '{'))
        return ptx__expected(p, "'{'");
    size_t depth = 0;
    do {
        if (ptx__at_mark(p, '{'))
            depth++;
        else if (ptx__at_mark(p, '}'))
            depth--;
        else if (p->token.kind == PTX_TOKEN_END)
            return ptx_error_set(
                p->error, p->module, p->token.pos,
                "expected '}' to end the section that begins at line %u, found the end of the text",
                pos.line);
        if (!ptx__next(p))
            return false;
    } while (depth > 0);
    return true;
}

/* linkage = [ ".visible" | ".extern" | ".weak" | ".common" ] */
static bool linkage(struct ptx_parser *p, enum ptx_linkage *out) {
    static const struct {
        const char *word;
        enum ptx_linkage linkage;
    } linkages[] = {{".visible", PTX_LINK_VISIBLE},
                    {".extern", PTX_LINK_EXTERN},
                    {".weak", PTX_LINK_WEAK},
                    {".common", PTX_LINK_COMMON}};
    *out = PTX_LINK_NONE;
    for (size_t i = 0; i < sizeof linkages / sizeof linkages[0]; i++) {
        if (ptx__at_word(p, linkages[i].word)) {
            *out = linkages[i].linkage;
            return ptx__next(p);
        }
    }
    return true;
}

/* directive = linkage ( function | variables ) | file | section | alias | pragma | address_size | target |
 * ";" */
static bool directive(struct ptx_parser *p) {
    enum ptx_linkage link;
    if (ptx__at_mark(p, ';'))
        return ptx__next(p);
    if (!linkage(p, &link))
        return false;
    if (ptx__at_word(p, ".entry") || ptx__at_word(p, ".func"))
        return ptx__function(p, link);
    enum ptx_space space = ptx__space_at(p);
    if (space != PTX_SPACE_NONE && space != PTX_SPACE_REG)
        return ptx__variables(p, link);
    if (link != PTX_LINK_NONE)
        return ptx__expected(p, "a variable or function");
    if (ptx__at_word(p, ".file"))
        return ptx__file(p);
    if (ptx__at_word(p, ".section"))
        return section(p);
    if (ptx__at_word(p, ".alias"))
        return ptx__alias(p);
    if (ptx__at_word(p, ".pragma"))
        return ptx__pragma(p, &p->nounroll);
    if (ptx__at_word(p, ".address_size"))
        return address_size(p);
    if (ptx__at_word(p, ".target"))
        return target(p);
    return ptx__expected(p, "a directive");
}

/* Whether a file is one of the CUDA toolkit's headers: /usr/local/cuda-13.0/include/...,
 * .../targets/x86_64-linux/include/..., or .../nvidia/cuda_runtime/include/... in a Python package.  An nvcc
 * in another place names them relative to its own folder: .../bin/..//include/...
 */
static bool of_toolkit(const char *file) {
    const char *include = strstr(file, "/include/");
    if (include == NULL)
        return false;
    if (strstr(file, "/bin/..//include/") != NULL)
        return true;
    const char *directory = include, *parent;
    while (directory > file && directory[-1] != '/')
        directory--;
    parent = directory > file ? directory - 1 : file;
    while (parent > file && parent[-1] != '/')
        parent--;
    if (strncmp(parent, "targets/", 8) == 0 || strncmp(parent, "nvidia/", 7) == 0)
        return true;
    if (strncmp(directory, "cuda", 4) != 0)
        return false;
    return directory[4] == '/' || (directory[4] == '-' && directory[5] >= '0' && directory[5] <= '9');
}

static const char *file_of(const struct ptx_module *module, const struct ptx_source *source) {
    return source->file > 0 && source->file <= module->file_count ? module->files[source->file - 1] : NULL;
}

/* Moves places in the toolkit's headers to the user's line.  If a .loc names a file that the text never
 * defines, the place is unknown. */
static void settle_sources(struct ptx_module *module) {
    for (size_t i = 0; i < module->function_count; i++) {
        struct ptx_function *function = module->functions[i];
        for (size_t j = 0; j < function->instruction_count; j++) {
            struct ptx_source *source = &function->instructions[j].source;
            const char *file;
            while ((file = file_of(module, source)) != NULL && of_toolkit(file) && source->caller != NULL)
                *source = *source->caller;
            if (file == NULL)
                source->file = 0;
        }
    }
}

static bool finish(struct ptx_parser *p) {
    struct ptx_module *module = p->module;
    if (!ptx__resolve_aliases(p) ||
        !ptx__finish_list(p, &p->variables, &module->variables, &module->variable_count) ||
        !ptx__finish_list(p, &p->functions, &module->functions, &module->function_count))
        return false;
    module->file_count = p->file_count;
    module->files = ptx__arena_alloc(p->arena, p->file_count, sizeof *module->files);
    if (module->files == NULL)
        return ptx__out_of_memory(p);
    if (p->file_count != 0)
        memcpy(module->files, p->files, p->file_count * sizeof *module->files);
    settle_sources(module);
    return true;
}

/* module = version target { directive } */
static bool module_text(struct ptx_parser *p) {
    if (!ptx__next(p) || !version(p) || !target(p))
        return false;
    while (p->token.kind != PTX_TOKEN_END)
        if (!directive(p))
            return false;
    return finish(p);
}

static bool parse(struct ptx_module *module, struct ptx_error *error) {
    struct ptx_arena *scratch = ptx__arena_new();
    struct ptx_parser *p = scratch == NULL ? NULL : ptx__arena_alloc(scratch, 1, sizeof *p);
    bool ok;
    if (p == NULL) {
        ok = ptx_error_set(error, module, (struct ptx_pos){1, 1}, "out of memory");
    } else {
        p->module = module;
        p->arena = module->arena;
        p->scratch = scratch;
        p->error = error;
        p->cursor = p->line_start = module->text;
        p->line = 1;
        p->token.pos = (struct ptx_pos){1, 1};
        p->names = (struct ptx_names){.texts = module->arena, .scratch = scratch};
        ok = module_text(p);
    }
    ptx__arena_free(scratch);
    return ok;
}

/* An empty module with its own copy of name and text.  NULL on out-of-memory. */
static struct ptx_module *module_new(const char *name, const char *text, size_t size) {
    struct ptx_arena *arena = ptx__arena_new();
    struct ptx_module *module = arena == NULL ? NULL : ptx__arena_alloc(arena, 1, sizeof *module);
    if (module != NULL) {
        module->arena = arena;
        module->name = ptx__arena_string(arena, name, strlen(name));
        module->text = ptx__arena_string(arena, text, size);
        module->text_size = size;
        module->address_size = 32;
        if (module->name != NULL && module->text != NULL)
            return module;
    }
    ptx__arena_free(arena);
    return NULL;
}

bool ptx_parse(const char *name, const char *text, size_t size, struct ptx_module **out,
               struct ptx_error *error) {
    const struct ptx_module unborn = {.name = name != NULL ? name : "ptx"};
    *out = NULL;
    if (size > 0)
        size = strnlen(text, size);
    else
        text = "";
    if (size >= UINT32_MAX)
        return ptx_error_set(error, &unborn, (struct ptx_pos){1, 1}, "the text is larger than 4 GiB");
    struct ptx_module *module = module_new(unborn.name, text, size);
    if (module == NULL)
        return ptx_error_set(error, &unborn, (struct ptx_pos){1, 1}, "out of memory");
    if (!parse(module, error)) {
        ptx_module_free(module);
        return false;
    }
    *out = module;
    return true;
}

void ptx_module_free(struct ptx_module *module) {
    if (module != NULL)
        ptx__arena_free(module->arena); /* frees the module too */
}

const struct ptx_function *ptx_module_function(const struct ptx_module *module, const char *name) {
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i]->name, name) == 0)
            return module->functions[i];
    return NULL;
}

const struct ptx_variable *ptx_module_variable(const struct ptx_module *module, const char *name) {
    for (size_t i = 0; i < module->variable_count; i++)
        if (strcmp(module->variables[i]->name, name) == 0)
            return module->variables[i];
    return NULL;
}

bool ptx_has_word(const struct ptx_instruction *instruction, const char *word) {
    for (size_t i = 0; i < instruction->word_count; i++)
        if (strcmp(instruction->words[i], word) == 0)
            return true;
    return false;
}
