/* Random number generators: a linear one that jumps ahead, xorshift, Philox 4x32-10. */
#include "program.h"

__global__ void linear(unsigned long long *out, int each) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long a = 6364136223846793005ULL, c = 1442695040888963407ULL;
    unsigned long long x = 42, ja = a, jc = c;
    for (unsigned n = i * each; n; n >>= 1) {
        if (n & 1)
            x = x * ja + jc;
        jc = (ja + 1) * jc;
        ja *= ja;
    }
    for (int k = 0; k < each; k++)
        out[i * each + k] = x = x * a + c;
}

__global__ void xorshift(unsigned *out, int each) {
    int i = threadIdx.x;
    unsigned x = mix(i) | 1;
    for (int k = 0; k < each; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        out[k * blockDim.x + i] = x;
    }
}

__global__ void philox(uint4 *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 c = make_uint4(i, 0, 1, 2);
    unsigned k0 = 0xdeadbeef, k1 = 0x12345678;
    for (int round = 0; round < 10; round++) {
        unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[i] = c;
}

int main() {
    unsigned long long *wide = device_array<unsigned long long>(128 * 8);
    unsigned *words = device_array<unsigned>(64 * 10);
    uint4 *four = device_array<uint4>(256);
    linear<<<2, 64>>>(wide, 8);
    xorshift<<<1, 64>>>(words, 10);
    philox<<<2, 128>>>(four);
    CHECK_KERNEL();
    print_array("linear", wide, 128 * 8);
    print_array("xorshift", words, 640);
    print_array("Philox", (unsigned *)four, 1024);
}
