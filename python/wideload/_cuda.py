"""Other objects on a GPU that have __cuda_array_interface__, Numba's for example.

Their stream is the one that they name, else the legacy default stream.  The interface makes no arrays: results are CuPy's or
torch's, whichever the program has imported.
"""
from __future__ import annotations

import ctypes
import sys
from typing import Any, Sequence

from ._array import Array, c_strides, check_rank, type_name

_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL


def _device_of(address: int, name: str) -> int:
    """The number of the GPU that memory is on."""
    ordinal = ctypes.c_int(-1)
    try:
        attribute = ctypes.CDLL("libcuda.so.1").cuPointerGetAttribute
    except (OSError, AttributeError) as error:
        raise TypeError(f"{name}: its GPU is not known: {error}") from None
    if attribute(ctypes.byref(ordinal), ctypes.c_int(_DEVICE_ORDINAL), ctypes.c_uint64(address)):
        raise ValueError(f"{name}: its address {address:#x} is not of CUDA's memory")
    return ordinal.value


def view(x: Any, name: str) -> Array:
    interface = x.__cuda_array_interface__
    address, read_only = interface["data"]
    shape, typestr = interface["shape"], interface["typestr"]
    check_rank(name, len(shape))
    if typestr[0] == ">" or typestr[1] in "OV" or interface.get("mask") is not None:
        raise TypeError(f"{name}: {type_name(x)} of type {typestr}: only plain types, in this machine's byte order and without "
                        "a mask, can be moved")
    width = int(typestr[2:].split("[")[0]) * (4 if typestr[1] == "U" else 1)
    strides = interface.get("strides") or c_strides(shape, width)
    device = _device_of(address, name) if address else 0
    return Array(f"gpu:{device}", address or 0, shape, strides, width, typestr[1:], interface.get("stream") or 0, x, not read_only)


def empty(like: Array, shape: Sequence[int], kind: Any, name: str) -> Any:
    device = int(like.device.split(":")[1])
    cupy, torch = sys.modules.get("cupy"), sys.modules.get("torch")
    if cupy is not None:
        with cupy.cuda.Device(device):
            return cupy.empty(shape, kind)
    if torch is not None:
        from . import _torch
        for dtype, name_of in _torch._kinds.items():
            if name_of == kind:
                return torch.empty(shape, dtype=dtype, device=f"cuda:{device}")
    raise TypeError(f"{name}: {type_name(like.source)}: a result needs CuPy or torch to be imported, or out=")
