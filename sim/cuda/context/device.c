/* The devices: their number, names, sizes and identities. */
#include <stdio.h>
#include <string.h>

#include "sim/cuda/driver.h"
#include "sim/cuda/limits.h"
#include "sim/cuda/memory/array.h"

static const char device_name[] = "Wideload simulator";
/* Addresses that no real device has: bus 0, device 0 in the domain of the device's number. */
#define PCI_BUS_ID "%04x:00:00.0"

CUresult cuDeviceGetCount(int *count) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = (int)driver.devices;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_has(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!name || len <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)len, "%s", device_name);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    *bytes = (size_t)sim_memory_limit(driver.memory);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!uuid)
        return CUDA_ERROR_INVALID_VALUE;
    memset(uuid->bytes, 0, sizeof uuid->bytes);
    snprintf(uuid->bytes, sizeof uuid->bytes, "wideload-sim-%d", dev);
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!major || !minor)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned capability = count_rules_capability(atomic_load(&driver.rules));
    *major = (int)(capability / 10);
    *minor = (int)(capability % 10);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!prop)
        return CUDA_ERROR_INVALID_VALUE;
    *prop = (CUdevprop){
        .maxThreadsPerBlock = LIMIT_BLOCK_THREADS,
        .maxThreadsDim = {LIMIT_BLOCK_THREADS, LIMIT_BLOCK_THREADS, LIMIT_BLOCK_Z},
        .maxGridSize = {LIMIT_GRID_X, LIMIT_GRID_YZ, LIMIT_GRID_YZ},
        .sharedMemPerBlock = LIMIT_BLOCK_SHARED,
        .totalConstantMemory = LIMIT_CONSTANT_BYTES,
        .SIMDWidth = LIMIT_WARP,
        .memPitch = LIMIT_PITCH,
        .regsPerBlock = LIMIT_SM_REGISTERS,
        .clockRate = LIMIT_CLOCK_KHZ,
        .textureAlign = LIMIT_TEXTURE_ALIGN,
    };
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    const int bytes = (int)sizeof "0000:00:00.0";
    if (!pciBusId || len < bytes)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(pciBusId, (size_t)bytes, PCI_BUS_ID, (unsigned)dev);
    return CUDA_SUCCESS;
}

/* "[domain:]bus:device[.function]", hexadecimal. */
CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!dev || !pciBusId)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned domain = 0, bus, slot, function = 0;
    if (sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
        domain = function = 0;
        if (sscanf(pciBusId, "%x:%x.%x", &bus, &slot, &function) < 2)
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (bus | slot | function || domain >= driver.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    *dev = (CUdevice)domain;
    return CUDA_SUCCESS;
}

/* A context always has all the multiprocessors. */
CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev) {
    (void)type;
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!pi)
        return CUDA_ERROR_INVALID_VALUE;
    *pi = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
                                            unsigned numChannels, CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    size_t element = array_element_bytes(format, numChannels);
    if (!maxWidthInElements || !element)
        return CUDA_ERROR_INVALID_VALUE;
    size_t fits = LIMIT_TEXTURE_LINEAR_BYTES / element;
    *maxWidthInElements = fits < LIMIT_TEXTURE_LINEAR_TEXELS ? fits : LIMIT_TEXTURE_LINEAR_TEXELS;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 13000
/* None, consistent with HOST_NATIVE_ATOMIC_SUPPORTED, as over PCI Express. */
CUresult cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const CUatomicOperation *operations,
                                           unsigned int count, CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!capabilities || !operations || !count)
        return CUDA_ERROR_INVALID_VALUE;
    memset(capabilities, 0, count * sizeof *capabilities);
    return CUDA_SUCCESS;
}
#endif
