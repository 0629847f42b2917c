"""Each refusal: its kind, and that it names the argument."""
import threading

import numpy as np
import pytest

import wideload

X = np.arange(6.0).reshape(2, 3)
Y = np.zeros(3, np.int32)


@pytest.mark.parametrize("error, words, call", [
    (TypeError, "x: list is no array", lambda: wideload.copy([1, 2])),
    (TypeError, "x: NoneType is no array", lambda: wideload.transpose(None)),
    (TypeError, "x: dtype object", lambda: wideload.copy(np.array([None]))),
    (TypeError, "x: dtype [('a', 'O')]", lambda: wideload.copy(np.zeros(2, [("a", "O")]))),
    (TypeError, "x: dtype StringDType", lambda: wideload.copy(np.array(["a"], np.dtypes.StringDType()))),
    (TypeError, "x: a masked array", lambda: wideload.copy(np.ma.zeros(3))),
    (ValueError, "x: 9 dimensions; 8 are the most", lambda: wideload.copy(np.zeros([1] * 9))),
    (ValueError, "arrays[0]: the result: 9 dimensions", lambda: wideload.interleave([np.zeros([1] * 8)])),
    (ValueError, "axes: (0, 0): each of 0 to 1", lambda: wideload.permute(X, (0, 0))),
    (ValueError, "axes: (0,)", lambda: wideload.transpose(X, [0])),
    (ValueError, "axes: (0, 2)", lambda: wideload.transpose(X, [0, 2])),
    (ValueError, "axes: (0,): an array of 0", lambda: wideload.transpose(np.float32(1), [0])),
    (TypeError, "axes: 1.5", lambda: wideload.transpose(X, 1.5)),
    (TypeError, "axes: (0, 1.0)", lambda: wideload.transpose(X, (0, 1.0))),
    (TypeError, "axes: None", lambda: wideload.permute(X, None)),
    (ValueError, "out: shape (2, 3); the result's is (3, 2)", lambda: wideload.transpose(X, out=np.zeros((2, 3)))),
    (TypeError, "out: type f4; the result's is f8", lambda: wideload.copy(X, out=np.zeros((2, 3), "f4"))),
    (TypeError, "out: type >f8", lambda: wideload.copy(X, out=np.zeros((2, 3), ">f8"))),
    (TypeError, "out: list is no array", lambda: wideload.copy(X, out=[])),
    (ValueError, "out: read-only", lambda: wideload.copy(X, out=np.broadcast_to(X[0], (2, 3)))),
    (ValueError, "out: overlaps an input", lambda: wideload.copy(X, out=X)),
    (ValueError, "out: overlaps an input", lambda: wideload.transpose(X[:, :2], out=X[:, 1:])),
    (ValueError, "b: shape (3,); a's is (2, 3)", lambda: wideload.add(X, X[0])),
    (TypeError, "b: type i8; a's is f8", lambda: wideload.add(X, X.astype(np.int64))),
    (TypeError, "b: int is no array", lambda: wideload.add(X, 1)),
    (TypeError, "a: type b1 cannot be added", lambda: wideload.add(X > 0, X > 0)),
    (TypeError, "a: type f16 cannot be added", lambda: wideload.add(np.longdouble([1]), np.longdouble([1]))),
    (TypeError, "a: type >f8 cannot be added", lambda: wideload.add(X.astype(">f8"), X.astype(">f8"))),
    (ValueError, "out: overlaps b", lambda: wideload.add(X[0, 1:], X[0, :2], out=X[0, 1:])),
    (ValueError, "out: overlaps a", lambda: wideload.add(X[:1], X[1:].copy(), out=X[:1, ::-1])),
    (TypeError, "arrays: ndarray; a list, tuple or dict", lambda: wideload.interleave(X)),
    (ValueError, "arrays: empty", lambda: wideload.interleave([])),
    (ValueError, "arrays: empty", lambda: wideload.interleave({})),
    (ValueError, "arrays[1]: shape (3,); arrays[0]'s is (2, 3)", lambda: wideload.interleave([X, X[0]])),
    (TypeError, "arrays[1]: type i4; arrays[0]'s is f8", lambda: wideload.interleave([X[0], Y])),
    (TypeError, "arrays[1]: int is no array", lambda: wideload.interleave([X, 1])),
    (TypeError, "arrays['x']: int is no array", lambda: wideload.interleave({"x": 1})),
    (ValueError, "arrays['y']: shape (2, 3); arrays['x']'s is (3,)", lambda: wideload.interleave({"x": Y, "y": X})),
    (TypeError, "out: type float64", lambda: wideload.interleave({"x": Y}, out=np.zeros(3))),
    (TypeError, "out: type bytearray", lambda: wideload.interleave({"x": Y}, out=bytearray(12))),
    (ValueError, "x: 0 dimensions", lambda: wideload.deinterleave(np.float64(1))),
    (TypeError, "out: numpy.ndarray; a list or tuple", lambda: wideload.deinterleave(X, out=X)),
    (ValueError, "out: 2 arrays; the result has 3", lambda: wideload.deinterleave(X, out=[X, X])),
    (ValueError, "out[1]: shape (3,)", lambda: wideload.deinterleave(X, out=[np.zeros(2), np.zeros(3), np.zeros(2)])),
    (ValueError, "out: list; a dict of arrays", lambda: wideload.deinterleave(np.zeros(2, "f4,i1"), out=[])),
    (ValueError, "out: ['f0']; a dict", lambda: wideload.deinterleave(np.zeros(2, "f4,i1"), out={"f0": Y})),
    (TypeError, "out['f1']: type f4", lambda: wideload.deinterleave(
        np.zeros(2, "f4,i1"), out={"f0": np.zeros(2, "f4"), "f1": np.zeros(2, "f4")})),
])
def test_refused(error, words, call):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_library_error():
    """What only the library refuses: elements of `out` that share memory."""
    out = np.lib.stride_tricks.as_strided(np.zeros(8), (2, 3), (8, 8))
    with pytest.raises(wideload.Error) as raised:
        wideload.copy(X, out=out)
    assert raised.value.code == 1 and raised.value.name == "WL_ERROR_INVALID_ARGUMENT"
    assert "to_stride_bytes" in str(raised.value)


class Plain(np.ndarray):
    pass


def test_kinds_of_arrays():
    """A subclass gives a plain array; a scalar one of 0 dimensions; memory may be a file's; S0 stays so."""
    assert type(wideload.copy(X.view(Plain))) is np.ndarray
    assert type(wideload.transpose(np.matrix([[1, 2]]))) is np.ndarray
    assert wideload.copy(np.float32(1.5)).shape == ()
    assert wideload.copy(np.ndarray(2, "S0")).dtype.itemsize == 0
    out = np.zeros((3, 2))
    assert wideload.transpose(memoryview(X), out=out) is out and (out == X.T).all()


def test_threads():
    """Calls from several threads, each with its own explanation."""
    failures = []

    def run(width):
        x = np.arange(40 * 30, dtype=f"u{width}").reshape(40, 30)
        for _ in range(300):
            if not (wideload.transpose(x) == x.T).all() or f"element_bytes {width}" not in wideload.explain():
                failures.append(width)

    threads = [threading.Thread(target=run, args=(width,)) for width in (1, 2, 4, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
