/* 8-bit floats: to e4m3 and e5m2 and back, singly and in pairs. */
#include <cuda_fp8.h>

#include "program.h"

__global__ void round_trip(const float *in, unsigned char *codes, float *back, int n) {
    int i = threadIdx.x;
    __nv_fp8_e4m3 e4(in[i]);
    __nv_fp8_e5m2 e5(in[i]);
    __nv_fp8x2_e4m3 pair(make_float2(in[i], -in[i]));
    codes[i] = e4.__x;
    codes[n + i] = e5.__x;
    codes[2 * n + i] = pair.__x >> 8;
    back[i] = float(e4);
    back[n + i] = float(e5);
    back[2 * n + i] = float2(pair).y;
}

int main() {
    const int n = 64;
    float in[n];
    for (int i = 0; i < n; i++)
        in[i] = i < 32 ? i * i * 0.37f - 5 : (i & 1 ? -1 : 1) * 1e6f / (1 << (i - 30) / 2);
    unsigned char *codes = device_array<unsigned char>(3 * n);
    float *back = device_array<float>(3 * n);
    round_trip<<<1, n>>>(to_device(in, n), codes, back, n);
    CHECK_KERNEL();
    print_array("codes", codes, 3 * n);
    print_array("e4m3", back, n);
    print_array("e5m2", back + n, n);
    print_array("pairs", back + 2 * n, n);
}
