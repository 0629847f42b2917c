/* CUDA arrays: declarations shared by the driver's files.  Rows are consecutive, as in pitched memory. */
#ifndef WIDELOAD_SIM_CUDA_ARRAY_H
#define WIDELOAD_SIM_CUDA_ARRAY_H

#include "sim/cuda/driver.h"

struct CUarray_st {
    struct object object;
    CUDA_ARRAY3D_DESCRIPTOR shape; /* sizes as given: 0 for a missing dimension */
    uint64_t base;
    size_t element;      /* bytes */
    size_t row;          /* bytes per row, without padding */
    size_t pitch, slice; /* bytes from row to row, from slice (or layer) to slice */
    size_t rows, slices; /* at least 1 */
};

/* Bytes per element; 0 if the format is unknown. */
size_t array_element_bytes(CUarray_format format, unsigned channels);

#endif
