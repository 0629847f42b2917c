"""Any array as the library sees it, and how to get there from an object.

A family is a module that knows one kind of arrays.  It has
    view(x, name) -> Array
    empty(like, shape, kind, name) -> object     a new array in C order, on the device of `like`, an Array of the family
Both raise TypeError or ValueError, whose message begins with `name`, the argument's.  A family may have operations of its own
(_torch.py), which take the place of those in _operations.py.
"""
from __future__ import annotations

import sys
from typing import Any, Sequence

from . import _library


class Array:
    """An array in memory.

    device   its name for wl_open(): "host", "gpu:0"
    address  of the element at index 0
    shape    sizes of the dimensions, at most 8
    strides  bytes from an element to the next, per dimension; negative or 0 too
    width    bytes of an element
    kind     the element's type, equal for equal types in all families: "f4", or a dtype of NumPy if it has no short name
    stream   of CUDA, for work on it
    source   what it was made of; keeps the memory
    """
    __slots__ = ("device", "address", "shape", "strides", "width", "kind", "stream", "source", "writable")

    def __init__(self, device: str, address: int, shape: Sequence[int], strides: Sequence[int], width: int, kind: Any,
                 stream: int, source: Any, writable: bool = True):
        self.device = device
        self.address = address
        self.shape = tuple(shape)
        self.strides = tuple(strides)
        self.width = width
        self.kind = kind
        self.stream = stream
        self.source = source
        self.writable = writable

    def count(self) -> int:
        """The number of elements."""
        count = 1
        for size in self.shape:
            count *= size
        return count

    def is_contiguous(self, alignment: int = 1) -> bool:
        """Whether the elements lie in C order without gaps, from an address that is a multiple of the alignment."""
        if self.address % alignment:
            return False
        expected = self.width
        for size, stride in zip(reversed(self.shape), reversed(self.strides)):
            if size == 0:
                return True
            if size != 1 and stride != expected:
                return False
            expected *= size
        return True

    def span(self) -> tuple[int, int]:
        """The first byte, and the one after the last."""
        low = high = self.address
        for size, stride in zip(self.shape, self.strides):
            if size == 0:
                return self.address, self.address
            low += min(0, (size - 1) * stride)
            high += max(0, (size - 1) * stride)
        return low, high + self.width


def c_strides(shape: Sequence[int], width: int) -> list[int]:
    """Strides in bytes of an array in C order."""
    strides = []
    for size in reversed(shape):
        strides.append(width)
        width *= size
    return strides[::-1]


def type_name(x: Any) -> str:
    t = type(x)
    return t.__qualname__ if t.__module__ == "builtins" else f"{t.__module__}.{t.__qualname__}"


def check_rank(name: str, rank: int) -> None:
    if rank > _library.RANK_MAX:
        raise ValueError(f"{name}: {rank} dimensions; {_library.RANK_MAX} are the most")


# ---------------------------------------------------------------- families

# By type of object.  The families of torch and CuPy are imported when their first array comes.
_families: dict[type, Any] = {}


def family_of(x: Any, name: str) -> Any:
    """The family of an object's type; TypeError if it is no array."""
    return _families.get(type(x)) or _find_family(x, name)


def _is_one(x: Any, module: str, *types: str) -> bool:
    loaded = sys.modules.get(module)
    found = tuple(getattr(loaded, t) for t in types if hasattr(loaded, t))
    return isinstance(x, found)


def _find_family(x: Any, name: str) -> Any:
    if _is_one(x, "torch", "Tensor"):
        from . import _torch as family
    elif _is_one(x, "numpy", "ndarray", "generic"):
        from . import _numpy as family
    elif _is_one(x, "cupy", "ndarray"):
        from . import _cupy as family
    elif hasattr(x, "__cuda_array_interface__"):
        from . import _cuda as family
    elif hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        from . import _dlpack as family
    else:
        try:
            memoryview(x)
        except TypeError:
            raise TypeError(f"{name}: {type_name(x)} is no array: it has no buffer, __cuda_array_interface__ or "
                            "DLPack") from None
        except Exception as error:  # an exporter of buffers may refuse in any way
            raise TypeError(f"{name}: {type_name(x)}: {error}") from error
        from . import _buffer as family
    _families[type(x)] = family
    return family


def view(x: Any, name: str) -> Array:
    return family_of(x, name).view(x, name)
