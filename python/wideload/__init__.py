"""Wideload: arrays moved and added at the speed of memory, on GPUs and on the host.

    >>> import numpy as np, wideload
    >>> wideload.transpose(np.arange(6).reshape(2, 3)).shape
    (3, 2)

The functions take arrays of NumPy, torch and CuPy, and all that has the buffer protocol, `__cuda_array_interface__` or
DLPack.  Arrays in host memory are handled by the machine's processors; those on a GPU there, on the current stream of
torch or CuPy and without waiting.  A result is a new array in C order, of the kind of the first argument: an array of NumPy,
torch or CuPy, or a memoryview for other objects with a buffer.  With `out=` it is written there, and `out` is returned.

An array has at most 8 dimensions, any strides and any type but Python's objects.  Elements are moved as bytes.  Subclasses
of numpy.ndarray give plain arrays; masked arrays are refused.

Errors: TypeError and ValueError, which name the argument, before anything is written; wideload.Error in the library's words.
All functions are thread-safe.
"""
from __future__ import annotations

from typing import Any, Mapping, Sequence, TypeVar, overload

from . import _library, _operations, _redistribute, _sparse
from ._library import Error, explain
from ._nccl import NcclRedistribution
from ._profile import ProfileError, Report, profile
from ._redistribute import Box, Redistribution
from ._simulator import simulator

__all__ = ["Box", "Error", "NcclRedistribution", "ProfileError", "Redistribution", "Report", "add", "copy", "csr_transpose",
           "deinterleave", "explain", "interleave", "permute", "profile", "simulator", "transpose", "transpose_distributed"]
__version__ = _library.version()

_Array = TypeVar("_Array")
_by_type = _operations.by_type
_operations_of = _operations.operations_of


def transpose(x: _Array, axes: Sequence[int] | None = None, *, out: Any = None) -> _Array:
    """The array with its dimensions in another order, as numpy.transpose() has them, but a new array.

    x     shape (n0, n1, ...)
    axes  dimension i of the result is dimension axes[i] of x; by default, all are reversed
    out   shape (n[axes[0]], n[axes[1]], ...), the type of x; it must not overlap x

    >>> wideload.transpose(np.zeros((2, 3, 4))).shape
    (4, 3, 2)
    """
    return (_by_type.get(type(x)) or _operations_of(x, "x")).transpose(x, axes, out)


def permute(x: _Array, axes: Sequence[int], *, out: Any = None) -> _Array:
    """The array with its dimensions in another order, as torch.permute() has them, but a new array.

    x     shape (n0, n1, ...)
    axes  dimension i of the result is dimension axes[i] of x; each dimension once, negative ones count from the end
    out   shape (n[axes[0]], n[axes[1]], ...), the type of x; it must not overlap x

    >>> wideload.permute(np.zeros((2, 3, 224, 224)), (0, 2, 3, 1)).shape    # NCHW to NHWC
    (2, 224, 224, 3)
    """
    if axes is None:
        raise TypeError("axes: None; a sequence of integers is needed")
    return (_by_type.get(type(x)) or _operations_of(x, "x")).transpose(x, axes, out)


def copy(x: _Array, *, out: Any = None) -> _Array:
    """A copy in C order.

    x    any shape and strides
    out  the shape and type of x, any strides; it must not overlap x

    >>> wideload.copy(np.arange(6)[::-2])
    array([5, 3, 1])
    """
    return (_by_type.get(type(x)) or _operations_of(x, "x")).copy(x, out)


def add(a: _Array, b: Any, *, out: Any = None) -> _Array:
    """The sums of elements, in C order.

    a, b  one shape and one type: an integer, floating-point or complex one.  Nothing is broadcast or converted:
          numpy.broadcast_to() and .astype() do that.  Integers wrap; a floating-point sum is rounded once, to nearest even.
    out   the same shape and type; it may be a or b, and must not overlap them otherwise

    >>> wideload.add(np.float32([1, 2]), np.float32([3, 4]))
    array([4., 6.], dtype=float32)
    """
    return (_by_type.get(type(a)) or _operations_of(a, "a")).add(a, b, out)


@overload
def interleave(arrays: Sequence[_Array], *, out: Any = None) -> _Array: ...
@overload
def interleave(arrays: Mapping[str, _Array], *, out: Any = None) -> _Array: ...
def interleave(arrays: Any, *, out: Any = None) -> Any:
    """Arrays joined along a new last axis, or into structures.

    arrays  k arrays of shape (n0, ...) and of one type: the result has shape (n0, ..., k), as of numpy.stack(arrays, -1).
            Or a dict of arrays of NumPy of one shape and any types: the result is a structured array of that shape, whose
            fields have the dict's names and order, without padding.
    out     the shape and type of the result; it must not overlap an input.  A structured one may have its fields in another
            order, and padding, which is left as it is

    >>> wideload.interleave([np.int8([1, 2]), np.int8([3, 4])])
    array([[1, 3],
           [2, 4]], dtype=int8)
    >>> wideload.interleave({"x": np.int8([1, 2]), "y": np.float32([3, 4])})
    array([(1, 3.), (2, 4.)], dtype=[('x', 'i1'), ('y', '<f4')])
    """
    if not isinstance(arrays, (list, tuple, Mapping)):
        raise TypeError(f"arrays: {type(arrays).__name__}; a list, tuple or dict of arrays is needed")
    if not arrays:
        raise ValueError("arrays: empty; one array at least is needed")
    name, first = next(iter(arrays.items() if isinstance(arrays, Mapping) else enumerate(arrays)))
    return (_by_type.get(type(first)) or _operations_of(first, f"arrays[{name!r}]")).interleave(arrays, out)


def deinterleave(x: Any, *, out: Any = None) -> Any:
    """The reverse of interleave(): the last axis split into arrays, or structures into an array per field.

    x    shape (n0, ..., k): the result is a tuple of k arrays of shape (n0, ...).  Or a structured array of NumPy: the
         result is a dict of arrays of its shape by the names of its fields.  A field that is an array itself adds its
         dimensions at the end.
    out  as many arrays of those shapes and types, in a list, a tuple or a dict; they must not overlap x or each other

    >>> wideload.deinterleave(np.int8([[1, 3], [2, 4]]))
    (array([1, 2], dtype=int8), array([3, 4], dtype=int8))
    """
    return (_by_type.get(type(x)) or _operations_of(x, "x")).deinterleave(x, out)


def csr_transpose(matrix: _Array, *, check: bool = False) -> _Array:
    """A sparse matrix's transpose, in rows, as SciPy's matrix.T.tocsr() has it: the entries of each row are in the order of
    their columns.

    matrix  in rows (CSR), of SciPy or CuPy, shape (rows, cols): indices of 32 or 64 bits, values of 1, 2, 4, 8 or 16 bytes.
            The result is a new matrix of the same class, shape (cols, rows)
    check   whether to check indptr and indices first, at the cost of one reading; on a GPU the call then waits.  A
            ValueError says what is wrong: "matrix.indices[7] is 12; the columns are 0 to 9".  Without it, wrong ones make
            a result that means nothing, but never a write outside it

    >>> import scipy.sparse
    >>> wideload.csr_transpose(scipy.sparse.csr_array(np.array([[0, 1, 2], [3, 0, 0]]))).toarray()
    array([[0, 3],
           [1, 0],
           [2, 0]])
    """
    return _sparse.csr_transpose(matrix, check)


def transpose_distributed(parts: Sequence[_Array], *, out: Any = None) -> list[_Array]:
    """The transpose of a matrix whose rows lie on several devices, into rows on the same devices.

    parts  a list with an array for each device, shape (rows[i], cols): the rows of the matrix, one array's after the other's,
           in C order.  They may be arrays of NumPy, all on the host, or tensors of torch or arrays of CuPy on GPUs that have
           peer access to each other; several may lie on one device
    out    as many arrays of shape (cols[i], sum of rows) on the devices of the parts, with sum of cols = cols; none may
           overlap another one.  By default, new ones with an even split, of which the first have one row more where it does
           not divide

    What Redistribution says of streams and gradients holds here.  The plans of the last 32 shapes are kept; a CUDA graph
    needs a Redistribution of its own.

    >>> wideload.transpose_distributed([np.array([[0, 1, 2]]), np.array([[3, 4, 5]])])
    [array([[0, 3],
           [1, 4]]), array([[2, 5]])]
    """
    return _redistribute.transpose_distributed(parts, out)


def load_ipython_extension(shell: Any) -> None:
    """%load_ext wideload: %%cuda compiles a cell and runs it without a GPU, %wideload is the command line."""
    from . import _magic

    shell.register_magics(_magic.Wideload)
