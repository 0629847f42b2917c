"""Other objects with DLPack.  They are seen as arrays of NumPy in host memory, and as CuPy's or torch's on a GPU, whichever
the program has imported; so are results."""
from __future__ import annotations

import sys
from typing import Any, Sequence

from ._array import Array, family_of, type_name, view as view_any

_GPU = (2, 13)  # kDLCUDA, kDLCUDAManaged


def _imported(x: Any, name: str) -> Any:
    device = x.__dlpack_device__()[0]
    library = sys.modules.get("cupy") or sys.modules.get("torch") if device in _GPU else sys.modules.get("numpy")
    if library is None:
        raise TypeError(f"{name}: {type_name(x)}: import {'CuPy or torch' if device in _GPU else 'NumPy'} first, "
                        "which sees it through DLPack")
    try:
        return library.from_dlpack(x)
    except Exception as error:  # its exporter may refuse in any way
        raise TypeError(f"{name}: {type_name(x)}: {error}") from error


def view(x: Any, name: str) -> Array:
    return view_any(_imported(x, name), name)


def empty(like: Array, shape: Sequence[int], kind: Any, name: str) -> Any:
    return family_of(like.source, name).empty(like, shape, kind, name)
