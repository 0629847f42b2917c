"""torch's tensors.  Skipped without torch, which is too large for every machine; on a GPU's too if there is one, else:

    wideload prof python test_torch.py      on the simulator, under CUDA's name
"""
import itertools
import sys

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


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("part", [check_moves, check_conjugates, check_errors, check_gradients, check_compile])
def test_torch(part, device):
    part(device)


def test_imported_later():
    """The first tensor that the package sees may be one that torch.compile() traces."""
    import subprocess
    program = ("import wideload, torch\n"
               "f = torch.compile(lambda x: wideload.transpose(x).sin(), backend='eager', fullgraph=True)\n"
               "x = torch.randn(3, 4)\nassert f(x).equal(x.T.sin())\n")
    run = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr


if __name__ == "__main__":
    check_moves("cuda")
    print("done")
