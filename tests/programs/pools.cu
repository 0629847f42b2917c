/* Stream-ordered memory: the default pool, a created one, and their usage. */
#include "program.h"

__global__ void fill(int *data, int n, int with) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = with + i;
}

int main() {
    const int n = 3000;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *a, *b, host[2];
    CHECK(cudaMallocAsync(&a, n * sizeof(int), stream));
    fill<<<12, 256, 0, stream>>>(a, n, 10);
    CHECK(cudaMemcpyAsync(host, a + n - 1, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%d\n", host[0]);

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cudaMemPool_t pool;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    unsigned long long keep = ~0ULL, used, most;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cudaMallocFromPoolAsync(&a, n * sizeof(int), pool, stream));
    CHECK(cudaMallocFromPoolAsync(&b, n * sizeof(int), pool, stream));
    fill<<<12, 256, 0, stream>>>(a, n, 20);
    fill<<<12, 256, 0, stream>>>(b, n, 30);
    CHECK(cudaMemcpyAsync(host, a, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemcpyAsync(host + 1, b, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    printf("%d %d, %d at least in use\n", host[0], host[1], used >= 2 * n * sizeof(int));
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaFree(b));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most));
    printf("%d at most\n", most >= 2 * n * sizeof(int));
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaStreamDestroy(stream));
}
