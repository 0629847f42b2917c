/* How many blocks fit on a multiprocessor, limited by threads, registers and shared memory. */
#include "sim/cuda/limits.h"
#include "sim/cuda/module/module.h"

static size_t round_up(size_t value, size_t unit) {
    return (value + unit - 1) / unit * unit;
}

static size_t minimum(size_t a, size_t b) {
    return a < b ? a : b;
}

static CUresult enter(CUfunction handle, CUfunction *out) {
    CUcontext context;
    CUresult error = context_enter(&context);
    return error ? error : function_resolve(handle, context, out);
}

/* Blocks of this many warps that the register file holds; a warp's registers lie in one of its four parts.
 * If registers are only an estimate, at least one block fits, because the launch will be accepted. */
static size_t blocks_by_registers(const struct CUfunc_st *function, size_t warps) {
    size_t registers = minimum(function->info.registers, LIMIT_THREAD_REGISTERS);
    if (!registers)
        return LIMIT_SM_BLOCKS;
    size_t warp = round_up(registers * LIMIT_WARP, LIMIT_REGISTER_UNIT);
    size_t blocks = LIMIT_SM_REGISTERS / LIMIT_SM_PARTS / warp * LIMIT_SM_PARTS / warps;
    return blocks || function->registers_known ? blocks : 1;
}

/* The maximum dynamic shared memory that a launch of the function may request. */
static size_t most_dynamic(const struct CUfunc_st *function) {
    int most = 0;
    (void)function_get_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &most);
    return (size_t)most;
}

/* As on an H200, ignores the function's own thread limit. */
size_t occupancy_blocks(const struct CUfunc_st *function, size_t threads, size_t dynamic) {
    const struct sim_function_info *info = &function->info;
    if (threads > LIMIT_BLOCK_THREADS || dynamic > most_dynamic(function))
        return 0;
    size_t warps = (threads + LIMIT_WARP - 1) / LIMIT_WARP;
    size_t shared = round_up(info->shared_bytes + dynamic + LIMIT_RESERVED_SHARED, LIMIT_SHARED_UNIT);
    size_t blocks = minimum(LIMIT_SM_BLOCKS, LIMIT_SM_THREADS / LIMIT_WARP / warps);
    blocks = minimum(blocks, blocks_by_registers(function, warps));
    return minimum(blocks, LIMIT_SM_SHARED / shared);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize,
                                                              size_t dynamicSMemSize, unsigned int flags) {
    CUfunction function;
    CUresult error = enter(func, &function);
    if (error)
        return error;
    if (!numBlocks || blockSize <= 0 || flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    *numBlocks = (int)occupancy_blocks(function, (size_t)blockSize, dynamicSMemSize);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit,
                                                   unsigned int flags) {
    CUfunction function;
    CUresult error = enter(func, &function);
    if (error)
        return error;
    if (!minGridSize || !blockSize || blockSizeLimit < 0 ||
        flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    size_t limit = minimum(function->info.max_threads, LIMIT_BLOCK_THREADS);
    if (blockSizeLimit)
        limit = minimum(limit, (size_t)blockSizeLimit);
    size_t best_threads = 0, best_size = 0, best_blocks = 0;
    /* The largest of the block sizes that keep the most threads resident. */
    for (size_t size = limit; size; size = size % LIMIT_WARP ? size - size % LIMIT_WARP : size - LIMIT_WARP) {
        size_t dynamic = blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize((int)size) : dynamicSMemSize;
        size_t blocks = occupancy_blocks(function, size, dynamic);
        if (blocks * size > best_threads) {
            best_threads = blocks * size;
            best_size = size;
            best_blocks = blocks;
        }
        if (size < LIMIT_WARP)
            break;
    }
    *minGridSize = (int)best_blocks * LIMIT_MULTIPROCESSORS;
    *blockSize = (int)best_size;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                          size_t dynamicSMemSize, int blockSizeLimit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
                                                     dynamicSMemSize, blockSizeLimit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks,
                                                 int blockSize) {
    CUfunction function;
    CUresult error = enter(func, &function);
    if (error)
        return error;
    if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    size_t overhead = function->info.shared_bytes;
    size_t each = (size_t)LIMIT_SM_SHARED / (size_t)numBlocks / LIMIT_SHARED_UNIT * LIMIT_SHARED_UNIT;
    if ((size_t)numBlocks > occupancy_blocks(function, (size_t)blockSize, 0))
        return CUDA_ERROR_INVALID_VALUE;
    *dynamicSmemSize = minimum(each - overhead, most_dynamic(function));
    return CUDA_SUCCESS;
}
