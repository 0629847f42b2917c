/* Loads a module: places its variables and lowers its functions. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/program.h"
#include "sim/exec/run/managed.h"

static uint64_t align_up(uint64_t value, uint64_t align) {
    return align ? (value + align - 1) / align * align : value;
}

/* The place of a variable's bytes; 0: out of memory. */
static uint64_t take_memory(struct sim_module *m, const struct ptx_variable *v) {
    if (v->managed)
        return sim_managed_add(m->managed, v->name, v->size);
    const uint64_t address = sim_memory_alloc(m->memory, v->size, SIM_MEMORY_MODULE);
    if (address) {
        m->allocations[m->allocation_count++] = address;
        sim_memory_set_name(m->memory, address, v->name);
    }
    return address;
}

static bool place_device_variable(struct sim_module *m, struct ptx_variable *v, struct ptx_error *error) {
    if (v->linkage == PTX_LINK_EXTERN)
        return ptx_error_set(error, m->ptx, v->pos,
                             "variable '%s' is declared but not defined in this module", v->name);
    if (v->managed && m->shares_managed) {
        v->user = sim_managed_at(m->managed, m->managed_count++);
        return true;
    }
    const uint64_t address = take_memory(m, v);
    if (!address)
        return ptx_error_set(error, m->ptx, v->pos, "out of memory for variable '%s' (%zu bytes)", v->name,
                             v->size);
    v->user = address;
    if (v->init)
        memcpy((void *)(uintptr_t)address, v->init, v->size);
    else
        memset((void *)(uintptr_t)address, 0, v->size);
    if (v->space == PTX_SPACE_CONST)
        m->const_bytes = align_up(m->const_bytes, v->align) + v->size;
    return true;
}

static bool place_variables(struct sim_module *m, struct ptx_error *error) {
    size_t total = m->ptx->variable_count;
    for (size_t f = 0; f < m->ptx->function_count; f++)
        total += m->ptx->functions[f]->variable_count;
    m->allocations = malloc((total + 1) * sizeof *m->allocations);
    if (!m->managed)
        m->managed = sim_managed_create(m->memory, total);
    if (!m->allocations || !m->managed)
        return ptx_error_set(error, m->ptx, (struct ptx_pos){1, 1}, "out of memory");
    for (size_t f = 0; f <= m->ptx->function_count; f++) {
        bool own = f < m->ptx->function_count;
        struct ptx_variable **list = own ? m->ptx->functions[f]->variables : m->ptx->variables;
        size_t count = own ? m->ptx->functions[f]->variable_count : m->ptx->variable_count;
        for (size_t i = 0; i < count; i++)
            if ((list[i]->space == PTX_SPACE_GLOBAL || list[i]->space == PTX_SPACE_CONST) &&
                !place_device_variable(m, list[i], error))
                return false;
    }
    return true;
}

static bool is_static_shared(const struct ptx_variable *v) {
    return v->space == PTX_SPACE_SHARED && !v->unsized;
}

/* Until a variable is placed, `user` is the only function that names it (its number + 1), or one of these. */
enum { NOBODY = 0, SEVERAL = UINT32_MAX };

static void note_user(const struct ptx_operand *operand, uint64_t user) {
    for (size_t i = 0; i < operand->item_count; i++)
        note_user(&operand->items[i], user);
    struct ptx_variable *v = operand->variable;
    if (v && is_static_shared(v) && !v->owner)
        v->user = v->user == NOBODY || v->user == user ? user : SEVERAL;
}

/* In relocatable code a kernel's own shared variables are at module scope.  Those that only one kernel names
 * become its own again, because those of all kernels together may not fit in a block. */
static void find_owners(struct sim_module *m) {
    const struct ptx_module *ptx = m->ptx;
    for (size_t f = 0; f < ptx->function_count; f++) {
        const struct ptx_function *function = ptx->functions[f];
        for (size_t i = 0; i < function->instruction_count; i++)
            for (size_t o = 0; o < function->instructions[i].operand_count; o++)
                note_user(&function->instructions[i].operands[o], function->entry ? f + 1 : SEVERAL);
    }
    for (size_t i = 0; i < ptx->variable_count; i++)
        for (size_t k = 0; k < ptx->variables[i]->relocation_count; k++) {
            struct ptx_variable *v = ptx->variables[i]->relocations[k].variable;
            if (v && is_static_shared(v))
                v->user = SEVERAL;
        }
    for (size_t i = 0; i < ptx->variable_count; i++) {
        struct ptx_variable *v = ptx->variables[i];
        if (!is_static_shared(v))
            continue;
        if (v->user != NOBODY && v->user != SEVERAL)
            v->owner = ptx->functions[v->user - 1];
        v->user = 0;
    }
}

/* Places the list's variables that belong to owner; NULL: to the module. */
static bool place_shared_list(struct sim_module *m, struct ptx_variable *const *list, size_t count,
                              const struct ptx_function *owner, uint64_t *at, struct ptx_error *error) {
    for (size_t i = 0; i < count; i++)
        if (is_static_shared(list[i]) && list[i]->owner == owner) {
            if (list[i]->size > SIM_MAX_SHARED_BYTES)
                return ptx_error_set(error, m->ptx, list[i]->pos,
                                     "'%s' does not fit: shared memory is %u bytes a block", list[i]->name,
                                     SIM_MAX_SHARED_BYTES);
            *at = align_up(*at, list[i]->align);
            list[i]->user = *at;
            *at += list[i]->size;
        }
    return true;
}

static void place_dynamic(struct ptx_variable *const *list, size_t count, uint64_t at) {
    for (size_t i = 0; i < count; i++)
        if (list[i]->space == PTX_SPACE_SHARED && list[i]->unsized)
            list[i]->user = at;
}

static bool place_shared(struct sim_module *m, struct ptx_error *error) {
    const struct ptx_module *ptx = m->ptx;
    find_owners(m);
    if (!place_shared_list(m, ptx->variables, ptx->variable_count, NULL, &m->shared_bytes, error))
        return false;
    for (size_t f = 0; f < ptx->function_count; f++) {
        const struct ptx_function *function = ptx->functions[f];
        if (!function->entry && !place_shared_list(m, function->variables, function->variable_count, function,
                                                   &m->shared_bytes, error))
            return false;
    }
    uint64_t start = align_up(m->shared_bytes, 128);
    m->dynamic_offset = start;
    for (size_t f = 0; f < ptx->function_count; f++)
        if (ptx->functions[f]->entry) {
            const struct ptx_function *function = ptx->functions[f];
            uint64_t at = start;
            if (!place_shared_list(m, function->variables, function->variable_count, function, &at, error) ||
                !place_shared_list(m, ptx->variables, ptx->variable_count, function, &at, error))
                return false;
            m->codes[f].own_shared = at - start;
            m->codes[f].shared_end = at;
            if (at > m->dynamic_offset)
                m->dynamic_offset = at;
        }
    m->dynamic_offset = align_up(m->dynamic_offset, 1024);
    place_dynamic(ptx->variables, ptx->variable_count, m->dynamic_offset);
    for (size_t f = 0; f < ptx->function_count; f++)
        place_dynamic(ptx->functions[f]->variables, ptx->functions[f]->variable_count, m->dynamic_offset);
    return true;
}

static void relocate(const struct ptx_variable *v) {
    for (size_t i = 0; i < v->relocation_count; i++) {
        const struct ptx_relocation *r = &v->relocations[i];
        uint64_t value = (uint64_t)r->addend;
        if (r->function)
            value += SIM_CODE_ADDRESS | r->function->index;
        else
            value += r->variable->user;
        if (r->generic && r->variable && r->variable->space == PTX_SPACE_SHARED)
            value += SIM_WINDOW_SHARED;
        value >>= r->shift;
        /* The parser guarantees that the element is inside its variable and has at most 8 bytes. */
        memcpy((char *)(uintptr_t)v->user + r->offset, &value, r->width);
    }
}

static void relocate_all(const struct sim_module *m) {
    for (size_t f = 0; f <= m->ptx->function_count; f++) {
        bool own = f < m->ptx->function_count;
        struct ptx_variable **list = own ? m->ptx->functions[f]->variables : m->ptx->variables;
        size_t count = own ? m->ptx->functions[f]->variable_count : m->ptx->variable_count;
        for (size_t i = 0; i < count; i++)
            if ((list[i]->space == PTX_SPACE_GLOBAL || list[i]->space == PTX_SPACE_CONST) &&
                !(list[i]->managed && m->shares_managed)) /* the program may have changed it */
                relocate(list[i]);
    }
}

static void note_shared(struct sim_code *code, const struct ptx_operand *operand) {
    for (size_t i = 0; i < operand->item_count; i++)
        note_shared(code, &operand->items[i]);
    const struct ptx_variable *v = operand->variable;
    if (v && v->space == PTX_SPACE_SHARED && !v->unsized && !(v->owner && v->owner->entry) &&
        v->user + v->size > code->shared_reach)
        code->shared_reach = v->user + v->size;
}

/* Adds to *root the requirements of the functions that it may call. */
static void reach(struct sim_module *m, struct sim_code *root, struct sim_code *code) {
    code->reached = true;
    if (code->shared_reach > root->shared_reach)
        root->shared_reach = code->shared_reach;
    root->ordered |= code->ordered;
    root->may_spin |= code->may_spin;
    root->reserved |= code->reserved;
    for (size_t i = 0; i < code->callee_count; i++)
        if (!m->codes[code->callees[i]->index].reached)
            reach(m, root, &m->codes[code->callees[i]->index]);
    if (code->calls_indirect)
        for (size_t f = 0; f < m->ptx->function_count; f++)
            if (m->codes[f].insns && !m->ptx->functions[f]->entry && !m->codes[f].reached)
                reach(m, root, &m->codes[f]);
}

static bool list_reached(const struct sim_module *m, struct sim_code *entry) {
    for (int pass = 0; pass < 2; pass++) {
        size_t count = 0;
        for (size_t f = 0; f < m->ptx->function_count; f++)
            if (m->codes[f].reached) {
                if (pass)
                    entry->reachable[count] = &m->codes[f];
                count++;
            }
        entry->reachable_count = count;
        if (!pass && !(entry->reachable = malloc(count * sizeof(struct sim_code *))))
            return false;
    }
    return true;
}

static bool finish_entries(struct sim_module *m, struct ptx_error *error) {
    for (size_t f = 0; f < m->ptx->function_count; f++) {
        const struct ptx_function *function = m->ptx->functions[f];
        for (size_t i = 0; i < function->instruction_count; i++)
            for (size_t o = 0; o < function->instructions[i].operand_count; o++)
                note_shared(&m->codes[f], &function->instructions[i].operands[o]);
    }
    for (size_t f = 0; f < m->ptx->function_count; f++) {
        const struct ptx_function *function = m->ptx->functions[f];
        if (!function->entry || !function->defined)
            continue;
        struct sim_code *code = &m->codes[f];
        for (size_t g = 0; g < m->ptx->function_count; g++)
            m->codes[g].reached = false;
        reach(m, code, code);
        code->shared_bytes = code->own_shared + align_up(code->shared_reach, code->own_shared ? 16 : 1);
        if (!code->own_shared)
            code->shared_end = code->shared_reach;
        if (code->shared_bytes > SIM_MAX_SHARED_BYTES)
            return ptx_error_set(error, m->ptx, function->pos,
                                 "'%s' has %zu bytes of shared memory: a block has %u", function->name,
                                 code->shared_bytes, SIM_MAX_SHARED_BYTES);
        struct sim_function *entry = &m->functions[m->function_count++];
        entry->code = code;
        entry->params = malloc((function->param_count + 1) * sizeof *entry->params);
        if (!entry->params || !list_reached(m, code))
            return ptx_error_set(error, m->ptx, (struct ptx_pos){1, 1}, "out of memory");
        for (size_t p = 0; p < function->param_count; p++) {
            const struct ptx_variable *v = function->params[p];
            entry->params[p] = (struct sim_param){v->user, v->size};
            entry->param_bytes = v->user + v->size;
        }
    }
    return true;
}

static bool lower_all(struct sim_module *m, struct ptx_error *error) {
    for (size_t f = 0; f < m->ptx->function_count; f++)
        if (m->ptx->functions[f]->defined && !sim_lower(m, m->ptx->functions[f], error))
            return false;
    return true;
}

bool sim_module_load(struct sim_memory *memory, const char *name, const char *text, size_t size,
                     struct sim_module **out, struct ptx_error *error) {
    return sim_module_load_beside(NULL, memory, name, text, size, out, error);
}

bool sim_module_load_beside(const struct sim_module *other, struct sim_memory *memory, const char *name,
                            const char *text, size_t size, struct sim_module **out, struct ptx_error *error) {
    *out = NULL;
    struct ptx_module *ptx;
    if (!ptx_parse(name, text, size, &ptx, error))
        return false;
    struct sim_module *m = calloc(1, sizeof *m);
    bool ok = m != NULL;
    if (ok) {
        m->memory = memory;
        m->shares_managed = other != NULL;
        m->managed = other ? sim_managed_share(other->managed) : NULL;
        m->ptx = ptx;
        m->codes = calloc(ptx->function_count + 1, sizeof *m->codes);
        m->functions = calloc(ptx->function_count + 1, sizeof *m->functions);
        ok = m->codes && m->functions;
    }
    if (!ok) {
        ptx_error_set(error, ptx, (struct ptx_pos){1, 1}, "out of memory");
        if (!m)
            ptx_module_free(ptx);
        else
            sim_module_unload(m);
        return false;
    }
    if (ptx->address_size != 64)
        ok = ptx_error_set(error, ptx, (struct ptx_pos){1, 1}, "only .address_size 64 is supported");
    ok = ok && place_variables(m, error) && place_shared(m, error);
    if (ok)
        relocate_all(m);
    ok = ok && lower_all(m, error) && finish_entries(m, error);
    if (!ok) {
        sim_module_unload(m);
        return false;
    }
    *out = m;
    return true;
}

void sim_module_unload(struct sim_module *m) {
    if (!m)
        return;
    for (size_t i = 0; i < m->allocation_count; i++)
        sim_memory_free(m->memory, m->allocations[i]);
    sim_managed_release(m->managed);
    for (size_t f = 0; m->codes && f < m->ptx->function_count; f++)
        sim_code_release(&m->codes[f]);
    for (size_t f = 0; m->functions && f < m->function_count; f++)
        free(m->functions[f].params);
    free(m->codes);
    free(m->functions);
    free(m->blocks);
    free(m->allocations);
    ptx_module_free(m->ptx);
    free(m);
}

const struct sim_function *sim_module_function(const struct sim_module *m, const char *name) {
    for (size_t i = 0; i < m->function_count; i++)
        if (strcmp(m->functions[i].code->source->name, name) == 0)
            return &m->functions[i];
    return NULL;
}

const struct sim_function *sim_module_function_at(const struct sim_module *m, size_t i) {
    return i < m->function_count ? &m->functions[i] : NULL;
}

bool sim_module_variable(const struct sim_module *m, const char *name, uint64_t *address, size_t *size) {
    const struct ptx_variable *v = ptx_module_variable(m->ptx, name);
    if (!v || (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST))
        return false;
    *address = v->user;
    *size = v->size;
    return true;
}

const char *sim_module_target(const struct sim_module *module) {
    return module->ptx->target;
}

static unsigned smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}

void sim_function_info(const struct sim_function *function, struct sim_function_info *out) {
    const struct sim_code *code = function->code;
    const struct ptx_function *f = code->source;
    unsigned threads = 1024;
    const uint32_t *limits[] = {f->max_threads, f->required_threads};
    for (int i = 0; i < 2; i++)
        if (limits[i][0]) {
            uint64_t product = limits[i][0];
            for (int d = 1; d < 3; d++)
                product *= limits[i][d] ? limits[i][d] : 1;
            threads = smaller(threads, product < 1024 ? (unsigned)product : 1024);
        }
    unsigned target = 0;
    for (const char *c = code->module->ptx->target; *c; c++)
        if (*c >= '0' && *c <= '9')
            target = 10 * target + (unsigned)(*c - '0');
    *out = (struct sim_function_info){
        .name = f->name,
        .params = function->params,
        .param_count = f->param_count,
        .param_bytes = function->param_bytes,
        .shared_bytes = code->shared_bytes,
        .const_bytes = code->module->const_bytes,
        .local_bytes = code->local_bytes,
        .registers = smaller(smaller(code->registers + 8, 255), f->max_registers ? f->max_registers : 255),
        .max_threads = threads,
        .ptx_version = target,
        .cluster = {f->cluster[0], f->cluster[1], f->cluster[2]},
        .max_cluster = f->max_cluster,
        .explicit_cluster = f->explicit_cluster || f->cluster[0],
    };
}

const struct sim_module *sim_function_module(const struct sim_function *function) {
    return function->code->module;
}
