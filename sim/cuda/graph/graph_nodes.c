/* The API of a graph's nodes, by kind: adds nodes, gets and sets their parameters. */
#include "sim/cuda/graph/graph.h"

#include <string.h>

/* The common part of all adding functions.  made: a graph_work_*() call with the kind's parameters. */
#define ADD_NODE(made)                                                                                       \
    CUresult error = graph_check(hGraph);                                                                    \
    struct graph_work work;                                                                                  \
    return error ? error : graph_add_made(made, hGraph, dependencies, numDependencies, &work, phGraphNode)

/* Replaces a node's work. */
static CUresult replace(CUresult made, CUgraphNode node, struct graph_work *work) {
    if (made)
        return made;
    graph_work_free(&node->work);
    node->work = *work;
    return CUDA_SUCCESS;
}

#define SET_NODE(node, type, made)                                                                           \
    CUresult error = graph_check_node(node, type);                                                           \
    struct graph_work work;                                                                                  \
    return error ? error : replace(made, node, &work)

/* ---------------------------------------------------------------- kernels */

/* The first version's structure is a prefix of the second's. */
static CUresult kernel_work(struct graph_work *work, const CUDA_KERNEL_NODE_PARAMS_v1 *old) {
    CUDA_KERNEL_NODE_PARAMS params = {0};
    if (!old)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&params, old, sizeof *old);
    return graph_work_kernel(work, &params);
}

#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams

ENTRY_EXPORT CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                           const CUgraphNode *dependencies, size_t numDependencies,
                                           const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams);
CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                              size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    ADD_NODE(kernel_work(&work, nodeParams));
}

ENTRY_EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                              const CUgraphNode *dependencies, size_t numDependencies,
                                              const CUDA_KERNEL_NODE_PARAMS *nodeParams);
CUresult cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                 size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    ADD_NODE(graph_work_kernel(&work, nodeParams));
}

/* A kernel that belongs to no context is returned as func and kern, for callers that read only func. */
static CUresult get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out) {
    CUresult error = graph_check_node(node, CU_GRAPH_NODE_TYPE_KERNEL);
    if (error)
        return error;
    const struct graph_kernel *kernel = node->work.kernel;
    const struct kernel_launch *launch = &kernel->launch;
    bool is_kernel = object_is(launch->handle, OBJECT_KERNEL);
    *out = (CUDA_KERNEL_NODE_PARAMS){
        .func = launch->handle,
        .gridDimX = launch->grid[0],
        .gridDimY = launch->grid[1],
        .gridDimZ = launch->grid[2],
        .blockDimX = launch->block[0],
        .blockDimY = launch->block[1],
        .blockDimZ = launch->block[2],
        .sharedMemBytes = (unsigned)launch->shared_bytes,
        .kernelParams = kernel->packed ? NULL : kernel->pointers,
        .extra = kernel->packed ? kernel->pointers : NULL,
        .kern = is_kernel ? (CUkernel)launch->handle : NULL,
        .ctx = launch->context,
    };
    return CUDA_SUCCESS;
}

ENTRY_EXPORT CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams);
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    CUDA_KERNEL_NODE_PARAMS params;
    CUresult error = nodeParams ? get_kernel(hNode, &params) : CUDA_ERROR_INVALID_VALUE;
    if (!error)
        memcpy(nodeParams, &params, sizeof *nodeParams);
    return error;
}

ENTRY_EXPORT CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams);
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    return nodeParams ? get_kernel(hNode, nodeParams) : CUDA_ERROR_INVALID_VALUE;
}

/* Keeps the node's attributes. */
static CUresult set_kernel(CUresult made, CUgraphNode node, struct graph_work *work) {
    if (made)
        return made;
    struct graph_kernel *now = work->kernel, *before = node->work.kernel;
    now->attributes_set = before->attributes_set;
    memcpy(now->attributes, before->attributes, sizeof now->attributes);
    kernel_launch_copy_attributes(&now->launch, &before->launch);
    return replace(CUDA_SUCCESS, node, work);
}

ENTRY_EXPORT CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode,
                                                 const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams);
CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    struct graph_work work;
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_KERNEL);
    return error ? error : set_kernel(kernel_work(&work, nodeParams), hNode, &work);
}

ENTRY_EXPORT CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
                                                    const CUDA_KERNEL_NODE_PARAMS *nodeParams);
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    struct graph_work work;
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_KERNEL);
    return error ? error : set_kernel(graph_work_kernel(&work, nodeParams), hNode, &work);
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       CUkernelNodeAttrValue *value_out) {
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_KERNEL);
    if (error)
        return error;
    if (!value_out || (unsigned)attr >= GRAPH_ATTRIBUTES || !attr)
        return CUDA_ERROR_INVALID_VALUE;
    *value_out = hNode->work.kernel->attributes[attr];
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       const CUkernelNodeAttrValue *value) {
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_KERNEL);
    if (error)
        return error;
    if (!value || (unsigned)attr >= GRAPH_ATTRIBUTES || !attr)
        return CUDA_ERROR_INVALID_VALUE;
    CUlaunchAttribute attribute = {.id = attr, .value = *value};
    error = launch_check_attribute(&attribute);
    if (error)
        return error;
    struct graph_kernel *kernel = hNode->work.kernel;
    kernel->attributes_set |= 1u << attr;
    kernel->attributes[attr] = *value;
    kernel_launch_add_attribute(&kernel->launch, &attribute);
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
    CUresult error = graph_check_node(dst, CU_GRAPH_NODE_TYPE_KERNEL);
    if (!error)
        error = graph_check_node(src, CU_GRAPH_NODE_TYPE_KERNEL);
    if (error)
        return error;
    struct graph_kernel *to = dst->work.kernel;
    const struct graph_kernel *from = src->work.kernel;
    to->attributes_set = from->attributes_set;
    memcpy(to->attributes, from->attributes, sizeof to->attributes);
    kernel_launch_copy_attributes(&to->launch, &from->launch);
    return CUDA_SUCCESS;
}

/* ---------------------------------------------------------------- copies and fills */

CUresult cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                              size_t numDependencies, const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
    ADD_NODE(graph_work_copy(&work, copyParams, ctx));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams) {
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_MEMCPY);
    if (error)
        return error;
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    *nodeParams = hNode->work.copy.params;
    return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams) {
    SET_NODE(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, graph_work_copy(&work, nodeParams, hNode->work.copy.context));
}

CUresult cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                              size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                              CUcontext ctx) {
    ADD_NODE(graph_work_set(&work, memsetParams, ctx));
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams) {
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_MEMSET);
    if (error)
        return error;
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    *nodeParams = hNode->work.set.params;
    return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams) {
    SET_NODE(hNode, CU_GRAPH_NODE_TYPE_MEMSET, graph_work_set(&work, nodeParams, hNode->work.set.context));
}

/* ---------------------------------------------------------------- host functions */

static CUresult host_work(struct graph_work *work, const CUDA_HOST_NODE_PARAMS *params) {
    return params ? graph_work_host(work, params->fn, params->userData) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                            size_t numDependencies, const CUDA_HOST_NODE_PARAMS *nodeParams) {
    ADD_NODE(host_work(&work, nodeParams));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams) {
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_HOST);
    if (error)
        return error;
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    *nodeParams = hNode->work.host;
    return CUDA_SUCCESS;
}

CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams) {
    SET_NODE(hNode, CU_GRAPH_NODE_TYPE_HOST, host_work(&work, nodeParams));
}

/* ---------------------------------------------------------------- child graphs, nothing */

CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                  size_t numDependencies, CUgraph childGraph) {
    ADD_NODE(graph_work_child(&work, childGraph));
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph) {
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_GRAPH);
    if (error)
        return error;
    if (!phGraph)
        return CUDA_ERROR_INVALID_VALUE;
    *phGraph = hNode->work.child;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                             size_t numDependencies) {
    ADD_NODE((graph_work_empty(&work), CUDA_SUCCESS));
}

/* ---------------------------------------------------------------- events */

static CUresult get_event(CUgraphNode node, CUgraphNodeType type, CUevent *out) {
    CUresult error = graph_check_node(node, type);
    if (error)
        return error;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = node->work.event;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                   size_t numDependencies, CUevent event) {
    ADD_NODE(graph_work_event(&work, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event));
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out) {
    return get_event(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
    SET_NODE(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
             graph_work_event(&work, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                 size_t numDependencies, CUevent event) {
    ADD_NODE(graph_work_event(&work, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event));
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out) {
    return get_event(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
    SET_NODE(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
             graph_work_event(&work, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event));
}

/* ---------------------------------------------------------------- memory */

/* A child node's graph must not contain memory nodes. */
static CUresult check_memory_graph(CUgraph graph) {
    CUresult error = graph_check(graph);
    return error ? error : graph->embedded ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams) {
    struct graph_work work;
    CUresult error = check_memory_graph(hGraph);
    if (!error)
        error = graph_work_alloc(&work, NULL, nodeParams);
    if (error)
        return error;
    CUdeviceptr address = work.alloc.params.dptr;
    error = graph_add_made(CUDA_SUCCESS, hGraph, dependencies, numDependencies, &work, phGraphNode);
    if (!error)
        nodeParams->dptr = address;
    return error;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out) {
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    if (error)
        return error;
    if (!params_out)
        return CUDA_ERROR_INVALID_VALUE;
    *params_out = hNode->work.alloc.params;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                               size_t numDependencies, CUdeviceptr dptr) {
    struct graph_work work;
    CUresult error = check_memory_graph(hGraph);
    if (!error)
        error = graph_work_free_node(&work, hGraph, dptr);
    return graph_add_made(error, hGraph, dependencies, numDependencies, &work, phGraphNode);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out) {
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_MEM_FREE);
    if (error)
        return error;
    if (!dptr_out)
        return CUDA_ERROR_INVALID_VALUE;
    *dptr_out = graph_memory_address(hNode->work.freed);
    return CUDA_SUCCESS;
}

static CUresult batch_work(struct graph_work *work, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
    return params ? graph_work_batch(work, params->ctx, params->count, params->paramArray, params->flags)
                  : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                  size_t numDependencies, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams) {
    ADD_NODE(batch_work(&work, nodeParams));
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode, CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out) {
    CUresult error = graph_check_node(hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    if (error)
        return error;
    if (!nodeParams_out)
        return CUDA_ERROR_INVALID_VALUE;
    *nodeParams_out = (CUDA_BATCH_MEM_OP_NODE_PARAMS){.ctx = hNode->work.batch.context,
                                                      .count = hNode->work.batch.count,
                                                      .paramArray = hNode->work.batch.operations};
    return CUDA_SUCCESS;
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams) {
    SET_NODE(hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, batch_work(&work, nodeParams));
}

/* ---------------------------------------------------------------- of any kind */

#if CUDA_VERSION >= 12020
/* Makes the work of CUgraphNodeParams; an allocation's address is written back to it. */
CUresult graph_work_any(struct graph_work *work, CUgraph graph, CUgraphNodeParams *params) {
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = CUDA_SUCCESS;
    switch ((int)params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS kernel;
        _Static_assert(sizeof kernel == sizeof params->kernel, "laid out alike");
        memcpy(&kernel, &params->kernel, sizeof kernel);
        return graph_work_kernel(work, &kernel);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return graph_work_copy(work, &params->memcpy.copyParams, params->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS set;
        memcpy(&set, &params->memset, sizeof set);
        return graph_work_set(work, &set, params->memset.ctx);
    }
    case CU_GRAPH_NODE_TYPE_HOST:
        return graph_work_host(work, params->host.fn, params->host.userData);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return graph_work_child(work, params->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        graph_work_empty(work);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return graph_work_event(work, params->type, params->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return graph_work_event(work, params->type, params->eventWait.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
        CUDA_MEM_ALLOC_NODE_PARAMS alloc;
        memcpy(&alloc, &params->alloc, sizeof alloc);
        error = check_memory_graph(graph);
        if (!error)
            error = graph_work_alloc(work, NULL, &alloc);
        if (!error)
            params->alloc.dptr = work->alloc.params.dptr;
        return error;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        error = check_memory_graph(graph);
        return error ? error : graph_work_free_node(work, graph, params->free.dptr);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return graph_work_batch(work, params->memOp.ctx, params->memOp.count, params->memOp.paramArray,
                                params->memOp.flags);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    case 13 /* CONDITIONAL */:
        log_note("graphs: nodes of type %d are not supported", (int)params->type);
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

#undef cuGraphAddNode
ENTRY_EXPORT CUresult cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                     const CUgraphNode *dependencies, size_t numDependencies,
                                     CUgraphNodeParams *nodeParams);
CUresult cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                        size_t numDependencies, CUgraphNodeParams *nodeParams) {
    ADD_NODE(graph_work_any(&work, hGraph, nodeParams));
}

CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams) {
    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    struct graph_work work;
    CUresult error = graph_check_node(hNode, nodeParams->type);
    if (!error &&
        (nodeParams->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || nodeParams->type == CU_GRAPH_NODE_TYPE_MEM_FREE))
        error = CUDA_ERROR_NOT_SUPPORTED;
    if (error)
        return error;
    error = graph_work_any(&work, hNode->graph, nodeParams);
    return nodeParams->type == CU_GRAPH_NODE_TYPE_KERNEL ? set_kernel(error, hNode, &work)
                                                         : replace(error, hNode, &work);
}
#endif

#if CUDA_VERSION >= 12030
ENTRY_EXPORT CUresult cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                        const CUgraphNode *dependencies,
                                        const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                        CUgraphNodeParams *nodeParams);
CUresult cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *dependencyData, size_t numDependencies,
                           CUgraphNodeParams *nodeParams) {
    CUgraphNode node;
    if (!phGraphNode)
        return CUDA_ERROR_INVALID_VALUE;
    if (!dependencyData)
        return cuGraphAddNode(phGraphNode, hGraph, dependencies, numDependencies, nodeParams);
    CUresult error = cuGraphAddNode(&node, hGraph, NULL, 0, nodeParams);
    for (size_t i = 0; !error && i < numDependencies; i++) {
        error = dependencies
                    ? cuGraphAddDependencies_v2(hGraph, &dependencies[i], &node, &dependencyData[i], 1)
                    : CUDA_ERROR_INVALID_VALUE;
        if (error)
            graph_remove_node(node);
    }
    if (!error)
        *phGraphNode = node;
    return error;
}
#endif
