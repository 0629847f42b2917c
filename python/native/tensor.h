/* torch's tensors as fast.c needs them: viewed through DLPack's functions in C, and new ones.
 *
 * torch itself allocates results, not DLPack's allocator: that wraps the memory, and Tensor.record_stream()
 * ignores wrapped memory, which is then reused too early. */
#ifndef WIDELOAD_PYTHON_NATIVE_TENSOR_H
#define WIDELOAD_PYTHON_NATIVE_TENSOR_H

/* The limited API gives one binary for Python 3.10 and newer. */
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <stdbool.h>

#include "python/native/dlpack.h"
#include "wideload.h"

enum { RANK_MAX = 8, DEVICES_MAX = 65 };

/* What Python hands over, once. */
typedef struct torch_api {
    const DLPackExchangeAPI *dlpack;
    PyObject *tensor, *parameter;     /* the types */
    PyObject *empty_host, *empty_gpu; /* (shape, strides, dtype) -> tensor, on the current device; or None */
    PyObject *current_device;         /* () -> int; or None */
    PyObject *device_count;           /* () -> int */
    PyObject *is_grad_enabled;        /* () -> bool */
    PyObject *forward_ad;        /* the module; its _current_level is negative unless it differentiates */
    PyObject *increment_version; /* (tensor): its content has changed */
    PyObject *is_neg, *is_conj;  /* (tensor) -> bool */
    PyObject *current_level, *dtype, *requires_grad, *new_empty; /* names of attributes */
} torch_api;

extern torch_api torch;

/* A tensor in C order. */
typedef struct array {
    wl_devptr address;
    uint64_t count, sizes[RANK_MAX];
    unsigned rank, width; /* bytes of an element */
    DLDataType type;
    int device; /* 0: the host; 1 and up: the GPUs */
} array;

/* False if the tensor needs the general way: it is of a subclass, not in C order, not aligned,
 * differentiated, to be negated or conjugated, or on another kind of device.  No exception is left. */
bool view(PyObject *x, array *to);

/* In forward mode, any tensor may have a tangent.  True too before setup(). */
bool is_forward_mode(void);

/* One device, type and shape. */
bool are_alike(const array *a, const array *b);

/* The result, a new reference: `out`, or a new tensor as `to` has it; `to` gets its address.  An `out`
 * overlaps no input, but may be one that is in place.  None if the general way is needed, NULL with an
 * exception. */
PyObject *target(PyObject *like, PyObject *out, array *to, const array *inputs, size_t count, bool in_place);

#endif
