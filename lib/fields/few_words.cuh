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

/* Byte b of field j's vector, as a byte of the thread's structures; byte b of these, as one of the
 * fields'. */
#define WL_FEW_PACKED_BYTE(fields, j, b) (((b) / WL_WIDTH * (fields) + (j)) * WL_WIDTH + (b) % WL_WIDTH)
#define WL_FEW_STREAM_BYTE(fields, b)                                                                        \
    ((b) / WL_WIDTH % (fields)*16 + (b) / WL_WIDTH / (fields)*WL_WIDTH + (b) % WL_WIDTH)

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

#endif
