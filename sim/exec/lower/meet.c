/* Where ptxas has some lanes meet before the immediate post-dominator: at the else of (a && b), and at the
 * end of a loop that others leave by a break.  docs/notes/reconvergence.md explains how this was found. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/lower/loops.h"

/* Blocks that a branch's lanes may be in before they reach its post-dominator. */
struct region {
    size_t *blocks, count; /* the branch's is the first */
    size_t *place;         /* by block: its place in blocks, or FLOW_NO_BLOCK */
    size_t *stack;
};

/* At this block, lanes give up the branch's nearer place. */
struct pair {
    size_t block, branch;
};

struct search {
    struct flow *flow;
    struct flow_before before;
    struct flow_loops loops;
    bool *at_once; /* by block: flow_leaves_at_once() */
    struct region region;
    struct pair *pairs;
    size_t pair_count, pair_capacity;
};

/* Larger regions get no nearer place: the search takes quadratic time. */
#define MAX_REGION 1024

static void clear(struct region *r) {
    for (size_t i = 0; i < r->count; i++)
        r->place[r->blocks[i]] = FLOW_NO_BLOCK;
    r->count = 0;
}

static void add(struct region *r, size_t block) {
    r->place[block] = r->count;
    r->blocks[r->count++] = block;
}

static void drop(struct region *r, size_t block) {
    size_t at = r->place[block], last = r->blocks[--r->count];
    r->blocks[at] = last;
    r->place[last] = at;
    r->place[block] = FLOW_NO_BLOCK;
}

/* Finds the blocks that the branch dominates before its post-dominator.  False if they are too many. */
static bool find_dominated(struct search *s, size_t branch) {
    const struct flow *flow = s->flow;
    struct region *r = &s->region;
    size_t end = flow->blocks[branch].ipdom;
    clear(r);
    add(r, branch);
    for (size_t i = 0; i < r->count; i++) {
        const struct flow_block *block = &flow->blocks[r->blocks[i]];
        for (size_t e = 0; e < block->successor_count; e++) {
            size_t t = block->successors[e];
            if (t == end || r->place[t] != FLOW_NO_BLOCK)
                continue;
            if (r->count == MAX_REGION)
                return false;
            add(r, t);
        }
    }
    /* Blocks that can be reached from elsewhere do not belong to the branch. */
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = r->count; i-- > 1;) {
            size_t b = r->blocks[i];
            for (size_t p = s->before.first[b]; p < s->before.first[b + 1]; p++)
                if (s->before.reached[s->before.blocks[p]] &&
                    r->place[s->before.blocks[p]] == FLOW_NO_BLOCK) {
                    drop(r, b);
                    changed = true;
                    break;
                }
        }
    }
    return true;
}

/* Blocks that stand for the ends of a part; flow_leave_out_ends() tells the last two from each other. */
enum part_end { END_RETURN, END_OUT, END_FARTHER, PART_ENDS };

/* Finds the post-dominator within the region, ignoring paths that end alone: those all lead to the farther
 * place, or all out of the region.  *out: in the region, or FLOW_NO_BLOCK.  False on out-of-memory. */
static bool find_place(const struct search *s, size_t *out) {
    const struct flow *flow = s->flow;
    const struct region *r = &s->region;
    size_t farther = flow->blocks[r->blocks[0]].ipdom, edges = 0;
    for (size_t i = 0; i < r->count; i++)
        edges += flow->blocks[r->blocks[i]].successor_count;
    struct flow part = {
        .blocks = calloc(r->count + PART_ENDS, sizeof *part.blocks),
        .block_count = r->count + PART_ENDS,
        .storage = malloc((edges + 1) * sizeof *part.storage),
        .is_part = true,
    };
    size_t *ipdom = malloc((r->count + PART_ENDS + 1) * sizeof *ipdom);
    bool *left_out = calloc(edges + 1, sizeof *left_out);
    bool ok = part.blocks && part.storage && ipdom && left_out;
    *out = FLOW_NO_BLOCK;
    if (ok) {
        size_t *edge = part.storage;
        for (size_t i = 0; i < r->count; i++) {
            const struct flow_block *from = &flow->blocks[r->blocks[i]];
            struct flow_block *to = &part.blocks[i];
            bool to_caller = flow->returns && r->blocks[i] == flow->block_count - 1; /* not an end */
            *to = (struct flow_block){.first = from->first,
                                      .end = from->end + (to_caller ? 2 : 0),
                                      .successors = edge,
                                      .successor_count = from->successor_count};
            for (size_t e = 0; e < from->successor_count; e++) {
                size_t t = from->successors[e];
                bool within = t != r->blocks[0] && t != farther && r->place[t] != FLOW_NO_BLOCK;
                enum part_end end = t == farther              ? END_FARTHER
                                    : flow_only_ends(flow, t) ? END_RETURN
                                                              : END_OUT;
                *edge++ = within ? r->place[t] : r->count + end;
            }
        }
        for (size_t end = 0; end < PART_ENDS; end++)
            part.blocks[r->count + end].successors = edge;
        ok = flow_leave_out_ends(&part, left_out);
        for (size_t i = 0; i < r->count; i++)
            if (s->at_once[r->blocks[i]])
                memset(left_out + (part.blocks[i].successors - part.storage), false,
                       part.blocks[i].successor_count * sizeof *left_out);
        ok = ok && flow_post_dominate(&part, left_out, ipdom);
    }
    if (ok) {
        size_t ways = 0;
        for (size_t e = 0; e < part.blocks[0].successor_count; e++)
            ways += !left_out[e];
        if (ways > 1 && ipdom[0] < r->count)
            *out = r->blocks[ipdom[0]];
    }
    free(part.blocks), free(part.storage), free(ipdom), free(left_out);
    return ok;
}

/* Whether the branch's lanes may have a nearer place.  If only some lanes return, early returns alone decide
 * (postdom.c). */
static bool may_meet(const struct search *s, size_t branch) {
    size_t ipdom = s->flow->blocks[branch].ipdom;
    return s->before.reached[branch] && ipdom != FLOW_NO_BLOCK && !flow_only_ends(s->flow, ipdom);
}

static bool add_pair(struct search *s, size_t block, size_t branch) {
    if (s->pair_count == s->pair_capacity) {
        size_t capacity = 2 * s->pair_capacity + 16;
        struct pair *grown = realloc(s->pairs, capacity * sizeof *grown);
        if (!grown)
            return false;
        s->pairs = grown;
        s->pair_capacity = capacity;
    }
    s->pairs[s->pair_count++] = (struct pair){block, branch};
    return true;
}

/* Marks the region's blocks from which the place can be reached. */
static void keep_reaching(struct search *s, size_t place, bool *reaching) {
    struct region *r = &s->region;
    size_t depth = 0;
    memset(reaching, 0, r->count * sizeof *reaching);
    r->stack[depth++] = place;
    while (depth) {
        size_t b = r->stack[--depth];
        if (b == r->blocks[0])
            continue; /* paths back to the branch leave the region */
        for (size_t p = s->before.first[b]; p < s->before.first[b + 1]; p++) {
            size_t at = r->place[s->before.blocks[p]];
            if (at != FLOW_NO_BLOCK && s->before.blocks[p] != place && !reaching[at]) {
                reaching[at] = true;
                r->stack[depth++] = s->before.blocks[p];
            }
        }
    }
}

/* Lanes give up the branch's place in blocks that no longer lead to it, nor to the block `again`. */
static bool give_up(struct search *s, size_t branch, size_t place, const bool *reaching, size_t again) {
    const struct region *r = &s->region;
    for (size_t i = 0; i < r->count; i++) {
        const struct flow_block *block = &s->flow->blocks[r->blocks[i]];
        for (size_t e = 0; reaching[i] && e < block->successor_count; e++) {
            size_t t = block->successors[e], at = r->place[t];
            bool leads = t == place || (t != again && at != FLOW_NO_BLOCK && reaching[at]);
            if (!leads && !add_pair(s, t, branch))
                return false;
        }
    }
    s->flow->blocks[branch].nearer = place;
    s->flow->blocks[place].is_join = true;
    return true;
}

/* Searches the blocks that the branch dominates.  Back at the branch, lanes diverge anew. */
static bool find_in_dominated(struct search *s, size_t branch, bool *reaching) {
    size_t place;
    if (!find_dominated(s, branch))
        return true;
    if (!find_place(s, &place))
        return false;
    if (place == FLOW_NO_BLOCK)
        return true;
    keep_reaching(s, place, reaching);
    return give_up(s, branch, place, reaching, branch);
}

/* Lanes that leave a loop at its end meet there, even if others leave it by a break. */
static bool find_behind_loop(struct search *s, const struct flow_loop *loop, bool *reaching) {
    const struct flow_block *block = &s->flow->blocks[loop->end];
    struct region *r = &s->region;
    if (block->successor_count != 2 || block->nearer != FLOW_NO_BLOCK || !may_meet(s, loop->end))
        return true;
    size_t behind = block->successors[block->successors[0] == loop->head];
    if (behind == block->ipdom || flow_in_loop(loop, behind))
        return true;
    clear(r);
    for (size_t i = 0; i < loop->count; i++) {
        if (s->at_once[loop->blocks[i]])
            return true;
        add(r, loop->blocks[i]);
    }
    memset(reaching, true, r->count * sizeof *reaching);
    return give_up(s, loop->end, behind, reaching, FLOW_NO_BLOCK);
}

static int by_block(const void *a, const void *b) {
    const struct pair *p = a, *q = b;
    if (p->block != q->block)
        return p->block < q->block ? -1 : 1;
    return (p->branch > q->branch) - (p->branch < q->branch);
}

static bool list_pairs(struct search *s) {
    if (!s->pair_count)
        return true;
    qsort(s->pairs, s->pair_count, sizeof *s->pairs, by_block);
    size_t *list = s->flow->given_up = malloc(s->pair_count * sizeof *list);
    for (size_t i = 0; list && i < s->pair_count; i++) {
        const struct pair *p = &s->pairs[i];
        struct flow_block *block = &s->flow->blocks[p->block];
        if (i && p[-1].block == p->block && p[-1].branch == p->branch)
            continue;
        if (!block->given_up_count)
            block->given_up = list;
        *list++ = p->branch;
        block->given_up_count++;
    }
    return list != NULL;
}

static bool prepare(struct search *s) {
    size_t n = s->flow->block_count;
    s->at_once = calloc(n, sizeof *s->at_once);
    s->region.blocks = malloc(MAX_REGION * sizeof *s->region.blocks);
    s->region.place = malloc(n * sizeof *s->region.place);
    s->region.stack = malloc(MAX_REGION * sizeof *s->region.stack);
    if (!s->at_once || !s->region.blocks || !s->region.place || !s->region.stack ||
        !flow_find_before(s->flow, &s->before) || !flow_find_loops(s->flow, &s->before, &s->loops))
        return false;
    for (size_t b = 0; b < n; b++) {
        s->region.place[b] = FLOW_NO_BLOCK;
        s->at_once[b] = flow_leaves_at_once(s->flow, &s->before, &s->loops, b);
    }
    return true;
}

bool flow_find_nearer(struct flow *flow) {
    struct search s = {.flow = flow};
    bool *reaching = malloc(MAX_REGION * sizeof *reaching);
    bool ok = reaching && prepare(&s);
    for (size_t b = 0; ok && b < flow->block_count; b++) {
        flow->blocks[b].nearer = FLOW_NO_BLOCK;
        if (flow->blocks[b].successor_count > 1 && may_meet(&s, b))
            ok = find_in_dominated(&s, b, reaching);
    }
    for (size_t i = 0; ok && i < s.loops.count; i++)
        ok = find_behind_loop(&s, &s.loops.items[i], reaching);
    ok = ok && list_pairs(&s);
    flow_before_free(&s.before), flow_loops_free(&s.loops);
    free(s.region.blocks), free(s.region.place), free(s.region.stack);
    free(s.at_once), free(s.pairs), free(reaching);
    return ok;
}
