#include "tests/speed/host.h"

/* The kernel's own order: tiles of 16, one row of the result at a time.  Unsigned, because sums wrap. */
void host_matmul(const int *a, const int *b, int *c, int n) {
    for (int i = 0; i < n * n; i++)
        c[i] = 0;
    for (int step = 0; step < n; step += 16)
        for (int row = 0; row < n; row++)
            for (int i = step; i < step + 16; i++) {
                unsigned x = (unsigned)a[row * n + i];
                for (int col = 0; col < n; col++)
                    c[row * n + col] = (int)((unsigned)c[row * n + col] + x * (unsigned)b[i * n + col]);
            }
}

void host_vector_add(const float *a, const float *b, float *c, int n) {
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
