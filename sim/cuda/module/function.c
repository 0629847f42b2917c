/* Functions: their attributes and parameters. */
#include "sim/cuda/limits.h"
#include "sim/cuda/module/module.h"

CUresult function_resolve(CUfunction handle, CUcontext context, CUfunction *out) {
    if (object_is(handle, OBJECT_KERNEL))
        return kernel_function((CUkernel)handle, context, out);
    if (!object_is(handle, OBJECT_FUNCTION))
        return CUDA_ERROR_INVALID_HANDLE;
    *out = handle;
    return CUDA_SUCCESS;
}

static CUresult enter(CUfunction handle, CUfunction *out) {
    CUcontext context;
    CUresult error = context_enter(&context);
    return error ? error : function_resolve(handle, context, out);
}

CUresult function_get_attribute(const struct CUfunc_st *function, CUfunction_attribute attribute, int *out) {
    const struct sim_function_info *info = &function->info;
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *out = (int)info->max_threads;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *out = (int)info->shared_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *out = (int)info->const_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *out = (int)info->local_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *out = info->registers < LIMIT_THREAD_REGISTERS ? (int)info->registers : LIMIT_THREAD_REGISTERS;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *out = (int)info->ptx_version;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *out = (int)function->module->compiled_for;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
        int set = atomic_load(&function->max_dynamic_shared);
        int usual = LIMIT_BLOCK_SHARED - (int)info->shared_bytes;
        *out = set ? set : usual > 0 ? usual : 0;
        break;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *out = atomic_load(&function->carveout);
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *out = atomic_load(&function->non_portable_cluster);
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *out = atomic_load(&function->cluster_policy);
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *out = info->explicit_cluster;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: {
        int d = (int)attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
        *out = info->cluster[0] ? (int)info->cluster[d] : atomic_load(&function->required_cluster[d]);
        break;
    }
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *out = 0;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult function_set_attribute(struct CUfunc_st *function, CUfunction_attribute attribute, int value) {
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || (size_t)value + function->info.shared_bytes > LIMIT_BLOCK_SHARED_OPTIN)
            return CUDA_ERROR_INVALID_VALUE;
        atomic_store(&function->max_dynamic_shared, value);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100)
            return CUDA_ERROR_INVALID_VALUE;
        atomic_store(&function->carveout, value);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        atomic_store(&function->non_portable_cluster, value != 0);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: {
        int d = (int)attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
        const uint32_t *own = function->info.cluster;
        if (value < 0 || (own[0] && (uint32_t)value != own[d]))
            return CUDA_ERROR_INVALID_VALUE;
        atomic_store(&function->required_cluster[d], value);
        return CUDA_SUCCESS;
    }
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        if (value < 0 || value > 2)
            return CUDA_ERROR_INVALID_VALUE;
        atomic_store(&function->cluster_policy, value);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc) {
    CUfunction function;
    CUresult error = enter(hfunc, &function);
    if (error)
        return error;
    return pi ? function_get_attribute(function, attrib, pi) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
    CUfunction function;
    CUresult error = enter(hfunc, &function);
    return error ? error : function_set_attribute(function, attrib, value);
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
    CUfunction function;
    CUresult error = enter(hfunc, &function);
    if (error)
        return error;
    return (unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
    CUfunction function;
    CUresult error = enter(hfunc, &function);
    if (error)
        return error;
    return (unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE
                                                                        : CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc) {
    CUfunction function;
    CUresult error = enter(hfunc, &function);
    if (error)
        return error;
    if (!hmod)
        return CUDA_ERROR_INVALID_VALUE;
    *hmod = function->module;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12030
CUresult cuFuncGetName(const char **name, CUfunction hfunc) {
    CUfunction function;
    CUresult error = enter(hfunc, &function);
    if (error)
        return error;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = function->info.name;
    return CUDA_SUCCESS;
}
#endif

#if CUDA_VERSION >= 12040
CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
    CUfunction function;
    CUresult error = enter(func, &function);
    if (error)
        return error;
    if (!paramOffset || paramIndex >= function->info.param_count)
        return CUDA_ERROR_INVALID_VALUE;
    *paramOffset = function->info.params[paramIndex].offset;
    if (paramSize)
        *paramSize = function->info.params[paramIndex].size;
    return CUDA_SUCCESS;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
    CUfunction found;
    CUresult error = enter(function, &found);
    if (error)
        return error;
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function) {
    CUfunction found;
    return enter(function, &found);
}
#endif
