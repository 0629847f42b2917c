/* Bit operations: counts, reversals, byte permutations, funnel shifts, fields, three-input logic; SIMD within
 * a word. */
#include "program.h"

__device__ unsigned field(unsigned x, int at, int length) {
    unsigned r;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(at), "r"(length));
    return r;
}

__device__ unsigned insert(unsigned x, unsigned y, int at, int length) {
    unsigned r;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(at), "r"(length));
    return r;
}

__device__ unsigned majority(unsigned x, unsigned y, unsigned z) {
    unsigned r;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    return r;
}

__global__ void compute(unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = mix(i), y = mix(x), s = i & 31;
    unsigned long long w = ((unsigned long long)x << 32) | y;
    unsigned h =
        __popc(x) + 100 * __popcll(w) + __clz(x >> s) + __clzll(w >> s) + __ffs(x << s) + __ffsll(w << s);
    h = h * 33 + __brev(x) + (unsigned)(__brevll(w) >> 7);
    h = h * 33 + __byte_perm(x, y, i * 0x1357) + __funnelshift_l(x, y, s) + __funnelshift_r(x, y, i);
    h = h * 33 + __funnelshift_lc(x, y, i & 63) + __funnelshift_rc(x, y, i & 63);
    h = h * 33 + field(x, s, i % 13) + insert(x, y, s, i % 17) + majority(x, y, h) + (x & ~y ^ (h | x));
    h = h * 33 + __fns(x, s, 1 + (i & 3));
    h = h * 33 + __vadd4(x, y) + __vsub2(x, y) + __vmaxs4(x, y) + __vminu2(x, y) + __vabsdiffu4(x, y);
    h = h * 33 + __vcmpgts4(x, y) + __vseteq2(x, x ^ (y & 0xffff)) + __vavgu4(x, y) + __vaddss2(x, y);
    h = h * 33 + __vsadu4(x, y) + __vabs4(x) + __viaddmax_s32(x, y, h) + __vimax3_u32(x, y, h);
    out[i] = h;
}

int main() {
    unsigned *out = device_array<unsigned>(4096);
    compute<<<32, 128>>>(out);
    CHECK_KERNEL();
    print_array("bits", out, 4096);
    unsigned *host = to_host(out, 8);
    for (int i = 0; i < 8; i++)
        printf("%08x\n", host[i]);
    free(host);
}
