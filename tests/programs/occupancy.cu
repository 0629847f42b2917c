/* Occupancy limited by threads or shared memory, not by registers. */
#include "program.h"

__global__ void small(int *to) {
    to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void shared(int *to) {
    extern __shared__ int s[];
    s[threadIdx.x] = to[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void fixed(int *to) {
    __shared__ int s[10240];
    s[threadIdx.x] = to[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

static size_t word_each(int block) {
    return block * sizeof(int);
}

int main() {
    int blocks, grid, block;
    for (int threads : {32, 64, 96, 256, 512, 768, 1000, 1024}) {
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, threads, 0));
        printf("%d threads: %d\n", threads, blocks);
    }
    CHECK(cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    for (int kb : {1, 10, 30, 48, 100, 200}) {
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared, 64, kb * 1024));
        printf("%d KB: %d\n", kb, blocks);
    }
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fixed, 128, 0));
    printf("40 KB of its own: %d\n", blocks);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, small, 0, 0));
    int processors;
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    printf("best %d threads, %d blocks each\n", block, grid / processors);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, small, 0, 128));
    printf("of at most 128: %d threads\n", block);
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, shared, word_each));
    printf("a word each: %d threads\n", block);
    size_t bytes;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, shared, 4, 256));
    printf("4 blocks: %zu bytes each\n", bytes);
}
