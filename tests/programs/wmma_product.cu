/* A matrix product by wmma: halves in, floats out; tiles loaded by rows and by columns; an
 * activation. */
#include <mma.h>

#include "program.h"

using namespace nvcuda;

__global__ void multiply(const half *a, const half *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * 16, column = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    for (int at = 0; at < k; at += 16) {
        wmma::load_matrix_sync(fa, a + row * k + at, k);
        wmma::load_matrix_sync(fb, b + column * k + at, k);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] = fmaxf(fc.x[i], 0);
    wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

int main() {
    const int m = 48, n = 64, k = 80;
    half a[m * k], b[n * k];
    for (int i = 0; i < m * k; i++)
        a[i] = __float2half((int)(mix(i) % 17) - 8);
    for (int i = 0; i < n * k; i++)
        b[i] = __float2half(((int)(mix(i + 9999) % 9) - 4) * 0.5f);
    float *c = device_array<float>(m * n);
    multiply<<<dim3(n / 32, m / 16), 64>>>(to_device(a, m * k), to_device(b, n * k), c, m, n, k);
    CHECK_KERNEL();
    float *host = to_host(c, m * n);
    int wrong = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 1;
            for (int x = 0; x < k; x++)
                sum += __half2float(a[i * k + x]) * __half2float(b[j * k + x]);
            wrong += host[i * n + j] != fmaxf(sum, 0);
        }
    printf("%d wrong\n", wrong);
    print_array("product", c, m * n);
    free(host);
}
