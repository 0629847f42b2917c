"""A stub of CuPy: numpy's arrays, and events with timestamps from a host clock.  STUB_GPU is the device's name;
"none" means no device.  STUB_WRONG=cupy spoils one element of every sum."""
import os
import time

import numpy
from numpy import empty  # noqa: F401, the purpose of this stub

__version__ = "14.0.1"


def asarray(array):
    return numpy.array(array)


def asnumpy(array):
    return numpy.array(array)


def copyto(to, array):
    numpy.copyto(to, array)


def add(a, b, out):
    numpy.add(a, b, out=out)
    if os.environ.get("STUB_WRONG") == "cupy":
        out.flat[0] += 1


def matmul(a, b, out):
    numpy.matmul(a, b, out=out)


class _Pool:
    def free_all_blocks(self):
        pass


def get_default_memory_pool():
    return _Pool()


class _Event:
    def record(self):
        self.at = time.perf_counter()


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
    Event, Device, runtime = _Event, _Device, _Runtime

    @staticmethod
    def get_elapsed_time(begin, end):
        return 1e3 * (end.at - begin.at)
