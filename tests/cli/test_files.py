#!/usr/bin/env python3
"""`wideload transpose` and its like on .npy files: results, one-line refusals, and files that are whole or absent.

    test_files.py --wideload PROGRAM --source ROOT [--kills N]

NumPy is not needed; random_files.py compares with it."""
import argparse
import itertools
import math
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import terminal

arguments = None
SANITIZED = bool(os.environ.get("WIDELOAD_ASAN"))  # runs take several times as long


def npy(descr, shape, data, fortran=False, version=1):
    text = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}"
    text = text.encode("utf-8" if version == 3 else "latin-1") + b"\n"
    return b"\x93NUMPY" + struct.pack("<BBH" if version == 1 else "<BBI", version, 0, len(text)) + text + data


def saved(descr, shape, data):
    """The file as numpy.save() writes it."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape!r}, }}"
    text = text.encode() + b" " * (21 - len(str(shape[0])) if shape else 0)
    text += b" " * (64 - (10 + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data


def offsets(shape, order):
    """The position of each index, in C order of the indexes, if the dimensions lie in that order (the last one closest)."""
    strides, stride = [0] * len(shape), 1
    for d in reversed(order):
        strides[d] = stride
        stride *= shape[d]
    return (sum(i * s for i, s in zip(index, strides)) for index in itertools.product(*map(range, shape)))


def permuted(data, size, shape, axes, fortran=False):
    """What transpose(axes) makes of an array's data."""
    dimensions = list(range(len(shape)))
    order = [axes.index(d) for d in (reversed(dimensions) if fortran else dimensions)]
    return b"".join(data[size * at:size * (at + 1)] for at in offsets([shape[a] for a in axes], order))


class Files(unittest.TestCase):
    # Each output waits for the disk, so most tests use none.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=self.place)
        self.addCleanup(self.folder.cleanup)
        self.random = random.Random(1)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def put(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def poison(self, *names):
        """Outputs that an earlier command may have left as they are wanted."""
        for name in names:
            self.put(name, b"left over")

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_it(self, *command, **options):
        return subprocess.run([arguments.wideload, *command], capture_output=True, text=True, cwd=self.folder.name, check=False,
                              timeout=120, **options)

    def done(self, *command, **options):
        done = self.run_it(*command, **options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), command)

    def refused(self, status, says, *command, **options):
        before = sorted(os.listdir(self.folder.name))
        done = self.run_it(*command, **options)
        self.assertEqual(done.returncode, status, (command, done.stderr))
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Awideload: [^\x00-\x1f\x7f]+\n\Z")
        self.assertIn(says, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), before)

    def in_terminal(self, *command):
        """What a terminal gets of a command's standard error."""
        status, text = terminal.shown([arguments.wideload, *command], "stderr", cwd=self.folder.name)
        self.assertEqual(status, 0)
        return text


class Results(Files):
    def test_transpose(self):
        for shape in (), (5,), (0,), (1, 1), (3, 4), (1, 300), (129, 257), (3, 0, 2), (2, 3, 4, 5, 2, 3, 2, 2):
            for descr, size in ("'<f4'", 4), ("'|u1'", 1), ("'>c16'", 16), ("'|S13'", 13), ("'<M8[25s]'", 8), ("'|V0'", 0):
                for fortran in False, True:
                    data = self.random.randbytes(size * math.prod(shape))
                    self.put("a.npy", npy(descr, shape, data, fortran, self.random.choice((1, 2, 3))))
                    expected = permuted(data, size, shape, list(range(len(shape)))[::-1], fortran)
                    memories = [], ["--memory", "1"], ["--memory", "3000"], ["--memory=40K"]
                    for memory in self.random.sample(memories, 1 if SANITIZED else 4):
                        if len(data) > 10000 and memory == ["--memory", "1"]:
                            continue
                        self.poison("b.npy")
                        self.done("transpose", "a.npy", "b.npy", *memory)
                        self.assertEqual(self.get("b.npy"), saved(descr, shape[::-1], expected), (shape, descr, fortran, memory))

    def test_permute(self):
        shape = (3, 4, 5, 6)
        data = self.random.randbytes(2 * math.prod(shape))
        for axes in itertools.permutations(range(4)):
            fortran = self.random.random() < .5
            self.put("a.npy", npy("'<f2'", shape, data, fortran))
            text = ",".join(str(a - 4 if self.random.random() < .3 else a) for a in axes)
            self.poison("b.npy")
            self.done("permute", "--axes", text, "a.npy", "b.npy", "--memory", "9000")
            self.assertEqual(self.get("b.npy"), saved("'<f2'", tuple(shape[a] for a in axes),
                                                      permuted(data, 2, shape, axes, fortran)))
        self.put("a.npy", npy("'<f2'", (), b"ab"))
        self.done("permute", "--axes", "", "a.npy", "b.npy")
        self.assertEqual(self.get("b.npy"), saved("'<f2'", (), b"ab"))

    def test_add(self):
        for descr, code, numbers in (("'|i1'", "b", (100, -3, 7, 100)), ("'<u2'", "H", (65535, 1, 2, 3)), ("'<i8'", "q", (1, 2, 3, -4)),
                                     ("'<f4'", "f", (.5, 1e30, -2, 0)), ("'<f8'", "d", (.5, 1e300, -2, 0)), ("'<c8'", "f", (1, 2, 3, 4)),
                                     ("'<c16'", "d", (1, 2, 3, 4)), ("'<f2'", "e", (1, 2, .5, 60000))):
            parts = 2 if "c" in descr else 1
            shape = (2, 2, 3)
            values = [self.random.choice(numbers) for _ in range(2 * parts * math.prod(shape))]
            a, b = values[::2], values[1::2]
            mask = (1 << 8 * struct.calcsize(code)) - 1
            if code in "bHq":
                total = b"".join(((x + y) & mask).to_bytes(struct.calcsize(code), "little") for x, y in zip(a, b))
            elif code == "f":
                total = struct.pack(f"<{len(a)}f", *(struct.unpack("f", struct.pack("f", x))[0] + struct.unpack("f", struct.pack("f", y))[0]
                                                     for x, y in zip(a, b)))
            elif code == "e":
                total = b"".join(struct.pack("<e", x + y) if x + y < 65520 else b"\0\x7c" for x, y in zip(a, b))
            else:
                total = struct.pack(f"<{len(a)}d", *(x + y for x, y in zip(a, b)))
            size = struct.calcsize(code) * parts
            for f, g in itertools.product((False, True), repeat=2):
                for name, content, fortran in ("a.npy", a, f), ("b.npy", b, g):
                    data = struct.pack(f"<{len(content)}{code}", *content)
                    self.put(name, npy(descr, shape, permuted(data, size, shape, [2, 1, 0]) if fortran else data, fortran))
                for memory in [], ["--memory", "100"]:
                    self.poison("c.npy")
                    self.done("add", "a.npy", "b.npy", "c.npy", *memory)
                    self.assertEqual(self.get("c.npy"), saved(descr, shape, total), (descr, f, g))

    STRUCTURE = "[('a', '|i1'), ('', '|V3'), (('title', 'b'), '<f4', (2, 3)), (\"it's\", [('x', '<i2'), ('', '|V2')])]"
    FIELDS = {"a": ("'|i1'", 0, 1, ()), "b": ("'<f4'", 4, 24, (2, 3)), "it's": ("[('x', '<i2'), ('', '|V2')]", 28, 4, ())}

    def test_structures(self):
        for fortran in False, True:
            shape = (5, 70)
            data = self.random.randbytes(32 * math.prod(shape))
            self.put("s.npy", npy(self.STRUCTURE, shape, data, fortran))
            lying = permuted(data, 32, shape, [0, 1], fortran)
            for memory in [], ["--memory", "500"]:
                self.poison(*(f"s.{name}.npy" for name in self.FIELDS))
                self.done("deinterleave", "s.npy", *memory)
                for name, (descr, offset, size, sub) in self.FIELDS.items():
                    expected = b"".join(lying[i + offset:i + offset + size] for i in range(0, len(lying), 32))
                    self.assertEqual(self.get(f"s.{name}.npy"), saved(descr, shape + sub, expected))
            os.remove(self.path("s.b.npy"))
            self.poison("t.npy")
            self.done("interleave", "--fields", "p,it's", "s.it's.npy", "s.a.npy", "t.npy")
            expected = b"".join(lying[i + 28:i + 32] + lying[i:i + 1] for i in range(0, len(lying), 32))
            self.assertEqual(self.get("t.npy"), saved("[('p', [('x', '<i2'), ('', '|V2')]), (\"it's\", '|i1')]", shape, expected))

    def test_last_dimension(self):
        for count in 1, 2, 3, 17:
            for fortran in False, True:
                shape = (7, 9, count)
                data = self.random.randbytes(8 * math.prod(shape))
                self.put("a.npy", npy("'<f8'", shape, data, fortran))
                lying = permuted(data, 8, shape, [0, 1, 2], fortran)
                for memory in [], ["--memory", "100"]:
                    self.poison("b.npy", *(f"part.{i}.npy" for i in range(count)))
                    self.done("deinterleave", "a.npy", "-o", "part", *memory)
                    for i in range(count):
                        expected = b"".join(lying[at:at + 8] for at in range(8 * i, len(lying), 8 * count))
                        self.assertEqual(self.get(f"part.{i}.npy"), saved("'<f8'", shape[:2], expected))
                    self.done("interleave", *(f"part.{i}.npy" for i in range(count)), "b.npy", *memory)
                    self.assertEqual(self.get("b.npy"), saved("'<f8'", shape, lying))

    def test_boxes_of_many_pages(self):
        """Arrays of a few megabytes, in boxes whose runs are longer than pages."""
        shape = (600, 1700)
        data = self.random.randbytes(4 * math.prod(shape))
        words = memoryview(data).cast("I")
        expected = b"".join(words[column::shape[1]].tobytes() for column in range(shape[1]))
        self.put("a.npy", npy("'<f4'", shape, data))
        for memory in "64Ki", "300000", "1Mi", "64Mi":
            self.poison("b.npy")
            self.done("transpose", "a.npy", "b.npy", "--memory", memory)
            self.assertEqual(self.get("b.npy"), saved("'<f4'", shape[::-1], expected), memory)

    def test_little_address_space(self):
        """48 MB with `ulimit -v` of less than the array, however many threads there would be."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

        if self.run_it("--version", preexec_fn=limit).returncode:
            self.skipTest("a sanitizer needs terabytes of address space")
        shape = (4000, 3000)
        data = self.random.randbytes(4 * math.prod(shape))
        self.put("a.npy", npy("'<f4'", shape, data))
        self.done("transpose", "a.npy", "b.npy", preexec_fn=limit, env={**os.environ, "OMP_NUM_THREADS": "48"})
        self.done("transpose", "b.npy", "c.npy")
        self.assertEqual(self.get("c.npy"), saved("'<f4'", shape, data))

    def test_replaced(self):
        self.put("a.npy", npy("'<f4'", (2,), b"12345678"))
        self.put("target.npy", b"old")
        os.symlink("target.npy", self.path("link.npy"))
        self.done("transpose", "a.npy", "link.npy")
        self.assertTrue(os.path.islink(self.path("link.npy")))
        self.assertEqual(self.get("target.npy"), saved("'<f4'", (2,), b"12345678"))
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(os.stat(self.path("target.npy")).st_mode & 0o777, 0o666 & ~mask)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["a.npy", "link.npy", "target.npy"])


class Page(Files):
    def test_commands(self):
        """The commands of docs/files.md work as they stand there."""
        with open(os.path.join(arguments.source, "docs", "files.md"), encoding="utf-8") as file:
            block = re.search(r"```sh\n(.*?)```", file.read(), re.DOTALL)[1]
        self.put("images.npy", npy("'|u1'", (2, 3, 4, 5), self.random.randbytes(120)))
        self.put("table.npy", npy("'<f8'", (30, 40), self.random.randbytes(9600)))
        self.put("points.npy", npy("[('x', '<f4'), ('y', '<f4'), ('mass', '<f8')]", (50,), self.random.randbytes(800)))
        self.put("rgb.npy", npy("'|u1'", (6, 7, 3), self.random.randbytes(126)))
        commands = [line.split("#")[0].split() for line in block.splitlines()]
        self.assertEqual({command[1] for command in commands}, {"transpose", "permute", "add", "deinterleave", "interleave"})
        for command in commands:
            self.assertEqual(command[0], "wideload")
            self.done(*command[1:])
        self.assertEqual(self.get("again.npy")[-126:], self.get("rgb.npy")[-126:])
        made = re.findall(r"[a-z]+\.[a-z0-9]+\.npy", " ".join(block.split("#")[1:]))
        self.assertLessEqual(set(made), set(os.listdir(self.folder.name)))


class Terminal(Files):
    def shown(self, side):
        """What a terminal gets of the transpose of a matrix of bytes."""
        self.put("a.npy", npy("'|u1'", (side, side), bytes(side * side)))
        return self.in_terminal("transpose", "a.npy", "b.npy", "--memory", "1")

    def test_progress(self):
        """A terminal sees a line that is rewritten and goes, and nothing else does."""
        side, text = 1000, b""
        while not text and side <= 16000:  # it begins after half a second
            text = self.shown(side)
            side *= 2
        self.assertRegex(text, rb"\A(\r\x1b\[Ktranspose: [0-9.]+ of [0-9.]+ GB, [0-9.]+ GB/s)+\r\x1b\[K\Z")


class Refusals(Files):
    def test_contents(self):
        good = npy("'<f4'", (3, 4), bytes(48))
        for content, says in ((b"", "no .npy file"), (b"hello", "no .npy file"), (good[:5], "ends within its header"),
                              (good[:40], "ends within its header"), (good[:-1], "it has 47 bytes of data, and by its header 48"),
                              (b"PK\3\4" + bytes(50), "zip"), (npy("'|O'", (2,), b"\x80\4."), "pickles are refused"),
                              (npy("'<f3'", (2,), bytes(6)), "'<f3'"), (npy("'<f4'", (-2,), b""), "no size"),
                              (npy("'<f4'", (1 << 62,), b""), "more elements than any file"), (npy("'<f4'", (1 << 40,), b""), "cut short"),
                              (good.replace(b"{", b"{" * 100), "at byte"), (good.replace(b"False", b"[[[[["), "at byte"),
                              (good[:6] + b"\7" + good[7:], "format 7.0"), (b"\x93NUMPY\2\0" + b"\xff" * 100, "4294967295 bytes")):
            self.put("bad.npy", content)
            self.put("good.npy", good)
            for command in (["transpose", "bad.npy", "out.npy"], ["permute", "--axes", "0", "bad.npy", "out.npy"],
                            ["add", "good.npy", "bad.npy", "out.npy"], ["interleave", "good.npy", "bad.npy", "out.npy"],
                            ["deinterleave", "bad.npy"]):
                self.refused(1, says, *command)
                self.assertIn("bad.npy", self.run_it(*command).stderr)

    def test_arguments(self):
        self.put("a.npy", npy("'<f4'", (2, 3, 4), bytes(96)))
        for says, *command in (
                ("transpose takes IN.npy OUT.npy; 1 given", "transpose", "a.npy"),
                ("add takes A.npy B.npy OUT.npy; 2 given", "add", "a.npy", "b.npy"),
                ("interleave takes IN.npy... OUT.npy; 1 given", "interleave", "a.npy"),
                ("deinterleave takes IN.npy; 0 given", "deinterleave"),
                ("permute needs an order: give --axes", "permute", "a.npy", "b.npy"),
                ("--axes: 2 given, but a.npy has 3 dimensions: (2, 3, 4)", "permute", "--axes", "1,0", "a.npy", "b.npy"),
                ("give each of 0 to 2, or -3 to -1, once", "permute", "--axes", "0,1,3", "a.npy", "b.npy"),
                ("-4 is none of the dimensions", "permute", "--axes", "0,1,-4", "a.npy", "b.npy"),
                ("dimension 2 is given twice", "permute", "--axes", "2,1,-1", "a.npy", "b.npy"),
                ("no list of dimensions", "permute", "--axes", "0,,1", "a.npy", "b.npy"),
                ("no list of dimensions", "permute", "--axes", "0,1,", "a.npy", "b.npy"),
                ("no list of dimensions", "permute", "--axes", "0 1", "a.npy", "b.npy"),
                ("did you mean '--axes'?", "permute", "--axis", "0", "a.npy", "b.npy"),
                ("did you mean 'deinterleave'?", "deinterleav", "a.npy"),
                ("--memory: 0 bytes", "transpose", "--memory", "0", "a.npy", "b.npy"),
                ("--memory: 'much'", "transpose", "--memory", "much", "a.npy", "b.npy"),
                ("no.npy cannot be opened", "transpose", "no.npy", "b.npy"),
                (". is no regular file", "transpose", ".", "b.npy"),
                ("a pipe is no input", "transpose", "-", "b.npy"),
                ("a pipe is no output", "transpose", "a.npy", "-"),
                ("a pipe is no output", "transpose", "a.npy", "/dev/stdout"),
                ("/dev/null is no regular file", "transpose", "a.npy", "/dev/null"),
                ("output: no/b.npy cannot be written", "transpose", "a.npy", "no/b.npy"),
                ("output: . cannot be written", "transpose", "a.npy", "."),
                ("output: ./a.npy is an input", "transpose", "a.npy", "./a.npy"),
                ("--fields: 1 names for 2 arrays", "interleave", "--fields", "x", "a.npy", "a.npy", "b.npy"),
                ("called 'x'", "interleave", "--fields", "x,x", "a.npy", "a.npy", "b.npy"),
                ("without a name", "interleave", "--fields", "x,", "a.npy", "a.npy", "b.npy")):
            self.refused(2, says, *command)

    def test_arrays(self):
        self.put("a.npy", npy("'<f4'", (2, 3), bytes(24)))
        self.put("big.npy", npy("'>f4'", (2, 3), bytes(24)))
        self.put("bool.npy", npy("'|b1'", (2, 3), bytes(6)))
        self.put("other.npy", npy("'<f4'", (3, 2), bytes(24)))
        self.put("one.npy", npy("'<f4'", (), bytes(4)))
        self.put("none.npy", npy("'<f4'", (3, 0), b""))
        self.put("many.npy", npy("'|i1'", (1001,), bytes(1001)))
        self.put("slash.npy", npy("[('a/b', '<f4')]", (1,), bytes(4)))
        self.put("escape.npy", npy("[('/\\x1b[31m', '<f4')]", (1,), bytes(4)))  # a command to a terminal
        self.put("deep.npy", npy("'|i1'", (2,) * 12, bytes(4096)))
        for says, *command in (
                ("big.npy: elements of type '>f4' are not added", "add", "a.npy", "big.npy", "b.npy"),
                ("bool.npy: elements of type '|b1' are not added", "add", "bool.npy", "bool.npy", "b.npy"),
                ("a.npy has the shape (2, 3), but other.npy has (3, 2)", "add", "a.npy", "other.npy", "b.npy"),
                ("a.npy has the shape (2, 3), but one.npy has ()", "interleave", "a.npy", "one.npy", "b.npy"),
                ("a.npy has the type '<f4', but big.npy has '>f4'", "interleave", "a.npy", "big.npy", "b.npy"),
                ("one.npy: it is a single element", "deinterleave", "one.npy"),
                ("none.npy: its last dimension is empty", "deinterleave", "none.npy"),
                ("many.npy: its last dimension would make 1001 files; at most 1000", "deinterleave", "many.npy"),
                ("its field 'a/b' cannot be part of a file's name", "deinterleave", "slash.npy"),
                ("its field '/?[31m' cannot be part", "deinterleave", "escape.npy"),
                ("deep.npy: its order has 12 dimensions", "transpose", "deep.npy", "b.npy")):
            self.refused(1, says, *command)

    def test_no_pipe_is_waited_for(self):
        os.mkfifo(self.path("pipe"))
        self.put("a.npy", npy("'<f4'", (2,), bytes(8)))
        self.refused(2, "pipe is no regular file", "transpose", "pipe", "b.npy")
        self.refused(2, "pipe is no regular file", "transpose", "a.npy", "pipe")


class Whole(Files):
    """However a run ends, the output is whole or absent, and nothing else is left."""
    place = None

    def test_no_room(self):
        self.put("a.npy", npy("'<f4'", (1000, 3), bytes(12000)))
        self.put("old.npy", b"old")
        limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))}
        self.refused(1, "no room for its 12128 bytes", "transpose", "a.npy", "b.npy", **limits)
        self.refused(1, "no room for its 12128 bytes", "transpose", "a.npy", "old.npy", **limits)
        self.assertEqual(self.get("old.npy"), b"old")
        # Of several files the first ones fit.
        self.put("s.npy", npy("[('a', '<f4'), ('b', '|S8')]", (1000,), bytes(12000)))
        limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))}
        self.refused(1, "s.b.npy: there is no room", "deinterleave", "s.npy", **limits)

    def ended(self, number, delay, output):
        with subprocess.Popen([arguments.wideload, "transpose", "a.npy", output, "--memory", "100K"], cwd=self.folder.name) as child:
            time.sleep(delay)
            child.send_signal(number)
            status = child.wait()
        self.assertIn(status, (0, -number))
        return status == 0

    def test_ends_by_signals(self):
        shape = (1000, 2000)
        data = self.random.randbytes(4 * math.prod(shape))
        self.put("a.npy", npy("'<f4'", shape, data))
        start = time.monotonic()
        self.done("transpose", "a.npy", "b.npy", "--memory", "100K")
        seconds = time.monotonic() - start
        expected = self.get("b.npy")
        os.remove(self.path("b.npy"))
        numbers = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
        try:
            os.close(os.open(self.folder.name, os.O_TMPFILE | os.O_RDWR))
        except OSError:  # without nameless files, SIGKILL leaves a temporary one
            numbers = numbers[2:]
        for i in range(arguments.kills):
            number, keeps = numbers[i % len(numbers)], i % 2
            if keeps:
                self.put("b.npy", b"old")
            self.ended(number, self.random.uniform(0, 1.1 * seconds), "b.npy")
            left = sorted(os.listdir(self.folder.name))
            if number == signal.SIGKILL and left[0].startswith(".wideload."):  # between being named and replacing the old file
                self.assertEqual(self.get(left[0]), expected)
                os.remove(self.path(left.pop(0)))
            self.assertIn(left, [["a.npy", "b.npy"]] if keeps else [["a.npy"], ["a.npy", "b.npy"]])
            if "b.npy" in left:
                content = self.get("b.npy")
                self.assertTrue(content == expected or (keeps and content == b"old"), f"run {i}")
                os.remove(self.path("b.npy"))

    def test_input_is_cut_short(self):
        rows, status = 1000, 0
        while status == 0 and rows <= 32000:  # until this test is faster
            self.put("a.npy", npy("'<f4'", (rows, 3000), bytes(12000 * rows)))
            with subprocess.Popen([arguments.wideload, "transpose", "a.npy", "b.npy", "--memory", "20K"], cwd=self.folder.name,
                                  stderr=subprocess.PIPE, text=True) as child:
                time.sleep(.02)
                os.truncate(self.path("a.npy"), 5000)
                _, words = child.communicate()
            status = child.returncode
            rows *= 2
        self.assertEqual(status, 1)
        self.assertRegex(words, r"\Awideload: a.npy: it (was|is) cut short[^\n]*\n\Z")
        self.assertLessEqual(set(os.listdir(self.folder.name)), {"a.npy", "b.npy"})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--kills", type=int, default=10)
    arguments, rest = parser.parse_known_args()
    arguments.wideload = os.path.abspath(arguments.wideload)
    sys.exit(unittest.main(argv=[sys.argv[0], *rest]))
