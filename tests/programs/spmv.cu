/* A sparse matrix times a vector: CSR with a thread per row and a warp per row, ELL by columns. */
#include "program.h"

__global__ void thread_a_row(const int *start, const int *column, const float *value, const float *x,
                             float *y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

__global__ void warp_a_row(const int *start, const int *column, const float *value, const float *x, float *y,
                           int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = start[row] + lane; k < start[row + 1]; k += 32)
        sum += value[k] * x[column[k]];
    for (int step = 16; step; step /= 2)
        sum += __shfl_xor_sync(~0U, sum, step);
    if (lane == 0)
        y[row] = sum;
}

__global__ void ell(const int *column, const float *value, int width, const float *x, float *y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = 0; k < width; k++)
        if (column[k * n + row] >= 0)
            sum += value[k * n + row] * x[column[k * n + row]];
    y[row] = sum;
}

int main() {
    const int n = 300, width = 40;
    static int start[n + 1], column[n * width], columns[n * width];
    static float value[n * width], values[n * width], x[n];
    for (int i = 0; i < n * width; i++)
        columns[i] = -1;
    for (int row = 0, k = 0; row < n; row++) {
        x[row] = mix(row) % 10;
        int length = mix(row + 7) % width;
        for (int j = 0; j < length; j++, k++) {
            columns[j * n + row] = column[k] = mix(row * width + j) % n;
            values[j * n + row] = value[k] = (int)(mix(k) % 19) - 9;
        }
        start[row + 1] = k;
    }
    int entries = start[n], *ds = to_device(start, n + 1), *dc = to_device(column, entries);
    float *dv = to_device(value, entries), *dx = to_device(x, n), *y = device_array<float>(n);
    thread_a_row<<<3, 128>>>(ds, dc, dv, dx, y, n);
    print_array("thread a row", y, n);
    warp_a_row<<<75, 128>>>(ds, dc, dv, dx, y, n);
    print_array("warp a row", y, n);
    ell<<<3, 128>>>(to_device(columns, n * width), to_device(values, n * width), width, dx, y, n);
    CHECK_KERNEL();
    print_array("ELL", y, n);
}
