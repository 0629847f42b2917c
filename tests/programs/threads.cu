/* Host threads, each with a stream; each thread has its own last error. */
#include <thread>

#include "program.h"

__global__ void work(int *data, int n, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] * factor + i;
}

static int *results[4], failed[4];

static void run(int id) {
    const int n = 1000;
    cudaStream_t stream;
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&results[id], n * sizeof(int)));
    CHECK(cudaMemsetAsync(results[id], 0, n * sizeof(int), stream));
    for (int i = 0; i < 10; i++)
        work<<<8, 128, 0, stream>>>(results[id], n, id + 1);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    if (id == 2)
        work<<<1, 5000>>>(results[id], n, 0);
    failed[id] = cudaGetLastError() != cudaSuccess;
}

int main() {
    std::thread threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = std::thread(run, i);
    for (auto &thread : threads)
        thread.join();
    for (int i = 0; i < 4; i++) {
        print_array("thread", results[i], 1000);
        printf("failed %d\n", failed[i]);
    }
}
