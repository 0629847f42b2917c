/* Executable graphs: a graph's own copy, whose nodes' parameters can change but whose shape is fixed. */
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/graph/capture.h"

struct CUgraphExec_st {
    struct object object;
    CUgraph graph;
    CUgraph source;               /* the graph it was made from, if it locks that graph; else NULL */
    unsigned long long source_id; /* distinguishes it from a later graph with the same handle */
    unsigned long long flags;
    unsigned references; /* the handle, and each launch in progress */
};

static pthread_mutex_t references_lock = PTHREAD_MUTEX_INITIALIZER;

/* False if the executable graph no longer exists. */
static bool retain(CUgraphExec exec) {
    pthread_mutex_lock(&references_lock);
    const bool live = object_is(exec, OBJECT_GRAPH_EXEC);
    if (live)
        exec->references++;
    pthread_mutex_unlock(&references_lock);
    return live;
}

/* An executable graph destroyed while it runs is freed when it has run. */
static void release(struct object *object) {
    CUgraphExec exec = (CUgraphExec)object;
    pthread_mutex_lock(&references_lock);
    const bool last = --exec->references == 0;
    pthread_mutex_unlock(&references_lock);
    if (!last)
        return;
    if (exec->source && object_is(exec->source, OBJECT_GRAPH) && exec->source->id == exec->source_id)
        exec->source->executable = false;
    graph_free(exec->graph);
    free(exec);
}

static CUresult check(CUgraphExec exec) {
    CUresult error = driver_check();
    if (error)
        return error;
    return object_is(exec, OBJECT_GRAPH_EXEC) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---------------------------------------------------------------- instantiating */

/* offender: the node that prevents the graph from running, or NULL. */
static CUresult instantiate(CUgraphExec *out, CUgraph graph, unsigned long long flags,
                            CUgraphNode *offender) {
    *offender = NULL;
    CUcontext context;
    CUresult error = context_enter(&context);
    if (!error)
        error = graph_check(graph);
    if (error)
        return error;
    unsigned long long known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | 2 /* UPLOAD */ |
                               4 /* DEVICE_LAUNCH */ | 8 /* USE_NODE_PRIORITY */;
    if (!out || flags & ~known || graph->capturing || graph->executable)
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & 4) {
        log_note("graphs: launching them from kernels is not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    CUgraphNode *order = graph_order(graph, offender);
    if (!order)
        return *offender ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    free(order);
    CUgraphExec exec = calloc(1, sizeof *exec);
    if (!exec)
        return CUDA_ERROR_OUT_OF_MEMORY;
    error = graph_clone(graph, true, true, &exec->graph);
    if (error) {
        free(exec);
        return error;
    }
    exec->flags = flags;
    exec->references = 1;
    /* Two copies would use the same memory at once, so only one may exist. */
    if (graph_has_memory_nodes(graph)) {
        exec->source = graph;
        exec->source_id = graph->id;
        graph->executable = true;
    }
    object_add(&exec->object, OBJECT_GRAPH_EXEC, NULL, release);
    *out = exec;
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags) {
    CUgraphNode offender;
    return instantiate(phGraphExec, hGraph, flags, &offender);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
    if (!instantiateParams)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNode offender;
    CUresult error = instantiate(phGraphExec, hGraph, instantiateParams->flags, &offender);
    instantiateParams->hErrNode_out = offender;
    instantiateParams->result_out = !error     ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                                    : offender ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
                                               : CUDA_GRAPH_INSTANTIATE_ERROR;
    return error;
}

/* The CUDA 10 and 11 version, which writes an error message to log. */
static CUresult instantiate_old(CUgraphExec *out, CUgraph graph, CUgraphNode *error_node, char *log,
                                size_t size) {
    CUgraphNode offender;
    CUresult error = instantiate(out, graph, 0, &offender);
    if (error_node)
        *error_node = offender;
    if (log && size)
        log[0] = '\0';
    if (log && size && offender)
        strncat(log, "the graph has a cycle", size - 1);
    return error;
}

#undef cuGraphInstantiate
ENTRY_EXPORT CUresult cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode,
                                         char *logBuffer, size_t bufferSize);
CUresult cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode,
                            char *logBuffer, size_t bufferSize) {
    return instantiate_old(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

ENTRY_EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph,
                                            CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize);
CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode,
                               char *logBuffer, size_t bufferSize) {
    return instantiate_old(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags) {
    CUresult error = check(hGraphExec);
    if (error)
        return error;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = hGraphExec->flags & ~2ull; /* the upload is done already */
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
    CUresult error = check(hGraphExec);
    if (error)
        return error;
    object_destroy(&hGraphExec->object);
    return CUDA_SUCCESS;
}

/* ---------------------------------------------------------------- launching */

CUresult cuGraphUpload(CUgraphExec hGraph, CUstream hStream) {
    CUcontext context;
    CUresult error = check(hGraph);
    return error ? error : stream_enter_uncaptured(hStream, &context);
}

/* Memory that an earlier launch allocated and nobody freed is freed now, or the launch fails. */
static CUresult prepare_memory(CUgraph graph, bool free_it) {
    CUresult error = CUDA_SUCCESS;
    for (size_t i = 0; i < graph->count && !error; i++) {
        const struct graph_work *work = &graph->nodes[i]->work;
        if (work->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC || !graph_memory_is_allocated(work->alloc.memory))
            continue;
        error = free_it ? graph_memory_set_allocated(work->alloc.memory, false) : CUDA_ERROR_INVALID_VALUE;
    }
    return error;
}

/* A launch into a capturing stream becomes a child node with a copy of the graph. */
static CUresult capture_launch(CUgraphExec exec, CUstream stream) {
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    if (graph_has_memory_nodes(exec->graph))
        return CUDA_ERROR_NOT_SUPPORTED;
    return capture_work(graph_clone(exec->graph, false, false, &work.child), stream, &work);
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
    CUcontext context;
    bool capturing;
    CUresult error = check(hGraphExec);
    if (!error)
        error = stream_submit(hStream, false, &context, &capturing);
    if (error)
        return error;
    if (capturing)
        return capture_launch(hGraphExec, hStream);
    if (!retain(hGraphExec))
        return CUDA_ERROR_INVALID_VALUE;
    error = prepare_memory(hGraphExec->graph,
                           hGraphExec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    if (!error)
        error = graph_run(hGraphExec->graph);
    release(&hGraphExec->object);
    /* As after any launch, the next call reports a kernel's fault. */
    return error && error == (CUresult)atomic_load(&context->fault) && !driver.blocking ? CUDA_SUCCESS
                                                                                        : error;
}

/* ---------------------------------------------------------------- changing a node */

/* The executable's node that corresponds to a node of its source graph. */
static CUresult find(CUgraphExec exec, CUgraphNode node, CUgraphNodeType type, CUgraphNode *out) {
    CUresult error = check(exec);
    if (!error)
        error = graph_check_node(node, type);
    if (error)
        return error;
    *out = graph_find_clone(exec->graph, node);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Checks that an executable node may change from before to now. */
static CUgraphExecUpdateResult compare_work(const struct graph_work *now, const struct graph_work *before) {
    if (now->type != before->type)
        return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    bool same = true;
    switch (now->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        if (now->kernel->launch.context != before->kernel->launch.context)
            return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
        return now->kernel->launch.cooperative != before->kernel->launch.cooperative
                   ? CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED
                   : CU_GRAPH_EXEC_UPDATE_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        same = now->copy.params.srcMemoryType == before->copy.params.srcMemoryType &&
               now->copy.params.dstMemoryType == before->copy.params.dstMemoryType;
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        const CUDA_MEMSET_NODE_PARAMS *a = &now->set.params, *b = &before->set.params;
        same = a->height == b->height && (b->height == 1 || (a->width == b->width && a->pitch == b->pitch &&
                                                             a->elementSize == b->elementSize));
        break;
    }
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: /* the executable keeps its own allocation */
        same = now->alloc.params.bytesize == before->alloc.params.bytesize;
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        same = now->batch.count == before->batch.count;
        break;
    default:
        break;
    }
    return same ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

/* Takes ownership of work. */
static CUresult change(CUresult made, CUgraphNode node, struct graph_work *work) {
    if (made)
        return made;
    /* CUDA keeps a kernel's attributes, which include being cooperative and clusters. */
    if (work->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        const struct graph_kernel *before = node->work.kernel;
        kernel_launch_copy_attributes(&work->kernel->launch, &before->launch);
        work->kernel->attributes_set = before->attributes_set;
        memcpy(work->kernel->attributes, before->attributes, sizeof before->attributes);
    }
    if (compare_work(work, &node->work)) {
        graph_work_free(work);
        return CUDA_ERROR_INVALID_VALUE;
    }
    work_wait(); /* a running kernel reads its parameters there */
    graph_work_free(&node->work);
    node->work = *work;
    return CUDA_SUCCESS;
}

#define CHANGE(type, made)                                                                                   \
    CUgraphNode node;                                                                                        \
    struct graph_work work;                                                                                  \
    CUresult error = find(hGraphExec, hNode, type, &node);                                                   \
    return error ? error : change(made, node, &work)

static bool is_one_row(const CUDA_MEMCPY3D *copy) {
    return copy->Height == 1 && copy->Depth == 1;
}

static CUresult linear_copy(struct graph_work *work, const struct graph_work *before,
                            const CUDA_MEMCPY3D *params, CUcontext context) {
    if (!params || !is_one_row(params) || !is_one_row(&before->copy.params))
        return CUDA_ERROR_INVALID_VALUE;
    return graph_work_copy(work, params, context);
}

#undef cuGraphExecKernelNodeSetParams
ENTRY_EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                        const CUDA_KERNEL_NODE_PARAMS *nodeParams);
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    CHANGE(CU_GRAPH_NODE_TYPE_KERNEL, graph_work_kernel(&work, nodeParams));
}

/* The first version's structure is a prefix of the second's. */
ENTRY_EXPORT CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                     const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    CUDA_KERNEL_NODE_PARAMS params = {0};
    if (nodeParams)
        memcpy(&params, nodeParams, sizeof *nodeParams);
    return cuGraphExecKernelNodeSetParams_v2(hGraphExec, hNode, nodeParams ? &params : NULL);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
    CHANGE(CU_GRAPH_NODE_TYPE_MEMCPY, linear_copy(&work, &node->work, copyParams, ctx));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx) {
    CHANGE(CU_GRAPH_NODE_TYPE_MEMSET, graph_work_set(&work, memsetParams, ctx));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS *nodeParams) {
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    CHANGE(CU_GRAPH_NODE_TYPE_HOST, graph_work_host(&work, nodeParams->fn, nodeParams->userData));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
    CHANGE(CU_GRAPH_NODE_TYPE_EVENT_RECORD, graph_work_event(&work, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
    CHANGE(CU_GRAPH_NODE_TYPE_WAIT_EVENT, graph_work_event(&work, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event));
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams) {
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    CHANGE(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, graph_work_batch(&work, nodeParams->ctx, nodeParams->count,
                                                             nodeParams->paramArray, nodeParams->flags));
}

static bool can_be_disabled(CUgraphNodeType type) {
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
           type == CU_GRAPH_NODE_TYPE_MEMSET;
}

static CUresult find_switchable(CUgraphExec exec, CUgraphNode node, CUgraphNode *out) {
    CUgraphNodeType type;
    CUresult error = cuGraphNodeGetType(node, &type);
    if (!error && !can_be_disabled(type))
        error = CUDA_ERROR_INVALID_VALUE;
    return error ? error : find(exec, node, type, out);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
    CUgraphNode node;
    CUresult error = find_switchable(hGraphExec, hNode, &node);
    if (!error)
        node->disabled = !isEnabled;
    return error;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled) {
    CUgraphNode node;
    CUresult error = find_switchable(hGraphExec, hNode, &node);
    if (error)
        return error;
    if (!isEnabled)
        return CUDA_ERROR_INVALID_VALUE;
    *isEnabled = !node->disabled;
    return CUDA_SUCCESS;
}

/* ---------------------------------------------------------------- updating all of it */

struct difference {
    CUgraphExecUpdateResult result;
    CUgraphNode node, from; /* in the graph that the update comes from */
};

static struct difference topology(CUgraphNode node, CUgraphNode from) {
    return (struct difference){CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, node, from};
}

/* Pairs nodes, and their dependencies, by the order in which they were added. */
static struct difference compare_graphs(CUgraph now, CUgraph before) {
    if (now->count != before->count)
        return topology(NULL, NULL);
    for (size_t i = 0; i < now->count; i++) {
        CUgraphNode node = now->nodes[i], old = before->nodes[i];
        if (node->in.count != old->in.count)
            return topology(node, NULL);
        for (size_t k = 0; k < node->in.count; k++)
            if (node->in.items[k].node->index != old->in.items[k].node->index)
                return topology(node, node->in.items[k].node);
        CUgraphExecUpdateResult result = compare_work(&node->work, &old->work);
        if (result)
            return (struct difference){result, node, NULL};
        if (node->work.type == CU_GRAPH_NODE_TYPE_GRAPH) {
            struct difference within = compare_graphs(node->work.child, old->work.child);
            if (within.result)
                return within;
        }
    }
    return (struct difference){CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL, NULL};
}

static bool keeps_its_work(const struct graph_work *work) {
    return work->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || work->type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

/* Call after compare_graphs() found no difference.  All new work is made before any of it is installed, so a
 * graph is never half updated. */
static CUresult take_over(CUgraph now, CUgraph before) {
    struct graph_work *made = calloc(now->count + 1, sizeof *made);
    CUresult error = made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    size_t count = 0;
    for (; count < now->count && !error; count++) {
        const struct graph_work *work = &now->nodes[count]->work;
        graph_work_empty(&made[count]);
        if (work->type == CU_GRAPH_NODE_TYPE_GRAPH)
            error = take_over(work->child, before->nodes[count]->work.child);
        else if (!keeps_its_work(work))
            error = graph_work_clone(&made[count], work);
        if (error) /* a partial clone still shares the graph's own work */
            graph_work_empty(&made[count]);
    }
    for (size_t i = 0; i < count; i++) {
        struct graph_work *old = &before->nodes[i]->work;
        bool stays = old->type == CU_GRAPH_NODE_TYPE_GRAPH || keeps_its_work(old);
        if (!error && !stays) {
            struct graph_work swap = *old;
            *old = made[i];
            made[i] = swap;
            work_wait(); /* see change() */
        }
        graph_work_free(&made[i]);
    }
    free(made);
    return error;
}

static CUresult update(CUgraphExec exec, CUgraph graph, struct difference *out) {
    *out = (struct difference){CU_GRAPH_EXEC_UPDATE_ERROR, NULL, NULL};
    CUresult error = check(exec);
    if (!error)
        error = graph_check(graph);
    if (error)
        return error;
    *out = compare_graphs(graph, exec->graph);
    if (out->result)
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    error = take_over(graph, exec->graph);
    if (error)
        out->result = CU_GRAPH_EXEC_UPDATE_ERROR;
    return error;
}

#undef cuGraphExecUpdate
ENTRY_EXPORT CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                                        CUgraphExecUpdateResult *updateResult_out);
CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                           CUgraphExecUpdateResult *updateResult_out) {
    struct difference difference;
    CUresult error = update(hGraphExec, hGraph, &difference);
    if (hErrorNode_out)
        *hErrorNode_out = difference.node;
    if (updateResult_out)
        *updateResult_out = difference.result;
    return error;
}

ENTRY_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                                           CUgraphExecUpdateResultInfo *resultInfo);
CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                              CUgraphExecUpdateResultInfo *resultInfo) {
    struct difference difference;
    if (!resultInfo)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = update(hGraphExec, hGraph, &difference);
    *resultInfo = (CUgraphExecUpdateResultInfo){difference.result, difference.node, difference.from};
    return error;
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph) {
    CUgraphNode node;
    CUresult error = find(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_GRAPH, &node);
    if (!error)
        error = graph_check(childGraph);
    if (error)
        return error;
    if (compare_graphs(childGraph, node->work.child).result)
        return CUDA_ERROR_INVALID_VALUE;
    return take_over(childGraph, node->work.child);
}

#if CUDA_VERSION >= 12020
CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams *nodeParams) {
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    if (nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return cuGraphExecChildGraphNodeSetParams(hGraphExec, hNode, nodeParams->graph.graph);
    if (nodeParams->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || nodeParams->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
        return CUDA_ERROR_NOT_SUPPORTED;
    CHANGE(nodeParams->type, graph_work_any(&work, NULL, nodeParams));
}
#endif
