"""A stub of torch on numpy's arrays.  Like torch on a GPU, it multiplies no integer matrices, and what is called
while a stream is captured is done by the graph's replays.  STUB_GRAPH=refused: it captures no stream; STUB_GRAPH=idle:
the replays do nothing."""
import os
import time

import numpy

from . import distributed  # noqa: F401

__version__ = "2.11.0+cu130"
uint8, int64 = numpy.uint8, numpy.int64
bfloat16 = "bfloat16"  # missing in numpy


class _Stream:
    """A stream other than the default one, with the number of calls made on it."""

    def __init__(self):
        self.calls = 0

    def wait_stream(self, other):
        assert isinstance(other, _Stream)


_default = _current = _Stream()
_captured = None  # the graph's calls


def _do(call):
    """Now, or in the graph that is captured."""
    _current.calls += 1
    if _captured is None:
        call()
    else:
        _captured.append(call)


class Tensor:
    def __init__(self, array):
        self.array = array

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)

    def __len__(self):
        return len(self.array)

    def __getitem__(self, key):
        return Tensor(self.array[key])

    def to(self, _):
        return Tensor(self.array.copy())

    def cpu(self):
        return self

    def numpy(self):
        return self.array.copy()

    def view(self, to):
        """Of another type or shape."""
        if isinstance(to, tuple):
            reshaped = self.array.reshape(to)
            assert not reshaped.size or numpy.shares_memory(reshaped, self.array), "a view is no copy"
            return Tensor(reshaped)
        return Brain(self.array) if to == bfloat16 else Tensor(self.array.view(to))

    def element_size(self):
        return self.array.itemsize

    def new_empty(self, shape):
        return Tensor(numpy.empty(shape, self.array.dtype))

    def split(self, sizes, dim=0):
        assert sum(sizes) == self.shape[dim]
        return [Tensor(piece) for piece in numpy.split(self.array, numpy.cumsum(sizes)[:-1], axis=dim)]

    def fill_(self, value):
        self.array.fill(value)

    def copy_(self, other):
        def copy():
            self.array[...] = other.array
        _do(copy)

    def t(self):
        return Tensor(self.array.T)

    def permute(self, order):
        return Tensor(self.array.transpose(order))


class Brain(Tensor):
    """The bits of bfloat16 as uint16."""

    def __getitem__(self, key):
        return Brain(self.array[key])

    def floats(self):
        return (self.array.astype(numpy.uint32) << numpy.uint32(16)).view(numpy.float32)


def from_numpy(array):
    return Tensor(array)


def empty(shape, dtype, device):
    assert device == "cuda"
    if isinstance(shape, int):  # of a buffer that empties a cache, which the host's memory does not need
        shape = min(shape, 1 << 20)
    return Tensor(numpy.empty(shape, dtype))


def cat(tensors, dim, out):
    numpy.concatenate([tensor.array for tensor in tensors], axis=dim, out=out.array)


def add(a, b, out):
    _do(lambda: _add(a, b, out))


def _add(a, b, out):
    if isinstance(out, Brain):
        # Doubles, and then the nearest by arithmetic: a different method from work.py's.
        exact = a.floats().astype(numpy.float64) + b.floats()
        step = 2.0 ** (numpy.floor(numpy.log2(numpy.maximum(numpy.abs(exact), 1e-30))) - 7)
        rounded = (numpy.round(exact / step) * step).astype(numpy.float32)
        out.array[...] = (rounded.view(numpy.uint32) >> numpy.uint32(16)).astype(numpy.uint16)
        return
    numpy.add(a.array, b.array if isinstance(b, Tensor) else b, out=out.array)


def matmul(a, b, out):
    raise NotImplementedError("\"addmm_cuda\" not implemented for 'Int'\nsecond line")


class _Csc:
    def __init__(self, starts, columns, values, size):
        order = numpy.argsort(columns, kind="stable")
        ends = numpy.cumsum(numpy.bincount(columns, minlength=size[1]))
        self.starts = numpy.concatenate([[0], ends])
        self.rows = numpy.repeat(numpy.arange(size[0]), numpy.diff(starts))[order]
        self.entries = values[order]

    def ccol_indices(self):
        return Tensor(self.starts)

    def row_indices(self):
        return Tensor(self.rows)

    def values(self):
        return Tensor(self.entries)


class _Csr:
    def __init__(self, *parts):
        self.parts = parts

    def to_sparse_csc(self):
        return _Csc(*self.parts)


def sparse_csr_tensor(starts, columns, values, size):
    return _Csr(starts.array, columns.array, values.array, size)


class _Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.at = time.perf_counter()

    def elapsed_time(self, end):
        return 1e3 * (end.at - self.at)


class _OnStream:
    def __init__(self, stream):
        self.stream, self.before = stream, _current

    def __enter__(self):
        global _current
        _current = self.stream

    def __exit__(self, *_):
        global _current
        _current = self.before


class _Graph:
    def __init__(self):
        self.calls = []

    def replay(self):
        if os.environ.get("STUB_GRAPH") != "idle":
            for call in self.calls:
                call()


class _Capture(_OnStream):
    def __init__(self, graph, stream):
        super().__init__(stream)
        self.graph = graph

    def __enter__(self):
        global _captured
        assert self.stream is not _default and self.stream.calls, "a call on this stream warms up"
        if os.environ.get("STUB_GRAPH") == "refused":
            raise RuntimeError("CUDA error: operation not permitted when stream is capturing\nsecond line")
        super().__enter__()
        _captured = self.graph.calls

    def __exit__(self, *_):
        global _captured
        super().__exit__()
        _captured = None


class cuda:
    Event, Stream, CUDAGraph, stream, graph = _Event, _Stream, _Graph, _OnStream, _Capture

    @staticmethod
    def current_stream():
        return _current

    @staticmethod
    def is_available():
        return os.environ.get("STUB_GPU") != "none"

    @staticmethod
    def device_count():
        return int(os.environ.get("STUB_GPUS", "3"))

    @staticmethod
    def set_device(index):
        assert 0 <= index < cuda.device_count()

    @staticmethod
    def get_device_name(_):
        return os.environ.get("STUB_GPU", "NVIDIA H200")

    @staticmethod
    def synchronize():
        pass

    @staticmethod
    def empty_cache():
        pass
