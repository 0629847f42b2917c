"""Sparse matrices in rows: SciPy's and CuPy's, by the arrays that they consist of."""
from __future__ import annotations

import ctypes
import re
from typing import Any

from . import _library
from ._array import Array, family_of, type_name, view
from ._library import context
from ._operations import copy

_WIDTHS = (1, 2, 4, 8, 16)
_INDICES = ("i4", "i8")


class Csr(ctypes.Structure):
    """wl_csr: addresses of a matrix's arrays."""
    _fields_ = [("pointers", ctypes.c_uint64), ("indices", ctypes.c_uint64), ("values", ctypes.c_uint64)]


class Shape(ctypes.Structure):
    """wl_sparse_shape."""
    _fields_ = [("rows", ctypes.c_uint64), ("cols", ctypes.c_uint64), ("entries", ctypes.c_uint64),
                ("index_bytes", ctypes.c_uint), ("width", ctypes.c_uint)]


def _part(matrix: Any, part: str) -> Array:
    """One of the matrix's arrays, as it is or as an aligned copy in C order."""
    name = f"matrix.{part}"
    array = view(getattr(matrix, part), name)
    if len(array.shape) != 1:
        raise ValueError(f"{name}: {len(array.shape)} dimensions; one is needed")
    if array.is_contiguous(array.width):
        return array
    family = family_of(array.source, name)
    return family.view(copy(family, array.source, None), name)


def _check(pointers: Array, indices: Array, values: Array, rows: int, entries: int) -> None:
    for array, name in ((indices, "indices"), (values, "data")):
        if array.device != pointers.device:
            raise ValueError(f"matrix.{name}: on {array.device}; matrix.indptr is on {pointers.device}")
        if array.shape[0] < entries:
            raise ValueError(f"matrix.{name}: {array.shape[0]} elements; the matrix has {entries} entries")
    if entries < 0:
        raise ValueError(f"matrix.indptr: ends with {entries}")
    if pointers.shape[0] != rows + 1:
        raise ValueError(f"matrix.indptr: {pointers.shape[0]} elements; {rows} rows have {rows + 1}")
    if pointers.kind not in _INDICES or indices.kind != pointers.kind:
        raise TypeError(f"matrix.indices: type {indices.kind}, and matrix.indptr {pointers.kind}; one type of "
                        f"{' and '.join(_INDICES)} is needed")
    if values.width not in _WIDTHS:
        raise TypeError(f"matrix.data: {values.width} bytes per element; 1, 2, 4, 8 and 16 are moved")


def _check_data(device: int, shape: Shape, source: Csr, work: int | None, stream: int) -> None:
    try:
        _library.check(_library.wl_csr_check(device, ctypes.byref(shape), ctypes.byref(source), work, stream))
    except _library.Error as error:
        words, wrong = re.subn(r"^wl_csr_check: (?=pointers\[|indices\[)", "matrix.", str(error))
        if not wrong or error.name != "WL_ERROR_INVALID_ARGUMENT":
            raise
        raise ValueError(words.replace("pointers[", "indptr[")) from None


def csr_transpose(matrix: Any, check: bool) -> Any:
    if getattr(matrix, "format", None) != "csr" or len(getattr(matrix, "shape", ())) != 2:
        raise TypeError(f"matrix: {type_name(matrix)}; a sparse matrix in rows is needed, such as scipy.sparse.csr_array")
    rows, cols = matrix.shape
    entries = int(matrix.nnz)
    pointers, indices, values = _part(matrix, "indptr"), _part(matrix, "indices"), _part(matrix, "data")
    _check(pointers, indices, values, rows, entries)
    family = family_of(values.source, "matrix.data")

    def new(like: Array, count: int) -> tuple[Any, Array]:
        made = family.empty(like, [count], like.kind, "matrix")
        return made, family.view(made, "matrix")

    shape = Shape(rows, cols, entries, pointers.width, values.width)
    source = Csr(pointers.address, indices.address, values.address)
    device, needed = context(pointers.device), ctypes.c_size_t()
    _library.check(_library.wl_csr_transpose_workspace(device, ctypes.byref(shape), ctypes.byref(needed)))
    room = max(needed.value, _library.SPARSE_CHECK_BYTES if check else 0)
    # CuPy's memory begins at multiples of 512 bytes, and its pools give it back in the stream's order.
    work = new(values, room // values.width + 1)[1] if room else None
    address = work.address if work else None
    if check:
        _check_data(device, shape, source, address, pointers.stream)
    out_pointers, to_pointers = new(pointers, cols + 1)
    out_indices, to_indices = new(indices, entries)
    out_values, to_values = new(values, entries)
    to = Csr(to_pointers.address, to_indices.address, to_values.address)
    _library.check(_library.wl_csr_transpose(device, ctypes.byref(shape), ctypes.byref(to), ctypes.byref(source), address,
                                             room, pointers.stream))
    return type(matrix)((out_values, out_indices, out_pointers), shape=(cols, rows))
