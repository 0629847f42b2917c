// An array of structures: neighbouring threads' members lie a structure apart.
// nvcc -O3 -arch=sm_90 -lineinfo simpleMathAoS.cu -o simpleMathAoS; ./simpleMathAoS
#include "check.h"

struct innerStruct {
    float x;
    float y;
};

__global__ void testInnerStruct(innerStruct *data, innerStruct *result, const int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        innerStruct tmp = data[i];
        tmp.x += 10.f;
        tmp.y += 20.f;
        result[i] = tmp;
    }
}

int main() {
    int n = 1 << 20, block = 128;
    size_t bytes = n * sizeof(innerStruct);
    innerStruct *host = (innerStruct *)malloc(bytes), *back = (innerStruct *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        host[i].x = (rand() & 0xff) / 100.0f;
        host[i].y = (rand() & 0xff) / 100.0f;
    }

    innerStruct *data, *result;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMalloc(&result, bytes));
    CHECK(cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice));
    testInnerStruct<<<(n + block - 1) / block, block>>>(data, result, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back, result, bytes, cudaMemcpyDeviceToHost));

    long wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += back[i].x != host[i].x + 10.f || back[i].y != host[i].y + 20.f;
    CHECK(cudaFree(data));
    CHECK(cudaFree(result));
    free(host);
    free(back);
    return verdict("simpleMathAoS", wrong);
}
