"""What is installed: the command, the docstrings' examples, the types, and the simulator as a GPU."""
import doctest
import importlib.metadata
import os
import subprocess
import sys

import numpy as np

import wideload

FOLDER = os.path.dirname(wideload.__file__)
COMMAND = os.path.join(os.path.dirname(sys.executable), "wideload")


def run(*arguments, **named):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False, **named)


def test_is_the_installed_one():
    assert "site-packages" in FOLDER and importlib.metadata.version("wideload") == wideload.__version__
    assert os.path.exists(os.path.join(FOLDER, "py.typed"))


def test_examples():
    failures, count = doctest.testmod(wideload, extraglobs={"np": np, "wideload": wideload})
    assert failures == 0 and count >= 9


def test_command():
    assert run(COMMAND, "--version").stdout == f"wideload {wideload.__version__}\n"
    assert run(sys.executable, "-m", "wideload", "--version").stdout == f"wideload {wideload.__version__}\n"
    bench = run(COMMAND, "bench", "copy", "--device", "sim", "--size", "1000")
    assert bench.returncode == 0 and "Wideload simulator" in bench.stdout
    wrong = run(COMMAND, "nonsense")
    assert wrong.returncode == 2 and wrong.stderr.count("\n") == 1 and wrong.stderr.startswith("wideload")


with open(os.path.join(os.path.dirname(__file__), "train.py"), encoding="utf-8") as file:
    TRAIN = file.read()


def test_prof_python(tmp_path):
    prof = run(COMMAND, "prof", sys.executable, os.path.join(os.path.dirname(__file__), "train.py"), cwd=tmp_path)
    assert prof.returncode == 0, prof.stderr
    assert "fill" in prof.stderr and "1 launch" in prof.stderr


GPU = TRAIN + '''
import wideload

class Device:
    """An array of the simulator's memory, as Numba's are."""
    def __init__(self, shape, typestr, width, values=None, **more):
        count = 1
        for size in shape:
            count *= size
        memory = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(memory), Z(count * width)))
        if values is not None:
            check(cuda.cuMemcpyHtoD_v2(memory, bytes(values), Z(count * width)))
        self.bytes = count * width
        self.__cuda_array_interface__ = dict(shape=shape, typestr=typestr, data=(memory.value, False), version=3, **more)

    def read(self):
        check(cuda.cuCtxSynchronize())
        host = ctypes.create_string_buffer(self.bytes)
        check(cuda.cuMemcpyDtoH_v2(host, ctypes.c_uint64(self.__cuda_array_interface__["data"][0]), Z(self.bytes)))
        return list(host.raw)

x = Device((2, 3), "|u1", 1, range(6))
y = Device((3, 2), "|u1", 1, stream=1)
assert wideload.transpose(x, out=y) is y and y.read() == [0, 3, 1, 4, 2, 5], y.read()
z = Device((2, 3), "|u1", 1)
assert wideload.add(x, x, out=z).read() == [0, 2, 4, 6, 8, 10]
parts = [Device((2,), "|u1", 1, stream=2) for _ in range(3)]
assert [part.read() for part in wideload.deinterleave(x, out=parts)] == [[0, 3], [1, 4], [2, 5]]
assert wideload.interleave(parts, out=z).read() == list(range(6))
reverse = Device((2, 3), "|u1", 1, range(6), strides=(3, 1))
reverse.__cuda_array_interface__.update(strides=(-3, 1), data=(reverse.__cuda_array_interface__["data"][0] + 3, False))
assert wideload.copy(reverse, out=z).read() == [3, 4, 5, 0, 1, 2]
for words, call in [("x: __main__.Device: a result needs CuPy or torch", lambda: wideload.copy(x)),
                    ("out: on host; x is on gpu:0", lambda: wideload.copy(x, out=bytearray(6))),
                    ("b: on host; a is on gpu:0", lambda: wideload.add(x, bytes(6), out=z)),
                    ("x: __main__.Device of type >i4", lambda: wideload.copy(Device((1,), ">i4", 4))),
                    ("x: its address 0x10 is not", lambda: wideload.copy(type("", (), {"__cuda_array_interface__": {
                        "shape": (1,), "typestr": "|u1", "data": (16, False)}})()))]:
    try:
        call()
    except (TypeError, ValueError) as error:
        assert str(error).startswith(words), error
    else:
        raise AssertionError(words)
print("done")
'''


def test_gpu():
    """Arrays on a GPU, which is the simulator under CUDA's name."""
    found = {**os.environ, "LD_LIBRARY_PATH": os.path.join(FOLDER, "native", "lib", "wideload")}
    gpu = run(sys.executable, "-I", "-c", GPU, env=found)
    assert gpu.stdout == "done\n", gpu.stderr
