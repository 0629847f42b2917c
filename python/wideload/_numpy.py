"""NumPy's arrays, on the host device."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._array import Array, check_rank


_kinds: dict[np.dtype, Any] = {}


def kind_of(dtype: np.dtype, name: str) -> Any:
    """A type's name in all families; the dtype itself if it is in the other byte order, or has fields."""
    kind = _kinds.get(dtype)
    if kind is None:
        if dtype.hasobject:
            raise TypeError(f"{name}: dtype {dtype}: Python objects cannot be moved as bytes")
        kind = dtype.str[1:] if dtype.isnative and dtype.fields is None and dtype.kind != "V" else dtype
        if len(_kinds) < 1024:
            _kinds[dtype] = kind
    return kind


def view(x: Any, name: str) -> Array:
    array, writable = x, True
    if type(x) is not np.ndarray:
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError(f"{name}: a masked array; pass its .data and its .mask")
        array, writable = np.asarray(x), isinstance(x, np.ndarray)
    check_rank(name, array.ndim)
    address, read_only = array.__array_interface__["data"]
    return Array("host", address, array.shape, array.strides, array.itemsize, kind_of(array.dtype, name), 0, array,
                 writable and not read_only)


def empty(like: Array, shape: Sequence[int], kind: Any, name: str) -> np.ndarray:
    return np.ndarray(shape, kind)  # np.empty() makes S0 into S1
