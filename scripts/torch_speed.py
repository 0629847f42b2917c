#!/usr/bin/env python3
"""Measures the Python package on a GPU, beside torch's own operations, with the installed wheel.

    scripts/torch_speed.py [-o OUT.json] [--part NAME]... [--quick] [--tests FOLDER]

Parts: host    what a call costs the host, beside the C call in a loop of C (needs a C compiler)
       speed   bandwidth of large arrays, in and out of memory
       checks  results, beside torch on the CPU
       grad    gradients, by torch.autograd.gradcheck
       compile the nodes of a compiled model, and its results
       cupy    CuPy's arrays, where it is installed
checks, grad and compile run test_torch.py of python/tests in the script's repository, or of --tests.
A part that fails is reported, and the others run.  Prints Markdown; OUT.json has every figure.
"""
import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

import torch

import wideload
from wideload import _library, _torch

LOOP = r"""
#include <stdint.h>
#include <time.h>
typedef int call(void *, unsigned, uint64_t, uint64_t, uint64_t, uint64_t, void *);
/* Seconds for n calls. */
double loop(call *transpose, void *context, unsigned width, uint64_t to, uint64_t from, uint64_t rows, uint64_t cols,
            void *stream, int n) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < n; i++)
        if (transpose(context, width, to, from, rows, cols, stream))
            return -1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}
"""

# Calls between two waits for the GPU: few enough that its queue never fills.
BURST = 200
QUICK = False
TESTS = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "python", "tests")


def table(head, rows):
    print("\n| " + " | ".join(head) + " |")
    print("|" + "|".join("---" if i == 0 else "---:" for i in range(len(head))) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")


# ---------------------------------------------------------------- host

def c_loop():
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "loop.c"), "w", encoding="utf-8") as file:
        file.write(LOOP)
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", f"{folder}/loop.so", f"{folder}/loop.c"], check=True)
    loop = ctypes.CDLL(f"{folder}/loop.so").loop
    loop.restype = ctypes.c_double
    loop.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_uint] + [ctypes.c_uint64] * 4 + [ctypes.c_void_p, ctypes.c_int]
    return loop


def microseconds(bursts):
    """The median and the least of each call's time; bursts by name, each of which does BURST calls and returns their seconds.

    They take turns, so that a clock or a cache that warms up is the same for all."""
    times = {name: [] for name in bursts}
    failed = {}
    for turn in range(20 if QUICK else 200):
        for name, burst in bursts.items():
            if name in failed:
                continue
            try:
                time_of_call = burst() / BURST * 1e6
                torch.cuda.synchronize()
            except Exception as error:  # torch's own may have no kernels where ours run
                failed[name] = str(error).splitlines()[0][:60]
                continue
            if turn >= 5:
                times[name].append(time_of_call)
    return {name: failed.get(name) or (round(statistics.median(times[name]), 3), round(min(times[name]), 3)) for name in bursts}


def python_burst(call):
    def burst():
        calls = range(BURST)
        begin = time.perf_counter()
        for _ in calls:
            call()
        return time.perf_counter() - begin
    return burst


def part_host():
    x = torch.empty(64, 96, device="cuda")
    out = torch.empty(96, 64, device="cuda")
    loop, stream = c_loop(), torch.cuda.current_stream().cuda_stream
    transpose = ctypes.cast(_library.wl_transpose, ctypes.c_void_p)
    context = _library.context("gpu:0")

    def c_burst():
        seconds = loop(transpose, context, 4, out.data_ptr(), x.data_ptr(), 64, 96, stream, BURST)
        assert seconds >= 0
        return seconds

    x2 = torch.empty_like(x)
    raw = (context, 4, out.data_ptr(), x.data_ptr(), 64, 96, stream)
    image, heads, kept = torch.empty(2, 8, 4, 16, device="cuda"), torch.empty(2, 16, 8, 4, device="cuda"), x.clone().requires_grad_()
    ways = {
        "wl_transpose in C": c_burst,
        "wl_transpose by ctypes": python_burst(lambda: _library.wl_transpose(*raw)),
        "the result's memory alone": python_burst(lambda: torch._C._dynamo.guards._empty_strided_cuda((96, 64), (64, 1), x.dtype)),
        "wideload.transpose(x)": python_burst(lambda: wideload.transpose(x)),
        "wideload.permute(x, (0, 2, 3, 1))": python_burst(lambda: wideload.permute(image, (0, 2, 3, 1))),
        "wideload.permute(x, (0, 2, 1, 3))": python_burst(lambda: wideload.permute(heads, (0, 2, 1, 3))),
        "wideload.transpose(x), x needs a gradient": python_burst(lambda: wideload.transpose(kept)),
        "wideload.transpose(x, out=out)": python_burst(lambda: wideload.transpose(x, out=out)),
        "wideload.copy(x)": python_burst(lambda: wideload.copy(x)),
        "wideload.copy(x, out=x2)": python_burst(lambda: wideload.copy(x, out=x2)),
        "wideload.add(x, x)": python_burst(lambda: wideload.add(x, x)),
        "wideload.interleave([x, x])": python_burst(lambda: wideload.interleave([x, x])),
        "x.t().contiguous()": python_burst(lambda: x.t().contiguous()),
        "x.permute(0, 2, 3, 1).contiguous()": python_burst(lambda: image.permute(0, 2, 3, 1).contiguous()),
        "x + x": python_burst(lambda: x + x),
        "an empty lambda": python_burst(lambda: None),
    }
    result = microseconds(ways)
    if isinstance(result["wideload.transpose(x)"], tuple):
        result["wideload.transpose(x) less C and the lambda"] = tuple(round(
            result["wideload.transpose(x)"][i] - result["wl_transpose in C"][i] - result["an empty lambda"][i], 3) for i in (0, 1))
    table(["host time of a call", "us, median", "us, least"],
          [[f"`{name}`", *(times if isinstance(times, tuple) else (times, ""))] for name, times in result.items()])
    return result


# ---------------------------------------------------------------- speed

def seconds(call):
    """The median time of a call on the GPU."""
    for _ in range(3):
        call()
    times = []
    for _ in range(5 if QUICK else 30):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(1_000_000)  # half a millisecond, in which the host submits what follows
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(times)


def pairs():
    """Name, bytes read, ours, torch's."""
    scale = 64 if QUICK else 1
    for dtype in (torch.float16, torch.float32):
        kind = str(dtype).split(".")[1]
        for n, c, h in ((max(1, 256 // scale), 64, 112), (max(1, 256 // scale), 256, 56), (max(1, 512 // scale), 3, 224)):
            x = torch.empty(n, c, h, h, dtype=dtype, device="cuda").normal_()
            yield f"NCHW to NHWC, {n}x{c}x{h}x{h} {kind}", x, (lambda: wideload.permute(x, (0, 2, 3, 1))), (
                lambda: x.permute(0, 2, 3, 1).contiguous())
            y = x.reshape(n, h, h, c)
            yield f"NHWC to NCHW, {n}x{h}x{h}x{c} {kind}", y, (lambda: wideload.permute(y, (0, 3, 1, 2))), (
                lambda: y.permute(0, 3, 1, 2).contiguous())
        for b, s, a, d in ((max(1, 16 // scale), 2048, 32, 128), (max(1, 16 // scale), 4096, 16, 64)):
            x = torch.empty(b, s, a, d, dtype=dtype, device="cuda").normal_()
            yield f"heads, {b}x{s}x{a}x{d} by (0, 2, 1, 3) {kind}", x, (lambda: wideload.permute(x, (0, 2, 1, 3))), (
                lambda: x.permute(0, 2, 1, 3).contiguous())
            yield f"heads, {b}x{s}x{a}x{d} by (0, 2, 3, 1) {kind}", x, (lambda: wideload.permute(x, (0, 2, 3, 1))), (
                lambda: x.permute(0, 2, 3, 1).contiguous())
        for fields in (2, 3, 4, 8):
            n = (1 << 26) // fields // scale
            parts = [torch.empty(n, dtype=dtype, device="cuda").normal_() for _ in range(fields)]
            x = torch.empty(n, fields, dtype=dtype, device="cuda").normal_()
            yield f"stack of {fields}, {n} {kind}", x, (lambda: wideload.interleave(parts)), (lambda: torch.stack(parts, -1))
            yield f"unstack of {fields}, {n} {kind}", x, (lambda: wideload.deinterleave(x)), (
                lambda: [part.contiguous() for part in x.unbind(-1)])
        side = 16384 // (8 if QUICK else 1)
        x = torch.empty(side, side, dtype=dtype, device="cuda").normal_()
        yield f"transpose, {side}x{side} {kind}", x, (lambda: wideload.transpose(x)), (lambda: x.t().contiguous())
        yield f"copy, {side}x{side} {kind}", x, (lambda: wideload.copy(x)), (lambda: x.clone())
        yield f"add, {side}x{side} {kind}", x, (lambda: wideload.add(x, x)), (lambda: x + x)


def part_speed():
    result, rows = {}, []
    for name, x, ours, theirs in pairs():
        moved = 2 * x.numel() * x.element_size() / 1e9
        try:
            a, b = ours(), theirs()
            same = all(p.equal(q) for p, q in zip(a, b)) if isinstance(a, tuple) else a.equal(b)
            del a, b
            figures = {"wideload_gbps": moved / seconds(ours), "torch_gbps": moved / seconds(theirs), "same": same}
            rows.append([name, f"{figures['wideload_gbps']:.0f}", f"{figures['torch_gbps']:.0f}",
                         f"{figures['wideload_gbps'] / figures['torch_gbps']:.2f}", "yes" if same else "**NO**"])
        except Exception as error:
            figures = {"error": str(error)}
            rows.append([name, str(error).splitlines()[0][:60], "", "", ""])
        result[name] = figures
    table(["operation", "wideload, GB/s", "torch, GB/s", "ratio", "same bits"], rows)
    return result


# ---------------------------------------------------------------- the rest

def tests():
    if TESTS not in sys.path:
        if not os.path.exists(os.path.join(TESTS, "test_torch.py")):
            raise FileNotFoundError(f"{TESTS} has no test_torch.py; give the folder python/tests by --tests")
        sys.path.insert(0, TESTS)
    import test_torch
    return test_torch


def part_checks():
    tests().check_moves("cuda")
    tests().check_conjugates("cuda")
    tests().check_errors("cuda")
    fast = _torch._fast is not None
    if fast:
        for check in ("", "_refuses", "_modes", "_threads", "_memory"):
            getattr(tests(), "check_fast" + check)("cuda")
    stream = torch.cuda.Stream()
    x = torch.randn(4096, 2048, device="cuda")
    with torch.cuda.stream(stream):
        stream.wait_stream(torch.cuda.default_stream())
        y = wideload.transpose(x * 2)  # after the product, on the same stream
    stream.synchronize()
    assert y.equal((x * 2).t())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        z = wideload.transpose(x)
    x.normal_()
    graph.replay()
    assert z.equal(x.t())
    y = wideload.transpose(x)
    address, busy = y.data_ptr(), torch.cuda.Stream()
    busy.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(busy):
        torch.cuda._sleep(200_000_000)
    y.record_stream(busy)
    del y
    assert wideload.transpose(x).data_ptr() != address  # its memory is still in use
    if torch.cuda.device_count() > 1:
        there = x.to("cuda:1")
        assert wideload.transpose(there).device == there.device and wideload.transpose(there).equal(there.t())
    return f"right: moves, sums, errors, other streams, a CUDA graph; {'with' if fast else 'WITHOUT'} the short way in C"


def part_grad():
    tests().check_gradients("cuda")
    return "gradcheck and gradgradcheck hold for every operation"


def part_compile():
    tests().check_compile("cuda")
    result = {"backends": "eager and aot_eager: one node for each call"}
    x = torch.randn(8, 64, 128, device="cuda")
    compiled = torch.compile(tests().model, fullgraph=True)
    assert torch.allclose(compiled(x), tests().model(x))
    result["inductor"] = "same results"
    return result


def part_cupy():
    import cupy
    x = cupy.arange(4 * 5 * 6, dtype=cupy.float32).reshape(4, 5, 6)
    with cupy.cuda.Stream(non_blocking=True):
        assert (wideload.transpose(x) == x.T).all() and type(wideload.transpose(x)) is cupy.ndarray
        assert (wideload.copy(x[::-1, :, ::2]) == x[::-1, :, ::2]).all()
        assert (wideload.add(x, x) == x + x).all()
        assert (wideload.interleave(list(wideload.deinterleave(x))) == x).all()
    shared = torch.from_dlpack(x)
    assert wideload.copy(shared, out=torch.empty_like(shared)).equal(shared)
    out = cupy.empty((6, 5, 4), cupy.float32)
    assert wideload.transpose(shared, out=out) is out and (out == x.T).all()  # one library's into another's

    class Interface:
        __cuda_array_interface__ = x.__cuda_array_interface__

    class Dlpack:
        __dlpack__, __dlpack_device__ = x.__dlpack__, x.__dlpack_device__

    for other in (Interface(), Dlpack()):
        assert (wideload.transpose(other) == x.T).all()
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        for _ in range(BURST):
            wideload.transpose(x)
        times.append((time.perf_counter() - begin) / BURST * 1e6)
        cupy.cuda.Device().synchronize()
    return {"results": "right", "host_us": round(statistics.median(times), 3)}


def main():
    global QUICK, TESTS
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parts = {name[5:]: function for name, function in globals().items() if name.startswith("part_")}
    parser.add_argument("-o", metavar="OUT.json")
    parser.add_argument("--part", action="append", choices=parts)
    parser.add_argument("--quick", action="store_true", help="small arrays and few repetitions")
    parser.add_argument("--tests", metavar="FOLDER", default=TESTS, help="python/tests of the repository")
    options = parser.parse_args()
    QUICK, TESTS = options.quick, os.path.realpath(options.tests)
    results = {"device": torch.cuda.get_device_name(0), "torch": torch.__version__, "wideload": wideload.__version__,
               "short way in C": _torch._fast is not None, "python": sys.version.split()[0]}
    print(", ".join(f"{name} {value}" for name, value in results.items()))
    failed = 0
    for name in options.part or parts:
        try:
            results[name] = parts[name]()
            if not isinstance(results[name], dict) or name in ("compile", "cupy"):
                print(f"\n{name}: {results[name]}")
        except Exception:
            failed = 1
            results[name] = {"error": traceback.format_exc()}
            print(f"\n{name}: FAILED\n{traceback.format_exc()}")
        sys.stdout.flush()
        if options.o:
            with open(options.o + ".part", "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)
            os.replace(options.o + ".part", options.o)
    sys.exit(failed)


if __name__ == "__main__":
    main()
