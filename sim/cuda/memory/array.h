/* CUDA arrays as the driver's files share them.  Rows lie one after the other, as in pitched memory. */
#ifndef WIDELOAD_SIM_CUDA_ARRAY_H
#define WIDELOAD_SIM_CUDA_ARRAY_H

#include "sim/cuda/driver.h"

struct CUarray_st {
    struct object object;
    CUDA_ARRAY3D_DESCRIPTOR shape; /* sizes as they were given: 0 where there is no such dimension */
    uint64_t base;
    size_t element;      /* bytes */
    size_t row;          /* bytes of a row's elements */
    size_t pitch, slice; /* bytes from row to row, from slice (or layer) to slice */
    size_t rows, slices; /* at least 1 */
};

/* Bytes of an element; 0: no such format. */
size_t array_element_bytes(CUarray_format format, unsigned channels);

#endif
