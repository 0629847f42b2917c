/* Transposes matrices of bytes whose output is contiguous, as transpose_panels.cu does, by words.  Alignment
 * and sizes are arbitrary, but there are 8 rows or more.  Blocks have WL_THREADS threads.  A block has a
 * panel: all rows of some columns of a matrix, or some whole matrices.
 *
 * WL_BULK: as transpose_panel_fill.cuh says.
 *
 * A lane takes four columns, which are a word of each row, and walks down some of their rows.  Four rows are
 * a step: two words of shared memory make one that begins anywhere, and four words are transposed in
 * registers.  Each is then part of a column.  The step before and this one make up a word of the output,
 * wherever columns begin.  Lanes put these words into an image of the panel's output, which is stored by
 * vectors.  A column's last word is continued by the next column's first rows.
 *
 * So 512 bytes take 10 to 25 passes through shared memory, and 110 to 190 instructions.  By single bytes
 * these are 33 to 64, or 104 where rows are eight bytes, and 190 to 200; there is time for 57 and 228 on an
 * H200.
 *
 * Blocks are small: many of them on a multiprocessor load, put and store at different times.  They have 128
 * threads and 5 to 14 KB, and an image of as many bytes.  Where windows would be short then, they have 256
 * threads and up to 28 KB (transpose_group_tall).
 *
 * Bank conflicts: lanes of neighbouring columns read neighbouring words, and put words that are four columns
 * apart, which is bad if columns are whole words.  So 2^beside lanes take consecutive rows of the same
 * columns; the library chooses how many, by counting (groups.c).
 *
 * Traffic: whole matrices are read once and written once, except the vectors where two blocks meet.  For
 * columns, windows of 90, 200 and 350 bytes have 1.34, 1.16 and 1.09 times the sectors needed, as a window of
 * n bytes touches (n + 31) / 32 on average: with the writes 1.17, 1.08 and 1.04 times the minimum.  All
 * sectors are stored whole but a panel's first and last.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/transpose/transpose_groups.cuh"
#include "lib/transpose/transpose_panel_fill.cuh"

/* A lane's task: the first rows of four columns, or of those that there are, and for each column the words of
 * the image that begin in it from there on: the first, where it begins in a step, and how many the lane puts.
 */
struct task {
    struct rows from;
    uint32_t place, to[4], shift[4];
    int first, columns, count[4], least, most; /* of the counts */
};

/* False if the lane has none.  parted: a matrix's last task often has fewer than four columns. */
template <bool even, bool parted>
static __device__ __forceinline__ bool begin_task(task &task, const wl_transpose_group_panels &group,
                                                  const wl_panel &panel, uint32_t number) {
    const wl_transpose_panels &all = group.panels;
    const int rows = (int)all.rows, steps = (int)group.lanes.steps;
    uint32_t unit, of_matrix;
    const uint32_t part = part_of(group.lanes, number, &unit);
    const int matrix = (int)wl_divide(unit, group.of_matrix, &of_matrix), c = (int)of_matrix * 4,
              have = panel.cols - c;
    task.first = (int)part * steps * 4;
    if (matrix >= panel.matrices || have <= 0 || task.first >= rows)
        return false;
    task.place = shared_address(panel.in) + matrix * all.stride + c;
#pragma unroll
    for (int i = 0; i < 4; i++)
        begin_row(task.from, i, task.place + (task.first + i) * all.pitch);
    const uint32_t begin = shared_address(group.image) + (uint32_t)((uintptr_t)panel.to % 16) +
                           (matrix * panel.cols + c) * rows + task.first;
    const int left = rows - task.first;
    task.columns = have;
    task.least = steps;
    task.most = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const uint32_t early = even ? 0 : -(begin + j * rows) % 4;
        task.to[j] = begin + j * rows + early;
        task.shift[j] = early * 8;
        task.count[j] = j < have ? min(steps, (left - (int)early + 3) / 4) : 0;
        if (!parted || j < have)
            task.least = min(task.least, task.count[j]);
        task.most = max(task.most, task.count[j]);
    }
    return true;
}

/* Puts step k, of which `next` has the columns, and `now` those of the step before.  plain: all columns have
 * it, or if these are parted, all that there are. */
template <bool even, bool parted>
static __device__ __forceinline__ void put(task &task, uint32_t (&now)[4], const uint32_t (&next)[4], int k,
                                           bool plain) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
        if (plain ? !parted || j < task.columns : k < task.count[j])
            put_word(task.to[j], even ? next[j] : __funnelshift_r(now[j], next[j], task.shift[j]));
        task.to[j] += 4;
        now[j] = next[j];
    }
}

/* Puts a panel's columns into the image.  aligned: rows begin at words.  even: the output's columns are whole
 * words, and begin at words; otherwise the words of a step end in the next one. */
template <bool aligned, bool even>
static __device__ __forceinline__ void put_columns(const wl_transpose_group_panels &group,
                                                   const wl_panel &panel) {
    /* Lanes with fewer columns take the same way as the others, or a warp would take both.  Of matrices whose
     * rows are whole words none has fewer, and of panels only the last; the guard takes 2 of 25 instructions.
     */
    constexpr bool parted = WL_BULK && !aligned;
    const int rows = (int)group.panels.rows, pitch = (int)group.panels.pitch;
    for (uint32_t number = threadIdx.x; number < group.lanes.tasks; number += WL_THREADS) {
        task task;
        if (!begin_task<even, parted>(task, group, panel, number))
            continue;
        uint32_t now[4], next[4], after[4];
        int k = 0;
        if (!even && rows - task.first >= 4)
            take<aligned>(now, task.from, 4 * pitch);
        /* Steps that all columns have, and that lie above the last row: two at a time, as loads do not pass
         * stores. */
        const int plain = even ? task.least : min(task.least, (rows - task.first) / 4 - 1);
#pragma unroll 1
        for (; k + 2 <= plain; k += 2) {
            take<aligned>(next, task.from, 4 * pitch);
            take<aligned>(after, task.from, 4 * pitch);
            put<even, parted>(task, now, next, k, true);
            put<even, parted>(task, now, after, k, true);
        }
        if (k < plain) {
            take<aligned>(next, task.from, 4 * pitch);
            put<even, parted>(task, now, next, k++, true);
        }
        if (even) {
#pragma unroll 1
            for (; k < task.most; k++) {
                take<aligned>(next, task.from, 4 * pitch);
                put<even, parted>(task, now, next, k, false);
            }
            continue;
        }
        /* Steps that may have rows of the next column.  The difference of a row beyond the last one is the
         * lesser, and without that it is below 0. */
        const uint32_t wrap = rows * pitch - 1;
        uint32_t row = (task.first + (k + 1) * 4) * pitch;
        if (rows - task.first < 4) {
            row -= 4 * pitch;
            k = -1;
        }
#pragma unroll 1
        for (; k < task.most; k++) {
#pragma unroll
            for (int i = 0; i < 4; i++, row += pitch)
                begin_row(task.from, i, task.place + min(row, row - wrap));
            take<false>(next, task.from, 0);
            if (k >= 0)
                put<even, parted>(task, now, next, k, false);
            else
#pragma unroll
                for (int j = 0; j < 4; j++)
                    now[j] = next[j];
        }
    }
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_NAME(const wl_transpose_group_panels group) {
    wl_await_earlier();
    const wl_transpose_panels &all = group.panels;
    const wl_panel panel = wl_find_panel(all, &group.batch);
    wl_load_panel(all, panel, shared);
    char *const to = panel.to;
    const int lead = (int)((uintptr_t)to % 16), rows = (int)all.rows, pitch = (int)all.pitch,
              stride = (int)all.stride, elements = rows * panel.cols, count = panel.matrices * elements;
    const uint32_t image = group.image + lead;
    const bool aligned = (panel.in | pitch | stride) % 4 == 0, even = (lead | rows) % 4 == 0;
    if (aligned && even)
        put_columns<true, true>(group, panel);
    else if (aligned)
        put_columns<true, false>(group, panel);
    else if (even)
        put_columns<false, true>(group, panel);
    else
        put_columns<false, false>(group, panel);

    /* Bytes in vectors that are not whole have a lane each. */
    const int head = (16 - lead) % 16, tail = (lead + count) % 16;
    if (threadIdx.x < 32) {
        const int lane = (int)threadIdx.x, e = lane < 16 ? lane : count - tail + lane - 16;
        if (e < count && (lane < 16 ? e < head : e >= head)) {
            const int m = (int)__umulhi(e, all.by_matrix), rest = e - m * elements;
            const int c = (int)__umulhi(rest, all.by_rows);
            to[e] = shared[panel.in + m * stride + (rest - c * rows) * pitch + c];
        }
    }
    __syncthreads();
#if WL_BULK
    /* Words of two matrices lack the first bytes of the second. */
    if (all.together > 1 && (elements | lead) % 4 != 0) {
#pragma unroll 1
        for (int m = 1 + (int)threadIdx.x; m < panel.matrices; m += WL_THREADS) {
            const uint32_t at = image + m * elements;
            for (uint32_t i = 0; i < -at % 4; i++)
                shared[at + i] = shared[panel.in + m * stride + i * pitch];
        }
        __syncthreads();
    }
#endif
#pragma unroll 4
    for (int i = head + (int)threadIdx.x * 16; i < count - tail; i += WL_THREADS * 16)
        *(uint4 *)(to + i) = *(const uint4 *)(shared + image + i);
}
