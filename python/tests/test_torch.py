"""torch's tensors.  Skipped without torch, which is too large for every machine; on a GPU's too if there is one, else:

    wideload prof python test_torch.py      on the simulator, under CUDA's name
"""
import ctypes
import itertools
import resource
import subprocess
import sys
import threading

import pytest

import wideload

torch = pytest.importorskip("torch")

DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()
TYPES = [torch.bool, torch.uint8, torch.int16, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64,
         torch.complex128, torch.float8_e4m3fn]


def tensor(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    raw = torch.randint(0, 2 if dtype == torch.bool else 120, (count * dtype.itemsize,), dtype=torch.uint8)
    return raw.view(dtype).reshape(shape)


def same(result, expected):
    """Equal bits.  `expected` is on the CPU and may have any strides."""
    assert result.dtype == expected.dtype and result.shape == expected.shape and result.is_contiguous()
    expected = expected.resolve_conj().clone(memory_format=torch.contiguous_format)
    return result.cpu().reshape(-1).view(torch.uint8).equal(expected.reshape(-1).view(torch.uint8))


def check_moves(device):
    """Asks torch for nothing that needs a kernel of its own on the device."""
    shapes = [(), (5,), (7, 9), (0, 3), (2, 3, 4), (2, 3, 5, 4), (1, 2, 3, 2, 2, 1, 2, 2)]
    for dtype, shape in itertools.product(TYPES, shapes):
        x = tensor(shape, dtype)
        there = x.to(device)
        axes = tuple(range(len(shape)))[::2] + tuple(range(len(shape)))[1::2]
        assert same(wideload.transpose(there), x.permute(tuple(range(len(shape)))[::-1])), (dtype, shape)
        for _ in range(2):  # the second time with a plan that is kept
            assert same(wideload.permute(there, axes), x.permute(axes)), (dtype, shape)
        assert same(wideload.permute(there, list(axes)), x.permute(axes))
        assert same(wideload.copy(there), x)
        out = tensor(shape, dtype).to(device).permute(axes)  # strides of its own
        version = out._version
        assert wideload.copy(there.permute(axes), out=out) is out and out._version > version
        assert same(wideload.copy(out), x.permute(axes))
        if 0 < len(shape) < 8:
            assert same(wideload.interleave([there, there]), torch.stack([x, x], -1))
            parts = wideload.deinterleave(there)
            assert len(parts) == shape[-1] and all(same(part, x[..., i]) for i, part in enumerate(parts))
    x = tensor((6, 8), torch.float16)
    there = x.to(device)
    assert same(wideload.copy(there[1::2, ::3]), x[1::2, ::3])
    assert same(wideload.copy(there[:1].expand(3, 8)), x[:1].expand(3, 8))
    for dtype in (torch.int8, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.complex64):
        a, b = torch.arange(12).to(dtype).reshape(3, 4), torch.arange(12, 24).to(dtype).reshape(4, 3).T
        first, second = a.clone().to(device), b.to(device)
        assert same(wideload.add(first, second), a + b)
        assert wideload.add(first, second, out=first) is first and same(first, a + b)


def check_conjugates(device):
    x = torch.randn(6, 8, dtype=torch.complex64)
    assert same(wideload.transpose(x.to(device).conj()), x.conj().T)
    assert same(wideload.copy(x.to(device).conj().imag), x.conj().imag.resolve_neg())


def check_errors(device):
    x = torch.zeros(2, 3, device=device)
    kept = torch.zeros(2, 3, device=device, requires_grad=True)
    for error, words, call in [
            (ValueError, "axes: (0, 0)", lambda: wideload.permute(x, (0, 0))),
            (ValueError, "axes: (0, 0)", lambda: wideload.permute(kept, (0, 0))),
            (ValueError, "x: 9 dimensions", lambda: wideload.permute(torch.zeros([1] * 9, device=device), range(9))),
            (ValueError, "out: a gradient is needed", lambda: wideload.copy(kept, out=x.clone())),
            (ValueError, "out: a gradient is needed", lambda: wideload.add(x, x, out=kept)),
            (TypeError, "out: type f8", lambda: wideload.copy(x, out=x.double())),
            (TypeError, "x: a tensor of layout torch.sparse_coo", lambda: wideload.copy(x.to_sparse())),
            (TypeError, "x: a tensor on meta", lambda: wideload.copy(x.to("meta"))),
            (TypeError, "b: float", lambda: wideload.add(kept, 1.0)),
            (TypeError, "arrays: a dict makes", lambda: wideload.interleave({"x": x})),
            (ValueError, "b: shape", lambda: wideload.add(kept, x[0]))]:
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value).startswith(words), raised.value


def check_gradients(device):
    x, y = (torch.randn(3, 4, 2, dtype=torch.float64, device=device, requires_grad=True) for _ in range(2))
    for function, inputs in [
            (wideload.transpose, (x,)), (lambda t: wideload.permute(t, (2, 0, 1)), (x,)), (wideload.copy, (x,)),
            (wideload.add, (x, y)), (lambda a, b: wideload.interleave([a, b]), (x, y)), (wideload.deinterleave, (x,)),
            (lambda t: wideload.deinterleave(t)[1], (x,))]:
        assert torch.autograd.gradcheck(function, inputs) and torch.autograd.gradgradcheck(function, inputs)
    with torch.no_grad():
        assert wideload.transpose(x).grad_fn is None
    assert wideload.transpose(torch.nn.Parameter(x.detach())).requires_grad


def model(x):
    """One node for each call."""
    first, second = wideload.deinterleave(wideload.interleave([wideload.permute(x, (0, 2, 1)).sin(), wideload.transpose(x, (0, 2, 1))]))
    return wideload.transpose(wideload.copy(wideload.add(first, second)))


def check_compile(device):
    graphs = []

    def keep(module, inputs):
        graphs.append(module)
        return module.forward

    x = torch.randn(2, 3, 4, device=device)
    torch._dynamo.reset()
    assert torch.compile(model, backend=keep, fullgraph=True)(x).equal(model(x)) and len(graphs) == 1
    nodes = [str(node.target) for node in graphs[0].graph.nodes if str(node.target).startswith("wideload")]
    assert nodes == [f"wideload.{name}" for name in ("permute", "permute", "interleave", "deinterleave", "add", "copy",
                                                     "permute")], nodes
    x.requires_grad = True
    torch.compile(model, backend="aot_eager", fullgraph=True, dynamic=True)(x).square().sum().backward()
    compiled, x.grad = x.grad, None
    model(x).square().sum().backward()
    assert compiled.equal(x.grad)
    for op, inputs in [("permute", (x, [2, 0, 1])), ("copy", (x,)), ("add", (x, x)), ("interleave", ([x, x],)), ("deinterleave", (x,))]:
        torch.library.opcheck(getattr(torch.ops.wideload, op).default, inputs)


class Subclass(torch.Tensor):
    pass


def check_redistributions(device):
    gpus = torch.cuda.device_count()
    where = ["cpu"] * 3 if device == "cpu" else [torch.device("cuda", i % gpus) for i in range(3)]
    for dtype in TYPES:
        x = tensor((7, 10), dtype)
        slabs = [part.to(place) for part, place in zip(x.split([3, 0, 4]), where)]
        results = wideload.transpose_distributed(slabs)
        assert [y.device for y in results] == [slab.device for slab in slabs]
        assert all(same(y, expected) for y, expected in zip(results, x.T.split([4, 3, 3])))
        out = [torch.empty_like(y) for y in results]
        version = out[0]._version
        assert wideload.transpose_distributed(slabs, out=out)[2] is out[2] and out[0]._version > version
        assert all(same(y, expected) for y, expected in zip(out, x.T.split([4, 3, 3])))
    x = tensor((4, 6, 5), torch.bfloat16)
    rows = [wideload.Box((0, 0, 0), (1, 6, 5)), wideload.Box((1, 0, 0), (3, 6, 5), (2, 0, 1)), None]
    wanted = [None, wideload.Box((0, 2, 1), (4, 3, 4), (1, 2, 0)), wideload.Box((2, 0, 0), (2, 6, 5))]
    plan = wideload.Redistribution(x.shape, rows, wanted, torch.bfloat16, where)
    parts = [x[:1].to(where[0]), x[1:].permute(2, 0, 1).contiguous().to(where[1]), torch.empty(0, device=where[2], dtype=x.dtype)]
    first, second, third = plan(parts)
    assert first is None and same(second, x[:, 2:5, 1:].permute(1, 2, 0)) and same(third, x[2:])
    kept = [torch.empty(2, 3, device=place, requires_grad=True) for place in where]
    with torch.no_grad():
        assert wideload.transpose_distributed(kept)[0].grad_fn is None
    with pytest.raises(ValueError, match=r"^parts\[0\]: a gradient is needed, and a redistribution has none"):
        wideload.transpose_distributed(kept)
    with pytest.raises(TypeError, match=r"^parts\[0\]: .*Subclass; a plain tensor is needed"):
        wideload.transpose_distributed([kept[0].detach().as_subclass(Subclass)])


# ---------------------------------------------------------------- the short way in C

def fast():
    from wideload import _torch
    return _torch._fast or pytest.skip("this Python or torch has no short way in C")


def check_fast(device):
    """It takes what it should, and is right."""
    f = fast()
    for dtype, shape in itertools.product(TYPES, [(), (1,), (5,), (0,), (1, 1), (7, 9), (1, 6), (6, 1), (0, 3), (3, 0), (2, 1, 4),
                                                  (2, 3, 5, 4), (1, 2, 3, 2, 2, 1, 2, 2)]):
        x = tensor(shape, dtype)
        there = x.to(device)
        axes = tuple(range(len(shape)))[::2] + tuple(range(len(shape)))[1::2]
        for given in (None, axes, list(axes), tuple(axis - len(shape) for axis in axes)):
            expected = x.permute(axes if given is not None else axes_reversed(x))
            assert same(f.permute(there, given, None), expected), (dtype, shape)
            out = torch.empty_like(expected, memory_format=torch.contiguous_format, device=device)
            version = out._version
            assert f.permute(there, given, out) is out and same(out, expected) and out._version > version
        out = torch.empty_like(there)
        assert same(f.copy(there, None), x) and f.copy(there, out) is out and same(out, x)
        if len(shape) < 8:
            for count in (1, 3, 64):
                expected = torch.stack([x] * count, -1)
                out = torch.empty_like(expected, device=device)
                assert same(f.interleave([there] * count, None), expected)
                assert f.interleave((there,) * count, out) is out and same(out, expected)
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
                  torch.float64, torch.complex64, torch.complex128):
        for shape in ((), (0, 2), (3, 4)):
            x = tensor(shape, torch.uint8).to(dtype)
            there, out = x.clone().to(device), x.clone().to(device)
            assert same(f.add(there, there, None), x + x) and f.add(there, out, out) is out and same(out, x + x)
            assert f.add(there, there, there) is there and same(there, x + x)


def axes_reversed(x):
    return tuple(range(x.dim()))[::-1]


class Subclass(torch.Tensor):
    pass


def check_fast_refuses(device):
    """All that is unusual, before anything is written."""
    f = fast()
    x = torch.arange(12.0).reshape(3, 4).to(device)
    out, z = torch.zeros(3, 4).to(device), torch.ones(3, 3, dtype=torch.complex64).to(device)
    unusual = [x.t(), x[:, 1:], x[:1].expand(3, 4), x.clone().requires_grad_(), torch.nn.Parameter(x), x.as_subclass(Subclass),
               x.to("meta"), torch._neg_view(x), z.conj(), z.conj().imag, z.conj().imag[0, 0], torch.zeros([1] * 9, device=device),
               torch.zeros(17, dtype=torch.uint8).to(device)[1:].view(torch.uint8)[:12].reshape(3, 4).t(), [1.0], None, 1.0]
    misaligned = torch.frombuffer(bytearray(17), dtype=torch.float32, offset=1, count=4)
    if device == "cpu":
        unusual += [x.to_sparse(), torch.quantize_per_tensor(x, 0.1, 0, torch.qint8), misaligned]
    for one in unusual:
        assert f.permute(one, None, None) is None and f.copy(one, None) is None
        assert f.copy(x, one) is None or one is None
        assert f.add(one, one, None) is None and f.add(x, one, None) is None
        assert f.interleave([x, one], None) is None and f.interleave([one], None) is None
    others = [torch.zeros(4, 3).to(device), torch.zeros(3, 4, dtype=torch.float64).to(device), torch.zeros(3, 4, 1).to(device),
              torch.zeros(3, 4, dtype=torch.int32).to(device)] + [torch.zeros(3, 4)] * (device != "cpu")
    for one in others:
        assert f.copy(x, one) is None and f.add(x, one, None) is None and f.interleave([x, one], None) is None
        assert f.add(x, x, one) is None and not one.cpu().any()
    for axes in ((0,), (0, 0), (0, 2), (-3, 0), (0, 1, 2), (0.0, 1), "ab", 1, range(2), (1 << 40, 0), (1 << 80, 0)):
        assert f.permute(x, axes, None) is None
    assert f.copy(x, x) is None and f.permute(x, (0, 1), x) is None  # they overlap
    assert f.copy(x.reshape(-1)[:8], x.reshape(-1)[4:]) is None and f.add(x[:2], x[1:], x[1:]) is None
    assert f.add(x[:2], x[:2], x[1:]) is None and f.interleave([x[0, :2]], x.reshape(-1)[:2].reshape(2, 1)) is None
    assert f.interleave([], None) is None and f.interleave([x] * 65, None) is None and f.interleave(x, None) is None
    assert f.interleave([torch.zeros([1] * 8, device=device)], None) is None
    for dtype in (torch.bool, torch.complex32, torch.float8_e5m2):
        one = torch.zeros(2, dtype=torch.uint8).to(device).view(torch.bool) if dtype == torch.bool else torch.empty(
            2, dtype=dtype, device=device)
        assert f.add(one, one, None) is None
    assert not out.cpu().any() and f.permute(x) is None and f.copy(x, None, None) is None
    with torch.autograd.forward_ad.dual_level():
        assert f.copy(x, None) is None
    for call in (lambda: f.permute(unusual[0], None, None), lambda: wideload.copy(x)):
        call()
    assert same(wideload.copy(x.as_subclass(Subclass)).as_subclass(torch.Tensor), x.cpu())


def check_fast_modes(device):
    f = fast()
    x = torch.arange(12.0).reshape(3, 4).to(device)
    parameter = torch.nn.Parameter(x.clone())
    with torch.no_grad():
        y = f.permute(parameter, None, None)
        assert same(y, x.cpu().t()) and type(y) is torch.Tensor and not y.requires_grad
    with torch.inference_mode():
        y = wideload.transpose(x)
        assert y.is_inference() and same(y, x.cpu().t()) and same(wideload.transpose(y), x.cpu())
    assert not wideload.transpose(x).is_inference() and same(wideload.copy(y), x.cpu().t())
    assert wideload.transpose(x).untyped_storage().resizable()  # torch's own memory
    kept = x.clone().requires_grad_()
    z = kept.exp()  # keeps its result, which must not change
    with torch.no_grad():
        assert f.add(z, z, z) is z
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def check_fast_threads(device):
    wrong = []

    def run(seed):
        x = torch.full((5, 7), float(seed)).to(device)
        out = torch.empty(7, 5).to(device)
        arrays = [x, x]
        for _ in range(300):
            ok = (wideload.transpose(x).sum(), wideload.transpose(x, out=out).sum(), wideload.copy(x).sum(),
                  wideload.add(x, x).sum() / 2, wideload.interleave(arrays).sum() / 2)
            if any(float(one) != 35.0 * seed for one in ok):
                wrong.append(seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def check_fast_memory(device):
    """100,000 calls leave no memory behind, and no reference."""
    x, out = torch.zeros(40, 50).to(device), torch.zeros(50, 40).to(device)
    turned, axes, arrays = x.t(), (1, 0), [x, x]

    def run(times):
        for _ in range(times):
            wideload.transpose(x), wideload.permute(x, axes), wideload.permute(x, axes, out=out)
            wideload.copy(x), wideload.add(x, x), wideload.interleave(arrays)
            fast().copy(turned, None), fast().copy(x, out), fast().copy(x, x)

    def state():
        with open("/proc/self/statm", encoding="utf-8") as file:
            pages = int(file.read().split()[1])
        return pages * resource.getpagesize(), [sys.getrefcount(one) for one in (x, out, axes, arrays, turned, x.dtype)]

    run(1000)
    bytes_before, references = state()
    on_gpu = torch.cuda.memory_allocated() if device != "cpu" else 0
    run(11_111)
    bytes_after, now = state()
    assert now == references and bytes_after - bytes_before < 4 << 20
    assert device == "cpu" or torch.cuda.memory_allocated() == on_gpu


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("part", [check_moves, check_conjugates, check_errors, check_gradients, check_compile, check_redistributions,
                                  check_fast, check_fast_refuses, check_fast_modes, check_fast_threads, check_fast_memory])
def test_torch(part, device):
    part(device)


def test_fast_fails(monkeypatch):
    """What the library refuses is raised."""
    from wideload import _library, _torch
    f, x, out = fast(), torch.zeros(2, 2), torch.zeros(2, 2)
    refuse = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 5)
    with monkeypatch.context() as patch:
        patch.setattr(_library, "address_of", lambda name: ctypes.cast(refuse, ctypes.c_void_p).value)
        assert _torch._load_fast() is f
        for call in (lambda to: f.permute(x, None, to), lambda to: f.permute(x, (0, 1), to), lambda to: f.copy(x, to),
                     lambda to: f.add(x, x, to), lambda to: f.interleave([x[0], x[1]], to)):
            for to in (None, out):
                version = out._version
                with pytest.raises(wideload.Error) as raised:
                    call(to)
                assert raised.value.name == "WL_ERROR_UNSUPPORTED" and out._version == version
    assert _torch._load_fast() is f and same(wideload.copy(x), x)


def test_without_fast():
    """Where it cannot be loaded, all goes the general way."""
    program = ("import sys; sys.modules['wideload._fast'] = None\n"
               "import wideload, torch; from wideload import _torch; assert _torch._fast is None\n"
               "x = torch.randn(3, 4); out = torch.empty(4, 3)\n"
               "assert wideload.transpose(x).equal(x.T) and wideload.transpose(x, out=out) is out and out.equal(x.T)\n"
               "assert wideload.add(x, x).equal(x + x) and wideload.interleave([x, x]).equal(torch.stack([x, x], -1))\n")
    run = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr


def test_imported_later():
    """The first tensor that the package sees may be one that torch.compile() traces."""
    program = ("import wideload, torch\n"
               "f = torch.compile(lambda x: wideload.transpose(x).sin(), backend='eager', fullgraph=True)\n"
               "x = torch.randn(3, 4)\nassert f(x).equal(x.T.sin())\n")
    run = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr


if __name__ == "__main__":
    check_moves("cuda")
    check_redistributions("cuda")
    check_fast("cuda")
    print("done")
