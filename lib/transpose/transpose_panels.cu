/* Transpose of small matrices, and of larger ones that have few rows: any alignment and count of rows and
 * columns, so that rows of neither side need be whole vectors.  Elements of WL_WIDTH bytes, blocks of
 * WL_THREADS threads; a block has a panel: all rows of some columns of a matrix, or some whole matrices.
 *
 * WL_BULK 1: panels are contiguous in the input too, but for a few bytes between rows or matrices.  One bulk
 * load brings the whole vectors around them.  0: they are columns of longer rows, of which asynchronous loads
 * bring windows of whole vectors.  In shared memory rows are as far apart as in global memory, modulo 128
 * bytes, so that what is in a line stays in a line (async.cuh says why), and element (r, c) is r * pitch + c
 * either way.
 *
 * WL_GAPS 0: the block's output is one run of memory.  Lanes take its vectors, wherever in a column they
 * begin, gather their elements and store them.  After a column's last element comes the next column's first,
 * or the next matrix'.  Elements of the run's first and last vector that are not its own have a lane each. 1:
 * there are gaps between the output's rows, or between small matrices.  Lanes take the whole vectors of each
 * row, and elements at its ends have a lane each, so that a sector's part is stored by one instruction.
 *
 * Bank conflicts: lanes that follow each other in a column are WL_EACH rows apart, which is 4 * pitch words:
 * of an odd pitch eight of them take eight banks, of an even one fewer, of a multiple of eight columns one.
 * So WL_SIDE lanes alone follow each other, as many as store whole sectors, or two of them; the next ones are
 * `apart` vectors on, about an eighth or a sixteenth of the panel, which the library chooses so that they
 * fall to other banks.  On average 23 passes through shared memory for 512 bytes of WL_WIDTH 2 (of 57 that
 * there is time for), 46 of WL_WIDTH 1, 12 of 4.
 *
 * WL_TURNED 1, of bytes and 16 rows or more: where the pitch is 16 n + 1 or so, a vector's distance to the
 * next is a multiple of 4 banks wherever lanes begin, and each load takes 4 passes and more.  There all lanes
 * follow each other, and those of each 8 begin with another word of their vectors, which is an odd number of
 * banks further: 16 to 32 passes for 512 bytes in place of 64 to 87.
 *
 * Traffic: of whole matrices every byte is read once and written once, but for the vectors where two blocks
 * meet.  Of columns, windows of 100 bytes or 228 have 1.3 and 1.13 times as many sectors as they need be,
 * which is 1.15 and 1.06 of all.  All sectors are stored whole but a panel's first and last.
 */
#if WL_BULK
#include "lib/cuda/bulk.cuh"
#else
#include "lib/cuda/async.cuh"
#endif
#include "lib/cuda/element.cuh"
#include "lib/transpose/transpose_panels.h"
#include "lib/transpose/transpose_tile.cuh"

#define WL_SIDE   (WL_WIDTH == 1 ? 2 : 4) /* lanes side by side in the output */
#define WL_STARTS (WL_SIDE * 16)          /* bytes that they begin at a multiple of */

#if !WL_TURNED
union wl_vector {
    uint4 whole;
    uint32_t words[4];
    wl_element wide[WL_EACH];
};

/* Element k of the vector, which is 0 before. */
static __device__ __forceinline__ void wl_put(wl_vector &vector, int k, wl_element element) {
#if WL_WIDTH < 4
    vector.words[k * WL_WIDTH / 4] |= (uint32_t)element << k * WL_WIDTH % 4 * 8;
#else
    vector.wide[k] = element;
#endif
}
#endif

#if !WL_GAPS
/* Element e of the run: its matrix, its row and column. */
struct wl_place {
    int matrix, r, c;
};

static __device__ __forceinline__ wl_place wl_find(const wl_transpose_panels &all, int elements, int e) {
    const int matrix = (int)__umulhi(e, all.by_matrix), rest = e - matrix * elements;
    const int c = (int)__umulhi(rest, all.by_rows);
    return {matrix, rest - c * (int)all.rows, c};
}
#endif

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_panels all) {
    /* Of bulk loads, the barrier; from the next line on the panel, from its place in a line on. */
    extern __shared__ __align__(128) char shared[];
    uint32_t panel;
    const uint64_t matrix = (uint64_t)wl_divide(blockIdx.x, all.by_panels, &panel) * all.together;
    const uint64_t column = (uint64_t)panel * all.panel_cols;
    const int matrices = wl_rest(all.batch, matrix, all.together);
    const int rows = (int)all.rows, cols = wl_rest(all.cols, column, all.panel_cols);
    const int pitch = (int)all.pitch;
    const char *const from = all.from + matrix * all.from_stride + column * WL_WIDTH;
    char *const to = all.to + matrix * all.to_stride + column * all.to_pitch;
    char *const in = shared + 128 * WL_BULK + (uintptr_t)from % 128;

#if WL_BULK
    {
        const int bytes = ((matrices - 1) * (int)all.stride + (rows - 1) * pitch + cols) * WL_WIDTH;
        int begin = -(int)((uintptr_t)from % 16), end = bytes + (int)(-(uintptr_t)(from + bytes) % 16);
        if (from + begin < all.from)
            begin += 16;
        if (from + end > all.end)
            end -= 16;
        if (end <= begin)
            begin = end = 0;
        wl_barrier *const loaded = (wl_barrier *)shared;
        if (threadIdx.x == 0) {
            wl_barrier_init(loaded, 1);
            wl_barrier_expect(loaded, end - begin);
            if (end > begin)
                wl_bulk_load_once(in + begin, from + begin, end - begin, loaded);
        }
        /* What lies in a vector with bytes outside the array. */
        const int first = ((int)threadIdx.x - 32) * WL_WIDTH, last = end + first;
        if (first >= 0 && first < begin)
            *(wl_element *)(in + first) = *(const wl_element *)(from + first);
        if (first >= 0 && last < bytes)
            *(wl_element *)(in + last) = *(const wl_element *)(from + last);
        __syncthreads();
        wl_barrier_wait(loaded, 0);
    }
#else
    {
        const int step = WL_THREADS / (int)all.row_vectors, vector = threadIdx.x % all.row_vectors * 16;
        int r = threadIdx.x / all.row_vectors;
        const char *start = from + r * all.from_pitch;
        uint32_t slot = wl_async_address(in) + r * pitch * WL_WIDTH;
#pragma unroll 4
        for (; r < rows; r += step, start += step * all.from_pitch, slot += step * pitch * WL_WIDTH) {
            const int early = (int)((uintptr_t)start % 16);
            if (vector >= early + cols * WL_WIDTH)
                continue;
            const char *const address = start - early + vector;
            if (address >= all.from && address + 16 <= all.end) {
                wl_async_load(slot - early + vector, address);
                continue;
            }
            char *const place = in + r * pitch * WL_WIDTH - early + vector;
            for (int i = 0; i < 16; i += WL_WIDTH)
                if (address + i >= all.from && address + i < all.end)
                    *(wl_element *)(place + i) = *(const wl_element *)(address + i);
        }
        wl_async_wait();
        __syncthreads();
    }
#endif

    const wl_element *const first = (const wl_element *)in;
    const int lane = threadIdx.x % 32, group = threadIdx.x / 32 * WL_SIDE, apart = (int)all.apart;
    [[maybe_unused]] const int unit = lane / WL_SIDE * apart + lane % WL_SIDE + group;
#if WL_GAPS
    /* Row q of the output, of all matrices: where it begins, and its elements there and before a vector. */
    const int lines = matrices * cols, stores = (int)all.row_stores;
    const auto find = [&](int q, char *&row, const wl_element *&element) {
        const int m = (int)__umulhi(q, all.by_matrix), c = q - m * cols;
        row = to + m * all.to_stride + c * all.to_pitch;
        element = first + (m * (int)all.stride + c);
        return (int)(-(uintptr_t)row % 16 / WL_WIDTH);
    };
    if (rows < 2 * WL_EACH) {
        /* An element a lane. */
#pragma unroll 4
        for (int i = threadIdx.x; i < lines * rows; i += WL_THREADS) {
            const int q = (int)__umulhi(i, all.by_rows), r = i - q * rows;
            char *row;
            const wl_element *element;
            find(q, row, element);
            ((wl_element *)row)[r] = element[r * pitch];
        }
        return;
    }
    /* Elements that make no whole vector, a lane each: some before and some after them. */
#pragma unroll 2
    for (int i = threadIdx.x; WL_EACH > 1 && i < lines * 2 * WL_EACH; i += WL_THREADS) {
        char *row;
        const wl_element *element;
        const int head = find(i / (2 * WL_EACH), row, element), x = i % (2 * WL_EACH);
        const int tail = (rows - head) % WL_EACH, r = x < WL_EACH ? x : rows - tail + x - WL_EACH;
        if (x < WL_EACH ? x < head : r < rows)
            ((wl_element *)row)[r] = element[r * pitch];
    }
#pragma unroll 2
    for (int v = group, i = unit; v < apart; v += WL_THREADS / 32 * WL_SIDE, i += WL_THREADS / 32 * WL_SIDE) {
        const int q = (int)__umulhi(i, all.by_rows);
        char *row;
        const wl_element *p;
        const int r = find(q, row, p) + (i - q * stores) * WL_EACH;
        if (q >= lines || r + WL_EACH > rows)
            continue;
        p += r * pitch;
        wl_vector out = {};
#pragma unroll
        for (int k = 0; k < WL_EACH; k++)
            wl_put(out, k, p[k * pitch]);
        *(uint4 *)(row + r * WL_WIDTH) = out.whole;
    }
#else
    const int elements = rows * cols, count = matrices * elements;
    const int lead = (int)((uintptr_t)to % WL_STARTS / WL_WIDTH);
    {
        const int head = (WL_EACH - lead % WL_EACH) % WL_EACH, tail = (lead + count) % WL_EACH;
        const int e = lane < 16 ? lane : count - tail + lane - 16;
        if (threadIdx.x >= WL_THREADS - 32 && e < count && (lane < 16 ? e < head : e >= head)) {
            const wl_place at = wl_find(all, elements, e);
            ((wl_element *)to)[e] = first[at.matrix * (int)all.stride + at.r * pitch + at.c];
        }
    }
    /* From a column's last element, or a matrix', to the next one's first, as if rows went on. */
    const int next_column = 1 - rows * pitch, next_matrix = (int)all.stride - rows * pitch - (cols - 1);
#if WL_TURNED
    const int turned = lane / 8;
    int e = (int)threadIdx.x * WL_EACH - (int)((uintptr_t)to % 128 / WL_WIDTH);
#pragma unroll 2
    for (; e + WL_EACH <= count; e += WL_THREADS * WL_EACH) {
        if (e < 0)
            continue;
        const wl_place at = wl_find(all, elements, e);
        const wl_element *p = first + (at.matrix * (int)all.stride + at.r * pitch + at.c);
        const int turn = at.c + 1 == cols ? next_matrix : next_column, whole = rows - at.r;
        uint32_t word[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int k = (i + turned) % 4 * (WL_EACH / 4), left = whole - k;
            const wl_element *q = p + k * pitch;
            const uint32_t a = q[left <= 0 ? turn : 0], b = q[pitch + (left <= 1 ? turn : 0)];
#if WL_WIDTH == 1
            const uint32_t c = q[2 * pitch + (left <= 2 ? turn : 0)],
                           d = q[3 * pitch + (left <= 3 ? turn : 0)];
            word[i] = __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
#else
            word[i] = __byte_perm(a, b, 0x5410);
#endif
        }
        if (turned & 1) {
            const uint32_t last = word[3];
            word[3] = word[2];
            word[2] = word[1];
            word[1] = word[0];
            word[0] = last;
        }
        *(uint4 *)(to + (int64_t)e * WL_WIDTH) = turned & 2 ? make_uint4(word[2], word[3], word[0], word[1])
                                                            : make_uint4(word[0], word[1], word[2], word[3]);
    }
#else
    int e = unit * WL_EACH - lead;
#pragma unroll 2
    for (int v = group; v < apart; v += WL_THREADS / 32 * WL_SIDE, e += WL_THREADS / 32 * WL_SIDE * WL_EACH) {
        if (e < 0 || e + WL_EACH > count)
            continue;
        const wl_place at = wl_find(all, elements, e);
        const wl_element *p = first + (at.matrix * (int)all.stride + at.r * pitch + at.c);
        wl_vector out = {};
        if (rows >= WL_EACH) {
            const int turn = at.c + 1 == cols ? next_matrix : next_column, whole = rows - at.r;
#pragma unroll
            for (int k = 0; k < WL_EACH; k++)
                wl_put(out, k, p[k * pitch + (k >= whole ? turn : 0)]);
        } else {
            int left = rows - at.r, turns = cols - at.c;
#pragma unroll
            for (int k = 0; k < WL_EACH; k++) {
                wl_put(out, k, *p);
                p += pitch;
                if (--left == 0) {
                    left = rows;
                    p += --turns == 0 ? next_matrix : next_column;
                    turns = turns == 0 ? cols : turns;
                }
            }
        }
        *(uint4 *)(to + (int64_t)e * WL_WIDTH) = out.whole;
    }
#endif
#endif
}
