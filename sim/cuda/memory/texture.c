/* Texture objects.  Mipmapped arrays, cube maps and resource views are rejected. */
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/limits.h"
#include "sim/cuda/memory/array.h"
#include "sim/cuda/memory/memory.h"

struct texture {
    struct object object;
    uint64_t handle;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC description;
};

static void release(struct object *object) {
    struct texture *texture = (struct texture *)object;
    sim_textures_remove(driver.textures, texture->handle);
    work_wait(); /* kernels in flight may have found it */
    sim_textures_reuse(driver.textures, texture->handle);
    free(texture);
}

static bool set_format(struct sim_texture *t, CUarray_format format, unsigned channels) {
    size_t bytes = array_element_bytes(format, channels);
    if (!bytes)
        return false;
    t->bits = (uint8_t)(8 * bytes / channels);
    t->channels = (uint8_t)channels;
    t->kind = format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF ? SIM_TEXEL_FLOAT
              : format & 8                                                ? SIM_TEXEL_SIGNED
                                                                          : SIM_TEXEL_UNSIGNED;
    return true;
}

static CUresult use_array(struct sim_texture *t, CUarray array) {
    if (!object_is(array, OBJECT_ARRAY))
        return CUDA_ERROR_INVALID_HANDLE;
    const CUDA_ARRAY3D_DESCRIPTOR *shape = &array->shape;
    set_format(t, shape->Format, shape->NumChannels);
    t->base = array->base;
    t->width = (uint32_t)shape->Width;
    t->height = (uint32_t)array->rows;
    t->depth = (uint32_t)array->slices;
    t->pitch = array->pitch;
    t->slice = array->slice;
    t->blocked = true;
    t->layered = shape->Flags & CUDA_ARRAY3D_LAYERED;
    t->dimensions = shape->Depth && !t->layered ? 3 : shape->Height ? 2 : 1;
    return CUDA_SUCCESS;
}

static CUresult use_linear(struct sim_texture *t, const CUDA_RESOURCE_DESC *r) {
    if (!set_format(t, r->res.linear.format, r->res.linear.numChannels))
        return CUDA_ERROR_INVALID_VALUE;
    size_t width = r->res.linear.sizeInBytes / sim_texture_texel_bytes(t);
    if (!width || width > LIMIT_TEXTURE_LINEAR || r->res.linear.devPtr % LIMIT_TEXTURE_ALIGN)
        return CUDA_ERROR_INVALID_VALUE;
    t->base = r->res.linear.devPtr;
    t->width = (uint32_t)width;
    t->height = t->depth = t->dimensions = 1;
    t->fetch_only = true;
    return memory_check("cuTexObjectCreate", t->base, r->res.linear.sizeInBytes);
}

static CUresult use_pitch(struct sim_texture *t, const CUDA_RESOURCE_DESC *r) {
    size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height, pitch = r->res.pitch2D.pitchInBytes;
    if (!set_format(t, r->res.pitch2D.format, r->res.pitch2D.numChannels) || !width || !height ||
        width > LIMIT_TEXTURE_PITCH_WIDTH || height > LIMIT_TEXTURE_PITCH_HEIGHT || pitch > LIMIT_PITCH ||
        pitch % LIMIT_TEXTURE_PITCH_ALIGN || pitch < width * sim_texture_texel_bytes(t) ||
        r->res.pitch2D.devPtr % LIMIT_TEXTURE_ALIGN)
        return CUDA_ERROR_INVALID_VALUE;
    t->base = r->res.pitch2D.devPtr;
    t->width = (uint32_t)width;
    t->height = (uint32_t)height;
    t->depth = 1;
    t->dimensions = 2;
    t->pitch = pitch;
    return memory_check("cuTexObjectCreate", t->base,
                        (height - 1) * pitch + width * sim_texture_texel_bytes(t));
}

static CUresult use_resource(struct sim_texture *t, const CUDA_RESOURCE_DESC *r) {
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return use_array(t, r->res.array.hArray);
    case CU_RESOURCE_TYPE_LINEAR:
        return use_linear(t, r);
    case CU_RESOURCE_TYPE_PITCH2D:
        return use_pitch(t, r);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        log_note("cuTexObjectCreate: mipmapped arrays are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult use_description(struct sim_texture *t, const CUDA_TEXTURE_DESC *d) {
    const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                           CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
    if (d->flags & ~known || (unsigned)d->filterMode > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < 3; i++) {
        if ((unsigned)d->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        t->mode[i] = (enum sim_address_mode)d->addressMode[i];
    }
    t->as_float = t->kind != SIM_TEXEL_FLOAT && t->bits < 32 && !(d->flags & CU_TRSF_READ_AS_INTEGER);
    t->normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
    t->linear = d->filterMode == CU_TR_FILTER_MODE_LINEAR && !t->fetch_only;
    t->srgb = d->flags & CU_TRSF_SRGB && t->as_float && t->bits == 8 && t->kind == SIM_TEXEL_UNSIGNED;
    memcpy(t->border, d->borderColor, sizeof t->border);
    /* Integers cannot be filtered. */
    return t->linear && t->kind != SIM_TEXEL_FLOAT && !t->as_float ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                           const CUDA_TEXTURE_DESC *pTexDesc, const CUDA_RESOURCE_VIEW_DESC *pResViewDesc) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!pTexObject || !pResDesc || !pTexDesc || pResDesc->flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (pResViewDesc) {
        log_note("cuTexObjectCreate: views of resources are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    struct texture *texture = calloc(1, sizeof *texture);
    if (!texture)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct sim_texture t = {.user = texture};
    error = use_resource(&t, pResDesc);
    if (!error)
        error = use_description(&t, pTexDesc);
    texture->resource = *pResDesc;
    texture->description = *pTexDesc;
    if (!error && !(texture->handle = sim_textures_add(driver.textures, &t)))
        error = CUDA_ERROR_OUT_OF_MEMORY;
    if (error) {
        free(texture);
        return error;
    }
    object_add(&texture->object, OBJECT_TEXTURE, context, release);
    *pTexObject = texture->handle;
    return CUDA_SUCCESS;
}

/* The object behind a handle. */
static CUresult find(CUtexObject handle, struct texture **out) {
    CUcontext context;
    bool destroyed;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    const struct sim_texture *t = sim_textures_find(driver.textures, handle, &destroyed);
    if (!t)
        return CUDA_ERROR_INVALID_VALUE;
    *out = t->user;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texObject) {
    struct texture *texture;
    CUresult error = find(texObject, &texture);
    if (error)
        return error;
    work_wait();
    object_destroy(&texture->object);
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject) {
    struct texture *texture;
    CUresult error = find(texObject, &texture);
    if (!error && !pResDesc)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        *pResDesc = texture->resource;
    return error;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject) {
    struct texture *texture;
    CUresult error = find(texObject, &texture);
    if (!error && !pTexDesc)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        *pTexDesc = texture->description;
    return error;
}

/* Always an error: no object has a view. */
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc, CUtexObject texObject) {
    struct texture *texture;
    (void)pResViewDesc;
    CUresult error = find(texObject, &texture);
    return error ? error : CUDA_ERROR_INVALID_VALUE;
}
