/* Integer matrix multiply: C (m x k) = A (m x n) times B (n x k), int32 modulo 2^32, row-major.
 *
 *   naive          one output per thread, directly from global memory: 2 n loads for each
 *   tile-square    32 x 32 tiles of A and B in shared memory: each loaded element is used 32 times
 *   tile-rect      the same 8 KiB of shared memory as 16 x 64 and 64 x 16 tiles, 16 x 16 threads that load
 *                  4 + 4 elements per step: half as many steps, but each element is used only 16 times
 *   register-tile  8 x 8 outputs per thread: a word read from shared memory serves 8 multiplications, and
 *                  each loaded element is used 128 times
 *
 * Minimal traffic: 4 (m n + n k + m k) bytes; 2 m n k operations.  At 1600 x 1007 x 1600: tile-square
 * 5077500 load requests of 22380000 sectors, tile-rect 10080000 of 49100000.
 *
 * pitch is the row length of B and C, k.  A launch may handle only `cols` of their columns, because a grid
 * has at most 65535 blocks in y and 2^31 - 1 in x.  Elements are unsigned, so that overflow wraps.
 */
#include "lib/cuda/index.cuh"

extern "C" __global__ void WL_ANY_BLOCK wl_matmul_naive(uint32_t *__restrict__ c,
                                                        const uint32_t *__restrict__ a,
                                                        const uint32_t *__restrict__ b, unsigned rows,
                                                        uint64_t n, unsigned cols, uint64_t pitch) {
    unsigned col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= cols || row >= rows)
        return;
    a += row * n;
    b += col;
    uint32_t sum = 0;
#pragma unroll 8
    for (uint64_t i = 0; i < n; i++, b += pitch)
        sum += a[i] * *b;
    c[row * pitch + col] = sum;
}

#define SIDE 32

extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    wl_matmul_tile_square(uint32_t *__restrict__ c, const uint32_t *__restrict__ a,
                          const uint32_t *__restrict__ b, unsigned rows, uint64_t n, unsigned cols,
                          uint64_t pitch) {
    __shared__ __align__(16) uint32_t tile_a[SIDE][SIDE];
    __shared__ uint32_t tile_b[SIDE][SIDE];
    unsigned col = blockIdx.x * SIDE + threadIdx.x, row = blockIdx.y * SIDE + threadIdx.y;
    const uint32_t *from_a = a + row * n + threadIdx.x, *from_b = b + threadIdx.y * pitch + col;
    uint32_t sum = 0;
    /* The remaining inner size for this thread's element of A and of B; a row or column outside the matrix
     * starts with nothing left. */
    int64_t left_a = row < rows ? (int64_t)n - threadIdx.x : 0;
    int64_t left_b = col < cols ? (int64_t)n - threadIdx.y : 0;
    for (uint64_t step = 0; step < n; step += SIDE) {
        tile_a[threadIdx.y][threadIdx.x] = left_a > 0 ? *from_a : 0;
        tile_b[threadIdx.y][threadIdx.x] = left_b > 0 ? *from_b : 0;
        left_a -= SIDE;
        left_b -= SIDE;
        from_a += SIDE;
        from_b += SIDE * pitch;
        __syncthreads();
        /* Reads A's row four words at a time, as ptxas would by itself. */
#pragma unroll
        for (unsigned l = 0; l < SIDE; l += 4) {
            uint4 x = *(const uint4 *)&tile_a[threadIdx.y][l];
            sum += x.x * tile_b[l][threadIdx.x];
            sum += x.y * tile_b[l + 1][threadIdx.x];
            sum += x.z * tile_b[l + 2][threadIdx.x];
            sum += x.w * tile_b[l + 3][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < rows && col < cols)
        c[row * pitch + col] = sum;
}

#define SHORT 16
#define LONG  64

extern "C" __global__ void __launch_bounds__(SHORT *SHORT)
    wl_matmul_tile_rect(uint32_t *__restrict__ c, const uint32_t *__restrict__ a,
                        const uint32_t *__restrict__ b, unsigned rows, uint64_t n, unsigned cols,
                        uint64_t pitch) {
    __shared__ __align__(16) uint32_t tile_a[SHORT][LONG];
    __shared__ uint32_t tile_b[LONG][SHORT];
    unsigned col = blockIdx.x * SHORT + threadIdx.x, row = blockIdx.y * SHORT + threadIdx.y;
    const uint32_t *from_a = a + row * n + threadIdx.x, *from_b = b + threadIdx.y * pitch + col;
    uint32_t sum = 0;
    int64_t left_a = row < rows ? (int64_t)n - threadIdx.x : 0;
    int64_t left_b = col < cols ? (int64_t)n - threadIdx.y : 0;
    for (uint64_t step = 0; step < n; step += LONG) {
#pragma unroll
        for (unsigned q = 0; q < LONG; q += SHORT) {
            tile_a[threadIdx.y][threadIdx.x + q] = left_a > q ? from_a[q] : 0;
            tile_b[threadIdx.y + q][threadIdx.x] = left_b > q ? *from_b : 0;
            from_b += SHORT * pitch;
        }
        left_a -= LONG;
        left_b -= LONG;
        from_a += LONG;
        __syncthreads();
#pragma unroll
        for (unsigned l = 0; l < LONG; l += 4) {
            uint4 x = *(const uint4 *)&tile_a[threadIdx.y][l];
            sum += x.x * tile_b[l][threadIdx.x];
            sum += x.y * tile_b[l + 1][threadIdx.x];
            sum += x.z * tile_b[l + 2][threadIdx.x];
            sum += x.w * tile_b[l + 3][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < rows && col < cols)
        c[row * pitch + col] = sum;
}

/* A block of 16 x 16 threads computes 128 x 128 outputs, 16 inner steps at a time.  Thread (tx, ty) owns rows
 * 4 ty + {0..3} and 64 + 4 ty + {0..3}, and columns likewise by tx: its eight values per step are two 16-byte
 * reads of A's tile (stored transposed) and two of B's, without bank conflicts.  The next step's elements are
 * loaded into registers while this step multiplies. */
#define OUTER   128
#define INNER   16
#define THREADS 256
#define EACH    (OUTER * INNER / THREADS)

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    wl_matmul_register_tile(uint32_t *__restrict__ c, const uint32_t *__restrict__ a,
                            const uint32_t *__restrict__ b, unsigned rows, uint64_t n, unsigned cols,
                            uint64_t pitch) {
    __shared__ __align__(16) uint32_t tile_a[INNER][OUTER + 4];
    __shared__ __align__(16) uint32_t tile_b[INNER][OUTER];
    unsigned t = threadIdx.y * 16 + threadIdx.x;
    unsigned block_row = blockIdx.y * OUTER, block_col = blockIdx.x * OUTER;
    /* This thread loads column a_col of A's tile, every 16th row, and column b_col of B's, every 2nd row. */
    unsigned a_col = t % INNER, a_row = t / INNER, b_col = t % OUTER, b_row = t / OUTER;
    const uint32_t *from_a = a + (uint64_t)(block_row + a_row) * n + a_col;
    const uint32_t *from_b = b + b_row * pitch + block_col + b_col;
    bool whole_rows = block_row + OUTER <= rows, col_inside = block_col + b_col < cols;
    uint32_t next_a[EACH], next_b[EACH], sum[8][8];
#pragma unroll
    for (unsigned i = 0; i < 8; i++)
#pragma unroll
        for (unsigned j = 0; j < 8; j++)
            sum[i][j] = 0;
#pragma unroll
    for (unsigned i = 0; i < EACH; i++) {
        next_a[i] = block_row + a_row + 16 * i < rows && a_col < n ? from_a[16 * i * n] : 0;
        next_b[i] = col_inside && b_row + 2 * i < n ? from_b[2 * i * pitch] : 0;
    }
    for (uint64_t step = 0; step < n; step += INNER) {
#pragma unroll
        for (unsigned i = 0; i < EACH; i++) {
            tile_a[a_col][a_row + 16 * i] = next_a[i];
            tile_b[b_row + 2 * i][b_col] = next_b[i];
        }
        __syncthreads();
        from_a += INNER;
        from_b += INNER * pitch;
        if (whole_rows && col_inside && step + 2 * INNER <= n) {
#pragma unroll
            for (unsigned i = 0; i < EACH; i++) {
                next_a[i] = from_a[16 * i * n];
                next_b[i] = from_b[2 * i * pitch];
            }
        } else {
            uint64_t left = n > step + INNER ? n - step - INNER : 0;
#pragma unroll
            for (unsigned i = 0; i < EACH; i++) {
                next_a[i] = block_row + a_row + 16 * i < rows && a_col < left ? from_a[16 * i * n] : 0;
                next_b[i] = col_inside && b_row + 2 * i < left ? from_b[2 * i * pitch] : 0;
            }
        }
#pragma unroll
        for (unsigned l = 0; l < INNER; l++) {
            uint32_t x[8], y[8];
            *(uint4 *)(x) = *(const uint4 *)&tile_a[l][4 * threadIdx.y];
            *(uint4 *)(x + 4) = *(const uint4 *)&tile_a[l][64 + 4 * threadIdx.y];
            *(uint4 *)(y) = *(const uint4 *)&tile_b[l][4 * threadIdx.x];
            *(uint4 *)(y + 4) = *(const uint4 *)&tile_b[l][64 + 4 * threadIdx.x];
#pragma unroll
            for (unsigned i = 0; i < 8; i++)
#pragma unroll
                for (unsigned j = 0; j < 8; j++)
                    sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        unsigned row = block_row + (i / 4) * 64 + 4 * threadIdx.y + i % 4;
        if (row >= rows)
            continue;
#pragma unroll
        for (unsigned j = 0; j < 8; j++) {
            unsigned col = block_col + (j / 4) * 64 + 4 * threadIdx.x + j % 4;
            if (col < cols)
                c[row * pitch + col] = sum[i][j];
        }
    }
}
