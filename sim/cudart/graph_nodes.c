/* The nodes of graphs.  Unlike the driver, the runtime names kernels by their host functions and describes
 * copies by its own structures; the rest is forwarded. */
#include <string.h>

#include "sim/cudart/runtime.h"

/* ---------------------------------------------------------------- kernels */

static cudaError_t kernel_params(CUDA_KERNEL_NODE_PARAMS *out, const struct cudaKernelNodeParams *params) {
    if (!params)
        return cudaErrorInvalidValue;
    *out = (CUDA_KERNEL_NODE_PARAMS){
        .gridDimX = params->gridDim.x,
        .gridDimY = params->gridDim.y,
        .gridDimZ = params->gridDim.z,
        .blockDimX = params->blockDim.x,
        .blockDimY = params->blockDim.y,
        .blockDimZ = params->blockDim.z,
        .sharedMemBytes = params->sharedMemBytes,
        .kernelParams = params->kernelParams,
        .extra = params->extra,
    };
    /* For an unknown function a launch reports INVALID_DEVICE_FUNCTION, but a node an invalid handle. */
    cudaError_t error = runtime_kernel(params->func, &out->kern);
    return error == cudaErrorInvalidDeviceFunction ? cudaErrorInvalidResourceHandle : error;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t error = kernel_params(&params, pNodeParams);
    if (!error)
        error = (cudaError_t)cuGraphAddKernelNode(pGraphNode, graph, pDependencies, numDependencies, &params);
    return runtime_result(error);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t error = kernel_params(&params, pNodeParams);
    return runtime_result(error ? error : (cudaError_t)cuGraphKernelNodeSetParams(node, &params));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t error = kernel_params(&params, pNodeParams);
    return runtime_result(error ? error
                                : (cudaError_t)cuGraphExecKernelNodeSetParams(hGraphExec, node, &params));
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS params;
    CUresult error = runtime_enter();
    if (!error)
        error = pNodeParams ? cuGraphKernelNodeGetParams(node, &params) : CUDA_ERROR_INVALID_VALUE;
    if (error)
        return runtime_driver_result(error);
    *pNodeParams = (struct cudaKernelNodeParams){
        .func = params.kern ? runtime_function(params.kern) : (void *)params.func,
        .gridDim = {params.gridDimX, params.gridDimY, params.gridDimZ},
        .blockDim = {params.blockDimX, params.blockDimY, params.blockDimZ},
        .sharedMemBytes = params.sharedMemBytes,
        .kernelParams = params.kernelParams,
        .extra = params.extra,
    };
    return cudaSuccess;
}

/* ---------------------------------------------------------------- copies */

/* Describe a copy to or from a variable. */
static cudaError_t copy_to_symbol(CUDA_MEMCPY3D *out, const void *symbol, const void *src, size_t count,
                                  size_t offset, enum cudaMemcpyKind kind) {
    void *to;
    cudaError_t error = runtime_symbol_part(symbol, count, offset, &to);
    return error ? error : runtime_copy_1d(out, to, src, count, kind);
}

static cudaError_t copy_from_symbol(CUDA_MEMCPY3D *out, void *dst, const void *symbol, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind) {
    void *from;
    cudaError_t error = runtime_symbol_part(symbol, count, offset, &from);
    return error ? error : runtime_copy_1d(out, dst, from, count, kind);
}

/* Each takes a description, and the result of making it. */
static cudaError_t add_copy(cudaError_t made, const CUDA_MEMCPY3D *copy, cudaGraphNode_t *node,
                            cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count) {
    CUresult error = made ? (CUresult)made : runtime_enter();
    if (!error)
        error = cuGraphAddMemcpyNode(node, graph, dependencies, count, copy, NULL);
    return runtime_driver_result(error);
}

static cudaError_t set_copy(cudaError_t made, const CUDA_MEMCPY3D *copy, cudaGraphNode_t node) {
    CUresult error = made ? (CUresult)made : runtime_enter();
    return runtime_driver_result(error ? error : cuGraphMemcpyNodeSetParams(node, copy));
}

static cudaError_t set_exec_copy(cudaError_t made, const CUDA_MEMCPY3D *copy, cudaGraphExec_t exec,
                                 cudaGraphNode_t node) {
    CUresult error = made ? (CUresult)made : runtime_enter();
    return runtime_driver_result(error ? error : cuGraphExecMemcpyNodeSetParams(exec, node, copy, NULL));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemcpy3DParms *pCopyParams) {
    CUDA_MEMCPY3D copy;
    return add_copy(runtime_copy_3d(&copy, pCopyParams), &copy, pGraphNode, graph, pDependencies,
                    numDependencies);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *pCopyParams) {
    CUDA_MEMCPY3D copy;
    return set_copy(runtime_copy_3d(&copy, pCopyParams), &copy, node);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *pCopyParams) {
    CUDA_MEMCPY3D copy;
    return set_exec_copy(runtime_copy_3d(&copy, pCopyParams), &copy, hGraphExec, node);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
                                     const void *src, size_t count, enum cudaMemcpyKind kind) {
    CUDA_MEMCPY3D copy;
    return add_copy(runtime_copy_1d(&copy, dst, src, count, kind), &copy, pGraphNode, graph, pDependencies,
                    numDependencies);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t count,
                                           enum cudaMemcpyKind kind) {
    CUDA_MEMCPY3D copy;
    return set_copy(runtime_copy_1d(&copy, dst, src, count, kind), &copy, node);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
                                               const void *src, size_t count, enum cudaMemcpyKind kind) {
    CUDA_MEMCPY3D copy;
    return set_exec_copy(runtime_copy_1d(&copy, dst, src, count, kind), &copy, hGraphExec, node);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                           const void *symbol, const void *src, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind) {
    CUDA_MEMCPY3D copy;
    return add_copy(copy_to_symbol(&copy, symbol, src, count, offset, kind), &copy, pGraphNode, graph,
                    pDependencies, numDependencies);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src,
                                                 size_t count, size_t offset, enum cudaMemcpyKind kind) {
    CUDA_MEMCPY3D copy;
    return set_copy(copy_to_symbol(&copy, symbol, src, count, offset, kind), &copy, node);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                     const void *symbol, const void *src, size_t count,
                                                     size_t offset, enum cudaMemcpyKind kind) {
    CUDA_MEMCPY3D copy;
    return set_exec_copy(copy_to_symbol(&copy, symbol, src, count, offset, kind), &copy, hGraphExec, node);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                             void *dst, const void *symbol, size_t count, size_t offset,
                                             enum cudaMemcpyKind kind) {
    CUDA_MEMCPY3D copy;
    return add_copy(copy_from_symbol(&copy, dst, symbol, count, offset, kind), &copy, pGraphNode, graph,
                    pDependencies, numDependencies);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol,
                                                   size_t count, size_t offset, enum cudaMemcpyKind kind) {
    CUDA_MEMCPY3D copy;
    return set_copy(copy_from_symbol(&copy, dst, symbol, count, offset, kind), &copy, node);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                       void *dst, const void *symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind) {
    CUDA_MEMCPY3D copy;
    return set_exec_copy(copy_from_symbol(&copy, dst, symbol, count, offset, kind), &copy, hGraphExec, node);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *pNodeParams) {
    CUDA_MEMCPY3D copy;
    CUresult error = runtime_enter();
    if (!error)
        error = pNodeParams ? cuGraphMemcpyNodeGetParams(node, &copy) : CUDA_ERROR_INVALID_VALUE;
    if (!error)
        *pNodeParams = runtime_copy_params(&copy);
    return runtime_driver_result(error);
}

/* ---------------------------------------------------------------- fills */

_Static_assert(sizeof(struct cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS), "laid out alike");

static const CUDA_MEMSET_NODE_PARAMS *fill_of(const struct cudaMemsetParams *params) {
    return (const CUDA_MEMSET_NODE_PARAMS *)(const void *)params;
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemsetParams *pMemsetParams) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuGraphAddMemsetNode(pGraphNode, graph, pDependencies, numDependencies,
                                     fill_of(pMemsetParams), NULL);
    return runtime_driver_result(error);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *pNodeParams) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuGraphMemsetNodeGetParams(node, (CUDA_MEMSET_NODE_PARAMS *)(void *)pNodeParams);
    return runtime_driver_result(error);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *pNodeParams) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphMemsetNodeSetParams(node, fill_of(pNodeParams)));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *pNodeParams) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuGraphExecMemsetNodeSetParams(hGraphExec, node, fill_of(pNodeParams), NULL);
    return runtime_driver_result(error);
}

/* ---------------------------------------------------------------- the other kinds */

_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), "laid out alike");
_Static_assert(sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS), "laid out alike");

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphKernelNodeCopyAttributes(hDst, hSrc));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            cudaLaunchAttributeValue *value_out) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuGraphKernelNodeGetAttribute(hNode, (CUkernelNodeAttrID)attr,
                                              (CUkernelNodeAttrValue *)(void *)value_out));
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            const cudaLaunchAttributeValue *value) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuGraphKernelNodeSetAttribute(hNode, (CUkernelNodeAttrID)attr,
                                              (const CUkernelNodeAttrValue *)(const void *)value));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                 const struct cudaHostNodeParams *pNodeParams) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuGraphAddHostNode(pGraphNode, graph, pDependencies, numDependencies,
                                   (const CUDA_HOST_NODE_PARAMS *)(const void *)pNodeParams));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *pNodeParams) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuGraphHostNodeGetParams(node, (CUDA_HOST_NODE_PARAMS *)(void *)pNodeParams));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuGraphHostNodeSetParams(node, (const CUDA_HOST_NODE_PARAMS *)(const void *)pNodeParams));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *pNodeParams) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuGraphExecHostNodeSetParams(hGraphExec, node,
                                             (const CUDA_HOST_NODE_PARAMS *)(const void *)pNodeParams));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuGraphAddChildGraphNode(pGraphNode, graph, pDependencies, numDependencies, childGraph));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphChildGraphNodeGetGraph(node, pGraph));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error
                                       : cuGraphExecChildGraphNodeSetParams(hGraphExec, node, childGraph));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t *pDependencies, size_t numDependencies) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies));
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                        cudaEvent_t event) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuGraphAddEventRecordNode(pGraphNode, graph, pDependencies, numDependencies, event));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphEventRecordNodeGetEvent(node, event_out));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphEventRecordNodeSetEvent(node, event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                 cudaEvent_t event) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error
                                       : cuGraphExecEventRecordNodeSetEvent(hGraphExec, hNode, event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                      cudaEvent_t event) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuGraphAddEventWaitNode(pGraphNode, graph, pDependencies, numDependencies, event));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphEventWaitNodeGetEvent(node, event_out));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphEventWaitNodeSetEvent(node, event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                               cudaEvent_t event) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphExecEventWaitNodeSetEvent(hGraphExec, hNode, event));
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     struct cudaMemAllocNodeParams *nodeParams) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error
              : cuGraphAddMemAllocNode(pGraphNode, graph, pDependencies, numDependencies,
                                       (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)nodeParams));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params_out) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuGraphMemAllocNodeGetParams(node, (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)params_out));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                    void *dptr) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error
                                     ? error
                                     : cuGraphAddMemFreeNode(pGraphNode, graph, pDependencies,
                                                             numDependencies, (CUdeviceptr)(uintptr_t)dptr));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuGraphMemFreeNodeGetParams(node, (CUdeviceptr *)dptr_out));
}

/* ---------------------------------------------------------------- of any kind */

_Static_assert(sizeof((CUgraphNodeParams *)0)->memset >= sizeof((struct cudaGraphNodeParams *)0)->memset,
               "the driver's has a context at its end");
_Static_assert(sizeof((CUgraphNodeParams *)0)->alloc == sizeof((struct cudaGraphNodeParams *)0)->alloc,
               "laid out alike");

/* Converts to the driver's structure for a node.  Its address is an output for an allocation. */
static cudaError_t any_params(CUgraphNodeParams *out, const struct cudaGraphNodeParams *params) {
    *out = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EMPTY};
    CUresult entered = runtime_enter();
    if (entered || !params)
        return entered ? (cudaError_t)entered : cudaErrorInvalidValue;
    out->type = (CUgraphNodeType)params->type;
    switch (params->type) {
    case cudaGraphNodeTypeKernel: {
        struct cudaKernelNodeParams plain = {
            .func = params->kernel.func,
            .gridDim = params->kernel.gridDim,
            .blockDim = params->kernel.blockDim,
            .sharedMemBytes = params->kernel.sharedMemBytes,
            .kernelParams = params->kernel.kernelParams,
            .extra = params->kernel.extra,
        };
        CUDA_KERNEL_NODE_PARAMS kernel;
        cudaError_t error = kernel_params(&kernel, &plain);
        if (!error)
            memcpy(&out->kernel, &kernel, sizeof kernel);
        return error;
    }
    case cudaGraphNodeTypeMemcpy:
        return runtime_copy_3d(&out->memcpy.copyParams, &params->memcpy.copyParams);
    default:
        /* The layouts agree except for the context at the end of the driver's. */
        memcpy(out->reserved1, params->reserved1, sizeof params->reserved1);
        if (params->type == cudaGraphNodeTypeMemset)
            out->memset.ctx = NULL;
        return cudaSuccess;
    }
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t *pDependencies, const cudaGraphEdgeData *dependencyData,
                             size_t numDependencies, struct cudaGraphNodeParams *nodeParams) {
    CUgraphNodeParams params;
    cudaError_t error = any_params(&params, nodeParams);
    if (!error)
        error = (cudaError_t)cuGraphAddNode_v2(pGraphNode, graph, pDependencies,
                                               (const CUgraphEdgeData *)(const void *)dependencyData,
                                               numDependencies, &params);
    if (!error && params.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        nodeParams->alloc.dptr = (void *)(uintptr_t)params.alloc.dptr;
    return runtime_result(error);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams) {
    CUgraphNodeParams params;
    cudaError_t error = any_params(&params, nodeParams);
    return runtime_result(error ? error : (cudaError_t)cuGraphNodeSetParams(node, &params));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *nodeParams) {
    CUgraphNodeParams params;
    cudaError_t error = any_params(&params, nodeParams);
    return runtime_result(error ? error : (cudaError_t)cuGraphExecNodeSetParams(graphExec, node, &params));
}
