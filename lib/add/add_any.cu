/* The library's own add: out[i] = a[i] + b[i] of any type; the three arrays have any alignment, or the same.
 * Compiled for each WL_PART, bytes of an element, for whose types it has a way of adding each: a slot is four
 * words or two long words, which add several narrower elements at once.
 *
 * Traffic: both inputs are read once, the output is written once; requests are those of slots.cuh.
 *
 * out may be a or b: such an input has the output's alignment, so a thread reads from it only the slot that
 * it writes, before it writes.  So no pointer is __restrict__.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/read_once.cuh"
#include "lib/cuda/slots.cuh"

#if WL_PART == 1
/* Bytes without their highest bits cannot carry into each other; XOR adds the highest bits. */
struct wl_8 {
    static __device__ __forceinline__ uint32_t sum(uint32_t a, uint32_t b) {
        return ((a & 0x7f7f7f7f) + (b & 0x7f7f7f7f)) ^ ((a ^ b) & 0x80808080);
    }
};
#elif WL_PART == 2
struct wl_16 {
    static __device__ __forceinline__ uint32_t sum(uint32_t a, uint32_t b) {
        return ((a & 0x7fff7fff) + (b & 0x7fff7fff)) ^ ((a ^ b) & 0x80008000);
    }
};

struct wl_f16 {
    static __device__ __forceinline__ uint32_t sum(uint32_t a, uint32_t b) {
        uint32_t sum;
        asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
        return sum;
    }
};

/* A BF16 is the upper half of a float.  The float sum has more than twice a BF16's digits plus two.  So
 * rounding it once more gives the same as rounding the exact sum. */
static __device__ __forceinline__ uint32_t wl_rounded(float sum) {
    uint32_t bits = __float_as_uint(sum);
    return sum != sum ? 0x7fff0000 : bits + 0x7fff + (bits >> 16 & 1);
}
struct wl_bf16 {
    static __device__ __forceinline__ uint32_t sum(uint32_t a, uint32_t b) {
        uint32_t low = wl_rounded(__uint_as_float(a << 16) + __uint_as_float(b << 16));
        uint32_t high = wl_rounded(__uint_as_float(a & 0xffff0000) + __uint_as_float(b & 0xffff0000));
        return __byte_perm(low, high, 0x7632);
    }
};
#elif WL_PART == 4
struct wl_32 {
    static __device__ __forceinline__ uint32_t sum(uint32_t a, uint32_t b) {
        return a + b;
    }
};

struct wl_f32 {
    static __device__ __forceinline__ uint32_t sum(uint32_t a, uint32_t b) {
        return __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
    }
};
#else
struct wl_64 {
    static __device__ __forceinline__ uint64_t sum(uint64_t a, uint64_t b) {
        return a + b;
    }
};

struct wl_f64 {
    static __device__ __forceinline__ uint64_t sum(uint64_t a, uint64_t b) {
        return (uint64_t)__double_as_longlong(__longlong_as_double((long long)a) +
                                              __longlong_as_double((long long)b));
    }
};
#endif

template <typename way> static __device__ __forceinline__ uint2 wl_half_sum(uint2 a, uint2 b) {
#if WL_PART == 8
    uint64_t sum = way::sum(a.x | (uint64_t)a.y << 32, b.x | (uint64_t)b.y << 32);
    return make_uint2((uint32_t)sum, (uint32_t)(sum >> 32));
#else
    return make_uint2(way::sum(a.x, b.x), way::sum(a.y, b.y));
#endif
}

template <typename way> static __device__ __forceinline__ uint4 wl_slot_sum(uint4 a, uint4 b) {
    uint2 low = wl_half_sum<way>(make_uint2(a.x, a.y), make_uint2(b.x, b.y));
    uint2 high = wl_half_sum<way>(make_uint2(a.z, a.w), make_uint2(b.z, b.w));
    return make_uint4(low.x, low.y, high.x, high.y);
}

/* a and b are the addresses of the elements that would go to the line's beginning. */
template <typename way>
static __device__ __forceinline__ void wl_add_any(uint8_t *line, const uint8_t *a, const uint8_t *b,
                                                  uint64_t lead, uint64_t end, uint64_t whole,
                                                  uint64_t whole_end, uint64_t hint, uint64_t first) {
    uint64_t slot = wl_index(first);
    if (slot >= whole && slot < whole_end) {
        unsigned shift_a = wl_shift(a), shift_b = wl_shift(b);
        const uint4 *vector_a = wl_vector(a, slot, shift_a), *vector_b = wl_vector(b, slot, shift_b);
        /* All loads are in flight before the first is waited for.  An input that is not shifted is loaded
         * twice, the second time from L1. */
        uint4 x = *wl_once(vector_a, hint), next_x = *wl_once(vector_a + (shift_a != 0), hint);
        uint4 y = *wl_once(vector_b, hint), next_y = *wl_once(vector_b + (shift_b != 0), hint);
        x = wl_window(x, next_x, shift_a);
        y = wl_window(y, next_y, shift_b);
        ((uint4 *)line)[slot] = wl_slot_sum<way>(x, y);
    } else if (16 * slot < end) {
#pragma unroll 1
        for (uint64_t at = 16 * slot; at < 16 * slot + 16; at += 8) {
            int begin = wl_from(lead, at), stop = wl_from(end, at);
            uint2 x = wl_load_parts(a + at, begin, stop), y = wl_load_parts(b + at, begin, stop);
            wl_store_parts(line + at, wl_half_sum<way>(x, y), begin, stop);
        }
    }
}

/* The same if all arrays have the same alignment within 16 bytes.  Ten blocks per multiprocessor have 1,280
 * threads with 40 KB of loads in flight.  Sixteen have 64 KB, and requests wait for each other in the memory;
 * eight have 32 KB, too few (docs/notes/add.md).  Registers limit the blocks: 48 per thread, which partial
 * slots need, as all bytes of one are loaded before the first is used.  Shared memory as the limit would
 * shrink the L1 cache, where the loads are in flight.  BF16 takes more instructions per slot, and so more
 * threads. */
#define WL_ALIKE_BLOCKS 10
#define WL_BF16_BLOCKS  12
union wl_slot {
    uint8_t byte[16];
    uint4 words;
};

template <typename way>
static __device__ __forceinline__ void wl_add_alike(uint8_t *line, const uint8_t *a, const uint8_t *b,
                                                    uint64_t lead, uint64_t end, uint64_t whole,
                                                    uint64_t whole_end, uint64_t hint, uint64_t first) {
    uint64_t slot = wl_index(first);
    if (slot >= whole && slot < whole_end) {
        uint4 x = *wl_once((const uint4 *)a + slot, hint), y = *wl_once((const uint4 *)b + slot, hint);
        ((uint4 *)line)[slot] = wl_slot_sum<way>(x, y);
    } else if (16 * slot < end) {
        int begin = wl_from(lead, 16 * slot), stop = wl_from(end, 16 * slot);
        union wl_slot x, y;
#pragma unroll
        for (int i = 0; i < 16; i++)
            if (i >= begin && i < stop) {
                x.byte[i] = a[16 * slot + i];
                y.byte[i] = b[16 * slot + i];
            }
        x.words = wl_slot_sum<way>(x.words, y.words);
#pragma unroll
        for (int i = 0; i < 16; i++)
            if (i >= begin && i < stop)
                line[16 * slot + i] = x.byte[i];
    }
}

#define WL_ADD_KERNEL(name, blocks, add, way)                                                                \
    extern "C" __global__ void WL_EITHER_BLOCK(blocks)                                                       \
        name(uint8_t *line, const uint8_t *a, const uint8_t *b, uint64_t lead, uint64_t end, uint64_t whole, \
             uint64_t whole_end, uint64_t hint, uint64_t first) {                                            \
        wl_await_earlier();                                                                                  \
        add<way>(line, a, b, lead, end, whole, whole_end, hint, first);                                      \
    }
#define WL_ADD_KERNELS(type, alike_blocks)                                                                   \
    WL_ADD_KERNEL(wl_add_any_##type, 16, wl_add_any, wl_##type)                                              \
    WL_ADD_KERNEL(wl_add_alike_##type, alike_blocks, wl_add_alike, wl_##type)

#if WL_PART == 1
WL_ADD_KERNELS(8, WL_ALIKE_BLOCKS)
#elif WL_PART == 2
WL_ADD_KERNELS(16, WL_ALIKE_BLOCKS)
WL_ADD_KERNELS(f16, WL_ALIKE_BLOCKS)
WL_ADD_KERNELS(bf16, WL_BF16_BLOCKS)
#elif WL_PART == 4
WL_ADD_KERNELS(32, WL_ALIKE_BLOCKS)
WL_ADD_KERNELS(f32, WL_ALIKE_BLOCKS)
#else
WL_ADD_KERNELS(64, WL_ALIKE_BLOCKS)
WL_ADD_KERNELS(f64, WL_ALIKE_BLOCKS)
#endif
