/* Clusters of blocks: valid launches, and what a kernel sees.  Every answer is an H200's. */
#include "tests/cuda/graphs.h"

static CUmodule module;
static CUdeviceptr out;

enum { PREFERRED_CLUSTER = 11 }; /* CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION */

static CUfunction kernel(const char *name) {
    CUfunction function;
    assert_ok(api.cuModuleGetFunction(&function, module, name));
    return function;
}

static CUlaunchConfig config_of(unsigned grid, CUlaunchAttribute *attributes, unsigned count) {
    return (CUlaunchConfig){.gridDimX = grid,
                            .gridDimY = 1,
                            .gridDimZ = 1,
                            .blockDimX = 32,
                            .blockDimY = 1,
                            .blockDimZ = 1,
                            .attrs = attributes,
                            .numAttrs = count};
}

static CUlaunchAttribute cluster_of(unsigned x, unsigned y, unsigned z) {
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    attribute.value.clusterDim.x = x;
    attribute.value.clusterDim.y = y;
    attribute.value.clusterDim.z = z;
    return attribute;
}

static CUresult plainly(const char *name, unsigned grid) {
    void *params[] = {&out};
    return api.cuLaunchKernel(kernel(name), grid, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
}

static CUresult with(const char *name, unsigned grid, unsigned x, unsigned y, unsigned z) {
    CUlaunchAttribute attribute = cluster_of(x, y, z);
    CUlaunchConfig config = config_of(grid, &attribute, 1);
    void *params[] = {&out};
    return api.cuLaunchKernelEx(&config, kernel(name), params, NULL);
}

/* Checks what the last launch's kernel saw. */
static void assert_saw(unsigned clusters, unsigned blocks, unsigned given) {
    unsigned got[4];
    assert_ok(api.cuMemcpyDtoH(got, out, sizeof got));
    assert_int_equal(got[0], clusters);
    assert_int_equal(got[1], blocks);
    assert_int_equal(got[2], 0);
    assert_int_equal(got[3], given);
}

#define NO CUDA_ERROR_INVALID_CLUSTER_SIZE

static void compiled(void **state) {
    (void)state;
    assert_ok(plainly("four", 4));
    assert_saw(1, 4, 1);
    assert_int_equal(plainly("four", 5), NO);
    assert_int_equal(plainly("four", 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(with("four", 8, 4, 1, 1));
    assert_saw(2, 4, 1);
    assert_int_equal(with("four", 8, 2, 1, 1), NO);
    assert_int_equal(with("four", 8, 1, 1, 1), NO);
    assert_int_equal(plainly("some", 4), NO);
    assert_ok(with("some", 4, 2, 1, 1));
    assert_ok(with("some", 4, 1, 1, 1));
    assert_ok(plainly("at_most_four", 8));
    assert_ok(with("at_most_four", 8, 4, 1, 1));
    assert_int_equal(with("at_most_four", 8, 8, 1, 1), NO);
    assert_ok(with("at_most_seven", 7, 7, 1, 1));
    assert_int_equal(with("at_most_seven", 8, 8, 1, 1), NO);
    assert_int_equal(plainly("sixteen", 16), NO);
    assert_ok(
        api.cuFuncSetAttribute(kernel("sixteen"), CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    assert_ok(plainly("sixteen", 32));
    assert_saw(2, 16, 1);
    assert_ok(
        api.cuFuncSetAttribute(kernel("sixteen"), CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0));
    assert_int_equal(plainly("sixteen", 16), NO);
}

static void asked(void **state) {
    (void)state;
    CUfunction plain = kernel("plain");
    assert_ok(plainly("plain", 5));
    assert_saw(5, 1, 0);
    assert_ok(with("plain", 5, 1, 1, 1));
    assert_saw(5, 1, 1);
    assert_ok(with("plain", 6, 2, 1, 1));
    assert_saw(3, 2, 1);
    assert_ok(with("plain", 6, 3, 1, 1));
    assert_ok(with("plain", 16, 8, 1, 1));
    static const unsigned bad[][4] = {{5, 2, 1, 1},  {4, 1, 2, 1},   {6, 2, 0, 0},   {6, 0, 2, 0},
                                      {18, 9, 1, 1}, {16, 16, 1, 1}, {32, 32, 1, 1}, {8, 4, 4, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(with("plain", bad[i][0], bad[i][1], bad[i][2], bad[i][3]), NO);
    assert_ok(api.cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    assert_ok(with("plain", 24, 12, 1, 1));
    assert_ok(with("plain", 16, 16, 1, 1));
    assert_int_equal(with("plain", 17, 17, 1, 1), NO);
    assert_ok(api.cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0));
    /* Cooperative launches too.  A preferred size must be a multiple of a given cluster size, which is
     * used. */
    CUlaunchAttribute two[] = {cluster_of(2, 1, 1), {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE}};
    two[1].value.cooperative = 1;
    CUlaunchConfig config = config_of(6, two, 2);
    void *params[] = {&out};
    assert_ok(api.cuLaunchKernelEx(&config, plain, params, NULL));
    assert_saw(3, 2, 1);
    two[1] = cluster_of(4, 1, 1);
    two[1].id = (CUlaunchAttributeID)PREFERRED_CLUSTER;
    config = config_of(8, two, 2);
    assert_ok(api.cuLaunchKernelEx(&config, plain, params, NULL));
    assert_saw(4, 2, 1);
    config = config_of(8, two + 1, 1);
    assert_int_equal(api.cuLaunchKernelEx(&config, plain, params, NULL), NO);
}

static int attribute_of(const char *name, CUfunction_attribute attribute) {
    int value = -1;
    assert_ok(api.cuFuncGetAttribute(&value, attribute, kernel(name)));
    return value;
}

static CUresult require(const char *name, int dimension, int value) {
    return api.cuFuncSetAttribute(
        kernel(name), (CUfunction_attribute)(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + dimension), value);
}

static void attributes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int must, width, height, depth;
    } wanted[] = {
        {"plain", 0, 0, 0, 0}, {"four", 1, 4, 1, 1},         {"sixteen", 1, 16, 1, 1},
        {"some", 1, 0, 0, 0},  {"at_most_four", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *name = wanted[i].name;
        assert_int_equal(attribute_of(name, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), wanted[i].must);
        assert_int_equal(attribute_of(name, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), wanted[i].width);
        assert_int_equal(attribute_of(name, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT), wanted[i].height);
        assert_int_equal(attribute_of(name, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH), wanted[i].depth);
    }
    assert_int_equal(require("four", 0, 2), CUDA_ERROR_INVALID_VALUE);
    assert_ok(require("four", 0, 4));
    assert_int_equal(api.cuFuncSetAttribute(kernel("plain"), CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, 1),
                     CUDA_ERROR_INVALID_VALUE);
    assert_ok(require("plain", 0, 2));
    assert_int_equal(plainly("plain", 6), NO); /* two sizes are missing */
    assert_ok(require("plain", 1, 1));
    assert_ok(require("plain", 2, 1));
    assert_ok(plainly("plain", 6));
    assert_saw(3, 2, 1);
    assert_int_equal(plainly("plain", 5), NO);
    assert_int_equal(with("plain", 8, 4, 1, 1), NO);
    assert_int_equal(require("plain", 0, -1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(require("plain", 0, 100));
    assert_int_equal(attribute_of("plain", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 100);
    for (int d = 0; d < 3; d++)
        assert_ok(require("plain", d, 0));
    assert_ok(plainly("plain", 5));
    for (int d = 0; d < 3; d++)
        assert_ok(require("some", d, d ? 1 : 2));
    assert_ok(plainly("some", 4));
    assert_saw(2, 2, 1);
}

static CUresult occupancy(const char *name, unsigned grid, unsigned cluster, unsigned shared, int *active,
                          int *potential) {
    CUlaunchAttribute attribute = cluster_of(cluster, 1, 1);
    CUlaunchConfig config = config_of(grid, &attribute, cluster != 0);
    config.blockDimX = 1024;
    config.sharedMemBytes = shared;
    CUresult error = api.cuOccupancyMaxActiveClusters(active, kernel(name), &config);
    assert_int_equal(api.cuOccupancyMaxPotentialClusterSize(potential, kernel(name), &config), error);
    return error;
}

static void occupancies(void **state) {
    (void)state;
    CUfunction plain = kernel("plain");
    int active, potential;
    assert_ok(api.cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 << 10));
    static const int wanted[][4] = {{1, 0, 264, 8},         {2, 0, 132, 8},        {8, 0, 30, 8},
                                    {1, 227 << 10, 132, 8}, {2, 227 << 10, 66, 8}, {4, 227 << 10, 30, 8},
                                    {8, 227 << 10, 15, 8}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        unsigned size = (unsigned)wanted[i][0];
        assert_ok(occupancy("plain", 4 * size, size, (unsigned)wanted[i][1], &active, &potential));
        assert_int_equal(active, wanted[i][2]);
        assert_int_equal(potential, wanted[i][3]);
    }
    /* Nine blocks of 224 threads fit on a multiprocessor; an H200 reports eight, and nine with dynamic shared
     * memory. */
    CUlaunchAttribute one = cluster_of(1, 1, 1);
    CUlaunchConfig small = config_of(9, &one, 1);
    small.blockDimX = 224;
    assert_ok(api.cuOccupancyMaxActiveClusters(&active, plain, &small));
    assert_int_equal(active, 132 * 8);
    small.sharedMemBytes = 1;
    assert_ok(api.cuOccupancyMaxActiveClusters(&active, plain, &small));
    assert_int_equal(active, 132 * 9);
    assert_ok(occupancy("plain", 4, 0, 0, &active, &potential));
    assert_int_equal(active, 0);
    assert_int_equal(occupancy("plain", 5, 4, 0, &active, &potential), NO);
    assert_int_equal(occupancy("plain", 32, 16, 0, &active, &potential), NO);
    assert_int_equal(occupancy("sixteen", 16, 0, 0, &active, &potential), NO);
    assert_ok(api.cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    assert_ok(occupancy("plain", 32, 16, 227 << 10, &active, &potential));
    assert_int_equal(active, 7);
    assert_int_equal(potential, 16);
    assert_ok(api.cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0));
    CUlaunchConfig config = config_of(4, NULL, 1);
    assert_int_equal(api.cuOccupancyMaxActiveClusters(&active, plain, &config), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuOccupancyMaxActiveClusters(&active, plain, NULL), CUDA_ERROR_INVALID_VALUE);
    config.numAttrs = 0;
    assert_int_equal(api.cuOccupancyMaxActiveClusters(NULL, plain, &config), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuOccupancyMaxPotentialClusterSize(NULL, plain, &config), CUDA_ERROR_INVALID_VALUE);
}

/* Nodes keep their clusters, however they got them. */
static void in_graphs(void **state) {
    (void)state;
    CUgraph graph = create_graph();
    CUgraphNode node;
    void *values[] = {&out};
    CUDA_KERNEL_NODE_PARAMS params = {.func = kernel("plain"),
                                      .gridDimX = 6,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 1,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .kernelParams = values};
    assert_ok(api.cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
    CUkernelNodeAttrValue value = cluster_of(3, 1, 1).value;
    assert_ok(api.cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
    value.clusterDim.z = 0;
    assert_int_equal(api.cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value),
                     NO);
    CUgraphExec exec = instantiate(graph);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_saw(2, 3, 1);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
    CUstream stream;
    assert_ok(api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_ok(api.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CUlaunchAttribute attribute = cluster_of(2, 1, 1);
    CUlaunchConfig config = config_of(8, &attribute, 1);
    config.hStream = stream;
    assert_ok(api.cuLaunchKernelEx(&config, kernel("plain"), values, NULL));
    assert_ok(api.cuStreamEndCapture(stream, &graph));
    exec = instantiate(graph);
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_saw(4, 2, 1);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
    assert_ok(api.cuStreamDestroy(stream));
}

/* Devices before compute capability 9.0 have none. */
static void older(void **state) {
    (void)state;
    int has;
    assert_ok(api.cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
    assert_int_equal(has, 1);
    static const char *const architectures[] = {"sm_80", "sm_89"};
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        assert_int_equal(api.set_arch(architectures[i]), 0);
        assert_ok(api.cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
        assert_int_equal(has, 0);
        assert_int_equal(plainly("four", 4), CUDA_ERROR_NOT_SUPPORTED);
        assert_int_equal(with("plain", 4, 2, 1, 1), CUDA_ERROR_NOT_SUPPORTED);
        assert_ok(with("plain", 4, 1, 1, 1));
    }
    assert_int_equal(api.set_arch("sm_90"), 0);
}

static int setup(void **state) {
    int failed = graphs_setup(state);
    if (failed)
        return failed;
    char *text = api_read("clusters.ptx", NULL);
    failed = api.cuModuleLoadData(&module, text) || api.cuMemAlloc(&out, 4096);
    free(text);
    return failed;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled),    cmocka_unit_test(asked),     cmocka_unit_test(attributes),
        cmocka_unit_test(occupancies), cmocka_unit_test(in_graphs), cmocka_unit_test(older),
    };
    return cmocka_run_group_tests(tests, setup, api_teardown);
}
