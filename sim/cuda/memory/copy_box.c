/* Copies of rectangles and boxes between pitched buffers and CUDA arrays. */
#include <string.h>

#include "sim/cuda/check.h"
#include "sim/cuda/graph/capture.h"
#include "sim/cuda/limits.h"
#include "sim/cuda/memory/array.h"
#include "sim/cuda/memory/memory.h"

/* One side of a copy: the first byte, and the distances between rows and slices. */
struct side {
    CUmemorytype type;
    uint64_t host, device;
    CUarray array;
    size_t x, y, z;       /* bytes, rows, slices to skip */
    size_t pitch, height; /* bytes per row, rows per slice; 0: as many as are copied */
    uint64_t start;       /* set by prepare() */
    size_t row, slice;    /* set by prepare() */
};

struct box {
    size_t width, height, depth; /* bytes, rows, slices */
};

static bool multiply_add(size_t a, size_t b, size_t c, size_t *out) {
    return !__builtin_mul_overflow(a, b, out) && !__builtin_add_overflow(*out, c, out);
}

static CUresult prepare_array(struct side *side, const struct box *box) {
    const struct CUarray_st *array = side->array;
    if (!object_is(array, OBJECT_ARRAY))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!sim_within(side->x, box->width, array->row) || !sim_within(side->y, box->height, array->rows) ||
        !sim_within(side->z, box->depth, array->slices))
        return CUDA_ERROR_INVALID_VALUE;
    side->row = array->pitch;
    side->slice = array->slice;
    side->start = array->base + side->z * side->slice + side->y * side->row + side->x;
    return CUDA_SUCCESS;
}

/* Checks one side and computes where its bytes are. */
static CUresult prepare(const char *function, struct side *side, const struct box *box) {
    if (side->type == CU_MEMORYTYPE_ARRAY)
        return prepare_array(side, box);
    if (side->type != CU_MEMORYTYPE_HOST && side->type != CU_MEMORYTYPE_DEVICE &&
        side->type != CU_MEMORYTYPE_UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    size_t width, rows, offset, slice_end, end;
    if (__builtin_add_overflow(side->x, box->width, &width) ||
        __builtin_add_overflow(side->y, box->height, &rows))
        return CUDA_ERROR_INVALID_VALUE;
    bool one_row = box->height == 1 && box->depth == 1 && !side->y && !side->z;
    bool one_slice = box->depth == 1 && !side->z;
    side->row = side->pitch || !one_row ? side->pitch : width;
    size_t height = side->height || !one_slice ? side->height : rows;
    if (side->row < width || side->row > LIMIT_PITCH || height < rows)
        return CUDA_ERROR_INVALID_VALUE;
    if (!multiply_add(side->row, height, 0, &side->slice) ||
        !multiply_add(side->row, side->y, side->x, &offset) ||
        !multiply_add(side->slice, side->z, offset, &offset) ||
        !multiply_add(side->row, box->height - 1, box->width, &slice_end) ||
        !multiply_add(side->slice, box->depth - 1, slice_end, &end))
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t base = side->type == CU_MEMORYTYPE_HOST ? side->host : side->device;
    if (!base || __builtin_add_overflow(base, offset, &side->start))
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_allocation found;
    /* Host memory may be anyone's, but a range that begins in one of our allocations must end there. */
    if (side->type == CU_MEMORYTYPE_DEVICE || sim_memory_find(driver.memory, base, 0, &found))
        return memory_check(function, side->start, end);
    return CUDA_SUCCESS;
}

struct plan {
    struct side to, from;
    struct box box;
};

/* Checks a copy and computes what it reads and writes; an empty copy is always valid. */
static CUresult plan(const char *function, const CUDA_MEMCPY3D *c, struct plan *out) {
    if (c->srcLOD || c->dstLOD || c->reserved0 || c->reserved1)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (struct plan){
        .to = {.type = c->dstMemoryType,
               .host = (uint64_t)(uintptr_t)c->dstHost,
               .device = c->dstDevice,
               .array = c->dstArray,
               .x = c->dstXInBytes,
               .y = c->dstY,
               .z = c->dstZ,
               .pitch = c->dstPitch,
               .height = c->dstHeight},
        .from = {.type = c->srcMemoryType,
                 .host = (uint64_t)(uintptr_t)c->srcHost,
                 .device = c->srcDevice,
                 .array = c->srcArray,
                 .x = c->srcXInBytes,
                 .y = c->srcY,
                 .z = c->srcZ,
                 .pitch = c->srcPitch,
                 .height = c->srcHeight},
        .box = {.width = c->WidthInBytes, .height = c->Height, .depth = c->Depth},
    };
    if (!c->WidthInBytes || !c->Height || !c->Depth)
        return CUDA_SUCCESS;
    CUresult error = prepare(function, &out->to, &out->box);
    return error ? error : prepare(function, &out->from, &out->box);
}

CUresult memory_copy_check(const char *function, const CUDA_MEMCPY3D *copy) {
    struct plan planned;
    return plan(function, copy, &planned);
}

static void move(const char *function, const struct plan *planned) {
    const struct box *box = &planned->box;
    if (!box->width)
        return;
    for (size_t z = 0; z < box->depth; z++)
        for (size_t y = 0; y < box->height; y++) {
            uint64_t target = planned->to.start + z * planned->to.slice + y * planned->to.row;
            uint64_t source = planned->from.start + z * planned->from.slice + y * planned->from.row;
            memmove((void *)(uintptr_t)target, (const void *)(uintptr_t)source, box->width);
            check_copied(function, target, source, box->width);
        }
}

CUresult memory_copy(const char *function, const CUDA_MEMCPY3D *copy) {
    struct plan planned;
    struct work work;
    work_begin(&work);
    CUresult error = plan(function, copy, &planned);
    if (!error)
        move(function, &planned);
    work_end(&work);
    return error;
}

/* wait: the call is synchronous. */
static CUresult submit(const char *function, const CUDA_MEMCPY3D *copy, bool wait, CUstream stream) {
    CUcontext context;
    bool capturing;
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult error = stream_submit(stream, wait, &context, &capturing);
    if (error)
        return error;
    return capturing ? capture_copy(stream, copy) : memory_copy(function, copy);
}

/* A rectangle is a box of one slice. */
static CUresult copy_2d(const char *function, const CUDA_MEMCPY2D *c, bool wait, CUstream stream) {
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D box = {
        .srcXInBytes = c->srcXInBytes,
        .srcY = c->srcY,
        .srcMemoryType = c->srcMemoryType,
        .srcHost = c->srcHost,
        .srcDevice = c->srcDevice,
        .srcArray = c->srcArray,
        .srcPitch = c->srcPitch,
        .dstXInBytes = c->dstXInBytes,
        .dstY = c->dstY,
        .dstMemoryType = c->dstMemoryType,
        .dstHost = c->dstHost,
        .dstDevice = c->dstDevice,
        .dstArray = c->dstArray,
        .dstPitch = c->dstPitch,
        .WidthInBytes = c->WidthInBytes,
        .Height = c->Height,
        .Depth = 1,
    };
    return submit(function, &box, wait, stream);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *pCopy) {
    return copy_2d(__func__, pCopy, true, NULL);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *pCopy) {
    return copy_2d(__func__, pCopy, true, NULL);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
    return copy_2d(__func__, pCopy, false, hStream);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *pCopy) {
    return submit(__func__, pCopy, true, NULL);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
    return submit(__func__, pCopy, false, hStream);
}

/* The same fields except the contexts, which the addresses imply. */
static CUresult copy_3d_peer(const char *function, const CUDA_MEMCPY3D_PEER *c, bool wait, CUstream stream) {
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!object_is(c->srcContext, OBJECT_CONTEXT) || !object_is(c->dstContext, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    CUDA_MEMCPY3D plain;
    _Static_assert(sizeof plain == sizeof *c, "the structures differ in the contexts' places only");
    memcpy(&plain, c, sizeof plain);
    plain.reserved0 = plain.reserved1 = NULL;
    return submit(function, &plain, wait, stream);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy) {
    return copy_3d_peer(__func__, pCopy, true, NULL);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream) {
    return copy_3d_peer(__func__, pCopy, false, hStream);
}
