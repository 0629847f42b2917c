// Integer matrix products through shared memory: square tiles, and the same memory as long ones, half the
// steps. nvcc -O3 -arch=sm_90 -lineinfo matmulShared.cu -o matmulShared; ./matmulShared [m [n [k]]]
#include "check.h"

#define BLOCK_SIZE 32

__global__ void square(const int *a, const int *b, int *c, int m, int n, int k) {
    __shared__ int tileA[BLOCK_SIZE][BLOCK_SIZE], tileB[BLOCK_SIZE][BLOCK_SIZE];
    int row = blockIdx.y * BLOCK_SIZE + threadIdx.y, col = blockIdx.x * BLOCK_SIZE + threadIdx.x, sum = 0;
    for (int step = 0; step < n; step += BLOCK_SIZE) {
        int ca = step + threadIdx.x, rb = step + threadIdx.y;
        tileA[threadIdx.y][threadIdx.x] = row < m && ca < n ? a[row * n + ca] : 0;
        tileB[threadIdx.y][threadIdx.x] = col < k && rb < n ? b[rb * k + col] : 0;
        __syncthreads();
        for (int i = 0; i < BLOCK_SIZE; i++)
            sum += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < k)
        c[row * k + col] = sum;
}

#define HALF (BLOCK_SIZE / 2)
#define LONG (BLOCK_SIZE * 2)

__global__ void rectangular(const int *a, const int *b, int *c, int m, int n, int k) {
    __shared__ int tileA[HALF][LONG], tileB[LONG][HALF];
    int row = blockIdx.y * HALF + threadIdx.y, col = blockIdx.x * HALF + threadIdx.x, sum = 0;
    for (int step = 0; step < n; step += LONG) {
        for (int part = 0; part < LONG; part += HALF) {
            int ca = step + part + threadIdx.x, rb = step + part + threadIdx.y;
            tileA[threadIdx.y][part + threadIdx.x] = row < m && ca < n ? a[row * n + ca] : 0;
            tileB[part + threadIdx.y][threadIdx.x] = col < k && rb < n ? b[rb * k + col] : 0;
        }
        __syncthreads();
        for (int i = 0; i < LONG; i++)
            sum += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < k)
        c[row * k + col] = sum;
}

int main(int argc, char **argv) {
    int m = argument(argc, argv, 1, 160), n = argument(argc, argv, 2, 101), k = argument(argc, argv, 3, 160);
    if (m < 1 || n < 1 || k < 1) {
        fprintf(stderr, "sizes are 1 or more\n");
        return 2;
    }
    size_t countA = (size_t)m * n, countB = (size_t)n * k, countC = (size_t)m * k;
    int *hostA = (int *)malloc(countA * sizeof(int)), *hostB = (int *)malloc(countB * sizeof(int));
    int *hostC = (int *)malloc(countC * sizeof(int)), *back = (int *)malloc(countC * sizeof(int));
    for (size_t i = 0; i < countA; i++)
        hostA[i] = rand() % 1000 - 500;
    for (size_t i = 0; i < countB; i++)
        hostB[i] = rand() % 1000 - 500;
    for (int row = 0; row < m; row++)
        for (int col = 0; col < k; col++) {
            int sum = 0;
            for (int i = 0; i < n; i++)
                sum += hostA[row * n + i] * hostB[i * k + col];
            hostC[row * k + col] = sum;
        }

    int *a, *b, *c;
    CHECK(cudaMalloc(&a, countA * sizeof(int)));
    CHECK(cudaMalloc(&b, countB * sizeof(int)));
    CHECK(cudaMalloc(&c, countC * sizeof(int)));
    CHECK(cudaMemcpy(a, hostA, countA * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, hostB, countB * sizeof(int), cudaMemcpyHostToDevice));
    int bad = 0;
    for (int which = 0; which < 2; which++) {
        int side = which ? HALF : BLOCK_SIZE;
        dim3 block(side, side), grid((k + side - 1) / side, (m + side - 1) / side);
        CHECK(cudaMemset(c, 0, countC * sizeof(int)));
        if (which)
            rectangular<<<grid, block>>>(a, b, c, m, n, k);
        else
            square<<<grid, block>>>(a, b, c, m, n, k);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(back, c, countC * sizeof(int), cudaMemcpyDeviceToHost));
        long wrong = 0;
        for (size_t i = 0; i < countC; i++)
            wrong += back[i] != hostC[i];
        bad |= verdict(which ? "rectangular" : "square", wrong);
    }
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    free(hostA);
    free(hostB);
    free(hostC);
    free(back);
    return bad;
}
