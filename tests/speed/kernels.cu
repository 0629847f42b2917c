// The two workloads for comparing emulators: a tiled int matrix product and a vector add.
extern "C" __global__ void matmul(const int *a, const int *b, int *c, int n) {
    __shared__ int tile_a[16][16], tile_b[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, sum = 0;
    for (int step = 0; step < n; step += 16) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + step + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(step + threadIdx.y) * n + col];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
