"""Triton's tutorials' kernels, on memory of CUDA's driver: no torch.  For scripts/clients.py."""
import numpy
import pytest
import triton
import triton.language as tl
from cuda.bindings import driver


def checked(result):
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result[0]
    return result[1] if len(result) > 1 else None


class Array:
    """What Triton asks of a tensor."""
    names = {"float32": "fp32", "float16": "fp16", "int32": "i32", "int8": "i8", "int64": "i64"}

    def __init__(self, values):
        self.shape, self.values, self.dtype = values.shape, values, self.names[str(values.dtype)]
        self.address = checked(driver.cuMemAlloc(values.nbytes))
        checked(driver.cuMemcpyHtoD(self.address, numpy.ascontiguousarray(values).ctypes.data, values.nbytes))

    def data_ptr(self):
        return int(self.address)

    def get(self):
        out = numpy.empty_like(self.values)
        checked(driver.cuMemcpyDtoH(out.ctypes.data, self.address, out.nbytes))
        return out


@pytest.fixture(autouse=True, scope="module")
def context():
    checked(driver.cuInit(0))
    checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(0))))


def random(shape, dtype="float32"):
    return numpy.random.default_rng(2).random(shape).astype(dtype)


@triton.jit
def _add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8", "int64"])
@pytest.mark.parametrize("size", [1, 1000, 4096])
def test_add(size, dtype):
    x, y = (random(size) * 50).astype(dtype), (random(size)[::-1] * 50).astype(dtype)
    out = Array(numpy.zeros(size, dtype))
    _add[(triton.cdiv(size, 256),)](Array(x), Array(y), out, size, BLOCK=256)
    numpy.testing.assert_array_equal(out.get(), x + y)


@triton.jit
def _softmax(out, x, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    value = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * n + i, power / tl.sum(power, axis=0), mask=i < n)


@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("columns", [10, 128, 781])
def test_softmax(columns, warps):
    x = random((7, columns))
    out = Array(numpy.zeros_like(x))
    _softmax[(7,)](out, Array(x), columns, BLOCK=triton.next_power_of_2(columns), num_warps=warps)
    power = numpy.exp(x - x.max(axis=1, keepdims=True))
    numpy.testing.assert_allclose(out.get(), power / power.sum(axis=1, keepdims=True), rtol=1e-5)


@triton.jit
def _matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        y = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        sums = tl.dot(x, y, sums)
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("tile,warps", [(16, 1), (32, 2), (64, 4)])
def test_matmul(tile, warps, dtype):
    a, b = random((128, 64), dtype), random((64, 128), dtype)
    c = Array(numpy.zeros((128, 128), "float32"))
    _matmul[(128 // tile, 128 // tile)](Array(a), Array(b), c, 128, 128, 64, BM=tile, BN=tile, BK=32, num_warps=warps)
    numpy.testing.assert_allclose(c.get(), a.astype("float32") @ b.astype("float32"), rtol=5e-3)


@triton.jit
def _count(x, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n)


def test_atomics():
    x = (random(3000) * 16).astype("int32")
    bins = Array(numpy.zeros(16, "int32"))
    _count[(12,)](Array(x), bins, 3000, BLOCK=256)
    numpy.testing.assert_array_equal(bins.get(), numpy.bincount(x, minlength=16))


@triton.jit
def _scan(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), axis=0))


def test_scan():
    x = (random(1024) * 9).astype("int32")
    out = Array(numpy.zeros_like(x))
    _scan[(1,)](Array(x), out, BLOCK=1024)
    numpy.testing.assert_array_equal(out.get(), numpy.cumsum(x))


@triton.jit
def _sort(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))


def test_sort():
    x = (random(256) * 1000).astype("int32")
    out = Array(numpy.zeros_like(x))
    _sort[(1,)](Array(x), out, BLOCK=256)
    numpy.testing.assert_array_equal(out.get(), numpy.sort(x))


@triton.jit
def _transpose(x, out, M, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (i[:, None] < M) & (j[None, :] < N)
    value = tl.load(x + i[:, None] * N + j[None, :], mask=inside)
    tl.store(out + j[:, None] * M + i[None, :], tl.trans(value), mask=tl.trans(inside))


def test_transpose():
    x = random((100, 70))
    out = Array(numpy.zeros((70, 100), "float32"))
    _transpose[(4, 3)](Array(x), out, 100, 70, BLOCK=32)
    numpy.testing.assert_array_equal(out.get(), x.T)
