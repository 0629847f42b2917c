"""Objects with Python's buffer protocol, on the host device, without NumPy: bytes, array.array, memoryview, mmap.

Results are memoryviews, which have a shape and a format.  They can be made of the formats that memoryview.cast() knows.
"""
from __future__ import annotations

import ctypes
import math
from typing import Any, Sequence

from ._array import Array, check_rank

_ssize = ctypes.c_ssize_t


class _Buffer(ctypes.Structure):
    """Py_buffer, whose members are fixed in CPython's stable ABI."""
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", _ssize), ("itemsize", _ssize),
                ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


_get = ctypes.pythonapi.PyObject_GetBuffer
_get.argtypes, _get.restype = [ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int], ctypes.c_int
_release = ctypes.pythonapi.PyBuffer_Release
_release.argtypes, _release.restype = [ctypes.POINTER(_Buffer)], None
_FULL_READ_ONLY = 0x11C  # PyBUF_FULL_RO

# Kinds by native formats.
_letters = {"b": "i", "B": "u", "h": "i", "H": "u", "i": "i", "I": "u", "l": "i", "L": "u", "q": "i", "Q": "u", "n": "i",
            "N": "u", "e": "f", "f": "f", "d": "f", "?": "b"}
# Formats of a standard size, and the native ones of the same size.
_standard = {"l": "i", "L": "I"}


def _native(format: str) -> str:
    """The native format of the same layout; the format itself if there is none."""
    if format[:1] == "@":
        format = format[1:]
    elif format[:1] in "<=" and len(format) == 2:
        format = _standard.get(format[1], format[1])
    return format


class _Held:
    """A buffer that its object keeps until this goes."""

    def __init__(self, x: Any):
        self.buffer = _Buffer()
        _get(x, self.buffer, _FULL_READ_ONLY)

    def __del__(self) -> None:
        _release(self.buffer)


def view(x: Any, name: str) -> Array:
    seen = memoryview(x)
    check_rank(name, seen.ndim)
    if seen.suboffsets:
        raise TypeError(f"{name}: {type(x).__name__}: a buffer of pointers, which has suboffsets")
    format = _native(seen.format)
    if "O" in format:
        raise TypeError(f"{name}: format {seen.format}: Python objects cannot be moved as bytes")
    kind = f"{_letters[format]}{seen.itemsize}" if format in _letters else format
    held = _Held(seen)
    return Array("host", held.buffer.buf or 0, seen.shape, seen.strides, seen.itemsize, kind, 0, (held, seen),
                 not seen.readonly)


def empty(like: Array, shape: Sequence[int], kind: Any, name: str) -> memoryview:
    seen = like.source[1]
    count = math.prod(shape)
    memory = memoryview(bytearray(count * seen.itemsize))
    try:
        return memory.cast(_native(seen.format)) if count == 0 and len(shape) == 1 else memory.cast(_native(seen.format), shape)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: format {seen.format!r} and a result of shape {tuple(shape)}: no memoryview can be made of "
                        "them; pass out=, or a NumPy array") from None
