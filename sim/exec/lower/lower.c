#include "sim/exec/lower/lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
    struct chunk *next;
    _Alignas(16) char bytes[];
};

void *lower_alloc(struct lower *l, size_t bytes) {
    struct chunk *chunk = calloc(1, sizeof *chunk + bytes);
    if (!chunk) {
        lower_out_of_memory(l);
        return NULL;
    }
    chunk->next = l->code->extras;
    l->code->extras = chunk;
    return chunk->bytes;
}

bool lower_error(struct lower *l, struct ptx_pos pos, const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return ptx_error_set(l->error, l->module->ptx, pos, "%s", text);
}

bool lower_out_of_memory(struct lower *l) {
    l->failed_memory = true;
    return ptx_error_set(l->error, l->module->ptx, l->function->pos, "out of memory");
}

static bool unknown(struct lower *l, const struct ptx_instruction *in, const char *why) {
    const struct ptx_module *m = l->module->ptx;
    char source[120] = "";
    if (in->source.file && in->source.line) { /* the parser keeps only files that the text names */
        const char *file = m->files[in->source.file - 1], *slash = strrchr(file, '/');
        snprintf(source, sizeof source, "; %.80s:%u of the source", slash ? slash + 1 : file,
                 (unsigned)in->source.line);
    }
    return lower_error(l, in->pos, "instruction '%.80s' is not supported%s%s%s%s", in->opcode,
                       why ? " (" : "", why ? why : "", why ? ")" : "", source);
}

bool lower_unknown(struct lower *l, const char *why) {
    return unknown(l, l->node->in, why);
}

static bool grow(void **array, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(*array, wanted * size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

static uint32_t node_index(const struct lower *l) {
    return l->node ? (uint32_t)(l->node->in - l->function->instructions) : 0;
}

bool lower_in_frame(const struct lower *l, const struct ptx_variable *v) {
    return v->owner == l->function && !(v->owner->entry && v->is_param);
}

struct sim_insn *lower_emit(struct lower *l, sim_run_fn *body) {
    void *insns = l->insns;
    if (!grow(&insns, &l->insn_capacity, l->insn_count, sizeof *l->insns)) {
        lower_out_of_memory(l);
        return NULL;
    }
    l->insns = insns;
    struct sim_insn *in = &l->insns[l->insn_count++];
    *in = (struct sim_insn){.run = body, .body = body, .index = node_index(l)};
    return in;
}

bool lower_site(struct lower *l, struct sim_memop *op) {
    struct sim_code *code = l->code;
    if (l->next_site != SIZE_MAX) {
        op->site = code->site_base + (uint32_t)l->next_site++;
        return true;
    }
    void *sites = code->sites;
    if (!grow(&sites, &code->site_capacity, code->site_count, sizeof *code->sites))
        return lower_out_of_memory(l);
    code->sites = sites;
    code->sites[code->site_count] = (struct sim_site){.insn = node_index(l),
                                                      .access = op->access,
                                                      .texture = op->texture,
                                                      .bulk = op->bulk,
                                                      .bytes = (uint8_t)(op->width * op->count)};
    op->site = code->site_base + (uint32_t)code->site_count++;
    return true;
}

/* Kernel parameters are in the launch's buffer, each at the next multiple of its alignment.  A device
 * function's parameters, and the variables that calls pass them in, are in the frame, one copy per lane. */
static bool place_params(struct lower *l) {
    const struct ptx_function *f = l->function;
    size_t at = 0;
    uint32_t frame = l->slots.frame_bytes;
    struct ptx_variable **lists[] = {f->params, f->returns, f->variables};
    size_t counts[] = {f->param_count, f->return_count, f->variable_count};
    for (int list = 0; list < 3; list++)
        for (size_t i = 0; i < counts[list]; i++) {
            struct ptx_variable *v = lists[list][i];
            if (v->space == PTX_SPACE_REG)
                return lower_error(l, v->pos, "parameters in registers ('%s') are not supported", v->name);
            if (v->space != PTX_SPACE_PARAM)
                continue;
            if (v->size > 65536)
                return lower_error(l, v->pos, "parameter '%s' is too large", v->name);
            if (f->entry && list == 0) {
                at = (at + v->align - 1) / v->align * v->align;
                v->user = at;
                at += v->size;
            } else {
                if (frame > UINT32_MAX / 4)
                    return lower_out_of_memory(l);
                v->user = frame;
                frame += SIM_LANES * (uint32_t)((v->size + 7) & ~(size_t)7);
            }
        }
    l->slots.frame_bytes = (frame + 63) & ~63u;
    return true;
}

static struct sim_frame_param *frame_params(struct lower *l, struct ptx_variable *const *list, size_t count) {
    struct sim_frame_param *out = lower_alloc(l, (count + 1) * sizeof *out);
    for (size_t i = 0; out && i < count; i++)
        out[i] = (struct sim_frame_param){.offset = (uint32_t)list[i]->user,
                                          .stride = (uint32_t)((list[i]->size + 7) & ~(size_t)7),
                                          .size = (uint32_t)list[i]->size};
    return out;
}

/* .local variables get offsets in the function's local frame.  (module.c places all others.) */
static bool place_locals(struct lower *l) {
    const struct ptx_function *f = l->function;
    uint64_t at = 0;
    for (size_t i = 0; i < f->variable_count; i++) {
        struct ptx_variable *v = f->variables[i];
        if (v->space != PTX_SPACE_LOCAL)
            continue;
        at = (at + v->align - 1) / v->align * v->align;
        if (at > SIM_MAX_LOCAL_BYTES || v->size > SIM_MAX_LOCAL_BYTES - at)
            return lower_error(l, v->pos, "'%s' does not fit: local memory is %u bytes a thread", v->name,
                               SIM_MAX_LOCAL_BYTES);
        v->user = at;
        at += v->size;
    }
    l->code->local_bytes = (at + 15) & ~(uint64_t)15;
    return true;
}

/* Finds each instruction's row, which all passes use. */
static bool find_rows(struct lower *l) {
    for (size_t i = 0; i < l->function->instruction_count; i++) {
        struct ptx_instruction *in = &l->function->instructions[i];
        const char *why;
        in->row = sim_instruction_find(in, &why);
        if (!in->row)
            return unknown(l, in, why);
    }
    return true;
}

/* Whether the lowering of an instruction matches its row: the result, and the accesses to memory. */
static bool keeps_row(struct lower *l, size_t first_site) {
    const struct ptx_instruction *in = l->node->in;
    const bool dropped = in->operand_count && in->operands[0].kind == PTX_OPERAND_SINK;
    unsigned made = 0;
    for (size_t i = first_site; i < l->code->site_count; i++) {
        const enum sim_access access = l->code->sites[i].access;
        made |= access == SIM_ACCESS_LOAD    ? SIM_MEMORY_READS
                : access == SIM_ACCESS_STORE ? SIM_MEMORY_WRITES
                                             : SIM_MEMORY_READS | SIM_MEMORY_WRITES;
    }
    if ((l->wrote == (in->row->result != SIM_RESULT_NONE) || dropped) && !(made & ~in->row->memory))
        return true;
    return lower_error(l, in->pos, "internal: '%s' is not what its row says", in->opcode);
}

static bool lower_node(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    if (l->node->is_passed)
        return true;
    size_t first = l->insn_count, first_site = l->code->site_count;
    memset(l->temp_used, 0, sizeof l->temp_used);
    l->wrote = false;
    if (l->node->is_entered)
        return lower_loop_entry(l);
    if (l->node->kind == FLOW_BRANCH)
        return lower_branch(l) && (l->node->synthetic || keeps_row(l, first_site));
    if (!in->row->lower(l) || !keeps_row(l, first_site))
        return false;
    if (!in->guard || l->node->unguarded || l->node->kind != FLOW_PLAIN)
        return true;
    int32_t guard;
    if (!lower_register(l, in->guard, &guard))
        return false;
    for (size_t i = first; i < l->insn_count; i++) {
        l->insns[i].run = sim_run_guarded;
        l->insns[i].guard = guard;
        l->insns[i].guard_negated = in->guard_negated;
    }
    return true;
}

/* The instructions that a block counts: those of the PTX text.  A mere join, or the last block, has none. */
static uint32_t counted(const struct flow *flow, const struct flow_block *block) {
    uint32_t count = 0;
    for (size_t n = block->first; n < block->end; n++)
        count += !flow->nodes[n].synthetic;
    return count;
}

/* NULL: there are none, or out-of-memory. */
static uint32_t *given_up_blocks(struct lower *l, const struct flow_block *block) {
    uint32_t *blocks = block->given_up_count ? lower_alloc(l, block->given_up_count * sizeof *blocks) : NULL;
    for (size_t i = 0; blocks && i < block->given_up_count; i++)
        blocks[i] = l->code->block_base + (uint32_t)block->given_up[i];
    return blocks;
}

static bool lower_blocks(struct lower *l) {
    for (size_t b = 0; b < l->flow.block_count; b++) {
        const struct flow_block *block = &l->flow.blocks[b];
        l->block = b;
        l->next_site = SIZE_MAX;
        l->first_site[b] = l->code->site_count;
        /* A block before the one that it repeats is only a test, which has no sites. */
        if (block->copy_of && block->copy_of < b)
            l->next_site = l->first_site[block->copy_of];
        l->block_insn[b] = l->insn_count;
        l->node = block->first < block->end ? &l->flow.nodes[block->first] : NULL;
        bool meets = block->is_join || block->given_up_count;
        struct sim_insn *enter = lower_emit(l, meets ? sim_run_enter_join : sim_run_enter);
        uint32_t *given_up = given_up_blocks(l, block);
        if (!enter || (block->given_up_count && !given_up))
            return false;
        enter->imm = l->code->block_base + (int64_t)b;
        l->module->blocks[l->code->block_base + b] = (struct sim_code_block){
            .instructions = counted(&l->flow, block),
            .first = enter->index,
            .copy_of = block->copy_of ? l->code->block_base + (uint32_t)block->copy_of : 0,
            .given_up_count = (uint32_t)block->given_up_count,
            .given_up = given_up};
        for (size_t n = block->first; n < block->end; n++) {
            l->node = &l->flow.nodes[n];
            if (!lower_node(l))
                return false;
        }
    }
    /* The last, empty block returns to the caller; in an entry function it ends the thread. */
    l->node = NULL;
    return lower_emit(l, l->function->entry ? sim_run_exit : sim_run_return) != NULL;
}

static void resolve(const struct lower *l, const struct sim_insn **pointer) {
    if (*pointer)
        *pointer = &l->insns[l->block_insn[(uintptr_t)*pointer - 1]];
}

/* Replaces block numbers with addresses, now that the instructions no longer move. */
static void resolve_branches(struct lower *l) {
    for (size_t i = 0; i < l->insn_count; i++) {
        struct sim_insn *in = &l->insns[i];
        if (in->body == sim_run_jump || in->body == sim_run_branch) {
            struct sim_branch *branch = (struct sim_branch *)(uintptr_t)in->extra;
            resolve(l, &branch->target);
            resolve(l, &branch->join);
            resolve(l, &branch->nearer);
        } else if (in->body == sim_run_switch) {
            struct sim_switch *table = (struct sim_switch *)(uintptr_t)in->extra;
            resolve(l, &table->join);
            resolve(l, &table->nearer);
            for (size_t t = 0; t < table->count; t++)
                resolve(l, &table->targets[t]);
        }
    }
}

static bool reserve_blocks(struct lower *l) {
    struct sim_module *m = l->module;
    size_t wanted = m->block_count + l->flow.block_count;
    if (wanted > m->block_capacity) {
        size_t capacity = wanted + wanted / 2;
        struct sim_code_block *grown = realloc(m->blocks, capacity * sizeof *grown);
        if (!grown)
            return lower_out_of_memory(l);
        m->blocks = grown;
        m->block_capacity = capacity;
    }
    l->code->block_base = (uint32_t)m->block_count;
    l->code->block_count = (uint32_t)l->flow.block_count;
    l->block_insn = malloc(l->flow.block_count * sizeof *l->block_insn);
    l->first_site = malloc(l->flow.block_count * sizeof *l->first_site);
    l->code->callees = malloc((l->function->instruction_count + 1) * sizeof *l->code->callees);
    return (l->block_insn && l->first_site && l->code->callees) || lower_out_of_memory(l);
}

/* Places the three regions of temporaries after the frame's registers and parameters. */
static void place_temps(struct lower *l) {
    l->temp_base[SIM_64] = l->slots.frame_bytes;
    l->temp_base[SIM_32] = l->temp_base[SIM_64] + 16 * 8 * SIM_LANES;
    l->temp_base[SIM_PRED] = l->temp_base[SIM_32] + 16 * 4 * SIM_LANES;
}

static bool lower_function(struct lower *l) {
    if (!find_rows(l))
        return false;
    if (!flow_build(l->function, &l->flow) || !slots_assign(l->function, &l->flow, &l->slots))
        return lower_out_of_memory(l);
    l->code->site_base = l->module->site_count;
    if (!place_params(l) || !place_locals(l) || !reserve_blocks(l))
        return false;
    l->merged = merge_find(l->function, &l->flow);
    if (!l->merged || !doubts_find(l->function, &l->flow, &l->code->doubts))
        return lower_out_of_memory(l);
    for (size_t i = 0; i < l->function->instruction_count; i++)
        if (l->merged[i].in_doubt)
            l->code->doubts.of[i] |= SIM_DOUBT_WIDTH;
    place_temps(l);
    if (!lower_blocks(l) || !lower_pool(l))
        return false;
    resolve_branches(l);
    struct sim_code *code = l->code;
    code->params = frame_params(l, l->function->params, l->function->param_count);
    code->returns = frame_params(l, l->function->returns, l->function->return_count);
    if (!code->params || !code->returns)
        return false;
    bool temps = l->temp_peak[SIM_64] || l->temp_peak[SIM_32] || l->temp_peak[SIM_PRED];
    code->frame_bytes = temps ? l->temp_base[SIM_PRED] + 64 : l->slots.frame_bytes;
    code->registers = l->slots.peak_words;
    code->zero = l->slots.zero;
    code->zero_count = l->slots.zero_count;
    l->slots.zero = NULL;
    code->insns = l->insns;
    code->insn_count = l->insn_count;
    l->insns = NULL;
    l->module->block_count += code->block_count;
    l->module->site_count += (uint32_t)code->site_count;
    return true;
}

bool sim_lower(struct sim_module *module, const struct ptx_function *function, struct ptx_error *error) {
    struct lower l = {.module = module,
                      .function = function,
                      .code = &module->codes[function->index],
                      .error = error,
                      .next_site = SIZE_MAX};
    l.code->source = function;
    l.code->module = module;
    bool ok = lower_function(&l);
    free(l.insns);
    free(l.block_insn), free(l.first_site);
    free(l.constants);
    flow_free(&l.flow);
    slots_free(&l.slots);
    facts_free(&l.facts);
    free(l.merged);
    return ok;
}

void sim_code_release(struct sim_code *code) {
    for (struct chunk *chunk = code->extras, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(code->insns);
    free(code->pool);
    free(code->zero);
    free(code->sites);
    doubts_free(&code->doubts);
    free(code->callees);
    free(code->reachable);
}
