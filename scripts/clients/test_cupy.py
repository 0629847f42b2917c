"""CuPy on its own kernels, those of CUB and Thrust, and kernels compiled while it runs.  For scripts/clients.py."""
import cupy
import numpy
import pytest
from cupyx import jit

TYPES = ["int8", "int32", "int64", "uint16", "float16", "float32", "float64", "complex64"]


def numbers(dtype, shape=(37, 53)):
    return (numpy.random.default_rng(1).random(shape) * 50).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_elementwise(name, dtype):
    a, b = numbers(dtype), numbers(dtype)[::-1]
    result = getattr(cupy, name)(cupy.asarray(a), cupy.asarray(b))
    numpy.testing.assert_allclose(cupy.asnumpy(result), getattr(numpy, name)(a, b), rtol=1e-3)


@pytest.mark.parametrize("name", ["sin", "exp", "log1p", "sqrt", "tanh", "arctan", "cbrt", "floor"])
def test_functions(name):
    a = numbers("float64") / 50
    numpy.testing.assert_allclose(cupy.asnumpy(getattr(cupy, name)(cupy.asarray(a))), getattr(numpy, name)(a), rtol=1e-12)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "argmax", "mean", "any", "cumsum"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions(name, axis):
    a = numbers("float64") / 50 + 0.7
    numpy.testing.assert_allclose(cupy.asnumpy(getattr(cupy, name)(cupy.asarray(a), axis=axis)),
                                  getattr(numpy, name)(a, axis=axis), rtol=1e-9)


@pytest.mark.parametrize("dtype", TYPES[:-1])
def test_sort(dtype):
    a = numbers(dtype, 5000)
    numpy.testing.assert_array_equal(cupy.asnumpy(cupy.sort(cupy.asarray(a))), numpy.sort(a))


@pytest.mark.parametrize("size", [1, 31, 5000])
def test_order(size):
    a = numbers("float32", size)
    x = cupy.asarray(a)
    numpy.testing.assert_array_equal(a[cupy.asnumpy(cupy.argsort(x))], numpy.sort(a))
    numpy.testing.assert_array_equal(cupy.asnumpy(cupy.unique(x)), numpy.unique(a))


def test_indices():
    a = numbers("int32")
    x = cupy.asarray(a)
    rows = numpy.array([3, 1, 36, 3])
    numpy.testing.assert_array_equal(cupy.asnumpy(x[cupy.asarray(rows)]), a[rows])
    numpy.testing.assert_array_equal(cupy.asnumpy(x[x > 20]), a[a > 20])
    x[x > 20] = -1
    a[a > 20] = -1
    numpy.testing.assert_array_equal(cupy.asnumpy(x.T.copy()), a.T)
    for ours, theirs in zip(cupy.nonzero(x), numpy.nonzero(a)):
        numpy.testing.assert_array_equal(cupy.asnumpy(ours), theirs)


def test_scatter():
    at = numbers("int32", 1000) % 7
    numpy.testing.assert_array_equal(cupy.asnumpy(cupy.bincount(cupy.asarray(at))), numpy.bincount(at))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integer_matmul(dtype):
    a, b = numbers(dtype), numbers(dtype, (53, 21))
    numpy.testing.assert_array_equal(cupy.asnumpy(cupy.asarray(a) @ cupy.asarray(b)), a @ b)


SOURCE = r"""
extern "C" __global__ void scale(float *x, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
"""


@pytest.mark.parametrize("backend", ["nvrtc", "nvcc"])
def test_raw_module(backend):
    x = cupy.arange(1000, dtype=cupy.float32)
    kernel = cupy.RawModule(code=SOURCE, backend=backend).get_function("scale")
    kernel((8,), (128,), (x, cupy.float32(3), cupy.int32(1000)))
    numpy.testing.assert_array_equal(cupy.asnumpy(x), 3 * numpy.arange(1000, dtype="float32"))


def test_templates():
    module = cupy.RawModule(code="template <class T> __global__ void one(T *x) { x[threadIdx.x] = T(1); }",
                            options=("-std=c++14",), name_expressions=["one<int>", "one<double>"])
    for name, dtype in (("one<int>", "int32"), ("one<double>", "float64")):
        x = cupy.zeros(32, dtype)
        module.get_function(name)((1,), (32,), (x,))
        assert int(x.sum()) == 32


def test_kernels_of_expressions():
    x, y = cupy.arange(10.0), cupy.arange(10.0)[::-1]
    squares = cupy.ElementwiseKernel("float64 x, float64 y", "float64 z", "z = (x - y) * (x - y)", "squares")
    length = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")
    assert float(squares(x, y).sum()) == 330
    assert abs(float(length(x)) - 285 ** 0.5) < 1e-12


def test_fusion():
    @cupy.fuse()
    def fused(x, y):
        return cupy.sqrt(x * x + y)
    x = cupy.arange(100.0)
    numpy.testing.assert_allclose(cupy.asnumpy(fused(x, x)), numpy.sqrt(numpy.arange(100.0) ** 2 + numpy.arange(100.0)))


@jit.rawkernel()
def _reverse(x, out, size):
    i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    if i < size:
        out[size - 1 - i] = x[i]


def test_python_kernel():
    x = cupy.arange(100)
    out = cupy.empty_like(x)
    _reverse((1,), (128,), (x, out, cupy.uint32(100)))
    assert cupy.asnumpy(out).tolist() == list(range(99, -1, -1))


def test_streams_and_graphs():
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.ones(1000)
        x *= 2
        stream.synchronize()
        stream.begin_capture()
        x += 1
        graph = stream.end_capture()
        for _ in range(3):
            graph.launch(stream)
        event = stream.record()
    event.synchronize()
    assert float(x[0]) == 5


def test_memory():
    pool = cupy.cuda.MemoryPool(cupy.cuda.malloc_async)
    with cupy.cuda.using_allocator(pool.malloc):
        x = cupy.arange(1 << 16)
    assert pool.used_bytes() >= x.nbytes
    managed = cupy.ndarray(16, cupy.int32, cupy.cuda.malloc_managed(64))
    managed[...] = 7
    assert int(managed.sum()) == 112


# What follows is code of NVIDIA's libraries.
def test_cublas():
    a = numbers("float32")
    numpy.testing.assert_allclose(cupy.asnumpy(cupy.asarray(a) @ cupy.asarray(a.T)), a @ a.T, rtol=1e-4)


def test_curand():
    assert 0.4 < float(cupy.random.random(10000).mean()) < 0.6


def test_cufft():
    a = numbers("complex64", 64)
    numpy.testing.assert_allclose(cupy.asnumpy(cupy.fft.fft(cupy.asarray(a))), numpy.fft.fft(a), rtol=1e-3)


def test_cusolver():
    a = numbers("float64", (8, 8))
    numpy.testing.assert_allclose(cupy.asnumpy(cupy.linalg.inv(cupy.asarray(a))), numpy.linalg.inv(a), rtol=1e-6)


def test_cusparse():
    from cupyx.scipy.sparse import csr_matrix
    a = numbers("float32", (8, 8))
    numpy.testing.assert_allclose(cupy.asnumpy(csr_matrix(cupy.asarray(a)).dot(cupy.ones(8, "float32"))), a.sum(axis=1),
                                  rtol=1e-4)
