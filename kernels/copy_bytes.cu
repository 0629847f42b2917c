/* The library's own copy: bytes of any alignment.  Compiled once for each width WL_WIDTH (1, 2, 4, 8 or
 * 16 bytes): the widest access that both sides can be aligned for, which is that of the largest power of
 * two that divides the distance between them.
 *
 * Traffic: every byte is read once and written once; up to WL_WIDTH - 1 bytes at each end go one by one.
 */
#include "index.cuh"

#if WL_WIDTH == 16
typedef uint4 wl_word;
#define WL_NAME wl_copy_bytes16
#elif WL_WIDTH == 8
typedef uint2 wl_word;
#define WL_NAME wl_copy_bytes8
#elif WL_WIDTH == 4
typedef uint32_t wl_word;
#define WL_NAME wl_copy_bytes4
#elif WL_WIDTH == 2
typedef uint16_t wl_word;
#define WL_NAME wl_copy_bytes2
#else
typedef uint8_t wl_word;
#define WL_NAME wl_copy_bytes1
#endif

extern "C" __global__ void WL_ANY_BLOCK WL_NAME(uint8_t *__restrict__ out, const uint8_t *__restrict__ in,
                                                uint64_t bytes, uint64_t head, uint64_t words,
                                                uint64_t first) {
    uint64_t block = wl_block_index(first, 4);
    wl_word *to = (wl_word *)(out + head) + block + threadIdx.x;
    const wl_word *from = (const wl_word *)(in + head) + block + threadIdx.x;
    if (block + 4 * blockDim.x <= words) {
        wl_word moved[4];
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            moved[j] = from[j * blockDim.x];
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            to[j * blockDim.x] = moved[j];
        return;
    }
    for (unsigned j = 0; j < 4; j++) {
        uint64_t i = block + j * blockDim.x + threadIdx.x;
        if (i < words) {
            to[j * blockDim.x] = from[j * blockDim.x];
        } else if (i - words < bytes - WL_WIDTH * words) {
            uint64_t e = wl_edge(i - words, head, WL_WIDTH * words);
            out[e] = in[e];
        }
    }
}
