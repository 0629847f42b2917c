/* Kernels, variables of every kind, a template, a launch as an argument of another. */
#include "say.h"

__device__ int device_value = 7;
__constant__ int table[4] = {1, 2, 3, 4};
__managed__ int managed_value = 5;
__device__ float grid_of[3][5];

struct pair {
    char tag;
    double value;
};

__global__ void fill(int *out, int n, int factor, pair p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i * factor + device_value + table[i & 3] + managed_value + (int)p.value + p.tag;
}

template <typename T> __global__ void scale(T *data, T by) {
    data[threadIdx.x] *= by;
}

__global__ void count(int *to) {
    atomicAdd(to, 1);
    managed_value = 99;
}

__global__ void write_grid() {
    grid_of[threadIdx.y][threadIdx.x] = threadIdx.y * 10 + threadIdx.x;
}

/* Launches before the launch whose argument it computes. */
static int *counted(int *to) {
    count<<<2, 3>>>(to);
    return to;
}

static int before_main = cudaGetDeviceCount(&before_main);

int main() {
    const int n = 1000;
    int *device, host[n], hundred = 100;
    SAY(cudaMalloc(&device, sizeof host));
    SAY(cudaMemcpyToSymbol(device_value, &hundred, sizeof hundred));
    managed_value = 1000;
    fill<<<8, 128>>>(device, n, 3, pair{2, 0.5e6});
    SAY_LAUNCH("fill");
    SAY(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", host[0], host[1], host[n - 1]);

    float *floats, three[3] = {1, 2, 3};
    SAY(cudaMalloc(&floats, sizeof three));
    SAY(cudaMemcpy(floats, three, sizeof three, cudaMemcpyHostToDevice));
    scale<float><<<1, 3>>>(floats, 1.5f);
    scale<int><<<1, 1>>>(device, 2);
    SAY(cudaMemcpy(three, floats, sizeof three, cudaMemcpyDefault));
    SAY(cudaMemcpy(host, device, sizeof *host, cudaMemcpyDeviceToHost));
    printf("%g %g %g %d\n", three[0], three[1], three[2], host[0]);

    SAY(cudaMemset(device, 0, sizeof host));
    scale<int><<<1, 1>>>(counted(device), 10);
    SAY(cudaDeviceSynchronize());
    SAY(cudaMemcpy(host, device, sizeof *host, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[0], managed_value);

    float grid[3][5];
    size_t size;
    void *at;
    write_grid<<<1, dim3(5, 3)>>>();
    SAY(cudaMemcpyFromSymbol(grid, grid_of, sizeof grid));
    printf("%g %g\n", grid[0][4], grid[2][3]);
    SAY(cudaMemcpyFromSymbol(grid, grid_of, 4, 4 * 7));
    printf("%g\n", grid[0][0]);
    SAY(cudaGetSymbolSize(&size, grid_of));
    SAY(cudaGetSymbolAddress(&at, table));
    printf("%zu %d\n", size, at != NULL);
    SAY(cudaMemcpyToSymbol(managed_value, &hundred, sizeof hundred));
    printf("%d\n", managed_value);
    cudaPointerAttributes attributes;
    SAY(cudaPointerGetAttributes(&attributes, &managed_value));
    printf("%d\n", attributes.type == cudaMemoryTypeManaged);
    SAY(cudaFree(device));
    SAY(cudaFree(floats));
    return before_main != cudaSuccess;
}
