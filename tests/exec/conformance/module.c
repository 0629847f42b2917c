/* The PTX of a batch of cases. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/exec/conformance/conformance.h"

struct text {
    char *at;
    size_t size, capacity;
    unsigned line; /* line number of the text written next */
    bool failed;
};

static __attribute__((format(printf, 2, 3))) void put(struct text *t, const char *format, ...) {
    char piece[1024];
    va_list arguments;
    va_start(arguments, format);
    const size_t size = (size_t)vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (t->size + size + 1 > t->capacity && !t->failed) {
        const size_t capacity = 2 * t->capacity + sizeof piece;
        char *at = realloc(t->at, capacity);
        t->failed = !at;
        if (at)
            t->at = at, t->capacity = capacity;
    }
    if (t->failed)
        return;
    for (size_t i = 0; i < size; i++) {
        t->line += piece[i] == '\n';
        t->at[t->size++] = piece[i];
    }
    t->at[t->size] = '\0';
}

/* Size of the register that holds a value; 0: a predicate. */
static unsigned register_bytes(enum ptx_type type, unsigned wide) {
    const unsigned bytes = ptx_type_bytes(type);
    return wide ? wide : bytes;
}

static void declare(struct text *t, char name, unsigned bytes) {
    if (bytes)
        put(t, ".reg .b%u %%v%c;\n", 8 * bytes, name);
    else
        put(t, ".reg .pred %%v%c;\n", name);
}

static void put_load(struct text *t, unsigned k, char name, unsigned bytes) {
    declare(t, name, bytes);
    put(t, "ld.global.b64 %%x, [%%in+%u];\n", k * TUPLES * 8);
    switch (bytes) {
    case 0:
        put(t, "and.b64 %%x, %%x, 1;\nsetp.ne.s64 %%v%c, %%x, 0;\n", name);
        break;
    case 8:
        put(t, "mov.b64 %%v%c, %%x;\n", name);
        break;
    default:
        put(t, "cvt.u%u.u64 %%v%c, %%x;\n", 8 * bytes, name);
    }
}

static void put_store(struct text *t, unsigned k, char name, unsigned bytes) {
    switch (bytes) {
    case 0:
        put(t, "selp.b64 %%x, 1, 0, %%v%c;\n", name);
        break;
    case 8:
        put(t, "mov.b64 %%x, %%v%c;\n", name);
        break;
    default:
        put(t, "cvt.u64.u%u %%x, %%v%c;\n", 8 * bytes, name);
    }
    put(t, "st.global.b64 [%%out+%u], %%x;\n", k * TUPLES * 8);
}

static void put_kernel(struct text *t, const struct conformance_case *one, size_t number) {
    put(t,
        "// %s\n.visible .entry k%zu(.param .u64 in, .param .u64 out) {\n"
        ".reg .b64 %%in, %%out, %%at, %%x, %%t8, %%t9;\n.reg .b32 %%i, %%j, %%s, %%t<8>;\n.reg .b16 %%h<4>;\n"
        "mov.u32 %%i, %%ctaid.x;\nmov.u32 %%j, %%tid.x;\nshl.b32 %%s, %%j, 4;\nmov.u32 %%t0, shared;\n"
        "add.u32 %%s, %%s, %%t0;\nmad.lo.u32 %%i, %%i, %d, %%j;\n"
        "mul.wide.u32 %%x, %%i, 8;\nld.param.u64 %%in, [in];\nadd.u64 %%in, %%in, %%x;\n"
        "ld.param.u64 %%out, [out];\nadd.u64 %%out, %%out, %%x;\nadd.u64 %%at, %%out, %u;\n",
        one->name, number, BLOCK, TUPLES * 8);
    static const char sources[SOURCES] = {'a', 'b', 'c', 'f'}, results[RESULTS] = {'d', 'e'};
    for (unsigned k = 0; k < SOURCES; k++)
        if (one->source[k] != PTX_TYPE_NONE)
            put_load(t, k, sources[k], register_bytes(one->source[k], k == 0 ? one->wide_source : 0));
    unsigned bytes[RESULTS] = {0};
    for (unsigned k = 0; k < RESULTS; k++)
        if (one->result[k] != PTX_TYPE_NONE && !(k == 1 && one->slot)) {
            bytes[k] = register_bytes(one->result[k], k == 0 ? one->wide_result : 0);
            declare(t, results[k], bytes[k]);
        }
    if (one->slot)
        put(t, "ld.global.b64 %%x, [%%in];\nst.global.b64 [%%at], %%x;\n");
    put(t, "%s\n", one->text);
    for (unsigned k = 0; k < RESULTS; k++)
        if (one->result[k] != PTX_TYPE_NONE && !(k == 1 && one->slot))
            put_store(t, k, results[k], bytes[k]);
    put(t, "ret;\n}\n");
}

char *module_text(const struct case_list *list, size_t first, size_t count, const bool *skip,
                  unsigned *first_line) {
    struct text t = {.line = 1};
    put(&t, ".version 8.5\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 shared[%d];\n", 16 * BLOCK);
    for (size_t i = 0; i < count; i++) {
        first_line[i] = t.line;
        if (!skip[i])
            put_kernel(&t, &list->cases[first + i], first + i);
    }
    if (!t.failed)
        return t.at;
    free(t.at);
    return NULL;
}
