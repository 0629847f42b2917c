// Transposes of a matrix of any shape: a block a row; a 2-D grid; a tile in shared memory, plain and padded.
// nvcc -O3 -arch=sm_90 -lineinfo transposeShared.cu -o transposeShared; ./transposeShared [rows [columns]]
#include "check.h"

#define TILE 32

// One block a row, its threads over the columns.
__global__ void transposeRows(const int *in, int *out, int rows, int cols) {
    for (int col = threadIdx.x; col < cols; col += blockDim.x)
        out[(size_t)col * rows + blockIdx.x] = in[(size_t)blockIdx.x * cols + col];
}

__global__ void transposeGrid(const int *in, int *out, int rows, int cols) {
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols)
        out[(size_t)col * rows + row] = in[(size_t)row * cols + col];
}

// Reads rows and writes rows: the tile turns in shared memory, whose columns are one bank without a pad.
template <int PAD> __global__ void transposeTile(const int *in, int *out, int rows, int cols) {
    __shared__ int tile[TILE][TILE + PAD];
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)row * cols + col];
    __syncthreads();
    int outCol = blockIdx.y * TILE + threadIdx.x, outRow = blockIdx.x * TILE + threadIdx.y;
    if (outRow < cols && outCol < rows)
        out[(size_t)outRow * rows + outCol] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char **argv) {
    int rows = argument(argc, argv, 1, 1000), cols = argument(argc, argv, 2, 700);
    if (rows < 1 || cols < 1) {
        fprintf(stderr, "a matrix has 1 row and column, or more\n");
        return 2;
    }
    size_t count = (size_t)rows * cols, bytes = count * sizeof(int);
    int *host = (int *)malloc(bytes), *back = (int *)malloc(bytes), *in, *out;
    for (size_t i = 0; i < count; i++)
        host[i] = rand();
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));

    static const char *const names[] = {"a block a row", "a 2-D grid", "a tile", "a padded tile"};
    dim3 block(TILE, TILE), grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    int bad = 0;
    for (int which = 0; which < 4; which++) {
        CHECK(cudaMemset(out, 0, bytes));
        if (which == 0)
            transposeRows<<<rows, 256>>>(in, out, rows, cols);
        else if (which == 1)
            transposeGrid<<<grid, block>>>(in, out, rows, cols);
        else if (which == 2)
            transposeTile<0><<<grid, block>>>(in, out, rows, cols);
        else
            transposeTile<1><<<grid, block>>>(in, out, rows, cols);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(back, out, bytes, cudaMemcpyDeviceToHost));
        long wrong = 0;
        for (int row = 0; row < rows; row++)
            for (int col = 0; col < cols; col++)
                wrong += back[(size_t)col * rows + row] != host[(size_t)row * cols + col];
        bad |= verdict(names[which], wrong);
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    free(host);
    free(back);
    return bad;
}
