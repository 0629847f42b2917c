/* Structures of a few equal fields in a thread's registers: where each byte of them goes.  interleave_few.cu
 * and permute_few.cu share this; WL_WIDTH is the bytes of a field. */
#ifndef WIDELOAD_KERNELS_FEW_WORDS_CUH
#define WIDELOAD_KERNELS_FEW_WORDS_CUH

#include "lib/cuda/element.cuh"

/* Vectors from a thread's first to the next thread's in shared memory, and the place of vector q of a warp's
 * structures there.  Threads' vectors lie an odd number apart, without bank conflicts: for an even number of
 * fields there is an empty vector after every so many. */
#define WL_FEW_ROW(fields)      ((fields) | 1)
#define WL_FEW_STAGE(fields, q) (WL_FEW_ROW(fields) == (fields) ? (q) : (q) + (q) / (fields))

/* The word that bytes b0 to b3 of an array of words make.  They are consecutive for elements of 4 bytes and
 * more; for 2-byte elements each two of them are. */
static __device__ __forceinline__ uint32_t wl_word_of(const uint32_t *words, unsigned b0, unsigned b1,
                                                      unsigned b2, unsigned b3) {
#if WL_WIDTH >= 4
    return words[b0 / 4];
#elif WL_WIDTH == 2
    return __byte_perm(words[b0 / 4], words[b2 / 4], (b0 % 4 ? 0x32 : 0x10) | (b2 % 4 ? 0x7600 : 0x5400));
#else
    uint32_t low = __byte_perm(words[b0 / 4], words[b1 / 4], b0 % 4 | (4 + b1 % 4) << 4);
    uint32_t high = __byte_perm(words[b2 / 4], words[b3 / 4], b2 % 4 | (4 + b3 % 4) << 4);
    return __byte_perm(low, high, 0x5410);
#endif
}

/* Byte b of field j's vector, as a byte of the thread's structures; byte b of these, as one of the fields'
 * vectors. */
template <int fields> static __device__ __forceinline__ constexpr int wl_packed_byte(int j, int b) {
    return (b / WL_WIDTH * fields + j) * WL_WIDTH + b % WL_WIDTH;
}

template <int fields> static __device__ __forceinline__ constexpr int wl_stream_byte(int b) {
    return b / WL_WIDTH % fields * 16 + b / WL_WIDTH / fields * WL_WIDTH + b % WL_WIDTH;
}

/* Vector u of the thread's structures, from the fields' vectors. */
template <int fields> static __device__ __forceinline__ uint4 wl_packed_vector(const uint4 *vectors, int u) {
    const uint32_t *const words = (const uint32_t *)vectors;
    uint32_t word[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int b = 16 * u + 4 * i;
        word[i] = wl_word_of(words, wl_stream_byte<fields>(b), wl_stream_byte<fields>(b + 1),
                             wl_stream_byte<fields>(b + 2), wl_stream_byte<fields>(b + 3));
    }
    return make_uint4(word[0], word[1], word[2], word[3]);
}

/* Field j's vector, from the vectors of the thread's structures. */
template <int fields> static __device__ __forceinline__ uint4 wl_stream_vector(const uint4 *vectors, int j) {
    const uint32_t *const words = (const uint32_t *)vectors;
    uint32_t word[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        word[i] = wl_word_of(words, wl_packed_byte<fields>(j, 4 * i), wl_packed_byte<fields>(j, 4 * i + 1),
                             wl_packed_byte<fields>(j, 4 * i + 2), wl_packed_byte<fields>(j, 4 * i + 3));
    return make_uint4(word[0], word[1], word[2], word[3]);
}

#endif
