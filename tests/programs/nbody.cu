/* Gravitating bodies, tile by tile through shared memory. */
#include "program.h"

__global__ void forces(const float4 *bodies, float4 *out, int n) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int at = 0; at < n; at += 64) {
        tile[threadIdx.x] = bodies[at + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; k++) {
            float4 other = tile[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float square = dx * dx + dy * dy + dz * dz + 0.01f, by = other.w / (square * sqrtf(square));
            ax += dx * by;
            ay += dy * by;
            az += dz * by;
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, 0);
}

int main() {
    const int n = 256;
    float4 host[n];
    for (int i = 0; i < n; i++)
        host[i] = make_float4(mix(4 * i) % 1000 / 100.0f, mix(4 * i + 1) % 1000 / 100.0f,
                              mix(4 * i + 2) % 1000 / 100.0f, 1 + i % 3);
    float4 *out = device_array<float4>(n);
    forces<<<n / 64, 64>>>(to_device(host, n), out, n);
    CHECK_KERNEL();
    print_array("accelerations", (float *)out, 4 * n);
}
