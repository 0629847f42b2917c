/* Graphs as structures: nodes, edges, copies, ownership. */
#include <limits.h>
#include <stdio.h>

#include "tests/cuda/graphs.h"

static void structure(void **state) {
    (void)state;
    CUgraph graph = create_graph(), other = create_graph();
    CUgraphNode a, b, c, d, nodes[8], from[8], to[8];
    size_t count = 8;
    assert_ok(api.cuGraphAddEmptyNode(&a, graph, NULL, 0));
    assert_ok(api.cuGraphAddEmptyNode(&b, graph, &a, 1));
    assert_ok(api.cuGraphAddEmptyNode(&c, graph, (CUgraphNode[]){a, b}, 2));
    assert_ok(api.cuGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 3);
    count = 5;
    assert_ok(api.cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 3);
    assert_ptr_equal(nodes[0], a);
    assert_ptr_equal(nodes[2], c);
    assert_null(nodes[4]);
    count = 2;
    assert_ok(api.cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 2);
    count = 8;
    assert_ok(api.cuGraphGetRootNodes(graph, nodes, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(nodes[0], a);
    count = 8;
    assert_ok(api.cuGraphGetEdges(graph, from, to, NULL, &count));
    assert_int_equal(count, 3);
    assert_ptr_equal(from[0], a);
    assert_ptr_equal(to[0], b);
    assert_ptr_equal(to[2], c);
    CUgraphEdgeData data[8];
    memset(data, 0xff, sizeof data);
    count = 8;
    assert_ok(api.cuGraphNodeGetDependencies(c, nodes, data, &count));
    assert_int_equal(count, 2);
    assert_ptr_equal(nodes[1], b);
    assert_int_equal(data[1].type, 0);
    count = 8;
    assert_ok(api.cuGraphNodeGetDependentNodes(a, nodes, NULL, &count));
    assert_int_equal(count, 2);
    CUgraphNodeType type;
    assert_ok(api.cuGraphNodeGetType(a, &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_EMPTY);
    /* Edges are unique, and within one graph. */
    assert_int_equal(api.cuGraphAddDependencies(graph, &a, &b, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddDependencies(graph, &a, &a, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddDependencies(other, &a, &b, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddEmptyNode(&d, graph, (CUgraphNode[]){a, a}, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddEmptyNode(&d, other, &a, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddEmptyNode(&d, graph, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphAddEmptyNode(NULL, graph, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    /* If one of several edges is bad, none is added or removed. */
    assert_ok(api.cuGraphAddEmptyNode(&d, graph, NULL, 0));
    assert_int_equal(api.cuGraphAddDependencies(graph, (CUgraphNode[]){d, a}, (CUgraphNode[]){c, b}, NULL, 2),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        api.cuGraphRemoveDependencies(graph, (CUgraphNode[]){a, d}, (CUgraphNode[]){b, c}, NULL, 2),
        CUDA_ERROR_INVALID_VALUE);
    count = 0;
    assert_ok(api.cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
    assert_int_equal(count, 3);
    assert_ok(api.cuGraphRemoveDependencies(graph, &a, &b, NULL, 1));
    assert_int_equal(api.cuGraphRemoveDependencies(graph, &a, &b, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphDestroyNode(a));
    assert_int_equal(api.cuGraphDestroyNode(a), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphNodeGetType(a, &type), CUDA_ERROR_INVALID_VALUE);
    count = 8;
    assert_ok(api.cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 3);
    assert_ptr_equal(nodes[0], b);
    assert_ok(api.cuGraphDestroy(other));
    assert_ok(api.cuGraphDestroy(graph));
    assert_int_equal(api.cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphNodeGetType(b, &type), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphCreate(&graph, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphDestroy((CUgraph)&graph), CUDA_ERROR_INVALID_VALUE);
}

/* An edge's data is returned only to callers that request it. */
static void edge_data(void **state) {
    (void)state;
    CUgraph graph = create_graph();
    CUgraphNode a = add_store(graph, NULL, 0, 0, 1), b = add_store(graph, NULL, 0, 0, 2), found, end;
    CUgraphNode empty;
    assert_ok(api.cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    CUgraphEdgeData data = {.from_port = 1, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC}, told = {0};
    size_t count = 1;
    assert_int_equal(api.cuGraphAddDependencies(graph, &a, &empty, &data, 1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphAddDependencies(graph, &a, &b, &data, 1));
    assert_ok(api.cuGraphGetEdges(graph, &found, &end, &told, &count));
    assert_memory_equal(&told, &data, sizeof data);
    assert_int_equal(api.cuGraphGetEdges(graph, &found, &end, NULL, &count), CUDA_ERROR_LOSSY_QUERY);
    assert_int_equal(api.cuGraphNodeGetDependencies(b, &found, NULL, &count), CUDA_ERROR_LOSSY_QUERY);
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    assert_int_equal(api.cuGraphAddNode(&found, graph, &a, &data, 1, &params), CUDA_ERROR_INVALID_VALUE);
    count = 0;
    assert_ok(api.cuGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 3);
    launch_once(graph);
    assert_int_equal(read_word(0), 2);
    assert_ok(api.cuGraphDestroy(graph));
}

/* Edges with data: the largest port and kind, and one above. */
static void edge_kinds(void **state) {
    (void)state;
    CUgraph graph = create_graph();
    CUgraphNode a = add_store(graph, NULL, 0, 0, 1), b = add_store(graph, NULL, 0, 0, 2);
    for (unsigned char port = 0; port < 5; port++)
        for (unsigned char type = 0; type < 4; type++) {
            const CUgraphEdgeData data = {.from_port = port, .type = type};
            const bool right = port <= 2 && type <= CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
            assert_int_equal(api.cuGraphAddDependencies(graph, &a, &b, &data, 1),
                             right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
            if (right)
                assert_ok(api.cuGraphRemoveDependencies(graph, &a, &b, &data, 1));
        }
    assert_ok(api.cuGraphDestroy(graph));
}

/* Lists that are shorter than the answer, as long, and longer. */
static void rooms(void **state) {
    (void)state;
    CUgraph graph = create_graph();
    CUgraphNode a = add_store(graph, NULL, 0, 0, 1), b = add_store(graph, NULL, 0, 0, 2),
                c = add_store(graph, NULL, 0, 0, 3);
    const CUgraphEdgeData data = {.from_port = 1, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
    const CUgraphNode guard = (CUgraphNode)(uintptr_t)0x5a5a;
    const CUgraphNode all[] = {a, b, c, NULL, NULL, NULL};
    for (size_t room = 1; room <= 5; room++) {
        CUgraphNode nodes[6] = {guard, guard, guard, guard, guard, guard};
        size_t count = room;
        assert_ok(api.cuGraphGetNodes(graph, nodes, &count));
        assert_int_equal(count, room < 3 ? room : 3);
        for (size_t i = 0; i < 6; i++)
            assert_ptr_equal(nodes[i], i < room ? all[i] : guard);
    }
    /* A caller without edge data is refused only edges that it would get: not those beyond the list's
     * capacity, and none if there is no list. */
    assert_ok(api.cuGraphAddDependencies(graph, &a, &b, NULL, 1));
    assert_ok(api.cuGraphAddDependencies(graph, &a, &c, &data, 1));
    CUgraphNode found[2] = {guard, guard};
    size_t count = 1;
    assert_ok(api.cuGraphNodeGetDependentNodes(a, found, NULL, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(found[0], b);
    assert_ptr_equal(found[1], guard);
    count = 8;
    assert_ok(api.cuGraphNodeGetDependentNodes(a, NULL, NULL, &count));
    assert_int_equal(count, 2);
    count = 2;
    assert_int_equal(api.cuGraphNodeGetDependentNodes(a, found, NULL, &count), CUDA_ERROR_LOSSY_QUERY);
    assert_ok(api.cuGraphDestroy(graph));
}

/* Every node runs after its dependencies, in whatever order they were added. */
static void order(void **state) {
    (void)state;
    CUgraph graph = create_graph();
    CUgraphNode last = add_store(graph, NULL, 0, 0, 3), middle = add_store(graph, NULL, 0, 0, 2);
    CUgraphNode first = add_store(graph, NULL, 0, 0, 1);
    assert_ok(api.cuGraphAddDependencies(graph, (CUgraphNode[]){first, middle}, (CUgraphNode[]){middle, last},
                                         NULL, 2));
    launch_once(graph);
    assert_int_equal(read_word(0), 3);
    /* A cycle cannot run. */
    CUgraphExec exec;
    assert_ok(api.cuGraphAddDependencies(graph, &last, &first, NULL, 1));
    assert_int_equal(api.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = 0};
    assert_int_equal(api.cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    assert_non_null(params.hErrNode_out);
    assert_ok(api.cuGraphDestroy(graph));
    /* A long chain does not overflow the stack. */
    graph = create_graph();
    CUgraphNode node, before = NULL;
    for (int i = 0; i < 20000; i++) {
        assert_ok(api.cuGraphAddEmptyNode(&node, graph, NULL, 0));
        if (before)
            assert_ok(api.cuGraphAddDependencies(graph, &node, &before, NULL, 1));
        before = node;
    }
    launch_once(graph);
    assert_ok(api.cuGraphDestroy(graph));
}

static void user_objects(void **state) {
    (void)state;
    int freed = 0;
    CUuserObject object;
    CUgraph graph = create_graph();
    assert_ok(api.cuUserObjectCreate(&object, &freed, add_one, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    assert_ok(api.cuUserObjectRetain(object, 2));
    assert_ok(api.cuUserObjectRelease(object, 2));
    assert_int_equal(api.cuUserObjectRelease(object, 2), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    assert_int_equal(api.cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphRetainUserObject(graph, object, 2, 0));
    assert_ok(api.cuGraphReleaseUserObject(graph, object, 2));
    assert_int_equal(api.cuGraphReleaseUserObject(graph, object, 2), CUDA_ERROR_INVALID_VALUE);
    /* No more references than can be counted. */
    assert_ok(api.cuGraphRetainUserObject(graph, object, INT_MAX, 0));
    assert_ok(api.cuGraphRetainUserObject(graph, object, INT_MAX, 0));
    assert_int_equal(api.cuGraphRetainUserObject(graph, object, INT_MAX, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphReleaseUserObject(graph, object, INT_MAX));
    assert_ok(api.cuGraphReleaseUserObject(graph, object, INT_MAX));
    CUgraphExec exec = instantiate(graph);
    assert_ok(api.cuGraphDestroy(graph));
    assert_int_equal(freed, 0);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_int_equal(freed, 1);
    assert_int_equal(api.cuUserObjectRetain(object, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuUserObjectCreate(&object, &freed, add_one, 1, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuUserObjectCreate(&object, &freed, NULL, 1, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuUserObjectCreate(&object, &freed, add_one, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

/* The program and a graph can release all their references, and no more. */
static void user_counts(void **state) {
    (void)state;
    const CUresult INVALID = CUDA_ERROR_INVALID_VALUE;
    const unsigned flags = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, most = INT_MAX;
    int freed = 0;
    CUuserObject object;
    CUgraph graph = create_graph();
    assert_int_equal(api.cuUserObjectCreate(&object, &freed, add_one, most + 1, flags), INVALID);
    assert_ok(api.cuUserObjectCreate(&object, &freed, add_one, most, flags));
    assert_int_equal(api.cuUserObjectRetain(object, most + 1), INVALID);
    assert_ok(api.cuUserObjectRetain(object, most));
    assert_ok(api.cuUserObjectRelease(object, most));
    assert_ok(api.cuUserObjectRelease(object, most));
    assert_int_equal(freed, 1);

    assert_ok(api.cuUserObjectCreate(&object, &freed, add_one, 1, flags));
    assert_int_equal(api.cuGraphRetainUserObject(graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE), INVALID);
    assert_int_equal(api.cuGraphReleaseUserObject(graph, object, 1), INVALID);
    assert_ok(api.cuGraphRetainUserObject(graph, object, most, 0));
    assert_ok(api.cuGraphRetainUserObject(graph, object, most, 0));
    assert_ok(api.cuGraphRetainUserObject(graph, object, 1, 0)); /* now UINT_MAX */
    assert_int_equal(api.cuGraphRetainUserObject(graph, object, 1, 0), INVALID);
    assert_ok(api.cuGraphReleaseUserObject(graph, object, most));
    assert_ok(api.cuGraphReleaseUserObject(graph, object, most));
    assert_ok(api.cuGraphReleaseUserObject(graph, object, 1));
    assert_int_equal(api.cuGraphReleaseUserObject(graph, object, 1), INVALID);
    assert_int_equal(freed, 1);
    assert_ok(api.cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    assert_ok(api.cuGraphReleaseUserObject(graph, object, 1));
    assert_int_equal(freed, 2);
    assert_ok(api.cuGraphDestroy(graph));
}

static void dot(void **state) {
    (void)state;
    CUgraph graph = create_graph();
    CUgraphNode node = add_store(graph, NULL, 0, 0, 1), empty;
    assert_ok(api.cuGraphAddEmptyNode(&empty, graph, &node, 1));
    assert_ok(api.cuGraphDebugDotPrint(graph, api_path("graph_test.dot"), 0));
    char *text = api_read("graph_test.dot", NULL);
    assert_non_null(strstr(text, "digraph"));
    assert_non_null(strstr(text, "store_at"));
    assert_non_null(strstr(text, "EMPTY"));
    assert_non_null(strstr(text, " -> "));
    free(text);
    assert_int_equal(api.cuGraphDebugDotPrint(graph, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphDebugDotPrint(graph, api_path("no/such/folder"), 0),
                     CUDA_ERROR_OPERATING_SYSTEM);
    assert_ok(api.cuGraphDestroy(graph));
    (void)remove(api_path("graph_test.dot"));
}

/* Remaining references are released with the driver. */
static void left_over(void **state) {
    (void)state;
    CUgraph graph = create_graph();
    add_store(graph, NULL, 0, 0, 1);
    (void)instantiate(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure),   cmocka_unit_test(edge_kinds), cmocka_unit_test(rooms),
        cmocka_unit_test(edge_data),   cmocka_unit_test(order),      cmocka_unit_test(user_objects),
        cmocka_unit_test(user_counts), cmocka_unit_test(dot),        cmocka_unit_test(left_over),
    };
    return cmocka_run_group_tests(tests, graphs_setup, api_teardown);
}
