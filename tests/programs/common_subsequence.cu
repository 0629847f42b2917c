/* Longest common subsequence: diagonals of a table, one block, three rows in shared memory. */
#include "program.h"

__global__ void longest(const char *a, const char *b, int n, int *out) {
    extern __shared__ int rows[];
    int *now = rows, *before = rows + n + 1, *earlier = before + n + 1, i = threadIdx.x + 1;
    now[i] = before[i] = earlier[i] = 0;
    if (i == 1)
        now[0] = before[0] = earlier[0] = 0;
    for (int diagonal = 2; diagonal <= 2 * n; diagonal++) {
        __syncthreads();
        int *t = earlier;
        earlier = before;
        before = now;
        now = t;
        int j = diagonal - i;
        if (j >= 1 && j <= n)
            now[i] = a[i - 1] == b[j - 1] ? earlier[i - 1] + 1 : max(before[i], before[i - 1]);
    }
    if (i == n)
        *out = now[n];
}

int main() {
    const int n = 128;
    char a[n], b[n];
    for (int i = 0; i < n; i++) {
        a[i] = 'a' + mix(i) % 4;
        b[i] = 'a' + mix(i + n) % 4;
    }
    int *out = device_array<int>(1);
    longest<<<1, n, 3 * (n + 1) * sizeof(int)>>>(to_device(a, n), to_device(b, n), n, out);
    CHECK_KERNEL();
    print_array("length", out, 1);
}
