/* The cases for the simulator's table of computing instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/lanes/lanes.h"
#include "tests/exec/conformance/conformance.h"

bool case_list_add(struct case_list *list, const struct conformance_case *one) {
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        struct conformance_case *cases = realloc(list->cases, capacity * sizeof *cases);
        if (!cases)
            return false;
        list->cases = cases;
        list->capacity = capacity;
    }
    list->cases[list->count++] = *one;
    return true;
}

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static bool has_word(const char *mnemonic, const char *word) {
    const size_t size = strlen(word);
    for (const char *at = strchr(mnemonic, '.'); at; at = strchr(at + 1, '.'))
        if (strncmp(at + 1, word, size) == 0 && (at[1 + size] == '.' || !at[1 + size]))
            return true;
    return false;
}

/* "mov.pack.2x16" is the table's name for mov.b32 with a vector. */
static bool add_mov_vector(struct case_list *list, const struct sim_op *op, struct conformance_case *one) {
    const bool four = strstr(op->mnemonic, "4x") != NULL, high = strstr(op->mnemonic, ".hi.") != NULL;
    const bool pack = strstr(op->mnemonic, ".pack.") != NULL;
    const unsigned bytes = ptx_type_bytes(pack ? op->d : op->a);
    snprintf(one->text, sizeof one->text,
             pack   ? "mov.b%u %%vd, {%%va, %%vb%s};"
             : high ? "mov.b%u {_, _, %%vd, %%ve}, %%va;"
                    : "mov.b%u {%%vd, %%ve%s}, %%va;",
             8 * bytes,
             !four  ? ""
             : pack ? ", %vc, %vf"
                    : ", _, _");
    return case_list_add(list, one);
}

static bool add_lop3(struct case_list *list, struct conformance_case *one) {
    one->source[3] = PTX_TYPE_NONE; /* the table of bits must be an immediate */
    for (unsigned bits = 0; bits < 256; bits++) {
        snprintf(one->name, sizeof one->name, "lop3.b32/0x%02x", bits);
        snprintf(one->text, sizeof one->text, "lop3.b32 %%vd, %%va, %%vb, %%vc, 0x%02x;", bits);
        if (!case_list_add(list, one))
            return false;
    }
    return true;
}

/* An instruction that sets the flag precedes one that reads it, and one that reads it follows one that sets
 * it: in variants for sums and differences, for which the flag has opposite meanings. */
static bool add_carry(struct case_list *list, const struct sim_op *op, struct conformance_case *one) {
    const bool reads = op->mnemonic[3] == 'c', writes = has_word(op->mnemonic, "cc");
    static const struct {
        const char *name, *before, *after;
    } ways[] = {
        {"", "add.cc.u32 %t0, %vf, 0xffffffff;", "addc.u32 %ve, 0, 0;"},
        {"/borrow", "sub.cc.u32 %t0, 0, %vf;", "subc.u32 %ve, 0, 0;"},
    };
    const unsigned third = op->c != PTX_TYPE_NONE;
    if (reads)
        one->source[3] = PTX_TYPE_U32;
    if (writes)
        one->result[1] = PTX_TYPE_U32;
    for (unsigned in = 0; in < (reads ? 2 : 1); in++)
        for (unsigned out = 0; out < (writes ? 2 : 1); out++) {
            snprintf(one->name, sizeof one->name, "%s%s%s%s", op->mnemonic, reads ? ways[in].name : "",
                     writes ? "/to" : "",
                     writes && out ? "-subc"
                     : writes      ? "-addc"
                                   : "");
            snprintf(one->text, sizeof one->text, "%s %s %%vd, %%va, %%vb%s; %s",
                     reads ? ways[in].before : "", op->mnemonic, third ? ", %vc" : "",
                     writes ? ways[out].after : "");
            if (!case_list_add(list, one))
                return false;
        }
    return true;
}

static bool is_integer(enum ptx_type type) {
    return strchr("us", ptx_type_name(type)[0]) != NULL;
}

/* cvt's registers may be wider than its types: the result is extended, the source truncated. */
static bool add_wide(struct case_list *list, const struct conformance_case *one) {
    static const unsigned widths[] = {4, 8};
    for (unsigned i = 0; i < 2; i++) {
        struct conformance_case wide = *one;
        if (is_integer(one->result[0]) && ptx_type_bytes(one->result[0]) < widths[i]) {
            snprintf(wide.name, sizeof wide.name, "%.64s/d%u", one->name, 8 * widths[i]);
            wide.wide_result = (uint8_t)widths[i];
            if (!case_list_add(list, &wide))
                return false;
        }
        wide = *one;
        if (is_integer(one->source[0]) && ptx_type_bytes(one->source[0]) < widths[i]) {
            snprintf(wide.name, sizeof wide.name, "%.64s/a%u", one->name, 8 * widths[i]);
            wide.wide_source = (uint8_t)widths[i];
            if (!case_list_add(list, &wide))
                return false;
        }
    }
    return true;
}

static enum values values_of(const struct sim_op *op) {
    return starts(op->mnemonic, "shfl")    ? VALUES_SHUFFLE
           : starts(op->mnemonic, "vote")  ? VALUES_VOTE
           : starts(op->mnemonic, "match") ? VALUES_MATCH
           : starts(op->mnemonic, "redux") ? VALUES_REDUCE
           : starts(op->mnemonic, "elect") ? VALUES_REDUCE
                                           : VALUES_PLAIN;
}

static bool add_op(struct case_list *list, const struct sim_op *op, enum values values) {
    struct conformance_case one = {.result = {op->d, op->e},
                                   .source = {op->a, op->b, op->c, op->f},
                                   .values = values,
                                   .approximate =
                                       has_word(op->mnemonic, "approx") || has_word(op->mnemonic, "full")};
    snprintf(one.name, sizeof one.name, "%s%s", op->mnemonic, values == VALUES_TILES ? "/tiles" : "");
    /* Conversions of bf16 accept only registers of their types' width, others also wider ones; nvcc's
     * registers have at least 16 bits. */
    const bool widens = starts(op->mnemonic, "cvt.") && !starts(op->mnemonic, "cvt.pack") &&
                        op->d != PTX_TYPE_BF16 && op->a != PTX_TYPE_BF16;
    if (widens) {
        one.wide_result = ptx_type_bytes(op->d) == 1 ? 2 : 0;
        one.wide_source = ptx_type_bytes(op->a) == 1 ? 2 : 0;
    }
    if (starts(op->mnemonic, "setp") && (op->a == PTX_TYPE_F16 || op->a == PTX_TYPE_BF16))
        one.result[1] = PTX_TYPE_NONE; /* has no "|q" */
    if (starts(op->mnemonic, "mov.pack") || starts(op->mnemonic, "mov.unpack"))
        return add_mov_vector(list, op, &one);
    if (starts(op->mnemonic, "lop3"))
        return add_lop3(list, &one);
    if (op->flags & SIM_OP_CARRY)
        return add_carry(list, op, &one);
    static const char *const names[SOURCES] = {"%va", "%vb", "%vc", "%vf"};
    size_t size = (size_t)snprintf(one.text, sizeof one.text, "%s %%vd%s", op->mnemonic,
                                   one.result[1] != PTX_TYPE_NONE ? "|%ve" : "");
    for (unsigned i = 0; i < SOURCES; i++)
        if (one.source[i] != PTX_TYPE_NONE)
            size += (size_t)snprintf(one.text + size, sizeof one.text - size, ", %s", names[i]);
    snprintf(one.text + size, sizeof one.text - size, ";");
    if (!case_list_add(list, &one))
        return false;
    return !widens || add_wide(list, &one);
}

bool cases_of_table(struct case_list *list) {
    bool ok = true;
    for (unsigned i = 0; ok && i < sim_op_count(); i++) {
        struct sim_op op;
        ok = sim_op_find(sim_op_name(i), &op, NULL) && add_op(list, &op, values_of(&op));
    }
    return ok;
}

bool cases_of_groups(struct case_list *list) {
    bool ok = true;
    for (unsigned i = 0; ok && i < sim_op_count(); i++) {
        struct sim_op op;
        ok = sim_op_find(sim_op_name(i), &op, NULL);
        if (ok && op.flags & SIM_OP_SYNC && values_of(&op) != VALUES_SHUFFLE)
            ok = add_op(list, &op, VALUES_TILES);
    }
    return ok;
}
