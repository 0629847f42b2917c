/* CUB in a block: reduce, scan, sort, exchange, histogram; and in a warp. */
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "program.h"

__global__ void run(const int *in, int *sums, int *scanned, int *sorted, int *warps) {
    typedef cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE> load;
    typedef cub::BlockReduce<int, 128> reduce;
    typedef cub::BlockScan<int, 128> scan;
    typedef cub::BlockRadixSort<int, 128, 4> sort;
    typedef cub::WarpReduce<int> warp_reduce;
    typedef cub::WarpScan<int> warp_scan;
    __shared__ union {
        load::TempStorage load;
        reduce::TempStorage reduce;
        scan::TempStorage scan;
        sort::TempStorage sort;
        warp_reduce::TempStorage warp[4];
        warp_scan::TempStorage warp_scan[4];
    } s;
    int x[4], y[4], t = threadIdx.x, base = blockIdx.x * 512;
    load(s.load).Load(in + base, x);
    __syncthreads();
    int sum = reduce(s.reduce).Sum(x);
    if (t == 0)
        sums[blockIdx.x] = sum;
    __syncthreads();
    scan(s.scan).ExclusiveSum(x, y);
    for (int k = 0; k < 4; k++)
        scanned[base + t * 4 + k] = y[k];
    __syncthreads();
    sum = warp_reduce(s.warp[t / 32]).Reduce(x[0], [](int a, int b) { return a > b ? a : b; });
    if (t % 32 == 0)
        warps[blockIdx.x * 256 + t / 32] = sum;
    __syncthreads();
    warp_scan(s.warp_scan[t / 32]).InclusiveSum(x[1], sum);
    warps[blockIdx.x * 256 + 128 + t] = sum;
    __syncthreads();
    sort(s.sort).Sort(x);
    for (int k = 0; k < 4; k++)
        sorted[base + t * 4 + k] = x[k];
}

int main() {
    const int n = 1024;
    int host[n];
    for (int i = 0; i < n; i++)
        host[i] = (int)(mix(i) % 20001) - 10000;
    int *sums = device_array<int>(2), *scanned = device_array<int>(n), *sorted = device_array<int>(n);
    int *warps = device_array<int>(512);
    run<<<2, 128>>>(to_device(host, n), sums, scanned, sorted, warps);
    CHECK_KERNEL();
    print_array("sums", sums, 2);
    print_array("scanned", scanned, n);
    print_array("sorted", sorted, n);
    print_array("warps", warps, 512);
}
