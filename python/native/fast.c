/* wideload._fast: the short way of operations on torch's tensors, without ctypes and with little of Python.
 *
 * It takes what is usual: plain tensors in C order on the host or a GPU, aligned, that nobody differentiates.
 * For all else a function returns None before anything is done, and _torch.py goes the general way, which has
 * the checks and the messages.
 *
 * setup() writes the state once; Python's lock guards the contexts.  The lock is released while the library
 * works: on the host that may be long, and on a GPU a launch waits when the stream is full, perhaps for a
 * callback that needs the lock. */
#include "python/native/tensor.h"

enum { FIELDS_MAX = 64 };

static PyObject *new_context, *check; /* context() and check() of _library.py */

static struct {
    wl_error (*transpose)(wl_context *, unsigned, wl_devptr, wl_devptr, uint64_t, uint64_t, wl_stream);
    wl_error (*permute)(wl_context *, unsigned, wl_devptr, wl_devptr, unsigned, const uint64_t *,
                        const unsigned *, wl_stream);
    wl_error (*copy)(wl_context *, wl_devptr, wl_devptr, size_t, wl_stream);
    wl_error (*add)(wl_context *, wl_type, wl_devptr, wl_devptr, wl_devptr, uint64_t, wl_stream);
    wl_error (*interleave)(wl_context *, unsigned, unsigned, wl_devptr, const wl_devptr *, uint64_t,
                           wl_stream);
} library;

/* The host's, then the GPUs'. */
static wl_context *contexts[DEVICES_MAX];

/* ---------------------------------------------------------------- calls */

/* The context of a device and the stream for work on it.  False with an exception. */
static bool find_context(int device, wl_context **context, wl_stream *stream) {
    *stream = NULL;
    if (!contexts[device]) {
        PyObject *name = device ? PyUnicode_FromFormat("gpu:%d", device - 1) : PyUnicode_FromString("host");
        PyObject *opened = name ? PyObject_CallFunctionObjArgs(new_context, name, NULL) : NULL;
        if (opened)
            contexts[device] = PyLong_AsVoidPtr(opened);
        Py_XDECREF(name);
        Py_XDECREF(opened);
    }
    *context = contexts[device];
    return *context && (!device || !torch.dlpack->current_work_stream(kDLCUDA, device - 1, stream));
}

/* Returns a call's result, or raises what it failed with. */
static PyObject *finish(wl_error error, PyObject *result, bool is_out) {
    PyObject *done = NULL;
    if (error)
        done = PyObject_CallFunction(check, "i", (int)error);
    else if (is_out)
        done = PyObject_CallFunctionObjArgs(torch.increment_version, result, NULL);
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

/* (capsule, objects..., addresses of `library`).  ImportError if the capsule has another major
 * version. */
static PyObject *setup(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *capsule;
    unsigned long long address[5];
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOOO(KKKKK)", &capsule, &torch.tensor, &torch.parameter,
                          &torch.empty_host, &torch.empty_gpu, &torch.current_device, &torch.device_count,
                          &torch.is_grad_enabled, &torch.forward_ad, &torch.increment_version, &new_context,
                          &check, &address[0], &address[1], &address[2], &address[3], &address[4]))
        return NULL;
    const DLPackExchangeAPI *dlpack = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    if (!dlpack)
        return NULL;
    while (dlpack && dlpack->header.version.major > 1)
        dlpack = dlpack->header.prev_api;
    if (!dlpack || dlpack->header.version.major != 1 || !dlpack->dltensor_from_py_object_no_sync ||
        !dlpack->current_work_stream) {
        PyErr_SetString(PyExc_ImportError, "torch's DLPack has another version");
        return NULL;
    }
    torch.current_level = PyUnicode_InternFromString("_current_level");
    torch.dtype = PyUnicode_InternFromString("dtype");
    torch.requires_grad = PyUnicode_InternFromString("requires_grad");
    torch.new_empty = PyUnicode_InternFromString("new_empty");
    torch.is_neg = PyObject_GetAttrString(torch.tensor, "is_neg");
    torch.is_conj = PyObject_GetAttrString(torch.tensor, "is_conj");
    if (PyErr_Occurred())
        return NULL;
    /* For as long as the process lives. */
    Py_INCREF(args);
    memcpy(&library, address, sizeof(library));
    torch.dlpack = dlpack; /* last: without it, is_forward_mode() stops all */
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
