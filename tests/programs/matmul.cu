/* A matrix product: naive, with tiles in shared memory, and with four by four results in registers. */
#include "program.h"

__global__ void naive(const float *a, const float *b, float *c, int m, int n, int k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= m)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[y * k + i] * b[i * n + x];
    c[y * n + x] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float sa[16][16], sb[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int at = 0; at < k; at += 16) {
        sa[ty][tx] = y < m && at + tx < k ? a[y * k + at + tx] : 0;
        sb[ty][tx] = at + ty < k && x < n ? b[(at + ty) * n + x] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += sa[ty][i] * sb[i][tx];
        __syncthreads();
    }
    if (x < n && y < m)
        c[y * n + x] = sum;
}

/* Sizes are multiples of 32; blocks have 8 x 8 threads. */
__global__ void blocked(const float *a, const float *b, float *c, int n, int k) {
    __shared__ float sa[8][36];
    __shared__ float4 sb[8][8];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 8 + tx;
    float sum[4][4] = {};
    for (int at = 0; at < k; at += 8) {
        float4 x = *(const float4 *)&a[(blockIdx.y * 32 + t / 2) * k + at + t % 2 * 4];
        sa[t % 2 * 4][t / 2] = x.x;
        sa[t % 2 * 4 + 1][t / 2] = x.y;
        sa[t % 2 * 4 + 2][t / 2] = x.z;
        sa[t % 2 * 4 + 3][t / 2] = x.w;
        sb[ty][tx] = *(const float4 *)&b[(at + ty) * n + blockIdx.x * 32 + tx * 4];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float4 p = *(const float4 *)&sa[i][ty * 4], q = sb[i][tx];
            float ps[] = {p.x, p.y, p.z, p.w}, qs[] = {q.x, q.y, q.z, q.w};
            for (int r = 0; r < 4; r++)
                for (int s = 0; s < 4; s++)
                    sum[r][s] += ps[r] * qs[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        *(float4 *)&c[(blockIdx.y * 32 + ty * 4 + r) * n + blockIdx.x * 32 + tx * 4] =
            make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

int main() {
    const int m = 64, n = 96, k = 72;
    static float a[m * k], b[k * n];
    for (int i = 0; i < m * k; i++)
        a[i] = (int)(mix(i) % 13) - 6;
    for (int i = 0; i < k * n; i++)
        b[i] = (int)(mix(i + 77) % 7) - 3;
    float *da = to_device(a, m * k), *db = to_device(b, k * n), *c = device_array<float>(m * n);
    naive<<<dim3(6, 8), dim3(16, 8)>>>(da, db, c, m, n, k);
    print_array("naive", c, m * n);
    tiled<<<dim3(6, 4), dim3(16, 16)>>>(da, db, c, m, n, k);
    print_array("tiled", c, m * n);
    blocked<<<dim3(3, 2), dim3(8, 8)>>>(da, db, c, n, k);
    CHECK_KERNEL();
    print_array("blocked", c, m * n);
    tiled<<<dim3(6, 4), dim3(16, 16)>>>(da, db, c, m - 3, n - 5, k - 7);
    CHECK_KERNEL();
    print_array("ragged", c, (m - 3) * (n - 5));
}
