"""The operations on arrays of any family: arguments are checked, memory for the result is found, the library is called."""
from __future__ import annotations

import ctypes
import functools
import operator
from typing import Any, Mapping, Sequence

from . import _library
from ._array import Array, c_strides, check_rank, family_of, type_name, view
from ._library import check, context, numbers64


class Operations:
    """The operations on a family's arrays."""

    def __init__(self, family: Any):
        self.transpose = functools.partial(permute, family)
        self.copy = functools.partial(copy, family)
        self.add = functools.partial(add, family)
        self.interleave = functools.partial(interleave, family)
        self.deinterleave = functools.partial(deinterleave, family)


# By type of object.
by_type: dict[type, Any] = {}


def operations_of(x: Any, name: str) -> Any:
    """What has the operations for an object: its family, if that has some of its own."""
    found = by_type.get(type(x))
    if found is None:
        family = family_of(x, name)
        found = by_type[type(x)] = family if hasattr(family, "transpose") else Operations(family)
    return found


# ---------------------------------------------------------------- arguments

def order_of(axes: Any, rank: int, name: str = "axes") -> tuple[int, ...]:
    """Axes as numbers from 0 on; None means all in reverse."""
    if axes is None:
        return tuple(range(rank))[::-1]
    try:
        given = tuple(operator.index(axis) for axis in axes)
    except TypeError:
        raise TypeError(f"{name}: {axes!r}: a sequence of integers is needed") from None
    order = tuple(axis + rank if axis < 0 else axis for axis in given)
    if sorted(order) != list(range(rank)):
        raise ValueError(f"{name}: {given}: each of 0 to {rank - 1} is needed once" if rank else
                         f"{name}: {given}: an array of 0 dimensions has none")
    return order


def _overlap(a: Array, b: Array) -> bool:
    a_first, a_end = a.span()
    b_first, b_end = b.span()
    return a.device == b.device and a_first < b_end and b_first < a_end


def target(family: Any, like: Array, shape: Sequence[int], kind: Any, width: int, out: Any, name: str,
           inputs: Sequence[Array] = ()) -> tuple[Any, Array]:
    """The result, and what it is in memory: `out` if it is one, else a new array.  It overlaps none of the inputs."""
    check_rank(f"{name}: the result", len(shape))
    if out is None:
        out = family.empty(like, shape, kind, name)
        return out, family.view(out, "out")
    to = view(out, "out")
    if to.device != like.device:
        raise ValueError(f"out: on {to.device}; {name} is on {like.device}")
    if to.shape != tuple(shape):
        raise ValueError(f"out: shape {to.shape}; the result's is {tuple(shape)}")
    if to.kind != kind or to.width != width:
        raise TypeError(f"out: type {to.kind}; the result's is {kind}")
    if not to.writable:
        raise ValueError("out: read-only")
    if any(_overlap(to, x) for x in inputs):
        raise ValueError("out: overlaps an input")
    return out, to


# ---------------------------------------------------------------- movement

def _move(to: Array, address: int, strides: Sequence[int]) -> None:
    """Fills `to` from memory at an address, with strides per dimension of `to`."""
    if to.width:
        rank = len(to.shape)
        tables = numbers64((*to.strides, *strides, *to.shape))
        first = ctypes.addressof(tables)
        check(_library.wl_copy_strided(context(to.device), to.width, to.address, first, address, first + 8 * rank, rank,
                                       first + 16 * rank, to.stream))


def permute(family: Any, x: Any, axes: Any, out: Any) -> Any:
    a = family.view(x, "x")
    order = order_of(axes, len(a.shape))
    result, to = target(family, a, [a.shape[i] for i in order], a.kind, a.width, out, "x", [a])
    _move(to, a.address, [a.strides[i] for i in order])
    return result


def copy(family: Any, x: Any, out: Any) -> Any:
    a = family.view(x, "x")
    result, to = target(family, a, a.shape, a.kind, a.width, out, "x", [a])
    _move(to, a.address, a.strides)
    return result


def _in_c_order(family: Any, a: Array, alignment: int, name: str) -> Array:
    """The array, or an aligned copy of it in C order."""
    if a.is_contiguous(alignment):
        return a
    to = family.view(family.empty(a, a.shape, a.kind, name), name)
    _move(to, a.address, a.strides)
    return to


def add(family: Any, a: Any, b: Any, out: Any) -> Any:
    first, second = family.view(a, "a"), view(b, "b")
    if second.device != first.device:
        raise ValueError(f"b: on {second.device}; a is on {first.device}")
    if second.shape != first.shape:
        raise ValueError(f"b: shape {second.shape}; a's is {first.shape}")
    if second.kind != first.kind:
        raise TypeError(f"b: type {second.kind}; a's is {first.kind}")
    part = _library.COMPLEX.get(first.kind, first.kind) if isinstance(first.kind, str) else None
    if part not in _library.TYPES:
        raise TypeError(f"a: type {first.kind} cannot be added; these can: {', '.join([*_library.TYPES, *_library.COMPLEX])}")
    result, to = target(family, first, first.shape, first.kind, first.width, out, "a")
    alignment = int(part[-1])
    # Sums are made in C order: in the result's own memory, or beside it.
    place = to if to.is_contiguous(alignment) else family.view(family.empty(first, first.shape, first.kind, "a"), "a")
    inputs = []
    for x, name, its in ((first, "a", family), (second, "b", family_of(b, "b"))):
        same = x.is_contiguous() and x.address == to.address and to.is_contiguous()
        if _overlap(to, x) and not same and out is not None:
            raise ValueError(f"out: overlaps {name}, and is not {name}")
        inputs.append(_in_c_order(its, x, alignment, name))
    n = first.count() * (2 if first.kind in _library.COMPLEX else 1)
    check(_library.wl_add(context(to.device), _library.TYPES[part], place.address, inputs[0].address, inputs[1].address, n,
                          to.stream))
    if place is not to:
        _move(to, place.address, place.strides)
    return result


# ---------------------------------------------------------------- interleaving

_WIDTHS = (1, 2, 4, 8, 16)


def _addresses(arrays: Sequence[Array]) -> ctypes.Array:
    return numbers64([array.address for array in arrays])


def interleave(family: Any, arrays: Any, out: Any) -> Any:
    """A new last axis; of a dict, a structured array."""
    if isinstance(arrays, Mapping):
        return _interleave_fields(family, arrays, out)
    parts = [view(x, f"arrays[{i}]") for i, x in enumerate(arrays)]
    first, fields = parts[0], len(parts)
    for i, part in enumerate(parts):
        _check_alike(part, first, f"arrays[{i}]", "arrays[0]")
        if part.kind != first.kind:
            raise TypeError(f"arrays[{i}]: type {part.kind}; arrays[0]'s is {first.kind}")
    result, to = target(family, first, [*first.shape, fields], first.kind, first.width, out, "arrays[0]", parts)
    if first.width in _WIDTHS and to.is_contiguous(first.width) and all(
            part.is_contiguous(first.width) for part in parts):
        check(_library.wl_interleave(context(to.device), first.width, fields, to.address, _addresses(parts), first.count(),
                                     to.stream))
        return result
    for i, part in enumerate(parts):
        place = Array(to.device, to.address + i * to.strides[-1], part.shape, to.strides[:-1], to.width, to.kind, to.stream, to)
        _move(place, part.address, part.strides)
    return result


def deinterleave(family: Any, x: Any, out: Any) -> Any:
    """The last axis; of a structured array, the fields."""
    a = family.view(x, "x")
    if getattr(a.kind, "names", None):
        return _deinterleave_fields(family, a, out)
    if not a.shape:
        raise ValueError("x: 0 dimensions; there is no last axis to split")
    shape, fields = a.shape[:-1], a.shape[-1]
    outs = [None] * fields if out is None else _sequence(out, "out")
    if len(outs) != fields:
        raise ValueError(f"out: {len(outs)} arrays; the result has {fields}")
    made = [_named_target(family, a, shape, a.kind, a.width, given, f"out[{i}]", a) for i, given in enumerate(outs)]
    parts = [to for _, to in made]
    if fields and a.width in _WIDTHS and a.is_contiguous(a.width) and all(to.is_contiguous(a.width) for to in parts):
        check(_library.wl_deinterleave(context(a.device), a.width, fields, _addresses(parts), a.address, parts[0].count(),
                                       a.stream))
    else:
        for i, to in enumerate(parts):
            _move(to, a.address + i * a.strides[-1], a.strides[:-1])
    return tuple(result for result, _ in made) if out is None else out


def _sequence(given: Any, name: str) -> list[Any]:
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"{name}: {type_name(given)}; a list or tuple of arrays is needed")
    return list(given)


def _check_alike(part: Array, first: Array, name: str, other: str) -> None:
    if part.device != first.device:
        raise ValueError(f"{name}: on {part.device}; {other} is on {first.device}")
    if part.shape != first.shape:
        raise ValueError(f"{name}: shape {part.shape}; {other}'s is {first.shape}")


def _named_target(family: Any, like: Array, shape: Sequence[int], kind: Any, width: int, out: Any, name: str,
                  x: Array) -> tuple[Any, Array]:
    """target(), whose errors name the member of `out`."""
    try:
        return target(family, like, shape, kind, width, out, "x", [x])
    except (TypeError, ValueError) as error:
        if out is None:
            raise
        raise type(error)(name + str(error)[len("out"):]) from None


# ---------------------------------------------------------------- structures

def _fields_table(places: Sequence[tuple[int, int]], structure: int) -> ctypes.Array | None:
    """The fields (offset, bytes) for the library, if it takes such."""
    if not 1 <= len(places) <= _library.FIELDS_MAX or structure > _library.STRUCTURE_MAX:
        return None
    end = 0
    for offset, size in sorted(places):
        if offset < end or size == 0:
            return None
        end = offset + size
    return (_library.Field * len(places))(*places)


def _interleave_fields(family: Any, arrays: Mapping[str, Any], out: Any) -> Any:
    """A structured array of NumPy."""
    if not hasattr(family, "kind_of"):
        raise TypeError("arrays: a dict makes a structured array, which only arrays of NumPy can become")
    numpy = family.np
    parts = {name: view(x, f"arrays[{name!r}]") for name, x in arrays.items()}
    first_name, first = next(iter(parts.items()))
    for name, part in parts.items():
        _check_alike(part, first, f"arrays[{name!r}]", f"arrays[{first_name!r}]")
    dtype = numpy.dtype([(name, part.kind if not isinstance(part.source, numpy.ndarray) else part.source.dtype)
                         for name, part in parts.items()])
    if out is not None:
        dtype = _dtype_of_out(numpy, out, dtype)
    result, to = target(family, first, first.shape, dtype, dtype.itemsize, out, "arrays", list(parts.values()))
    places = [(dtype.fields[name][1], part.width) for name, part in parts.items()]
    # Padding is left as it is: the library would write it.
    table = _fields_table(places, dtype.itemsize) if sum(size for _, size in places) == dtype.itemsize else None
    if table is not None and to.is_contiguous() and all(part.is_contiguous() for part in parts.values()):
        check(_library.wl_interleave_fields(context(to.device), table, len(places), dtype.itemsize, to.address,
                                            _addresses(list(parts.values())), first.count(), to.stream))
        return result
    for (offset, size), part in zip(places, parts.values()):
        _move(Array(to.device, to.address + offset, to.shape, to.strides, size, None, to.stream, to), part.address, part.strides)
    return result


def _dtype_of_out(numpy: Any, out: Any, wanted: Any) -> Any:
    """The dtype of `out`: the same fields as those wanted, anywhere in it."""
    dtype = out.dtype if isinstance(out, numpy.ndarray) else None
    if dtype is None or dtype.names is None or set(dtype.names) != set(wanted.names) or any(
            dtype.fields[name][0] != wanted.fields[name][0] for name in wanted.names):
        raise TypeError(f"out: type {type_name(out) if dtype is None else dtype}; the result's is {wanted}")
    return dtype


def _deinterleave_fields(family: Any, a: Array, out: Any) -> dict[str, Any]:
    """An array per field of a structured array of NumPy."""
    dtype = a.kind
    if out is not None and (not isinstance(out, Mapping) or set(out) != set(dtype.names)):
        raise ValueError(f"out: {list(out) if isinstance(out, Mapping) else type_name(out)}; "
                         f"a dict of arrays is needed, for {list(dtype.names)}")
    results, parts, places = {}, [], []
    for name in dtype.names:
        field, offset = dtype.fields[name][:2]
        # A field that is an array has the dimensions of both.
        shape, kind = [*a.shape, *field.shape], family.kind_of(field.base, f"x[{name!r}]")
        given = None if out is None else out[name]
        results[name], to = _named_target(family, a, shape, kind, field.base.itemsize, given, f"out[{name!r}]", a)
        parts.append((to, [*a.strides, *c_strides(field.shape, field.base.itemsize)]))
        places.append((offset, field.itemsize))
    table = _fields_table(places, dtype.itemsize)
    if table is not None and a.is_contiguous() and all(to.is_contiguous() for to, _ in parts):
        check(_library.wl_deinterleave_fields(context(a.device), table, len(places), dtype.itemsize,
                                              _addresses([to for to, _ in parts]), a.address, a.count(), a.stream))
    else:
        for (to, strides), (offset, _) in zip(parts, places):
            _move(to, a.address + offset, strides)
    return results if out is None else out

