/* The library's own copy: bytes from any place to any other.
 *
 * Traffic: every byte is read once and written once.  A warp stores 512 bytes from a line on, 16 whole
 * sectors.  It loads as many if both sides are aligned alike, else 17 sectors twice, the second time from L1.
 */
#define WL_PART 1
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/read_once.cuh"
#include "lib/cuda/slots.cuh"

/* `from` is the address of the byte that would go to the line's first byte. */
extern "C" __global__ void WL_EITHER_BLOCK(16)
    wl_copy_any(uint8_t *line, const uint8_t *from, uint64_t lead, uint64_t end, uint64_t whole,
                uint64_t whole_end, uint64_t hint, uint64_t first) {
    wl_await_earlier();
    uint64_t slot = wl_index(first);
    if (slot >= whole && slot < whole_end) {
        unsigned shift = wl_shift(from);
        const uint4 *vector = wl_vector(from, slot, shift);
        uint4 moved = *wl_once(vector, hint);
        if (shift)
            moved = wl_window(moved, *wl_once(vector + 1, hint), shift);
        ((uint4 *)line)[slot] = moved;
    } else if (16 * slot < end) {
#pragma unroll 1
        for (uint64_t at = 16 * slot; at < 16 * slot + 16; at += 8) {
            int begin = wl_from(lead, at), stop = wl_from(end, at);
            wl_store_parts(line + at, wl_load_parts(from + at, begin, stop), begin, stop);
        }
    }
}
