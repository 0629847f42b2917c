/* Transposes small matrices, and larger ones that have few rows.  Alignment and the number of rows and
 * columns are arbitrary: rows of neither side need be whole vectors.  Elements have WL_WIDTH bytes, blocks
 * WL_THREADS threads.  A block has a panel: all rows of some columns of a matrix, or some whole matrices.
 *
 * WL_BULK: as transpose_panel_fill.cuh says.
 *
 * WL_GAPS 0: the block's output is contiguous.  Lanes take its vectors, wherever in a column they begin,
 * gather their elements and store them.  After a column's last element comes the first of the next column or
 * matrix.  Elements in the first and last vector that are not whole have a lane each.  1: there are gaps
 * between the output's rows, or between small matrices.  Lanes take the whole vectors of each row, and
 * elements at its ends have a lane each, so that one instruction stores a sector's part.
 *
 * Bank conflicts: consecutive lanes in a column are WL_EACH rows apart, which is 4 * pitch words: eight of
 * them take eight banks if the pitch is odd, fewer if it is even, and one if it is a multiple of eight
 * columns.  So only WL_SIDE lanes are consecutive, as many as store one whole sector, or two.  The next ones
 * are `apart` vectors on, about an eighth or a sixteenth of the panel; the library chooses it so that they
 * fall into other banks.  On average 512 bytes take 23 passes through shared memory for WL_WIDTH 2, where
 * there is time for 57; 46 for WL_WIDTH 1, and 12 for 4.
 *
 * WL_TURNED 1, for 1-byte elements and 16 rows or more: if the pitch is 16 n + 1 or similar, consecutive
 * vectors are a multiple of 4 banks apart wherever lanes begin, and each load takes 4 passes or more.  Then
 * all lanes are consecutive, and every 8 of them begin with another word of their vectors, which is an odd
 * number of banks further: 16 to 32 passes per 512 bytes instead of 64 to 87.
 *
 * Columns of fewer bytes than a vector turn within it, at another byte in each lane.  A table says where each
 * byte of a vector lies, by the row in which the vector begins: 153 to 206 instructions of a warp for 512
 * bytes where 199 to 301 asked at each byte whether the column ends.  Vectors in which a matrix ends still
 * do.
 *
 * Traffic: whole matrices are read once and written once, except the vectors where two blocks meet.  For
 * columns, windows of 100 or 228 bytes have 1.3 and 1.13 times the sectors needed, which is 1.15 and 1.06
 * times all traffic.  All sectors are stored whole but a panel's first and last.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/gathered.cuh"
#include "lib/cuda/packed.cuh"
#include "lib/transpose/transpose_panel_fill.cuh"

#define WL_SIDE   (WL_WIDTH == 1 ? 2 : 4) /* consecutive lanes in the output */
#define WL_STARTS (WL_SIDE * 16)          /* bytes at a multiple of which they begin */

#define WL_SHORT (WL_WIDTH == 1 && !WL_GAPS && !WL_TURNED) /* columns of few bytes have a table of places */

#if !WL_GAPS
/* Element e of the run: its matrix, row and column. */
struct wl_place {
    int matrix, r, c;
};

static __device__ __forceinline__ wl_place wl_find(const wl_transpose_panels &all, int elements, int e) {
    const int matrix = (int)__umulhi(e, all.by_matrix), rest = e - matrix * elements;
    const int c = (int)__umulhi(rest, all.by_rows);
    return {matrix, rest - c * (int)all.rows, c};
}
#endif

#if WL_SHORT
/* Fills the tables of places, if there are any: a warp each. */
static __device__ __forceinline__ void note_places(const wl_transpose_panels &all, char *shared) {
    const uint32_t table = threadIdx.x / 32, entry = threadIdx.x % 32;
    if (!all.places || table >= WL_PLACES_EACH || entry >= WL_PLACES_TABLE / sizeof(uint16_t))
        return;
    const int row = (int)(table + entry), turns = (int)__umulhi(row, all.by_rows);
    ((uint16_t *)(shared + all.places + table * WL_PLACES_TABLE))[entry] =
        (uint16_t)((row - turns * (int)all.rows) * (int)all.pitch + turns);
}
#endif

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_panels all) {
    wl_await_earlier();
    /* For bulk loads, the barrier; from the next line on the panel, at its place in a line. */
    extern __shared__ __align__(128) char shared[];
    const wl_panel panel = wl_find_panel(all, NULL);
#if WL_SHORT
    note_places(all, shared);
#endif
    wl_load_panel(all, panel, shared);
    const int matrices = panel.matrices, rows = (int)all.rows, cols = panel.cols, pitch = (int)all.pitch;
    char *const to = panel.to;

    const wl_element *const first = (const wl_element *)(shared + panel.in);
    const int lane = threadIdx.x % 32, group = threadIdx.x / 32 * WL_SIDE, apart = (int)all.apart;
    [[maybe_unused]] const int unit = lane / WL_SIDE * apart + lane % WL_SIDE + group;
#if WL_GAPS
    /* Row q of the output of all matrices: its beginning, and its elements there and before a vector. */
    const int lines = matrices * cols, stores = (int)all.row_stores;
    const auto find = [&](int q, char *&row, const wl_element *&element) {
        const int m = (int)__umulhi(q, all.by_matrix), c = q - m * cols;
        row = to + m * all.to_stride + c * all.to_pitch;
        element = first + (m * (int)all.stride + c);
        return (int)(-(uintptr_t)row % 16 / WL_WIDTH);
    };
    if (rows < 2 * WL_EACH) {
        /* One element per lane. */
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
    /* Elements outside whole vectors, one per lane: some before and some after them. */
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
    /* Distance from the last element of a column or matrix to the first of the next, as if rows continued. */
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
            word[i] = wl_packed_bytes(a, b, c, d);
#else
            word[i] = wl_packed_halves(a, b);
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
    /* The vector whose first element is e, which one matrix or several have. */
    const auto gather = [&](int e) {
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
    };
    int e = unit * WL_EACH - lead;
#if WL_SHORT
    const auto gather_word = [&](const wl_element *p, uint32_t two, uint32_t next) {
        return wl_packed_bytes(p[two & 0xffff], p[two >> 16], p[next & 0xffff], p[next >> 16]);
    };
    if (all.places) {
        /* Vectors in which one matrix ends and the next begins: those have more bytes than a vector. */
        for (int m = (int)threadIdx.x + 1; m < matrices; m += WL_THREADS)
            if (const int past = (m * elements + lead) % WL_EACH)
                gather(m * elements - past);
        for (int v = group; v < apart;
             v += WL_THREADS / 32 * WL_SIDE, e += WL_THREADS / 32 * WL_SIDE * WL_EACH) {
            if (e < 0 || e + WL_EACH > count)
                continue;
            const wl_place at = wl_find(all, elements, e);
            if (e + WL_EACH > (at.matrix + 1) * elements)
                continue;
            const uint4 *const places =
                (const uint4 *)(shared + all.places + at.r % WL_PLACES_EACH * WL_PLACES_TABLE) +
                at.r / WL_PLACES_EACH;
            const wl_element *const p = first + (at.matrix * (int)all.stride + at.c);
            uint32_t word[4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const uint4 eight = places[i];
                word[2 * i] = gather_word(p, eight.x, eight.y);
                word[2 * i + 1] = gather_word(p, eight.z, eight.w);
            }
            *(uint4 *)(to + e) = make_uint4(word[0], word[1], word[2], word[3]);
        }
        return;
    }
#endif
#pragma unroll 2
    for (int v = group; v < apart; v += WL_THREADS / 32 * WL_SIDE, e += WL_THREADS / 32 * WL_SIDE * WL_EACH)
        if (e >= 0 && e + WL_EACH <= count)
            gather(e);
#endif
#endif
}
