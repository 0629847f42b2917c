/* Clocks advance, nanosleep waits, and special registers give a thread's place. */
#include "program.h"

__global__ void look(int *out) {
    long long start = clock64(), begun;
    unsigned lane, warp, id, sms;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
    __nanosleep(2000);
    long long stop = clock64(), ended;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ended));
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%smid;" : "=r"(id));
    asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
    unsigned less, equal;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(less));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(equal));
    out[threadIdx.x] = (stop > start) + 10 * (ended >= begun) + 100 * (lane == threadIdx.x % 32) +
                       1000 * (warp < 64) + 10000 * (id < sms) + 100000 * (less == equal - 1) +
                       1000000 * (clock() != 0);
}

int main() {
    int *out = device_array<int>(96);
    look<<<1, 96>>>(out);
    CHECK_KERNEL();
    print_array("clocks", out, 96);
}
