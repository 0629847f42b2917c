/* Permutes arrays whose last two dimensions change places with each other while others move: small matrices
 * that are transposed and go elsewhere.  Elements have WL_WIDTH bytes, blocks WL_THREADS threads.
 *
 * A block's matrices are contiguous in the output.  Each is contiguous in the input too: a bulk load brings
 * it, or several that are neighbours in both arrays.  A table in shared memory has each one's place.  Lanes
 * take the output's vectors, wherever in a column they begin, gather their elements and store them, as in
 * transpose_panels.cu, which says how banks are kept apart.
 *
 * Traffic: every byte is read once and written once, but for the sectors at the ends of loads, and the
 * vectors where two blocks meet.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/gathered.cuh"
#include "lib/permute/permute.cuh"
#include "lib/permute/permute_window.cuh"

#define WL_SIDE   (WL_WIDTH == 1 ? 2 : 4) /* consecutive lanes in the output */
#define WL_STARTS (WL_SIDE * 16)          /* bytes at a multiple of which they begin */

extern __shared__ __align__(128) unsigned char memory[];

/* Loads matrices `first` to first + count - 1 of the output, and notes their places. */
static __device__ __forceinline__ void load(const struct wl_permute_matrices &p, uint32_t first, int count,
                                            uint32_t *place, wl_barrier *barrier) {
    const uint32_t close = p.close.count, first_cell = close == 1 ? first : wl_divide(first, &p.close);
    uint32_t bytes = 0;
    for (int m = threadIdx.x; m < count; m += WL_THREADS) {
        const uint32_t n = first + m, cell = close == 1 ? n : wl_divide(n, &p.close);
        const uint32_t begin = cell == first_cell ? first - first_cell * close : 0,
                       inner = n - cell * close - begin;
        uint64_t from = p.tiles.from + begin * p.matrix;
        uint32_t rest = cell;
        for (uint32_t i = 0; i < p.tiles.digits; i++) {
            const uint32_t left = wl_divide(rest, &p.tiles.digit[i].by);
            from += (rest - left * p.tiles.digit[i].by.count) * p.tiles.digit[i].in;
            rest = left;
        }
        uint32_t at = (cell - first_cell) * p.pitch;
        at += ((uint32_t)from - at) & (p.phase - 1);
        place[m] = at + inner * p.matrix;
        if (inner == 0)
            bytes += wl_load_window(p.tiles, memory + at, from,
                                    min((int)(close - begin), count - m) * p.matrix, barrier);
    }
    if (threadIdx.x == 0)
        place[count] = 0;
    if (bytes)
        wl_barrier_expect(barrier, bytes);
    else
        wl_barrier_arrive(barrier);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_matrices p) {
    wl_await_earlier();
    wl_barrier *const barrier = (wl_barrier *)(memory + p.barrier);
    uint32_t *const place = (uint32_t *)(memory + p.table);
    const uint32_t first = blockIdx.x * p.together;
    const int matrices = (int)min(p.together, p.matrices - first);
    if (threadIdx.x == 0)
        wl_barrier_init(barrier, WL_THREADS);
    __syncthreads();
    load(p, first, matrices, place, barrier);
    __syncthreads();
    wl_barrier_wait(barrier, 0);

    const int rows = (int)p.rows, cols = (int)p.cols, elements = rows * cols, count = matrices * elements;
    char *const to = (char *)p.tiles.to + (uint64_t)first * p.matrix;
    const int lead = (int)((uintptr_t)to % WL_STARTS / WL_WIDTH);
    const auto base = [&](int m) { return (const wl_element *)(memory + place[m]); };
    const auto find = [&](int e, int &m, int &r, int &c) {
        m = (int)__umulhi(e, p.by_matrix);
        const int rest = e - m * elements;
        c = (int)__umulhi(rest, p.by_rows);
        r = rest - c * rows;
    };
    const int lane = threadIdx.x % 32, group = threadIdx.x / 32 * WL_SIDE, apart = (int)p.apart;
    /* Elements in the first and last vector that are not whole. */
    if (threadIdx.x >= WL_THREADS - 32) {
        const int head = (WL_EACH - lead % WL_EACH) % WL_EACH, tail = (lead + count) % WL_EACH;
        const int e = lane < 16 ? lane : count - tail + lane - 16;
        if (e < count && (lane < 16 ? e < head : e >= head)) {
            int m, r, c;
            find(e, m, r, c);
            ((wl_element *)to)[e] = base(m)[r * cols + c];
        }
    }
    const int next_column = 1 - rows * cols;
    int e = (lane / WL_SIDE * apart + lane % WL_SIDE + group) * WL_EACH - lead;
#pragma unroll 2
    for (int v = group; v < apart; v += WL_THREADS / 32 * WL_SIDE, e += WL_THREADS / 32 * WL_SIDE * WL_EACH) {
        if (e < 0 || e + WL_EACH > count)
            continue;
        int m, r, c;
        find(e, m, r, c);
        const wl_element *q = base(m) + (r * cols + c);
        wl_vector out = {};
        if (rows >= WL_EACH) {
            const int whole = rows - r;
            const wl_element *const next = c + 1 == cols ? base(m + 1) - whole * cols : q + next_column;
#pragma unroll
            for (int k = 0; k < WL_EACH; k++)
                wl_put(out, k, (k >= whole ? next : q)[k * cols]);
        } else {
            int left = rows - r, turns = cols - c;
#pragma unroll
            for (int k = 0; k < WL_EACH; k++) {
                wl_put(out, k, *q);
                q += cols;
                if (--left == 0) {
                    left = rows;
                    q += next_column;
                    if (--turns == 0) {
                        turns = cols;
                        q = base(++m);
                    }
                }
            }
        }
        *(uint4 *)(to + (int64_t)e * WL_WIDTH) = out.whole;
    }
}
