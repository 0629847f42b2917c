/* Graphs of work: nodes, the edges between them, and executable copies of a graph.
 *
 * A graph's nodes are kept in the order in which they were added, and so are each node's dependencies.
 * Updating an executable graph pairs the nodes of two graphs by both orders.  As in CUDA, only one thread at
 * a time may use a graph; different graphs may be used in parallel. */
#ifndef WIDELOAD_SIM_CUDA_GRAPH_H
#define WIDELOAD_SIM_CUDA_GRAPH_H

#include "sim/cuda/launch/launch.h"

/* ---------------------------------------------------------------- memory of graphs (graph_memory.c) */

/* The memory of an allocation node.  Its address is fixed when the node is made and is the same for all
 * launches; `allocated` says whether the program may use it now.  Each node that allocates or frees it holds
 * a reference, in the graph and in its executable copies. */
struct graph_memory;
/* access: bits of the devices that reach it beside its own. */
struct graph_memory *graph_memory_create(CUcontext context, CUdevice device, uint64_t access, size_t size,
                                         CUresult *error);
void graph_memory_retain(struct graph_memory *memory);
void graph_memory_release(struct graph_memory *memory);
CUdeviceptr graph_memory_address(const struct graph_memory *memory);
bool graph_memory_is_allocated(struct graph_memory *memory);
/* Errors: INVALID_VALUE if it is in that state already, or its context is destroyed. */
CUresult graph_memory_set_allocated(struct graph_memory *memory, bool allocated);
/* For cuMemFree: the program frees the allocation.  Errors: INVALID_VALUE if it was not allocated. */
CUresult graph_memory_free_by_program(struct graph_memory *memory);
/* For alloc.c: the allocation was destroyed. */
void graph_memory_forget(struct graph_memory *memory);

/* ---------------------------------------------------------------- a node's work (graph_work.c) */

enum { GRAPH_ATTRIBUTES = 17 }; /* CUDA's launch attributes, indexed by number */

struct graph_kernel {
    struct kernel_launch launch;
    bool packed;     /* the parameters were given as one buffer, and are returned as one */
    void **pointers; /* kernelParams or extra, as returned by cuGraphKernelNodeGetParams */
    size_t packed_size;
    uint32_t attributes_set; /* one bit per attribute */
    CUlaunchAttributeValue attributes[GRAPH_ATTRIBUTES];
};

struct graph_work {
    CUgraphNodeType type;
    union {
        struct graph_kernel *kernel; /* owned */
        struct {
            CUDA_MEMCPY3D params;
            CUcontext context;
        } copy;
        struct {
            CUDA_MEMSET_NODE_PARAMS params;
            CUcontext context;
        } set;
        CUDA_HOST_NODE_PARAMS host;
        CUgraph child; /* owned */
        CUevent event;
        struct {
            struct graph_memory *memory; /* a reference */
            CUDA_MEM_ALLOC_NODE_PARAMS params;
        } alloc;
        struct graph_memory *freed; /* a reference */
        struct {
            CUstreamBatchMemOpParams *operations; /* owned */
            unsigned count;
            CUcontext context;
        } batch;
    };
};

/* Each checks a node's parameters and fills *work.  The caller frees it with graph_work_free(), or passes it
 * to a node.  context NULL: the current one. */
CUresult graph_work_kernel(struct graph_work *work, const CUDA_KERNEL_NODE_PARAMS *params);
/* Takes ownership of launch, also on an error. */
CUresult graph_work_launch(struct graph_work *work, struct kernel_launch *launch, bool packed);
CUresult graph_work_copy(struct graph_work *work, const CUDA_MEMCPY3D *params, CUcontext context);
CUresult graph_work_set(struct graph_work *work, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context);
CUresult graph_work_host(struct graph_work *work, CUhostFn function, void *data);
CUresult graph_work_child(struct graph_work *work, CUgraph child);
/* type: EVENT_RECORD or WAIT_EVENT. */
CUresult graph_work_event(struct graph_work *work, CUgraphNodeType type, CUevent event);
CUresult graph_work_alloc(struct graph_work *work, CUcontext context,
                          const CUDA_MEM_ALLOC_NODE_PARAMS *params);
/* For a free node of graph. */
CUresult graph_work_free_node(struct graph_work *work, CUgraph graph, CUdeviceptr address);
CUresult graph_work_batch(struct graph_work *work, CUcontext context, unsigned count,
                          const CUstreamBatchMemOpParams *operations, unsigned flags);
void graph_work_empty(struct graph_work *work);
#if CUDA_VERSION >= 12020
/* graph_nodes.c: makes the work that params describes, for a node of graph. */
CUresult graph_work_any(struct graph_work *work, CUgraph graph, CUgraphNodeParams *params);
#endif

CUresult graph_work_clone(struct graph_work *to, const struct graph_work *from);
void graph_work_free(struct graph_work *work);
/* Runs it.  A kernel's fault is stored in its context. */
CUresult graph_work_run(const struct graph_work *work);

/* ---------------------------------------------------------------- graphs (graph.c) */

struct graph_edge {
    CUgraphNode node;
    unsigned char from_port, to_port, type; /* as in CUgraphEdgeData */
};

struct graph_edges {
    struct graph_edge *items;
    size_t count, capacity;
};

struct CUgraphNode_st {
    struct object object;
    CUgraph graph;
    size_t index;                /* index in graph->nodes */
    unsigned long long id;       /* unique in this process */
    unsigned long long original; /* the id of the node that it was cloned from; 0: none */
    bool disabled;               /* in an executable graph */
    struct graph_work work;
    struct graph_edges in, out;
};

struct user_reference {
    CUuserObject user;
    unsigned count;
    struct user_reference *next;
};

struct CUgraph_st {
    struct object object;
    unsigned long long id; /* unique in this process */
    CUgraphNode *nodes;
    size_t count, capacity;
    bool hidden;     /* an executable graph's own copy; no handle refers to it or its nodes */
    bool capturing;  /* a capture is adding to it */
    bool embedded;   /* belongs to a child node */
    bool executable; /* has an executable copy; tracked only for graphs with memory nodes */
    struct user_reference *users;
};

CUresult graph_check(CUgraph graph);
CUresult graph_check_node(CUgraphNode node, CUgraphNodeType type);
CUgraph graph_create(bool hidden, bool owned);
void graph_free(CUgraph graph);
/* Takes ownership of work on success.  On an error the graph is unchanged. */
CUresult graph_add(CUgraph graph, const CUgraphNode *dependencies, size_t count,
                   const struct graph_work *work, CUgraphNode *out);
/* graph_add(), which every cuGraphAdd*Node ends with; frees work on an error. */
CUresult graph_add_made(CUresult made, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                        struct graph_work *work, CUgraphNode *out);
/* edge NULL: an ordinary dependency.  Errors: INVALID_VALUE if the edge exists already. */
CUresult graph_connect(CUgraphNode from, CUgraphNode to, const struct graph_edge *edge);
bool graph_disconnect(CUgraphNode from, CUgraphNode to, const struct graph_edge *edge);
void graph_remove_node(CUgraphNode node);
bool graph_has_memory_nodes(CUgraph graph);
/* owned: the clone has its own handle; otherwise it belongs to a child node. */
CUresult graph_clone(CUgraph graph, bool hidden, bool owned, CUgraph *out);
/* The clone of this node, also in child graphs; NULL if there is none. */
CUgraphNode graph_find_clone(CUgraph clone, CUgraphNode original);
/* The nodes in topological order; among independent nodes, in the order of their addition.  The caller frees
 * the array.  NULL with *offender set: there is a cycle.  NULL alone: out of memory. */
CUgraphNode *graph_order(CUgraph graph, CUgraphNode *offender);
/* Runs a graph's work, including child graphs. */
CUresult graph_run(CUgraph graph);

/* ---------------------------------------------------------------- user objects (user_object.c) */

CUresult graph_share_users(CUgraph from, CUgraph to);
void graph_release_users(CUgraph graph);

#endif
