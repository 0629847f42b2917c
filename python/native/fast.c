/* wideload._fast: the short way of operations on torch's tensors, without ctypes and with little of Python.
 *
 * It takes what is usual: plain tensors in C order on the host or a GPU, aligned, that nobody differentiates.
 * For all else a function returns None before anything is done, and _torch.py goes the general way, which has
 * the checks and the messages.
 *
 * Tensors are viewed through DLPack's functions in C.  torch itself allocates results, not DLPack's
 * allocator: that wraps the memory, and Tensor.record_stream() ignores wrapped memory, which is then reused
 * too early.
 *
 * The limited API gives one binary for Python 3.10 and newer.  setup() writes the state once; Python's lock
 * guards the contexts.  The lock is released while the library works: on the host that may be long, and on a
 * GPU a launch waits when the stream is full, perhaps for a callback that needs the lock. */
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <stdbool.h>

#include "python/native/dlpack.h"
#include "wideload.h"

enum { RANK_MAX = 8, FIELDS_MAX = 64, DEVICES_MAX = 65 };

static const DLPackExchangeAPI *api;

/* What setup() is given. */
static struct {
    PyObject *tensor, *parameter;     /* the types */
    PyObject *empty_host, *empty_gpu; /* (shape, strides, dtype) -> tensor, on the current device; or None */
    PyObject *current_device;         /* () -> int; or None */
    PyObject *is_grad_enabled;        /* () -> bool */
    PyObject *forward_ad;        /* the module; its _current_level is negative unless it differentiates */
    PyObject *increment_version; /* (tensor): its content has changed */
    PyObject *context, *check;   /* of _library.py */
} given;

static struct {
    wl_error (*transpose)(wl_context *, unsigned, wl_devptr, wl_devptr, uint64_t, uint64_t, wl_stream);
    wl_error (*permute)(wl_context *, unsigned, wl_devptr, wl_devptr, unsigned, const uint64_t *,
                        const unsigned *, wl_stream);
    wl_error (*copy)(wl_context *, wl_devptr, wl_devptr, size_t, wl_stream);
    wl_error (*add)(wl_context *, wl_type, wl_devptr, wl_devptr, wl_devptr, uint64_t, wl_stream);
    wl_error (*interleave)(wl_context *, unsigned, unsigned, wl_devptr, const wl_devptr *, uint64_t,
                           wl_stream);
} library;

static struct { PyObject *current_level, *dtype, *requires_grad, *is_neg, *is_conj, *new_empty; } names;

/* The host's, then the GPUs'. */
static wl_context *contexts[DEVICES_MAX];

/* ---------------------------------------------------------------- tensors */

typedef struct array {
    wl_devptr address;
    uint64_t count, sizes[RANK_MAX];
    unsigned rank, width; /* bytes of an element */
    DLDataType type;
    int device; /* an index of contexts */
} array;

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

/* False if the general way is needed. */
static bool view(PyObject *x, array *to) {
    PyObject *type = (PyObject *)Py_TYPE(x);
    if (type != given.tensor && type != given.parameter)
        return false;
    DLTensor tensor;
    if (api->dltensor_from_py_object_no_sync(x, &tensor)) {
        PyErr_Clear();
        return false;
    }
    if (!describe(&tensor, to))
        return false;
    if (is_true(PyObject_GetAttr(x, names.requires_grad)) &&
        is_true(PyObject_CallNoArgs(given.is_grad_enabled)))
        return false;
    /* What lies in memory may be to be negated or conjugated when it is read. */
    return !is_true(PyObject_CallFunctionObjArgs(names.is_neg, x, NULL)) &&
           (to->type.code != kDLComplex || !is_true(PyObject_CallFunctionObjArgs(names.is_conj, x, NULL)));
}

/* In forward mode, any tensor may have a tangent. */
static bool is_forward_mode(void) {
    PyObject *level = PyObject_GetAttr(given.forward_ad, names.current_level);
    long value = level ? PyLong_AsLong(level) : 0;
    Py_XDECREF(level);
    if (PyErr_Occurred())
        PyErr_Clear();
    return value >= 0;
}

static bool are_alike(const array *a, const array *b) {
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

static PyObject *allocate(PyObject *like, const array *shape) {
    PyObject *sizes = PyTuple_New(shape->rank), *strides = PyTuple_New(shape->rank), *made = NULL;
    uint64_t stride = 1;
    for (unsigned i = shape->rank; sizes && strides && i-- > 0;) {
        PyTuple_SetItem(sizes, i, PyLong_FromUnsignedLongLong(shape->sizes[i]));
        PyTuple_SetItem(strides, i, PyLong_FromUnsignedLongLong(stride));
        stride *= shape->sizes[i] ? shape->sizes[i] : 1;
    }
    PyObject *empty = shape->device ? given.empty_gpu : given.empty_host;
    if (shape->device && empty != Py_None) {
        PyObject *current = PyObject_CallNoArgs(given.current_device);
        if (!current || PyLong_AsLong(current) != shape->device - 1)
            empty = Py_None; /* new_empty() allocates on the tensor's device */
        Py_XDECREF(current);
        PyErr_Clear();
    }
    PyObject *dtype = PyErr_Occurred() ? NULL : PyObject_GetAttr(like, names.dtype);
    if (dtype)
        made = empty == Py_None ? PyObject_CallMethodObjArgs(like, names.new_empty, sizes, NULL)
                                : PyObject_CallFunctionObjArgs(empty, sizes, strides, dtype, NULL);
    Py_XDECREF(dtype);
    Py_XDECREF(sizes);
    Py_XDECREF(strides);
    return made;
}

/* The result, a new reference: `out`, or a new tensor as `to` has it; `to` gets its address.  An `out`
 * overlaps no input, but may be one that is in place.  None if the general way is needed, NULL with an
 * exception. */
static PyObject *target(PyObject *like, PyObject *out, array *to, const array *inputs, size_t count,
                        bool in_place) {
    DLTensor tensor;
    if (out == Py_None) {
        PyObject *made = allocate(like, to);
        if (made && api->dltensor_from_py_object_no_sync(made, &tensor))
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

/* The context of a device and the stream for work on it.  False with an exception. */
static bool find_context(int device, wl_context **context, wl_stream *stream) {
    *stream = NULL;
    if (!contexts[device]) {
        PyObject *name = device ? PyUnicode_FromFormat("gpu:%d", device - 1) : PyUnicode_FromString("host");
        PyObject *opened = name ? PyObject_CallFunctionObjArgs(given.context, name, NULL) : NULL;
        if (opened)
            contexts[device] = PyLong_AsVoidPtr(opened);
        Py_XDECREF(name);
        Py_XDECREF(opened);
    }
    *context = contexts[device];
    return *context && (!device || !api->current_work_stream(kDLCUDA, device - 1, stream));
}

/* Returns a call's result, or raises what it failed with. */
static PyObject *finish(wl_error error, PyObject *result, bool is_out) {
    PyObject *done = NULL;
    if (error)
        done = PyObject_CallFunction(given.check, "i", (int)error);
    else if (is_out)
        done = PyObject_CallFunctionObjArgs(given.increment_version, result, NULL);
    Py_XDECREF(done);
    if (error || (is_out && !done))
        Py_CLEAR(result);
    return result;
}

/* Calls the library without Python's lock. */
#define CALL(device, result, out, function, ...)                                                             \
    do {                                                                                                     \
        wl_context *context;                                                                                 \
        wl_stream stream;                                                                                    \
        wl_error error;                                                                                      \
        if (!find_context(device, &context, &stream)) {                                                      \
            Py_DECREF(result);                                                                               \
            return NULL;                                                                                     \
        }                                                                                                    \
        PyThreadState *state = PyEval_SaveThread();                                                          \
        error = library.function(context, __VA_ARGS__, stream);                                              \
        PyEval_RestoreThread(state);                                                                         \
        return finish(error, result, (out) != Py_None);                                                      \
    } while (0)

/* ---------------------------------------------------------------- operations */

/* Axes as numbers from 0 on, each once; None means all in reverse. */
static bool read_axes(PyObject *axes, unsigned rank, unsigned *order) {
    bool is_tuple = PyTuple_Check(axes), is_list = PyList_Check(axes);
    if (axes != Py_None && !is_tuple && !is_list)
        return false;
    if (axes != Py_None && (is_tuple ? PyTuple_Size(axes) : PyList_Size(axes)) != (Py_ssize_t)rank)
        return false;
    unsigned seen = 0;
    for (unsigned i = 0; i < rank; i++) {
        long axis = (long)(rank - 1 - i);
        if (axes != Py_None) {
            PyObject *item = is_tuple ? PyTuple_GetItem(axes, i) : PyList_GetItem(axes, i);
            if (!item || !PyLong_Check(item) || ((axis = PyLong_AsLong(item)) == -1 && PyErr_Occurred())) {
                PyErr_Clear();
                return false;
            }
            axis += axis < 0 ? (long)rank : 0;
        }
        if (axis < 0 || axis >= (long)rank || (seen & 1u << axis))
            return false;
        seen |= 1u << axis;
        order[i] = (unsigned)axis;
    }
    return true;
}

/* (x, axes, out) */
static PyObject *permute(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    array x;
    unsigned order[RANK_MAX];
    if (count != 3 || is_forward_mode() || !view(args[0], &x) || !read_axes(args[1], x.rank, order))
        Py_RETURN_NONE;
    array to = x;
    for (unsigned i = 0; i < x.rank; i++)
        to.sizes[i] = x.sizes[order[i]];
    PyObject *result = target(args[0], args[2], &to, &x, 1, false);
    if (!result || result == Py_None)
        return result;
    if (x.rank == 2 && order[0] == 1)
        CALL(x.device, result, args[2], transpose, x.width, to.address, x.address, x.sizes[0], x.sizes[1]);
    CALL(x.device, result, args[2], permute, x.width, to.address, x.address, x.rank, x.sizes, order);
}

/* (x, out) */
static PyObject *copy(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    array x;
    if (count != 2 || is_forward_mode() || !view(args[0], &x))
        Py_RETURN_NONE;
    array to = x;
    PyObject *result = target(args[0], args[1], &to, &x, 1, false);
    if (!result || result == Py_None)
        return result;
    CALL(x.device, result, args[1], copy, to.address, x.address, x.count * x.width);
}

/* The type as wl_add() has it, and its numbers per element; 0: none. */
static unsigned find_type(DLDataType from, wl_type *to) {
    unsigned bits = from.code == kDLComplex ? from.bits / 2u : from.bits;
    unsigned step = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : 4;
    if (from.lanes != 1 || step == 4)
        return 0;
    static const wl_type signed_types[] = {WL_TYPE_I8, WL_TYPE_I16, WL_TYPE_I32, WL_TYPE_I64};
    static const wl_type unsigned_types[] = {WL_TYPE_U8, WL_TYPE_U16, WL_TYPE_U32, WL_TYPE_U64};
    static const wl_type floats[] = {0, WL_TYPE_F16, WL_TYPE_F32, WL_TYPE_F64};
    switch (from.code) {
    case kDLInt:
        *to = signed_types[step];
        return 1;
    case kDLUInt:
        *to = unsigned_types[step];
        return 1;
    case kDLFloat:
        *to = floats[step];
        return step >= 1;
    case kDLBfloat:
        *to = WL_TYPE_BF16;
        return step == 1;
    case kDLComplex:
        *to = floats[step];
        return step >= 2 ? 2 : 0;
    default:
        return 0;
    }
}

/* (a, b, out) */
static PyObject *add(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    array x[2];
    wl_type type = WL_TYPE_I8;
    if (count != 3 || is_forward_mode() || !view(args[0], &x[0]) || !view(args[1], &x[1]) ||
        !are_alike(&x[0], &x[1]))
        Py_RETURN_NONE;
    unsigned parts = find_type(x[0].type, &type);
    if (!parts)
        Py_RETURN_NONE;
    array to = x[0];
    PyObject *result = target(args[0], args[2], &to, x, 2, true);
    if (!result || result == Py_None)
        return result;
    CALL(to.device, result, args[2], add, type, to.address, x[0].address, x[1].address, to.count * parts);
}

/* `arrays` is a tuple, which holds them while the lock is released. */
static PyObject *interleave_tuple(PyObject *arrays, PyObject *out) {
    Py_ssize_t fields = PyTuple_Size(arrays);
    array x[FIELDS_MAX];
    wl_devptr table[FIELDS_MAX];
    if (fields < 1 || fields > FIELDS_MAX || is_forward_mode())
        Py_RETURN_NONE;
    for (Py_ssize_t i = 0; i < fields; i++) {
        if (!view(PyTuple_GetItem(arrays, i), &x[i]) || !are_alike(&x[i], &x[0]))
            Py_RETURN_NONE;
        table[i] = x[i].address;
    }
    array to = x[0];
    if (to.rank == RANK_MAX)
        Py_RETURN_NONE;
    to.sizes[to.rank++] = (uint64_t)fields;
    to.count *= (uint64_t)fields;
    PyObject *result = target(PyTuple_GetItem(arrays, 0), out, &to, x, (size_t)fields, false);
    if (!result || result == Py_None)
        return result;
    CALL(to.device, result, out, interleave, to.width, (unsigned)fields, to.address, table, x[0].count);
}

/* (arrays, out) */
static PyObject *interleave(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    if (count != 2 || (!PyTuple_Check(args[0]) && !PyList_Check(args[0])))
        Py_RETURN_NONE;
    PyObject *arrays = PySequence_Tuple(args[0]);
    PyObject *result = arrays ? interleave_tuple(arrays, args[1]) : NULL;
    Py_XDECREF(arrays);
    return result;
}

/* ---------------------------------------------------------------- the module */

/* (capsule, objects of `given`..., addresses of `library`...).  ImportError if the capsule has another major
 * version. */
static PyObject *setup(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule;
    unsigned long long address[5];
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOO(KKKKK)", &capsule, &given.tensor, &given.parameter,
                          &given.empty_host, &given.empty_gpu, &given.current_device, &given.is_grad_enabled,
                          &given.forward_ad, &given.increment_version, &given.context, &given.check,
                          &address[0], &address[1], &address[2], &address[3], &address[4]))
        return NULL;
    api = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    while (api && api->header.version.major > 1)
        api = (const DLPackExchangeAPI *)api->header.prev_api;
    if (PyErr_Occurred())
        return NULL;
    if (!api || api->header.version.major != 1 || !api->dltensor_from_py_object_no_sync ||
        !api->current_work_stream) {
        PyErr_SetString(PyExc_ImportError, "torch's DLPack has another version");
        return NULL;
    }
    names.current_level = PyUnicode_InternFromString("_current_level");
    names.dtype = PyUnicode_InternFromString("dtype");
    names.requires_grad = PyUnicode_InternFromString("requires_grad");
    names.new_empty = PyUnicode_InternFromString("new_empty");
    names.is_neg = PyObject_GetAttrString(given.tensor, "is_neg");
    names.is_conj = PyObject_GetAttrString(given.tensor, "is_conj");
    if (PyErr_Occurred())
        return NULL;
    /* For as long as the process lives. */
    Py_INCREF(args);
    memcpy(&library, address, sizeof(library));
    Py_RETURN_NONE;
}

#define FAST(name)                                                                                           \
    { #name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL }
static PyMethodDef methods[] = {
    FAST(permute),         FAST(copy), FAST(add), FAST(interleave), {"setup", setup, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_fast", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__fast(void);
PyMODINIT_FUNC PyInit__fast(void) {
    return PyModule_Create(&definition);
}
