/* The work of a graph's node: checked when it is made, run when the graph runs. */
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/graph/graph.h"
#include "sim/cuda/memory/memory.h"
#include "sim/cuda/module/module.h"
#include "sim/cuda/stream/event.h"

/* ---------------------------------------------------------------- kernels */

/* Sets the pointers that cuGraphKernelNodeGetParams returns; they point into the node's own parameters. */
static CUresult point_at_parameters(struct graph_kernel *kernel) {
    CUfunction function;
    CUresult error = function_resolve(kernel->launch.handle, kernel->launch.context, &function);
    if (error)
        return error;
    enum { EXTRA = 5 }; /* two names with their values, and the end */
    size_t count = kernel->packed ? EXTRA : function->info.param_count + 1;
    kernel->pointers = calloc(count, sizeof *kernel->pointers);
    if (!kernel->pointers)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (kernel->packed) {
        kernel->packed_size = kernel->launch.param_bytes;
        kernel->pointers[0] = CU_LAUNCH_PARAM_BUFFER_POINTER;
        kernel->pointers[1] = kernel->launch.params;
        kernel->pointers[2] = CU_LAUNCH_PARAM_BUFFER_SIZE;
        kernel->pointers[3] = &kernel->packed_size;
        kernel->pointers[4] = CU_LAUNCH_PARAM_END;
    } else {
        for (size_t i = 0; i < function->info.param_count; i++)
            kernel->pointers[i] = kernel->launch.params + function->info.params[i].offset;
    }
    return CUDA_SUCCESS;
}

static void free_kernel(struct graph_kernel *kernel) {
    kernel_launch_free(&kernel->launch);
    free(kernel->pointers);
    free(kernel);
}

CUresult graph_work_launch(struct graph_work *work, struct kernel_launch *launch, bool packed) {
    struct graph_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) {
        kernel_launch_free(launch);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    kernel->launch = *launch;
    kernel->packed = packed;
    if (launch->cooperative) {
        kernel->attributes_set = 1u << CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        kernel->attributes[CU_LAUNCH_ATTRIBUTE_COOPERATIVE].cooperative = 1;
    }
    CUresult error = point_at_parameters(kernel);
    if (error) {
        free_kernel(kernel);
        return error;
    }
    *work = (struct graph_work){.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = kernel};
    return CUDA_SUCCESS;
}

/* The context in which a node runs. */
static CUresult context_of(CUcontext given, CUcontext *out) {
    CUresult error = context_enter(out);
    if (error || !given)
        return error;
    *out = given;
    return object_is(given, OBJECT_CONTEXT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult graph_work_kernel(struct graph_work *work, const CUDA_KERNEL_NODE_PARAMS *params) {
    CUcontext context;
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = context_of(params->ctx, &context);
    if (error)
        return error;
    CUfunction handle = params->func ? params->func : (CUfunction)params->kern;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    /* A function has its own context. */
    if (object_is(handle, OBJECT_FUNCTION))
        context = handle->object.context;
    CUlaunchConfig config = {
        .gridDimX = params->gridDimX,
        .gridDimY = params->gridDimY,
        .gridDimZ = params->gridDimZ,
        .blockDimX = params->blockDimX,
        .blockDimY = params->blockDimY,
        .blockDimZ = params->blockDimZ,
        .sharedMemBytes = params->sharedMemBytes,
    };
    struct kernel_launch launch;
    error = kernel_launch_make(&launch, handle, context, &config, params->kernelParams, params->extra);
    return error ? error : graph_work_launch(work, &launch, params->extra != NULL);
}

static CUresult clone_kernel(struct graph_work *to, const struct graph_kernel *from) {
    struct kernel_launch launch;
    CUresult error = kernel_launch_copy(&launch, &from->launch);
    if (!error)
        error = graph_work_launch(to, &launch, from->packed);
    if (error)
        return error;
    to->kernel->attributes_set = from->attributes_set;
    memcpy(to->kernel->attributes, from->attributes, sizeof from->attributes);
    return CUDA_SUCCESS;
}

/* ---------------------------------------------------------------- the other kinds */

CUresult graph_work_copy(struct graph_work *work, const CUDA_MEMCPY3D *params, CUcontext given) {
    CUcontext context;
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = context_of(given, &context);
    if (!error && (!params->WidthInBytes || !params->Height || !params->Depth))
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = memory_copy_check("cuGraphAddMemcpyNode", params);
    if (error)
        return error;
    *work = (struct graph_work){.type = CU_GRAPH_NODE_TYPE_MEMCPY, .copy = {*params, context}};
    return CUDA_SUCCESS;
}

CUresult graph_work_set(struct graph_work *work, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext given) {
    CUcontext context;
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = context_of(given, &context);
    if (!error && (!params->width || !params->height))
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = memory_set_check("cuGraphAddMemsetNode", params);
    if (error)
        return error;
    *work = (struct graph_work){.type = CU_GRAPH_NODE_TYPE_MEMSET, .set = {*params, context}};
    return CUDA_SUCCESS;
}

CUresult graph_work_host(struct graph_work *work, CUhostFn function, void *data) {
    if (!function)
        return CUDA_ERROR_INVALID_VALUE;
    *work = (struct graph_work){.type = CU_GRAPH_NODE_TYPE_HOST, .host = {function, data}};
    return CUDA_SUCCESS;
}

CUresult graph_work_child(struct graph_work *work, CUgraph child) {
    CUresult error = graph_check(child);
    if (error)
        return error;
    if (child->capturing)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph_has_memory_nodes(child))
        return CUDA_ERROR_NOT_SUPPORTED;
    work->type = CU_GRAPH_NODE_TYPE_GRAPH;
    return graph_clone(child, false, false, &work->child);
}

CUresult graph_work_event(struct graph_work *work, CUgraphNodeType type, CUevent event) {
    if (!object_is(event, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    *work = (struct graph_work){.type = type, .event = event};
    return CUDA_SUCCESS;
}

CUresult graph_work_alloc(struct graph_work *work, CUcontext given,
                          const CUDA_MEM_ALLOC_NODE_PARAMS *params) {
    CUcontext context;
    CUresult error = context_of(given, &context);
    if (error)
        return error;
    if (!params || !params->bytesize || params->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        (params->accessDescCount && !params->accessDescs))
        return CUDA_ERROR_INVALID_VALUE;
    if (params->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        params->poolProps.handleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    const CUdevice device = params->poolProps.location.id;
    if (!driver_has(device))
        return CUDA_ERROR_INVALID_DEVICE;
    uint64_t access = 0;
    for (size_t i = 0; i < params->accessDescCount; i++) {
        const CUmemLocation *location = &params->accessDescs[i].location;
        if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || !driver_has(location->id))
            return CUDA_ERROR_INVALID_DEVICE;
        access |= SIM_ACCESS_OF(location->id);
    }
    struct graph_memory *memory = graph_memory_create(context, device, access, params->bytesize, &error);
    if (!memory)
        return error;
    *work = (struct graph_work){.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC, .alloc = {memory, *params}};
    /* The descriptions are the caller's; queries give none. */
    work->alloc.params.accessDescs = NULL;
    work->alloc.params.accessDescCount = 0;
    work->alloc.params.dptr = graph_memory_address(memory);
    return CUDA_SUCCESS;
}

/* A node of this graph or of another must allocate the address, and no node of this graph may free it yet. */
CUresult graph_work_free_node(struct graph_work *work, CUgraph graph, CUdeviceptr address) {
    struct graph_memory *memory = NULL;
    for (size_t i = 0; i < graph->count; i++) {
        const struct graph_work *other = &graph->nodes[i]->work;
        if (other->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && other->alloc.params.dptr == address)
            memory = other->alloc.memory;
        if (other->type == CU_GRAPH_NODE_TYPE_MEM_FREE && graph_memory_address(other->freed) == address)
            return CUDA_ERROR_INVALID_VALUE;
    }
    /* Another graph may have allocated it. */
    struct allocation *allocation = memory ? NULL : allocation_at(address);
    if (allocation)
        memory = allocation->graph;
    if (!memory)
        return CUDA_ERROR_INVALID_VALUE;
    graph_memory_retain(memory);
    *work = (struct graph_work){.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .freed = memory};
    return CUDA_SUCCESS;
}

CUresult graph_work_batch(struct graph_work *work, CUcontext given, unsigned count,
                          const CUstreamBatchMemOpParams *operations, unsigned flags) {
    CUcontext context;
    CUresult error = context_of(given, &context);
    if (!error && (!count || !operations || flags))
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = memory_operations_check("cuGraphAddBatchMemOpNode", count, operations);
    if (error)
        return error;
    *work = (struct graph_work){.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, .batch = {NULL, count, context}};
    work->batch.operations = malloc(count * sizeof *operations);
    if (!work->batch.operations)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(work->batch.operations, operations, count * sizeof *operations);
    return CUDA_SUCCESS;
}

void graph_work_empty(struct graph_work *work) {
    *work = (struct graph_work){.type = CU_GRAPH_NODE_TYPE_EMPTY};
}

/* ---------------------------------------------------------------- all kinds */

CUresult graph_work_clone(struct graph_work *to, const struct graph_work *from) {
    *to = *from;
    switch (from->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return clone_kernel(to, from->kernel);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return graph_clone(from->child, from->child->hidden, false, &to->child);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        graph_memory_retain(from->alloc.memory);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        graph_memory_retain(from->freed);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return graph_work_batch(to, from->batch.context, from->batch.count, from->batch.operations, 0);
    default:
        return CUDA_SUCCESS;
    }
}

void graph_work_free(struct graph_work *work) {
    switch (work->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        free_kernel(work->kernel);
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        graph_free(work->child);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        graph_memory_release(work->alloc.memory);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        graph_memory_release(work->freed);
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        free(work->batch.operations);
        break;
    default:
        break;
    }
    graph_work_empty(work);
}

/* If a kernel faults, the work that depends on it must not run. */
static CUresult run_kernel(const struct kernel_launch *launch) {
    CUresult error = kernel_launch_run(launch);
    return error ? error : (CUresult)atomic_load(&launch->context->fault);
}

CUresult graph_work_run(const struct graph_work *work) {
    switch (work->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return run_kernel(&work->kernel->launch);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return memory_copy("cuGraphLaunch: a memcpy node", &work->copy.params);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return memory_set("cuGraphLaunch: a memset node", &work->set.params);
    case CU_GRAPH_NODE_TYPE_HOST:
        work->host.fn(work->host.userData);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return graph_run(work->child);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return event_record(work->event);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: /* recorded work has always finished */
        return object_is(work->event, OBJECT_EVENT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return graph_memory_set_allocated(work->alloc.memory, true);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return graph_memory_set_allocated(work->freed, false);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return memory_operations_run("cuGraphLaunch: a memory operation node", work->batch.count,
                                     work->batch.operations);
    default:
        return CUDA_SUCCESS;
    }
}
