// c = a + b: an element a thread; or four by one 16-byte access, with a smaller block, or with a smaller
// grid. nvcc -O3 -arch=sm_90 -lineinfo sumArrays.cu -o sumArrays; ./sumArrays [n]
#include "check.h"

__global__ void add1(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void add4(const float *a, const float *b, float *c, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
        float4 x = *(const float4 *)(a + i), y = *(const float4 *)(b + i);
        *(float4 *)(c + i) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else {
        for (; i < n; i++)
            c[i] = a[i] + b[i];
    }
}

static long compare(const float *a, const float *b, const float *c, float *host, int n) {
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, c, n * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += host[i] != a[i] + b[i];
    return wrong;
}

int main(int argc, char **argv) {
    int n = argument(argc, argv, 1, 1 << 20);
    if (n < 1) {
        fprintf(stderr, "n is 1 or more\n");
        return 2;
    }
    size_t bytes = n * sizeof(float);
    float *hostA = (float *)malloc(bytes), *hostB = (float *)malloc(bytes), *hostC = (float *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        hostA[i] = (rand() & 0xff) / 10.0f;
        hostB[i] = (rand() & 0xff) / 10.0f;
    }
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&c, bytes));
    CHECK(cudaMemcpy(a, hostA, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, hostB, bytes, cudaMemcpyHostToDevice));

    int bad = 0;
    CHECK(cudaMemset(c, 0, bytes));
    add1<<<(n + 127) / 128, 128>>>(a, b, c, n);
    bad |= verdict("an element a thread", compare(hostA, hostB, c, hostC, n));
    CHECK(cudaMemset(c, 0, bytes));
    add4<<<(n + 127) / 128, 32>>>(a, b, c, n);
    bad |= verdict("four, the block shrunk", compare(hostA, hostB, c, hostC, n));
    CHECK(cudaMemset(c, 0, bytes));
    add4<<<(n + 511) / 512, 128>>>(a, b, c, n);
    bad |= verdict("four, the grid shrunk", compare(hostA, hostB, c, hostC, n));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    free(hostA);
    free(hostB);
    free(hostC);
    return bad;
}
