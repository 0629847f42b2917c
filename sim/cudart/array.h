/* CUDA arrays: declarations shared by the runtime's files.  A cudaArray_t is the driver's CUarray. */
#ifndef WIDELOAD_SIM_CUDART_ARRAY_H
#define WIDELOAD_SIM_CUDART_ARRAY_H

#include "sim/cudart/runtime.h"

/* The driver's format for a channel descriptor.  Errors: INVALID_CHANNEL_DESCRIPTOR. */
cudaError_t runtime_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format,
                           unsigned *channels);
struct cudaChannelFormatDesc runtime_channels(CUarray_format format, unsigned channels);
/* Bytes per element of an array. */
cudaError_t runtime_element_bytes(cudaArray_const_t array, size_t *out);

static inline CUarray runtime_array(cudaArray_const_t array) {
    return (CUarray)(uintptr_t)array;
}

#endif
