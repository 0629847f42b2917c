"""libwideload by ctypes: its functions, its errors as exceptions, and a context per device.

The signatures are those of include/wideload.h.  Calls release Python's lock.
"""
from __future__ import annotations

import ctypes
import os
import threading
from typing import Sequence

from . import _parts

RANK_MAX = 8
FIELDS_MAX = 64
STRUCTURE_MAX = 1024
SPARSE_CHECK_BYTES = 8

# Codes of wl_type by names of types; a complex number is two numbers.
TYPES = {"i1": 0, "i2": 1, "i4": 2, "i8": 3, "u1": 4, "u2": 5, "u4": 6, "u8": 7, "f2": 8, "bf2": 9, "f4": 10, "f8": 11}
COMPLEX = {"c8": "f4", "c16": "f8"}

_library = ctypes.CDLL(os.path.join(_parts.LIBRARIES, "libwideload.so.0"))


class Field(ctypes.Structure):
    """wl_field: a field of a structure, in bytes."""
    _fields_ = [("offset", ctypes.c_uint32), ("bytes", ctypes.c_uint32)]


def _function(name: str, arguments: int, result: type = ctypes.c_int):
    """All arguments are declared as pointers: ctypes converts an int to a pointer in half the time that it takes for another
    type, and a register holds it either way.  An array of ctypes is passed as its address."""
    function = getattr(_library, name)
    function.argtypes, function.restype = [ctypes.c_void_p] * arguments, result
    return function


_open = _function("wl_open", 2)
_message = _function("wl_message", 0, ctypes.c_char_p)
_error_name = _function("wl_error_name", 1, ctypes.c_char_p)
_version = _function("wl_version", 0, ctypes.c_char_p)
_explain = _function("wl_explain", 0, ctypes.c_char_p)
wl_copy_strided = _function("wl_copy_strided", 9)
wl_add = _function("wl_add", 7)
wl_transpose = _function("wl_transpose", 7)
wl_permute = _function("wl_permute", 8)
wl_deinterleave = _function("wl_deinterleave", 7)
wl_interleave = _function("wl_interleave", 7)
wl_deinterleave_fields = _function("wl_deinterleave_fields", 8)
wl_interleave_fields = _function("wl_interleave_fields", 8)
wl_csr_transpose_workspace = _function("wl_csr_transpose_workspace", 3)
wl_csr_transpose = _function("wl_csr_transpose", 7)
wl_csr_check = _function("wl_csr_check", 5)
wl_redistribution_create = _function("wl_redistribution_create", 8)
wl_redistribution_create_nccl = _function("wl_redistribution_create_nccl", 8)
wl_redistribution_wait = _function("wl_redistribution_wait", 2)
wl_redistribute = _function("wl_redistribute", 4)
wl_redistribution_destroy = _function("wl_redistribution_destroy", 1, None)


def address_of(name: str) -> int:
    """Where a function lies."""
    return ctypes.cast(getattr(_library, name), ctypes.c_void_p).value or 0


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

def numbers64(values: Sequence[int]) -> ctypes.Array:
    """Sizes, strides or addresses, as C has them."""
    return (ctypes.c_int64 * len(values))(*values)
