/* Findings: one per source line and kind, with the first thread in which it was seen. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/check/state.h"

enum { SEEN = 4096 }; /* slots of the hash table of known findings */

static const struct {
    const char *name;
    enum sim_check_set check;
} kinds[] = {
#define SIM_FINDING_ROW(id, check, name) {name, SIM_CHECK_##check},
    SIM_FINDING_MAP(SIM_FINDING_ROW)
#undef SIM_FINDING_ROW
};

const char *sim_finding_name(enum sim_finding_kind kind) {
    return kinds[kind].name;
}

enum sim_check_set sim_finding_check(enum sim_finding_kind kind) {
    return kinds[kind].check;
}

const char *sim_check_name(enum sim_check_set one) {
    switch (one) {
    case SIM_CHECK_MEMORY:
        return "memory";
    case SIM_CHECK_RACE:
        return "race";
    case SIM_CHECK_INIT:
        return "init";
    case SIM_CHECK_SYNC:
        return "sync";
    case SIM_CHECK_LEAK:
        return "leak";
    default:
        return NULL;
    }
}

bool sim_check_parse(const char *text, unsigned *checks, char *bad, size_t size) {
    *checks = 0;
    for (;;) {
        text += strspn(text, ", \t");
        if (!*text)
            return true;
        size_t length = strcspn(text, ", \t");
        unsigned found = 0;
        for (unsigned one = 1; one < SIM_CHECK_ALL; one <<= 1)
            if (strlen(sim_check_name(one)) == length && strncmp(text, sim_check_name(one), length) == 0)
                found = one;
        if (!found) {
            snprintf(bad, size, "%.*s", (int)length, text);
            return false;
        }
        *checks |= found;
        text += length;
    }
}

/* Appends to a text that ends at `at`; returns its new end. */
static size_t add(char *text, size_t size, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static size_t add(char *text, size_t size, size_t at, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text + at, size - at, format, list);
    va_end(list);
    at += (size_t)length;
    return at < size ? at : size - 1;
}

static size_t add_side(char *text, size_t size, size_t at, const struct sim_finding_side *side,
                       const char *kernel) {
    bool device = strcmp(side->function, kernel) != 0;
    return add(text, size, at, "%s%s%s%s:%u, block (%u,%u,%u), thread (%u,%u,%u)", device ? "in " : "",
               device ? side->function : "", device ? ", " : "", side->file ? side->file : "PTX line",
               side->line, side->block[0], side->block[1], side->block[2], side->thread[0], side->thread[1],
               side->thread[2]);
}

void sim_finding_describe(const struct sim_finding *f, char *text, size_t size) {
    size_t at = add(text, size, 0, "%s: ", sim_finding_name(f->kind));
    if (f->kernel) {
        at = add(text, size, at, "kernel %s, ", f->kernel);
        at = add_side(text, size, at, &f->at, f->kernel);
        at = add(text, size, at, ": ");
    }
    at = add(text, size, at, "%s", f->text);
    if (f->other.function) {
        at = add(text, size, at, "; and ");
        add_side(text, size, at, &f->other, f->kernel);
    }
}

const struct sim_code *check_code(const struct sim_warp *w) {
    return w->strand ? w->strand->frame->code : w->worker->code;
}

/* Names the source line if the module has one, otherwise the line of the PTX text. */
void check_name_side(struct sim_finding_side *side, const struct sim_code *code, uint32_t insn) {
    const struct ptx_function *f = code->source;
    side->function = f->name;
    if (!f->instruction_count)
        return; /* a limit stopped an empty kernel before its end */
    const struct ptx_instruction *ptx = &f->instructions[insn];
    side->ptx_line = side->line = ptx->pos.line;
    if (ptx->source.file) {
        side->file = code->module->ptx->files[ptx->source.file - 1];
        side->line = ptx->source.line;
    }
}

static void name_thread(uint32_t out[3], const struct sim_launch *launch, uint32_t index) {
    out[0] = index % launch->block[0];
    out[1] = index / launch->block[0] % launch->block[1];
    out[2] = index / launch->block[0] / launch->block[1];
}

static bool same_place(const struct sim_finding_side *a, const struct sim_finding_side *b) {
    if (!a->function || !b->function)
        return a->function == b->function;
    if (!a->file || !b->file)
        return a->file == b->file && a->function == b->function && a->line == b->line;
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

static void name_side(struct sim_finding_side *out, const struct sim_launch *launch,
                      const struct check_side *side) {
    check_name_side(out, side->code, side->insn);
    sim_launch_place(launch, side->block, out->block);
    name_thread(out->thread, launch, side->thread);
}

/* A race of two lines is one finding in either order; for other kinds, kind and order matter. */
static bool same_finding(const struct sim_finding *a, const struct sim_finding *b) {
    if (sim_finding_check(a->kind) == SIM_CHECK_RACE && sim_finding_check(b->kind) == SIM_CHECK_RACE)
        return (same_place(&a->at, &b->at) && same_place(&a->other, &b->other)) ||
               (same_place(&a->at, &b->other) && same_place(&a->other, &b->at));
    return a->kind == b->kind && same_place(&a->at, &b->at) && same_place(&a->other, &b->other);
}

static size_t hash(const struct check_seen *key) {
    uint64_t h = key->kind;
    h = h * 0x9e3779b97f4a7c15u + key->insn;
    h = h * 0x9e3779b97f4a7c15u + key->other_insn;
    h = h * 0x9e3779b97f4a7c15u + (uintptr_t)key->code / 64;
    h = h * 0x9e3779b97f4a7c15u + (uintptr_t)key->other_code / 64;
    return (size_t)(h >> 40) % SEEN;
}

/* The slot of that key, or an empty one; NULL if the table is nearly full. */
static struct check_seen *find_seen(struct check_launch *launch, const struct check_seen *key) {
    if (!launch->seen && !(launch->seen = calloc(SEEN, sizeof *launch->seen)))
        return NULL;
    size_t at = hash(key);
    for (unsigned tries = 0; tries < 64; tries++, at = (at + 1) % SEEN) {
        struct check_seen *slot = &launch->seen[at];
        if (!slot->code || (slot->kind == key->kind && slot->insn == key->insn && slot->code == key->code &&
                            slot->other_insn == key->other_insn && slot->other_code == key->other_code))
            return slot;
    }
    return NULL;
}

struct sim_finding *check_report_sides(struct check_launch *launch, enum sim_finding_kind kind,
                                       uint64_t address, const struct check_side *at_side,
                                       const struct check_side *other_side) {
    struct check_seen key = {.kind = kind,
                             .code = at_side->code,
                             .insn = at_side->insn,
                             .other_code = other_side ? other_side->code : NULL,
                             .other_insn = other_side ? other_side->insn : 0,
                             .finding = UINT32_MAX};
    struct check_seen *slot = find_seen(launch, &key);
    if (slot && slot->code) {
        if (slot->finding != UINT32_MAX)
            launch->findings[slot->finding].count++;
        return NULL;
    }
    if (!launch->findings && !(launch->findings = calloc(CHECK_MAX_FINDINGS, sizeof *launch->findings)))
        return NULL;
    struct sim_finding finding = {
        .kind = kind, .kernel = launch->launch->function->code->source->name, .address = address, .count = 1};
    name_side(&finding.at, launch->launch, at_side);
    if (other_side)
        name_side(&finding.other, launch->launch, other_side);
    uint32_t at = 0;
    while (at < launch->finding_count && !same_finding(&launch->findings[at], &finding))
        at++;
    bool known = at < launch->finding_count, full = at == CHECK_MAX_FINDINGS;
    if (slot) {
        *slot = key;
        slot->finding = full ? UINT32_MAX : at;
    }
    if (known)
        launch->findings[at].count++;
    if (known || full)
        return NULL;
    launch->findings[launch->finding_count++] = finding;
    return &launch->findings[at];
}

struct sim_finding *check_report_pair(struct sim_warp *w, const struct sim_code *code, uint32_t insn,
                                      unsigned lane, enum sim_finding_kind kind, uint64_t address,
                                      const struct sim_code *other_code, uint32_t other_insn,
                                      uint32_t other_block, uint32_t other_thread) {
    const struct check_side at = {code, insn, w->check->linear, SIM_LANES * w->index + lane};
    const struct check_side other = {other_code, other_insn, other_block, other_thread};
    return check_report_sides(w->check->launch, kind, address, &at, other_code ? &other : NULL);
}

struct sim_finding *check_report(struct sim_warp *w, const struct sim_code *code, const struct sim_insn *in,
                                 unsigned lane, enum sim_finding_kind kind, uint64_t address) {
    return check_report_pair(w, code, in->index, lane, kind, address, NULL, 0, 0, 0);
}
