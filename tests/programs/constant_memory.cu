/* Constants: with one index for all lanes, with one index per lane, and as a parameter structure. */
#include "program.h"

struct big {
    int numbers[200];
    float scale;
};

__constant__ float polynomial[16];
__constant__ int permutation[256];

__global__ void evaluate(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float r = 0;
    for (int k = 0; k < 16; k++)
        r = fmaf(r, x[i], polynomial[k]);
    y[i] = r;
}

__global__ void permute(const int *in, int *out) {
    out[threadIdx.x] = in[permutation[threadIdx.x]] + permutation[permutation[threadIdx.x ^ 1]];
}

__global__ void __launch_bounds__(64) parameters(const __grid_constant__ big b, float *out) {
    out[threadIdx.x] = b.numbers[(threadIdx.x * 37) % 200] * b.scale + b.numbers[5];
}

int main() {
    const int n = 500;
    float host[n], coefficients[16];
    int order[256];
    big b;
    for (int i = 0; i < n; i++)
        host[i] = i / 500.0f;
    for (int i = 0; i < 16; i++)
        coefficients[i] = (int)(mix(i) % 21) - 10;
    for (int i = 0; i < 256; i++)
        order[i] = (i * 77 + 13) & 255;
    for (int i = 0; i < 200; i++)
        b.numbers[i] = mix(i) % 500;
    b.scale = 0.5f;
    CHECK(cudaMemcpyToSymbol(polynomial, coefficients, sizeof coefficients));
    CHECK(cudaMemcpyToSymbol(permutation, order, sizeof order));
    float *y = device_array<float>(n);
    evaluate<<<2, 256>>>(to_device(host, n), y, n);
    print_array("polynomial", y, n);
    int *out = device_array<int>(256);
    permute<<<1, 256>>>(to_device(order, 256), out);
    print_array("permuted", out, 256);
    parameters<<<1, 64>>>(b, y);
    CHECK_KERNEL();
    print_array("parameters", y, 64);
}
