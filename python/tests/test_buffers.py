"""Objects with a buffer, in a Python without NumPy."""
import subprocess
import sys

# Runs where `import numpy` fails, as on a machine without it.
PROGRAM = """
import sys
sys.modules["numpy"] = sys.modules["torch"] = None
import array, ctypes, mmap
import wideload

x = array.array("d", [1, 2, 3, 4, 5, 6])
m = wideload.copy(x)
assert type(m) is memoryview and m.format == "d" and m.shape == (6,) and not m.readonly and m.tolist() == list(x)

matrix = memoryview(x).cast("B").cast("d", [2, 3])
m = wideload.transpose(matrix)
assert m.shape == (3, 2) and m.tolist() == [[1, 4], [2, 5], [3, 6]]
assert wideload.permute(matrix, (-1, 0)).tolist() == m.tolist()
assert wideload.transpose(wideload.transpose(matrix)).tolist() == matrix.tolist()
assert wideload.copy(memoryview(x)[::-2]).tolist() == [6, 4, 2]
assert wideload.add(x, x).tolist() == [2, 4, 6, 8, 10, 12]
assert wideload.interleave([x, x[::-1]]).tolist()[0] == [1, 6]
assert [list(part) for part in wideload.deinterleave(matrix)] == [[1, 4], [2, 5], [3, 6]]

assert wideload.copy(b"abc").tobytes() == b"abc"
assert wideload.copy(bytearray()).shape == (0,)
assert wideload.copy(memoryview(b"wxyz").cast("B", [2, 2])).tobytes() == b"wxyz"
assert wideload.copy(ctypes.c_double(2.5)).tolist() == 2.5
assert wideload.transpose((ctypes.c_long * 2 * 3)((1, 2), (3, 4), (5, 6))).tolist() == [[1, 3, 5], [2, 4, 6]]
with mmap.mmap(-1, 4096) as pages:
    pages[:3] = b"abc"
    copied = wideload.copy(pages)
    assert copied[:3].tobytes() == b"abc"

out = array.array("d", bytes(48))
assert wideload.transpose(matrix, out=memoryview(out).cast("B").cast("d", [3, 2])) is not out
assert list(out) == [1, 4, 2, 5, 3, 6]
for letter in "bBhHiIlLqQfdnN?c":
    wide = memoryview(bytes(range(64))).cast(letter)
    m = wideload.copy(wide)
    assert m.format == letter and m.tobytes() == wide.tobytes(), letter


def refused(error, words, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except error as raised:
        assert words in str(raised), raised
    else:
        raise AssertionError(words)


refused(TypeError, "x: str is no array", wideload.copy, "text")
refused(TypeError, "x: list is no array", wideload.transpose, [[1, 2]])
refused(ValueError, "out: read-only", wideload.copy, b"abc", out=b"xyz")
refused(TypeError, "out: type", wideload.copy, b"abcd", out=array.array("b", b"abcd"))
refused(TypeError, "x: format", wideload.copy, (ctypes.c_char_p * 2)())
refused(TypeError, "cannot be added", wideload.add, memoryview(b"a").cast("c"), memoryview(b"a").cast("c"))
refused(ValueError, "out: overlaps an input", wideload.copy, x, out=x)
refused(TypeError, "a result of shape (0, 3)", wideload.copy, (ctypes.c_int * 3 * 0)())
refused(TypeError, "arrays: a dict makes", wideload.interleave, {"x": x})
print("done")
"""


def test_without_numpy():
    run = subprocess.run([sys.executable, "-I", "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout == "done\n", run.stderr
