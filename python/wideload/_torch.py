"""torch's tensors: on their GPU and its current stream, or on the host.

Operations of tensors in C order take a short way in C, python/native/fast.c, where it can be loaded.  Those that autograd
follows, and those in a model that torch.compile() traces, are custom operators of torch (torch.ops.wideload), each one node
of a graph.
"""
from __future__ import annotations

import sys
from typing import Any, Callable, Sequence

import torch
from torch import Tensor

from . import _library, _operations
from ._array import Array, check_rank, type_name

# Elements of other types (bits8, quantized ones) have the names that torch gives them.
_KINDS = {"bool": "b1", "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8", "int8": "i1", "int16": "i2",
          "int32": "i4", "int64": "i8", "float16": "f2", "bfloat16": "bf2", "float32": "f4", "float64": "f8",
          "complex32": "c4", "complex64": "c8", "complex128": "c16"}
_kinds = {getattr(torch, name): kind for name, kind in _KINDS.items() if hasattr(torch, name)}

_PLAIN = (Tensor, torch.nn.Parameter)
_is_grad_enabled = torch.is_grad_enabled
_is_compiling: Callable[[], bool] = torch.compiler.is_compiling
# Whether torch.compile() reads the function.  It is half as long as the other, and the short way refuses the stand-ins for
# tensors that torch.export() calls a function with.
_is_traced: Callable[[], bool] = torch.compiler.is_dynamo_compiling
_forward = torch.autograd.forward_ad
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)


def view(x: Any, name: str) -> Array:
    check_rank(name, x.dim())
    if x.layout is not torch.strided or x.is_quantized:
        raise TypeError(f"{name}: a tensor of layout {x.layout} and type {x.dtype}; only strided ones can be moved")
    if x.device.type not in ("cuda", "cpu"):
        raise TypeError(f"{name}: a tensor on {x.device}; it must be on the CPU or a GPU of NVIDIA's")
    writable = True
    if x.is_conj() or x.is_neg():  # what lies in memory is to be conjugated or negated when it is read
        x, writable = x.resolve_conj().resolve_neg(), False
    width = x.element_size()
    index = x.get_device()
    return Array("host" if index < 0 else f"gpu:{index}", x.data_ptr(), x.shape, [stride * width for stride in x.stride()],
                 width, _kinds.get(x.dtype, str(x.dtype)), 0 if index < 0 else _raw_stream(index), x, writable)


def empty(like: Array, shape: Sequence[int], kind: Any, name: str) -> Tensor:
    return like.source.new_empty(shape)


_general = _operations.Operations(sys.modules[__name__])


# ---------------------------------------------------------------- the short way

def _load_fast() -> Any:
    """The short way, whose functions return None where they do not apply; None if this Python or torch has no use for it."""
    if sys.version_info < (3, 10):
        return None
    try:
        from . import _fast
        guards = getattr(torch._C._dynamo, "guards", None)
        # torch.compile()'s own allocation on the current device is half as long as torch.empty().
        _fast.setup(Tensor.__dlpack_c_exchange_api__, Tensor, torch.nn.Parameter,
                    getattr(guards, "_empty_strided_cpu", None), getattr(guards, "_empty_strided_cuda", None),
                    getattr(torch._C, "_cuda_getDevice", None), torch.cuda.device_count, _is_grad_enabled, _forward,
                    torch.autograd.graph.increment_version, _library.context, _library.check,
                    tuple(_library.address_of(f"wl_{name}") for name in ("transpose", "permute", "copy", "add", "interleave")))
        return _fast
    except (ImportError, AttributeError, ValueError):
        return None


def _none(*_: Any) -> None:
    return None


def _or(short: Callable, general: Callable) -> Callable:
    def run(*arguments: Any) -> Tensor:
        result = short(*arguments)
        return general(*arguments) if result is None else result
    return run


_fast = _load_fast()
_fast_permute, _fast_copy, _fast_add, _fast_interleave = (
    getattr(_fast, name, _none) for name in ("permute", "copy", "add", "interleave"))
_permute, _copy, _add, _interleave = _or(_fast_permute, _general.transpose), _or(_fast_copy, _general.copy), _or(
    _fast_add, _general.add), _or(_fast_interleave, _general.interleave)


# ---------------------------------------------------------------- operators

# Tensors that autograd follows, and those that stand for others: of torch.compile(), or of a subclass.
def _needs_operator(*tensors: Any) -> bool:
    for x in tensors:
        if isinstance(x, Tensor) and (type(x) not in _PLAIN or x.requires_grad and _is_grad_enabled()):
            return True
    return _forward._current_level >= 0


def _check_out(out: Any, *tensors: Any) -> None:
    """What writes to `out` cannot be followed."""
    for x in (out, *tensors):
        if isinstance(x, Tensor) and x.requires_grad and _is_grad_enabled():
            raise ValueError("out: a gradient is needed; only results that are new tensors have one")


def _written(out: Any) -> Any:
    """Tells autograd, which may have kept a tensor for later, that it has changed."""
    for x in out.values() if isinstance(out, dict) else out if isinstance(out, (list, tuple)) else [out]:
        if isinstance(x, Tensor):
            torch.autograd.graph.increment_version(x)
    return out


def check_alone(x: Tensor, name: str) -> None:
    """Refuses tensors that stand for others, and those that autograd would follow: for operations that it does not know."""
    if type(x) not in _PLAIN:
        raise TypeError(f"{name}: {type_name(x)}; a plain tensor is needed")
    if _needs_operator(x):
        raise ValueError(f"{name}: a gradient is needed, and a redistribution has none; pass .detach()")


def written(x: Tensor) -> None:
    _written(x)


def _operator(schema: str, run: Callable, fake: Callable, setup: Callable | None, backward: Callable) -> Callable:
    """Makes torch.ops.wideload.NAME."""
    name = schema.split("(")[0]
    made = torch.library.custom_op("wideload::" + name, run, mutates_args=(), schema=schema[len(name):])
    made.register_fake(fake)
    made.register_autograd(backward, setup_context=setup)
    return getattr(torch.ops.wideload, name)


def _inverse(axes: Sequence[int]) -> list[int]:
    inverse = [0] * len(axes)
    for i, axis in enumerate(axes):
        inverse[axis] = i
    return inverse


def _keep_axes(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.axes = inputs[1]


def _join_gradients(ctx: Any, gradients: Any) -> Tensor:
    some = next(g for g in gradients if g is not None)
    return _op_interleave([torch.zeros_like(some) if g is None else g for g in gradients])


_op_permute = _operator(
    "permute(Tensor x, int[] axes) -> Tensor", lambda x, axes: _permute(x.detach(), axes, None),
    lambda x, axes: x.new_empty([x.shape[i] for i in axes]),
    _keep_axes, lambda ctx, g: (_op_permute(g, _inverse(ctx.axes)), None))
_op_copy = _operator(
    "copy(Tensor x) -> Tensor", lambda x: _copy(x.detach(), None), lambda x: x.new_empty(x.shape),
    None, lambda ctx, g: _op_copy(g))
_op_add = _operator(
    "add(Tensor a, Tensor b) -> Tensor", lambda a, b: _add(a.detach(), b.detach(), None),
    lambda a, b: a.new_empty(a.shape), None, lambda ctx, g: (g, g))
_op_interleave = _operator(
    "interleave(Tensor[] arrays) -> Tensor", lambda arrays: _interleave([x.detach() for x in arrays], None),
    lambda arrays: arrays[0].new_empty([*arrays[0].shape, len(arrays)]), None, lambda ctx, g: list(_op_deinterleave(g)))
_op_deinterleave = _operator(
    "deinterleave(Tensor x) -> Tensor[]", lambda x: list(_general.deinterleave(x.detach(), None)),
    lambda x: [x.new_empty(x.shape[:-1]) for _ in range(x.shape[-1])], None, lambda ctx, g: _join_gradients(ctx, g))


# ---------------------------------------------------------------- functions

def transpose(x: Tensor, axes: Any, out: Any) -> Tensor:
    if not _is_traced():
        result = _fast_permute(x, axes, out)
        if result is not None:
            return result
    if out is None:
        if _is_compiling() or _needs_operator(x):
            return _op_permute(x, _operations.order_of(axes, x.dim()))
        return _general.transpose(x, axes, None)
    _check_out(out, x)
    return _written(_general.transpose(x, axes, out))


def copy(x: Tensor, out: Any) -> Tensor:
    if not _is_traced():
        result = _fast_copy(x, out)
        if result is not None:
            return result
    if out is None:
        return _op_copy(x) if _is_compiling() or _needs_operator(x) else _general.copy(x, None)
    _check_out(out, x)
    return _written(_general.copy(x, out))


def add(a: Tensor, b: Any, out: Any) -> Tensor:
    if not _is_traced():
        result = _fast_add(a, b, out)
        if result is not None:
            return result
    if out is None:
        if not isinstance(b, Tensor) and _needs_operator(a):
            raise TypeError(f"b: {type_name(b)}; a is a tensor, and both must be")
        return _op_add(a, b) if _is_compiling() or _needs_operator(a, b) else _general.add(a, b, None)
    _check_out(out, a, b)
    return _written(_general.add(a, b, out))


def interleave(arrays: Any, out: Any) -> Tensor:
    if not _is_traced():
        result = _fast_interleave(arrays, out)
        if result is not None:
            return result
    if isinstance(arrays, (list, tuple)):
        if out is None and (_is_compiling() or _needs_operator(*arrays)):
            return _op_interleave(list(arrays))
        _check_out(out, *arrays)
    result = _general.interleave(arrays, out)
    return result if out is None else _written(result)


def deinterleave(x: Tensor, out: Any) -> tuple[Tensor, ...]:
    if out is None:
        return tuple(_op_deinterleave(x)) if _is_compiling() or _needs_operator(x) else _general.deinterleave(x, None)
    for one in out if isinstance(out, (list, tuple)) else []:
        _check_out(one, x)
    return _written(_general.deinterleave(x, out))
