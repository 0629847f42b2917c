/* Transposes any matrix in place by moving elements within its columns, then within its rows, then within its
 * columns: the decomposition of Catanzaro, Keller and Garland ("A Decomposition for In-place Matrix
 * Transposition", PPoPP 2014).
 *
 * Memory stays M rows of N elements throughout.  Element (r, c) belongs, once transposed, at the place i N +
 * j = c M + r.  With g = gcd(M, N), a = M / g and b = N / g:
 * - rotate: (r, c) goes to row r' = r - floor(c / b) (mod M).  Now the elements of a row belong in different
 *   columns.  Nothing moves if g = 1.
 * - row shuffle: in row r', c goes to j = (c M + r) mod N.
 * - column shuffle: in column j, r' goes to i.  Seen from i, r' = (i N + j - floor(i / a)) mod M.
 *
 * Each step backwards, in reverse order, turns N x M elements into M x N: so the host may have M <= N.
 *
 * If a row, or a panel of columns at least 16 bytes wide, fits into a multiprocessor's shared memory, a step
 * reads and writes each element once.  Otherwise it goes through the workspace, one band of WL_INPLACE_BAND
 * rows or columns after the other: one launch permutes a band on the way there, a second one copies it back;
 * both read and write.
 *
 * Traffic: 2 M N elements per step where a copy has as many, 4 M N for a step by bands.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/inplace/inplace.cuh"

struct wl_shape {
    uint64_t m, n, a, b; /* as above */
};

/* ---------------------------------------------------------------- where elements go */

/* The row that (i, j) comes from: by the column shuffle, or by the rotation. */
static __device__ __forceinline__ uint64_t wl_row_from(const struct wl_shape *s, unsigned rotates, uint64_t i,
                                                       uint64_t j) {
    uint64_t r = rotates ? i + j / s->b : (i * s->n + j) % s->m + s->m - i / s->a;
    return r >= s->m ? r - s->m : r;
}

/* ---------------------------------------------------------------- on chip */

/* Rows whose step is a power of two of elements would all fall into one bank. */
static __device__ __forceinline__ unsigned wl_spread(unsigned i) {
    return i ^ ((i >> 5) & 31) ^ ((i >> 10) & 31);
}

/* One row per block, n elements rounded up to 32 in shared memory.  All indices except the place in the
 * matrix fit into 32 bits, and M < N. */
extern "C" __global__ void WL_ANY_BLOCK WL_SIZED(rows)(wl_word *matrix, uint64_t rows, uint64_t cols,
                                                       uint64_t b, unsigned backwards, uint64_t first) {
    wl_await_earlier();
    wl_word *line = (wl_word *)wl_dynamic;
    const unsigned m = (unsigned)rows, n = (unsigned)cols, part = (unsigned)b;
    unsigned row = (unsigned)first + blockIdx.x;
    wl_word *at = matrix + row * cols;
    if (backwards) {
#pragma unroll 8
        for (unsigned c = threadIdx.x; c < n; c += blockDim.x)
            line[wl_spread(c)] = at[c];
        __syncthreads();
    }
    /* (c M) mod N, and its step to this thread's next column. */
    unsigned product = (unsigned)((uint64_t)threadIdx.x * m % n);
    unsigned onward = (unsigned)((uint64_t)blockDim.x * m % n);
#pragma unroll 8
    for (unsigned c = threadIdx.x; c < n; c += blockDim.x) {
        unsigned original = row + c / part;
        original -= original >= m ? m : 0;
        unsigned j = product + original;
        j -= j >= n ? n : 0;
        product += onward;
        product -= product >= n ? n : 0;
        if (backwards)
            at[c] = line[wl_spread(j)];
        else
            line[wl_spread(j)] = at[c];
    }
    if (backwards)
        return;
    __syncthreads();
#pragma unroll 8
    for (unsigned c = threadIdx.x; c < n; c += blockDim.x)
        at[c] = line[wl_spread(c)];
}

/* A panel of 2^log_width columns per block, with all its rows in shared memory. */
extern "C" __global__ void WL_ANY_BLOCK WL_SIZED(columns)(wl_word *matrix, uint64_t rows, uint64_t cols,
                                                          uint64_t a, uint64_t b, unsigned rotates,
                                                          unsigned backwards, unsigned log_width,
                                                          uint64_t first) {
    wl_await_earlier();
    wl_word *panel = (wl_word *)wl_dynamic;
    const unsigned m = (unsigned)rows, part = (unsigned)a;
    unsigned x = threadIdx.x & ((1u << log_width) - 1), step = blockDim.x >> log_width;
    uint64_t j = ((first + blockIdx.x) << log_width) + x;
    unsigned begin = threadIdx.x >> log_width;
    bool mine = j < cols;
    wl_word *at = matrix + j;
    if (!backwards) {
#pragma unroll 8
        for (unsigned i = begin; i < m; i += step)
            if (mine)
                panel[(i << log_width) + x] = at[i * cols];
        __syncthreads();
    }
    unsigned sum = (unsigned)((begin * cols + j) % rows), onward = (unsigned)(step * cols % rows);
    unsigned turn = (unsigned)(j / b % rows);
#pragma unroll 8
    for (unsigned i = begin; i < m; i += step) {
        unsigned r = rotates ? i + turn : sum + m - i / part;
        r = r >= m ? r - m : r;
        sum += onward;
        sum = sum >= m ? sum - m : sum;
        if (mine && backwards)
            panel[(r << log_width) + x] = at[i * cols];
        else if (mine)
            at[i * cols] = panel[(r << log_width) + x];
    }
    if (!backwards)
        return;
    __syncthreads();
#pragma unroll 8
    for (unsigned i = begin; i < m; i += step)
        if (mine)
            at[i * cols] = panel[(i << log_width) + x];
}

/* ---------------------------------------------------------------- by bands */

/* The band's place of row i, column j.  Columns are contiguous, and each row begins one further on in the
 * next column, so that the rows of a band, which go to neighbouring columns, are contiguous too. */
static __device__ __forceinline__ uint64_t wl_slanted(uint64_t n, uint64_t i, uint64_t j) {
    return (j >= i ? j - i : j + n - i) * WL_INPLACE_BAND + i;
}

/* Moves WL_INPLACE_BAND rows from `row` on: from the matrix to the band (at the shuffle's places, or
 * backwards the same), and from the band to the matrix.  A warp's lanes are the rows.  Each lane moves along
 * 32 columns, whose sectors stay in the L1. */
extern "C" __global__ void __launch_bounds__(WL_INPLACE_MOVERS)
    WL_SIZED(band_of_rows)(wl_word *matrix, wl_word *band, uint64_t rows, uint64_t cols, uint64_t b,
                           unsigned backwards, unsigned returns, uint64_t row, uint64_t first) {
    wl_await_earlier();
    const unsigned i = threadIdx.x % 32;
    uint64_t c = ((first + blockIdx.x) * (WL_INPLACE_MOVERS / 32) + threadIdx.x / 32) * 32, r = row + i;
    if (r >= rows || c >= cols)
        return;
    wl_word *at = matrix + r * cols;
    /* The way that has the shuffled column has it on the band's side.  (c M) mod N and floor(c / b) advance
     * with c. */
    bool shuffled = returns == backwards;
    uint64_t product = c * rows % cols, turn = c / b, within = c % b, end = min(c + 32, cols);
    for (; c < end; c++) {
        uint64_t original = r + turn;
        original -= original >= rows ? rows : 0;
        uint64_t to = product + original;
        to -= to >= cols ? cols : 0;
        wl_word *there = band + wl_slanted(cols, i, shuffled ? to : c);
        if (returns)
            at[c] = *there;
        else
            *there = at[c];
        product += rows;
        product -= product >= cols ? cols : 0;
        if (++within == b) {
            within = 0;
            turn++;
        }
    }
}

/* The same for WL_INPLACE_BAND columns from `col` on: the band has rows of WL_INPLACE_BAND. */
extern "C" __global__ void __launch_bounds__(WL_INPLACE_MOVERS)
    WL_SIZED(band_of_columns)(wl_word *matrix, wl_word *band, uint64_t rows, uint64_t cols, uint64_t a,
                              uint64_t b, unsigned rotates, unsigned backwards, unsigned returns,
                              uint64_t col, uint64_t first) {
    wl_await_earlier();
    const struct wl_shape shape = {rows, cols, a, b};
    uint64_t x = threadIdx.x % WL_INPLACE_BAND, j = col + x;
    uint64_t i = (first + blockIdx.x) * (WL_INPLACE_MOVERS / WL_INPLACE_BAND) + threadIdx.x / WL_INPLACE_BAND;
    if (i >= rows || j >= cols)
        return;
    wl_word *there = band + i * WL_INPLACE_BAND + x;
    /* Forwards, the way to the band reads from the shuffle's rows; backwards it writes to them. */
    if (!returns && !backwards)
        *there = matrix[wl_row_from(&shape, rotates, i, j) * cols + j];
    else if (!returns)
        band[wl_row_from(&shape, rotates, i, j) * WL_INPLACE_BAND + x] = matrix[i * cols + j];
    else
        matrix[i * cols + j] = *there;
}
