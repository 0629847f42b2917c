/* The part of DLPack 1 that fast.c uses: tensors as seen from C, and the table of functions by which a
 * library of Python shows its own ("__dlpack_c_exchange_api__", since DLPack 1.3).  The names and the layout
 * are DLPack's. */
#ifndef WIDELOAD_PYTHON_NATIVE_DLPACK_H
#define WIDELOAD_PYTHON_NATIVE_DLPACK_H

#include <stdint.h>

enum { kDLCPU = 1, kDLCUDA = 2 };
enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLComplex = 5 };

typedef struct DLDevice {
    int32_t device_type, device_id;
} DLDevice;

typedef struct DLDataType {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides; /* in elements; the strides may be NULL: C order */
    uint64_t byte_offset;
} DLTensor;

/* Functions return 0, or -1 with an exception of Python. */
typedef struct DLPackExchangeAPI {
    struct {
        struct {
            uint32_t major, minor;
        } version;
        struct DLPackExchangeAPI *prev_api; /* the same for an older major version, or NULL */
    } header;
    void *managed_tensor_allocator, *managed_tensor_from_py_object_no_sync,
        *managed_tensor_to_py_object_no_sync;
    int (*dltensor_from_py_object_no_sync)(void *object,
                                           DLTensor *out); /* valid until the object changes; may be NULL */
    int (*current_work_stream)(int32_t device_type, int32_t device_id, void **out);
} DLPackExchangeAPI;

#endif
