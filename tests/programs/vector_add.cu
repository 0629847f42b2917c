/* Vector addition, the first program in every book. */
#include "program.h"

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main() {
    const int n = 10007;
    float *a = (float *)malloc(n * sizeof *a), *b = (float *)malloc(n * sizeof *b);
    for (int i = 0; i < n; i++) {
        a[i] = i * 0.5f;
        b[i] = i * 0.25f;
    }
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, n * sizeof *da));
    CHECK(cudaMalloc(&db, n * sizeof *db));
    CHECK(cudaMalloc(&dc, n * sizeof *dc));
    CHECK(cudaMemcpy(da, a, n * sizeof *a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, n * sizeof *b, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(a, dc, n * sizeof *a, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += a[i] != i * 0.75f;
    printf("c[%d] = %g, %d wrong\n", n - 1, a[n - 1], wrong);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    free(a);
    free(b);
}
