"""A stub of JAX on numpy's arrays."""
import os

import numpy  # noqa: F401, jax.numpy

__version__ = "0.9.0"


class _Device:
    @property
    def device_kind(self):
        return os.environ.get("STUB_GPU", "NVIDIA H200")


def devices(kind):
    assert kind == "gpu"
    if os.environ.get("STUB_GPU") == "none":
        raise RuntimeError("Unknown backend gpu")
    return [_Device()]


def device_put(array, device):
    assert isinstance(device, _Device)
    return array.copy()


def jit(function):
    return function


def block_until_ready(result):
    return result
