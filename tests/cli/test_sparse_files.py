#!/usr/bin/env python3
"""`wideload sparse-transpose` on .mtx and .npz files: results, one-line refusals, and files that are whole or absent.

    test_sparse_files.py --wideload PROGRAM [--kills N]

SciPy is not needed; the wheel's tests compare with it."""
import argparse
import gzip
import io
import os
import resource
import signal
import struct
import subprocess
import sys
import time
import unittest
import zipfile

import test_files
from test_files import npy

MTX = b"%%MatrixMarket matrix coordinate "
SMALL = MTX + b"real general\n2 3 3\n2 1 1.5\n1 3 -2\n1 1 1e-5\n"
TURNED = MTX + b"real general\n3 2 3\n1 1 1e-5\n1 2 1.5\n3 1 -2\n"


def packed(parts, method=zipfile.ZIP_STORED):
    """An .npz of the arrays' files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name + ".npy", content)
    return file.getvalue()


def vector(descr, *items):
    """A .npy of one dimension: descr is '<i4' or its like."""
    order, code = descr[0].replace("|", "<"), {"i1": "b", "u1": "B", "b1": "?", "i4": "i", "u4": "I", "i8": "q", "f8": "d"}[descr[1:]]
    return npy(repr(descr), (len(items),), struct.pack(f"{order}{len(items)}{code}", *items))


def name(text):
    return npy(f"'|S{len(text)}'", (), text.encode())


def csr(**changes):
    """2 x 3: 5 at (0, 2), 6 at (1, 0), 7 at (1, 1)."""
    parts = {"indices": vector("<i4", 2, 0, 1), "indptr": vector("<i4", 0, 1, 3), "format": name("csr"),
             "shape": vector("<i8", 2, 3), "data": vector("<f8", 5, 6, 7)}
    parts.update(changes)
    return {key: part for key, part in parts.items() if part is not None}


def coo(**changes):
    """The same matrix."""
    return csr(**{"format": name("coo"), "indices": None, "indptr": None, "row": vector("<i4", 1, 0, 1), "col": vector("<i4", 1, 2, 0),
                  "data": vector("<f8", 7, 5, 6), **changes})


class Sparse(test_files.Files):
    def transposed(self, source, content, target):
        self.put(source, content)
        self.poison(target)
        self.done("sparse-transpose", source, target)
        return self.get(target)

    def arrays(self, content):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            self.assertIsNone(archive.testzip())
            return {part.removesuffix(".npy"): archive.read(part) for part in archive.namelist()}


class Results(Sparse):
    def test_text(self):
        self.assertEqual(self.transposed("a.mtx", SMALL, "b.mtx"), TURNED)
        self.assertEqual(self.transposed("b.mtx", TURNED, "a.mtx"), MTX + b"real general\n2 3 3\n1 1 1e-5\n1 3 -2\n2 1 1.5\n")
        self.assertEqual(gzip.decompress(self.transposed("a.mtx", SMALL, "b.mtx.gz")), TURNED)
        self.assertEqual(self.transposed("a.mtx.gz", gzip.compress(SMALL), "b.mtx"), TURNED)

    def test_each_field(self):
        for field, value in ("integer", b"-9223372036854775808"), ("unsigned-integer", b"18446744073709551615"), \
                ("complex", b"0.1 -1e300"), ("real", b"0.30000000000000004"), ("real", b"nan"), ("real", b"-inf"), ("real", b"-0"):
            head = MTX + field.encode() + b" general\n"
            self.assertEqual(self.transposed("a.mtx", head + b"4 5 1\n3 2 " + value + b"\n", "b.mtx"),
                             head + b"5 4 1\n2 3 " + value + b"\n")
        head = MTX + b"pattern general\n"
        self.assertEqual(self.transposed("a.mtx", head + b"4 5 1\n3 2\n", "b.mtx"), head + b"5 4 1\n2 3\n")

    def test_both_sides_of_the_diagonal(self):
        text = MTX + b"complex hermitian\n2 2 2\n2 1 1 5\n1 1 7 0\n"
        self.assertEqual(self.transposed("a.mtx", text, "b.mtx"), MTX + b"complex general\n2 2 3\n1 1 7 0\n1 2 1 5\n2 1 1 -5\n")

    def test_archives(self):
        expected = {"indices": vector("<i4", 1, 1, 0), "indptr": vector("<i4", 0, 1, 2, 3), "format": name("csr"),
                    "shape": vector("<i8", 3, 2), "data": vector("<f8", 6, 7, 5)}
        csc = csr(format=name("csc"), indices=vector("<i4", 1, 1, 0), indptr=vector("<i4", 0, 1, 2, 3), data=vector("<f8", 6, 7, 5))
        python2 = csr(format=npy("'<U3'", (), "csr".encode("utf-32-le")))
        big = csr(indices=vector(">i4", 2, 0, 1), indptr=vector(">i4", 0, 1, 3), data=vector(">f8", 5, 6, 7), shape=vector(">i8", 2, 3))
        longer = csr(indices=vector("<i4", 2, 0, 1, -1), data=vector("<f8", 5, 6, 7, 8))  # as SciPy allows
        for parts in csr(), csc, coo(), python2, big, longer, csr(shape=vector("<i4", 2, 3)):
            for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
                found = self.arrays(self.transposed("a.npz", packed(parts, method), "b.npz"))
                self.assertEqual(list(found), list(expected))
                for key, part in expected.items():
                    self.assertEqual(found[key][-(len(part) - 10 - part[8]):], part[10 + part[8]:], key)
                    self.assertEqual(found[key][10:].split(b"'shape'")[0], part[10:].split(b"'shape'")[0], key)
        python2 = csr(format=npy("'>U3'", (), "csr".encode("utf-32-be")))
        self.assertEqual(self.arrays(self.transposed("a.npz", packed(python2), "b.npz")).keys(), expected.keys())
        wide = self.arrays(self.transposed("a.npz", packed(csr(indices=vector("<i8", 2, 0, 1))), "b.npz"))
        self.assertIn(b"'<i8'", wide["indices"])
        self.assertIn(b"'<i8'", wide["indptr"])
        array = self.arrays(self.transposed("a.npz", packed(csr(_is_array=npy("'|b1'", (), b"\1"))), "b.npz"))
        self.assertEqual(array["_is_array"][-1:], b"\1")

    def test_compressed_arrays_that_zlib_ends_without_input(self):
        for count in 100, *range(195, 206), 2000:
            self.check_compressed(csr(shape=vector("<i8", 1, count), indptr=vector("<i4", 0, count), indices=vector("<i4", *range(count)),
                                      data=npy("'|i1'", (count,), bytes([10] * count))))
        for rows in range(2**22 - 2, 2**22 + 3):  # around the 16 MiB that are read at once
            self.check_compressed(csr(shape=vector("<i8", rows, 3), indptr=npy("'<i4'", (rows + 1,), bytes(4 * rows + 4)),
                                      indices=vector("<i4"), data=vector("<f8")))

    def test_no_more_is_read_than_the_pointers_say(self):
        many = csr(shape=vector("<i8", 1, 1), indptr=vector("<i4", 0, 1), indices=npy("'<i4'", (1 << 26,), bytes(1 << 28)),
                   data=npy("'|i1'", (1 << 26,), bytes(1 << 26)))
        self.put("a.npz", packed(many, zipfile.ZIP_DEFLATED))
        limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 27, 1 << 27))}
        self.done("sparse-transpose", "a.npz", "b.npz", **({} if os.environ.get("WIDELOAD_ASAN") else limits))

    def check_compressed(self, parts):
        self.put("a.npz", packed(parts, zipfile.ZIP_DEFLATED))
        self.done("sparse-transpose", "a.npz", "b.npz")

    def test_between_both(self):
        real = MTX + b"real general\n3 2 3\n1 2 6\n2 2 7\n3 1 5\n"
        integer, pattern = real.replace(b"real", b"integer"), MTX + b"pattern general\n2 3 3\n1 3\n2 1\n2 2\n"
        self.assertEqual(self.transposed("a.npz", packed(csr()), "b.mtx"), real)
        for descr in "|i1", "<i4", "<i8", "|u1":
            self.assertEqual(self.transposed("a.npz", packed(coo(data=vector(descr, 7, 5, 6))), "b.mtx"), integer)
        self.assertEqual(self.transposed("a.npz", packed(coo(data=vector("|b1", 1, 1, 0))), "b.mtx"),
                         MTX + b"integer general\n3 2 3\n1 2 0\n2 2 1\n3 1 1\n")
        ones = self.arrays(self.transposed("a.mtx", pattern, "b.npz"))
        self.assertEqual(ones["data"][-24:], struct.pack("<3d", 1, 1, 1))  # as SciPy reads a pattern

    def test_equal_files_of_equal_matrices(self):
        first = self.transposed("a.npz", packed(csr()), "b.npz")
        self.assertEqual(self.transposed("a.npz", packed(coo()), "b.npz"), first)


class Refusals(Sparse):
    def test_requests(self):
        self.put("a.mtx", SMALL)
        os.symlink("a.mtx", self.path("link.mtx"))
        for says, *names in (
                ("sparse-transpose takes IN OUT; 1 given", "a.mtx"),
                ("a.txt: its name ends in none of .mtx, .mtx.gz and .npz", "a.txt", "b.mtx"),
                ("b.gz: its name ends in none of .mtx", "a.mtx", "b.gz"),
                ("no.mtx cannot be opened: No such file", "no.mtx", "b.mtx"),
                ("no/b.mtx cannot be written: No such file", "a.mtx", "no/b.mtx"),
                ("the output: a.mtx is the input", "a.mtx", "a.mtx"),
                ("the output: link.mtx is the input", "a.mtx", "link.mtx")):
            self.refused(2, says, "sparse-transpose", *names)
        os.mkdir(self.path("folder.mtx"))
        os.mkfifo(self.path("pipe.mtx"))
        for place in "folder.mtx", "pipe.mtx":
            self.refused(2, place + " is no regular file", "sparse-transpose", place, "b.mtx")
        self.refused(2, "folder.mtx cannot be written", "sparse-transpose", "a.mtx", "folder.mtx")
        os.symlink("/dev/null", self.path("null.mtx"))
        for place in "pipe.mtx", "null.mtx":
            self.refused(2, place + " is no regular file", "sparse-transpose", "a.mtx", place)

    def test_text(self):
        for says, content in (
                ("a.mtx: line 1: it is no Matrix Market file", self.random.randbytes(5000)),
                ("a.mtx: line 4: its column is 4, which is not among 1 to 3", SMALL.replace(b"1 3 -2", b"1 4 -2")),
                ("a.mtx: it has 2 entries, but 3 by its line 2", SMALL[:-9]),
                ("a.mtx: it has 3 entries, but 4398046511104 by its line 2", SMALL.replace(b"2 3 3", b"2 3 4398046511104"))):
            self.put("a.mtx", content)
            self.refused(1, says, "sparse-transpose", "a.mtx", "b.mtx")

    def wrong(self, says, content):
        self.put("a.npz", content)
        self.refused(1, "a.npz: " + says, "sparse-transpose", "a.npz", "b.mtx")

    def test_archives(self):
        ints, reals = vector("<i4", 0, 1, 2), vector("<f8", 0, 1, 2)
        for says, parts in (
                ("it has no array 'format', which a sparse matrix has", csr(format=None)),
                ("it has no array 'indptr'", csr(indptr=None)),
                ("it has no array 'col'", coo(col=None)),
                ("its format is 'bsr'; csr, csc and coo can be read", csr(format=name("bsr"))),
                ("its format is ''", csr(format=name("\x1b[2J"))),
                ("its 'format' is of type '<f8' and shape (3,), and should be a name", csr(format=reals)),
                ("its 'format' is of type '|S100'", csr(format=name("x" * 100))),
                ("its 'shape' is of type '<i4' and shape (3,), and should be two integers", csr(shape=ints)),
                ("its shape is (-2, 3); at most 2^32 rows and columns", csr(shape=vector("<i8", -2, 3))),
                ("its shape is (2, 4294967297)", csr(shape=vector("<i8", 2, 4294967297))),
                ("its '_is_array' is of type '<i4'", csr(_is_array=vector("<i4", 1))),
                ("its 'indptr' is of type '<f8' and shape (3,), and should be integers", csr(indptr=reals)),
                ("its 'indices' is of type '|u1'", csr(indices=vector("|u1", 2, 0, 1))),
                ("its 'indices' is of type '<i4' and shape (1, 3)", csr(indices=npy("'<i4'", (1, 3), bytes(12)))),
                ("its 'data' is of type '|S3' and shape (3,), and should be numbers", csr(data=npy("'|S3'", (3,), bytes(9)))),
                ("its 'data' is of type '<c32'", csr(data=npy("'<c32'", (3,), bytes(96)))),
                ("its 'data' is of type '<M8[s]'", csr(data=npy("'<M8[s]'", (3,), bytes(24)))),
                ("its 'data': its elements are Python objects, and pickles are refused", csr(data=npy("'|O'", (3,), b"cos\nsystem\n"))),
                ("its 'data': it is no .npy file", csr(data=b"some words of text")),
                ("its 'data' is cut short", csr(data=b"\x93NUMPY")),
                ("its 'data': its header is too short", csr(data=b"\x93NUMPY\1\0\0\0xxxx")),
                ("its 'data': its header is too short", csr(data=b"\x93NUMPY\1\0\1\0{xxx")),
                ("its format is ''", csr(format=npy("'>S0'", (), b""))),
                ("its format is ''", csr(format=npy("'>U0'", (), b""))),
                ("its 'data' is cut short", csr(data=reals[:60])),
                ("its 'data' is cut short: it has 24 bytes by its header", csr(data=reals[:-1])),
                ("its 'data' is cut short: it has 8796093022208 bytes", csr(data=npy("'<f8'", (1 << 40,), b""))),
                ("its 'indptr' has 4 items, and 3 by its shape", csr(indptr=vector("<i4", 0, 1, 2, 3))),
                ("its 'indptr' does not ascend from 0: it has 1 at 0", csr(indptr=vector("<i4", 1, 1, 3))),
                ("its 'indptr' does not ascend from 0: it has 1 at 2", csr(indptr=vector("<i4", 0, 2, 1))),
                ("its 'indptr' does not ascend from 0: it has -1 at 1", csr(indptr=vector("<i4", 0, -1, 3))),
                ("its 'indptr' does not ascend from 0: it has -1 at 2", csr(indptr=vector("<i8", 0, 1, -1))),
                ("its 'indices' and 'data' have 3 and 3 items, and 4 by its 'indptr'", csr(indptr=vector("<i4", 0, 1, 4))),
                ("its 'indices' and 'data' have 3 and 2 items, and 3 by", csr(data=vector("<f8", 1, 2))),
                ("its 'indices' has 3 at 1, which is not among 0 to 2", csr(indices=vector("<i4", 2, 3, 1))),
                ("its 'indices' has 0 at 0, but its shape leaves no place for it",
                 csr(shape=vector("<i8", 2, 0), indices=vector("<i4", 0, 0, 0))),
                ("its 'indices' has 4294967295 at 0", csr(indices=vector("<u4", 2**32 - 1, 0, 1))),
                ("its 'data' is of type '<f12' and shape (3,), and should be numbers of 1, 2, 4, 8 or 16 bytes",
                 csr(data=npy("'<f12'", (3,), bytes(36)))),
                ("its 'indices' has -1 at 0", csr(indices=vector("<i4", -1, 0, 1))),
                ("its 'indices' has -1 at 2", csr(indices=vector("<i8", 2, 0, -1))),
                ("its 'indptr' has 3 items, and 4 by its shape", csr(format=name("csc"))),
                ("its 'row', 'col' and 'data' have 3, 2 and 3 items", coo(col=vector("<i4", 0, 1))),
                ("its 'row' has 2 at 0, which is not among 0 to 1", coo(row=vector("<i4", 2, 0, 1))),
                ("its 'col' has 3 at 1, which is not among 0 to 2", coo(col=vector("<i4", 1, 3, 0)))):
            self.wrong(says, packed(parts))
        self.wrong("its 'format' is encrypted, or compressed otherwise", packed(csr(), zipfile.ZIP_LZMA))
        self.wrong("its 'data' is cut short: it has 10485760 bytes", packed(csr(data=npy("'<f8'", (10 << 17,), b"")), zipfile.ZIP_DEFLATED))

    def test_damaged_archives(self):
        content = packed(csr())
        self.wrong("it is no zip archive", b"")
        self.wrong("it is no zip archive", self.random.randbytes(5000))
        data = content.index(struct.pack("<d", 6))
        self.wrong("its 'data' is damaged: its checksum is wrong", content[:data] + b"\1" + content[data + 1:])
        for cut in range(0, len(content) - 1, 7):
            self.wrong("it", content[:cut])
        content = packed(csr(), zipfile.ZIP_DEFLATED)
        for at in range(0, len(content), 3):  # read or refused, but never worse
            self.put("a.npz", content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1:])
            done = self.run_it("sparse-transpose", "a.npz", "b.mtx")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertRegex(done.stderr, r"\A(wideload: a.npz: [^\x00-\x1f\x7f]+\n)?\Z")

    @unittest.skipIf(os.environ.get("WIDELOAD_ASAN"), "the sanitizer needs more address space")
    def test_too_little_memory(self):
        self.put("a.mtx", MTX + b"pattern general\n2000000000 1 1\n7 1\n")
        limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))}
        self.refused(1, "memory", "sparse-transpose", "a.mtx", "b.mtx", **limits)
        self.put("a.npz", packed(csr(shape=vector("<i8", 2, 2**31))))  # only the transpose needs much
        self.refused(1, "a.npz: ", "sparse-transpose", "a.npz", "b.npz", **limits)


class Whole(Sparse):
    """However a run ends, the output is whole or absent, and nothing else is left."""
    place = None

    def test_no_room(self):
        lines = b"".join(b"%d 1 1\n" % row for row in range(1, 5001))
        self.put("a.mtx", MTX + b"real general\n5000 1 5000\n" + lines)
        limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))}
        for target in "b.mtx", "b.mtx.gz", "b.npz":
            self.refused(1, f"{target}: it cannot be written: File too large", "sparse-transpose", "a.mtx", target, **limits)
            self.put(target, b"old")
            self.refused(1, "it cannot be written", "sparse-transpose", "a.mtx", target, **limits)
            self.assertEqual(self.get(target), b"old")
            os.remove(self.path(target))

    def test_ends_by_signals(self):
        lines = b"".join(b"%d %d %d\n" % (row, row % 1000 + 1, row) for row in range(1, 100001))
        source = MTX + b"integer general\n100000 1000 100000\n" + lines
        start = time.monotonic()
        expected = self.transposed("a.mtx", source, "b.mtx")
        seconds = time.monotonic() - start
        for i in range(test_files.arguments.kills):
            self.put("b.mtx", b"old")
            with subprocess.Popen([test_files.arguments.wideload, "sparse-transpose", "a.mtx", "b.mtx"], cwd=self.folder.name) as child:
                time.sleep(self.random.uniform(0, 1.1 * seconds))
                child.send_signal(signal.SIGTERM if i % 2 else signal.SIGINT)
            self.assertIn(self.get("b.mtx"), (b"old", expected))
            self.assertEqual(sorted(os.listdir(self.folder.name)), ["a.mtx", "b.mtx"])

    def shown(self, copies):
        """What a terminal sees of a transpose of so many times 200,000 entries."""
        lines = b"".join(b"%d %d %d\n" % (row, row % 1000 + 1, row) for row in range(1, 200001))
        self.put("a.mtx", MTX + b"integer general\n200000 1000 %d\n" % (copies * 200000) + copies * lines)
        return self.in_terminal("sparse-transpose", "a.mtx", "b.mtx.gz")

    def test_progress_is_shown_in_a_terminal_alone(self):
        text, copies = b"", 5
        while not text and copies <= 160:  # it begins after half a second
            text = self.shown(copies)
            copies *= 2
        self.assertRegex(text, rb"\A(\r\x1b\[Ksparse-transpose: (reads|sorts|transposes|writes), \d+ %)+\r\x1b\[K\Z")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--kills", type=int, default=6)
    test_files.arguments, rest = parser.parse_known_args()
    test_files.arguments.wideload = os.path.abspath(test_files.arguments.wideload)
    sys.exit(unittest.main(argv=[sys.argv[0], *rest]))
