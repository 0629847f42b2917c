// Transposes without shared memory: which side is strided, and how many elements a thread moves.
// nvcc -O3 -arch=sm_90 -lineinfo transpose.cu -o transpose; ./transpose [kernel [nx [ny [block x [block
// y]]]]]
#include "check.h"

#define POSITION                                                                                             \
    unsigned int ix = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
    unsigned int iy = blockIdx.y * blockDim.y + threadIdx.y

__global__ void copyRow(float *out, float *in, const int nx, const int ny) {
    POSITION;
    if (ix < nx && iy < ny)
        out[iy * nx + ix] = in[iy * nx + ix];
}

__global__ void copyCol(float *out, float *in, const int nx, const int ny) {
    POSITION;
    if (ix < nx && iy < ny)
        out[ix * ny + iy] = in[ix * ny + iy];
}

__global__ void transposeNaiveRow(float *out, float *in, const int nx, const int ny) {
    POSITION;
    if (ix < nx && iy < ny)
        out[ix * ny + iy] = in[iy * nx + ix];
}

__global__ void transposeNaiveCol(float *out, float *in, const int nx, const int ny) {
    POSITION;
    if (ix < nx && iy < ny)
        out[iy * nx + ix] = in[ix * ny + iy];
}

// A thread moves four elements that lie a block apart; what is left of a row, one by one.
__global__ void transposeUnroll4Row(float *out, float *in, const int nx, const int ny) {
    unsigned int ix = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    unsigned int iy = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int ti = iy * nx + ix; // access in rows
    unsigned int to = ix * ny + iy; // access in columns
    if (ix + 3 * blockDim.x < nx && iy < ny) {
        out[to] = in[ti];
        out[to + ny * blockDim.x] = in[ti + blockDim.x];
        out[to + ny * 2 * blockDim.x] = in[ti + 2 * blockDim.x];
        out[to + ny * 3 * blockDim.x] = in[ti + 3 * blockDim.x];
    } else {
        for (; ix < nx && iy < ny; ix += blockDim.x)
            out[ix * ny + iy] = in[iy * nx + ix];
    }
}

__global__ void transposeUnroll4Col(float *out, float *in, const int nx, const int ny) {
    unsigned int ix = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    unsigned int iy = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int ti = iy * nx + ix;
    unsigned int to = ix * ny + iy;
    if (ix + 3 * blockDim.x < nx && iy < ny) {
        out[ti] = in[to];
        out[ti + blockDim.x] = in[to + ny * blockDim.x];
        out[ti + 2 * blockDim.x] = in[to + ny * 2 * blockDim.x];
        out[ti + 3 * blockDim.x] = in[to + ny * 3 * blockDim.x];
    } else {
        for (; ix < nx && iy < ny; ix += blockDim.x)
            out[iy * nx + ix] = in[ix * ny + iy];
    }
}

// Blocks that run at the same time stand on a diagonal, so that they use different parts of the memory.
#define DIAGONAL                                                                                             \
    unsigned int blk_y = blockIdx.x;                                                                         \
    unsigned int blk_x = (blockIdx.x + blockIdx.y) % gridDim.x;                                              \
    unsigned int ix = blockDim.x * blk_x + threadIdx.x;                                                      \
    unsigned int iy = blockDim.y * blk_y + threadIdx.y

__global__ void transposeDiagonalRow(float *out, float *in, const int nx, const int ny) {
    DIAGONAL;
    if (ix < nx && iy < ny)
        out[ix * ny + iy] = in[iy * nx + ix];
}

__global__ void transposeDiagonalCol(float *out, float *in, const int nx, const int ny) {
    DIAGONAL;
    if (ix < nx && iy < ny)
        out[iy * nx + ix] = in[ix * ny + iy];
}

static const struct {
    const char *name;
    void (*kernel)(float *, float *, int, int);
    bool copies, reads_columns; // in is nx by ny where it is read along columns
    int unrolled;
} kernels[] = {
    {"CopyRow", copyRow, true, false, 1},
    {"CopyCol", copyCol, true, false, 1},
    {"NaiveRow", transposeNaiveRow, false, false, 1},
    {"NaiveCol", transposeNaiveCol, false, true, 1},
    {"Unroll4Row", transposeUnroll4Row, false, false, 4},
    {"Unroll4Col", transposeUnroll4Col, false, true, 4},
    {"DiagonalRow", transposeDiagonalRow, false, false, 1},
    {"DiagonalCol", transposeDiagonalCol, false, true, 1},
};

int main(int argc, char **argv) {
    int which = argument(argc, argv, 1, 0), nx = argument(argc, argv, 2, 2048),
        ny = argument(argc, argv, 3, 2048);
    int blockx = argument(argc, argv, 4, 16), blocky = argument(argc, argv, 5, 16);
    if (which < 0 || which >= (int)(sizeof kernels / sizeof *kernels) || nx < 1 || ny < 1 || blockx < 1 ||
        blocky < 1) {
        fprintf(stderr, "there are kernels 0 to %d; sizes are 1 or more\n",
                (int)(sizeof kernels / sizeof *kernels) - 1);
        return 2;
    }
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    size_t bytes = (size_t)nx * ny * sizeof(float);
    dim3 block(blockx, blocky);
    int wide = blockx * kernels[which].unrolled;
    dim3 grid((nx + wide - 1) / wide, (ny + blocky - 1) / blocky);
    if (which >= 6 && grid.x != grid.y) {
        fprintf(stderr, "the diagonal kernels take square grids\n");
        return 2;
    }
    printf("%s, %d x %d, %s: grid (%u, %u), block (%u, %u)\n", device.name, nx, ny, kernels[which].name,
           grid.x, grid.y, block.x, block.y);

    float *host = (float *)malloc(bytes), *back = (float *)malloc(bytes), *in, *out;
    for (size_t i = 0; i < (size_t)nx * ny; i++)
        host[i] = (float)(rand() & 0xffffff);
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0, bytes));
    kernels[which].kernel<<<grid, block>>>(out, in, nx, ny);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back, out, bytes, cudaMemcpyDeviceToHost));

    long wrong = 0;
    for (size_t x = 0; x < (size_t)nx; x++)
        for (size_t y = 0; y < (size_t)ny; y++) {
            size_t row = y * nx + x, column = x * ny + y;
            if (kernels[which].copies)
                wrong += back[row] != host[row];
            else if (kernels[which].reads_columns)
                wrong += back[row] != host[column];
            else
                wrong += back[column] != host[row];
        }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    free(host);
    free(back);
    return verdict(kernels[which].name, wrong);
}
