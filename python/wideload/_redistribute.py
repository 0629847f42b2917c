"""Redistributions: an array whose parts lie on several devices is moved into other parts."""
from __future__ import annotations

import ctypes
import dataclasses
import functools
import itertools
import operator
import re
import sys
import threading
import weakref
from typing import Any, Sequence

from . import _library
from ._array import Array, check_rank, family_of, type_name
from ._library import context, numbers64
from ._operations import order_of


# ---------------------------------------------------------------- arguments

def integers(values: Any, name: str) -> tuple[int, ...]:
    """Indices or sizes, which fit into 63 bits."""
    try:
        found = tuple(operator.index(value) for value in values)
    except TypeError:
        raise TypeError(f"{name}: {values!r}; a sequence of integers is needed") from None
    if not all(0 <= value < 1 << 63 for value in found):
        raise ValueError(f"{name}: {found}; each must be 0 to 2^63 - 1")
    check_rank(name, len(found))
    return found


def _itemsize(dtype: Any) -> int:
    size, numpy = getattr(dtype, "itemsize", None), sys.modules.get("numpy")
    if isinstance(size, int):
        return size
    try:
        if dtype is not None and numpy is not None:  # whose dtype of None is a float
            return numpy.dtype(dtype).itemsize
    except TypeError:
        pass
    raise TypeError(f"dtype: {dtype!r}; a dtype of NumPy or torch, or the bytes per element, is needed")


def bytes_of(dtype: Any) -> int:
    """Bytes per element."""
    try:
        size = operator.index(dtype)
    except TypeError:
        size = _itemsize(dtype)
    if size < 1:
        raise ValueError(f"dtype: {dtype!r}; an element has 1 byte or more")
    return size


def device_of(device: Any, name: str) -> str:
    """A device's name for wl_open(): "host", "gpu:0"."""
    number = getattr(device, "id", device)  # CuPy's have an id
    if isinstance(number, int):
        return f"gpu:{number}"
    if str(device) in ("host", "cpu"):
        return "host"
    found = re.fullmatch(r"(?:gpu|cuda):(\d+)", str(device))
    if not found:
        raise ValueError(f"{name}: {str(device)!r}; 'host', 'gpu:0', 'gpu:1', ... or the number of a GPU is needed")
    return f"gpu:{int(found[1])}"


def listed(values: Any, name: str, what: str, count: int | None = None) -> list[Any]:
    """A list with an entry per rank."""
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{name}: {type_name(values)}; a list or tuple of {what} is needed")
    if not values:
        raise ValueError(f"{name}: empty; one rank at least is needed")
    if count is not None and len(values) != count:
        raise ValueError(f"{name}: {len(values)} entries; there are {count} ranks")
    return list(values)


# ---------------------------------------------------------------- boxes

class CBox(ctypes.Structure):
    """wl_box."""
    _fields_ = [("begin", ctypes.c_uint64 * _library.RANK_MAX), ("sizes", ctypes.c_uint64 * _library.RANK_MAX),
                ("order", ctypes.c_uint * _library.RANK_MAX)]


@dataclasses.dataclass(frozen=True)
class Box:
    """A part of an array, which a rank of a redistribution has or wants.

    begin  its first index in each dimension of the array
    sizes  its elements in each dimension; with a 0 among them it is empty
    order  the dimensions as they lie in memory, the outermost first: the last one's elements are contiguous.  By default
           0, 1, ...

    The array of a rank that has such a box lies in C order, and its shape is `box.shape`: the sizes in that order.

    >>> wideload.Box((0, 2), (4, 3)).shape               # the columns 2, 3 and 4 of a matrix of 4 rows
    (4, 3)
    >>> wideload.Box((0, 2), (4, 3), order=(1, 0)).shape    # the same, one column after the other
    (3, 4)
    """
    begin: Sequence[int]
    sizes: Sequence[int]
    order: Sequence[int] | None = None

    def __post_init__(self) -> None:
        begin, sizes = integers(self.begin, "begin"), integers(self.sizes, "sizes")
        if len(begin) != len(sizes):
            raise ValueError(f"sizes: {sizes}; begin has {len(begin)} dimensions")
        order = tuple(range(len(sizes))) if self.order is None else order_of(self.order, len(sizes), "order")
        for name, value in ("begin", begin), ("sizes", sizes), ("order", order):
            object.__setattr__(self, name, value)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its array."""
        return tuple(self.sizes[dimension] for dimension in self.order or ())


def check_box(box: Any, rank: int, name: str) -> Box | None:
    if box is None and rank == 0:
        raise ValueError(f"{name}: None; an array of 0 dimensions has no empty box")
    if box is not None and not isinstance(box, Box):
        raise TypeError(f"{name}: {type_name(box)}; a wideload.Box or None is needed")
    if box is not None and len(box.sizes) != rank:
        raise ValueError(f"{name}: {len(box.sizes)} dimensions; the array has {rank}")
    return box


def c_boxes(boxes: Sequence[Box | None]) -> ctypes.Array:
    """The boxes as C has them."""
    return (CBox * len(boxes))(*(CBox(tuple(box.begin), tuple(box.sizes), tuple(box.order or ())) if box else CBox()
                                 for box in boxes))


# ---------------------------------------------------------------- plans

def check(code: int, words: dict[str, str]) -> None:
    """Raises what a call returned: a ValueError for a wrong argument, whose names in C become those in Python."""
    try:
        _library.check(code)
    except _library.Error as error:
        if error.name != "WL_ERROR_INVALID_ARGUMENT":
            raise
        text = re.sub(r"^wl_\w+: ", "", str(error))
        for name, ours in words.items():
            text = re.sub(name, ours, text)
        raise ValueError(text) from None


class Plan:
    """A wl_redistribution, and what the arrays of this process's ranks must be."""

    def __init__(self, handle: int, width: int, from_boxes: Sequence[Box | None], to_boxes: Sequence[Box | None],
                 devices: Sequence[str]):
        self._handle, self._width, self._devices = handle, width, tuple(devices)
        self._from_shapes, self._to_shapes = ([box.shape if box else None for box in boxes] for boxes in (from_boxes, to_boxes))
        self._lock = threading.Lock()  # a plan is used by one call at a time
        # At the latest when the interpreter ends, before CUDA may end.
        self._free = weakref.finalize(self, _library.wl_redistribution_destroy, handle)

    def close(self) -> None:
        """Frees the plan, after its running calls.  Without this, it is freed with its last reference."""
        with self._lock:
            self._handle = 0
            self._free()

    def _open(self) -> int:
        """Its handle."""
        if not self._handle:
            raise ValueError("the plan is closed")
        return self._handle

    def _view(self, x: Any, shape: tuple[int, ...] | None, rank: int, name: str) -> Array | None:
        """A rank's array; None if its box is empty and nothing is given."""
        empty = shape is None or 0 in shape
        if empty and x is None:
            return None
        family = family_of(x, name)
        if hasattr(family, "check_alone"):
            family.check_alone(x, name)
        array = family.view(x, name)
        if array.device != self._devices[rank]:
            raise ValueError(f"{name}: on {array.device}; the rank is on {self._devices[rank]}")
        if array.width != self._width:
            raise TypeError(f"{name}: type {array.kind} of {array.width} bytes; an element of the plan has {self._width}")
        if not empty and array.shape != shape:
            raise ValueError(f"{name}: shape {array.shape}; that of its box is {shape}")
        if not empty and not array.is_contiguous():
            raise ValueError(f"{name}: not in C order; wideload.copy() makes an array that is")
        return array

    def _new(self, rank: int, inputs: Sequence[Any], arrays: Sequence[Array | None], name: str) -> Any:
        """A new array for a rank, of the kind of its input, or of another one's on the device."""
        shape, device = self._to_shapes[rank], self._devices[rank]
        if shape is None:
            return None
        for i in (rank, *range(len(arrays))):
            like = arrays[i]
            if like is not None and like.device == device:
                return family_of(inputs[i], name).empty(like, shape, like.kind, name)
        raise ValueError(f"{name}: needed, as no input on {device} says what kind of array to make there")

    def _targets(self, results: Sequence[Any], names: Sequence[str]) -> list[Array | None]:
        """What the results are in memory."""
        targets = [self._view(x, shape, rank, name)
                   for rank, (x, shape, name) in enumerate(zip(results, self._to_shapes, names))]
        for array, name in zip(targets, names):
            if array is not None and not array.writable:
                raise ValueError(f"{name}: read-only")
        return targets

    def _run(self, inputs: Sequence[Any], out: Sequence[Any] | None, input_names: Sequence[str],
             names: Sequence[str]) -> list[Any]:
        arrays = [self._view(x, shape, rank, name)
                  for rank, (x, shape, name) in enumerate(zip(inputs, self._from_shapes, input_names))]
        results = list(out) if out is not None else [
            self._new(rank, inputs, arrays, name) for rank, name in enumerate(names)]
        targets = self._targets(results, names)
        seen = [(array, name) for array, name in zip([*arrays, *targets], [*input_names, *names]) if array is not None]
        for array, name in seen:
            if array.kind != seen[0][0].kind:
                raise TypeError(f"{name}: type {array.kind}; that of {seen[0][1]} is {seen[0][0].kind}")
        to, source = (numbers64([array.address if array else 0 for array in some]) for some in (targets, arrays))
        streams = numbers64([(target or array).stream if target or array else 0 for target, array in zip(targets, arrays)])
        with self._lock:
            code = _library.wl_redistribute(self._open(), to, source, streams)
            if code:
                check(code, {rf"\b{list_}\[{rank}\]": name for list_, some in (("from", input_names), ("to", names))
                             for rank, name in enumerate(some)})
        for x in results if out is not None else ():
            written = x is not None and getattr(family_of(x, "out"), "written", None)
            if written:
                written(x)
        return results


def _names(name: str, count: int) -> list[str]:
    return [f"{name}[{i}]" for i in range(count)]


class Redistribution(Plan):
    """A plan for an array whose parts lie on several devices of this process: each rank has one part, a box of the array,
    and wants another.  It is made once, for any number of calls.

    sizes       the array's shape: at most 8 dimensions
    from_boxes  the Box that each rank has; None: nothing
    to_boxes    the Box that each rank wants; None: nothing.  They may overlap.  Each element that one of them has must be in
                exactly one of from_boxes
    dtype       the elements: a dtype of NumPy or torch, or the bytes per element.  They are moved as bytes
    devices     the device of each rank: "gpu:0", torch.device("cuda", 0), 0, ..., or all "host".  The GPUs need peer access to
                each other; several ranks may be on one

    >>> rows = [wideload.Box((0, 0), (1, 4)), wideload.Box((1, 0), (1, 4))]      # a matrix of 2 x 4, one row per rank
    >>> halves = [wideload.Box((0, 0), (2, 2)), wideload.Box((0, 2), (2, 2))]
    >>> plan = wideload.Redistribution((2, 4), rows, halves, np.int64, ["host", "host"])
    >>> plan([np.array([[0, 1, 2, 3]]), np.array([[4, 5, 6, 7]])])
    [array([[0, 1],
           [4, 5]]), array([[2, 3],
           [6, 7]])]
    """

    def __init__(self, sizes: Sequence[int], from_boxes: Sequence[Box | None], to_boxes: Sequence[Box | None], dtype: Any,
                 devices: Sequence[Any]):
        sizes = integers(sizes, "sizes")
        ranks = len(listed(from_boxes, "from_boxes", "boxes"))
        listed(to_boxes, "to_boxes", "boxes", ranks)
        for name, boxes in ("from_boxes", from_boxes), ("to_boxes", to_boxes):
            for rank, box in enumerate(boxes):
                check_box(box, len(sizes), f"{name}[{rank}]")
        width = bytes_of(dtype)
        listed(devices, "devices", "devices", ranks)
        names = [device_of(device, f"devices[{rank}]") for rank, device in enumerate(devices)]
        contexts, handle = numbers64([context(name) for name in names]), ctypes.c_void_p()
        check(_library.wl_redistribution_create(ctypes.byref(handle), ranks, contexts, width, len(sizes), numbers64(sizes),
                                                c_boxes(from_boxes), c_boxes(to_boxes)),
              {r"\bfrom\[": "from_boxes[", r"\bto\[": "to_boxes[", r"\bbox of from\b": "box of from_boxes",
               r"\bcontexts\[": "devices[", "^the array": "sizes: the array"})
        super().__init__(handle.value or 0, width, from_boxes, to_boxes, names)

    def __call__(self, inputs: Sequence[Any], *, out: Sequence[Any] | None = None) -> list[Any]:
        """Redistributes; returns a list with the array that each rank wants.

        inputs  the array that each rank has, in C order: shape from_boxes[rank].shape, on devices[rank].  It may be None where
                the box is empty
        out     the arrays that the ranks want, in C order: shape to_boxes[rank].shape; none may overlap another one.  By
                default they are new, and of the kinds of the inputs.  A rank that has nothing then needs an empty array on its
                device, if no other rank is there

        On GPUs the call is asynchronous.  On each one it is work of the current stream, as of the other functions: it begins
        after what is there before it, and what follows there finds the results and may overwrite the inputs.  A CUDA graph
        may capture it, and must not outlive the plan.  Tensors that need a gradient are refused.
        """
        ranks = len(self._devices)
        listed(inputs, "inputs", "arrays", ranks)
        if out is not None:
            listed(out, "out", "arrays", ranks)
        return self._run(inputs, out, _names("inputs", ranks), _names("out", ranks))


# ---------------------------------------------------------------- transposes

@functools.lru_cache(maxsize=32)
def _transpose_plan(devices: tuple[str, ...], width: int, from_rows: tuple[int, ...],
                    to_rows: tuple[int, ...]) -> Redistribution:
    rows, cols = sum(from_rows), sum(to_rows)
    from_boxes = [Box((first, 0), (count, cols)) for first, count in zip(itertools.accumulate((0, *from_rows)), from_rows)]
    to_boxes = [Box((0, first), (rows, count), (1, 0)) for first, count in zip(itertools.accumulate((0, *to_rows)), to_rows)]
    return Redistribution((rows, cols), from_boxes, to_boxes, width, devices)


def _slabs(arrays: Sequence[Any], name: str) -> list[Array]:
    """Slabs of rows of one matrix: one number of columns."""
    views = []
    for i, x in enumerate(arrays):
        view = family_of(x, f"{name}[{i}]").view(x, f"{name}[{i}]")
        if len(view.shape) != 2:
            raise ValueError(f"{name}[{i}]: {len(view.shape)} dimensions; 2 are needed")
        views.append(view)
        if view.shape[1] != views[0].shape[1]:
            raise ValueError(f"{name}[{i}]: {view.shape[1]} columns; {name}[0] has {views[0].shape[1]}")
    return views


def transpose_distributed(parts: Any, out: Any) -> list[Any]:
    slabs = _slabs(listed(parts, "parts", "arrays"), "parts")
    ranks, cols, width = len(slabs), slabs[0].shape[1], slabs[0].width
    from_rows = tuple(slab.shape[0] for slab in slabs)
    for rank, slab in enumerate(slabs):
        if (slab.device == "host") != (slabs[0].device == "host"):
            raise ValueError(f"parts[{rank}]: on {slab.device}; parts[0] is on {slabs[0].device}")
    if not width:
        raise TypeError(f"parts[0]: type {slabs[0].kind}; an element has 1 byte or more")
    if out is None:
        to_rows = tuple(cols // ranks + (rank < cols % ranks) for rank in range(ranks))
    else:
        to_rows = tuple(slab.shape[0] for slab in _slabs(listed(out, "out", "arrays", ranks), "out"))
        if sum(to_rows) != cols:
            raise ValueError(f"out: {sum(to_rows)} rows in all; the parts have {cols} columns")
    plan = _transpose_plan(tuple(slab.device for slab in slabs), width, from_rows, to_rows)
    return plan._run(parts, out, _names("parts", ranks), _names("out", ranks))
