"""Redistributions beside NumPy's slices: on the host, and on several devices of the simulator."""
import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import wideload
from cases import PACKED

Box = wideload.Box
FOLDER = os.path.dirname(wideload.__file__)
TYPES = [np.dtype(code) for code in ("?", "i1", "f2", "f4", "f8", "c16", "S3", "S17", ">i4")] + [PACKED]


def slices(box):
    return tuple(slice(begin, begin + size) for begin, size in zip(box.begin, box.sizes))


def part_of(whole, box):
    """The array of a rank that has the box."""
    return None if box is None else whole[slices(box)].transpose(box.order).copy()


def cut(generator, sizes, ranks):
    """Boxes that cover an array, each element once; a box that cannot be cut stays, and others are empty."""
    boxes = [Box([0] * len(sizes), sizes, generator.permutation(len(sizes)))]
    while len(boxes) < ranks:
        box = boxes.pop(int(generator.integers(len(boxes))))
        wide = [d for d, size in enumerate(box.sizes if box else ()) if size > 1]
        if not wide:
            boxes += [box, None]
            continue
        d = int(generator.choice(wide))
        first = int(generator.integers(1, box.sizes[d]))
        rest = [size if i != d else size - first for i, size in enumerate(box.sizes)]
        boxes.append(Box(box.begin, [size if i != d else first for i, size in enumerate(box.sizes)], box.order))
        boxes.append(Box([b if i != d else b + first for i, b in enumerate(box.begin)], rest,
                         generator.permutation(len(sizes))))
    return [boxes[i] for i in generator.permutation(len(boxes))]


def anywhere(generator, sizes):
    """A box somewhere in an array; now and then none, or an empty one."""
    if generator.random() < 0.1:
        return None
    begin = [int(generator.integers(0, size + 1)) for size in sizes]
    return Box(begin, [int(generator.integers(0, size - b + 1)) for b, size in zip(begin, sizes)],
               generator.permutation(len(sizes)))


def same(a, b):
    return (a is None and b is None) or (a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_random_boxes(dtype):
    generator = np.random.default_rng(dtype.num * 100 + dtype.itemsize)
    for _ in range(60):
        rank, ranks = int(generator.integers(1, 9)), int(generator.integers(1, 7))
        sizes = tuple(int(generator.integers(1, (0, 200, 30, 12, 8, 6, 4, 4, 3)[rank] + 1)) for _ in range(rank))
        raw = generator.integers(0, 2 if dtype == bool else 256, int(np.prod(sizes)) * dtype.itemsize, np.uint8)
        whole = raw.view(dtype).reshape(sizes)
        from_boxes = cut(generator, sizes, ranks)
        to_boxes = [anywhere(generator, sizes) for _ in from_boxes]
        plan = wideload.Redistribution(sizes, from_boxes, to_boxes, dtype, ["host"] * ranks)
        inputs = [part_of(whole, box) for box in from_boxes]
        expected = [part_of(whole, box) for box in to_boxes]
        assert all(map(same, plan(inputs), expected))
        out = [None if box is None else np.full(box.shape, 7).astype(dtype) for box in to_boxes]
        results = plan(tuple(inputs), out=out)
        assert all(a is b for a, b in zip(results, out)) and all(map(same, out, expected))
        assert all(map(same, inputs, [part_of(whole, box) for box in from_boxes]))


def test_no_dimensions():
    plan = wideload.Redistribution((), [Box((), ())], [Box((), ())], np.float32, ["host"])
    assert plan([np.float32(5)])[0] == 5
    with pytest.raises(ValueError, match=r"^to_boxes\[0\]: None; an array of 0 dimensions has no empty box$"):
        wideload.Redistribution((), [Box((), ())], [None], 4, ["host"])


def test_boxes():
    box = Box(np.array([1, 2]), [3, 4], (-1, 0))
    assert box == Box((1, 2), (3, 4), (1, 0)) and hash(box) == hash(Box((1, 2), (3, 4), (1, 0)))
    assert box.order == (1, 0) and box.shape == (4, 3) and Box((1,), (5,)).order == (0,)


def test_types():
    """All that says how many bytes an element has."""
    boxes, x = [Box((0,), (3,))], np.arange(3, dtype=np.float32)
    for dtype in np.float32, np.dtype("f4"), "f4", ">f4", 4, np.int64(4):
        assert (wideload.Redistribution((3,), boxes, boxes, dtype, ["cpu"])([x])[0] == x).all()
    assert wideload.Redistribution((3,), boxes, boxes, float, ["host"])([np.arange(3.0)])[0][2] == 2
    assert wideload.Redistribution((3,), boxes, boxes, 1, ["host"])([b"abc"])[0].tobytes() == b"abc"


@pytest.mark.parametrize("dtype", [np.int8, np.float32, "S3", np.complex128])
def test_transposes(dtype):
    generator = np.random.default_rng(5)
    for _ in range(40):
        ranks, cols = int(generator.integers(1, 6)), int(generator.integers(0, 70))
        rows = [int(generator.integers(0, 40)) for _ in range(ranks)]
        count = sum(rows) * cols
        matrix = np.frombuffer(generator.bytes(count * np.dtype(dtype).itemsize), dtype).reshape(sum(rows), cols)
        parts = np.split(matrix, np.cumsum(rows)[:-1])
        results = wideload.transpose_distributed(parts)
        assert [len(slab) for slab in results] == [len(slab) for slab in np.array_split(np.arange(cols), ranks)]
        assert np.concatenate(results).tobytes() == matrix.T.tobytes()
        cuts = np.sort(generator.integers(0, cols + 1, ranks - 1))
        out = [np.empty_like(slab, order="C") for slab in np.split(matrix.T, cuts)]
        assert all(a is b for a, b in zip(wideload.transpose_distributed(tuple(parts), out=out), out))
        assert np.concatenate(out).tobytes() == matrix.T.tobytes()


def test_kept_plans():
    """Plans of transposes are kept, and go with the 33rd shape; others go with their last reference."""
    plans = wideload._redistribute._transpose_plan
    plans.cache_clear()
    for _ in range(2):
        for i in range(40):
            x = np.arange(3 * i).reshape(3, i)
            assert (wideload.transpose_distributed([x, x])[0] == np.hstack([x.T, x.T])[:(i + 1) // 2]).all()
    assert plans.cache_info().misses == 80 and plans.cache_info().currsize == 32
    assert wideload.transpose_distributed([x, x]) and plans.cache_info().hits == 1


def test_freed(monkeypatch):
    freed = []
    monkeypatch.setattr(wideload._library, "wl_redistribution_destroy", freed.append)
    boxes = [Box((0,), (1,))]
    plan = wideload.Redistribution((1,), boxes, boxes, 1, ["host"])
    handle = plan._handle
    gc.collect()
    assert not freed
    del plan
    gc.collect()
    assert freed == [handle]
    plan = wideload.Redistribution((1,), boxes, boxes, 1, ["host"])
    handle = plan._handle
    for _ in range(2):
        plan.close()
    with pytest.raises(ValueError, match="^the plan is closed$"):
        plan([b"x"])
    del plan
    gc.collect()
    assert freed[1:] == [handle]


def test_threads():
    """One plan, used by several threads."""
    sizes, generator, wrong = (60, 50), np.random.default_rng(1), []
    boxes = cut(generator, sizes, 4)
    to_boxes = [Box((0, 0), sizes, (1, 0)), None, Box((3, 4), (50, 40)), None]
    plan = wideload.Redistribution(sizes, boxes, to_boxes, 8, ["host"] * 4)

    def run(seed):
        whole = np.random.default_rng(seed).random(sizes)
        for _ in range(100):
            results = plan([part_of(whole, box) for box in boxes])
            if not all(map(same, results, [part_of(whole, box) for box in to_boxes])):
                wrong.append(seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---------------------------------------------------------------- refusals

X = np.arange(6.0).reshape(2, 3)
ROWS, COLS = [Box((0, 0), (1, 3)), Box((1, 0), (1, 3))], [Box((0, 0), (2, 1)), Box((0, 1), (2, 2))]
HOST = ["host"] * 2


def made(sizes=(2, 3), from_boxes=ROWS, to_boxes=COLS, dtype=8, devices=HOST):
    return wideload.Redistribution(sizes, from_boxes, to_boxes, dtype, devices)


READ_ONLY = np.zeros((2, 2))
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize("error, words, call", [
    (TypeError, "begin: 1; a sequence of integers", lambda: Box(1, (2,))),
    (TypeError, "sizes: (1.5,); a sequence", lambda: Box((1,), (1.5,))),
    (ValueError, "begin: (-1,); each must be 0 to", lambda: Box((-1,), (1,))),
    (ValueError, "sizes: (18446744073709551616,); each", lambda: Box((0,), (1 << 64,))),
    (ValueError, "begin: 9 dimensions; 8 are the most", lambda: Box([0] * 9, [1] * 9)),
    (ValueError, "sizes: (1, 2); begin has 1 dim", lambda: Box((0,), (1, 2))),
    (ValueError, "order: (0, 0): each of 0 to 1", lambda: Box((0, 0), (1, 2), (0, 0))),
    (TypeError, "sizes: None; a sequence of integers", lambda: made(None)),
    (ValueError, "sizes: (-2, 3); each", lambda: made((-2, 3))),
    (TypeError, "from_boxes: wideload._redistribute.Box; a list", lambda: made(from_boxes=ROWS[0])),
    (ValueError, "from_boxes: empty", lambda: made(from_boxes=[])),
    (TypeError, "from_boxes[1]: tuple; a wideload.Box or None", lambda: made(from_boxes=[None, (1, 2)])),
    (ValueError, "to_boxes: 1 entries; there are 2 ranks", lambda: made(to_boxes=COLS[:1])),
    (ValueError, "to_boxes[0]: 1 dimensions; the array has 2", lambda: made(to_boxes=[Box((0,), (1,)), None])),
    (TypeError, "dtype: None; a dtype", lambda: made(dtype=None)),
    (TypeError, "dtype: 'nonsense'; a dtype", lambda: made(dtype="nonsense")),
    (ValueError, "dtype: 0; an element has 1", lambda: made(dtype=0)),
    (ValueError, "devices: 1 entries; there are 2 ranks", lambda: made(devices=["host"])),
    (ValueError, "devices[1]: 'cuda'; 'host'", lambda: made(devices=["host", "cuda"])),
    (ValueError, "to_boxes[0] has 2 indices from 0 on in dimension 0, which has 1", lambda: made((1, 3))),
    (ValueError, "from_boxes[0] has 3 indices from 0 on in dimension 1, which has 2", lambda: made((2, 2))),
    (ValueError, "from_boxes[0] and from_boxes[1] both have the index (0, 0), which to_boxes[0] wants",
     lambda: made(from_boxes=[ROWS[0], ROWS[0]])),
    (ValueError, "to_boxes[0] wants the index (1, 0), which no box of from_boxes has", lambda: made(from_boxes=[ROWS[0], None])),
    (ValueError, "sizes: the array has 2^63 bytes or more", lambda: made((1 << 40, 1 << 40))),
    (TypeError, "inputs: numpy.ndarray; a list or tuple of arrays", lambda: made()(X)),
    (ValueError, "inputs: 1 entries; there are 2 ranks", lambda: made()([X])),
    (TypeError, "inputs[1]: list is no array", lambda: made()([X[:1], [1, 2, 3]])),
    (TypeError, "inputs[1]: NoneType is no array", lambda: made()([X[:1], None])),
    (TypeError, "inputs[1]: type f4 of 4 bytes; an element of the plan has 8", lambda: made()([X[:1], X[1:].astype("f4")])),
    (TypeError, "inputs[1]: type i8; that of inputs[0] is f8", lambda: made()([X[:1], X[1:].astype("i8")])),
    (ValueError, "inputs[0]: shape (3,); that of its box is (1, 3)", lambda: made()([X[0], X[1:]])),
    (ValueError, "inputs[0]: not in C order", lambda: made()([X[:1, ::-1], X[1:]])),
    (ValueError, "out[1]: shape (2, 1); that of its box is (2, 2)",
     lambda: made()([X[:1], X[1:]], out=[np.zeros((2, 1)), np.zeros((2, 1))])),
    (ValueError, "out[1]: read-only", lambda: made()([X[:1], X[1:]], out=[np.zeros((2, 1)), READ_ONLY])),
    (TypeError, "out[0]: type i8; that of inputs[0] is f8",
     lambda: made()([X[:1], X[1:]], out=[np.zeros((2, 1), int), np.zeros((2, 2))])),
    (ValueError, "out: 3 entries; there are 2 ranks", lambda: made()([X[:1], X[1:]], out=[None] * 3)),
    (ValueError, "out[0]: needed, as no input on host says", lambda: wideload.Redistribution(
        (0,), [None], [Box((0,), (0,))], 8, ["host"])([None])),
    (TypeError, "parts: numpy.ndarray; a list", lambda: wideload.transpose_distributed(X)),
    (ValueError, "parts: empty", lambda: wideload.transpose_distributed([])),
    (ValueError, "parts[1]: 1 dimensions; 2 are needed", lambda: wideload.transpose_distributed([X, X[0]])),
    (ValueError, "parts[1]: 2 columns; parts[0] has 3", lambda: wideload.transpose_distributed([X, X[:, :2]])),
    (ValueError, "parts[0]: not in C order", lambda: wideload.transpose_distributed([X.T, X.T])),
    (TypeError, "parts[1]: type i8; that of parts[0] is f8", lambda: wideload.transpose_distributed([X, X.astype(int)])),
    (TypeError, "parts[0]: type |V0; an element has 1 byte", lambda: wideload.transpose_distributed([np.zeros((2, 2), "V0")])),
    (ValueError, "out: 2 rows in all; the parts have 3 columns", lambda: wideload.transpose_distributed([X], out=[X.T[:2].copy()])),
    (ValueError, "out: 2 entries; there are 1 ranks", lambda: wideload.transpose_distributed([X], out=[X, X]))])
def test_refusals(error, words, call):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(words), caught.value


def test_overlaps():
    memory = np.zeros(12)
    plan = made()
    before = memory.tobytes()
    for inputs, out, words in (
            ([memory[:3].reshape(1, 3), X[1:]], [memory[2:4].reshape(2, 1), np.zeros((2, 2))], r"out\[0\].*inputs\[0\]"),
            ([X[:1], X[1:]], [memory[:2].reshape(2, 1), memory[1:5].reshape(2, 2)], r"out\[[01]\].*out\[[01]\]")):
        with pytest.raises(ValueError, match=words):
            plan(inputs, out=out)
        assert memory.tobytes() == before


def test_devices_that_do_not_exist():
    program = ("box = [wideload.Box((0,), (1,))]\n"
               "for device in 7, 'gpu:7', 'cuda:7':\n"
               "    try:\n        wideload.Redistribution((1,), box, box, 4, [device])\n"
               "    except wideload.Error as error:\n        print(error.name)\n")
    output, errors = simulated(program)
    assert output.split() == ["WL_ERROR_NO_DEVICE"] * 3, errors


# ---------------------------------------------------------------- several GPUs

DEVICES = '''
import ctypes, math
import numpy as np
import wideload
from wideload import Box

cuda, P, Z = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p, ctypes.c_size_t
def check(code):
    assert code == 0, code
check(cuda.cuInit(0))
contexts, streams = [P() for _ in range(3)], [P() for _ in range(3)]
for i in range(3):
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(contexts[i]), i))
    check(cuda.cuCtxSetCurrent(contexts[i]))
    check(cuda.cuStreamCreate(ctypes.byref(streams[i]), 1))  # waits for no other stream

class On:
    """An array on a device, used in that device's stream, as other libraries' are."""
    def __init__(self, device, values):
        self.device, self.values, memory = device, np.ascontiguousarray(values), ctypes.c_uint64()
        check(cuda.cuCtxSetCurrent(contexts[device]))
        check(cuda.cuMemAlloc_v2(ctypes.byref(memory), Z(max(1, self.values.nbytes))))
        if self.values.size:
            check(cuda.cuMemcpyHtoD_v2(memory, P(self.values.ctypes.data), Z(self.values.nbytes)))
        self.__cuda_array_interface__ = dict(shape=self.values.shape, typestr=self.values.dtype.str, version=3,
                                             data=(memory.value, False), stream=streams[device].value)

    def read(self):
        check(cuda.cuCtxSetCurrent(contexts[self.device]))
        check(cuda.cuStreamSynchronize(streams[self.device]))
        if self.values.size:
            check(cuda.cuMemcpyDtoH_v2(P(self.values.ctypes.data), ctypes.c_uint64(self.__cuda_array_interface__["data"][0]),
                                       Z(self.values.nbytes)))
        return self.values

def refuses(error, words, call):
    try:
        call()
    except error as caught:
        assert str(caught).startswith(words), caught
    else:
        raise AssertionError(words)
'''


def start(program, arguments):
    environment = {**os.environ, "LD_LIBRARY_PATH": os.path.join(FOLDER, "native", "lib", "wideload"),
                   "WIDELOAD_SIM_DEVICES": "3"}
    return subprocess.Popen([sys.executable, "-I", "-c", DEVICES + program, *arguments], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def simulated_processes(program, arguments, seconds):
    """What DEVICES and a program print, and their errors, in a process for each list of arguments, with three devices of the
    simulator under CUDA's name.  Those that are late are killed."""
    processes = [start(program, some) for some in arguments]
    try:
        return [process.communicate(timeout=seconds) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def simulated(program):
    return simulated_processes(program, [()], 120)[0]


GPUS = '''
# A matrix, each of whose parts may be on any device; rank 2 has nothing.
x = np.arange(70 * 90, dtype=np.float32).reshape(70, 90)
from_boxes = [Box((0, 0), (70, 40)), Box((0, 40), (30, 50), (1, 0)), None, Box((30, 40), (40, 50))]
to_boxes = [Box((0, 0), (70, 30), (1, 0)), None, Box((10, 5), (60, 85)), Box((0, 0), (70, 90), (1, 0))]
devices = [0, "cuda:1", "gpu:2", 1]
plan = wideload.Redistribution(x.shape, from_boxes, to_boxes, np.float32, devices)
def part(box):
    (r, c), (rows, cols) = box.begin, box.sizes
    return x[r:r + rows, c:c + cols].transpose(box.order)
where = (0, 1, 2, 1)
inputs = [box and On(device, part(box)) for box, device in zip(from_boxes, where)]
library, seen = wideload._library, []
real = library.wl_redistribute
library.wl_redistribute = lambda *given: (seen.append(list(given[3])), real(*given))[1]
for _ in range(3):
    out = [box and On(device, np.zeros(box.shape, np.float32)) for box, device in zip(to_boxes, where)]
    assert plan(inputs, out=out)[0] is out[0]
    for box, one in zip(to_boxes, out):
        assert box is None or (one.read() == part(box)).all(), box
assert "push" in wideload.explain(), wideload.explain()
assert seen == [[streams[device].value for device in where]] * 3, seen

slabs = [On(i, slab) for i, slab in enumerate(np.split(x, [20, 50]))]
out = [On(i, np.zeros((30, 70), np.float32)) for i in range(3)]
for _ in range(2):
    wideload.transpose_distributed(slabs, out=out)
    assert (np.concatenate([slab.read() for slab in out]) == x.T).all()

refuses(ValueError, "inputs[0]: on gpu:1; the rank is on gpu:0", lambda: plan([inputs[3], *inputs[1:]], out=out + [None]))
refuses(ValueError, "out[0]: on host; the rank is on gpu:0", lambda: plan(inputs, out=[x, None, None, None]))
refuses(ValueError, "out[2]: needed, as no input on gpu:2 says",
        lambda: wideload.Redistribution(x.shape, from_boxes, [None, None, *to_boxes[2:]], 4, devices)(inputs))
refuses(TypeError, "out[0]: __main__.On: a result needs CuPy or torch", lambda: wideload.transpose_distributed(slabs))
refuses(ValueError, "parts[1]: on host; parts[0] is on gpu:0", lambda: wideload.transpose_distributed([slabs[0], x]))
refuses(ValueError, "devices[1] and devices[0] are of different kinds",
        lambda: wideload.Redistribution(x.shape, [from_boxes[0], None], [None, None], 4, ["gpu:0", "host"]))
print("done")
'''


def test_gpus():
    output, errors = simulated(GPUS)
    assert output == "done\n", errors


def test_examples():
    import doctest
    failures, count = doctest.testmod(wideload._redistribute, extraglobs={"np": np, "wideload": wideload})
    assert failures == 0 and count >= 5
