/* Linking: joins the texts of several modules into one.
 *
 * A name local to its text (not .visible, .weak, .common or .extern) gets a suffix if another text has the
 * same name at module scope.  A .weak or .common definition is left out if an earlier text has one.  The
 * files of .file and .loc get new numbers.  The rest is copied unchanged, so the parser sees the declarations
 * and definitions of one module and checks them against each other.
 */
#include "sim/ptx/parser.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A module-scope name of any of the texts. */
struct symbol {
    const char *text; /* in one of the texts */
    size_t length;
    size_t texts;      /* the number of texts that have it */
    size_t last;       /* the last text counted, from 1 */
    size_t local_in;   /* the last text in which it is local, from 1 */
    size_t global_in;  /* the last text in which it is also not local, from 1 */
    size_t defined_in; /* the first text that defines it for all, from 1; 0: none yet */
};

struct linker {
    struct ptx_parser *p; /* reads the current text */
    struct symbol *symbols;
    size_t symbol_count, symbol_capacity;
    uint32_t *slots; /* open addressing: an index + 1; capacity is a power of two */
    size_t slot_count;
    char *out;
    size_t size, capacity;
    uint32_t version; /* the newest */
    unsigned target;  /* the highest */
    char target_text[64];
    size_t mark; /* a suffix is this many $ and the text's number; no name ends in that many */
    uint32_t file_base, file_top; /* file numbers before this text's, and the highest so far */
    bool no_memory;
};

/* The parts of a module-scope directive that matter for linking. */
struct declaration {
    enum ptx_linkage linkage;
    const char *name;
    size_t length;
    bool defines;
};

/* ---------------------------------------------------------------- symbols */

static uint64_t hash(const char *text, size_t length) {
    uint64_t value = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * 1099511628211u;
    return value;
}

static uint32_t *slot_of(struct linker *l, const char *text, size_t length) {
    for (size_t i = hash(text, length);; i++) {
        uint32_t *slot = &l->slots[i & (l->slot_count - 1)];
        if (!*slot ||
            (l->symbols[*slot - 1].length == length && memcmp(l->symbols[*slot - 1].text, text, length) == 0))
            return slot;
    }
}

static bool grow_slots(struct linker *l) {
    size_t count = l->slot_count ? 2 * l->slot_count : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    free(l->slots);
    l->slots = slots;
    l->slot_count = count;
    for (size_t i = 0; i < l->symbol_count; i++)
        *slot_of(l, l->symbols[i].text, l->symbols[i].length) = (uint32_t)i + 1;
    return true;
}

static struct symbol *find(struct linker *l, const char *text, size_t length) {
    uint32_t slot = l->slot_count == 0 ? 0 : *slot_of(l, text, length);
    return slot == 0 ? NULL : &l->symbols[slot - 1];
}

static struct symbol *find_or_add(struct linker *l, const char *text, size_t length) {
    struct symbol *found = find(l, text, length);
    if (found != NULL)
        return found;
    if (2 * (l->symbol_count + 1) > l->slot_count && !grow_slots(l))
        return NULL;
    if (l->symbol_count == l->symbol_capacity) {
        size_t capacity = l->symbol_capacity ? 2 * l->symbol_capacity : 256;
        struct symbol *symbols = realloc(l->symbols, capacity * sizeof *symbols);
        if (symbols == NULL)
            return NULL;
        l->symbols = symbols;
        l->symbol_capacity = capacity;
    }
    l->symbols[l->symbol_count] = (struct symbol){.text = text, .length = length};
    *slot_of(l, text, length) = (uint32_t)l->symbol_count + 1;
    return &l->symbols[l->symbol_count++];
}

/* ---------------------------------------------------------------- output */

static void put(struct linker *l, const char *text, size_t length) {
    if (l->capacity - l->size <= length) {
        size_t capacity = 2 * l->capacity + length + 4096;
        char *out = realloc(l->out, capacity);
        if (out == NULL) {
            l->no_memory = true;
            return;
        }
        l->out = out;
        l->capacity = capacity;
    }
    memcpy(l->out + l->size, text, length);
    l->size += length;
    l->out[l->size] = '\0';
}

static void put_text(struct linker *l, const char *text) {
    put(l, text, strlen(text));
}

/* ---------------------------------------------------------------- reading */

static bool is_local(const struct declaration *d) {
    return d->linkage == PTX_LINK_NONE;
}

static void linkage(struct ptx_parser *p, struct declaration *d) {
    d->linkage = ptx__at_word(p, ".visible")  ? PTX_LINK_VISIBLE
                 : ptx__at_word(p, ".extern") ? PTX_LINK_EXTERN
                 : ptx__at_word(p, ".weak")   ? PTX_LINK_WEAK
                 : ptx__at_word(p, ".common") ? PTX_LINK_COMMON
                                              : d->linkage;
}

/* Reads one directive to its end: a ';', or the '}' of a body or section, whichever comes first.  If it
 * declares several variables, only the first is looked at.  The token is left at that end. */
static bool directive(struct ptx_parser *p, struct declaration *d) {
    unsigned depth = 0, parentheses = 0;
    bool symbols = false;
    *d = (struct declaration){.linkage = PTX_LINK_NONE};
    for (;;) {
        if (p->token.kind == PTX_TOKEN_END)
            return ptx__expected(p, "the end of a directive");
        if (depth == 0) {
            linkage(p, d);
            symbols |= ptx__at_word(p, ".entry") || ptx__at_word(p, ".func") ||
                       (ptx__space_at(p) != PTX_SPACE_NONE && parentheses == 0);
        }
        if (symbols && d->name == NULL && depth == 0 && parentheses == 0 && p->token.kind == PTX_TOKEN_NAME) {
            d->name = p->token.start;
            d->length = p->token.length;
            d->defines = true;
        }
        bool brace = ptx__at_mark(p, '}');
        depth += ptx__at_mark(p, '{');
        depth -= brace && depth > 0;
        parentheses += ptx__at_mark(p, '(');
        parentheses -= ptx__at_mark(p, ')') && parentheses > 0;
        /* An initializer's '}' does not end the directive: a ';' follows. */
        if (depth == 0 && (ptx__at_mark(p, ';') || (brace && ptx__peek(p) != ';' && ptx__peek(p) != ',')))
            return true;
        if (!ptx__next(p))
            return false;
    }
}

/* Whether the directive ends with its line: .version, .target, .address_size, .file. */
static bool is_short(const struct ptx_parser *p) {
    return ptx__at_word(p, ".version") || ptx__at_word(p, ".target") || ptx__at_word(p, ".address_size") ||
           ptx__at_word(p, ".file");
}

static void note_target(struct linker *l, const char *text, size_t length) {
    unsigned number = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] >= '0' && text[i] <= '9')
            number = 10 * number + (unsigned)(text[i] - '0');
    /* Code for sm_90 and sm_90a together is for sm_90a, which has instructions that sm_90 lacks. */
    const bool plain = length && text[length - 1] >= '0' && text[length - 1] <= '9';
    if ((number > l->target || (number == l->target && !plain)) && length < sizeof l->target_text) {
        l->target = number;
        memcpy(l->target_text, text, length);
        l->target_text[length] = '\0';
    }
}

/* Reads a short directive and leaves the token after it.  *number, *number_end: the number of a .file. */
static bool short_directive(struct linker *l, const char **number, const char **number_end) {
    struct ptx_parser *p = l->p;
    bool target = ptx__at_word(p, ".target"), version = ptx__at_word(p, ".version");
    bool file = ptx__at_word(p, ".file");
    uint32_t line = p->token.pos.line;
    if (!ptx__next(p))
        return false;
    if (target)
        note_target(l, p->token.start, p->token.length);
    if (version) {
        unsigned major = 0, minor = 0;
        if (sscanf(p->token.start, "%3u.%2u", &major, &minor) == 2 && major * 100 + minor > l->version)
            l->version = major * 100 + minor;
    }
    if (file && p->token.kind == PTX_TOKEN_INTEGER) {
        *number = p->token.start;
        *number_end = p->token.start + p->token.length;
        if (p->token.bits <= UINT16_MAX && l->file_base + p->token.bits > l->file_top)
            l->file_top = l->file_base + (uint32_t)p->token.bits;
    }
    while (p->token.kind != PTX_TOKEN_END && p->token.pos.line == line)
        if (!ptx__next(p))
            return false;
    return true;
}

static bool begin(struct linker *l, struct ptx_parser *p, struct ptx_module *module) {
    struct ptx_arena *arena = module->arena, *scratch = p->scratch;
    struct ptx_error *error = p->error;
    *p = (struct ptx_parser){.module = module, .arena = arena, .scratch = scratch, .error = error};
    p->cursor = p->line_start = module->text;
    p->line = 1;
    p->token.pos = (struct ptx_pos){1, 1};
    l->p = p;
    return ptx__next(p);
}

/* The text's next declaration that has a name; *found is false at the text's end. */
static bool next_declaration(struct linker *l, struct declaration *d, bool *found) {
    struct ptx_parser *p = l->p;
    *found = false;
    while (!*found && p->token.kind != PTX_TOKEN_END) {
        const char *number, *end;
        if (is_short(p)) {
            if (!short_directive(l, &number, &end))
                return false;
            continue;
        }
        if (!directive(p, d) || !ptx__next(p))
            return false;
        *found = d->name != NULL;
    }
    return true;
}

/* First pass over a text: collects its names. */
static bool collect(struct linker *l, size_t text) {
    struct declaration d;
    for (bool found;;) {
        if (!next_declaration(l, &d, &found))
            return false;
        if (!found)
            return true;
        struct symbol *symbol = find_or_add(l, d.name, d.length);
        if (symbol == NULL)
            return ptx__out_of_memory(l->p);
        if (symbol->last != text)
            symbol->texts++;
        symbol->last = text;
    }
}

/* ---------------------------------------------------------------- copying */

/* Copies from..to, replacing this text's local names and file numbers. */
static bool copy(struct linker *l, size_t text, const char *from, const char *to, struct ptx_module *module,
                 struct ptx_parser *scanner) {
    if (!begin(l, scanner, module))
        return false;
    scanner->cursor = from;
    const char *done = from;
    bool at_file = false; /* the next integer is a file number */
    for (;;) {
        if (!ptx__next(scanner))
            return false;
        const struct ptx_token *token = &scanner->token;
        if (token->kind == PTX_TOKEN_END || token->start >= to)
            break;
        if (token->kind == PTX_TOKEN_NAME) {
            const struct symbol *symbol = find(l, token->start, token->length);
            if (symbol != NULL && symbol->local_in == text && symbol->global_in != text &&
                symbol->texts > 1) {
                char suffix[32];
                const char *end = token->start + token->length;
                snprintf(suffix, sizeof suffix, "%zu", text);
                put(l, done, (size_t)(end - done));
                for (size_t i = 0; i < l->mark; i++)
                    put(l, "$", 1);
                put_text(l, suffix);
                done = end;
            }
        }
        if (token->kind == PTX_TOKEN_INTEGER && at_file && token->bits <= UINT16_MAX && token->bits > 0) {
            char number[16];
            snprintf(number, sizeof number, "%" PRIu32, l->file_base + (uint32_t)token->bits);
            put(l, done, (size_t)(token->start - done));
            put_text(l, number);
            done = token->start + token->length;
        }
        at_file = ptx__at_word(scanner, ".loc") || ptx__at_word(scanner, ".file") ||
                  ptx__at_name(scanner, "inlined_at");
    }
    put(l, done, (size_t)(to - done));
    return true;
}

/* nvcc's own names end like that too: $str, $str$2. */
static void choose_mark(struct linker *l) {
    for (size_t i = 0; i < l->symbol_count; i++) {
        const struct symbol *symbol = &l->symbols[i];
        size_t end = symbol->length, run = 0;
        while (end > 0 && symbol->text[end - 1] >= '0' && symbol->text[end - 1] <= '9')
            end--;
        while (run < end && symbol->text[end - 1 - run] == '$')
            run++;
        if (run > l->mark)
            l->mark = run;
    }
    l->mark++;
}

/* Second pass: marks the text's local names. */
static bool mark_locals(struct linker *l, size_t text) {
    struct declaration d;
    for (bool found;;) {
        if (!next_declaration(l, &d, &found))
            return false;
        if (!found)
            return true;
        struct symbol *symbol = find(l, d.name, d.length);
        if (symbol != NULL && is_local(&d))
            symbol->local_in = text;
        else if (symbol != NULL)
            symbol->global_in = text;
    }
}

/* Third pass: copies the parts of the text between the omitted definitions. */
static bool copy_text(struct linker *l, size_t text, struct ptx_module *module, struct ptx_parser *scanner) {
    struct ptx_parser *p = l->p;
    const char *kept = module->text;
    while (p->token.kind != PTX_TOKEN_END) {
        struct declaration d;
        const char *start = p->token.start, *number, *end;
        bool header = is_short(p) && !ptx__at_word(p, ".file");
        bool leave_out = header;
        if (is_short(p)) {
            if (!short_directive(l, &number, &end))
                return false;
            end = p->token.start;
        } else {
            if (!directive(p, &d))
                return false;
            end = p->cursor;
            if (!ptx__next(p))
                return false;
            struct symbol *symbol = d.name == NULL ? NULL : find(l, d.name, d.length);
            if (symbol != NULL && d.linkage != PTX_LINK_EXTERN && !is_local(&d)) {
                leave_out = (d.linkage == PTX_LINK_WEAK || d.linkage == PTX_LINK_COMMON) &&
                            symbol->defined_in != 0 && symbol->defined_in != text;
                if (symbol->defined_in == 0)
                    symbol->defined_in = text;
            }
        }
        if (!leave_out)
            continue;
        if (!copy(l, text, kept, start, module, scanner))
            return false;
        l->p = p;
        kept = end;
    }
    if (!copy(l, text, kept, module->text + module->text_size, module, scanner))
        return false;
    put_text(l, "\n");
    return true;
}

/* ---------------------------------------------------------------- linking */

static void put_header(struct linker *l) {
    char header[160];
    snprintf(header, sizeof header, ".version %" PRIu32 ".%" PRIu32 "\n.target %s\n.address_size 64\n",
             l->version / 100, l->version % 100, l->target_text);
    put_text(l, header);
}

static bool link_modules(struct linker *l, struct ptx_module *modules, size_t count, struct ptx_error *error,
                         struct ptx_arena *scratch) {
    struct ptx_parser *parsers = ptx__arena_alloc(scratch, 2, sizeof *parsers);
    if (parsers == NULL)
        return ptx_error_set(error, &modules[0], (struct ptx_pos){1, 1}, "out of memory");
    for (int i = 0; i < 2; i++) {
        parsers[i].error = error;
        parsers[i].scratch = scratch;
    }
    for (size_t i = 0; i < count; i++)
        if (!begin(l, &parsers[0], &modules[i]) || !collect(l, i + 1))
            return false;
    choose_mark(l);
    put_header(l);
    l->file_top = 0;
    for (size_t i = 0; i < count; i++) {
        l->file_base = l->file_top;
        if (!begin(l, &parsers[0], &modules[i]) || !mark_locals(l, i + 1) ||
            !begin(l, &parsers[0], &modules[i]) || !copy_text(l, i + 1, &modules[i], &parsers[1]))
            return false;
    }
    return !l->no_memory || ptx_error_set(error, &modules[0], (struct ptx_pos){1, 1}, "out of memory");
}

bool ptx_link(const struct ptx_text *texts, size_t count, char **out, size_t *size, struct ptx_error *error) {
    struct linker l = {0};
    struct ptx_arena *scratch = ptx__arena_new();
    struct ptx_module *modules = scratch == NULL ? NULL : ptx__arena_alloc(scratch, count, sizeof *modules);
    bool ok = modules != NULL;
    *out = NULL;
    for (size_t i = 0; ok && i < count; i++) {
        modules[i].name = texts[i].name;
        modules[i].text_size = strnlen(texts[i].text, texts[i].size);
        modules[i].text = ptx__arena_string(scratch, texts[i].text, modules[i].text_size);
        modules[i].arena = scratch;
        ok = modules[i].text != NULL;
    }
    if (ok) {
        ok = link_modules(&l, modules, count, error, scratch);
    } else {
        const struct ptx_module unborn = {.name = "ptx"};
        ptx_error_set(error, &unborn, (struct ptx_pos){1, 1}, "out of memory");
    }
    if (ok) {
        *out = l.out;
        *size = l.size;
    } else {
        free(l.out);
    }
    free(l.symbols);
    free(l.slots);
    ptx__arena_free(scratch);
    return ok;
}
