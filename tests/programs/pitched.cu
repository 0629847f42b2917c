/* Pitched memory: cudaMallocPitch, 2-D copies between pitches, 2-D fills. */
#include "program.h"

__global__ void stamp(float *data, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float *row = (float *)((char *)data + y * pitch);
        row[x] = row[x] * 2 + 1000 * y + x;
    }
}

int main() {
    const int width = 75, height = 33;
    float host[height][width], part[4][5], *data;
    size_t pitch;
    CHECK(cudaMallocPitch(&data, &pitch, width * sizeof(float), height));
    printf("pitch %zu\n", pitch);
    CHECK(cudaMemset2D(data, pitch, 0, width * sizeof(float), height));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            host[y][x] = 0.25f * x;
    CHECK(cudaMemcpy2D(data, pitch, host, sizeof host[0], width * sizeof(float), height,
                       cudaMemcpyHostToDevice));
    stamp<<<dim3(3, 5), dim3(32, 8)>>>(data, pitch, width, height);
    CHECK_KERNEL();
    CHECK(cudaMemcpy2D(host, sizeof host[0], data, pitch, width * sizeof(float), height,
                       cudaMemcpyDeviceToHost));
    printf("%g %g %08x\n", host[1][2], host[height - 1][width - 1], digest(host, sizeof host));
    /* A window in the middle. */
    CHECK(cudaMemcpy2D(part, sizeof part[0], (char *)data + 7 * pitch + 9 * sizeof(float), pitch,
                       sizeof part[0], 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 4; y++)
        printf("%g %g\n", part[y][0], part[y][4]);
    CHECK(cudaMemset2DAsync(data, pitch, 0xff, 3, 2));
    CHECK(cudaMemcpy2D(host, sizeof host[0], data, pitch, width * sizeof(float), height, cudaMemcpyDefault));
    printf("%08x\n", digest(host, sizeof host));
    printf("too wide: %s\n",
           cudaGetErrorName(cudaMemcpy2D(host, 8, data, pitch, 16, 2, cudaMemcpyDeviceToHost)));
    CHECK(cudaFree(data));
}
