/* The API of graphs as structures: creates, copies and destroys graphs, nodes and edges. */
#include "sim/cuda/graph/graph.h"

#include <string.h>

CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!phGraph || flags)
        return CUDA_ERROR_INVALID_VALUE;
    *phGraph = graph_create(false, true);
    return *phGraph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphDestroy(CUgraph hGraph) {
    CUresult error = graph_check(hGraph);
    if (error)
        return error;
    if (hGraph->embedded || hGraph->capturing)
        return CUDA_ERROR_INVALID_VALUE;
    object_destroy(&hGraph->object);
    return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph) {
    CUresult error = graph_check(originalGraph);
    if (error)
        return error;
    if (!phGraphClone || originalGraph->capturing)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph_has_memory_nodes(originalGraph))
        return CUDA_ERROR_NOT_SUPPORTED;
    return graph_clone(originalGraph, false, true, phGraphClone);
}

CUresult cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph) {
    CUresult error = graph_check(hClonedGraph);
    if (error)
        return error;
    if (!phNode || !object_is(hOriginalNode, OBJECT_GRAPH_NODE))
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNode found = graph_find_clone(hClonedGraph, hOriginalNode);
    if (!found)
        return CUDA_ERROR_INVALID_VALUE;
    *phNode = found;
    return CUDA_SUCCESS;
}

static CUresult check_any_node(CUgraphNode node) {
    CUresult error = driver_check();
    if (error)
        return error;
    return object_is(node, OBJECT_GRAPH_NODE) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type) {
    CUresult error = check_any_node(hNode);
    if (error)
        return error;
    if (!type)
        return CUDA_ERROR_INVALID_VALUE;
    *type = hNode->work.type;
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) {
    CUresult error = check_any_node(hNode);
    if (error)
        return error;
    if (hNode->graph->capturing)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph_has_memory_nodes(hNode->graph))
        return CUDA_ERROR_NOT_SUPPORTED;
    graph_remove_node(hNode);
    return CUDA_SUCCESS;
}

/* ---------------------------------------------------------------- lists */

/* How the API returns a list: with a NULL array only its length; unused elements of the array become NULL. */
struct list {
    CUgraphNode *nodes;
    size_t room, count;
};

static void put(struct list *list, CUgraphNode node) {
    if (list->nodes && list->count < list->room)
        list->nodes[list->count] = node;
    list->count++;
}

static void end_list(struct list *list, size_t *count) {
    if (!list->nodes) {
        *count = list->count;
        return;
    }
    for (size_t i = list->count; i < list->room; i++)
        list->nodes[i] = NULL;
    *count = list->count < list->room ? list->count : list->room;
}

static CUresult get_nodes(CUgraph graph, CUgraphNode *nodes, size_t *count, bool roots) {
    CUresult error = graph_check(graph);
    if (error)
        return error;
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    struct list list = {nodes, *count, 0};
    for (size_t i = 0; i < graph->count; i++)
        if (!roots || !graph->nodes[i]->in.count)
            put(&list, graph->nodes[i]);
    end_list(&list, count);
    return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes) {
    return get_nodes(hGraph, nodes, numNodes, false);
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes) {
    return get_nodes(hGraph, rootNodes, numRootNodes, true);
}

static bool is_plain(const struct graph_edge *edge) {
    return !edge->from_port && !edge->to_port && !edge->type;
}

/* CUgraphEdgeData, which older headers lack: three bytes, then five reserved ones. */
struct edge_data {
    unsigned char from_port, to_port, type, reserved[5];
};
#if CUDA_VERSION >= 12030
_Static_assert(sizeof(struct edge_data) == sizeof(CUgraphEdgeData), "laid out alike");
#endif

/* An edge with data is an error for a caller that does not ask for data. */
static CUresult put_data(struct edge_data *data, const struct list *list, const struct graph_edge *edge) {
    if (!list->nodes || list->count >= list->room)
        return CUDA_SUCCESS;
    if (data)
        data[list->count] = (struct edge_data){edge->from_port, edge->to_port, edge->type, {0}};
    return data || is_plain(edge) ? CUDA_SUCCESS : CUDA_ERROR_LOSSY_QUERY;
}

static CUresult get_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, struct edge_data *data,
                          size_t *count) {
    CUresult error = graph_check(graph);
    if (error)
        return error;
    if (!count || !from != !to || (data && !from))
        return CUDA_ERROR_INVALID_VALUE;
    struct list starts = {from, *count, 0}, ends = {to, *count, 0};
    for (size_t i = 0; i < graph->count; i++) {
        const struct graph_edges *out = &graph->nodes[i]->out;
        for (size_t k = 0; k < out->count && !error; k++) {
            error = put_data(data, &starts, &out->items[k]);
            put(&starts, graph->nodes[i]);
            put(&ends, out->items[k].node);
        }
    }
    end_list(&starts, count);
    end_list(&ends, count);
    return error;
}

static CUresult get_neighbours(CUgraphNode node, bool in, CUgraphNode *nodes, struct edge_data *data,
                               size_t *count) {
    CUresult error = check_any_node(node);
    if (error)
        return error;
    if (!count || (data && !nodes))
        return CUDA_ERROR_INVALID_VALUE;
    const struct graph_edges *edges = in ? &node->in : &node->out;
    struct list list = {nodes, *count, 0};
    for (size_t i = 0; i < edges->count && !error; i++) {
        error = put_data(data, &list, &edges->items[i]);
        put(&list, edges->items[i].node);
    }
    end_list(&list, count);
    return error;
}

/* ---------------------------------------------------------------- edges */

static CUresult check_edge(CUgraph graph, CUgraphNode from, CUgraphNode to, const struct edge_data *data) {
    if (!object_is(from, OBJECT_GRAPH_NODE) || !object_is(to, OBJECT_GRAPH_NODE) || from->graph != graph ||
        to->graph != graph || from == to)
        return CUDA_ERROR_INVALID_VALUE;
    static const struct edge_data none;
    if (!data || memcmp(data, &none, sizeof none) == 0)
        return CUDA_SUCCESS;
    /* Programmatic dependencies and their ports are allowed only between kernels. */
    bool good = from->work.type == CU_GRAPH_NODE_TYPE_KERNEL && data->from_port <= 2 && !data->to_port &&
                data->type <= 1 && !memcmp(data->reserved, none.reserved, sizeof none.reserved) &&
                (!data->type || to->work.type == CU_GRAPH_NODE_TYPE_KERNEL);
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static struct graph_edge edge_of(const struct edge_data *data) {
    return data ? (struct graph_edge){NULL, data->from_port, data->to_port, data->type}
                : (struct graph_edge){0};
}

/* Adds all of them or none. */
static CUresult add_edges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                          const struct edge_data *data, size_t count) {
    CUresult error = graph_check(graph);
    if (!error && count && (!from || !to))
        error = CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++)
        error = check_edge(graph, from[i], to[i], data ? &data[i] : NULL);
    for (size_t i = 0; i < count && !error; i++) {
        struct graph_edge edge = edge_of(data ? &data[i] : NULL);
        error = graph_connect(from[i], to[i], &edge);
        for (size_t k = i; error && k--;) {
            edge = edge_of(data ? &data[k] : NULL);
            graph_disconnect(from[k], to[k], &edge);
        }
    }
    return error;
}

static CUresult remove_edges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                             const struct edge_data *data, size_t count) {
    CUresult error = graph_check(graph);
    if (!error && count && (!from || !to))
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error && graph_has_memory_nodes(graph))
        error = CUDA_ERROR_NOT_SUPPORTED;
    for (size_t i = 0; i < count && !error; i++)
        error = check_edge(graph, from[i], to[i], data ? &data[i] : NULL);
    for (size_t i = 0; i < count && !error; i++) {
        struct graph_edge edge = edge_of(data ? &data[i] : NULL);
        if (graph_disconnect(from[i], to[i], &edge))
            continue;
        error = CUDA_ERROR_INVALID_VALUE;
        while (i--) {
            edge = edge_of(data ? &data[i] : NULL);
            (void)graph_connect(from[i], to[i], &edge); /* room was reserved above */
        }
        break;
    }
    return error;
}

/* ---------------------------------------------------------------- both versions of each */

#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies

ENTRY_EXPORT CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges);
CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges) {
    return get_edges(hGraph, from, to, NULL, numEdges);
}

ENTRY_EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies,
                                                 size_t *numDependencies);
CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies) {
    return get_neighbours(hNode, true, dependencies, NULL, numDependencies);
}

ENTRY_EXPORT CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                                   size_t *numDependentNodes);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                      size_t *numDependentNodes) {
    return get_neighbours(hNode, false, dependentNodes, NULL, numDependentNodes);
}

ENTRY_EXPORT CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                             size_t numDependencies);
CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t numDependencies) {
    return add_edges(hGraph, from, to, NULL, numDependencies);
}

ENTRY_EXPORT CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from,
                                                const CUgraphNode *to, size_t numDependencies);
CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t numDependencies) {
    return remove_edges(hGraph, from, to, NULL, numDependencies);
}

#if CUDA_VERSION >= 12030
ENTRY_EXPORT CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                                         CUgraphEdgeData *edgeData, size_t *numEdges);
CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData,
                            size_t *numEdges) {
    return get_edges(hGraph, from, to, (struct edge_data *)edgeData, numEdges);
}

ENTRY_EXPORT CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                                                    CUgraphEdgeData *edgeData, size_t *numDependencies);
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                                       CUgraphEdgeData *edgeData, size_t *numDependencies) {
    return get_neighbours(hNode, true, dependencies, (struct edge_data *)edgeData, numDependencies);
}

ENTRY_EXPORT CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                                      CUgraphEdgeData *edgeData, size_t *numDependentNodes);
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                         CUgraphEdgeData *edgeData, size_t *numDependentNodes) {
    return get_neighbours(hNode, false, dependentNodes, (struct edge_data *)edgeData, numDependentNodes);
}

ENTRY_EXPORT CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                                                const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                                size_t numDependencies);
CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edgeData, size_t numDependencies) {
    return add_edges(hGraph, from, to, (const struct edge_data *)edgeData, numDependencies);
}

ENTRY_EXPORT CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                                                   const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                                   size_t numDependencies);
CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edgeData, size_t numDependencies) {
    return remove_edges(hGraph, from, to, (const struct edge_data *)edgeData, numDependencies);
}
#endif
