/* Ways to launch: <<<>>>, cudaLaunchKernel, cudaLaunchKernelExC, cudaLaunchKernelEx; an empty grid is
 * refused. */
#include "program.h"

struct point {
    char name;
    double at[3];
};

__global__ void where(point p, int *out, short step) {
    extern __shared__ int shared[];
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int threads = blockDim.x * blockDim.y * blockDim.z;
    shared[thread] = (int)p.at[thread % 3] + p.name;
    __syncthreads();
    out[block * threads + thread] = shared[threads - 1 - thread] * step + block;
}

int main() {
    const int n = 2 * 3 * 2 * 60;
    int *out = device_array<int>(n);
    point p = {'a', {1, 20, 300}};
    dim3 grid(2, 3, 2), block(5, 4, 3);
    size_t bytes = 60 * sizeof(int);
    where<<<grid, block, bytes>>>(p, out, 3);
    CHECK_KERNEL();
    print_array("chevrons", out, n);

    short step = 5;
    void *arguments[] = {&p, &out, &step};
    CHECK(cudaLaunchKernel((const void *)where, grid, block, arguments, bytes, 0));
    print_array("cudaLaunchKernel", out, n);

    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = bytes;
    step = 7;
    CHECK(cudaLaunchKernelExC(&config, (const void *)where, arguments));
    print_array("cudaLaunchKernelExC", out, n);
    CHECK(cudaLaunchKernelEx(&config, where, p, out, (short)9));
    print_array("cudaLaunchKernelEx", out, n);

    where<<<0, 32>>>(p, out, 1);
    printf("no blocks: %s\n", cudaGetErrorName(cudaGetLastError()));
    where<<<1, 1025>>>(p, out, 1);
    printf("1025 threads: %s\n", cudaGetErrorName(cudaGetLastError()));
    where<<<1, 32, 1 << 20>>>(p, out, 1);
    printf("a MB of shared memory: %s\n", cudaGetErrorName(cudaGetLastError()));
    where<<<dim3(1, 65536), 32>>>(p, out, 1);
    printf("65536 blocks in y: %s\n", cudaGetErrorName(cudaGetLastError()));
    where<<<1, dim3(1, 1, 65)>>>(p, out, 1);
    printf("65 threads in z: %s\n", cudaGetErrorName(cudaGetLastError()));
}
