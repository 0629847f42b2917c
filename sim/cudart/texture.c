/* Texture objects: converts the runtime's descriptions to the driver's and back. */
#include <string.h>

#include "sim/cudart/array.h"

static cudaError_t resource_to_driver(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *to) {
    *to = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)from->resType};
    switch (from->resType) {
    case cudaResourceTypeArray:
        to->res.array.hArray = (CUarray)from->res.array.array;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        to->res.mipmap.hMipmappedArray = (CUmipmappedArray)from->res.mipmap.mipmap;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        to->res.linear.devPtr = (CUdeviceptr)(uintptr_t)from->res.linear.devPtr;
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        return runtime_format(&from->res.linear.desc, &to->res.linear.format, &to->res.linear.numChannels);
    case cudaResourceTypePitch2D:
        to->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)from->res.pitch2D.devPtr;
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return runtime_format(&from->res.pitch2D.desc, &to->res.pitch2D.format, &to->res.pitch2D.numChannels);
    default:
        return cudaErrorInvalidValue;
    }
}

static struct cudaResourceDesc resource_from_driver(const CUDA_RESOURCE_DESC *from) {
    struct cudaResourceDesc to = {.resType = (enum cudaResourceType)from->resType};
    switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        to.res.array.array = (cudaArray_t)from->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        to.res.linear.devPtr = (void *)(uintptr_t)from->res.linear.devPtr;
        to.res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        to.res.linear.desc = runtime_channels(from->res.linear.format, from->res.linear.numChannels);
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        to.res.pitch2D.devPtr = (void *)(uintptr_t)from->res.pitch2D.devPtr;
        to.res.pitch2D.width = from->res.pitch2D.width;
        to.res.pitch2D.height = from->res.pitch2D.height;
        to.res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        to.res.pitch2D.desc = runtime_channels(from->res.pitch2D.format, from->res.pitch2D.numChannels);
        break;
    default:
        break;
    }
    return to;
}

static CUDA_TEXTURE_DESC texture_to_driver(const struct cudaTextureDesc *from) {
    CUDA_TEXTURE_DESC to = {
        .filterMode = (CUfilter_mode)from->filterMode,
        .maxAnisotropy = from->maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)from->mipmapFilterMode,
        .mipmapLevelBias = from->mipmapLevelBias,
        .minMipmapLevelClamp = from->minMipmapLevelClamp,
        .maxMipmapLevelClamp = from->maxMipmapLevelClamp,
    };
    for (int i = 0; i < 3; i++)
        to.addressMode[i] = (CUaddress_mode)from->addressMode[i];
    memcpy(to.borderColor, from->borderColor, sizeof to.borderColor);
    to.flags = (from->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
               (from->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
               (from->sRGB ? CU_TRSF_SRGB : 0) |
               (from->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
               (from->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
    return to;
}

static struct cudaTextureDesc texture_from_driver(const CUDA_TEXTURE_DESC *from) {
    struct cudaTextureDesc to = {
        .filterMode = (enum cudaTextureFilterMode)from->filterMode,
        .readMode =
            from->flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
        .sRGB = (from->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (from->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = from->maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)from->mipmapFilterMode,
        .mipmapLevelBias = from->mipmapLevelBias,
        .minMipmapLevelClamp = from->minMipmapLevelClamp,
        .maxMipmapLevelClamp = from->maxMipmapLevelClamp,
        .disableTrilinearOptimization = (from->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
        .seamlessCubemap = (from->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0,
    };
    for (int i = 0; i < 3; i++)
        to.addressMode[i] = (enum cudaTextureAddressMode)from->addressMode[i];
    memcpy(to.borderColor, from->borderColor, sizeof to.borderColor);
    return to;
}

/* 32-bit integers cannot be read as normalized floats, and integers cannot be filtered. */
static cudaError_t check_read(const CUDA_RESOURCE_DESC *r, const struct cudaTextureDesc *texture) {
    const bool linear = r->resType == CU_RESOURCE_TYPE_LINEAR;
    CUarray_format format = linear ? r->res.linear.format : r->res.pitch2D.format;
    CUDA_ARRAY3D_DESCRIPTOR shape;
    if (r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        return cudaSuccess;
    if (r->resType == CU_RESOURCE_TYPE_ARRAY) {
        CUresult error = cuArray3DGetDescriptor(&shape, r->res.array.hArray);
        if (error)
            return (cudaError_t)error;
        format = shape.Format;
    }
    if (format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF)
        return cudaSuccess;
    const bool wide = format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32;
    const bool fractions = texture->readMode == cudaReadModeNormalizedFloat;
    if ((wide || !fractions) && texture->filterMode == cudaFilterModeLinear && !linear)
        return cudaErrorInvalidFilterSetting;
    return wide && fractions ? cudaErrorInvalidNormSetting : cudaSuccess;
}

/* Ignores the resource's flags, which CUDA 12's structure lacks. */
static cudaError_t create(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                          const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view) {
    CUresult entered = runtime_enter();
    if (entered)
        return (cudaError_t)entered;
    if (!out || !resource || !texture)
        return cudaErrorInvalidValue;
    if (view) {
        runtime_note("cudaCreateTextureObject: views of resources are not supported");
        return cudaErrorNotSupported;
    }
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t = texture_to_driver(texture);
    cudaError_t error = resource_to_driver(resource, &r);
    if (!error)
        error = check_read(&r, texture);
    CUtexObject object;
    if (!error)
        error = (cudaError_t)cuTexObjectCreate(&object, &r, &t, NULL);
    if (!error)
        *out = object;
    return error;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject, const struct cudaResourceDesc *pResDesc,
                                    const struct cudaTextureDesc *pTexDesc,
                                    const struct cudaResourceViewDesc *pResViewDesc) {
    return runtime_result(create(pTexObject, pResDesc, pTexDesc, pResViewDesc));
}

/* Destroying 0, which is no object, succeeds. */
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error || !texObject ? error : cuTexObjectDestroy(texObject));
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaTextureObject_t texObject) {
    CUDA_RESOURCE_DESC resource;
    CUresult error = runtime_enter();
    if (!error)
        error = cuTexObjectGetResourceDesc(pResDesc ? &resource : NULL, texObject);
    if (!error)
        *pResDesc = resource_from_driver(&resource);
    return runtime_driver_result(error);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc, cudaTextureObject_t texObject) {
    CUDA_TEXTURE_DESC texture;
    CUresult error = runtime_enter();
    if (!error)
        error = cuTexObjectGetTextureDesc(pTexDesc ? &texture : NULL, texObject);
    if (!error)
        *pTexDesc = texture_from_driver(&texture);
    return runtime_driver_result(error);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                 cudaTextureObject_t texObject) {
    CUresult error = runtime_enter();
    (void)pResViewDesc;
    return runtime_driver_result(error ? error : cuTexObjectGetResourceViewDesc(NULL, texObject));
}
