/* Graphs: their nodes and edges, copies, and the order in which a graph runs. */
#include "sim/cuda/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cuda/graph/capture.h"

static _Atomic unsigned long long next_id = 1;

CUresult graph_check(CUgraph graph) {
    CUresult error = driver_check();
    if (error)
        return error;
    return object_is(graph, OBJECT_GRAPH) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult graph_check_node(CUgraphNode node, CUgraphNodeType type) {
    CUresult error = driver_check();
    if (error)
        return error;
    return object_is(node, OBJECT_GRAPH_NODE) && node->work.type == type ? CUDA_SUCCESS
                                                                         : CUDA_ERROR_INVALID_VALUE;
}

static void release(struct object *object) {
    CUgraph graph = (CUgraph)object;
    if (graph->capturing)
        capture_forget_graph(graph);
    graph_free(graph);
}

CUgraph graph_create(bool hidden, bool owned) {
    CUgraph graph = calloc(1, sizeof *graph);
    if (!graph)
        return NULL;
    graph->id = atomic_fetch_add(&next_id, 1);
    graph->hidden = hidden;
    graph->embedded = !owned;
    if (!hidden)
        object_add(&graph->object, OBJECT_GRAPH, NULL, owned ? release : NULL);
    return graph;
}

static void free_node(CUgraphNode node) {
    object_remove(&node->object);
    graph_work_free(&node->work);
    free(node->in.items);
    free(node->out.items);
    free(node);
}

void graph_free(CUgraph graph) {
    object_remove(&graph->object);
    for (size_t i = 0; i < graph->count; i++)
        free_node(graph->nodes[i]);
    graph_release_users(graph);
    free(graph->nodes);
    free(graph);
}

/* ---------------------------------------------------------------- edges */

/* Makes room for one more. */
static bool reserve(struct graph_edges *edges) {
    if (edges->count < edges->capacity)
        return true;
    size_t capacity = edges->capacity ? 2 * edges->capacity : 4;
    struct graph_edge *items = realloc(edges->items, capacity * sizeof *items);
    if (!items)
        return false;
    edges->items = items;
    edges->capacity = capacity;
    return true;
}

/* Two nodes may have several edges between them, with different data. */
static size_t find_edge(const struct graph_edges *edges, CUgraphNode node, const struct graph_edge *edge) {
    for (size_t i = 0; i < edges->count; i++) {
        const struct graph_edge *at = &edges->items[i];
        if (at->node == node && at->from_port == edge->from_port && at->to_port == edge->to_port &&
            at->type == edge->type)
            return i;
    }
    return SIZE_MAX;
}

static void remove_edge(struct graph_edges *edges, size_t at) {
    memmove(&edges->items[at], &edges->items[at + 1], (edges->count - at - 1) * sizeof *edges->items);
    edges->count--;
}

CUresult graph_connect(CUgraphNode from, CUgraphNode to, const struct graph_edge *edge) {
    struct graph_edge one = edge ? *edge : (struct graph_edge){0};
    if (from == to || find_edge(&to->in, from, &one) != SIZE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (!reserve(&from->out) || !reserve(&to->in))
        return CUDA_ERROR_OUT_OF_MEMORY;
    one.node = to;
    from->out.items[from->out.count++] = one;
    one.node = from;
    to->in.items[to->in.count++] = one;
    return CUDA_SUCCESS;
}

bool graph_disconnect(CUgraphNode from, CUgraphNode to, const struct graph_edge *edge) {
    struct graph_edge one = edge ? *edge : (struct graph_edge){0};
    size_t in = find_edge(&to->in, from, &one), out = find_edge(&from->out, to, &one);
    if (in == SIZE_MAX || out == SIZE_MAX)
        return false;
    remove_edge(&to->in, in);
    remove_edge(&from->out, out);
    return true;
}

/* ---------------------------------------------------------------- nodes */

static bool reserve_node(CUgraph graph) {
    if (graph->count < graph->capacity)
        return true;
    size_t capacity = graph->capacity ? 2 * graph->capacity : 16;
    CUgraphNode *nodes = realloc(graph->nodes, capacity * sizeof(CUgraphNode));
    if (!nodes)
        return false;
    graph->nodes = nodes;
    graph->capacity = capacity;
    return true;
}

void graph_remove_node(CUgraphNode node) {
    CUgraph graph = node->graph;
    while (node->in.count)
        graph_disconnect(node->in.items[0].node, node, &node->in.items[0]);
    while (node->out.count)
        graph_disconnect(node, node->out.items[0].node, &node->out.items[0]);
    memmove(&graph->nodes[node->index], &graph->nodes[node->index + 1],
            (graph->count - node->index - 1) * sizeof(CUgraphNode));
    graph->count--;
    for (size_t i = node->index; i < graph->count; i++)
        graph->nodes[i]->index = i;
    free_node(node);
}

CUresult graph_add(CUgraph graph, const CUgraphNode *dependencies, size_t count,
                   const struct graph_work *work, CUgraphNode *out) {
    if (count && !dependencies)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!graph->hidden &&
            (!object_is(dependencies[i], OBJECT_GRAPH_NODE) || dependencies[i]->graph != graph))
            return CUDA_ERROR_INVALID_VALUE;
    CUgraphNode node = calloc(1, sizeof *node);
    if (!node || !reserve_node(graph)) {
        free(node);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    node->graph = graph;
    node->id = atomic_fetch_add(&next_id, 1);
    node->index = graph->count;
    graph->nodes[graph->count++] = node;
    CUresult error = CUDA_SUCCESS;
    for (size_t i = 0; i < count && !error; i++)
        error = graph_connect(dependencies[i], node, NULL);
    if (error) {
        graph_work_empty(&node->work);
        graph_remove_node(node);
        return error;
    }
    node->work = *work;
    if (!graph->hidden)
        object_add(&node->object, OBJECT_GRAPH_NODE, NULL, NULL);
    *out = node;
    return CUDA_SUCCESS;
}

CUresult graph_add_made(CUresult made, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                        struct graph_work *work, CUgraphNode *out) {
    if (made)
        return made;
    CUresult error = out ? graph_add(graph, dependencies, count, work, out) : CUDA_ERROR_INVALID_VALUE;
    if (error)
        graph_work_free(work);
    return error;
}

bool graph_has_memory_nodes(CUgraph graph) {
    for (size_t i = 0; i < graph->count; i++) {
        const struct graph_work *work = &graph->nodes[i]->work;
        if (work->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || work->type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
            (work->type == CU_GRAPH_NODE_TYPE_GRAPH && graph_has_memory_nodes(work->child)))
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- copies */

static CUresult copy_nodes(CUgraph to, CUgraph from) {
    for (size_t i = 0; i < from->count; i++) {
        CUgraphNode node = from->nodes[i], copy;
        struct graph_work work;
        /* Child graphs of a hidden graph are hidden too. */
        CUresult error = CUDA_SUCCESS;
        if (node->work.type == CU_GRAPH_NODE_TYPE_GRAPH) {
            work.type = CU_GRAPH_NODE_TYPE_GRAPH;
            error = graph_clone(node->work.child, to->hidden, false, &work.child);
        } else {
            error = graph_work_clone(&work, &node->work);
        }
        error = graph_add_made(error, to, NULL, 0, &work, &copy);
        if (error)
            return error;
        copy->original = node->id;
        copy->disabled = node->disabled;
    }
    for (size_t i = 0; i < from->count; i++) {
        const struct graph_edges *in = &from->nodes[i]->in;
        for (size_t k = 0; k < in->count; k++) {
            CUresult error = graph_connect(to->nodes[in->items[k].node->index], to->nodes[i], &in->items[k]);
            if (error)
                return error;
        }
    }
    return graph_share_users(from, to);
}

CUresult graph_clone(CUgraph graph, bool hidden, bool owned, CUgraph *out) {
    CUgraph clone = graph_create(hidden, owned);
    if (!clone)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult error = copy_nodes(clone, graph);
    if (error)
        graph_free(clone);
    else
        *out = clone;
    return error;
}

CUgraphNode graph_find_clone(CUgraph clone, CUgraphNode original) {
    for (size_t i = 0; i < clone->count; i++) {
        CUgraphNode node = clone->nodes[i];
        if (node->original == original->id)
            return node;
        CUgraphNode within =
            node->work.type == CU_GRAPH_NODE_TYPE_GRAPH ? graph_find_clone(node->work.child, original) : NULL;
        if (within)
            return within;
    }
    return NULL;
}

/* ---------------------------------------------------------------- running */

/* Emits a node after its dependencies.  The walk has its own stack, because a chain may be long. */
CUgraphNode *graph_order(CUgraph graph, CUgraphNode *offender) {
    enum { NEW, OPEN, DONE };
    size_t count = graph->count, room = count + 1, put = 0;
    CUgraphNode *order = malloc(room * sizeof *order), *stack = malloc(room * sizeof *stack);
    size_t *next = calloc(room, sizeof *next); /* by node: the next dependency to look at */
    unsigned char *state = calloc(room, 1);
    *offender = NULL;
    bool good = order && stack && next && state;
    for (size_t i = 0; i < count && good; i++) {
        size_t depth = 0;
        if (state[i] == NEW)
            stack[depth++] = graph->nodes[i];
        while (depth && good) {
            CUgraphNode node = stack[depth - 1];
            state[node->index] = OPEN;
            if (next[node->index] == node->in.count) {
                state[node->index] = DONE;
                order[put++] = node;
                depth--;
                continue;
            }
            CUgraphNode from = node->in.items[next[node->index]++].node;
            if (state[from->index] == NEW) {
                stack[depth++] = from;
            } else if (state[from->index] == OPEN) {
                *offender = node;
                good = false;
            }
        }
    }
    free(stack);
    free(next);
    free(state);
    if (good)
        return order;
    free(order);
    return NULL;
}

CUresult graph_run(CUgraph graph) {
    CUgraphNode offender;
    CUgraphNode *order = graph_order(graph, &offender);
    if (!order)
        return offender ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    CUresult error = CUDA_SUCCESS;
    for (size_t i = 0; i < graph->count && !error; i++)
        if (!order[i]->disabled)
            error = graph_work_run(&order[i]->work);
    free(order);
    return error;
}
