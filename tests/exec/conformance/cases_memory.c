/* Memory instructions, with separate bytes for each thread: how loads extend and stores truncate, what
 * atomics compute, how an asynchronous copy fills with zeros. */
#include <stdio.h>
#include <string.h>

#include "tests/exec/conformance/conformance.h"

static const char *const spaces[] = {"global", "shared", "local"};

/* How a case's text moves the slot's 8 bytes to the tested space, and back; %s is shared memory. */
static const char *const bring[] = {
    "", "ld.global.b64 %t8, [%at]; st.shared.b64 [%s], %t8;",
    (".local .align 16 .b8 own[16]; .reg .b64 %own; mov.u64 %own, own; ld.global.b64 %t8, [%at]; "
     "st.local.b64 [%own], %t8;")};
static const char *const place[] = {"%at", "%s", "%own"};
static const char *const take[] = {"", "ld.shared.b64 %t8, [%s]; st.global.b64 [%at], %t8;",
                                   "ld.local.b64 %t8, [%own]; st.global.b64 [%at], %t8;"};

/* ld of a type into registers of equal and larger width; st from such registers. */
static bool add_extensions(struct case_list *list) {
    static const enum ptx_type types[] = {
        PTX_TYPE_B8,  PTX_TYPE_U8,  PTX_TYPE_S8,  PTX_TYPE_B16, PTX_TYPE_U16, PTX_TYPE_S16, PTX_TYPE_B32,
        PTX_TYPE_U32, PTX_TYPE_S32, PTX_TYPE_F32, PTX_TYPE_B64, PTX_TYPE_U64, PTX_TYPE_S64, PTX_TYPE_F64};
    static const enum ptx_type registers[] = {PTX_TYPE_B16, PTX_TYPE_B32, PTX_TYPE_B64};
    for (unsigned space = 0; space < 3; space++)
        for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
            for (unsigned j = 0; j < 3; j++) {
                const bool real = ptx_type_name(types[i])[0] == 'f';
                if (ptx_type_bytes(types[i]) > ptx_type_bytes(registers[j]) ||
                    (real && types[i] != PTX_TYPE_NONE &&
                     ptx_type_bytes(types[i]) != ptx_type_bytes(registers[j])))
                    continue;
                struct conformance_case one = {
                    .result = {registers[j]}, .source = {PTX_TYPE_B64}, .slot = true};
                one.result[1] = PTX_TYPE_B64;
                snprintf(one.name, sizeof one.name, "ld.%s.%s/d%u", spaces[space], ptx_type_name(types[i]),
                         8 * ptx_type_bytes(registers[j]));
                snprintf(one.text, sizeof one.text, "%s ld.%s.%s %%vd, [%s]; %s", bring[space], spaces[space],
                         ptx_type_name(types[i]), place[space], take[space]);
                if (!case_list_add(list, &one))
                    return false;
                one.result[0] = PTX_TYPE_NONE;
                one.source[1] = registers[j];
                snprintf(one.name, sizeof one.name, "st.%s.%s/b%u", spaces[space], ptx_type_name(types[i]),
                         8 * ptx_type_bytes(registers[j]));
                snprintf(one.text, sizeof one.text, "%s st.%s.%s [%s], %%vb; %s", bring[space], spaces[space],
                         ptx_type_name(types[i]), place[space], take[space]);
                if (!case_list_add(list, &one))
                    return false;
            }
    return true;
}

/* Vectors of narrow elements, packed again. */
static bool add_vectors(struct case_list *list) {
    static const struct {
        const char *name, *text;
    } rows[] = {
        {"ld.global.v2.s8", "ld.global.v2.s8 {%t0, %t1}, [%at]; mov.b64 %vd, {%t0, %t1};"},
        {"ld.global.v4.u8", "ld.global.v4.u8 {%t0, %t1, %t2, %t3}, [%at]; mad.lo.u32 %t0, %t1, 256, %t0; "
                            "mad.lo.u32 %t2, %t3, 256, %t2; mov.b64 %vd, {%t0, %t2};"},
        {"ld.global.v4.s16", "ld.global.v4.s16 {%t0, %t1, %t2, %t3}, [%at]; mad.lo.u32 %t0, %t1, 3, %t0; "
                             "mad.lo.u32 %t2, %t3, 5, %t2; mov.b64 %vd, {%t0, %t2};"},
        {"ld.global.v2.u32", "ld.global.v2.u32 {%t0, %t1}, [%at]; mov.b64 %vd, {%t1, %t0};"},
        {"ld.global.nc.v4.u16",
         "ld.global.nc.v4.u16 {%h0, %h1, %h2, %h3}, [%in]; mov.b64 %vd, {%h3, %h2, %h1, %h0};"},
        {"st.global.v4.u8",
         "mov.b64 {%t0, %t1}, %vb; st.global.v4.u8 [%at], {%t0, %t1, %t0, %t1}; mov.b64 %vd, 0;"},
        {"st.global.v4.b16",
         "mov.b64 {%h0, %h1, %h2, %h3}, %vb; st.global.v4.b16 [%at], {%h3, %h2, %h1, %h0}; "
         "mov.b64 %vd, 0;"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct conformance_case one = {
            .result = {PTX_TYPE_B64, PTX_TYPE_B64}, .source = {PTX_TYPE_B64, PTX_TYPE_B64}, .slot = true};
        snprintf(one.name, sizeof one.name, "%s", rows[i].name);
        snprintf(one.text, sizeof one.text, "%s", rows[i].text);
        if (!case_list_add(list, &one))
            return false;
    }
    return true;
}

static const struct {
    const char *name;
    enum ptx_type types[14];
} atomics[] = {
    {"add",
     {PTX_TYPE_U32, PTX_TYPE_S32, PTX_TYPE_U64, PTX_TYPE_F32, PTX_TYPE_F64, PTX_TYPE_F16, PTX_TYPE_F16X2,
      PTX_TYPE_BF16, PTX_TYPE_BF16X2}},
    {"min", {PTX_TYPE_U32, PTX_TYPE_S32, PTX_TYPE_U64, PTX_TYPE_S64}},
    {"max", {PTX_TYPE_U32, PTX_TYPE_S32, PTX_TYPE_U64, PTX_TYPE_S64}},
    {"and", {PTX_TYPE_B32, PTX_TYPE_B64}},
    {"or", {PTX_TYPE_B32, PTX_TYPE_B64}},
    {"xor", {PTX_TYPE_B32, PTX_TYPE_B64}},
    {"exch", {PTX_TYPE_B32, PTX_TYPE_B64}},
    {"cas", {PTX_TYPE_B16, PTX_TYPE_B32, PTX_TYPE_B64}},
    {"inc", {PTX_TYPE_U32}},
    {"dec", {PTX_TYPE_U32}},
};

static bool is_half(enum ptx_type type) {
    return type == PTX_TYPE_F16 || type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16 || type == PTX_TYPE_BF16X2;
}

static bool add_atomic(struct case_list *list, const char *name, enum ptx_type type, unsigned space,
                       bool returns) {
    const bool half = is_half(type), compare = strcmp(name, "cas") == 0;
    struct conformance_case one = {.result = {returns ? type : PTX_TYPE_NONE, PTX_TYPE_B64},
                                   .source = {type, type, compare ? type : PTX_TYPE_NONE},
                                   .slot = true};
    snprintf(one.name, sizeof one.name, "%s.%s.%s%s.%s", returns ? "atom" : "red", spaces[space], name,
             half ? ".noftz" : "", ptx_type_name(type));
    /* For a pair from a 64-bit register, ptxas (13.0) takes the upper half from the wrong register when it
     * turns the sum in shared memory into a loop.  So the pair is loaded separately. */
    char load[48] = "";
    if (half && space == 1 && ptx_type_bytes(type) == 4)
        snprintf(load, sizeof load, "ld.global.b32 %%vb, [%%in+%u];", TUPLES * 8);
    snprintf(one.text, sizeof one.text, "%s %s %s %s[%s], %%vb%s; %s", load, bring[space], one.name,
             returns ? "%vd, " : "", place[space], compare ? ", %vc" : "", take[space]);
    return case_list_add(list, &one);
}

/* Atomics on vectors: 16-bit halves have only these forms of min and max. */
static bool add_vector_atomics(struct case_list *list) {
    static const struct {
        const char *type, *count, *registers[2];
        enum ptx_type element;
    } rows[] = {
        {"f32", "v2", {"{%t0, %t1}", "{%vb, %vc}"}, PTX_TYPE_F32},
        {"noftz.f16", "v2", {"{%h0, %h1}", "{%h2, %h3}"}, PTX_TYPE_F16X2},
        {"noftz.bf16", "v2", {"{%h0, %h1}", "{%h2, %h3}"}, PTX_TYPE_BF16X2},
        {"noftz.f16x2", "v2", {"{%t0, %t1}", "{%vb, %vc}"}, PTX_TYPE_F16X2},
        {"noftz.bf16x2", "v2", {"{%t0, %t1}", "{%vb, %vc}"}, PTX_TYPE_BF16X2},
    };
    static const char *const names[] = {"add", "min", "max"};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned j = 0; j < (rows[i].element == PTX_TYPE_F32 ? 1 : 3); j++)
            for (unsigned returns = 0; returns < 2; returns++) {
                const enum ptx_type type = rows[i].element;
                const bool halves = rows[i].registers[0][2] == 'h';
                struct conformance_case one = {
                    .result = {returns ? PTX_TYPE_B64 : PTX_TYPE_NONE, PTX_TYPE_B64},
                    .source = {type, type, type},
                    .slot = true};
                snprintf(one.name, sizeof one.name, "%s.global.%s.%s.%s", returns ? "atom" : "red",
                         rows[i].count, names[j], rows[i].type);
                snprintf(one.text, sizeof one.text, "%s %s %s%s[%%at], %s; %s",
                         halves ? "mov.b32 {%h2, %h3}, %vb;" : "", one.name,
                         returns ? rows[i].registers[0] : "", returns ? ", " : "", rows[i].registers[1],
                         !returns ? ""
                         : halves ? "mov.b32 %t0, {%h0, %h1}; mov.b64 %vd, {%t0, 0};"
                                  : "mov.b64 %vd, {%t0, %t1};");
                if (!case_list_add(list, &one))
                    return false;
            }
    return true;
}

static bool add_atomics(struct case_list *list) {
    for (unsigned i = 0; i < sizeof atomics / sizeof *atomics; i++)
        for (const enum ptx_type *type = atomics[i].types; *type != PTX_TYPE_NONE; type++)
            for (unsigned space = 0; space < 2; space++)
                for (unsigned returns = 0; returns < 2; returns++) {
                    if (!returns &&
                        (strcmp(atomics[i].name, "cas") == 0 || strcmp(atomics[i].name, "exch") == 0))
                        continue;
                    if (!add_atomic(list, atomics[i].name, *type, space, returns))
                        return false;
                }
    return true;
}

/* cp.async: complete, and with fewer bytes read than written. */
static bool add_copies(struct case_list *list) {
    for (unsigned bytes = 4; bytes <= 16; bytes *= 2)
        for (unsigned partial = 0; partial < 2; partial++) {
            struct conformance_case one = {.result = {PTX_TYPE_B64, PTX_TYPE_B64},
                                           .source = {PTX_TYPE_B64, partial ? PTX_TYPE_U32 : PTX_TYPE_NONE},
                                           .values = VALUES_SIZE};
            snprintf(one.name, sizeof one.name, "cp.async.%s.shared.global/%u%s", bytes == 16 ? "cg" : "ca",
                     bytes, partial ? "/partial" : "");
            snprintf(one.text, sizeof one.text,
                     "and.b64 %%in, %%in, -16; st.shared.v2.b64 [%%s], {-1, -1}; %s "
                     "cp.async.%s.shared.global [%%s], [%%in], %u%s; cp.async.wait_all; "
                     "ld.shared.v2.b64 {%%vd, %%ve}, [%%s];",
                     partial ? bytes == 4   ? "min.u32 %vb, %vb, 4;"
                               : bytes == 8 ? "min.u32 %vb, %vb, 8;"
                                            : "min.u32 %vb, %vb, 16;"
                             : "",
                     bytes == 16 ? "cg" : "ca", bytes, partial ? ", %vb" : "");
            if (!case_list_add(list, &one))
                return false;
        }
    return true;
}

bool cases_of_memory(struct case_list *list) {
    return add_extensions(list) && add_vectors(list) && add_atomics(list) && add_vector_atomics(list) &&
           add_copies(list);
}
