"""A stub of CuPy: numpy's arrays, and events with timestamps from a host clock.  STUB_GPU is the device's name;
"none" means no device.  STUB_WRONG=cupy spoils one element of every sum.  What is called while a stream is captured is
done by the graph's launches."""
import os
import time

import numpy
from numpy import empty  # noqa: F401, the purpose of this stub

__version__ = "14.0.1"


_current = None  # the default stream
_captured = None  # the graph's calls


def _do(call):
    """Now, or in the graph that is captured."""
    if _current is not None:
        _current.calls += 1
    if _captured is None:
        call()
    else:
        _captured.append(call)


def asarray(array):
    return numpy.array(array)


def asnumpy(array):
    return numpy.array(array)


def copyto(to, array):
    _do(lambda: numpy.copyto(to, array))


def add(a, b, out):
    _do(lambda: _add(a, b, out))


def _add(a, b, out):
    numpy.add(a, b, out=out)
    if os.environ.get("STUB_WRONG") == "cupy":
        out.flat[0] += 1


def matmul(a, b, out):
    _do(lambda: numpy.matmul(a, b, out=out))


class _Pool:
    def free_all_blocks(self):
        pass


def get_default_memory_pool():
    return _Pool()


class _Event:
    def record(self):
        self.at = time.perf_counter()


class _Graph:
    def __init__(self, calls):
        self.calls = calls

    def launch(self, stream=None):
        for call in self.calls:
            call()


class _Stream:
    """A stream other than the default one, with the number of calls made on it."""

    def __init__(self, non_blocking):
        assert non_blocking
        self.calls = 0

    def __enter__(self):
        global _current
        _current = self

    def __exit__(self, *_):
        global _current
        _current = None

    def synchronize(self):
        assert _captured is None, "a captured stream cannot be waited for"

    def begin_capture(self):
        global _captured
        assert _current is self and self.calls, "a call on this stream warms up"
        _captured = []

    def end_capture(self):
        global _captured
        calls, _captured = _captured, None
        return _Graph(calls)


class _Device:
    def synchronize(self):
        pass


class _Runtime:
    @staticmethod
    def getDeviceCount():
        if os.environ.get("STUB_GPU") == "none":
            raise RuntimeError("cudaErrorInsufficientDriver: no driver\nsecond line")
        return 1

    @staticmethod
    def getDeviceProperties(_):
        return {"name": os.environ.get("STUB_GPU", "NVIDIA H200").encode()}


class cuda:
    Event, Stream, Device, runtime = _Event, _Stream, _Device, _Runtime

    @staticmethod
    def get_elapsed_time(begin, end):
        return 1e3 * (end.at - begin.at)
