/* ldmatrix and mma.sync as libraries use them: a product of 16 x 8 x 16 halves, plain and transposed;
 * movmatrix. */
#include <cuda_fp16.h>

#include "program.h"

__global__ void product(const half *a, const half *b, float *c, unsigned *moved) {
    __shared__ alignas(16) half sa[16 * 16], sb[16 * 8];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32)
        sa[i] = a[i];
    for (int i = lane; i < 128; i += 32)
        sb[i] = b[i];
    __syncwarp();
    unsigned fa[4], fb[2];
    unsigned at = __cvta_generic_to_shared(sa + (lane % 16) * 16 + lane / 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(at));
    at = __cvta_generic_to_shared(sb + (lane % 16) * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1])
                 : "r"(at));
    float d[4] = {0, 0, 0, 0};
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    int row = lane / 4, column = lane % 4 * 2;
    *(float2 *)(c + row * 8 + column) = make_float2(d[0], d[1]);
    *(float2 *)(c + (row + 8) * 8 + column) = make_float2(d[2], d[3]);
    unsigned turned;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(fa[0]));
    moved[lane] = turned;
}

int main() {
    half a[256], b[128];
    for (int i = 0; i < 256; i++)
        a[i] = __float2half((int)(mix(i) % 21) - 10);
    for (int i = 0; i < 128; i++)
        b[i] = __float2half((int)(mix(i + 256) % 13) - 6);
    float *c = device_array<float>(128);
    unsigned *moved = device_array<unsigned>(32);
    product<<<1, 32>>>(to_device(a, 256), to_device(b, 128), c, moved);
    CHECK_KERNEL();
    float host[128];
    CHECK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            float sum = 0;
            for (int k = 0; k < 16; k++)
                sum += __half2float(a[i * 16 + k]) * __half2float(b[k * 8 + j]);
            wrong += sum != host[i * 8 + j];
        }
    printf("%d wrong\n", wrong);
    print_array("product", c, 128);
    print_array("moved", moved, 32);
}
