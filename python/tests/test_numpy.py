"""Results are NumPy's, bit for bit."""
import numpy as np
from conftest import examples
from hypothesis import given, strategies as st

import cases
import wideload

TYPES = st.sampled_from(cases.TYPES)


@examples("permute")
@given(st.data())
def test_permute(data):
    draw = data.draw
    x, _ = cases.array(draw, cases.sizes(draw), draw(TYPES))
    axes = draw(st.permutations(range(x.ndim)))
    if draw(st.booleans()):
        result, expected = wideload.transpose(x), x.transpose()
    else:
        given_axes = [axis - x.ndim if draw(st.booleans()) else axis for axis in axes]
        result, expected = wideload.permute(x, given_axes), x.transpose(axes)
    assert result.flags.c_contiguous and result.flags.writeable
    assert cases.same_bytes(result, expected.copy())


@examples("copy")
@given(st.data())
def test_copy(data):
    draw = data.draw
    x, _ = cases.array(draw, cases.sizes(draw, most=20000), draw(TYPES))
    assert cases.same_bytes(wideload.copy(x), x.copy())


@examples("written")
@given(st.data())
def test_written(data):
    """Into `out`, of any strides: no byte beside it changes."""
    draw = data.draw
    dtype = draw(TYPES)
    x, _ = cases.array(draw, cases.sizes(draw), dtype)
    axes = draw(st.permutations(range(x.ndim)))
    out, memory = cases.array(draw, tuple(x.shape[i] for i in axes), dtype, is_input=False)
    expected, expected_memory = cases.in_copy(memory, out)
    expected[...] = x.transpose(axes)
    assert wideload.transpose(x, axes, out=out) is out
    assert memory.tobytes() == expected_memory.tobytes()


def same_sums(a, b):
    """Equal bits, but for the bits of a NaN."""
    if a.dtype.kind == "c":
        return same_sums(a.real, b.real) and same_sums(a.imag, b.imag)
    if a.dtype.kind != "f":
        return cases.same_bytes(a, b)
    nan = np.isnan(a)
    return (nan == np.isnan(b)).all() and a[~nan].tobytes() == b[~nan].tobytes()


@examples("add")
@given(st.data())
def test_add(data):
    draw = data.draw
    dtype, shape = draw(st.sampled_from(cases.NUMBERS)), cases.sizes(draw)
    a, _ = cases.array(draw, shape, dtype)
    b, _ = cases.array(draw, shape, dtype)
    with np.errstate(all="ignore"):
        expected = np.add(a, b, out=np.empty(shape, dtype))
    how = draw(st.integers(0, 3))
    if how == 0:
        out, memory = cases.array(draw, shape, dtype, is_input=False)
        expected_out, expected_memory = cases.in_copy(memory, out)
        assert wideload.add(a, b, out=out) is out
        expected_out[...] = out  # no byte beside `out` has changed
        assert memory.tobytes() == expected_memory.tobytes()
        result = out
    elif how == 1:
        result = a.copy()
        assert wideload.add(result, b, out=result) is result
    else:
        result = wideload.add(a, b)
    assert result.shape == shape and result.dtype == dtype and same_sums(result, expected)


@examples("interleave")
@given(st.data())
def test_interleave(data):
    draw = data.draw
    dtype, shape = draw(TYPES), cases.sizes(draw, most=2000, rank_max=7)
    arrays = [cases.array(draw, shape, dtype)[0] for _ in range(draw(st.integers(1, 5)))]
    expected = np.empty((*shape, len(arrays)), dtype)
    for i, x in enumerate(arrays):
        expected[..., i] = x
    if draw(st.booleans()):
        assert cases.same_bytes(wideload.interleave(arrays), expected)
        return
    out, memory = cases.array(draw, expected.shape, dtype, is_input=False)
    written, expected_memory = cases.in_copy(memory, out)
    written[...] = expected
    assert wideload.interleave(tuple(arrays), out=out) is out
    assert memory.tobytes() == expected_memory.tobytes()


@examples("deinterleave")
@given(st.data())
def test_deinterleave(data):
    draw = data.draw
    dtype = draw(st.sampled_from([dtype for dtype in cases.TYPES if dtype.names is None]))
    x, _ = cases.array(draw, cases.sizes(draw, least_rank=1), dtype)
    outs = None
    if draw(st.booleans()):
        outs = [cases.array(draw, x.shape[:-1], dtype, is_input=False)[0] for _ in range(x.shape[-1])]
    results = wideload.deinterleave(x, out=outs)
    assert (type(results) is tuple if outs is None else results is outs) and len(results) == x.shape[-1]
    for i, result in enumerate(results):
        assert cases.same_bytes(result, np.array(x[..., i], order="C", copy=True))


@examples("fields")
@given(st.data())
def test_fields(data):
    """Structures to arrays, and back."""
    draw = data.draw
    dtype = draw(st.sampled_from((cases.PACKED, cases.PADDED, cases.NESTED)))
    x, _ = cases.array(draw, cases.sizes(draw, most=2000, rank_max=6), dtype)
    parts = wideload.deinterleave(x)
    assert list(parts) == list(dtype.names)
    for name, part in parts.items():
        assert cases.same_bytes(part, np.array(x[name], order="C", copy=True))
    if dtype is cases.NESTED:
        return  # its fields have shapes that differ
    joined = wideload.interleave(parts)
    assert joined.dtype.names == dtype.names and joined.dtype.itemsize == sum(part.itemsize for part in parts.values())
    padded, memory = cases.array(draw, x.shape, dtype, is_input=False)
    expected, expected_memory = cases.in_copy(memory, padded)
    for name in dtype.names:
        assert joined[name].tobytes() == x[name].tobytes()
        expected[name] = x[name]
    assert wideload.interleave(parts, out=padded) is padded
    assert memory.tobytes() == expected_memory.tobytes()
