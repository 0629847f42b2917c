/* Transposes where every row of both matrices begins and ends at a multiple of 16 bytes: by asynchronous
 * 16-byte loads to shared memory, and 16-byte stores from registers.  Compiled once for each width WL_WIDTH
 * (bytes of an element) and tile, as WL_NAME: WL_ACROSS lines of 128 bytes across the input, WL_DOWN across
 * the output, WL_THREADS threads; a warp stores WL_SIDE contiguous vectors.
 *
 * The tile lies in shared memory as in the input.  A thread reads a word from each of the rows that become 16
 * bytes of an output row, transposes the words in registers (4 x 4 1-byte, 2 x 2 2-byte elements; wider
 * elements are words themselves), and stores 16 bytes to each of the word's columns.  So the data crosses
 * shared memory once: 512 bytes of narrow elements take 4 requests to write and 4 to read, where there is
 * time for 57, and about 60 instructions of 228.  Loads in flight take no registers, so few threads keep all
 * of them in flight.  Few threads are best: each has more to do between the two ends of the block.  The
 * library also limits the blocks per multiprocessor.
 *
 * The place of a vector: in its row's WL_ACROSS lines, at its place in a line of global memory (async.cuh
 * says why), permuted in the line by XOR with its row's vector of the output.  Rows that are an output vector
 * apart begin at the same place in a line, as pitches are multiples of 16 bytes.
 *
 * Bank conflicts: none with 8 contiguous vectors.  When it reads, a warp's lanes are 8 vectors of an output
 * row by the 4 words of an input vector: the XOR takes 8 groups of 4 banks, the words the 4 banks of each.
 * For elements of a word, 16 contiguous vectors are 0.2 to 0.5 % faster (H200), though pairs of them then
 * read from one group of banks: 512 bytes take 8 passes instead of 4, of 57.  16-byte elements have none.
 *
 * Traffic: every byte is read once and written once, in whole lines if the rows begin at lines.
 */
#include "lib/cuda/async.cuh"
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"
#include "lib/transpose/transpose_tile.cuh"

/* One read from shared memory: a word of narrow elements, or one element. */
#if WL_WIDTH < 4
typedef uint32_t wl_word;
#else
typedef wl_element wl_word;
#endif

#define WL_VECTORS (WL_ACROSS * 8) /* per row of the tile */
#define WL_COLS    (WL_VECTORS * WL_EACH)
#define WL_GROUPS  (WL_DOWN * 8) /* of WL_EACH rows: vectors per row of the output */
#define WL_ROWS    (WL_GROUPS * WL_EACH)
#define WL_STEP    (WL_THREADS / WL_VECTORS) /* rows from one load of a thread to the next */
#define WL_LOADS   (WL_ROWS / WL_STEP)

#define WL_WORDS  (16 / (int)sizeof(wl_word)) /* per vector */
#define WL_BESIDE (32 / WL_SIDE)              /* words of a row that a warp has at once */
#define WL_UNITS  (WL_VECTORS * WL_WORDS / WL_BESIDE * (WL_GROUPS / WL_SIDE)) /* for a warp each */

static_assert(WL_THREADS % WL_VECTORS == 0 && WL_ROWS % WL_STEP == 0, "loads for all threads");
static_assert((WL_VECTORS & (WL_VECTORS - 1)) == 0, "places in a row are found by masks");
static_assert(WL_GROUPS % WL_SIDE == 0 && WL_UNITS % (WL_THREADS / 32) == 0, "units for all warps");

/* The place, in vectors, of vector `vector` of the address space (address / 16) in a row whose output vector
 * is `group`. */
static __device__ __forceinline__ uint32_t wl_place(uint32_t vector, int group) {
    return vector % WL_VECTORS ^ group % 8;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_tiles all) {
    wl_await_earlier();
    extern __shared__ __align__(128) uint4 tile[]; /* WL_ROWS * WL_VECTORS */
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    if (!wl_is_tile(&all, &at))
        return;
    const uint64_t row = (uint64_t)at.down * WL_ROWS, column = (uint64_t)at.across * WL_COLS;
    const int rows = wl_rest(all.rows, row, WL_ROWS), cols = wl_rest(all.cols, column, WL_COLS);
    const char *from = at.from + row * all.from_pitch + column * WL_WIDTH;
    char *to = at.to + column * all.to_pitch + row * WL_WIDTH;
    const uint32_t first = (uint32_t)((uintptr_t)from / 16), pitch = (uint32_t)(all.from_pitch / 16);

    {
        const int r = threadIdx.x / WL_VECTORS, vector = threadIdx.x % WL_VECTORS;
        const uint32_t shared = wl_async_address(tile);
        const char *address = from + r * all.from_pitch + vector * 16;
        if (vector * WL_EACH < cols) {
#pragma unroll
            for (int j = 0; j < WL_LOADS; j++, address += WL_STEP * all.from_pitch) {
                const int i = r + j * WL_STEP;
                const uint32_t place = wl_place(first + i * pitch + vector, i / WL_EACH);
                if (i < rows)
                    wl_async_load(shared + (i * WL_VECTORS + place) * 16, address);
            }
        }
        wl_async_wait();
    }
    __syncthreads();

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < WL_UNITS / (WL_THREADS / 32); j++) {
        const int unit = warp + j * (WL_THREADS / 32);
        const int group = unit % (WL_GROUPS / WL_SIDE) * WL_SIDE + lane % WL_SIDE;
        const int word = unit / (WL_GROUPS / WL_SIDE) * WL_BESIDE + lane / WL_SIDE;
        const int vector = word / WL_WORDS, c = word * WL_GROUP;
        if (group * WL_EACH >= rows || c >= cols)
            continue;
        const wl_word *read = (const wl_word *)(tile + group * WL_EACH * WL_VECTORS) + word % WL_WORDS;
        uint32_t place = first + group * WL_EACH * pitch + vector;
        union {
            uint4 vector;
            wl_word word[WL_WORDS];
        } out[WL_GROUP];
#pragma unroll
        for (int i = 0; i < WL_WORDS; i++) {
            wl_word words[WL_GROUP];
#pragma unroll
            for (int k = 0; k < WL_GROUP; k++, place += pitch)
                words[k] = read[((i * WL_GROUP + k) * WL_VECTORS + wl_place(place, group)) * WL_WORDS];
            wl_transpose_group(words);
#pragma unroll
            for (int k = 0; k < WL_GROUP; k++)
                out[k].word[i] = words[k];
        }
        char *address = to + c * all.to_pitch + group * 16;
#pragma unroll
        for (int k = 0; k < WL_GROUP; k++, address += all.to_pitch)
            *(uint4 *)address = out[k].vector;
    }
}
