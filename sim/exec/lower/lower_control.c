/* Control flow: branches, calls, exits, barriers, and instructions without an effect here. */
#include <string.h>

#include "sim/exec/lower/lower.h"

/* Block numbers are stored as pointers until lower.c knows where the blocks are. */
static const struct sim_insn *block_number(size_t block) {
    return (const struct sim_insn *)(uintptr_t)(block + 1);
}

static const struct sim_insn *place_number(size_t block) {
    return block == FLOW_NO_BLOCK ? NULL : block_number(block);
}

/* The entry to an unrolled loop: its test held. */
bool lower_loop_entry(struct lower *l) {
    int32_t condition;
    if (!lower_register(l, l->node->condition, &condition))
        return false;
    struct sim_insn *in = lower_emit(l, sim_run_enter_loop);
    if (!in)
        return false;
    in->d = condition;
    in->small = !l->node->condition_negated;
    return true;
}

/* Whether a number of further rounds is certain. */
static bool lower_rounds(struct lower *l, int32_t *condition) {
    const struct flow_counter *counter = l->node->counter;
    struct sim_rounds *rounds = lower_alloc(l, sizeof *rounds);
    int32_t reg, bound;
    if (!rounds || !lower_register(l, counter->reg, &reg) ||
        !lower_source(l, counter->bound, counter->type, &bound) || !lower_temp(l, SIM_PRED, condition))
        return false;
    *rounds = (struct sim_rounds){.test = counter->test,
                                  .wide = ptx_type_bytes(counter->type) == 8,
                                  .sign = counter->type == PTX_TYPE_S32 || counter->type == PTX_TYPE_S64,
                                  .down = counter->step < 0,
                                  .reach = (counter->step < 0 ? -counter->step : counter->step) *
                                           ((int64_t)l->node->rounds - 1)};
    struct sim_insn *in = lower_emit(l, sim_run_rounds);
    if (!in)
        return false;
    in->a = reg, in->b = bound, in->d = *condition;
    in->extra = rounds;
    return true;
}

bool lower_branch(struct lower *l) {
    const struct flow_node *node = l->node;
    if (!node->synthetic &&
        (node->in->operand_count != 1 || node->in->operands[0].kind != PTX_OPERAND_LABEL ||
         node->in->operands[0].label->is_list))
        return lower_error(l, node->in->pos, "'%s' takes a label", node->in->opcode);
    struct sim_branch *branch = lower_alloc(l, sizeof *branch);
    int32_t condition = 0;
    if (!branch || (node->condition && !lower_register(l, node->condition, &condition)) ||
        (node->counter && !lower_rounds(l, &condition)))
        return false;
    branch->target = block_number(node->target);
    branch->join = place_number(l->flow.blocks[l->block].ipdom);
    branch->nearer = place_number(l->flow.blocks[l->block].nearer);
    branch->block = l->code->block_base + (uint32_t)l->block;
    struct sim_insn *in = lower_emit(l, node->condition || node->counter ? sim_run_branch : sim_run_jump);
    if (!in)
        return false;
    in->extra = branch;
    in->a = condition;
    in->small = node->condition_negated;
    return true;
}

bool lower_switch(struct lower *l) {
    const struct ptx_instruction *ptx = l->node->in;
    if (!l->node->list || !l->node->list->is_list || !l->node->list->branch_target_count)
        return lower_error(l, ptx->pos, "'%s' takes an index and a .branchtargets label", ptx->opcode);
    size_t count = l->node->list->branch_target_count;
    struct sim_switch *table = lower_alloc(l, sizeof *table + count * sizeof table->targets[0]);
    int32_t index;
    if (!table || !lower_source(l, &ptx->operands[0], PTX_TYPE_U32, &index))
        return false;
    table->count = count;
    table->join = place_number(l->flow.blocks[l->block].ipdom);
    table->nearer = place_number(l->flow.blocks[l->block].nearer);
    table->block = l->code->block_base + (uint32_t)l->block;
    for (size_t i = 0; i < count; i++) {
        const struct ptx_label *target = l->node->list->branch_targets[i];
        if (target->is_list)
            return lower_error(l, ptx->pos, "'%s' cannot go to '%s', a list", ptx->opcode, target->name);
        table->targets[i] = block_number(flow_label_block(&l->flow, target));
    }
    struct sim_insn *in = lower_emit(l, sim_run_switch);
    if (!in)
        return false;
    in->extra = table;
    in->a = index;
    return true;
}

static bool lower_call_list(struct lower *l, const struct ptx_operand *list, size_t *count,
                            struct sim_frame_param **out) {
    *count = list ? list->item_count : 0;
    *out = lower_alloc(l, (*count + 1) * sizeof **out);
    if (!*out)
        return false;
    for (size_t i = 0; i < *count; i++) {
        const struct ptx_variable *v = list->items[i].variable;
        if (!v || v->space != PTX_SPACE_PARAM || list->items[i].offset || !lower_in_frame(l, v))
            return lower_error(l, list->items[i].pos,
                               "arguments and results of a call must be .param variables");
        (*out)[i] = (struct sim_frame_param){.offset = (uint32_t)v->user,
                                             .stride = (uint32_t)((v->size + 7) & ~(size_t)7),
                                             .size = (uint32_t)v->size};
    }
    return true;
}

/* Why a function of CUDA's device runtime (libcudadevrt.a), or one that it needs, is undefined; "" for any
 * other.  The runtime's machine code is useless here, and its PTX is for newer devices. */
static const char *why_undefined(const char *name) {
    static const char *const prefixes[] = {"__cuda_syscall_cnp", "__cudaCDP2", "cudaCDP2", "cudaLaunchDevice",
                                           "cudaGetParameterBuffer"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return ": a kernel that launches kernels (dynamic parallelism) is not supported";
    return strcmp(name, "cudaGraphSetConditional") == 0 ? ": conditional nodes of graphs are not supported"
                                                        : "";
}

/* call (results), callee, (arguments), prototype;  each list is optional. */
bool lower_call(struct lower *l) {
    const struct ptx_instruction *ptx = l->node->in;
    const struct ptx_operand *results = NULL, *arguments = NULL, *callee = NULL, *prototype = NULL;
    for (size_t i = 0; i < ptx->operand_count; i++) {
        const struct ptx_operand *operand = &ptx->operands[i];
        if (operand->kind == PTX_OPERAND_LIST && !callee)
            results = operand;
        else if (operand->kind == PTX_OPERAND_LIST)
            arguments = operand;
        else if (!callee)
            callee = operand;
        else
            prototype = operand;
    }
    if (!callee)
        return lower_error(l, ptx->pos, "'%s' names no function", ptx->opcode);
    struct sim_call *call = lower_alloc(l, sizeof *call);
    int32_t target = 0;
    sim_run_fn *run = sim_run_call;
    if (!call || !lower_call_list(l, results, &call->result_count, &call->results) ||
        !lower_call_list(l, arguments, &call->argument_count, &call->arguments))
        return false;
    const struct ptx_function *function = NULL, *shape = NULL;
    if (callee->kind == PTX_OPERAND_FUNCTION) {
        shape = function = callee->function;
        if (!function->defined && !(run = sim_service_find(function)))
            return lower_error(l, callee->pos, "function '%s' is declared but not defined in this module%s",
                               function->name, why_undefined(function->name));
        if (function->entry)
            return lower_error(l, callee->pos, "kernel '%s' cannot be called", function->name);
        if (function->defined) {
            call->callee = &l->module->codes[function->index];
            l->code->callees[l->code->callee_count++] = function;
        }
    } else {
        if (!lower_source(l, callee, PTX_TYPE_U64, &target))
            return false;
        l->code->calls_indirect = true;
        if (prototype && (prototype->kind != PTX_OPERAND_LABEL || !prototype->label->prototype))
            return lower_error(l, prototype->pos, "'%s' takes a .callprototype label here", ptx->opcode);
        if (prototype)
            shape = prototype->label->prototype;
    }
    if (shape && (shape->param_count != call->argument_count || shape->return_count != call->result_count))
        return lower_error(l, ptx->pos, "call of '%s': it has %zu parameters and %zu results",
                           shape->name ? shape->name : "the prototype", shape->param_count,
                           shape->return_count);
    for (size_t i = 0; shape && i < call->argument_count; i++)
        if (shape->params[i]->size != call->arguments[i].size)
            return lower_error(l, ptx->pos, "call: argument %zu has the wrong size", i + 1);
    for (size_t i = 0; shape && i < call->result_count; i++)
        if (shape->returns[i]->size != call->results[i].size)
            return lower_error(l, ptx->pos, "call: result %zu has the wrong size", i + 1);
    struct sim_insn *in = lower_emit(l, run);
    if (!in)
        return false;
    in->extra = call;
    in->a = target;
    return true;
}

/* barrier.cluster.arrive and .wait */
bool lower_cluster_barrier(struct lower *l) {
    const struct ptx_instruction *ptx = l->node->in;
    bool arrive = ptx_has_word(ptx, "arrive"), wait = ptx_has_word(ptx, "wait");
    if (arrive == wait || ptx->operand_count)
        return lower_unknown(l, NULL);
    return lower_emit(l, arrive ? sim_run_cluster_arrive : sim_run_cluster_wait) != NULL;
}

bool lower_warp_barrier(struct lower *l) {
    const struct ptx_instruction *ptx = l->node->in;
    int32_t mask;
    if (ptx->operand_count != 1)
        return lower_error(l, ptx->pos, "'%s' takes a member mask", ptx->opcode);
    if (!lower_source(l, &ptx->operands[0], PTX_TYPE_U32, &mask))
        return false;
    struct sim_insn *in = lower_emit(l, sim_run_warp_barrier);
    if (in)
        in->a = mask;
    return in != NULL;
}

/* bar{.cta}.sync a{, b}; .arrive a, b; .red.popc.u32 d, a{, b}, p; .red.and.pred d, a{, b}, p. */
bool lower_barrier(struct lower *l) {
    const struct ptx_instruction *ptx = l->node->in;
    bool red = ptx->row->result != SIM_RESULT_NONE, arrive = ptx_has_word(ptx, "arrive");
    size_t at = red, count = ptx->operand_count;
    size_t fixed = red ? 3 : 1;
    if (count < fixed || count > fixed + 1 || (arrive && count != 2))
        return lower_error(l, ptx->pos, "wrong number of operands for '%s'", ptx->opcode);
    enum sim_barrier_op op = arrive ? SIM_BARRIER_ARRIVE : SIM_BARRIER_SYNC;
    int32_t d = 0, a, b = -1, c = 0;
    if (red) {
        op = ptx_has_word(ptx, "popc")  ? SIM_BARRIER_POPC
             : ptx_has_word(ptx, "and") ? SIM_BARRIER_AND
                                        : SIM_BARRIER_OR;
        if (!lower_source(l, &ptx->operands[count - 1], PTX_TYPE_PRED, &c) ||
            !lower_destination(l, &ptx->operands[0], op == SIM_BARRIER_POPC ? SIM_32 : SIM_PRED, &d))
            return false;
    }
    if (!lower_source(l, &ptx->operands[at], PTX_TYPE_U32, &a))
        return false;
    if (count == fixed + 1 && !lower_source(l, &ptx->operands[at + 1], PTX_TYPE_U32, &b))
        return false;
    struct sim_insn *in = lower_emit(l, sim_run_barrier);
    if (!in)
        return false;
    in->d = d, in->a = a, in->b = b, in->c = c;
    in->small = (uint8_t)op;
    return true;
}

bool lower_return(struct lower *l) {
    /* A device function's returns meet in its last block, which returns to the caller. */
    if (l->function->entry)
        return lower_exit(l);
    struct sim_branch *branch = lower_alloc(l, sizeof *branch);
    if (!branch)
        return false;
    branch->target = block_number(l->flow.block_count - 1);
    struct sim_insn *jump = lower_emit(l, sim_run_jump);
    if (jump)
        jump->extra = branch;
    return jump != NULL;
}

bool lower_exit(struct lower *l) {
    return lower_emit(l, sim_run_exit) != NULL;
}

bool lower_trap(struct lower *l) {
    return lower_emit(l, sim_run_trap) != NULL;
}

bool lower_breakpoint(struct lower *l) {
    struct sim_insn *stop = lower_emit(l, sim_run_trap);
    if (stop)
        stop->small = 1;
    return stop != NULL;
}

/* Loops that wait for others with plain reads contain fences and rests too. */
bool lower_fence(struct lower *l) {
    l->code->may_spin = true;
    return lower_emit(l, sim_run_fence) != NULL;
}

bool lower_rest(struct lower *l) {
    l->code->may_spin = true;
    return lower_emit(l, sim_run_rest) != NULL;
}

bool lower_nothing(struct lower *l) {
    return lower_emit(l, sim_run_nothing) != NULL;
}
