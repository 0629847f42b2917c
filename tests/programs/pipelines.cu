/* cuda::pipeline and cooperative groups' memcpy_async: tiles arrive while the previous one is used. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>

#include "program.h"

namespace cg = cooperative_groups;

__global__ void own_stages(const int *data, int *out, int tiles) {
    __shared__ int buffer[3][128];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x, next = 0, sum = 0;
    for (int k = 0; k < tiles; k++) {
        for (; next < tiles && next < k + 3; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&buffer[next % 3][t], data + next * 128 + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += buffer[k % 3][t] * (k + 1);
        pipe.consumer_release();
    }
    out[t] = sum;
}

__global__ void whole_tiles(const int *data, int *out, int tiles) {
    __shared__ alignas(16) int tile[256];
    cg::thread_block block = cg::this_thread_block();
    int sum = 0;
    for (int k = 0; k < tiles; k++) {
        cg::memcpy_async(block, tile, data + k * 256, sizeof tile);
        cg::wait(block);
        sum += tile[255 - threadIdx.x] - tile[threadIdx.x / 2];
        block.sync();
    }
    out[threadIdx.x] = sum;
}

int main() {
    const int tiles = 7;
    int host[tiles * 256], *out = device_array<int>(256);
    for (int i = 0; i < tiles * 256; i++)
        host[i] = mix(i) % 1000;
    int *data = to_device(host, tiles * 256);
    own_stages<<<1, 128>>>(data, out, tiles);
    CHECK_KERNEL();
    print_array("stages", out, 128);
    whole_tiles<<<1, 256>>>(data, out, tiles);
    CHECK_KERNEL();
    print_array("tiles", out, 256);
}
