#include "sim/ptx/scope.h"

#include "sim/ptx/parser.h"

#include <string.h>

#define RANGE_DIGITS 10 /* in the largest register number, below 2^32 */

bool ptx__open_scope(struct ptx_parser *p, struct ptx_pos pos) {
    if (p->depth == PTX_MAX_DEPTH)
        return ptx_error_set(p->error, p->module, pos, "blocks are nested deeper than %d", PTX_MAX_DEPTH - 1);
    p->scopes[++p->depth] = (struct ptx_scope){.opened = pos};
    return true;
}

static bool before(struct ptx_pos a, struct ptx_pos b) {
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static void resolve(struct ptx_wanted *wanted, struct ptx_label *label) {
    for (struct ptx_reference *reference = wanted->first; reference != NULL; reference = reference->next) {
        *reference->slot = label;
        if (reference->operand != NULL) {
            reference->operand->kind = PTX_OPERAND_LABEL;
            reference->operand->variable = NULL;
            reference->operand->function = NULL;
        }
    }
}

/* The label may still be defined later, in the enclosing scope. */
static void hand_outwards(struct ptx_parser *p, struct ptx_wanted *wanted) {
    struct ptx_wanted *outer = wanted->outer;
    if (outer != NULL && outer->depth == wanted->depth - 1) {
        *outer->last = wanted->first;
        outer->last = wanted->last;
        wanted->name->wanted = outer;
        return;
    }
    wanted->depth--;
    wanted->next_in_scope = p->scopes[wanted->depth].wanted;
    p->scopes[wanted->depth].wanted = wanted;
}

/* The first reference of the list that must be a label but is not. */
static const struct ptx_reference *first_lost(const struct ptx_wanted *wanted) {
    for (const struct ptx_reference *reference = wanted->first; reference != NULL;
         reference = reference->next)
        if (!reference->found)
            return reference;
    return NULL;
}

static bool resolve_labels(struct ptx_parser *p, struct ptx_scope *scope) {
    const struct ptx_reference *lost = NULL;
    const char *lost_name = NULL;
    struct ptx_wanted *next;
    for (struct ptx_wanted *wanted = scope->wanted; wanted != NULL; wanted = next) {
        struct ptx_binding *binding = wanted->name->binding;
        next = wanted->next_in_scope;
        if (binding != NULL && binding->depth == p->depth && binding->kind == PTX_BIND_LABEL) {
            resolve(wanted, binding->label);
            wanted->name->wanted = wanted->outer;
        } else if (p->depth > 1) {
            hand_outwards(p, wanted);
        } else {
            const struct ptx_reference *reference = first_lost(wanted);
            wanted->name->wanted = wanted->outer;
            if (reference != NULL && (lost == NULL || before(reference->pos, lost->pos))) {
                lost = reference;
                lost_name = wanted->name->text;
            }
        }
    }
    if (lost != NULL)
        return ptx_error_set(p->error, p->module, lost->pos,
                             "'%s' is neither declared nor a label of this function", lost_name);
    return true;
}

bool ptx__close_scope(struct ptx_parser *p) {
    struct ptx_scope *scope = &p->scopes[p->depth];
    if (!resolve_labels(p, scope))
        return false;
    for (struct ptx_binding *binding = scope->bindings; binding != NULL; binding = binding->next_in_scope)
        binding->name->binding = binding->outer;
    for (struct ptx_range *range = scope->ranges; range != NULL; range = range->next_in_scope)
        range->prefix->range = range->outer;
    p->depth--;
    while (p->range_depth > 0 && (p->range_depth > p->depth || p->scopes[p->range_depth].ranges == NULL))
        p->range_depth--;
    return true;
}

/* The innermost range that contains the name.  A name may split into prefix and number in several ways: %r12
 * is in %r<13> and in %r1<3>. */
static struct ptx_range *find_range(const struct ptx_parser *p, const struct ptx_name *name) {
    struct ptx_range *best = NULL;
    uint64_t number = 0, unit = 1;
    for (size_t digits = 1; digits <= RANGE_DIGITS && digits < name->length; digits++, unit *= 10) {
        size_t prefix_length = name->length - digits;
        char digit = name->text[prefix_length];
        if (digit < '0' || digit > '9')
            break;
        number += (uint64_t)(digit - '0') * unit;
        if (digit == '0' && digits > 1)
            continue;
        const struct ptx_name *prefix = ptx__names_find(&p->names, name->text, prefix_length);
        struct ptx_range *range = prefix != NULL ? prefix->range : NULL;
        while (range != NULL && number >= range->count)
            range = range->outer;
        if (range != NULL && (best == NULL || range->depth > best->depth))
            best = range;
    }
    return best;
}

static bool already(struct ptx_parser *p, const char *text, struct ptx_pos pos, struct ptx_pos first) {
    return ptx_error_set(p->error, p->module, pos, "'%.100s' is already defined at line %u", text,
                         first.line);
}

/* Adds to the name's stack, keeping it ordered by depth: a range's register may be created in a deeper block
 * than its range's. */
static struct ptx_binding *add_binding(struct ptx_parser *p, struct ptx_name *name,
                                       enum ptx_binding_kind kind, unsigned depth, struct ptx_pos pos) {
    struct ptx_binding *binding = ptx__arena_alloc(p->scratch, 1, sizeof *binding);
    if (binding == NULL) {
        ptx__out_of_memory(p);
        return NULL;
    }
    struct ptx_binding **place = &name->binding;
    while (*place != NULL && (*place)->depth > depth)
        place = &(*place)->outer;
    binding->name = name;
    binding->kind = kind;
    binding->depth = depth;
    binding->pos = pos;
    binding->outer = *place;
    *place = binding;
    binding->next_in_scope = p->scopes[depth].bindings;
    p->scopes[depth].bindings = binding;
    return binding;
}

struct ptx_binding *ptx__bind(struct ptx_parser *p, struct ptx_name *name, enum ptx_binding_kind kind,
                              struct ptx_pos pos) {
    if (name->binding != NULL && name->binding->depth == p->depth) {
        already(p, name->text, pos, name->binding->pos);
        return NULL;
    }
    if (p->scopes[p->depth].ranges != NULL) {
        const struct ptx_range *range = find_range(p, name);
        if (range != NULL && range->depth == p->depth) {
            already(p, name->text, pos, range->pos);
            return NULL;
        }
    }
    return add_binding(p, name, kind, p->depth, pos);
}

struct ptx_binding *ptx__bind_in_module(struct ptx_parser *p, struct ptx_name *name,
                                        enum ptx_binding_kind kind, struct ptx_pos pos) {
    return add_binding(p, name, kind, 0, pos);
}

bool ptx__bind_range(struct ptx_parser *p, struct ptx_name *prefix, uint64_t count, enum ptx_type type,
                     struct ptx_pos pos) {
    if (prefix->range != NULL && prefix->range->depth == p->depth)
        return already(p, prefix->text, pos, prefix->range->pos);
    struct ptx_range *range = ptx__arena_alloc(p->scratch, 1, sizeof *range);
    if (range == NULL)
        return ptx__out_of_memory(p);
    range->prefix = prefix;
    range->count = count;
    range->type = type;
    range->depth = p->depth;
    range->pos = pos;
    range->outer = prefix->range;
    prefix->range = range;
    range->next_in_scope = p->scopes[p->depth].ranges;
    p->scopes[p->depth].ranges = range;
    p->range_depth = p->depth;
    return true;
}

bool ptx__lookup(struct ptx_parser *p, struct ptx_name *name, struct ptx_binding **out) {
    struct ptx_binding *binding = name->binding;
    *out = binding;
    /* A binding at least as deep as the innermost range hides all ranges. */
    if (p->range_depth == 0 || (binding != NULL && binding->depth >= p->range_depth))
        return true;
    struct ptx_range *range = find_range(p, name);
    if (range == NULL || (binding != NULL && binding->depth >= range->depth))
        return true;
    struct ptx_register *reg = ptx__new_register(p, name->text, range->type);
    if (reg == NULL)
        return false;
    *out = add_binding(p, name, PTX_BIND_REGISTER, range->depth, range->pos);
    if (*out == NULL)
        return false;
    (*out)->reg = reg;
    return true;
}

bool ptx__want_label(struct ptx_parser *p, struct ptx_name *name, struct ptx_label **slot,
                     struct ptx_operand *operand, bool found, struct ptx_pos pos) {
    struct ptx_reference *reference = ptx__arena_alloc(p->scratch, 1, sizeof *reference);
    if (reference == NULL)
        return ptx__out_of_memory(p);
    reference->slot = slot;
    reference->operand = operand;
    reference->found = found;
    reference->pos = pos;
    struct ptx_wanted *wanted = name->wanted;
    if (wanted == NULL || wanted->depth != p->depth) {
        wanted = ptx__arena_alloc(p->scratch, 1, sizeof *wanted);
        if (wanted == NULL)
            return ptx__out_of_memory(p);
        wanted->name = name;
        wanted->depth = p->depth;
        wanted->last = &wanted->first;
        wanted->outer = name->wanted;
        name->wanted = wanted;
        wanted->next_in_scope = p->scopes[p->depth].wanted;
        p->scopes[p->depth].wanted = wanted;
    }
    *wanted->last = reference;
    wanted->last = &reference->next;
    return true;
}

struct ptx_register *ptx__new_register(struct ptx_parser *p, const char *name, enum ptx_type type) {
    struct ptx_register *reg = ptx__arena_alloc(p->arena, 1, sizeof *reg);
    if (reg == NULL) {
        ptx__out_of_memory(p);
        return NULL;
    }
    reg->name = name;
    reg->type = type;
    reg->index = (uint32_t)p->registers.count;
    return ptx__append(p, &p->registers, reg) ? reg : NULL;
}
