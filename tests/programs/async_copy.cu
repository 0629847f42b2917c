/* Copies from global to shared memory during other work: cp.async of 4, 8 and 16 bytes, two stages. */
#include <cuda_pipeline.h>

#include "program.h"

const int stage_size = 256;

__global__ void staged(const float4 *data, float *out, int stages) {
    __shared__ float4 buffer[2][stage_size];
    const float4 *mine = data + (size_t)blockIdx.x * stages * stage_size;
    int i = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&buffer[0][i], mine + i, sizeof(float4));
    __pipeline_commit();
    for (int k = 0; k < stages; k++) {
        if (k + 1 < stages)
            __pipeline_memcpy_async(&buffer[(k + 1) & 1][i], mine + (k + 1) * stage_size + i, sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 other = buffer[k & 1][stage_size - 1 - i];
        sum += other.x + 2 * other.y + 3 * other.z + 4 * other.w;
        __syncthreads();
    }
    out[blockIdx.x * stage_size + i] = sum;
}

__global__ void narrow(const int *data, int *out) {
    __shared__ alignas(16) int words[128];
    __shared__ alignas(16) int2 pairs[128];
    int i = threadIdx.x;
    __pipeline_memcpy_async(words + i, data + 127 - i, 4);
    /* The last four bytes become zeros. */
    __pipeline_memcpy_async(pairs + i, data + 2 * i, 8, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = words[i ^ 5] + 3 * pairs[127 - i].x + pairs[i].y;
}

int main() {
    const int stages = 5, blocks = 3, n = blocks * stages * stage_size * 4;
    float *host = (float *)malloc(n * sizeof *host);
    for (int i = 0; i < n; i++)
        host[i] = mix(i) % 100;
    float *data = to_device(host, n), *out = device_array<float>(blocks * stage_size);
    staged<<<blocks, stage_size>>>((const float4 *)data, out, stages);
    CHECK_KERNEL();
    print_array("staged", out, blocks * stage_size);
    int *words = device_array<int>(128);
    narrow<<<1, 128>>>((const int *)data, words);
    CHECK_KERNEL();
    print_array("narrow", words, 128);
    free(host);
}
