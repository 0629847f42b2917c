/* Cooperative groups: tiles of a warp, coalesced threads, partitions by label, sums and scans over them. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "program.h"

namespace cg = cooperative_groups;

__global__ void run(const int *data, int *out, int n) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    cg::thread_group four = cg::tiled_partition(block, 4);
    int i = block.group_index().x * block.size() + block.thread_rank(), x = data[i];
    int r[10] = {cg::reduce(warp, x, cg::plus<int>()),
                 cg::reduce(eight, x, cg::greater<int>()),
                 cg::inclusive_scan(warp, x),
                 cg::exclusive_scan(eight, x, cg::plus<int>()),
                 eight.shfl(x, 3),
                 (int)eight.ballot(x & 1),
                 (int)(four.thread_rank() * 10 + four.size()),
                 (int)(warp.meta_group_rank() * 100 + eight.meta_group_rank())};
    if (x % 3) {
        cg::coalesced_group some = cg::coalesced_threads();
        r[8] = some.size() * 1000 + some.thread_rank() + cg::reduce(some, x, cg::plus<int>());
    }
    warp.sync();
    auto labelled = cg::labeled_partition(warp, x % 5);
    r[9] = cg::reduce(labelled, x, cg::less<int>()) * 100 + labelled.size();
    for (int k = 0; k < 10; k++)
        out[k * n + i] = r[k];
}

/* One atomic for all lanes that need it. */
__global__ void aggregate(const int *data, int *counter, int *seen) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (data[i] % 2) {
        cg::coalesced_group group = cg::coalesced_threads();
        int base = 0;
        if (group.thread_rank() == 0)
            base = atomicAdd(counter, group.size());
        seen[group.shfl(base, 0) + group.thread_rank()] = 1;
    }
}

int main() {
    const int n = 256;
    int host[n];
    for (int i = 0; i < n; i++)
        host[i] = mix(i) % 1000;
    int *data = to_device(host, n), *out = device_array<int>(10 * n);
    run<<<2, 128>>>(data, out, n);
    CHECK_KERNEL();
    for (int k = 0; k < 10; k++)
        print_array("group", out + k * n, n);
    int *counter = device_array<int>(1), *seen = device_array<int>(n);
    aggregate<<<2, 128>>>(data, counter, seen);
    print_array("counter", counter, 1);
    print_array("seen", seen, n);
}
