/* wmma with other types: bytes to int, bfloat16, tf32, doubles; other shapes. */
#include <mma.h>

#include "program.h"

using namespace nvcuda;

template <typename A, typename C, int M, int N, int K, typename T>
__global__ void one(const T *a, const T *b, C *c) {
    wmma::fragment<wmma::matrix_a, M, N, K, A, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, A, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::fill_fragment(fc, C(2));
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
}

template <typename A, typename C, int M, int N, int K, typename T> static void run(const char *name) {
    T a[M * K], b[N * K];
    for (int i = 0; i < M * K; i++)
        a[i] = T((int)(mix(i) % 15) - 7);
    for (int i = 0; i < N * K; i++)
        b[i] = T((int)(mix(i + 500) % 11) - 5);
    C *c = device_array<C>(M * N);
    one<A, C, M, N, K><<<1, 32>>>(to_device(a, M * K), to_device(b, N * K), c);
    CHECK_KERNEL();
    print_array(name, c, M * N);
}

int main() {
    run<signed char, int, 16, 16, 16, signed char>("s8");
    run<signed char, int, 32, 8, 16, signed char>("s8, 32 x 8");
    run<half, half, 8, 32, 16, half>("f16, 8 x 32");
    run<__nv_bfloat16, float, 16, 16, 16, __nv_bfloat16>("bf16");
    run<wmma::precision::tf32, float, 16, 16, 8, float>("tf32");
    run<double, double, 8, 8, 4, double>("f64");
}
