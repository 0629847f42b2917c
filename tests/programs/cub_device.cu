/* CUB on a device: queries the workspace's size, then computes a sum and a running sum. */
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "program.h"

int main() {
    const int n = 5000;
    int host[n];
    for (int i = 0; i < n; i++)
        host[i] = mix(i) % 100;
    int *in = to_device(host, n), *out = device_array<int>(n), *sum = device_array<int>(1);
    void *work = NULL;
    size_t bytes = 0, more = 0;
    CHECK(cub::DeviceReduce::Sum(NULL, bytes, in, sum, n));
    CHECK(cub::DeviceScan::InclusiveSum(NULL, more, in, out, n));
    CHECK(cudaMalloc(&work, bytes > more ? bytes : more));
    CHECK(cub::DeviceReduce::Sum(work, bytes, in, sum, n));
    CHECK(cub::DeviceScan::InclusiveSum(work, more, in, out, n));
    CHECK_KERNEL();
    print_array("sum", sum, 1);
    print_array("running", out, n);
}
