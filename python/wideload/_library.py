"""libwideload by ctypes: its functions, its errors as exceptions, and a context per device.

The signatures are those of include/wideload.h.  Calls release Python's lock.
"""
from __future__ import annotations

import ctypes
import os
import threading
from typing import Sequence

RANK_MAX = 8
FIELDS_MAX = 64
STRUCTURE_MAX = 1024

# Codes of wl_type by names of types; a complex number is two numbers.
TYPES = {"i1": 0, "i2": 1, "i4": 2, "i8": 3, "u1": 4, "u2": 5, "u4": 6, "u8": 7, "f2": 8, "bf2": 9, "f4": 10, "f8": 11}
COMPLEX = {"c8": "f4", "c16": "f8"}

_path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native", "lib", "libwideload.so.0")
_library = ctypes.CDLL(_path)

_p, _u, _u64, _size = ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint64, ctypes.c_size_t


class Field(ctypes.Structure):
    """wl_field: a field of a structure, in bytes."""
    _fields_ = [("offset", ctypes.c_uint32), ("bytes", ctypes.c_uint32)]


def _function(name: str, *arguments: type, result: type = ctypes.c_int):
    function = getattr(_library, name)
    function.argtypes, function.restype = arguments, result
    return function


# Tables of sizes, addresses and fields are declared as pointers: arrays of ctypes are passed as they are.
_open = _function("wl_open", _p, ctypes.c_char_p)
_message = _function("wl_message", result=ctypes.c_char_p)
_error_name = _function("wl_error_name", ctypes.c_int, result=ctypes.c_char_p)
_version = _function("wl_version", result=ctypes.c_char_p)
_explain = _function("wl_explain", result=ctypes.c_char_p)
wl_copy = _function("wl_copy", _p, _u64, _u64, _size, _p)
wl_copy_strided = _function("wl_copy_strided", _p, _size, _u64, _p, _u64, _p, _u, _p, _p)
wl_add = _function("wl_add", _p, _u, _u64, _u64, _u64, _u64, _p)
wl_transpose = _function("wl_transpose", _p, _u, _u64, _u64, _u64, _u64, _p)
wl_permute = _function("wl_permute", _p, _u, _u64, _u64, _u, _p, _p, _p)
wl_deinterleave = _function("wl_deinterleave", _p, _u, _u, _p, _u64, _u64, _p)
wl_interleave = _function("wl_interleave", _p, _u, _u, _u64, _p, _u64, _p)
wl_deinterleave_fields = _function("wl_deinterleave_fields", _p, _p, _u, ctypes.c_uint32, _p, _u64, _u64, _p)
wl_interleave_fields = _function("wl_interleave_fields", _p, _p, _u, ctypes.c_uint32, _u64, _p, _u64, _p)


class Error(RuntimeError):
    """A call that libwideload refused, or that failed on the device, in the library's words.

    `code` is the library's wl_error, `name` its name: "WL_ERROR_OUT_OF_MEMORY".
    """

    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = code
        self.name = _error_name(code).decode()


def check(code: int) -> None:
    """Raises what a call returned, unless it succeeded."""
    if code:
        raise Error(code, _message().decode(errors="replace"))


def version() -> str:
    return _version().decode()


def explain() -> str:
    """What the calling thread's last operation did, and why, in one line; "" before the first.

    >>> import numpy as np, wideload
    >>> y = wideload.transpose(np.zeros((1000, 1000), np.float32))
    >>> wideload.explain().split(":")[0]
    'wl_copy_strided'
    """
    return _explain().decode(errors="replace")


# ---------------------------------------------------------------- contexts

_contexts: dict[str, int] = {}
_lock = threading.Lock()


def context(device: str) -> int:
    """The wl_context of a device of wl_open(), opened on first use.  It stays open: arrays may be in use to the end."""
    found = _contexts.get(device)
    if found is not None:
        return found
    with _lock:
        if device not in _contexts:
            opened = ctypes.c_void_p()
            check(_open(ctypes.byref(opened), device.encode()))
            _contexts[device] = opened.value or 0
        return _contexts[device]


# ---------------------------------------------------------------- tables

def table64(values: Sequence[int]) -> ctypes.Array:
    """Sizes or addresses, as C has them."""
    return (ctypes.c_uint64 * len(values))(*values)


def strides64(values: Sequence[int]) -> ctypes.Array:
    return (ctypes.c_int64 * len(values))(*values)
