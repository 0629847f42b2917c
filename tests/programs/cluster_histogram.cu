/* A histogram with its bins distributed over the shared memory of a cluster's blocks: cudaLaunchKernelEx,
 * clusters of every size. */
#include "program.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { BINS = 1000, VALUES = 1 << 16, THREADS = 256 };

/* Each block has the bins from rank * each on. */
__global__ void histogram(unsigned *bins, const unsigned *values, int n, int each) {
    extern __shared__ unsigned own[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        own[i] = 0;
    cluster.sync(); /* all have started, and cleared theirs */
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned bin = values[i] % BINS;
        unsigned *theirs = cluster.map_shared_rank(own, bin / each);
        atomicAdd(&theirs[bin % each], 1);
    }
    cluster.sync(); /* none ends before all have added */
    int first = cluster.block_rank() * each;
    for (int i = threadIdx.x; i < each && first + i < BINS; i += blockDim.x)
        atomicAdd(&bins[first + i], own[i]);
}

int main() {
    unsigned *host = (unsigned *)malloc(VALUES * sizeof *host);
    for (unsigned i = 0; i < VALUES; i++)
        host[i] = mix(i) % 37 * (mix(i + VALUES) % 31);
    unsigned *values = to_device(host, VALUES);
    for (int size : {1, 2, 3, 4, 8}) {
        unsigned *bins = device_array<unsigned>(BINS);
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = size;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        int each = (BINS + size - 1) / size;
        cudaLaunchConfig_t config = {};
        config.gridDim = 4 * size;
        config.blockDim = THREADS;
        config.dynamicSmemBytes = each * sizeof(unsigned);
        config.attrs = &attribute;
        config.numAttrs = 1;
        CHECK(cudaLaunchKernelEx(&config, histogram, bins, (const unsigned *)values, (int)VALUES, each));
        CHECK_KERNEL();
        unsigned *counts = to_host(bins, BINS), sum = 0;
        for (int i = 0; i < BINS; i++)
            sum += counts[i];
        printf("clusters of %d: %08x, %u values\n", size, digest(counts, BINS * sizeof *counts), sum);
        free(counts);
        CHECK(cudaFree(bins));
    }
    free(host);
}
