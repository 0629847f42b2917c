/* The game of life on a torus: one cell per thread, then 32 cells per word. */
#include "program.h"

__global__ void cells(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += in[(y + dy + h) % h * w + (x + dx + w) % w];
    out[y * w + x] = sum == 3 || (sum == 4 && in[y * w + x]);
}

/* A full adder for 32 cells at once. */
__global__ void words(const unsigned *in, unsigned *out, int w, int h) {
    int x = threadIdx.x, y = blockIdx.x;
    unsigned ones = 0, twos = 0, fours = 0, me = in[y * w + x];
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = in + (y + dy + h) % h * w;
        unsigned left = row[(x + w - 1) % w], middle = row[x], right = row[(x + 1) % w];
        unsigned all[] = {middle << 1 | left >> 31, middle, middle >> 1 | right << 31};
        for (int k = 0; k < 3; k++) {
            if (dy == 0 && k == 1)
                continue;
            unsigned carry = ones & all[k], more = twos & carry;
            ones ^= all[k];
            twos ^= carry;
            fours |= more;
        }
    }
    out[y * w + x] = twos & ~fours & (ones | me);
}

int main() {
    const int w = 96, h = 40, steps = 6;
    static unsigned char host[w * h];
    static unsigned packed[w / 32 * h];
    for (int i = 0; i < w * h; i++) {
        host[i] = mix(i) % 3 == 0;
        packed[i / 32] |= (unsigned)host[i] << i % 32;
    }
    unsigned char *a = to_device(host, w * h), *b = device_array<unsigned char>(w * h);
    unsigned *p = to_device(packed, w / 32 * h), *q = device_array<unsigned>(w / 32 * h);
    for (int k = 0; k < steps; k += 2) {
        cells<<<dim3(3, h), 32>>>(a, b, w, h);
        cells<<<dim3(3, h), 32>>>(b, a, w, h);
        words<<<h, w / 32>>>(p, q, w / 32, h);
        words<<<h, w / 32>>>(q, p, w / 32, h);
    }
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(packed, p, sizeof packed, cudaMemcpyDeviceToHost));
    int alive = 0, differ = 0;
    for (int i = 0; i < w * h; i++) {
        alive += host[i];
        differ += host[i] != (packed[i / 32] >> i % 32 & 1);
    }
    printf("%d alive, %d differ\n", alive, differ);
    for (int y = 0; y < 5; y++, putchar('\n'))
        for (int x = 0; x < w; x++)
            putchar(host[y * w + x] ? '#' : '.');
}
