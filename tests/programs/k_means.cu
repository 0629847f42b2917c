/* k-means of points with integer coordinates, so that sums do not depend on their order. */
#include "program.h"

const int k = 5;

struct sums {
    long long x, y;
    int count, pad;
};

__global__ void assign(const int2 *points, int n, const int2 *centres, int *nearest, sums *all) {
    __shared__ unsigned long long x[k], y[k];
    __shared__ int count[k];
    if (threadIdx.x < k)
        x[threadIdx.x] = y[threadIdx.x] = count[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int2 p = points[i];
        long long least = 1LL << 60;
        int best = 0;
        for (int c = 0; c < k; c++) {
            long long dx = p.x - centres[c].x, dy = p.y - centres[c].y, d = dx * dx + dy * dy;
            if (d < least) {
                least = d;
                best = c;
            }
        }
        nearest[i] = best;
        atomicAdd(&x[best], (unsigned long long)p.x);
        atomicAdd(&y[best], (unsigned long long)p.y);
        atomicAdd(&count[best], 1);
    }
    __syncthreads();
    if (threadIdx.x < k) {
        atomicAdd((unsigned long long *)&all[threadIdx.x].x, x[threadIdx.x]);
        atomicAdd((unsigned long long *)&all[threadIdx.x].y, y[threadIdx.x]);
        atomicAdd(&all[threadIdx.x].count, count[threadIdx.x]);
    }
}

__global__ void move(int2 *centres, sums *all) {
    int c = threadIdx.x;
    if (all[c].count)
        centres[c] = make_int2(all[c].x / all[c].count, all[c].y / all[c].count);
    all[c] = {};
}

int main() {
    const int n = 1500;
    int2 points[n], start[k];
    for (int i = 0; i < n; i++)
        points[i] = make_int2(i % k * 1000 + mix(i) % 900, i % k % 3 * 1500 + mix(i + n) % 900);
    for (int c = 0; c < k; c++)
        start[c] = points[c * 7];
    int2 *dp = to_device(points, n), *centres = to_device(start, k);
    int *nearest = device_array<int>(n);
    sums *all = device_array<sums>(k);
    for (int step = 0; step < 5; step++) {
        assign<<<6, 256>>>(dp, n, centres, nearest, all);
        move<<<1, k>>>(centres, all);
    }
    CHECK_KERNEL();
    CHECK(cudaMemcpy(start, centres, sizeof start, cudaMemcpyDeviceToHost));
    for (int c = 0; c < k; c++)
        printf("%d %d\n", start[c].x, start[c].y);
    print_array("nearest", nearest, n);
}
