// A structure of arrays: neighbouring threads' members lie side by side.
// nvcc -O3 -arch=sm_90 -lineinfo simpleMathSoA.cu -o simpleMathSoA; ./simpleMathSoA
#include "check.h"

struct innerArray {
    float x[1 << 20];
    float y[1 << 20];
};

__global__ void testInnerArray(innerArray *data, innerArray *result, const int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float tmpx = data->x[i];
        float tmpy = data->y[i];
        tmpx += 10.f;
        tmpy += 20.f;
        result->x[i] = tmpx;
        result->y[i] = tmpy;
    }
}

int main() {
    int n = 1 << 20, block = 128;
    size_t bytes = sizeof(innerArray);
    innerArray *host = (innerArray *)malloc(bytes), *back = (innerArray *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        host->x[i] = (rand() & 0xff) / 100.0f;
        host->y[i] = (rand() & 0xff) / 100.0f;
    }

    innerArray *data, *result;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMalloc(&result, bytes));
    CHECK(cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice));
    testInnerArray<<<(n + block - 1) / block, block>>>(data, result, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back, result, bytes, cudaMemcpyDeviceToHost));

    long wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += back->x[i] != host->x[i] + 10.f || back->y[i] != host->y[i] + 20.f;
    CHECK(cudaFree(data));
    CHECK(cudaFree(result));
    free(host);
    free(back);
    return verdict("simpleMathSoA", wrong);
}
