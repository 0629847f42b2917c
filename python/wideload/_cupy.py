"""CuPy's arrays, on their GPU and its current stream."""
from __future__ import annotations

from typing import Any, Sequence

import cupy

from ._array import Array, check_rank
from ._numpy import kind_of


def view(x: Any, name: str) -> Array:
    check_rank(name, x.ndim)
    with x.device:
        stream = cupy.cuda.get_current_stream().ptr
    return Array(f"gpu:{x.device.id}", x.data.ptr, x.shape, x.strides, x.itemsize, kind_of(x.dtype, name), stream, x)


def empty(like: Array, shape: Sequence[int], kind: Any, name: str) -> Any:
    with like.source.device:
        return cupy.empty(shape, like.source.dtype)
