#include "python/native/tensor.h"

torch_api torch;

static bool is_in_c_order(const DLTensor *tensor) {
    bool same = true;
    int64_t expected = 1;
    for (int i = tensor->ndim - 1; i >= 0; i--) {
        if (tensor->shape[i] == 0)
            return true;
        if (tensor->strides && tensor->shape[i] != 1 && tensor->strides[i] != expected)
            same = false;
        expected *= tensor->shape[i];
    }
    return same;
}

/* False unless the array is one for the short way. */
static bool describe(const DLTensor *from, array *to) {
    unsigned bits = (unsigned)from->dtype.bits * from->dtype.lanes, width = bits / 8;
    if (bits % 8 || width == 0 || width > 16 || (width & (width - 1)) || from->ndim < 0 ||
        from->ndim > RANK_MAX)
        return false;
    int device = from->device.device_type == kDLCPU ? 0 : from->device.device_id + 1;
    if ((device != 0 && from->device.device_type != kDLCUDA) || device < 0 || device >= DEVICES_MAX)
        return false;
    to->address = (wl_devptr)(uintptr_t)from->data + from->byte_offset;
    to->count = 1;
    for (int i = 0; i < from->ndim; i++)
        to->count *= to->sizes[i] = (uint64_t)from->shape[i];
    to->rank = (unsigned)from->ndim;
    to->width = width;
    to->type = from->dtype;
    to->device = device;
    return to->address % width == 0 && is_in_c_order(from);
}

/* Whether an object, which it releases, is true.  If there is none, it is: the general way will meet the
 * error. */
static bool is_true(PyObject *object) {
    int value = object ? PyObject_IsTrue(object) : -1;
    Py_XDECREF(object);
    if (value < 0)
        PyErr_Clear();
    return value != 0;
}

bool view(PyObject *x, array *to) {
    PyObject *type = (PyObject *)Py_TYPE(x);
    if (type != torch.tensor && type != torch.parameter)
        return false;
    DLTensor tensor;
    if (torch.dlpack->dltensor_from_py_object_no_sync(x, &tensor)) {
        PyErr_Clear();
        return false;
    }
    if (!describe(&tensor, to))
        return false;
    if (is_true(PyObject_GetAttr(x, torch.requires_grad)) &&
        is_true(PyObject_CallNoArgs(torch.is_grad_enabled)))
        return false;
    /* What lies in memory may be to be negated or conjugated when it is read. */
    return !is_true(PyObject_CallFunctionObjArgs(torch.is_neg, x, NULL)) &&
           (to->type.code != kDLComplex || !is_true(PyObject_CallFunctionObjArgs(torch.is_conj, x, NULL)));
}

bool is_forward_mode(void) {
    if (!torch.dlpack)
        return true;
    PyObject *level = PyObject_GetAttr(torch.forward_ad, torch.current_level);
    long value = level ? PyLong_AsLong(level) : 0;
    Py_XDECREF(level);
    if (PyErr_Occurred())
        PyErr_Clear();
    return value >= 0;
}

bool are_alike(const array *a, const array *b) {
    if (a->device != b->device || a->type.code != b->type.code || a->type.bits != b->type.bits ||
        a->type.lanes != b->type.lanes || a->rank != b->rank)
        return false;
    for (unsigned i = 0; i < a->rank; i++)
        if (a->sizes[i] != b->sizes[i])
            return false;
    return true;
}

static bool do_overlap(const array *a, const array *b) {
    return a->address < b->address + b->count * b->width && b->address < a->address + a->count * a->width;
}

/* ---------------------------------------------------------------- results */

/* Whether a GPU is the current device.  The only one is. */
static bool is_current(int gpu) {
    static long count; /* of GPUs; 0: not asked yet.  torch finds as many all the time. */
    long value = count;
    PyObject *object = NULL;
    if (!value) {
        object = PyObject_CallNoArgs(torch.device_count);
        value = object ? PyLong_AsLong(object) : -1;
        count = value;
        Py_XDECREF(object);
    }
    if (value != 1) {
        object = PyObject_CallNoArgs(torch.current_device);
        value = object ? PyLong_AsLong(object) : -1;
        Py_XDECREF(object);
    } else
        value = 0;
    PyErr_Clear();
    return value == gpu;
}

static PyObject *allocate(PyObject *like, const array *shape) {
    PyObject *sizes = PyTuple_New(shape->rank), *strides = PyTuple_New(shape->rank), *made = NULL;
    uint64_t stride = 1;
    for (unsigned i = shape->rank; sizes && strides && i-- > 0;) {
        PyTuple_SetItem(sizes, i, PyLong_FromUnsignedLongLong(shape->sizes[i]));
        PyTuple_SetItem(strides, i, PyLong_FromUnsignedLongLong(stride));
        stride *= shape->sizes[i] ? shape->sizes[i] : 1;
    }
    PyObject *empty = shape->device ? torch.empty_gpu : torch.empty_host;
    if (shape->device && empty != Py_None && !is_current(shape->device - 1))
        empty = Py_None; /* new_empty() allocates on the tensor's device */
    PyObject *dtype = PyErr_Occurred() ? NULL : PyObject_GetAttr(like, torch.dtype);
    if (dtype)
        made = empty == Py_None ? PyObject_CallMethodObjArgs(like, torch.new_empty, sizes, NULL)
                                : PyObject_CallFunctionObjArgs(empty, sizes, strides, dtype, NULL);
    Py_XDECREF(dtype);
    Py_XDECREF(sizes);
    Py_XDECREF(strides);
    return made;
}

PyObject *target(PyObject *like, PyObject *out, array *to, const array *inputs, size_t count, bool in_place) {
    DLTensor tensor;
    if (out == Py_None) {
        PyObject *made = allocate(like, to);
        if (made && torch.dlpack->dltensor_from_py_object_no_sync(made, &tensor))
            Py_CLEAR(made);
        if (made)
            to->address = (wl_devptr)(uintptr_t)tensor.data + tensor.byte_offset;
        return made;
    }
    array given_out;
    if (!view(out, &given_out) || !are_alike(&given_out, to))
        Py_RETURN_NONE;
    to->address = given_out.address;
    for (size_t i = 0; i < count; i++)
        if (do_overlap(&inputs[i], to) && !(in_place && inputs[i].address == to->address))
            Py_RETURN_NONE;
    Py_INCREF(out);
    return out;
}
