/* Where lanes meet again: post-dominators that ignore early returns. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/lower/flow.h"

/* Cooper, Harvey and Kennedy's "A Simple, Fast Dominance Algorithm", on the reversed graph.  Its root is a
 * virtual exit with index block_count, to which every block without successors leads. */
struct dominance {
    size_t count;     /* blocks + 1 */
    size_t *order;    /* post-order number of the reversed graph, SIZE_MAX: does not reach the exit */
    size_t *sequence; /* blocks by that number */
    size_t *ipdom;
    size_t reached;
};

static size_t intersect(const struct dominance *d, size_t a, size_t b) {
    while (a != b) {
        while (d->order[a] < d->order[b])
            a = d->ipdom[a];
        while (d->order[b] < d->order[a])
            b = d->ipdom[b];
    }
    return a;
}

static bool follows(const struct flow *flow, const bool *left_out, const struct flow_block *block, size_t s) {
    return !left_out || !left_out[block->successors + s - flow->storage];
}

static bool number_blocks(const struct flow *flow, const bool *left_out, struct dominance *d) {
    size_t n = flow->block_count, edges = 0;
    for (size_t b = 0; b < n; b++)
        edges += flow->blocks[b].successor_count + 1;
    size_t *first = calloc(n + 2, sizeof *first), *list = malloc((edges + 1) * sizeof *list);
    size_t *stack = malloc((n + 1) * sizeof *stack), *next = malloc((n + 1) * sizeof *next);
    bool ok = first && list && stack && next;
    if (ok) {
        /* Predecessor lists, bucket by bucket; the exit's predecessors are the blocks that end there. */
        for (size_t b = 0; b < n; b++) {
            const struct flow_block *block = &flow->blocks[b];
            for (size_t s = 0; s < block->successor_count; s++)
                if (follows(flow, left_out, block, s))
                    first[block->successors[s] + 1]++;
            if (block->successor_count == 0)
                first[n + 1]++;
        }
        for (size_t b = 0; b <= n; b++)
            first[b + 1] += first[b];
        size_t *fill = next;
        memcpy(fill, first, (n + 1) * sizeof *fill);
        for (size_t b = 0; b < n; b++) {
            const struct flow_block *block = &flow->blocks[b];
            for (size_t s = 0; s < block->successor_count; s++)
                if (follows(flow, left_out, block, s))
                    list[fill[block->successors[s]]++] = b;
            if (block->successor_count == 0)
                list[fill[n]++] = b;
        }
        memcpy(next, first, (n + 1) * sizeof *next);
        size_t depth = 0, number = 0;
        for (size_t b = 0; b <= n; b++)
            d->order[b] = SIZE_MAX;
        stack[depth++] = n;
        d->order[n] = SIZE_MAX - 1; /* on the stack */
        while (depth) {
            size_t b = stack[depth - 1];
            if (next[b] < first[b + 1]) {
                size_t p = list[next[b]++];
                if (d->order[p] == SIZE_MAX) {
                    d->order[p] = SIZE_MAX - 1;
                    stack[depth++] = p;
                }
            } else {
                d->order[b] = number;
                d->sequence[number++] = b;
                depth--;
            }
        }
        d->reached = number;
    }
    free(first), free(list), free(stack), free(next);
    return ok;
}

bool flow_post_dominate(const struct flow *flow, const bool *left_out, size_t *ipdom) {
    size_t n = flow->block_count;
    struct dominance d = {
        .count = n + 1,
        .order = malloc((n + 1) * sizeof(size_t)),
        .sequence = malloc((n + 1) * sizeof(size_t)),
        .ipdom = ipdom,
    };
    bool ok = d.order && d.sequence && number_blocks(flow, left_out, &d);
    if (ok) {
        for (size_t b = 0; b <= n; b++)
            d.ipdom[b] = SIZE_MAX;
        d.ipdom[n] = n;
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t i = d.reached; i-- > 0;) {
                size_t b = d.sequence[i], found = SIZE_MAX;
                if (b == n)
                    continue;
                const struct flow_block *block = &flow->blocks[b];
                if (block->successor_count == 0)
                    found = n;
                for (size_t s = 0; s < block->successor_count; s++) {
                    size_t t = block->successors[s];
                    if (!follows(flow, left_out, block, s) || d.order[t] == SIZE_MAX ||
                        d.ipdom[t] == SIZE_MAX)
                        continue;
                    found = found == SIZE_MAX ? t : intersect(&d, found, t);
                }
                if (found != SIZE_MAX && d.ipdom[b] != found) {
                    d.ipdom[b] = found;
                    changed = true;
                }
            }
        }
        for (size_t b = 0; b < n; b++)
            if (d.ipdom[b] == n)
                d.ipdom[b] = FLOW_NO_BLOCK;
    }
    free(d.order), free(d.sequence);
    return ok;
}

bool flow_only_ends(const struct flow *flow, size_t b) {
    const struct flow_block *block = &flow->blocks[b];
    if (flow->returns && b == flow->block_count - 1)
        return false;
    return block->successor_count == 0 && block->end - block->first <= 1;
}

/* A part's two ends are different places: code that leads to both does not end alone. */
static bool other_end(const struct flow *flow, size_t a, size_t b) {
    return flow->is_part && a != b && a >= flow->block_count - 2 && b >= flow->block_count - 2;
}

/* Whether all lanes that take this path end without meeting others: code with one way in, and none out.
 * Examines at most SHORT_PART blocks, since an early return is short. */
#define SHORT_PART 256

static bool ends_alone(const struct flow *flow, const size_t *entries, size_t start, bool *seen) {
    size_t part[SHORT_PART], count = 0, ways_in = 0, ways_within = 0, end = 0;
    bool alone = true;
    part[count++] = start;
    seen[start] = true;
    for (size_t i = 0; i < count && alone; i++) {
        const struct flow_block *block = &flow->blocks[part[i]];
        ways_in += entries[part[i]];
        for (size_t s = 0; s < block->successor_count && alone; s++) {
            size_t t = block->successors[s];
            if (flow_only_ends(flow, t)) {
                alone = !other_end(flow, end, t);
                end = t;
                continue;
            }
            ways_within++;
            if (seen[t])
                continue;
            alone = count < SHORT_PART;
            if (alone)
                seen[part[count++] = t] = true;
        }
    }
    for (size_t i = 0; i < count; i++)
        seen[part[i]] = false;
    return alone && ways_in == ways_within + 1;
}

/* Whether some path leads from start to target. */
static bool leads_to(const struct flow *flow, size_t start, size_t target, bool *seen, size_t *stack) {
    size_t depth = 0;
    memset(seen, 0, flow->block_count * sizeof *seen);
    seen[stack[depth++] = start] = true;
    while (depth) {
        const struct flow_block *block = &flow->blocks[stack[--depth]];
        for (size_t s = 0; s < block->successor_count; s++)
            if (!seen[block->successors[s]])
                seen[stack[depth++] = block->successors[s]] = true;
    }
    bool found = seen[target];
    memset(seen, 0, flow->block_count * sizeof *seen);
    return found;
}

/* Marks the branches to early returns: no lane waits for lanes that end there, so they do not affect where
 * the others meet.  A return after other work counts unless it is in a loop: there ptxas sees one more end of
 * the loop, and gives up. */
static void leave_out_ends(const struct flow *flow, const size_t *entries, bool *seen, size_t *stack,
                           bool *left_out) {
    for (size_t b = 0; b < flow->block_count; b++) {
        const struct flow_block *block = &flow->blocks[b];
        size_t staying = 0, alone = 0;
        bool *out = left_out + (block->successors - flow->storage);
        for (size_t s = 0; s < block->successor_count && block->successor_count > 1; s++)
            if (!(out[s] = flow_only_ends(flow, block->successors[s])))
                staying++;
        if (staying == 0) {
            for (size_t s = 0; s < block->successor_count; s++)
                out[s] = false;
            continue;
        }
        bool mark[2] = {false, false};
        if (staying != 2 || block->successor_count != 2)
            continue;
        for (size_t s = 0; s < 2; s++)
            alone += mark[s] = ends_alone(flow, entries, block->successors[s], seen);
        if (alone == 1 && (flow->is_part || !leads_to(flow, block->successors[mark[0]], b, seen, stack)))
            out[0] = mark[0], out[1] = mark[1];
    }
}

bool flow_leave_out_ends(const struct flow *flow, bool *left_out) {
    size_t n = flow->block_count;
    size_t *entries = calloc(n, sizeof *entries), *stack = malloc((n + 1) * sizeof *stack);
    bool *seen = calloc(n, sizeof *seen);
    bool ok = entries && stack && seen;
    if (ok) {
        for (size_t b = 0; b < n; b++)
            for (size_t s = 0; s < flow->blocks[b].successor_count; s++)
                entries[flow->blocks[b].successors[s]]++;
        leave_out_ends(flow, entries, seen, stack, left_out);
    }
    free(entries), free(stack), free(seen);
    return ok;
}

/* ptxas lets lanes meet again at the end of an if or a loop even if some lanes may return in it: at the
 * post-dominator of the graph without those returns.  Such functions use that graph throughout, so that joins
 * nest; others use the plain one.  (Seen in sm_90's BSSY and BSYNC, and on an H200.) */
static bool meet_despite_returns(const struct flow *flow, size_t *ipdom) {
    size_t n = flow->block_count, edges = 1;
    for (size_t b = 0; b < n; b++)
        edges += flow->blocks[b].successor_count;
    size_t *other = malloc((n + 1) * sizeof *other);
    bool *left_out = calloc(edges, sizeof *left_out);
    bool replaced = false;
    bool ok =
        other && left_out && flow_leave_out_ends(flow, left_out) && flow_post_dominate(flow, left_out, other);
    for (size_t b = 0; ok && b < n; b++) {
        const struct flow_block *block = &flow->blocks[b];
        size_t ways = 0;
        for (size_t s = 0; s < block->successor_count; s++)
            ways += follows(flow, left_out, block, s);
        bool plain = ipdom[b] != FLOW_NO_BLOCK && !flow_only_ends(flow, ipdom[b]);
        if (other[b] == FLOW_NO_BLOCK) /* a loop that only a return leaves */
            other[b] = plain && ways > 1 ? ipdom[b] : FLOW_NO_BLOCK;
        else if (ways < 2)
            other[b] = FLOW_NO_BLOCK;
        else
            replaced |= !plain && !flow_only_ends(flow, other[b]);
    }
    if (ok && replaced)
        memcpy(ipdom, other, n * sizeof *ipdom);
    free(other), free(left_out);
    return ok;
}

bool flow_find_ipdoms(struct flow *flow) {
    size_t n = flow->block_count;
    size_t *ipdom = malloc((n + 1) * sizeof *ipdom);
    bool ok = ipdom && flow_post_dominate(flow, NULL, ipdom) && meet_despite_returns(flow, ipdom);
    for (size_t b = 0; ok && b < n; b++) {
        flow->blocks[b].ipdom = ipdom[b];
        if (flow->blocks[b].successor_count > 1 && ipdom[b] != FLOW_NO_BLOCK)
            flow->blocks[ipdom[b]].is_join = true;
    }
    free(ipdom);
    return ok;
}
