/* LU decomposition with pivoting in one block, in double precision, and the resulting solution. */
#include "program.h"

const int n = 24;

__global__ void factor(double *a, int *order) {
    __shared__ int pivot;
    int t = threadIdx.x;
    if (t < n)
        order[t] = t;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (t == 0) {
            pivot = k;
            for (int r = k + 1; r < n; r++)
                if (fabs(a[r * n + k]) > fabs(a[pivot * n + k]))
                    pivot = r;
        }
        __syncthreads();
        if (pivot != k && t < n) {
            double x = a[k * n + t];
            a[k * n + t] = a[pivot * n + t];
            a[pivot * n + t] = x;
            if (t == 0) {
                int y = order[k];
                order[k] = order[pivot];
                order[pivot] = y;
            }
        }
        __syncthreads();
        if (t > k && t < n) {
            double by = a[t * n + k] /= a[k * n + k];
            for (int c = k + 1; c < n; c++)
                a[t * n + c] -= by * a[k * n + c];
        }
    }
}

__global__ void solve(const double *a, const int *order, const double *b, double *x) {
    for (int r = 0; r < n; r++) {
        x[r] = b[order[r]];
        for (int c = 0; c < r; c++)
            x[r] -= a[r * n + c] * x[c];
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int c = r + 1; c < n; c++)
            x[r] -= a[r * n + c] * x[c];
        x[r] /= a[r * n + r];
    }
}

int main() {
    double a[n * n], b[n] = {};
    for (int i = 0; i < n * n; i++) {
        a[i] = (int)(mix(i) % 2001) - 1000;
        b[i / n] += a[i] * (i % n + 1);
    }
    double *da = to_device(a, n * n), *x = device_array<double>(n);
    int *order = device_array<int>(n);
    factor<<<1, 32>>>(da, order);
    solve<<<1, 1>>>(da, order, to_device(b, n), x);
    CHECK_KERNEL();
    print_array("factors", da, n * n);
    double *host = to_host(x, n), worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(host[i] - (i + 1)));
    printf("off by less than 1e-9: %d\n", worst < 1e-9);
    free(host);
}
