/* Matrix products in the form that programs use. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

/* c = a b, one 16 x 16 tile per warp; sizes are multiples of 16.  As in NVIDIA's introduction to wmma. */
extern "C" __global__ void wmma_gemm(const half *a, const half *b, float *c, int m, int n, int k) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int row = warp / (n / 16) * 16, column = warp % (n / 16) * 16;
    if (row >= m)
        return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + column * k + i, k);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] *= 2;
    wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

/* The same through shared memory, in integers. */
extern "C" __global__ void wmma_shared(const signed char *a, const signed char *b, int *c) {
    __shared__ __align__(16) signed char sa[16 * 16], sb[16 * 16];
    __shared__ __align__(32) int sc[16 * 16];
    for (int i = threadIdx.x; i < 256; i += 32) {
        sa[i] = a[i];
        sb[i] = b[i];
        sc[i] = 1000 * i;
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::load_matrix_sync(fa, sa, 16);
    wmma::load_matrix_sync(fb, sb, 16);
    wmma::load_matrix_sync(fc, sc, 16, wmma::mem_col_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(sc, fc, 16, wmma::mem_col_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        c[i] = sc[i];
}

/* Halves across their lines: read in memory order, 4 bytes per lane, and transposed. */
extern "C" __global__ void wmma_across(const half *a, const half *b, half *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> fc;
    wmma::load_matrix_sync(fa, a, 64);
    wmma::load_matrix_sync(fb, b, 64);
    wmma::load_matrix_sync(fc, c, 64, wmma::mem_col_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 64, wmma::mem_col_major);
}

__device__ void load_x4(unsigned (&r)[4], const void *p) {
    unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
}

__device__ void load_x2_trans(unsigned (&r)[2], const void *p) {
    unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(at));
}

/* A block's 16 x 8 tile from a (row-major) and b (row-major) by ldmatrix and mma, as in CUTLASS.  pad: halves
 * added to each line of shared memory, which determines the bank conflicts. */
template <int PAD> __device__ void tile(const half *a, const half *b, float *c, int k) {
    __shared__ __align__(16) half sa[16][16 + PAD], sb[16][8 + PAD];
    float d[4] = {};
    int lane = threadIdx.x;
    for (int i = 0; i < k; i += 16) {
        for (int e = lane; e < 256; e += 32)
            sa[e / 16][e % 16] = a[e / 16 * k + i + e % 16];
        for (int e = lane; e < 128; e += 32)
            sb[e / 8][e % 8] = b[(i + e / 8) * 8 + e % 8];
        __syncwarp();
        unsigned ra[4], rb[2];
        load_x4(ra, &sa[lane % 16][lane / 16 * 8]);
        load_x2_trans(rb, &sb[lane % 16][0]);
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
        __syncwarp();
    }
    int row = lane / 4, column = lane % 4 * 2;
    c[row * 8 + column] = d[0];
    c[row * 8 + column + 1] = d[1];
    c[(row + 8) * 8 + column] = d[2];
    c[(row + 8) * 8 + column + 1] = d[3];
}

extern "C" __global__ void mma_tile(const half *a, const half *b, float *c, int k) {
    tile<0>(a, b, c, k);
}

extern "C" __global__ void mma_tile_padded(const half *a, const half *b, float *c, int k) {
    tile<8>(a, b, c, k);
}

/* Each form of ldmatrix: out[lane][register]. */
extern "C" __global__ void load_rows(unsigned *out) {
    __shared__ __align__(16) unsigned short s[32 * 8];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 32)
        s[i] = i;
    __syncwarp();
    unsigned at = (unsigned)__cvta_generic_to_shared(s + 8 * t), r[8];
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[1]), "=r"(r[2])
                 : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6])
                 : "l"(s + 8 * t));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[7]) : "r"(r[0]));
    for (int i = 0; i < 8; i++)
        out[8 * t + i] = r[i];
}

extern "C" __global__ void misaligned_rows(unsigned *out) {
    __shared__ __align__(16) unsigned short s[32 * 8 + 1];
    s[threadIdx.x] = 1;
    unsigned at = (unsigned)__cvta_generic_to_shared(s + 8 * threadIdx.x) + (threadIdx.x == 5 ? 8 : 0), r;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at));
    out[threadIdx.x] = r;
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void store_rows(unsigned short *out) {
    __shared__ __align__(16) unsigned short s[2][32 * 8];
    int t = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(s[0] + 8 * t);
    unsigned trans = (unsigned)__cvta_generic_to_shared(s[1] + 8 * t);
    unsigned r[4];
    for (int i = 0; i < 4; i++)
        r[i] = (2 * t + 64 * i) | (2 * t + 64 * i + 1) << 16;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};" ::"r"(r[0]), "r"(r[1]),
                 "r"(r[2]), "r"(r[3]), "r"(at)
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0, %1, %2, %3};" ::"r"(r[0]),
                 "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(trans)
                 : "memory");
    __syncwarp();
    for (int i = t; i < 512; i += 32)
        out[i] = s[i / 256][i % 256];
}
#endif
