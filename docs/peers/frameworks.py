"""The frameworks, each behind the same few functions."""
import os
import warnings

from work import VARIANTS

ALL = {variant for variants in VARIANTS.values() for variant in variants}


class Refused(Exception):
    """One line for the user; status 2."""


def first_line(error):
    text = str(error).strip()
    return text.splitlines()[0][:200] if text else type(error).__name__


class Torch:
    """torch on the default stream, timed by its CUDA events."""
    library = "torch"
    variants = ALL
    captured = ALL - {"csr2csc"}  # it allocates its result

    def __init__(self, index=0):
        """On the GPU of this index."""
        import torch
        self.torch = torch
        self.version = str(torch.__version__)
        if not torch.cuda.is_available():
            raise Refused("torch finds no GPU")
        torch.cuda.set_device(index)
        self.device = torch.cuda.get_device_name(index)

    def put(self, array):
        return self.torch.from_numpy(array).to("cuda")

    def get(self, array):
        return array.cpu().numpy()

    def empty(self, array):
        return self.torch.empty(array.shape, dtype=self.put(array[:0]).dtype, device="cuda")

    def fill(self, array, byte):
        array.view(self.torch.uint8).fill_(byte)

    def flush_buffer(self, size):
        return self.torch.empty(size, dtype=self.torch.uint8, device="cuda")

    def event(self):
        return self.torch.cuda.Event(enable_timing=True)

    def elapsed(self, begin, end):
        return begin.elapsed_time(end)

    def synchronize(self):
        self.torch.cuda.synchronize()

    def release(self):
        self.torch.cuda.empty_cache()

    def graph(self, call, launches):
        """A function that replays so many calls, recorded on a side stream after one that warms up."""
        cuda = self.torch.cuda
        stream = cuda.Stream()
        stream.wait_stream(cuda.current_stream())
        with cuda.stream(stream):
            call()
        cuda.current_stream().wait_stream(stream)
        graph = cuda.CUDAGraph()
        with cuda.graph(graph, stream=stream):
            for _ in range(launches):
                call()
        return graph.replay

    def copy(self, to, array):
        to.copy_(array)

    def add(self, a, b, to):
        self.torch.add(a, b, out=to)

    def matmul(self, a, b, to):
        self.torch.matmul(a, b, out=to)

    def transposed(self, array):
        return array.t()

    def permuted(self, array, order):
        return array.permute(order)

    def typed(self, array, kind):
        """NumPy has no bf16: its bits come as u16."""
        return array.view(self.torch.bfloat16) if kind == "bf16" else array

    def csr(self, starts, columns, values, shape):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that this part of torch is young
            matrix = self.torch.sparse_csr_tensor(starts, columns, values, size=shape)

        def convert():
            result = matrix.to_sparse_csc()
            return result.ccol_indices(), result.row_indices(), result.values()
        return convert


class CuPy:
    """CuPy on the default stream, timed by its CUDA events."""
    library = "CuPy"
    variants = ALL - {"redistribute"}
    captured = variants - {"csr2csc"}

    def __init__(self):
        import cupy
        self.cupy = cupy
        self.version = str(cupy.__version__)
        try:
            if cupy.cuda.runtime.getDeviceCount() < 1:
                raise Refused("CuPy finds no GPU")
            name = cupy.cuda.runtime.getDeviceProperties(0)["name"]
        except Refused:
            raise
        except Exception as error:  # CuPy has its own error for a machine without a driver
            raise Refused(f"CuPy finds no GPU: {first_line(error)}") from error
        self.device = name.decode() if isinstance(name, bytes) else name

    def put(self, array):
        return self.cupy.asarray(array)

    def get(self, array):
        return self.cupy.asnumpy(array)

    def empty(self, array):
        return self.cupy.empty(array.shape, dtype=array.dtype)

    def fill(self, array, byte):
        array.view("uint8").fill(byte)

    def flush_buffer(self, size):
        return self.cupy.empty(size, dtype="uint8")

    def event(self):
        return self.cupy.cuda.Event()

    def elapsed(self, begin, end):
        return self.cupy.cuda.get_elapsed_time(begin, end)

    def synchronize(self):
        self.cupy.cuda.Device().synchronize()

    def release(self):
        self.cupy.get_default_memory_pool().free_all_blocks()

    def graph(self, call, launches):
        """As torch's: the default stream cannot be captured, but replays the graph."""
        stream = self.cupy.cuda.Stream(non_blocking=True)
        self.synchronize()
        with stream:
            call()
            stream.synchronize()
            stream.begin_capture()
            try:
                for _ in range(launches):
                    call()
            finally:
                graph = stream.end_capture()
        return graph.launch

    def copy(self, to, array):
        self.cupy.copyto(to, array)

    def add(self, a, b, to):
        self.cupy.add(a, b, out=to)

    def matmul(self, a, b, to):
        self.cupy.matmul(a, b, out=to)

    def transposed(self, array):
        return array.T

    def permuted(self, array, order):
        return array.transpose(order)

    def typed(self, array, kind):
        if kind == "bf16":
            raise TypeError("CuPy has no bf16")
        return array

    def csr(self, starts, columns, values, shape):
        from cupyx.scipy.sparse import csr_matrix
        matrix = csr_matrix((values, columns, starts), shape=shape)

        def convert():
            result = matrix.tocsc()
            return result.indptr, result.indices, result.data
        return convert


class Jax:
    """JAX gives no events on its stream: a batch of calls is timed by the host's clock, from the first call until
    the last result is there.  Nothing empties the cache between the calls of a batch."""
    library = "JAX"
    captured = set()
    variants = {"copy", "add", "read-offset", "load", "aos", "soa", "transpose", "matmul"}

    def __init__(self):
        # Else it takes three quarters of the memory, which the others need too.
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        self.jax = jax
        self.version = str(jax.__version__)
        try:
            devices = jax.devices("gpu")
        except RuntimeError as error:
            raise Refused(f"JAX finds no GPU: {first_line(error)}") from error
        self.device = devices[0].device_kind

    def put(self, array):
        return self.jax.device_put(array, self.jax.devices("gpu")[0])

    def get(self, array):
        import numpy
        return numpy.asarray(array)

    def release(self):
        pass

    def function(self, variant, params):
        """What a call returns is new: JAX has no outputs to write into."""
        offset, stride = params.get("offset") or 0, params.get("stride") or 1
        functions = {
            "copy": lambda a: a.copy(),
            "add": lambda a, b: a + b,
            "read-offset": lambda a, b: a[offset:] + b[offset:],
            "load": lambda a: a[::stride],
            "aos": lambda a: a + self.jax.numpy.array([10, 20], a.dtype),
            "soa": lambda a, b: (a + 10, b + 20),
            "transpose": lambda a: a.T,
            "matmul": lambda a, b: a @ b,
        }
        return self.jax.jit(functions[variant])


FRAMEWORKS = {"torch": Torch, "cupy": CuPy, "jax": Jax}
