#include "sim/cuda/stream/stream_attribute.h"

#include "sim/cuda/limits.h"
#include "sim/cuda/memory/memory.h"
#include "sim/cuda/stream/stream.h"

static bool is_property(CUaccessProperty property) {
    return property == CU_ACCESS_PROPERTY_NORMAL || property == CU_ACCESS_PROPERTY_STREAMING ||
           property == CU_ACCESS_PROPERTY_PERSISTING;
}

static bool is_window(const CUaccessPolicyWindow *window) {
    return window->num_bytes <= LIMIT_ACCESS_POLICY_WINDOW && window->hitRatio >= 0 &&
           window->hitRatio <= 1 && is_property(window->hitProp) && is_property(window->missProp) &&
           window->missProp != CU_ACCESS_PROPERTY_PERSISTING;
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value) {
    CUcontext context;
    CUresult error = stream_enter(hStream, &context);
    if (error)
        return error;
    struct stream_attributes *own = stream_attributes(hStream);
    bool good = value != NULL;
    switch (attr) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        if ((good = good && is_window(&value->accessPolicyWindow)))
            own->window = value->accessPolicyWindow;
        break;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        if ((good = good && value->syncPolicy >= CU_SYNC_POLICY_AUTO &&
                    value->syncPolicy <= CU_SYNC_POLICY_BLOCKING_SYNC))
            own->policy = value->syncPolicy;
        break;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        if (good)
            stream_set_priority(hStream, value->priority);
        break;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        if (good) {
            own->domains = value->memSyncDomainMap;
            own->has_domains = true;
        }
        break;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        if ((good = good && (unsigned)value->memSyncDomain <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE))
            own->domain = value->memSyncDomain;
        break;
    default:
        good = false;
    }
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out) {
    CUcontext context;
    CUresult error = stream_enter(hStream, &context);
    if (error)
        return error;
    if (!value_out)
        return CUDA_ERROR_INVALID_VALUE;
    const struct stream_attributes *own = stream_attributes(hStream);
    switch (attr) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        value_out->accessPolicyWindow = own->window;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        value_out->syncPolicy = own->policy ? own->policy : CU_SYNC_POLICY_AUTO;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        return cuStreamGetPriority(hStream, &value_out->priority);
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        value_out->memSyncDomainMap = own->has_domains ? own->domains : (CUlaunchMemSyncDomainMap){0, 1};
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        value_out->memSyncDomain = own->domain;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
    CUcontext context;
    CUresult error = stream_enter(dst, &context);
    if (!error)
        error = stream_check(src);
    if (!error)
        *stream_attributes(dst) = *stream_attributes(src);
    return error;
}
