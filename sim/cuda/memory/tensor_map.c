/* cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col, cuTensorMapReplaceAddress.  These reject what an H200's
 * driver (CUDA 13.0) rejects.  Contrary to cuda.h, it accepts a map that is not aligned to 64 bytes, strides
 * shorter than a row, a 32-byte interleave with a swizzle other than 32 bytes, and for that interleave a
 * replaced address that is not a multiple of 32 bytes. */
#include "sim/exec/memory/tensor_map.h"

#include <string.h>

#include "sim/cuda/driver.h"
#include "sim/cuda/limits.h"

enum {
    TENSOR_MAPS_FROM = 90, /* compute capability */
    PACKED_FROM = 100,     /* packed types, and swizzles of larger atoms */
    LIMIT_BOX = 256,
    LIMIT_STEP = 8,
    LIMIT_PIXELS = 1024,
};
#define LIMIT_TENSOR_ADDRESS (UINT64_C(1) << 57)
#define LIMIT_TENSOR_SIZE    (UINT64_C(1) << 32)
#define LIMIT_TENSOR_STRIDE  (UINT64_C(1) << 40)

/* Indexed by CUtensorMapDataType: bits per element in shared memory, and the type's number in a map. */
static const struct {
    uint8_t bits, code;
    bool real, tf32;
} types[] = {
    [CU_TENSOR_MAP_DATA_TYPE_UINT8] = {8, 0, false, false},
    [CU_TENSOR_MAP_DATA_TYPE_UINT16] = {16, 1, false, false},
    [CU_TENSOR_MAP_DATA_TYPE_UINT32] = {32, 2, false, false},
    [CU_TENSOR_MAP_DATA_TYPE_INT32] = {32, 3, false, false},
    [CU_TENSOR_MAP_DATA_TYPE_UINT64] = {64, 4, false, false},
    [CU_TENSOR_MAP_DATA_TYPE_INT64] = {64, 5, false, false},
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = {16, 6, true, false},
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = {32, SIM_MAP_F32, true, false},
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = {64, SIM_MAP_F64, true, false},
    [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = {16, SIM_MAP_BF16, true, false},
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = {32, SIM_MAP_F32_FTZ, true, false},
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = {32, SIM_MAP_F32, true, true},
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = {32, SIM_MAP_F32_FTZ, true, true},
    [CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B] = {4, 13, false, false},
    [CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B] = {8, 14, false, false},
    [CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B] = {8, 15, false, false},
};

/* The description of the tensor that both ways of encoding share. */
struct tensor {
    unsigned type, rank;
    uint64_t address;
    const cuuint64_t *sizes, *strides;
    const cuuint32_t *steps;
    unsigned interleave, swizzle, promotion, fill;
};

static CUresult enter(const char *function) {
    CUcontext context;
    CUresult error = context_current(&context);
    if (error || !context)
        return error ? error : CUDA_ERROR_INVALID_CONTEXT;
    if (count_rules_capability(atomic_load(&driver.rules)) < TENSOR_MAPS_FROM) {
        log_note("%s: tensor maps need compute capability 9.0", function);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

/* Types stored with gaps in memory, in units of 128 elements. */
static bool has_gaps(unsigned type) {
    return type == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B || type == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
}

static bool swizzle_fits_packed(const struct tensor *t) {
    if (!has_gaps(t->type))
        return true;
    const bool six = t->type == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
    return (!six || t->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE) &&
           (t->swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || t->swizzle == CU_TENSOR_MAP_SWIZZLE_128B ||
            t->swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B ||
            (six && t->swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B));
}

static bool choices_are_right(const struct tensor *t) {
    const bool packed = count_rules_capability(atomic_load(&driver.rules)) >= PACKED_FROM;
    return t->type <= (packed ? (unsigned)CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B
                              : (unsigned)CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ) &&
           t->swizzle <= (packed ? (unsigned)CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B
                                 : (unsigned)CU_TENSOR_MAP_SWIZZLE_128B) &&
           t->interleave <= CU_TENSOR_MAP_INTERLEAVE_32B &&
           t->promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B &&
           t->fill <= CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA &&
           (!t->fill || types[t->type].real) && swizzle_fits_packed(t);
}

/* The required alignment of the address and the strides, in bytes. */
static unsigned unit_of(const struct tensor *t) {
    return t->interleave == CU_TENSOR_MAP_INTERLEAVE_32B || has_gaps(t->type) ? 32 : 16;
}

static bool address_fits(uint64_t address, unsigned unit) {
    return address % unit == 0 && address < LIMIT_TENSOR_ADDRESS;
}

static bool tensor_is_right(const struct tensor *t, unsigned least_rank) {
    if (!t->sizes || !t->strides || !t->steps || t->rank < least_rank || t->rank > SIM_TENSOR_RANKS ||
        !choices_are_right(t) || (t->interleave && t->rank < 3))
        return false;
    const unsigned unit = unit_of(t);
    if (!address_fits(t->address, unit))
        return false;
    for (unsigned i = 0; i < t->rank; i++)
        if (!t->sizes[i] || t->sizes[i] > LIMIT_TENSOR_SIZE || !t->steps[i] || t->steps[i] > LIMIT_STEP ||
            (i + 1 < t->rank && (t->strides[i] % unit || t->strides[i] >= LIMIT_TENSOR_STRIDE)))
            return false;
    return t->sizes[0] % (has_gaps(t->type)                                 ? 128
                          : t->type == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B ? 2
                                                                            : 1) ==
           0;
}

/* Whether the box's innermost row fits: whole chunks of 16 bytes, within the swizzled width. */
static bool row_fits(const struct tensor *t, unsigned elements) {
    static const uint8_t spans[] = {0, 32, 64, 128, 128, 128, 128};
    const unsigned bits = elements * types[t->type].bits;
    return elements && elements <= LIMIT_BOX && bits % 128 == 0 && (!has_gaps(t->type) || elements == 128) &&
           (t->interleave || !t->swizzle || bits / 8 <= spans[t->swizzle]);
}

static void put(uint32_t *map, struct sim_map_bits bits, uint64_t value) {
    map[bits.word] = sim_map_put(map[bits.word], bits, value);
}

static void encode(uint32_t *map, const struct tensor *t, uint64_t box_bytes) {
    /* Indexed by CUtensorMapSwizzle: the pattern, and the size of its atoms. */
    static const uint8_t patterns[] = {0, 1, 2, 3, 3, 3, 3}, atoms[] = {0, 0, 0, 0, 1, 2, 3};
    memset(map, 0, SIM_TENSOR_MAP_BYTES);
    map[0] = (uint32_t)t->address;
    map[1] = (uint32_t)(t->address >> 32);
    put(map, SIM_MAP_RANK, t->rank - 1);
    put(map, SIM_MAP_TYPE, types[t->type].code);
    put(map, SIM_MAP_TF32, types[t->type].tf32);
    put(map, SIM_MAP_INTERLEAVE, t->interleave);
    put(map, SIM_MAP_SWIZZLE, patterns[t->swizzle]);
    put(map, SIM_MAP_ATOMICITY, atoms[t->swizzle]);
    put(map, SIM_MAP_FILL, t->fill);
    put(map, SIM_MAP_PROMOTION, t->promotion);
    for (unsigned i = 0; i < t->rank; i++) {
        put(map, sim_map_size(i), t->sizes[i]);
        put(map, sim_map_step(i), t->steps[i]);
        if (i + 1 < t->rank) {
            put(map, sim_map_stride_low(i), t->strides[i]);
            put(map, sim_map_stride_high(i), t->strides[i]);
        }
    }
    map[SIM_TENSOR_MAP_BOX_BYTES] = (uint32_t)box_bytes;
    map[SIM_TENSOR_MAP_BOX_ALIGN] = patterns[t->swizzle] ? 128u << patterns[t->swizzle] : 16;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
                                cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
                                const cuuint64_t *globalStrides, const cuuint32_t *boxDim,
                                const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                CUtensorMapFloatOOBfill oobFill) {
    CUresult error = enter(__func__);
    if (error)
        return error;
    const struct tensor t = {(unsigned)tensorDataType,
                             tensorRank,
                             (uint64_t)(uintptr_t)globalAddress,
                             globalDim,
                             globalStrides,
                             elementStrides,
                             (unsigned)interleave,
                             (unsigned)swizzle,
                             (unsigned)l2Promotion,
                             (unsigned)oobFill};
    if (!tensorMap || !boxDim || !tensor_is_right(&t, 1) || !row_fits(&t, boxDim[0]))
        return CUDA_ERROR_INVALID_VALUE;
    /* As in the driver, steps that do not divide a box are rounded down. */
    uint64_t bytes = types[t.type].bits;
    for (unsigned i = 0; i < t.rank; i++) {
        if (!boxDim[i] || boxDim[i] > LIMIT_BOX)
            return CUDA_ERROR_INVALID_VALUE;
        bytes *= boxDim[i] / elementStrides[i];
    }
    bytes /= 8;
    if (bytes > LIMIT_SM_SHARED)
        return CUDA_ERROR_INVALID_VALUE;
    uint32_t map[SIM_TENSOR_MAP_WORDS];
    encode(map, &t, bytes);
    for (unsigned i = 0; i < t.rank; i++)
        put(map, sim_map_box(i), boxDim[i]);
    memcpy(tensorMap, map, sizeof map);
    return CUDA_SUCCESS;
}

/* A corner of the box: its offsets from the tensor's, in the dimensions between channels and images. */
static bool corners_fit(const struct tensor *t, const int *lower, const int *upper) {
    const int limit = t->rank == 3 ? 1 << 15 : t->rank == 4 ? 1 << 7 : 1 << 4;
    for (unsigned i = 0; i + 2 < t->rank; i++)
        if (lower[i] < -limit || lower[i] >= limit || upper[i] < -limit || upper[i] >= limit ||
            (int64_t)t->sizes[i + 1] + upper[i] - lower[i] <= 0)
            return false;
    return true;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
                                 cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
                                 const cuuint64_t *globalStrides, const int *pixelBoxLowerCorner,
                                 const int *pixelBoxUpperCorner, cuuint32_t channelsPerPixel,
                                 cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill) {
    CUresult error = enter(__func__);
    if (error)
        return error;
    const struct tensor t = {(unsigned)tensorDataType,
                             tensorRank,
                             (uint64_t)(uintptr_t)globalAddress,
                             globalDim,
                             globalStrides,
                             elementStrides,
                             (unsigned)interleave,
                             (unsigned)swizzle,
                             (unsigned)l2Promotion,
                             (unsigned)oobFill};
    if (!tensorMap || !pixelBoxLowerCorner || !pixelBoxUpperCorner || !tensor_is_right(&t, 3) ||
        !row_fits(&t, channelsPerPixel) || !pixelsPerColumn || pixelsPerColumn > LIMIT_PIXELS ||
        !corners_fit(&t, pixelBoxLowerCorner, pixelBoxUpperCorner))
        return CUDA_ERROR_INVALID_VALUE;
    const uint64_t bytes = (uint64_t)channelsPerPixel * pixelsPerColumn * types[t.type].bits / 8;
    if (bytes > LIMIT_SM_SHARED)
        return CUDA_ERROR_INVALID_VALUE;
    uint32_t map[SIM_TENSOR_MAP_WORDS];
    encode(map, &t, bytes);
    put(map, SIM_MAP_IM2COL, 1);
    put(map, SIM_MAP_CHANNELS, channelsPerPixel);
    put(map, SIM_MAP_PIXELS, pixelsPerColumn);
    for (unsigned i = 0; i + 2 < t.rank; i++) {
        put(map, sim_map_corner(t.rank, i, false), (uint64_t)(int64_t)pixelBoxLowerCorner[i]);
        put(map, sim_map_corner(t.rank, i, true), (uint64_t)(int64_t)pixelBoxUpperCorner[i]);
    }
    memcpy(tensorMap, map, sizeof map);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress) {
    CUresult error = enter(__func__);
    if (error)
        return error;
    const uint64_t address = (uint64_t)(uintptr_t)globalAddress;
    if (!tensorMap || !globalAddress || !address_fits(address, 16))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(tensorMap, &address, sizeof address);
    return CUDA_SUCCESS;
}
