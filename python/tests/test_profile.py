"""wideload.simulator(), wideload.profile() and %%cuda.  Each test has a process of its own: CUDA is chosen once in it."""
import os
import subprocess
import sys
import textwrap

import pytest

# Launches kernels through the driver, as a library would: no compiler, no other package.
LAUNCHES = r'''
import ctypes
PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry strided(.param .u64 to, .param .u32 stride) {
    .reg .b64 %d<4>;
    .reg .b32 %r<4>;
    ld.param.u64 %d0, [to];
    ld.param.u32 %r0, [stride];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d1, %r1, %r0;
    add.u64 %d2, %d0, %d1;
    st.global.u32 [%d2], %r1;
    ret;
}
"""
def launch(stride, times=1, size=32 * 128):
    cuda = ctypes.CDLL("libcuda.so.1")
    def call(name, *arguments):
        error = getattr(cuda, name)(*arguments)
        assert error == 0, (name, error)
    device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    memory = ctypes.c_uint64()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(function), module, b"strided")
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
    bytes_apart = ctypes.c_uint32(stride)
    given = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(bytes_apart))
    for _ in range(times):
        call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, given, None)
    call("cuCtxSynchronize")
    call("cuMemFree_v2", memory)
'''


def python(text, *before, check=True):
    """What a script prints, run by this Python."""
    done = subprocess.run([*before, sys.executable, "-c", LAUNCHES + textwrap.dedent(text)], capture_output=True, text=True,
                          timeout=120, check=False)
    assert not check or done.returncode == 0, done.stderr
    return done


def test_rows():
    done = python("""
        import os, wideload
        with wideload.profile() as p:
            launch(4)
            launch(128, times=3)
        assert [row["launches"] for row in p.rows] == [4], p.rows
        assert p.rows[0]["kernel"] == "strided" and p.rows[0]["uncertain"] == [] and p.rows[0]["faulted"] is False
        assert p.rows[0]["global_store_requests"] == 4
        assert [launch["metrics"]["gst_transactions"] for launch in p.launches] == [4, 32, 32, 32]
        assert "strided" in str(p) and "strided" in p._repr_html_() and "<table" in p._repr_html_()
        assert "32 lanes, 128 bytes apart: 32 sectors where 4 would do" in p.page and "<svg" in p.page
        frame = p._repr_html_().split("<iframe sandbox ")[1].split("</iframe>")[0]
        assert "<" not in frame and "32 sectors where 4 would do" in frame  # markup of the page alone
        print(os.environ["WIDELOAD_PROF_OUT"])
        """)
    assert not os.path.exists(done.stdout.strip())  # the records go with the process


def test_only_the_block_counts():
    python("""
        import wideload
        p = wideload.profile()
        launch(4)
        with p:
            launch(128)
        launch(4)
        assert [launch["metrics"]["gst_transactions"] for launch in p.launches] == [32]
        with p:
            with wideload.profile() as inner:
                launch(4)
            launch(4)
        assert (len(p.launches), len(inner.launches)) == (2, 1)
        with wideload.profile() as none:
            pass
        assert none.rows == [] and none.launches == [] and "no kernel ran" in none.text
        assert "no kernel ran" in none._repr_html_()
        """)


def test_block_that_raises():
    python("""
        import wideload
        try:
            with wideload.profile() as p:
                launch(4)
                raise KeyError("mine")
        except KeyError:
            pass
        assert len(p.launches) == 1
        """)


def test_rules_and_checks():
    python("""
        import wideload
        with wideload.profile(arch="fermi", check="memory") as p:
            launch(256)
        assert p.rows[0]["arch"] == "fermi"
        assert any("out of bounds" in finding["text"] for finding in p.findings), p.findings
        assert "out of bounds" in p._repr_html_()
        """, check=False)


@pytest.mark.parametrize("given, words", [("arch='sm_12'", "unknown rules 'sm_12'"), ("check='rice'", "did you mean 'race'")])
def test_unknown_names(given, words):
    done = python(f"""
        import wideload
        try:
            wideload.simulator({given})
        except ValueError as error:
            print(error)
        """)
    assert words in done.stdout


def test_settings_stay():
    done = python("""
        import wideload
        wideload.simulator(arch="sm_80")
        wideload.simulator()
        wideload.simulator(arch="sm_80")
        try:
            wideload.simulator(arch="sm_90")
        except RuntimeError as error:
            print(error)
        """)
    assert "cannot change" in done.stdout


def test_cuda_is_open_already():
    done = python("""
        import ctypes, os, wideload
        ctypes.CDLL(os.path.join(wideload._parts.LIBRARIES, "libwideload-sim.so"))
        try:
            wideload.profile()
        except RuntimeError as error:
            print(error)
        """)
    assert "open already" in done.stdout


def test_under_prof(tmp_path):
    from wideload import _parts

    report = tmp_path / "report"
    done = python("""
        import wideload
        launch(4)
        with wideload.profile() as p:
            launch(128)
        assert len(p.launches) == 1
        try:
            wideload.simulator(arch="fermi")
        except RuntimeError as error:
            print(error)
        """, _parts.PROGRAM, "prof", "--output", str(report))
    assert "give it --arch" in done.stdout
    assert "2 launches" in report.read_text()


def test_children_are_recorded():
    python("""
        import os, wideload
        with wideload.profile() as p:
            launch(4)
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)
        assert len(p.launches) == 1
        assert os.path.exists(os.environ["WIDELOAD_PROF_OUT"])
        """)


def test_frame():
    pytest.importorskip("pandas")
    python("""
        import wideload
        with wideload.profile() as p:
            launch(128)
        assert list(p.frame()["gst_transactions"]) == [32]
        """)


@pytest.fixture
def ipython(tmp_path, monkeypatch):
    shell = pytest.importorskip("IPython.core.interactiveshell")
    from wideload import _magic as magic

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    instance = shell.InteractiveShell()
    instance.run_line_magic("load_ext", "wideload")
    try:
        magic.find_nvcc()
    except magic.UsageError:
        pytest.skip("there is no nvcc")
    yield instance
    instance.reset()


CELL = """#include <cstdio>
__global__ void strided(int *to, int n) {
    to[threadIdx.x * n] = threadIdx.x;
}
int main(int count, char **words) {
    int *to;
    cudaMalloc(&to, 4096);
    strided<<<1, 32>>>(to, 32);
    printf("%d %s\\n", count, words[1]);
    return cudaDeviceSynchronize();
}
"""


def test_cell(ipython, capsys):
    ipython.run_cell("%%cuda --check memory --name q 'two words'\n" + CELL).raise_error()
    assert "2 two words" in capsys.readouterr().out
    report = ipython.user_ns["q"]
    assert report.rows[0]["gst_transactions"] == 32
    assert "to[threadIdx.x * n]" in report.page and "32 sectors where 4 would do" in report.page
    worst = [line for line in report._repr_html_().split("<tr ") if "rgba(220" in line]
    assert len(worst) == 1 and "to[threadIdx.x * n]" in worst[0] and ">4<" in worst[0]  # the notebook's fourth line


@pytest.mark.parametrize("line, cell, words", [
    ("", "int main() { foo(); }", '"foo" is undefined'),
    ("--check rice", CELL, "unknown check 'rice'"),
    ("--nvcc '-DX=\"1 2\" -Wnothing'", CELL, "nvcc failed"),
    ("--what", CELL, "unrecognized arguments"),
])
def test_cells_that_fail(ipython, capsys, line, cell, words):
    result = ipython.run_cell(f"%%cuda {line}\n{cell}")
    assert not result.success
    printed = capsys.readouterr()
    assert words in printed.out + printed.err + str(result.error_in_exec)


def test_line_magic(ipython, capsys):
    ipython.run_cell("%wideload list").raise_error()
    assert "transpose" in capsys.readouterr().out
    assert not ipython.run_cell("%wideload bench nothing").success
