/* Votes, matches and sums over a whole warp and over parts of it. */
#include "program.h"

__global__ void ask(unsigned *out) {
    int lane = threadIdx.x;
    unsigned x = mix(lane) % 7;
    int all;
    unsigned r[] = {__ballot_sync(~0U, x > 3),
                    (unsigned)__any_sync(~0U, x == 9),
                    (unsigned)__all_sync(~0U, x < 7),
                    __match_any_sync(~0U, x),
                    __match_any_sync(~0U, (unsigned long long)x << 35),
                    __match_all_sync(~0U, x / 7, &all) + all,
                    __match_all_sync(~0U, x, &all) + all,
                    __reduce_add_sync(~0U, x),
                    __reduce_min_sync(~0U, x),
                    __reduce_max_sync(~0U, x),
                    (unsigned)__reduce_min_sync(~0U, (int)x - 3),
                    __reduce_or_sync(~0U, 1U << x),
                    __reduce_and_sync(~0U, x | 8),
                    __reduce_xor_sync(~0U, mix(lane)),
                    0,
                    0,
                    0};
    if (lane % 3 == 1) {
        r[14] = __activemask();
        r[15] = __ballot_sync(__activemask(), x & 1);
        r[16] = __reduce_add_sync(0x92492492, lane);
    } else {
        r[14] = 1;
        r[16] = __ballot_sync(~0x92492492, x & 1);
    }
    __syncwarp();
    for (int k = 0; k < 17; k++)
        out[k * 32 + lane] = r[k];
}

__global__ void block_votes(int *out) {
    int i = threadIdx.x;
    int count = __syncthreads_count(i % 3 == 0), both = __syncthreads_and(i < 100),
        some = __syncthreads_or(i == 77);
    out[i] = count * 100 + both * 10 + some;
}

int main() {
    unsigned *out = device_array<unsigned>(17 * 32);
    ask<<<1, 32>>>(out);
    CHECK_KERNEL();
    for (int k = 0; k < 17; k++)
        print_array("vote", out + k * 32, 32);
    int *block = device_array<int>(96);
    block_votes<<<1, 96>>>(block);
    print_array("block", block, 96);
}
