/* A tensor map: the 128 bytes that describe a tensor to the copy engine.  CUDA calls them opaque.  The layout
 * is an H200's, whose driver (CUDA 13.0) encodes it and whose compiler writes its fields as plain words
 * (sm_90a); tests/cuda/test_tensor_map.c and tests/exec/test_tensor_map.c contain the measurements.  Two
 * fields that sm_90a lacks have places of our own choice: the swizzle's atomicity, and packed element types.
 *
 * Words 0 and 1 are the address.  Words 17 and 19 to 31 are zeros; only the driver uses 16 and 18. */
#ifndef WIDELOAD_SIM_TENSOR_MAP_H
#define WIDELOAD_SIM_TENSOR_MAP_H

#include <stdint.h>

#define SIM_TENSOR_MAP_BYTES 128
#define SIM_TENSOR_MAP_WORDS (SIM_TENSOR_MAP_BYTES / 4)
#define SIM_TENSOR_MAP_ALIGN 64 /* required by instructions that take a whole map */
#define SIM_TENSOR_RANKS     5

/* Words of a tensor map that the driver fills in and no instruction changes. */
#define SIM_TENSOR_MAP_BOX_BYTES 16 /* bytes of shared memory that a box occupies */
#define SIM_TENSOR_MAP_BOX_ALIGN 18 /* the required alignment of its beginning, in bytes */

/* Bits of a word: they contain ((value - less) >> drop), truncated to count bits. */
struct sim_map_bits {
    uint8_t word, at, count;
    uint8_t less, drop;
};

/* Fields that a map has once. */
#define SIM_MAP_IM2COL ((struct sim_map_bits){2, 0, 1, 0, 0})
#define SIM_MAP_RANK   ((struct sim_map_bits){2, 4, 3, 0, 0}) /* the rank less 1 */
/* u8 u16 u32 s32 u64 s64 f16 f32 f32.ftz f64 bf16; 13 to 15: packed.  tf32 is f32 and SIM_MAP_TF32. */
#define SIM_MAP_TYPE       ((struct sim_map_bits){2, 7, 4, 0, 0})
#define SIM_MAP_INTERLEAVE ((struct sim_map_bits){2, 11, 2, 0, 0})
#define SIM_MAP_SWIZZLE    ((struct sim_map_bits){2, 13, 2, 0, 0})
#define SIM_MAP_FILL       ((struct sim_map_bits){2, 15, 1, 0, 0})
#define SIM_MAP_TF32       ((struct sim_map_bits){2, 16, 1, 0, 0})
#define SIM_MAP_PROMOTION  ((struct sim_map_bits){2, 17, 2, 0, 0})
#define SIM_MAP_ATOMICITY  ((struct sim_map_bits){2, 19, 2, 0, 0})
/* im2col has these instead of a box. */
#define SIM_MAP_CHANNELS ((struct sim_map_bits){13, 24, 8, 1, 0})
#define SIM_MAP_PIXELS   ((struct sim_map_bits){15, 0, 10, 1, 0})

enum { SIM_MAP_F32 = 7, SIM_MAP_F32_FTZ = 8, SIM_MAP_F64 = 9, SIM_MAP_BF16 = 10 };

/* Fields of each dimension; strides begin with the second dimension.  A stride is a multiple of 16 and is
 * stored without the low 4 bits, in 36. */
static inline struct sim_map_bits sim_map_size(unsigned dimension) {
    return (struct sim_map_bits){(uint8_t)(8 + dimension), 0, 32, 1, 0};
}
static inline struct sim_map_bits sim_map_stride_low(unsigned index) {
    return (struct sim_map_bits){(uint8_t)(3 + index), 0, 32, 0, 4};
}
static inline struct sim_map_bits sim_map_stride_high(unsigned index) {
    return (struct sim_map_bits){7, (uint8_t)(4 * index), 4, 0, 36};
}
static inline struct sim_map_bits sim_map_step(unsigned dimension) {
    return (struct sim_map_bits){13, (uint8_t)(3 * dimension), 3, 1, 0};
}
static inline struct sim_map_bits sim_map_box(unsigned dimension) {
    return dimension ? (struct sim_map_bits){14, (uint8_t)(8 * (dimension - 1)), 8, 1, 0}
                     : (struct sim_map_bits){13, 24, 8, 1, 0};
}
/* The corners of an im2col box, for rank 3, 4 and 5: 1, 2 and 3 signed offsets of 16, 8 and 5 bits. */
static inline struct sim_map_bits sim_map_corner(unsigned rank, unsigned index, unsigned upper) {
    const uint8_t bits = rank == 3 ? 16 : rank == 4 ? 8 : 5;
    return (struct sim_map_bits){14, (uint8_t)(16 * upper + bits * index), bits, 0, 0};
}

static inline uint32_t sim_map_mask(struct sim_map_bits bits) {
    return (uint32_t)(((UINT64_C(1) << bits.count) - 1) << bits.at);
}
/* The word with the field set to value. */
static inline uint32_t sim_map_put(uint32_t word, struct sim_map_bits bits, uint64_t value) {
    const uint32_t mask = sim_map_mask(bits);
    return (word & ~mask) | ((uint32_t)((value - bits.less) >> bits.drop << bits.at) & mask);
}

#endif
