/* Kernels with compile-time clusters: a sum and a scan over a cluster's blocks, a ring, rows passed to the
 * neighbour. */
#include "program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

enum { THREADS = 128 };

static __device__ int block_sum(int value, int *scratch) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    value = cg::reduce(warp, value, cg::plus<int>());
    if (warp.thread_rank() == 0)
        scratch[warp.meta_group_rank()] = value;
    __syncthreads();
    int sum = 0;
    for (int w = 0; w < THREADS / 32; w++)
        sum += scratch[w];
    return sum;
}

/* Each block's sum goes to the first block, which writes the cluster's. */
__global__ void __cluster_dims__(4, 1, 1) sums(int *out, const int *in) {
    __shared__ int scratch[THREADS / 32], of_blocks[4];
    auto cluster = cg::this_cluster();
    int sum = block_sum(in[blockIdx.x * THREADS + threadIdx.x], scratch);
    cluster.sync();
    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&of_blocks[cluster.block_rank()], 0) = sum;
    cluster.sync();
    if (cluster.thread_rank() == 0)
        out[blockIdx.x / 4] = of_blocks[0] + of_blocks[1] + of_blocks[2] + of_blocks[3];
}

/* Each block reads the sums of the earlier blocks. */
__global__ void __cluster_dims__(8, 1, 1) scan(int *out, const int *in) {
    __shared__ int scratch[THREADS / 32], mine;
    auto cluster = cg::this_cluster();
    int value = in[blockIdx.x * THREADS + threadIdx.x], sum = block_sum(value, scratch);
    if (threadIdx.x == 0)
        mine = sum;
    cluster.sync();
    int before = 0;
    for (unsigned rank = 0; rank < cluster.block_rank(); rank++)
        before += *cluster.map_shared_rank(&mine, rank);
    cluster.barrier_arrive();
    out[blockIdx.x * THREADS + threadIdx.x] = value + before;
    cluster.barrier_wait();
}

/* A value passes from block to block, in clusters of two by two blocks. */
__global__ void __cluster_dims__(2, 2, 1) ring(int *out) {
    __shared__ int token[2][32];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    dim3 at = cluster.block_index();
    token[0][threadIdx.x] = threadIdx.x + 1000 * at.x + 2000 * at.y;
    cluster.sync();
    for (int step = 0; step < 5; step++) {
        cluster.map_shared_rank(token[(step + 1) % 2], next)[threadIdx.x] =
            3 * token[step % 2][threadIdx.x] + rank;
        cluster.sync();
    }
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + threadIdx.x] = token[1][threadIdx.x];
}

/* Rows of a tile that the next block's threads need come from this block's shared memory. */
__global__ void __cluster_dims__(1, 4, 1) rows(float *out, const float *in, int width) {
    __shared__ float tile[8][THREADS];
    auto cluster = cg::this_cluster();
    int x = threadIdx.x, y = blockIdx.y * 8;
    for (int r = 0; r < 8; r++)
        tile[r][x] = in[(y + r) * width + x];
    cluster.sync();
    unsigned rank = cluster.block_rank();
    const float *below =
        rank + 1 < cluster.num_blocks() ? cluster.map_shared_rank(tile[0], rank + 1) : nullptr;
    for (int r = 0; r < 8; r++) {
        float next = r < 7 ? tile[r + 1][x] : below ? below[x] : 0;
        out[(y + r) * width + x] = tile[r][x] + 2 * next;
    }
    cluster.sync();
}

int main() {
    const int n = 16 * THREADS;
    int host[n];
    for (int i = 0; i < n; i++)
        host[i] = mix(i) % 1000;
    int *in = to_device(host, n), *out = device_array<int>(n);
    sums<<<16, THREADS>>>(out, in);
    CHECK_KERNEL();
    print_array("sums", out, 4);
    scan<<<16, THREADS>>>(out, in);
    CHECK_KERNEL();
    print_array("scan", out, n);
    ring<<<dim3(4, 2), 32>>>(out);
    CHECK_KERNEL();
    print_array("ring", out, 8 * 32);
    float cells[64 * THREADS];
    for (int i = 0; i < 64 * THREADS; i++)
        cells[i] = (float)(mix(i) % 1000);
    float *grid = to_device(cells, 64 * THREADS), *result = device_array<float>(64 * THREADS);
    rows<<<dim3(1, 8), THREADS>>>(result, grid, THREADS);
    CHECK_KERNEL();
    print_array("rows", result, 64 * THREADS);

    sums<<<15, THREADS>>>(out, in);
    printf("15 blocks in clusters of 4: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, ring));
    printf("ring: clusters of %dx%dx%d, must be set: %d\n", attributes.requiredClusterWidth,
           attributes.requiredClusterHeight, attributes.requiredClusterDepth, attributes.clusterDimMustBeSet);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 8;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 16;
    config.blockDim = THREADS;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int most;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&most, scan, &config));
    printf("scan: up to %d blocks\n", most);
    CHECK(cudaOccupancyMaxActiveClusters(&most, scan, &config));
    printf("clusters fit: %d\n", most > 0);
    CHECK(cudaFuncSetAttribute(scan, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK(cudaOccupancyMaxPotentialClusterSize(&most, scan, &config));
    printf("scan, if it may: up to %d blocks\n", most);
    attribute.val.clusterDim.x = 4;
    printf("in clusters of 4: %s\n",
           cudaGetErrorName(cudaLaunchKernelEx(&config, scan, out, (const int *)in)));
    cudaGetLastError();
}
