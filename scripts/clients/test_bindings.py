"""cuda.bindings and cuda.core: NVRTC, nvJitLink and the driver called as NVIDIA's own Python calls them.  For
scripts/clients.py."""
import numpy
import pytest
from cuda.bindings import driver, runtime
from cuda.core import Device, LaunchConfig, Linker, LinkerOptions, Program, ProgramOptions, launch

USER = """
extern "C" __device__ int twice(int);
extern "C" __global__ void use(int *x) { x[threadIdx.x] = twice(x[threadIdx.x]) + 1; }
"""
GIVER = 'extern "C" __device__ int twice(int a) { return 2 * a; }'


def checked(result):
    assert int(result[0]) == 0, result[0]
    return result[1] if len(result) > 1 else None


@pytest.fixture(name="device", scope="module")
def open_device():
    device = Device()
    device.set_current()
    return device


def runs(device, code):
    stream = device.create_stream()
    values = numpy.arange(32, dtype="int32")
    memory = checked(driver.cuMemAlloc(values.nbytes))
    checked(driver.cuMemcpyHtoD(memory, values.ctypes.data, values.nbytes))
    launch(stream, LaunchConfig(grid=1, block=32), code.get_kernel("use"), int(memory))
    stream.sync()
    out = numpy.empty_like(values)
    checked(driver.cuMemcpyDtoH(out.ctypes.data, memory, out.nbytes))
    checked(driver.cuMemFree(memory))
    numpy.testing.assert_array_equal(out, 2 * values + 1)


@pytest.mark.parametrize("form", ["ptx", "cubin"])
def test_program(device, form):
    code = Program(GIVER + USER, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile(form)
    runs(device, code)


@pytest.mark.parametrize("user,giver", [("ptx", "ptx"), ("ltoir", "ltoir"), ("ltoir", "ptx"), ("cubin", "ptx")])
def test_link(device, user, giver):
    parts = []
    for source, form in ((USER, user), (GIVER, giver)):
        options = ProgramOptions(arch=f"sm_{device.arch}", relocatable_device_code=True,
                                 link_time_optimization=form == "ltoir" or None)
        parts.append(Program(source, "c++", options).compile(form))
    options = LinkerOptions(arch=f"sm_{device.arch}", link_time_optimization="ltoir" in (user, giver) or None)
    runs(device, Linker(*parts, options=options).link("cubin"))


def test_link_fails(device):
    options = ProgramOptions(arch=f"sm_{device.arch}", relocatable_device_code=True)
    part = Program(USER, "c++", options).compile("ptx")
    with pytest.raises(Exception, match="twice"):
        Linker(part, options=LinkerOptions(arch=f"sm_{device.arch}")).link("cubin")


def test_runtime():
    assert checked(runtime.cudaGetDeviceCount()) == 1
    memory = checked(runtime.cudaMalloc(64))
    checked(runtime.cudaMemset(memory, 3, 64))
    out = numpy.zeros(64, "uint8")
    checked(runtime.cudaMemcpy(out.ctypes.data, memory, 64, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost))
    checked(runtime.cudaFree(memory))
    assert out.tolist() == [3] * 64
