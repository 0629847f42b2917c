/* Vectors of WL_LANES lanes of 16 bytes, and elements at any address.  Include it in a file that is compiled
 * for one set of instructions. */
#ifndef WIDELOAD_LIB_HOST_VECTOR_H
#define WIDELOAD_LIB_HOST_VECTOR_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512BW__)
#define WL_LANES 4
#elif defined(__AVX2__)
#define WL_LANES 2
#else
#define WL_LANES 1
#endif

#if WL_LANES > 1
#include <immintrin.h>
#endif

#define WL_INLINE static inline __attribute__((always_inline))

/* The loop's vectors stay in registers only if it has no more iterations. */
#define WL_UNROLL _Pragma("GCC unroll 16")

/* Elements at any address, of any type. */
typedef uint8_t wl_any1 __attribute__((may_alias));
typedef uint16_t wl_any2 __attribute__((may_alias, aligned(1)));
typedef uint32_t wl_any4 __attribute__((may_alias, aligned(1)));
typedef uint64_t wl_any8 __attribute__((may_alias, aligned(1)));
typedef uint64_t wl_any16 __attribute__((vector_size(16), may_alias, aligned(1)));

#define WL_VECTORS(lanes)                                                                                    \
    typedef uint8_t wl_bytes1_##lanes __attribute__((vector_size(16 * lanes)));                              \
    typedef uint16_t wl_bytes2_##lanes __attribute__((vector_size(16 * lanes)));                             \
    typedef uint32_t wl_bytes4_##lanes __attribute__((vector_size(16 * lanes)));                             \
    typedef uint64_t wl_bytes8_##lanes __attribute__((vector_size(16 * lanes)));
WL_VECTORS(1)
WL_VECTORS(2)
WL_VECTORS(4)

/* The low or the high halves of two lanes that begin at element o, interleaved; vectors have n elements. */
#define WL_MIX2(o, n)  (o), (n) + (o)
#define WL_MIX4(o, n)  WL_MIX2(o, n), WL_MIX2((o) + 1, n)
#define WL_MIX8(o, n)  WL_MIX4(o, n), WL_MIX4((o) + 2, n)
#define WL_MIX16(o, n) WL_MIX8(o, n), WL_MIX8((o) + 4, n)
/* The same in all lanes, of e elements each; `half` is 0 or e / 2. */
#define WL_MIX_1(mix, half, e) mix(half, e)
#define WL_MIX_2(mix, half, e) mix(half, 2 * (e)), mix((half) + (e), 2 * (e))
#define WL_MIX_4(mix, half, e)                                                                               \
    mix(half, 4 * (e)), mix((half) + (e), 4 * (e)), mix((half) + 2 * (e), 4 * (e)),                          \
        mix((half) + 3 * (e), 4 * (e))

/* Loads 16 bytes into each lane, from addresses that are `apart` bytes apart. */
WL_INLINE wl_bytes8_1 wl_load_1(const unsigned char *from, int64_t apart) {
    wl_bytes8_1 lane;
    (void)apart;
    memcpy(&lane, from, 16);
    return lane;
}
#if WL_LANES >= 2
WL_INLINE wl_bytes8_2 wl_load_2(const unsigned char *from, int64_t apart) {
    /* GCC loads both halves and then joins them; this is a load and an insertion from memory. */
    return (wl_bytes8_2)_mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)wl_load_1(from, 0)),
                                                (__m128i)wl_load_1(from + apart, 0), 1);
}
#endif
#if WL_LANES >= 4
WL_INLINE wl_bytes8_4 wl_load_4(const unsigned char *from, int64_t apart) {
    return __builtin_shufflevector(wl_load_2(from, apart), wl_load_2(from + 2 * apart, apart), 0, 1, 2, 3, 4,
                                   5, 6, 7);
}
#endif

#endif
