/* stmatrix and elect: from a warp's registers to rows of shared memory, and one lane acting for all. */
#include "program.h"

__global__ void store(unsigned *out, int *elected) {
    __shared__ alignas(16) unsigned short rows[4][8][8];
    unsigned lane = threadIdx.x, r[4], leader, chosen;
    for (int k = 0; k < 4; k++)
        r[k] = (k << 12 | lane << 4 | 1) << 16 | k << 12 | lane << 4;
    unsigned at = __cvta_generic_to_shared(&rows[lane / 8][lane % 8][0]);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]),
                 "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    __syncwarp();
    for (int k = 0; k < 4; k++)
        out[k * 32 + lane] = ((unsigned *)rows)[k * 32 + lane];
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(r[0]),
                 "r"(r[3])
                 : "memory");
    __syncwarp();
    for (int k = 0; k < 2; k++)
        out[(k + 4) * 32 + lane] = ((unsigned *)rows)[k * 32 + lane];
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }"
                 : "=r"(leader), "=r"(chosen));
    elected[lane] =
        __popc(__ballot_sync(~0U, chosen)) * 100 + (leader == __ffs(__ballot_sync(~0U, chosen)) - 1);
}

int main() {
    unsigned *out = device_array<unsigned>(192);
    int *elected = device_array<int>(32);
    store<<<1, 32>>>(out, elected);
    CHECK_KERNEL();
    print_array("stored", out, 128);
    print_array("turned", out + 128, 64);
    print_array("elected", elected, 32);
}
