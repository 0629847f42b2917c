/* Code whose lanes ptxas may have meet elsewhere than sim/exec/lower/meet.c says.  Each rule marks some of
 * the random kernels of tests/counters/flow.py whose counts differ on an H200, and few others. */
#include "sim/exec/lower/doubt.h"

#include <stdlib.h>
#include <string.h>

#include "sim/exec/sim.h"

/* Larger parts of a function are not examined: the search takes quadratic time. */
#define MAX_PART  1024
#define MAX_TRIES 64 /* branches to try as the one whose lanes come together at a block */
#define MAX_STEPS (1u << 22)

struct part {
    size_t *blocks, count; /* the first block is the branch */
    bool *in;              /* by block */
    unsigned steps;        /* blocks added so far, in all parts */
};

struct search {
    const struct flow *flow;
    struct flow_before before;
    struct flow_loops loops;
    struct part part;
    struct doubts *out;
    size_t region_capacity, used, capacity; /* of the regions, and of their storage */
};

static bool in_part(const struct part *part, size_t block) {
    return part->in[block];
}

static void clear(struct part *part) {
    for (size_t i = 0; i < part->count; i++)
        part->in[part->blocks[i]] = false;
    part->count = 0;
}

static bool add(struct part *part, size_t block) {
    if (part->in[block])
        return true;
    if (part->count == MAX_PART || part->steps == MAX_STEPS)
        return false;
    part->steps++;
    part->in[block] = true;
    part->blocks[part->count++] = block;
    return true;
}

/* Adds the blocks that the part leads to before the block `end`.  False if they are too many. */
static bool add_until(const struct flow *flow, struct part *part, size_t from, size_t end) {
    for (size_t i = from; i < part->count; i++) {
        const struct flow_block *block = &flow->blocks[part->blocks[i]];
        for (size_t e = 0; e < block->successor_count; e++)
            if (block->successors[e] != end && !add(part, block->successors[e]))
                return false;
    }
    return true;
}

static bool reserve(struct search *s, size_t numbers) {
    if (s->out->region_count == s->region_capacity) {
        size_t capacity = 2 * s->region_capacity + 16;
        struct doubt_region *grown = realloc(s->out->regions, capacity * sizeof *grown);
        if (!grown)
            return false;
        s->out->regions = grown;
        s->region_capacity = capacity;
    }
    if (s->capacity - s->used < numbers) {
        size_t capacity = 2 * s->capacity + numbers;
        uint32_t *grown = realloc(s->out->storage, capacity * sizeof *grown);
        if (!grown)
            return false;
        s->out->storage = grown;
        s->capacity = capacity;
    }
    return true;
}

/* The part is in doubt once lanes have diverged at a branch of it; before: at one of these blocks. */
static bool add_region(struct search *s, const bool *before) {
    const struct part *part = &s->part;
    if (!reserve(s, 2 * part->count))
        return false;
    struct doubt_region *region = &s->out->regions[s->out->region_count++];
    *region = (struct doubt_region){.block_count = part->count};
    for (size_t i = 0; i < part->count; i++)
        s->out->storage[s->used++] = (uint32_t)part->blocks[i];
    for (size_t i = 0; i < part->count; i++)
        if (s->flow->blocks[part->blocks[i]].successor_count > 1 && (!before || before[part->blocks[i]])) {
            s->out->storage[s->used++] = (uint32_t)part->blocks[i];
            region->branch_count++;
        }
    return true;
}

/* ---------------------------------------------------------------- paths that come together without
 * waiting */

/* The loops are sorted by their ends. */
static bool is_back_edge(const struct search *s, size_t from, size_t to) {
    size_t low = 0, high = s->loops.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->loops.items[middle].end < from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < s->loops.count && s->loops.items[low].end == from; low++)
        if (s->loops.items[low].head == to)
            return true;
    return false;
}

/* Whether several paths come to the block but no branch's lanes wait for each other there: cases of a switch
 * that share code, or conditions whose lanes ptxas may have meet here or later. */
static bool is_passed_by(const struct search *s, size_t block) {
    const struct flow_block *b = &s->flow->blocks[block];
    if (b->is_join || b->copy_of || flow_only_ends(s->flow, block))
        return false;
    size_t ways = 0;
    for (size_t p = s->before.first[block]; p < s->before.first[block + 1]; p++)
        ways += s->before.reached[s->before.blocks[p]] && !is_back_edge(s, s->before.blocks[p], block);
    return ways > 1;
}

/* Whether all paths to the block are the branch's: leaves them, up to where its lanes meet, in the part. */
static bool leads_all_ways(struct search *s, size_t branch, size_t block) {
    const struct flow *flow = s->flow;
    clear(&s->part);
    if (flow->blocks[branch].ipdom == block || !add(&s->part, branch) ||
        !add_until(flow, &s->part, 0, flow->blocks[branch].ipdom) || !in_part(&s->part, block))
        return false;
    for (size_t p = s->before.first[block]; p < s->before.first[block + 1]; p++)
        if (s->before.reached[s->before.blocks[p]] && !in_part(&s->part, s->before.blocks[p]))
            return false;
    return true;
}

/* Walks back from the block to the nearest branch from which all paths to it come. */
static bool find_passed_by(struct search *s, size_t block, size_t *queue, bool *seen) {
    size_t count = 0, tries = 0;
    bool found = false;
    seen[queue[count++] = block] = true;
    for (size_t i = 0; i < count && !found && tries < MAX_TRIES; i++) {
        size_t b = queue[i];
        if (b != block && s->flow->blocks[b].successor_count > 1) {
            tries++;
            found = leads_all_ways(s, b, block);
        }
        for (size_t p = s->before.first[b]; p < s->before.first[b + 1] && !found; p++) {
            size_t t = s->before.blocks[p];
            if (s->before.reached[t] && !seen[t] && count < MAX_PART)
                seen[queue[count++] = t] = true;
        }
    }
    seen[block] = false; /* lanes that diverge there have come together before */
    bool ok = !found || add_region(s, seen);
    for (size_t i = 0; i < count; i++)
        seen[queue[i]] = false;
    return ok;
}

/* ---------------------------------------------------------------- loops with several ways out */

static bool is_exit(const struct search *s, const struct flow_loop *loop, size_t block) {
    const struct flow_block *b = &s->flow->blocks[block];
    for (size_t e = 0; e < b->successor_count; e++)
        if (!flow_in_loop(loop, b->successors[e]))
            return true;
    return false;
}

static bool is_innermost(const struct search *s, const struct flow_loop *loop) {
    for (size_t i = 0; i < s->loops.count; i++)
        if (s->loops.items[i].head != loop->head && flow_in_loop(loop, s->loops.items[i].head))
            return false;
    return true;
}

/* The first block from this one on that is not just a jump. */
static size_t past_jumps(const struct flow *flow, size_t block) {
    for (size_t jumps = 0; jumps < flow->block_count; jumps++) {
        const struct flow_block *b = &flow->blocks[block];
        if (b->successor_count != 1 || b->end != b->first + 1 || flow->nodes[b->first].kind != FLOW_BRANCH)
            break;
        block = b->successors[0];
    }
    return block;
}

/* Whether lanes may leave the loop from each of its blocks, to several places, and not in the first round. */
static bool has_several_ends(const struct search *s, const struct flow_loop *loop) {
    size_t first = FLOW_NO_BLOCK, lasting = 0;
    bool several = false;
    for (size_t i = 0; i < loop->count; i++) {
        const struct flow_block *b = &s->flow->blocks[loop->blocks[i]];
        if (!is_exit(s, loop, loop->blocks[i]))
            return false;
        lasting += !flow_leaves_at_once(s->flow, &s->before, &s->loops, loop->blocks[i]);
        for (size_t e = 0; e < b->successor_count; e++) {
            if (flow_in_loop(loop, b->successors[e]))
                continue;
            size_t t = past_jumps(s->flow, b->successors[e]);
            if (flow_only_ends(s->flow, t))
                continue;
            several |= first != FLOW_NO_BLOCK && t != first;
            first = t;
        }
    }
    return several && lasting > 1;
}

/* Whether lanes that stay in the loop meet in two places, because of a conditional break or continue. */
static bool has_nearer_place(const struct search *s, const struct flow_loop *loop) {
    size_t exits = 0;
    bool nearer = false;
    for (size_t i = 0; i < loop->count; i++) {
        const struct flow_block *b = &s->flow->blocks[loop->blocks[i]];
        if (b->copy_of)
            return false;
        if (is_exit(s, loop, loop->blocks[i]))
            exits++;
        else
            nearer |= b->successor_count > 1 && b->nearer != FLOW_NO_BLOCK;
    }
    return nearer && exits == 1;
}

/* Adds the loop, and the blocks that its exits lead to until their lanes meet. */
static bool add_loop(struct search *s, const struct flow_loop *loop) {
    struct part *part = &s->part;
    clear(part);
    for (size_t i = 0; i < loop->count; i++)
        if (!add(part, loop->blocks[i]))
            return true;
    for (size_t i = 0; i < loop->count; i++)
        if (is_exit(s, loop, loop->blocks[i]) &&
            !add_until(s->flow, part, i, s->flow->blocks[loop->blocks[i]].ipdom))
            return true;
    return add_region(s, NULL);
}

/* ---------------------------------------------------------------- loads that may leave their loops */

/* Marks loads of memory that no kernel writes, with a loop-invariant address and not executed in every round:
 * ptxas moves some of them out of the loop. */
static void mark_steady_loads(const struct search *s, const struct ptx_function *function,
                              const struct flow_loop *loop) {
    size_t conditions = 0;
    for (size_t i = 0; i < loop->count; i++) {
        const struct flow_block *b = &s->flow->blocks[loop->blocks[i]];
        if (b->copy_of)
            return;
        conditions += b->successor_count > 1 && !is_exit(s, loop, loop->blocks[i]);
    }
    if (conditions != 1 || !is_innermost(s, loop))
        return;
    for (size_t i = 0; i < loop->count; i++) {
        const struct flow_block *b = &s->flow->blocks[loop->blocks[i]];
        if (flow_in_each_round(s->flow, loop, loop->blocks[i]))
            continue;
        for (size_t n = b->first; n < b->end; n++) {
            const struct ptx_instruction *in = s->flow->nodes[n].in;
            if (ptx_is(in, "ld") && ptx_has_word(in, "nc") && in->operand_count > 1 && in->operands[1].reg &&
                flow_is_steady(s->flow, loop, in->operands[1].reg))
                s->out->of[in - function->instructions] |= SIM_DOUBT_LANES;
        }
    }
}

/* ---------------------------------------------------------------- the whole */

static bool search_all(struct search *s, const struct ptx_function *function) {
    size_t n = s->flow->block_count;
    size_t *queue = malloc((MAX_PART + 1) * sizeof *queue);
    bool *seen = calloc(n, sizeof *seen);
    bool ok = queue && seen;
    for (size_t b = 1; ok && b < n; b++)
        if (s->before.reached[b] && is_passed_by(s, b))
            ok = find_passed_by(s, b, queue, seen);
    for (size_t i = 0; ok && i < s->loops.count; i++) {
        const struct flow_loop *loop = &s->loops.items[i];
        if (has_several_ends(s, loop) || (has_nearer_place(s, loop) && is_innermost(s, loop)))
            ok = add_loop(s, loop);
        mark_steady_loads(s, function, loop);
    }
    /* If the search was cut short, everything is in doubt. */
    for (size_t i = 0; s->part.steps == MAX_STEPS && i < function->instruction_count; i++)
        s->out->of[i] |= SIM_DOUBT_LANES;
    free(queue), free(seen);
    return ok;
}

/* Regions can point into their storage only after it has stopped growing. */
static void place_regions(struct doubts *out) {
    uint32_t *at = out->storage;
    for (size_t i = 0; i < out->region_count; i++) {
        struct doubt_region *region = &out->regions[i];
        region->blocks = at;
        region->branches = at += region->block_count;
        at += region->branch_count;
    }
}

bool doubts_find(const struct ptx_function *function, const struct flow *flow, struct doubts *out) {
    *out = (struct doubts){.of = calloc(function->instruction_count + 1, sizeof *out->of)};
    struct search s = {.flow = flow, .out = out};
    s.part.blocks = malloc(MAX_PART * sizeof *s.part.blocks);
    s.part.in = calloc(flow->block_count, sizeof *s.part.in);
    bool ok = out->of && s.part.blocks && s.part.in && flow_find_before(flow, &s.before) &&
              flow_find_loops(flow, &s.before, &s.loops) && search_all(&s, function) &&
              doubts_of_values(function, flow, &s.loops, out) && handed_find(function, flow, &out->handed);
    place_regions(out);
    free(s.part.blocks), free(s.part.in);
    flow_before_free(&s.before), flow_loops_free(&s.loops);
    if (!ok)
        doubts_free(out);
    return ok;
}

void doubts_free(struct doubts *doubts) {
    free(doubts->of), free(doubts->regions), free(doubts->storage), free(doubts->handed.of);
    *doubts = (struct doubts){0};
}
