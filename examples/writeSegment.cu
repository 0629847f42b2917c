// Misaligned writes: every thread writes some elements further on than it reads.
// nvcc -O3 -arch=sm_90 -lineinfo writeSegment.cu -o writeSegment; ./writeSegment [offset]
#include "check.h"

__global__ void writeOffset(float *A, float *B, float *C, const int n, int offset) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int k = i + offset;
    if (k < n)
        C[k] = A[i] + B[i];
}

int main(int argc, char **argv) {
    int n = 1 << 20, block = 512, offset = argument(argc, argv, 1, 0);
    size_t bytes = n * sizeof(float);
    if (offset < 0 || offset > n) {
        fprintf(stderr, "the offset is 0 to %d\n", n);
        return 2;
    }
    float *hostA = (float *)malloc(bytes), *hostB = (float *)malloc(bytes), *hostC = (float *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        hostA[i] = (rand() & 0xff) / 10.0f;
        hostB[i] = (rand() & 0xff) / 10.0f;
    }

    float *A, *B, *C;
    CHECK(cudaMalloc(&A, bytes));
    CHECK(cudaMalloc(&B, bytes));
    CHECK(cudaMalloc(&C, bytes));
    CHECK(cudaMemcpy(A, hostA, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(B, hostB, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(C, 0, bytes));
    writeOffset<<<n / block, block>>>(A, B, C, n, offset);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(hostC, C, bytes, cudaMemcpyDeviceToHost));

    long wrong = 0;
    for (int k = offset; k < n; k++)
        wrong += hostC[k] != hostA[k - offset] + hostB[k - offset];
    CHECK(cudaFree(A));
    CHECK(cudaFree(B));
    CHECK(cudaFree(C));
    free(hostA);
    free(hostB);
    free(hostC);
    return verdict("writeSegment", wrong);
}
