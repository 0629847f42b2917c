/* cuGraphDebugDotPrint: a graph as Graphviz reads it. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/cuda/graph/graph.h"
#include "sim/cuda/module/module.h"

static const char *const type_names[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = "KERNEL",
    [CU_GRAPH_NODE_TYPE_MEMCPY] = "MEMCPY",
    [CU_GRAPH_NODE_TYPE_MEMSET] = "MEMSET",
    [CU_GRAPH_NODE_TYPE_HOST] = "HOST",
    [CU_GRAPH_NODE_TYPE_GRAPH] = "GRAPH",
    [CU_GRAPH_NODE_TYPE_EMPTY] = "EMPTY",
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "EVENT_WAIT",
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "EVENT_RECORD",
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "MEM_ALLOC",
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = "MEM_FREE",
    [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "BATCH_MEM_OP",
};

/* Kernels have their names and shapes, copies and fills their sizes; \n is Graphviz's. */
static void print_details(FILE *file, const struct graph_work *work) {
    CUfunction function;
    switch (work->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        const struct kernel_launch *k = &work->kernel->launch;
        if (!function_resolve(k->handle, k->context, &function))
            fprintf(file, "\\n%s", function->info.name);
        fprintf(file, "\\n<<<(%u,%u,%u),(%u,%u,%u),%zu>>>", k->grid[0], k->grid[1], k->grid[2], k->block[0],
                k->block[1], k->block[2], k->shared_bytes);
        break;
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        fprintf(file, "\\n%zu x %zu x %zu bytes", work->copy.params.WidthInBytes, work->copy.params.Height,
                work->copy.params.Depth);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        fprintf(file, "\\n0x%x, %zu x %zu of %u bytes", work->set.params.value, work->set.params.width,
                work->set.params.height, work->set.params.elementSize);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        fprintf(file, "\\n%zu bytes", work->alloc.params.bytesize);
        break;
    default:
        break;
    }
}

static void print_graph(FILE *file, CUgraph graph) {
    fprintf(file, "subgraph cluster_%p {\nlabel=\"graph_%p\"\n", (void *)graph, (void *)graph);
    for (size_t i = 0; i < graph->count; i++) {
        CUgraphNode node = graph->nodes[i];
        fprintf(file, "\"node_%llu\"[shape=box label=\"%zu\\n%s", node->id, i, type_names[node->work.type]);
        print_details(file, &node->work);
        fprintf(file, "\"]\n");
    }
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->out.count; k++)
            fprintf(file, "\"node_%llu\" -> \"node_%llu\"\n", graph->nodes[i]->id,
                    graph->nodes[i]->out.items[k].node->id);
    fprintf(file, "}\n");
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->work.type == CU_GRAPH_NODE_TYPE_GRAPH)
            print_graph(file, graph->nodes[i]->work.child);
}

/* The flags select details; this always prints all it has. */
CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags) {
    CUresult error = graph_check(hGraph);
    if (error)
        return error;
    if (!path || flags >> 17)
        return CUDA_ERROR_INVALID_VALUE;
    FILE *file = fopen(path, "w");
    if (!file) {
        log_error("cuGraphDebugDotPrint: cannot write to %s", path);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    fprintf(file, "digraph dot {\n");
    print_graph(file, hGraph);
    fprintf(file, "}\n");
    bool bad = ferror(file) != 0;
    if (fclose(file) != 0)
        bad = true;
    return bad ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
