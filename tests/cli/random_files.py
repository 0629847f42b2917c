#!/usr/bin/env python3
"""Compares `wideload transpose` and its like on files with NumPy, on arrays drawn at random.  Skips without NumPy.

    random_files.py --wideload PROGRAM [--cases N] [--seed N]

Whole files are compared, so headers are, too: they are numpy.save()'s, byte for byte."""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy
except ImportError:
    print("random_files: NumPy is not installed; skipped")
    sys.exit(77)

PLAIN = ["?", "i1", "u1", "<i2", ">i2", "<u4", "<i8", ">u8", "<f2", "<f4", ">f4", "<f8", "<g", "<c8", ">c16", "<c16", "S1", "S7", "<U3",
         ">U2", "V5", "V1", "<M8[ns]", "<M8[25s]", "<m8[D]", ">M8[us]", "<M8", "S0", "V0"]
ADDABLE = ["i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"]


def structure(draw, depth=0):
    names = draw.sample(["x", "y", "z", "a b", "it's", "\\", "\u00e9", "\u4e2d", "f0", "q.r", "'\""], draw.randint(1, 5))
    fields = []
    for name in names:
        kind = structure(draw, depth + 1) if depth < 2 and draw.random() < .2 else numpy.dtype(draw.choice(PLAIN))
        shape = [(), (), (3,), (2, 2), (0,)][draw.randrange(5)] if kind.itemsize else ()
        title = (("title of " + name), name) if draw.random() < .15 else name
        fields.append((title, kind, shape) if shape else (title, kind))
    return numpy.dtype(fields, align=draw.random() < .5)


def any_type(draw):
    return structure(draw) if draw.random() < .3 else numpy.dtype(draw.choice(PLAIN))


def any_shape(draw, most=8):
    rank = draw.randint(0, most)
    shape = [draw.choice([0, 1, 1, 2, 3, 5, 8, 17, 70]) if draw.random() < .1 else draw.randint(1, 70) for _ in range(rank)]
    while numpy.prod(shape, dtype=float) > 60000:
        shape[draw.randrange(rank)] = draw.randint(1, 3)
    return tuple(shape)


def any_array(draw, dtype, shape):
    """Random bytes, so that nothing may look at values."""
    count = int(numpy.prod(shape, dtype=numpy.int64)) * dtype.itemsize
    flat = numpy.frombuffer(draw.randbytes(count), numpy.uint8)
    if dtype.itemsize:
        array = numpy.ndarray(shape, dtype, flat.tobytes())
    else:
        array = numpy.ndarray(shape, dtype)
    return numpy.ndarray(shape, dtype, array.tobytes(), order="F") if draw.random() < .5 and dtype.itemsize else array


def raw(array):
    """Its bytes in C order, with the padding of structures, which NumPy's own copies fill with zeros."""
    return array.view(f"V{array.dtype.itemsize}").tobytes() if array.dtype.itemsize else b""


def save(path, array, draw):
    with open(path, "wb") as file:
        latin = all(ord(c) < 256 for c in str(array.dtype))
        numpy.lib.format.write_array(file, array, draw.choice([None, (2, 0) if latin else None, (3, 0)]))
        if draw.random() < .1:
            file.write(b"more")


def whole(path):
    with open(path, "rb") as file:
        return file.read()


class Cases:
    def __init__(self, program, folder, seed):
        self.program, self.folder, self.draw = program, folder, random.Random(seed)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command):
        memory = self.draw.choice([[], ["--memory", str(self.draw.choice([1, 100, 9000, 40000, 100000, 1000000]))]])
        done = subprocess.run([self.program, *command, *memory], capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.returncode, done.stderr)
        assert done.stderr == done.stdout == "", (command, done.stderr)

    def expect(self, path, array):
        numpy.save(self.path("expected.npy"), numpy.ndarray(array.shape, array.dtype, raw(array) or None))
        found, expected = whole(path), whole(self.path("expected.npy"))
        assert found == expected, (path, array.shape, array.dtype, found[:1000], expected[:1000])
        os.remove(path)

    def permute(self):
        array = any_array(self.draw, any_type(self.draw), any_shape(self.draw))
        save(self.path("a.npy"), array, self.draw)
        axes = list(range(array.ndim))
        if self.draw.random() < .3:
            axes.reverse()
            self.run("transpose", self.path("a.npy"), self.path("b.npy"))
        else:
            self.draw.shuffle(axes)
            text = ",".join(str(axis - array.ndim if self.draw.random() < .3 else axis) for axis in axes)
            self.run("permute", "--axes", text, self.path("a.npy"), self.path("b.npy"))
        self.expect(self.path("b.npy"), array.transpose(axes))

    def add(self):
        dtype, shape = numpy.dtype(self.draw.choice(ADDABLE)), any_shape(self.draw)
        a, b = any_array(self.draw, dtype, shape), any_array(self.draw, dtype, shape)
        if dtype.kind in "fc":  # of two NaNs, the sum's payload is either's
            a, b = (numpy.nan_to_num(x, copy=True, nan=1.5) for x in (a, b))
        save(self.path("a.npy"), a, self.draw)
        save(self.path("b.npy"), b, self.draw)
        with numpy.errstate(all="ignore"):
            expected = a + b
        if dtype.kind in "fc" and numpy.isnan(expected).any():
            return
        self.run("add", self.path("a.npy"), self.path("b.npy"), self.path("c.npy"))
        self.expect(self.path("c.npy"), expected)

    def deinterleave(self):
        dtype = any_type(self.draw)
        shape = any_shape(self.draw, 6)
        if not dtype.names:
            shape = (*shape, self.draw.randint(1, 9))
        array = any_array(self.draw, dtype, shape)
        save(self.path("a.npy"), array, self.draw)
        self.run("deinterleave", self.path("a.npy"), "-o", self.path("p"))
        for name in dtype.names or range(shape[-1]):
            part = array[name] if dtype.names else array[..., name]
            self.expect(self.path(f"p.{name}.npy"), numpy.asarray(part))

    def interleave(self):
        shape, count = any_shape(self.draw, 6), self.draw.randint(1, 7)
        structured = self.draw.random() < .5
        dtypes = [any_type(self.draw) for _ in range(count)] if structured else [any_type(self.draw)] * count
        arrays = [any_array(self.draw, dtype, shape) for dtype in dtypes]
        paths = [self.path(f"i{i}.npy") for i in range(count)]
        for path, array in zip(paths, arrays):
            save(path, array, self.draw)
        if structured:
            names = self.draw.sample(["x", "y", "it's", "\u00e9", "a b", "\\n", "z z", "w"], count)
            expected = numpy.zeros(shape, [(name, array.dtype) for name, array in zip(names, arrays)])
            for name, array in zip(names, arrays):
                expected[name] = array
            self.run("interleave", "--fields", ",".join(names), *paths, self.path("o.npy"))
        else:
            expected = numpy.stack(arrays, -1)
            self.run("interleave", *paths, self.path("o.npy"))
        if arrays and (not structured and expected.dtype != dtypes[0] or expected.dtype.itemsize == 0):
            os.remove(self.path("o.npy"))  # numpy.stack changes some types, as it drops titles
            return
        with open(self.path("o.npy"), "rb") as file:
            found = numpy.load(file)
        assert found.dtype == expected.dtype and found.shape == expected.shape, (found.dtype, expected.dtype)
        os.remove(self.path("o.npy"))
        for i, array in enumerate(arrays):
            part = found[names[i]] if structured else found[..., i]
            assert raw(part) == raw(array), (i, array.dtype)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="permute,add,deinterleave,interleave", help="these operations")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for i in range(arguments.cases):
            cases = Cases(arguments.wideload, folder, arguments.seed * 1000000 + i)
            what = getattr(cases, cases.draw.choice(arguments.only.split(",")))
            try:
                what()
            except Exception:
                print(f"case {i} of seed {arguments.seed}: {what.__name__}", file=sys.stderr)
                raise
    print(f"{arguments.cases} cases")


if __name__ == "__main__":
    main()
