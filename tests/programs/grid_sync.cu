/* A cooperative launch: blocks wait for each other between the steps of a sum. */
#include <cooperative_groups.h>

#include "program.h"

namespace cg = cooperative_groups;

__global__ void sum(const int *data, int n, int *partial, int *result) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    __shared__ int s[128];
    int mine = 0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        mine += data[i];
    s[block.thread_rank()] = mine;
    block.sync();
    for (int half = 64; half; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        block.sync();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = s[0];
    grid.sync();
    if (grid.thread_rank() == 0) {
        int all = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            all += partial[i];
        *result = all;
    }
    grid.sync();
    partial[blockIdx.x] = *result - blockIdx.x;
}

int main() {
    int n = 20000, *host = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        host[i] = mix(i) % 1000;
    int *data = to_device(host, n), *partial = device_array<int>(16), *result = device_array<int>(1);
    void *arguments[] = {&data, &n, &partial, &result};
    CHECK(cudaLaunchCooperativeKernel((void *)sum, 16, 128, arguments));
    CHECK_KERNEL();
    print_array("sum", result, 1);
    print_array("seen by every block", partial, 16);
    printf("too many blocks: %s\n",
           cudaGetErrorName(cudaLaunchCooperativeKernel((void *)sum, 1 << 20, 128, arguments)));
    free(host);
}
